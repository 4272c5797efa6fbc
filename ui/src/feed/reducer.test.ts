// @vitest-environment node
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block, Feed, Item } from "../bridge/wire";
import { FakeGateway } from "../bridge/fake/gateway";
import { addPage, apply, lowerBound, placeItem, trim } from "./reducer";
import { EMPTY, type FeedState, type Stretch } from "./state";

const SESSIONS = ["s0", "s1", "s2"];
const PLAIN = { unread: 0, summary: "", reaping: 0, pendingApprovals: 0, runningProcesses: 0, failed: false, queued: [], queuePaused: false, muted: false };

function item(sessionId: string, seq: number, more: Partial<Item> = {}): Item {
  const base = { itemId: `${sessionId}-${seq}`, rev: 1, author: "model", kind: "message", atMs: 0, streaming: false };
  return { ...base, sessionId, seq, ...more };
}

function stretch(...seqs: number[]): Stretch {
  return { items: seqs.map((seq) => item("s0", seq)), atStart: false, atEnd: true };
}

function feed(more: Partial<Feed>): Feed {
  return { epoch: "e", rev: 1, reset: false, changes: [], deltas: [], ...more };
}

function paragraph(text: string): Block {
  return { type: "paragraph", inlines: [{ type: "text", text }] };
}

function gatewayWith(sessions: readonly string[]): FakeGateway {
  const gateway = new FakeGateway();
  for (const sessionId of sessions) {
    gateway.putSession({ ...PLAIN, sessionId, title: sessionId, group: "running", lastAtMs: 0, lastSeq: 0 });
  }
  return gateway;
}

/** A window without a screen: it attaches, reads pages and follows, as the store does. */
class Reader {
  state: FeedState = EMPTY;
  private attachments = 0;
  private past: Feed[] = [];

  constructor(
    private readonly gateway: FakeGateway,
    private readonly name: string,
  ) {}

  async attach(): Promise<void> {
    this.attachments += 1;
    const first = await this.ask(0, "");
    this.state = apply(this.state, { ...first, reset: true });
    this.past = [];
    this.readLists();
  }

  /** Takes the next batch, and perhaps an earlier one once more. */
  async step(again: boolean): Promise<void> {
    const batch = structuredClone(await this.ask(this.state.rev, this.state.epoch ?? ""));
    if (batch.reset) {
      this.state = apply(this.state, batch);
      this.past = [];
      this.readLists();
      return;
    }
    this.state = apply(this.state, batch);
    // What is repeated after a lost answer: rows, never words, which are kept per client.
    const repeated = this.past.at(-1);
    if (again && repeated !== undefined) this.state = apply(this.state, { ...repeated, deltas: [] });
    this.past.push(batch);
    if (this.state.gap) await this.attach();
  }

  private ask(afterRev: number, epoch: string): Promise<Feed> {
    return this.gateway.nextFeed({ afterRev, epoch, waitMs: 0, clientId: `${this.name}-${this.attachments}` });
  }

  private readLists(): void {
    const changes = [
      ...[...this.gateway.sessions.values()].map((session) => ({ type: "session", session }) as const),
      ...[...this.gateway.processes.values()].map((process) => ({ type: "process", process }) as const),
    ];
    this.state = apply(this.state, { ...feed({ changes }), epoch: this.state.epoch ?? "", rev: this.state.rev });
    for (const sessionId of SESSIONS) {
      const items = this.gateway.listItems({ sessionId, limit: 1000 });
      this.state = addPage(this.state, sessionId, { items, atStart: true, atEnd: true }, "whole");
    }
  }
}

function view(state: FeedState): unknown {
  return {
    sessions: [...state.sessions.values()].toSorted((a, b) => a.sessionId.localeCompare(b.sessionId)),
    processes: [...state.processes.values()].toSorted((a, b) => a.processId.localeCompare(b.processId)),
    items: SESSIONS.map((sessionId) => state.stretches.get(sessionId)?.items ?? []),
    streams: [...state.streams].toSorted(([a], [b]) => a.localeCompare(b)),
  };
}

/** One thing that happens at the gateway or to a reader. */
type Step = readonly [kind: number, session: number, pick: number, reader: number];

