// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Card } from "../bridge/wire";
import { card, item, makeStage, process } from "../testing/stage";
import { TaskCard } from "./TaskCard";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

let turns = 0;
/** A turn of its own for every test: what was opened by hand is remembered for the life of the window. */
const show = (...cards: Card[]) => {
  turns += 1;
  const turnId = `turn-${turns}`;
  const opened: string[] = [];
  const view = (shown: Card[]) => (
    <>
      {shown.map((one, index) => (
        <TaskCard key={one.id} item={item({ seq: index + 1, turnId, author: "tool", kind: "tool_call" })} card={one} onOpenProcess={(id) => opened.push(id)} />
      ))}
    </>
  );
  const shown = makeStage().show(view(cards));
  return { ...shown, opened, update: (...next: Card[]) => shown.rerender(view(next)) };
};
const row = () => screen.getByRole("button", { expanded: false });

describe("a task card", () => {
  it.each<[Partial<Card>, string, string]>([
    [{ status: "pending" }, "Will run npm test", "pending"],
    [{ status: "in_progress", endedAtMs: null }, "Running npm test", "running"],
    [{ status: "in_progress", endedAtMs: null, background: true }, "Started npm test", "running"],
    [{ status: "complete" }, "Ran npm test", "complete"],
    [{ status: "complete", background: true }, "Started npm test", "complete"],
    [{ status: "error", exitCode: 1 }, "Ran npm test", "failed"],
    [{ status: "in_progress", annotation: "needs_input" }, "Asks to run npm test", "needs"],
    [{ status: "complete", annotation: "cancelled" }, "Cancelled npm test", "stopped"],
    [{ status: "error", annotation: "denied" }, "Not run npm test", "stopped"],
    [{ tool: "process", title: "wait 0192" }, "Waited for 0192", "complete"],
    [{ tool: "process", title: "log 0192", status: "in_progress", endedAtMs: null }, "Looking at 0192", "running"],
    [{ tool: "process", title: "kill 0192" }, "Stopped 0192", "complete"],
    [{ tool: "process", title: "list" }, "Listed its processes", "complete"],
    [{ tool: "no_such_tool", title: "no_such_tool", status: "error" }, "Used no_such_tool", "failed"],
  ])("%o says %s with its own outline", (more, words, glyph) => {
    const { container } = show(card(more));
    expect(screen.getByRole("group", { name: words })).toBeTruthy();
    expect(container.querySelector(`[data-glyph="${glyph}"]`)).not.toBeNull();
  });

  it("is closed until it is opened, and shows the size of what it shows", () => {
    show(card({ output: "x".repeat(2048), outputBytes: 428_032 }));
    expect(screen.queryByText(/Showing/)).toBeNull();
    fireEvent.click(row());
    expect(screen.getByText("Showing 2 KB of 418 KB")).toBeTruthy();
  });

  it("opens itself on an error", () => {
    const { update } = show(card({ status: "in_progress", endedAtMs: null }));
    expect(screen.queryByText("boom")).toBeNull();
    update(card({ status: "error", exitCode: 1, output: "boom", outputBytes: 4 }));
    expect(screen.getByText("boom")).toBeTruthy();
    expect(screen.getByText("exited 1")).toBeTruthy();
  });

  it("stays closed once a person closed it, whatever happens later", () => {
    const { update } = show(card({ status: "in_progress", endedAtMs: null }));
    fireEvent.click(row());
    fireEvent.click(screen.getByRole("button", { expanded: true }));
    update(card({ status: "error", exitCode: 1, output: "boom", outputBytes: 4 }));
    expect(screen.queryByText("boom")).toBeNull();
  });

  it("stays closed when it is taken down and comes back", () => {
    const { update } = show(card({ status: "error", output: "boom", outputBytes: 4 }));
    fireEvent.click(screen.getByRole("button", { expanded: true }));
    update();
    update(card({ status: "error", output: "boom", outputBytes: 4 }));
    expect(screen.queryByText("boom")).toBeNull();
  });

  it("is known by its call: parallel calls of one tool do not mix", () => {
    const first = card({ id: "call-1", title: "echo A", output: "out A", outputBytes: 5 });
    const second = card({ id: "call-2", title: "echo B", output: "out B", outputBytes: 5, status: "error", exitCode: 2 });
    show(first, second);
    const [a, b] = screen.getAllByRole("group") as [HTMLElement, HTMLElement];
    expect(within(a).queryByText("out A")).toBeNull();
    expect(within(b).getByText("out B")).toBeTruthy();
    expect(within(b).getByText("exited 2")).toBeTruthy();
    fireEvent.click(within(a).getByRole("button", { expanded: false }));
    expect(within(a).getByText("out A")).toBeTruthy();
    expect(within(b).getByText("out B")).toBeTruthy();
  });

  it("counts its seconds while it runs, and no longer", () => {
    vi.useFakeTimers();
    const startedAtMs = new Date(2031, 4, 6, 14, 1).getTime();
    vi.setSystemTime(startedAtMs);
    const { update } = show(card({ status: "in_progress", startedAtMs, endedAtMs: null }));
    act(() => void vi.advanceTimersByTime(3000));
    expect(screen.getByText("3 s")).toBeTruthy();
    update(card({ status: "complete", startedAtMs, endedAtMs: startedAtMs + 4200 }));
    expect(screen.getByText("4.2 s")).toBeTruthy();
    act(() => void vi.advanceTimersByTime(60_000));
    expect(screen.getByText("4.2 s")).toBeTruthy();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("names a process by its command, where that is known", () => {
    const stage = makeStage();
    stage.feed({ processes: new Map([["p", process({ command: "npm run dev" })]]) });
    stage.show(<TaskCard item={item({})} card={card({ tool: "process", title: "wait p", processId: "p" })} onOpenProcess={() => undefined} />);
    expect(screen.getByRole("group", { name: "Waited for npm run dev" })).toBeTruthy();
  });

  it("counts the lines that matched where its process was started, and not on a look at it", () => {
    const stage = makeStage();
    const started = <TaskCard item={item({ seq: 1 })} card={card({ id: "c1", processId: "p" })} onOpenProcess={() => undefined} />;
    const looked = <TaskCard item={item({ seq: 2 })} card={card({ id: "c2", tool: "process", title: "wait p", processId: "p" })} onOpenProcess={() => undefined} />;
    stage.show(
      <>
        {started}
        {looked}
      </>,
    );
    expect(screen.queryByText(/match/)).toBeNull();
    stage.feed({ processes: new Map([["p", process({ matches: 1 })]]) });
    expect(screen.getAllByText("1 match")).toHaveLength(1);
    stage.feed({ processes: new Map([["p", process({ matches: 1_240 })]]) });
    expect(screen.getAllByText("1,240 matches")).toHaveLength(1);
  });

  it("leads to its process", () => {
    const { opened } = show(card({ processId: "p-7", background: true }));
    fireEvent.click(row());
    fireEvent.click(screen.getByRole("button", { name: "Open process" }));
    expect(opened).toEqual(["p-7"]);
  });
});
