// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { NoteUnit } from "../bridge/wire";
import { item, makeStage, unit } from "../testing/stage";
import { MachineNote, RepeatedNote } from "./MachineNote";
import type { NoteActions } from "./UnitBody";

afterEach(cleanup);

const NOTHING: NoteActions = {
  sessionId: "s",
  openProcess: () => undefined,
  runAgain: () => Promise.resolve(null),
  askAgent: () => undefined,
  mute: () => Promise.resolve(),
};
let notes = 0;
const show = (units: NoteUnit[], more: Partial<NoteActions> = {}) => {
  notes += 1;
  const actions: NoteActions = { ...NOTHING, ...more };
  return makeStage().show(<MachineNote item={item({ itemId: `note-${notes}`, author: "machine", kind: "machine_note", units })} actions={actions} />);
};

describe("a machine note", () => {
  it("always says what it is", () => {
    show([unit({})]);
    expect(screen.getByText("Machine note")).toBeTruthy();
    expect(screen.getByRole("group", { name: "Machine note: npm run e2e, exited 0" })).toBeTruthy();
  });

  it("tells what, how, how long and when, in this order", () => {
    const { container } = show([unit({})]);
    expect(container.textContent).toMatch(/^Machine notenpm run e2eexited 0after 3\u00a0m 12\u00a0s14:01$/);
  });

  it("is closed when all went well and open otherwise", () => {
    show([unit({})]);
    expect(screen.queryByText(/Started by/)).toBeNull();
    cleanup();
    show([unit({ exitCode: 1, outputBytes: 428_032, outputTail: `one\n${"x".repeat(2043)}\n` })]);
    expect(screen.getByText("Started by turn 12. Showing the last 2 KB of 418 KB.")).toBeTruthy();
  });

  it.each<[Partial<NoteUnit>, string]>([
    [{ exitCode: null, signal: "SIGSEGV" }, "ended by SIGSEGV"],
    [{ state: "killed", exitCode: null, stoppedBy: "user" }, "stopped by you"],
    [{ state: "lost", exitCode: null }, "lost, exit code unknown"],
    [{ state: "failed_start", exitCode: null }, "not started"],
  ])("%o reads %s", (more, words) => {
    show([unit(more)]);
    expect(screen.getByText(words)).toBeTruthy();
  });

  it("shows the last line, and the rest on demand", () => {
    show([unit({ exitCode: 1, outputTail: "first\nlast\n", outputBytes: 11 })]);
    expect(screen.queryByText(/first/)).toBeNull();
    expect(screen.getByText("last")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Show 2 lines" }));
    expect(screen.getByText(/first/)).toBeTruthy();
  });

  it("tells what was watched for, which hit it is, and what was not told", () => {
    const { container } = show([
      unit({ producer: "watch", news: "hit", state: "running", exitCode: null, pattern: "listening", number: 2, matched: 3, suppressed: 14, outputTail: "listening a\nlistening b\n" }),
    ]);
    expect(container.textContent).toMatch(/^Machine notenpm run e2ewrote "listening"after 3/);
    expect(screen.getByText(/listening a\s+listening b/)).toBeTruthy();
    expect(screen.getByText("Started by turn 12. Hit 2 of its watch, 3 lines. 14 matches before were not told.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Run again" })).toBeNull();
    expect(container.querySelector("[data-glyph=running]")).toBeNull();
  });

  it.each<[string, string, string]>([
    ["too_often", "watching stopped", "It matched again and again within 15 seconds. It runs on, and its end is told."],
    ["spent", "watching stopped", "It was told as often as a watch may be. It runs on, and its end is told."],
  ])("tells that a watch is over (%s), and not the process", (news, words, why) => {
    const { container } = show([unit({ producer: "watch", news, state: "running", exitCode: null })]);
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.getByText(`Started by turn 12. ${why}`)).toBeTruthy();
    expect(container.textContent).not.toMatch(/exited|ended|It wrote nothing/);
  });

  it("tells of all watches together in no process's name", () => {
    const all = { producer: "watch", processId: null, turnNumber: null, command: "", durationMs: 0, state: "running", exitCode: null };
    show([unit({ ...all, news: "paused" })]);
    expect(screen.getByRole("group", { name: "Machine note: watching paused" })).toBeTruthy();
    expect(screen.getByText("The watches of all processes together told too much, so for 30 seconds they tell nothing.")).toBeTruthy();
    expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual([expect.stringContaining("watching paused"), "Ask the agent"]);
    cleanup();
    show([unit({ ...all, news: "resumed", suppressed: 1 })]);
    fireEvent.click(screen.getByRole("button", { expanded: false }));
    expect(screen.getByText("1 match before was not told.")).toBeTruthy();
  });

  it("is quiet about a sign of life, which is never an end", () => {
    const { container } = show([unit({ producer: "heartbeat", state: "running", exitCode: null, number: 3, outputTail: "28,236 files\n", outputBytes: 13 })]);
    expect(container.textContent).toMatch(/^Machine notenpm run e2estill runningafter 3/);
    expect(screen.queryByText("28,236 files")).toBeNull();
    fireEvent.click(screen.getByRole("button", { expanded: false }));
    expect(screen.getByText("28,236 files")).toBeTruthy();
    expect(screen.getByText("Started by turn 12. Sign of life 3. All 13 B of output is here.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Run again" })).toBeNull();
    // What goes on is not looked at here, so nothing moves.
    expect(container.querySelector("[data-glyph=running]")).toBeNull();
  });

  it("folds signs of life with how long it ran at the last one", () => {
    const beat = (seq: number) =>
      item({ itemId: `beat-${seq}`, seq, author: "machine", kind: "machine_note", units: [unit({ producer: "heartbeat", state: "running", exitCode: null, number: seq, durationMs: seq * 60_000 })] });
    makeStage().show(<RepeatedNote items={[beat(1), beat(2)]} actions={NOTHING} />);
    expect(screen.getByText("2 signs of life in 2 m")).toBeTruthy();
    expect(screen.queryAllByRole("listitem")).toHaveLength(0);
  });

  it("says once what a new start was asked for in vain", async () => {
    show([unit({ exitCode: 1 })], { runAgain: () => Promise.resolve("No terminal could be made.") });
    fireEvent.click(screen.getByRole("button", { name: "Run again" }));
    expect(await screen.findByText("Started again. No terminal could be made.")).toBeTruthy();
  });

  it("holds every report of a crowd, one row each", () => {
    show(Array.from({ length: 8 }, (_, index) => unit({ command: `job ${index}`, exitCode: index })));
    expect(screen.getByText("8 background processes finished")).toBeTruthy();
    expect(screen.getAllByRole("listitem")).toHaveLength(8);
    expect(screen.getByText("exited 7")).toBeTruthy();
  });

  it("runs again, and says why not when it did not", async () => {
    show([unit({ exitCode: 1 })], { runAgain: () => Promise.reject(new Error("too many processes are running")) });
    fireEvent.click(screen.getByRole("button", { name: "Run again" }));
    expect(await screen.findByText("Not started: too many processes are running")).toBeTruthy();
  });

  it("folds attempts with the last one's outcome", () => {
    const attempt = (seq: number, exitCode: number) => item({ itemId: `attempt-${seq}`, seq, author: "machine", kind: "machine_note", units: [unit({ exitCode })] });
    makeStage().show(<RepeatedNote items={[attempt(1, 1), attempt(2, 1), attempt(3, 0)]} actions={NOTHING} />);
    expect(screen.getByText("3 attempts, the last one exited 0")).toBeTruthy();
    expect(screen.queryAllByRole("listitem")).toHaveLength(0);
    fireEvent.click(screen.getByRole("button", { expanded: false }));
    expect(screen.getAllByRole("listitem").map((row) => row.textContent?.match(/exited \d/)?.[0])).toEqual(["exited 1", "exited 1", "exited 0"]);
  });
});
