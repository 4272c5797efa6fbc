// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "../bridge/wire";
import { Dock } from "../composer/Dock";
import { groupSessions } from "../session/groups";
import { everythingVisible, item, makeStage, session, unit } from "../testing/stage";
import { ItemView } from "./ItemView";

beforeEach(everythingVisible);
afterEach(cleanup);

const task = (more: Partial<Task>): Task => ({ sessionId: "worker", title: "count", state: "running", said: "", startedAtMs: 0, ...more });

const show = (tasks: Task[], answers: Parameters<typeof makeStage>[0] = {}) => {
  const stage = makeStage(answers);
  return { stage, ...stage.show(<ItemView item={item({ author: "machine", kind: "delegation", text: "count", tasks })} />) };
};

describe("work that was handed on", () => {
  it("says of each task how it stands, in words", () => {
    const states = ["running", "completed", "interrupted", "unknown", "error"];
    show(states.map((state, n) => task({ state, title: `task ${n}`, sessionId: `w${n}`, endedAtMs: state === "running" ? null : 2_000 })));
    expect(screen.getByRole("heading", { name: "Handed on to 5 sub-agents" })).toBeTruthy();
    const rows = screen.getAllByRole("listitem").map((row) => row.textContent ?? "");
    for (const [at, words] of ["running", "done", "stopped", "cut off, result unknown", "failed"].entries()) expect(rows[at]).toContain(words);
    expect(screen.getAllByRole("button", { name: /^Stop/ })).toHaveLength(1);
  });

  it.each<[string[], string]>([
    [["completed", "error", "running"], "1 done, 1 failed, 1 running"],
    [["running", "running"], "2 running"],
    [["unknown", "completed", "interrupted", "completed"], "2 done, 1 stopped, 1 cut off"],
  ])("counts %o apart", (states, words) => {
    show(states.map((state, n) => task({ state, sessionId: `w${n}` })));
    expect(screen.getByText(words)).toBeTruthy();
  });

  it("leads to the transcript of who works on it", () => {
    const { stage } = show([task({})]);
    fireEvent.click(screen.getByRole("button", { name: "Open what works on: count" }));
    expect(stage.store.selection.sessionId).toBe("worker");
  });

  it("stops one, or all that still work", async () => {
    const { stage } = show([task({ sessionId: "a", title: "one" }), task({ sessionId: "b", title: "two" }), task({ sessionId: "c", title: "three", state: "completed", endedAtMs: 1 })], { stop_turn: () => Promise.resolve({ stopped: true, reaping: 0 }) });
    fireEvent.click(screen.getByRole("button", { name: "Stop: two" }));
    stage.feed({ sessions: new Map([["b", session({ sessionId: "b", runningTurnId: "b-1" })]]) });
    fireEvent.click(screen.getByRole("button", { name: "Stop all" }));
    await waitFor(() =>
      expect(stage.calls.map(({ params }) => params)).toEqual([
        { sessionId: "b", turnId: null },
        { sessionId: "a", turnId: null },
        { sessionId: "b", turnId: "b-1" },
      ]),
    );
  });

  it("shows the words of a task where it is worked on, and in nobody's bubble", () => {
    const stage = makeStage();
    const { container } = stage.show(<ItemView item={item({ author: "model", kind: "delegation", text: "Count the files." })} />);
    expect(screen.getByRole("article", { name: "The task that was handed on" }).textContent).toContain("Count the files.");
    expect(container.querySelector(".human-bubble")).toBeNull();
  });

  it("is reported in the words of the list, without what only commands have", () => {
    const stage = makeStage();
    const units = [unit({ producer: "delegation", processId: null, delegationId: "d", state: "completed", command: "count", outputTail: "count: done after 3 s.\nThere are 3." })];
    stage.show(<ItemView item={item({ author: "machine", kind: "machine_note", units })} />);
    expect(screen.getByRole("group", { name: "Machine note: count, done" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Run again" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Mute" })).toBeNull();
  });
});

describe("a sub-agent's session", () => {
  it("stands in the list only while it waits for a person", () => {
    const quiet = session({ sessionId: "a", delegatedFrom: "owner", group: "running" });
    const asking = session({ sessionId: "b", delegatedFrom: "owner", group: "needs_you" });
    const listed = groupSessions([quiet, asking, session({ sessionId: "owner", group: "running" })]).flatMap(({ sessions }) => sessions.map((row) => row.sessionId));
    expect(listed).toEqual(["b", "owner"]);
  });

  it("takes no words, and leads to the conversation that it works for", () => {
    const stage = makeStage({ get_ui_state: () => Promise.resolve({ entries: [] }) });
    const rows = [session({ sessionId: "owner", title: "Shop" }), session({ sessionId: "worker", delegatedFrom: "owner", runningTurnId: "t" })];
    stage.feed({ sessions: new Map(rows.map((row) => [row.sessionId, row])) });
    stage.show(<Dock sessionId="worker" />);
    expect(screen.getByText("A sub-agent works here for Shop. It hears nobody; its result is told there.")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Open that session" }));
    expect(stage.store.selection.sessionId).toBe("owner");
  });
});