function change(gateway: FakeGateway, [kind, session, pick]: Step): void {
  const sessionId = SESSIONS[session % SESSIONS.length] ?? "s0";
  const held = gateway.items.get(sessionId) ?? [];
  const chosen = held[pick % Math.max(1, held.length)];
  const live = held.findLast((row) => row.streaming);
  const base = { sessionId, author: "model", kind: "message", atMs: 0 };
  switch (kind % 10) {
    case 0:
    case 1:
      gateway.putItem({ ...base, itemId: gateway.id("item"), streaming: false, text: `words ${pick}` });
      break;
    case 2: {
      const itemId = gateway.id("item");
      gateway.putItem({ ...base, itemId, streaming: true });
      gateway.stream(itemId, [paragraph("begins")]);
      break;
    }
    case 3:
    case 4:
    case 5:
      if (live !== undefined) said.set(live.itemId, [...(said.get(live.itemId) ?? []).slice(0, pick % 5), paragraph(`${pick}`)]);
      if (live !== undefined) gateway.stream(live.itemId, said.get(live.itemId) ?? []);
      break;
    case 6:
      if (live !== undefined) gateway.putItem({ ...live, streaming: false, text: "done", blocks: [paragraph("done")] });
      break;
    case 7:
      if (chosen !== undefined && pick % 4 === 0) gateway.removeItem(sessionId, chosen.itemId);
      else if (chosen !== undefined && !chosen.streaming) gateway.putItem({ ...chosen, text: `again ${pick}` });
      break;
    case 8:
      gateway.putProcess({ ...PROCESS, processId: `p${pick % 7}`, sessionId, state: pick % 2 === 0 ? "running" : "exited" });
      break;
    default:
      if (pick % 40 === 0) gateway.renewEpoch();
      else gateway.patchSession(sessionId, { unread: pick });
  }
}

const said = new Map<string, Block[]>();
const PROCESS = { command: "sleep 1", cwd: "/", startedAtMs: 0, outputBytes: 0, descendants: 0, notify: false, muted: false, pty: false, stdin: false };

describe("a process whose output grows", () => {
  const row = (rev: number, outputBytes: number): Feed => {
    const process = { processId: "p", sessionId: "s0", command: "web", cwd: "/", state: "running", startedAtMs: 0, descendants: 0, notify: true, muted: false, pty: false, stdin: false };
    return feed({ changes: [{ type: "process", process: { ...process, rev, outputBytes } }] });
  };
  const bytes = (...batches: Feed[]) => batches.reduce(apply, EMPTY).processes.get("p")?.outputBytes;

  it("is taken although its revision stands still, and never goes back", () => {
    expect(bytes(row(3, 7), row(3, 14))).toBe(14);
    expect(bytes(row(3, 14), row(3, 7))).toBe(14);
    expect(bytes(row(4, 7), row(3, 14))).toBe(7);
    expect(bytes(row(3, 14), row(4, 7))).toBe(7);
  });
});

describe("convergence", () => {
  it("shows the same in two windows and in a fresh one, however the batches are cut", async () => {
    const step = fc.tuple(fc.nat(9), fc.nat(2), fc.nat(199), fc.nat(5));
    const run = async (steps: readonly Step[]): Promise<void> => {
      said.clear();
      const gateway = gatewayWith(SESSIONS);
      const readers = [new Reader(gateway, "a"), new Reader(gateway, "b")];
      for (const reader of readers) await reader.attach();
      for (const each of steps) {
        change(gateway, each);
        // 0 and 1: that window takes a batch; 2 and 3: it also sees an old one again; otherwise both fall behind.
        if (each[3] < 4) await readers[each[3] % 2]?.step(each[3] > 1);
      }
      const fresh = new Reader(gateway, "fresh");
      await fresh.attach();
      // Twice: a window that had to attach again has then followed too.
      for (let round = 0; round < 2; round += 1) {
        for (const reader of [...readers, fresh]) {
          gateway.patchSession("s0", { unread: round });
          await reader.step(false);
        }
      }
      gateway.patchSession("s0", { unread: 7 });
      for (const reader of [...readers, fresh]) await reader.step(false);
      expect(view(readers[0]?.state ?? EMPTY)).toEqual(view(fresh.state));
      expect(view(readers[1]?.state ?? EMPTY)).toEqual(view(fresh.state));
      expect(fresh.state.stretches.get("s0")?.items.map((row) => row.itemId)).toEqual(
        gateway.items.get("s0")?.map((row) => row.itemId) ?? [],
      );
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 200, maxLength: 200 }), run), { numRuns: 50 });
  }, 60_000);

  it("neither loses nor doubles words when everything is read anew in mid-stream", async () => {
    const gateway = gatewayWith(SESSIONS);
    const reader = new Reader(gateway, "a");
    gateway.putItem({ itemId: "live", sessionId: "s0", author: "model", kind: "message", atMs: 0, streaming: true });
    gateway.stream("live", [paragraph("one")]);
    await reader.attach();
    const two = [paragraph("one"), paragraph("two")];
    gateway.stream("live", two);
    await reader.step(false);
    gateway.renewEpoch();
    await reader.step(false);
    expect(reader.state.streams.get("live")).toEqual(two);
    gateway.putItem({ itemId: "live", sessionId: "s0", author: "model", kind: "message", atMs: 0, streaming: false, text: "one two", blocks: two });
    await reader.step(true);
    expect(reader.state.streams.has("live")).toBe(false);
    expect(reader.state.stretches.get("s0")?.items).toHaveLength(1);
  });
});

