import { describe, expect, it } from "vitest";
import type { ReadOutputReply } from "../bridge/wire";
import { OutputPump, type Sink } from "./pump";

const PORTIONS = { first: 100, step: 10, behind: 40, jump: 10 };

/** A process of which `total` bytes were written, and everything that the pump did with it. */
const stage = () => {
  const said: string[] = [];
  const state = { total: 0, frames: 0, rests: 0, perFrame: 0, most: 0 };
  const read = (from: number | null, max: number): Promise<ReadOutputReply> => {
    state.perFrame += 1;
    state.most = Math.max(state.most, state.perFrame);
    const start = from ?? Math.max(0, state.total - max);
    const next = Math.min(state.total, start + max);
    said.push(`read ${start}-${next}`);
    return Promise.resolve({ from: start, next, total: state.total, base64: "" });
  };
  const sink: Sink = {
    begin: (before) => said.push(`begin ${before}`),
    take: (_reply, old) => void said.push(old ? "old" : "new"),
    gap: (bytes, kept) => said.push(`gap ${bytes} ${kept}`),
    show: (total, trouble) => said.push(`show ${total}${trouble === null ? "" : ` ${trouble}`}`),
  };
  const frame = (jumped: boolean): Promise<void> => {
    state.frames += 1;
    if (jumped) state.rests += 1;
    state.perFrame = 0;
    return Promise.resolve();
  };
  return { pump: new OutputPump(read, sink, PORTIONS, frame), said, state };
};

describe("the pump", () => {
  it("takes the end of what was written before, then each step in a frame of its own", async () => {
    const { pump, said, state } = stage();
    state.total = 250;
    await pump.advance(250);
    expect(said).toEqual(["read 150-250", "begin 150", "old", "show 250"]);
    state.perFrame = 0;
    state.total = 275;
    await pump.advance(275);
    expect(said.filter((words) => words.startsWith("read")).slice(1)).toEqual(["read 250-260", "read 260-270", "read 270-275"]);
    expect(said.at(-2)).toBe("new");
    expect(state).toMatchObject({ frames: 2, most: 1 });
  });

  it("jumps to the end when it is far behind, and rests after each jump", async () => {
    const { pump, said, state } = stage();
    await pump.advance(0);
    state.total = 1000;
    // More was written since it was told: a jump goes to what is the end now.
    await pump.advance(900);
    expect(said.slice(-4)).toEqual(["read 990-1000", "gap 990 true", "new", "show 1000"]);
    expect(state.rests).toBe(1);
    state.total = 1025;
    await pump.advance(1025);
    expect(state).toMatchObject({ rests: 1, frames: 3 });
  });

  it("reads nothing while it is paused, and knows where it stands", async () => {
    const { pump, said, state } = stage();
    await pump.advance(0);
    const before = said.length;
    pump.pause();
    state.total = 30;
    await pump.advance(30);
    expect(said.length).toBe(before);
    expect(pump.place).toBe(0);
    await pump.resume();
    expect(said.at(-1)).toBe("show 30");
    expect(pump.place).toBe(30);
  });

  it("waits until a stretch is taken", async () => {
    let done = (): void => undefined;
    const reads: number[] = [];
    const pump = new OutputPump(
      (from) => {
        reads.push(from ?? -1);
        return Promise.resolve({ from: from ?? 0, next: (from ?? 0) + 10, total: 30 });
      },
      { begin: () => undefined, take: () => new Promise((taken) => (done = taken)), gap: () => undefined, show: () => undefined },
      PORTIONS,
      () => Promise.resolve(),
    );
    const running = pump.advance(30);
    await Promise.resolve();
    await Promise.resolve();
    expect(reads).toEqual([-1]);
    pump.close();
    done();
    await running;
    expect(reads).toEqual([-1]);
  });
});
