// Work that the agent has handed on: a row for each sub-agent, with how it stands and the way to what it does. Where it
// is worked on, the words that it was handed on with, in nobody's bubble.
import { useState } from "react";
import type { Item, Task } from "../bridge/wire";
import { useSelection, useSession, useStore } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { taskOutcome } from "../note/words";
import { duration, fullTime } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import "./delegation.css";

/** The card of a delegation. */
export function Delegation({ item }: { item: Item }) {
  const t = useText();
  const tasks = item.tasks ?? [];
  const running = tasks.filter((task) => task.state === "running");
  return (
    <section className="delegation" aria-label={t("delegation")}>
      <header className="delegation-head">
        <h2 className="delegation-name">{t("delegation-title", { count: tasks.length })}</h2>
        <span className="delegation-time">{countsOf(tasks, t)}</span>
        {running.length > 1 && <Stop tasks={running} label={t("delegation-stop-all")} />}
      </header>
      <ol className="delegation-tasks">
        {tasks.map((task) => (
          <TaskRow key={task.sessionId} task={task} />
        ))}
      </ol>
    </section>
  );
}

/** Those that ended first, as they ended; what there is none of is left out. */
function countsOf(tasks: readonly Task[], t: Translate): string {
  const many = (state: string): number => tasks.filter((task) => task.state === state).length;
  const [completed, interrupted, unknown, running] = [many("completed"), many("interrupted"), many("unknown"), many("running")];
  const failed = tasks.length - completed - interrupted - unknown - running;
  const counts: [string, number][] = [
    [t("delegation-count-completed", { count: completed }), completed],
    [t("delegation-count-failed", { count: failed }), failed],
    [t("delegation-count-interrupted", { count: interrupted }), interrupted],
    [t("delegation-count-unknown", { count: unknown }), unknown],
    [t("delegation-count-running", { count: running }), running],
  ];
  return counts.flatMap(([words, count]) => (count > 0 ? words : [])).join(", ");
}

function TaskRow({ task }: { task: Task }) {
  const t = useText();
  const { openSession } = useSelection();
  const asks = (useSession(task.sessionId)?.pendingApprovals ?? 0) > 0;
  const words = taskOutcome(task.state, asks, t);
  return (
    <li className="delegation-task" data-state={task.state}>
      <Glyph name={words.glyph} />
      <button type="button" className="delegation-open" title={task.title} aria-label={t("delegation-open", { title: task.title })} onClick={() => openSession(task.sessionId)}>
        {task.title}
      </button>
      <span className={`delegation-state tone-${words.tone}`}>{words.words}</span>
      <Elapsed task={task} />
      {task.state === "running" && <Stop tasks={[task]} label={t("delegation-stop", { title: task.title })} />}
    </li>
  );
}

function Elapsed({ task }: { task: Task }) {
  const running = task.endedAtMs == null;
  const now = useSecondTick(running);
  const end = task.endedAtMs ?? Math.max(now, task.startedAtMs);
  return <span className="delegation-time">{duration(end - task.startedAtMs, { exact: !running })}</span>;
}

/** Ends the turns of these tasks; what came of them is told like any other end. */
function Stop({ tasks, label }: { tasks: readonly Task[]; label: string }) {
  const t = useText();
  const store = useStore();
  const [answer, setAnswer] = useState("");
  const stop = () => {
    Promise.all(tasks.map(({ sessionId }) => store.bridge.call("stop_turn", { sessionId, turnId: store.state.sessions.get(sessionId)?.runningTurnId ?? null }))).then(
      () => setAnswer(""),
      (reason: unknown) => setAnswer(t("not-done", { reason: reason instanceof Error ? reason.message : String(reason) })),
    );
  };
  return (
    <>
      <button type="button" className="btn sm ghost" aria-label={label} onClick={stop}>
        {tasks.length > 1 ? label : t("stop")}
      </button>
      {answer !== "" && <span className="delegation-answer" role="status">{answer}</span>}
    </>
  );
}

/** What a sub-agent was told, in its own transcript. */
export function HandedTask({ item }: { item: Item }) {
  const t = useText();
  return (
    <article className="delegation-words" aria-label={t("delegation-task")} title={fullTime(item.atMs)}>
      <p className="delegation-label">{t("delegation-task")}</p>
      <p className="delegation-text" dir="auto">{item.text}</p>
    </article>
  );
}