describe("rows", () => {
  it("ignores a row that is older than the one it holds", () => {
    const held = placeItem(stretch(1, 2, 3), item("s0", 2, { rev: 5, text: "new" }));
    expect(placeItem(held, item("s0", 2, { rev: 4, text: "old" }))).toBe(held);
  });

  it("keeps the identity of every row that did not change", () => {
    const held = stretch(1, 2, 3);
    const next = placeItem(held, item("s0", 2, { rev: 5 }));
    expect(next.items[0]).toBe(held.items[0]);
    expect(next.items[1]).not.toBe(held.items[1]);
    expect(next.items[2]).toBe(held.items[2]);
  });

  it("does not append to a stretch that is not at the end, nor put before one that has more before it", () => {
    const middle = { ...stretch(5, 6), atEnd: false };
    expect(placeItem(middle, item("s0", 9))).toBe(middle);
    expect(placeItem(middle, item("s0", 2))).toBe(middle);
    expect(placeItem(stretch(5, 7), item("s0", 6)).items.map((row) => row.seq)).toEqual([5, 6, 7]);
  });

  it("never brings a removed item back, not even with a page that was read before", () => {
    const removed = apply(EMPTY, feed({ changes: [{ type: "removed", kind: "item", id: "s0-2" }] }));
    const paged = addPage(removed, "s0", stretch(1, 2, 3), "whole");
    expect(paged.stretches.get("s0")?.items.map((row) => row.seq)).toEqual([1, 3]);
  });

  it("ignores changes of a type it does not know", () => {
    const unknown = JSON.parse('{"type":"weather","weather":{}}') as Feed["changes"][number];
    expect(apply(EMPTY, feed({ changes: [unknown] })).sessions.size).toBe(0);
  });
});

describe("words", () => {
  const delta = (keepBlocks: number, ...words: string[]) => ({ itemId: "s0-1", keepBlocks, blocks: words.map(paragraph) });

  it("keeps words whose row has not come yet", () => {
    const early = apply(EMPTY, feed({ deltas: [delta(0, "a", "b")] }));
    expect(early.streams.get("s0-1")).toHaveLength(2);
    expect(apply(early, feed({ deltas: [delta(1, "c", "d")] })).streams.get("s0-1")).toEqual(["a", "c", "d"].map(paragraph));
  });

  it("lets a whole row win over words that come late", () => {
    const open = addPage(EMPTY, "s0", { items: [item("s0", 1)], atStart: true, atEnd: true }, "whole");
    expect(apply(open, feed({ deltas: [delta(0, "late")] })).streams.size).toBe(0);
  });

  it("asks for a fresh attach when words are missing", () => {
    const live = { items: [item("s0", 1, { streaming: true })], atStart: true, atEnd: true };
    expect(apply(addPage(EMPTY, "s0", live, "whole"), feed({ deltas: [delta(3, "x")] })).gap).toBe(true);
  });

  it("does not grow without end", () => {
    let state = EMPTY;
    for (let n = 0; n < 1000; n += 1) state = apply(state, feed({ deltas: [{ ...delta(0, "x"), itemId: `i${n}` }] }));
    expect(state.streams.size).toBe(256);
  });
});

describe("pages", () => {
  it("joins pages on either side and drops what is far from the view", () => {
    let state = addPage(EMPTY, "s0", { ...stretch(11, 12), atEnd: true }, "whole");
    state = addPage(state, "s0", { ...stretch(9, 10), atEnd: false, atStart: true }, "before");
    expect(state.stretches.get("s0")).toMatchObject({ atStart: true, atEnd: true });
    expect(state.stretches.get("s0")?.items.map((row) => row.seq)).toEqual([9, 10, 11, 12]);
    const top = trim(state, "s0", 2, "start").stretches.get("s0");
    expect(top).toMatchObject({ atStart: true, atEnd: false });
    expect(top?.items.map((row) => row.seq)).toEqual([9, 10]);
    const bottom = trim(state, "s0", 2, "end").stretches.get("s0");
    expect(bottom).toMatchObject({ atStart: false, atEnd: true });
  });

  it("finds places by halves", () => {
    const { items } = stretch(2, 4, 6);
    expect([1, 2, 3, 6, 7].map((seq) => lowerBound(items, seq))).toEqual([0, 0, 1, 2, 3]);
  });
});

describe("what the engine does", () => {
  it("keeps its identity while it is told unchanged, and is forgotten by a reset", () => {
    const engine = { installed: true, starter: true, state: "loading", percent: 7 };
    const first = apply(EMPTY, feed({ engine }));
    expect(apply(first, feed({ engine: { ...engine } })).engine).toBe(first.engine);
    expect(apply(first, feed({})).engine).toBe(first.engine);
    expect(apply(first, feed({ engine: { ...engine, percent: 8 } })).engine?.percent).toBe(8);
    expect(apply(first, feed({ reset: true })).engine).toBeNull();
  });
});
