// @vitest-environment jsdom
import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Item } from "../bridge/wire";
import type { Stretch } from "../feed/state";
import { item } from "../testing/stage";
import { useUnreadLine } from "./unread";

afterEach(cleanup);

const model = (seq: number) => item({ seq });
const human = (seq: number) => item({ seq, author: "human" });
const hidden = (seq: number) => item({ seq, kind: "hidden" });
const whole = (...items: Item[]): Stretch => ({ items, atStart: true, atEnd: true });
const part = (...items: Item[]): Stretch => ({ items, atStart: false, atEnd: true });

const open = (stretch: Stretch, unread: number) => {
  const first = { stretch, lastSeq: stretch.items.at(-1)?.seq ?? 0, unread };
  const { result, rerender } = renderHook((given: typeof first) => useUnreadLine(given.stretch, given.lastSeq, given.unread), { initialProps: first });
  return { line: () => result.current, goOn: (next: Partial<typeof first>) => rerender({ ...first, ...next }) };
};

describe("the line above what is new", () => {
  it("stands above the first that the gateway counts: neither a person's words nor what is hidden", () => {
    expect(open(whole(model(1), model(2), human(3), hidden(4), model(5), human(6)), 2).line()).toEqual({ seq: 2, count: 2 });
  });

  it("stays, with its number, while more is said", () => {
    const { line, goOn } = open(whole(model(1), model(2)), 1);
    goOn({ stretch: whole(model(1), model(2), human(3), model(4)), lastSeq: 4, unread: 0 });
    expect(line()).toEqual({ seq: 2, count: 1 });
    goOn({ stretch: whole(model(1), model(2), human(3), model(4), model(5)), lastSeq: 5, unread: 1 });
    expect(line()).toEqual({ seq: 2, count: 1 });
  });

  it("waits for the pages that hold its place", () => {
    const { line, goOn } = open(part(model(4), model(5)), 3);
    expect(line()).toBeNull();
    goOn({ stretch: part(model(2), model(3), model(4), model(5), model(6)), lastSeq: 6, unread: 4 });
    expect(line()).toEqual({ seq: 3, count: 3 });
  });

  it("waits for the end, too: what was found may stand far above it", () => {
    const middle: Stretch = { items: [model(1), model(2)], atStart: true, atEnd: false };
    const { result, rerender } = renderHook((stretch: Stretch) => useUnreadLine(stretch, 4, 1), { initialProps: middle });
    expect(result.current).toBeNull();
    rerender(whole(model(1), model(2), model(3), human(4)));
    expect(result.current).toEqual({ seq: 3, count: 1 });
  });

  it("is not there where nothing was read before, or nothing is new", () => {
    expect(open(whole(model(1), model(2)), 2).line()).toBeNull();
    expect(open(whole(model(1), model(2)), 0).line()).toBeNull();
  });
});
