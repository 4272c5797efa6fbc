// Scenes of work that was handed on: where it was, and where it is worked on.
import type { Item, Session, Task } from "../bindings";
import { calm } from "./everything";
import type { FakeGateway } from "./gateway";

const MINUTE = 60_000;

const tasks = (now: number): Task[] => [
  { sessionId: "worker-1", title: "Find every place that reads the old order table", state: "completed", said: "Four files read it.", startedAtMs: now - 9 * MINUTE, endedAtMs: now - 6 * MINUTE },
  { sessionId: "worker-2", title: "Measure how long the migration takes on a copy of the data", state: "running", said: "", startedAtMs: now - 9 * MINUTE },
  { sessionId: "worker-3", title: "Check the fixtures against the new schema", state: "error", said: "No answer.", startedAtMs: now - 9 * MINUTE, endedAtMs: now - 8 * MINUTE },
];

/** A conversation whose agent has handed three tasks on. */
export function delegated(gateway: FakeGateway): void {
  const now = Date.now();
  calm(gateway);
  for (const task of tasks(now)) gateway.putSession(worker(gateway, task));
  const base = { sessionId: "release", atMs: now - 9 * MINUTE, streaming: false };
  gateway.putItem({ ...base, itemId: "handed", author: "machine", kind: "delegation", text: "", tasks: tasks(now) });
  gateway.putItem({ ...base, itemId: "handed-note", atMs: now - 8 * MINUTE, author: "machine", kind: "machine_note", units: [failure()] });
  gateway.patchSession("release", { group: "running", runningTasks: 1, summary: "Handed on.", unread: 0 });
  gateway.forget();
}

/** The transcript of one that works on a task. */
export function subAgent(gateway: FakeGateway): void {
  delegated(gateway);
  const base = { sessionId: "worker-2", atMs: Date.now() - 9 * MINUTE, streaming: false };
  const text = "Measure how long the migration takes on a copy of the data\n\nWhat you need to know:\nThe copy lies in /srv/copies/orders.";
  gateway.putItem({ ...base, itemId: "task", author: "model", kind: "delegation", text });
  gateway.patchSession("worker-2", { unread: 0 });
  gateway.forget();
}

function worker(gateway: FakeGateway, task: Task): Session {
  const owner = gateway.sessions.get("release");
  if (owner === undefined) throw new Error("The scene has no conversation to hand on from.");
  const running = task.state === "running";
  return {
    ...owner,
    sessionId: task.sessionId,
    title: task.title,
    group: running ? "running" : "done_today",
    runningTurnId: running ? "turn" : null,
    summary: "",
    lastSeq: 0,
    delegatedFrom: "release",
  };
}

function failure(): NonNullable<Item["units"]>[number] {
  return {
    producer: "task_failure",
    delegationId: "handed",
    state: "error",
    durationMs: MINUTE,
    outputTail: "No answer.",
    outputBytes: 10,
    command: "Check the fixtures against the new schema",
    turnNumber: 1,
    number: 3,
  };
}
