import { describe, expect, it } from "vitest";
import type { ReadOutputReply } from "../bridge/wire";
import { EMPTY_VIEW, OutputReader, type OutputView } from "./reader";

/** A process that has written `written`, of which only what follows `kept` is still there. */
const follow = (process: { written: string; kept?: number }) => {
  const asked: (number | null)[] = [];
  let view: OutputView = EMPTY_VIEW;
  const read = (wanted: number | null, max: number): Promise<ReadOutputReply> => {
    asked.push(wanted);
    const total = process.written.length;
    const from = Math.max(wanted ?? total - max, process.kept ?? 0, 0);
    const text = process.written.slice(from, from + max);
    return Promise.resolve({ from, next: from + text.length, total, text });
  };
  const reader = new OutputReader(
    read,
    (next) => {
      view = next;
    },
    () => Promise.resolve(),
  );
  return { reader, asked, view: () => view, words: () => view.lines.map((line) => line.runs.map((run) => run.text).join("")) };
};

describe("following output", () => {
  it("reads on from where it stopped, and asks nothing while nothing is written", async () => {
    const process = { written: "one\ntwo\n" };
    const { reader, asked, words } = follow(process);
    await reader.advance(8);
    process.written += "three\n";
    await reader.advance(14);
    await reader.advance(14);
    expect(words()).toEqual(["one", "two", "three"]);
    expect(asked).toEqual([null, 8]);
  });

  it("takes no more than fifty lines in one frame, however short they are", async () => {
    const process = { written: "y\n".repeat(1000) };
    const { reader, view } = follow(process);
    await reader.advance(2000);
    const seen = [1000];
    process.written += "y\n".repeat(4500);
    const done = reader.advance(11_000);
    for (let last = -1; last < 5499; await Promise.resolve()) {
      last = view().lines.at(-1)?.number ?? -1;
      if (last + 1 !== seen.at(-1)) seen.push(last + 1);
    }
    await done;
    expect(Math.max(...seen.slice(1).map((count, at) => count - (seen[at] ?? 0)))).toBeLessThanOrEqual(50);
    expect(view().gaps).toEqual([]);
  });

  it("joins a line that came in two pieces", async () => {
    const process = { written: "half" };
    const { reader, words } = follow(process);
    await reader.advance(4);
    process.written += " whole\n";
    await reader.advance(11);
    expect(words()).toEqual(["half whole"]);
  });

  it("says how much is kept before what it shows", async () => {
    const { reader, view } = follow({ written: "x".repeat(400_000) });
    await reader.advance(400_000);
    expect(view()).toMatchObject({ before: 400_000 - 262_144, total: 400_000 });
  });

  it("says where output is gone", async () => {
    const process = { written: "before\n", kept: 0 };
    const { reader, view, words } = follow(process);
    await reader.advance(7);
    process.written += `${"lost\n".repeat(20)}after\n`;
    process.kept = process.written.length - 6;
    await reader.advance(process.written.length);
    expect(words()[0]).toBe("before");
    expect(words().at(-1)).toBe("after");
    expect(view().gaps).toEqual([{ at: 1, bytes: 100, kept: false }]);
  });

  it("jumps when it is far behind, and says what it left out", async () => {
    const process = { written: `${"x".repeat(99)}\n` };
    const { reader, view, asked } = follow(process);
    await reader.advance(100);
    process.written += `${"x".repeat(999)}\n`.repeat(3000);
    await reader.advance(process.written.length);
    expect(asked).toEqual([null, null]);
    expect(view().gaps).toMatchObject([{ bytes: 3_000_000 - 4096, kept: true }]);
  });

  it("tells why it cannot read, and goes on when there is news", async () => {
    let fails = true;
    let view: OutputView = EMPTY_VIEW;
    const reader = new OutputReader(
      () => (fails ? Promise.reject(new Error("the store is busy")) : Promise.resolve({ from: 0, next: 3, total: 3, text: "ok\n" })),
      (next) => {
        view = next;
      },
    );
    await reader.advance(3);
    expect(view.trouble).toBe("the store is busy");
    fails = false;
    await reader.advance(3);
    expect(view).toMatchObject({ trouble: null, total: 3 });
    expect(view.lines).toHaveLength(1);
  });

  it("shows nothing any more once it is closed", async () => {
    const { reader, view } = follow({ written: "late\n" });
    const reading = reader.advance(5);
    reader.close();
    await reading;
    expect(view()).toBe(EMPTY_VIEW);
  });
});
