// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Card, Item, Settings } from "../bridge/wire";
import { card, everythingVisible, item, makeStage, session } from "../testing/stage";
import { ItemView } from "./ItemView";
import { stepsWith } from "./turnSteps";

beforeEach(everythingVisible);
afterEach(cleanup);

let turns = 0;
const AT = new Date(2031, 4, 6, 14, 1).getTime();
const call = (seq: number, turnId: string, more: Partial<Card> = {}): Item =>
  item({ itemId: `${turnId}-${seq}`, seq, turnId, author: "tool", kind: "tool_call", card: card({ id: `${seq}`, title: `command ${seq}`, startedAtMs: AT + seq * 1000, endedAtMs: AT + seq * 1000 + 500, output: `out ${seq}`, ...more }) });
const see = (density: string, make: (turnId: string) => Item[], isAtWork = false) => {
  turns += 1;
  const items = make(`density-${turns}`);
  const stage = makeStage();
  const set = (next: string) => {
    act(() => stage.store.setup.take({ look: { theme: "system", contrast: "system", density: next, motion: "system" } } as Settings));
  };
  set(density);
  if (isAtWork) stage.feed({ sessions: new Map([["s", session({ runningTurnId: `density-${turns}` })]]) });
  stage.feed({ stretches: new Map([["s", { items, atStart: true, atEnd: true }]]) });
  const shown = stage.show(items.map((one) => <ItemView key={one.itemId} item={one} />));
  return { ...shown, set };
};
const groups = () => screen.getAllByRole("group").map((group) => group.getAttribute("aria-label"));

describe("density", () => {
  it("verbose opens every card, and leaves a card closed that a person closed", () => {
    const { set } = see("verbose", (turn) => [call(1, turn), call(2, turn), item({ itemId: `${turn}-r`, seq: 3, turnId: turn, kind: "reasoning", text: "hm" })]);
    expect(["out 1", "out 2", "hm"].map((words) => screen.queryByText(words) !== null)).toEqual([true, true, true]);
    fireEvent.click(within(screen.getByRole("group", { name: "Ran command 1" })).getByRole("button", { expanded: true }));
    set("normal");
    expect(screen.queryByText("out 2")).toBeNull();
    set("verbose");
    expect(screen.queryByText("out 1")).toBeNull();
    expect(screen.getByText("out 2")).toBeTruthy();
  });

  it("summary is one row for a turn, in its first step's place, with how long it took", () => {
    const { container } = see("summary", (turn) => [
      call(1, turn),
      item({ itemId: `${turn}-words`, seq: 2, turnId: turn, text: "between" }),
      call(3, turn),
      call(64, turn, { status: "error", exitCode: 1 }),
    ]);
    expect(groups()).toEqual(["3 steps"]);
    expect(screen.getByRole("group").textContent).toBe("3 stepsRan 3 commands1 failed1\u00a0m 3\u00a0s");
    expect(container.querySelector('[data-glyph="failed"]')).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { expanded: false }));
    expect(groups()).toEqual(["3 steps", "Ran command 1", "Ran command 3", "Ran command 64"]);
  });

  it("summary keeps apart what waits for a person, another turn, and a person's own command", () => {
    see("summary", (turn) => [
      call(1, turn),
      call(2, turn),
      call(3, turn, { status: "pending", annotation: "needs_input" }),
      call(4, `${turn}-next`),
      item({ itemId: `${turn}-own`, seq: 5, turnId: turn, author: "human", kind: "tool_call", text: "!ls", card: card({ id: "own", title: "ls" }) }),
    ]);
    expect(groups()).toEqual(["2 steps", "Asks to run command 3", "Ran command 4", "Ran ls"]);
  });

  it("summary says what runs now", () => {
    const { container } = see("summary", (turn) => [call(1, turn), call(2, turn, { status: "in_progress", endedAtMs: null })]);
    expect(screen.getByText("command 2")).toBeTruthy();
    expect(container.querySelector('[data-glyph="running"]')).not.toBeNull();
  });

  it.each<[Partial<Card>, string]>([
    [{ annotation: "cancelled" }, "2 stepsRan 2 commandsstopped"],
    [{ annotation: "denied", status: "error" }, "2 stepsRan 1 commanddenied"],
  ])("summary says of a turn that ended with %o that it did not go well", (more, words) => {
    const { container } = see("summary", (turn) => [call(1, turn), call(2, turn, more)]);
    expect(screen.getByRole("group").textContent).toContain(words);
    expect(container.querySelector('[data-glyph="stopped"]')).not.toBeNull();
    expect(container.querySelector('[data-glyph="complete"]')).toBeNull();
  });

  it("summary goes by how a turn ended, not by what was stopped on its way", () => {
    const { container } = see("summary", (turn) => [call(1, turn, { annotation: "denied" }), call(2, turn)]);
    expect(screen.getByRole("group").textContent).toContain("2 stepsRan 1 command");
    expect(container.querySelector('[data-glyph="complete"]')).not.toBeNull();
  });

  it("summary says of a turn between two calls that it runs, and its time goes on", () => {
    const { container } = see("summary", (turn) => [call(1, turn), call(2, turn)], true);
    expect(container.querySelector('[data-glyph="running"]')).not.toBeNull();
    expect(screen.getByRole("group").textContent).not.toMatch(/1\.5\u00a0s$/);
  });

  it("normal folds nothing", () => {
    see("normal", (turn) => [call(1, turn), call(2, turn)]);
    expect(groups()).toEqual(["Ran command 1", "Ran command 2"]);
  });

  it("folds by list: the same list gives the same steps", () => {
    const items = [call(1, "a"), call(2, "a")];
    expect(stepsWith(items, items[0] as Item)).toBe(stepsWith(items, items[1] as Item));
  });
});
