import { describe, expect, it } from "vitest";
import type { Item } from "../bridge/wire";
import { item, unit } from "../testing/stage";
import { attemptsOf, uneventful } from "./fold";

const note = (seq: number, more: Parameters<typeof unit>[0] = {}): Item =>
  item({ seq, author: "machine", kind: "machine_note", units: [unit(more)] });
/** For every item in its place: the attempts that are shown there; nothing where it is folded into a later one. */
const shape = (items: Item[]) =>
  items.map((one) => {
    const attempts = attemptsOf(items, one);
    return attempts.at(-1) === one ? attempts.map((attempt) => attempt.seq) : [];
  });

describe("repeats", () => {
  it("of one command by one turn fold into the last one's place", () => {
    const words = item({ seq: 2 });
    expect(shape([note(1, { exitCode: 1 }), words, note(3)])).toEqual([[], [2], [1, 3]]);
  });

  it("of another command or another turn stay apart", () => {
    expect(shape([note(1), note(2, { command: "npm run lint" }), note(3, { turnId: "other" })])).toEqual([[1], [2], [3]]);
  });

  it("do not fold across what a person said", () => {
    expect(shape([note(1), item({ seq: 2, author: "human" }), note(3)])).toEqual([[1], [2], [3]]);
  });

  it("never swallow a note with several reports, a watch hit, or a note without a turn", () => {
    const many = item({ seq: 2, author: "machine", kind: "machine_note", units: [unit({}), unit({})] });
    expect(shape([note(1), many, note(3, { producer: "watch" }), note(4, { turnId: null })])).toEqual([[1], [2], [3], [4]]);
  });

  it("of one process's signs of life fold, and never into its end", () => {
    const beat = (seq: number, processId = "p") => note(seq, { producer: "heartbeat", processId, state: "running" });
    expect(shape([beat(1), beat(2), beat(3, "other"), note(4)])).toEqual([[], [1, 2], [3], [4]]);
  });

  it("lose nothing, in any order", () => {
    const items = Array.from({ length: 40 }, (_, index) => note(index + 1, { command: `c${(index * 7) % 5}` }));
    expect(shape(items).flat().sort((a, b) => Number(a) - Number(b))).toEqual(items.map((one) => one.seq));
  });
});

it("only a note in which everything exited with 0, or goes on, arrives closed", () => {
  expect(uneventful([unit({}), unit({})])).toBe(true);
  expect(uneventful([unit({}), unit({ exitCode: 1 })])).toBe(false);
  expect(uneventful([unit({ state: "killed", exitCode: null })])).toBe(false);
  expect(uneventful([unit({ exitCode: null, signal: "SIGSEGV" })])).toBe(false);
  expect(uneventful([unit({ producer: "watch", news: "hit" })])).toBe(false);
  expect(uneventful([unit({ producer: "watch", news: "paused" })])).toBe(false);
  expect(uneventful([unit({ producer: "watch", news: "resumed" })])).toBe(true);
  expect(uneventful([unit({ producer: "heartbeat", state: "running" })])).toBe(true);
  expect(uneventful([unit({ producer: "heartbeat", state: "running" }), unit({ exitCode: 1 })])).toBe(false);
  expect(uneventful([])).toBe(false);
});
