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
  runAgain: () => Promise.resolve(),
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
