import { describe, expect, it } from "vitest";
import type { Card, Item } from "../bridge/wire";
import type { Density } from "../look/look";
import { card, item, unit } from "../testing/stage";
import { countAfter, rowsOf } from "./rows";

const call = (seq: number, more: Partial<Card> = {}): Item => item({ seq, author: "tool", kind: "tool_call", card: card({ id: `${seq}`, ...more }) });
const question = (seq: number, cardId: string, state: string): Item => item({ seq, author: "system", kind: "approval", approvalId: `a${seq}`, cardId, state });
const step = (seq: number): Item => item({ seq, kind: "plan", card: card({ id: `${seq}`, status: "pending" }) });
const note = (seq: number): Item => item({ seq, author: "machine", kind: "machine_note", units: [unit({})] });
const hidden = (seq: number): Item => item({ seq, kind: "hidden" });

const drawn = (items: Item[], density: Density = "normal") => rowsOf(items, density).flatMap((row) => (row.drawn ? row.item.seq : []));
const after = (seq: number, items: Item[], density: Density = "normal") => countAfter(rowsOf(items, density), seq);

describe("what has a row of its own", () => {
  it.each<[string, Item[], number[]]>([
    ["nothing that is hidden", [item({ seq: 1 }), hidden(2), item({ seq: 3, author: "human", kind: "hidden" })], [1]],
    ["a plan, in the place of its first step", [step(1), step(2), item({ seq: 3 }), step(4)], [1, 3]],
    ["a note that was tried again, in the last one's place", [note(1), item({ seq: 2 }), note(3)], [2, 3]],
    ["an open question, for its call", [call(1, { status: "pending", annotation: "needs_input" }), question(2, "item-1", "pending")], [2]],
    ["a call, for its answered question", [call(1), question(2, "item-1", "allowed")], [1]],
    ["a question whose call is not held", [question(2, "item-1", "allowed")], [2]],
  ])("%s", (_what, items, seqs) => {
    expect(drawn(items)).toEqual(seqs);
  });

  it("the steps of a turn each, and one of them where the density asks for it", () => {
    const items = [call(1), item({ seq: 2, kind: "reasoning", text: "hm" }), call(3), item({ seq: 4 })];
    expect(drawn(items)).toEqual([1, 2, 3, 4]);
    expect(drawn(items, "summary")).toEqual([1, 4]);
  });

  it("and tool rows that stand together are joined, whatever hides between them", () => {
    const items = [call(1), hidden(2), call(3), item({ seq: 4 }), call(5)];
    expect(rowsOf(items, "normal").map((row) => row.joined)).toEqual([false, false, true, false, false]);
  });
});

describe("what is new", () => {
  it("is counted as it is seen: by rows", () => {
    const seen = [item({ seq: 1 }), step(2), note(3)];
    const came = [step(4), step(5), note(6), call(7), question(8, "item-7", "allowed"), hidden(9), item({ seq: 10 })];
    expect(after(3, [...seen, ...came])).toBe(3);
    expect(after(3, [...seen, step(4), hidden(5)])).toBe(0);
  });

  it("is one row for the steps of a turn where the density asks for it, and none where that row was seen", () => {
    const items = [call(1), call(2), call(3)];
    expect(after(0, items, "summary")).toBe(1);
    expect(after(1, items, "summary")).toBe(0);
    expect(after(1, items)).toBe(2);
  });
});
