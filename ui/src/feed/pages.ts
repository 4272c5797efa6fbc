// The pages of the transcripts: where each was left, which stretch of it is held, and how a window comes to another place
// in it. One page at a time per transcript, and of several jumps only the last.
import { asCallError, type Bridge, type CallError } from "../bridge/bridge";
import type { Change } from "../bridge/wire";
import { addPage, apply, lowerBound, trim } from "./reducer";
import type { FeedState, Stretch } from "./state";

/** Where a transcript is read: at its end, or with `seq` standing `offset` pixels above the view's top. */
export type Reading = { readonly atEnd: true } | { readonly atEnd: false; readonly seq: number; readonly offset: number };

/** Items per page. */
const PAGE = 200;
/** Items of one transcript that are held around the view. */
const HELD = 1000;
/** Transcripts that stay held after another was opened. */
const STRETCHES = 4;
const NO_NEWS = { reset: false, changes: [], deltas: [] };

/** How a page joins what is held. */
type Place = "before" | "after" | "whole";

/** What the pages are put into: the store. */
interface Shelf {
  state: FeedState;
  readonly selection: { readonly sessionId: string | null };
  readonly publish: () => void;
}

/** See the file's head. One per window, beside the store. */
export class Pages {
  /** Errors of reading transcripts, by session. */
  errors: ReadonlyMap<string, CallError> = new Map();
  private readonly readings = new Map<string, Reading>();
  private readonly ends = new Map<string, number>();
  /** Pages that are being read. */
  private readonly paging = new Map<string, Promise<void>>();
  /** The last jump within a transcript that was asked for and is not made yet. */
  private readonly jumps = new Map<string, symbol>();
  /** How a whole stretch that could not be read is tried again. */
  private readonly failed = new Map<string, () => Promise<void>>();
  /** Items that changed while a page was being read: the page may show them as they were before. */
  private meanwhile: Change[] = [];
  private recent: string[] = [];
  /** Counts how often everything was read anew: a page that was asked for before is dropped. */
  private renewals = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly shelf: Shelf,
  ) {}

  /** How a transcript was left. */
  reading(sessionId: string): Reading {
    return this.readings.get(sessionId) ?? { atEnd: true };
  }

  /** Remembers how a transcript is read, so that coming back finds the same place. */
  setReading(sessionId: string, reading: Reading): void {
    this.readings.set(sessionId, reading);
  }

  /** The newest item when the end of a transcript was last seen. */
  seen(sessionId: string): number | undefined {
    return this.ends.get(sessionId);
  }

  /** Remembers that the end of a transcript is seen. */
  setSeen(sessionId: string, lastSeq: number): void {
    this.ends.set(sessionId, lastSeq);
  }

  /** The stretch where a transcript was left. */
  async read(sessionId: string): Promise<Stretch> {
    const reading = this.reading(sessionId);
    if (reading.atEnd) {
      const { items } = await this.bridge.call("list_items", { sessionId, limit: PAGE, blocks: true });
      return { items, atStart: items.length < PAGE, atEnd: true };
    }
    return this.readAround(sessionId, reading.seq);
  }

  /** Everything was read anew, and of the transcripts only the open one is held. */
  renew(open: string | null): void {
    this.errors = new Map();
    this.failed.clear();
    this.recent = open === null ? [] : [open];
    this.renewals += 1;
  }

  /** Hears what changes in the gateway. */
  hear(changes: readonly Change[]): void {
    if (this.paging.size > 0) this.meanwhile.push(...changes.filter((change) => change.type === "item"));
  }

  /** Lets go of what grew too long since `before`. */
  cut(state: FeedState, before: FeedState): FeedState {
    let cut = state;
    for (const [sessionId, stretch] of state.stretches) {
      // Checked with slack, so that a busy transcript is not cut at every item.
      if (stretch === before.stretches.get(sessionId) || stretch.items.length <= HELD + PAGE) continue;
      cut = trim(cut, sessionId, HELD, this.reading(sessionId).atEnd ? "end" : "start");
    }
    return cut;
  }

  /** The open session's row may come after it was opened, and its page may have been dropped on the way. */
  holdOpen(): void {
    const { sessionId } = this.shelf.selection;
    if (sessionId === null || this.paging.has(sessionId) || this.errors.has(sessionId)) return;
    void this.ensure(sessionId);
  }

  /** Makes sure that a transcript is held, where it was last read. */
  async ensure(sessionId: string): Promise<void> {
    this.recent = [sessionId, ...this.recent.filter((id) => id !== sessionId)].slice(0, STRETCHES);
    const { stretches, sessions } = this.shelf.state;
    if (stretches.has(sessionId) || !sessions.has(sessionId)) return;
    await this.page(sessionId, "whole", () => this.read(sessionId));
  }

  /** Loads the page before the held stretch. */
  async loadBefore(sessionId: string): Promise<void> {
    const stretch = this.shelf.state.stretches.get(sessionId);
    const beforeSeq = stretch?.items[0]?.seq;
    if (stretch === undefined || stretch.atStart || beforeSeq === undefined || this.waits(sessionId)) return;
    await this.page(sessionId, "before", async () => {
      const { items } = await this.bridge.call("list_items", { sessionId, beforeSeq, limit: PAGE, blocks: true });
      return { items, atStart: items.length < PAGE, atEnd: false };
    });
  }

  /** Loads the page after the held stretch. */
  async loadAfter(sessionId: string): Promise<void> {
    const stretch = this.shelf.state.stretches.get(sessionId);
    const afterSeq = stretch?.items.at(-1)?.seq;
    if (stretch === undefined || stretch.atEnd || afterSeq === undefined || this.waits(sessionId)) return;
    await this.page(sessionId, "after", async () => {
      const { items } = await this.bridge.call("list_items", { sessionId, afterSeq, limit: PAGE, blocks: true });
      return { items, atStart: false, atEnd: items.length < PAGE };
    });
  }

  /** Holds the stretch around a place instead; `onHeld` hears, before it is shown, which item stands there. */
  async jumpTo(sessionId: string, seq: number, onHeld: (seq: number) => void): Promise<void> {
    await this.jump(sessionId, async (isWanted) => {
      const held = this.shelf.state.stretches.get(sessionId);
      if (held !== undefined && isWithin(held, seq)) {
        onHeld(seqAt(held, seq));
        this.shelf.publish();
        return;
      }
      await this.page(sessionId, "whole", async () => {
        const stretch = await this.readAround(sessionId, seq);
        if (isWanted()) onHeld(seqAt(stretch, seq));
        return stretch;
      });
    });
  }

  /** Holds the newest items instead. */
  async jumpToEnd(sessionId: string): Promise<void> {
    await this.jump(sessionId, async () => {
      this.setReading(sessionId, { atEnd: true });
      if (this.shelf.state.stretches.get(sessionId)?.atEnd === true) return;
      await this.page(sessionId, "whole", () => this.read(sessionId));
    });
  }

  /** Tries a transcript again that could not be read. */
  readonly readAgain = (sessionId: string): void => {
    const again = this.failed.get(sessionId);
    this.setError(sessionId, null);
    this.shelf.publish();
    void again?.();
    this.holdOpen();
  };

  /** Whether no further page is read by itself: one failed, which is said, or another place was asked for. */
  private waits(sessionId: string): boolean {
    return this.errors.has(sessionId) || this.jumps.has(sessionId);
  }

  /** Goes once the page that is being read is there. Of several jumps that wait, only the last is made. */
  private async jump(sessionId: string, go: (isWanted: () => boolean) => Promise<void>): Promise<void> {
    const wish = Symbol(sessionId);
    const isWanted = (): boolean => this.jumps.get(sessionId) === wish;
    this.jumps.set(sessionId, wish);
    for (let page = this.paging.get(sessionId); page !== undefined; page = this.paging.get(sessionId)) await page;
    if (!isWanted()) return;
    const { renewals } = this;
    await go(isWanted);
    if (!isWanted()) return;
    this.jumps.delete(sessionId);
    // Everything was read anew on the way, and what this brought was dropped.
    if (this.renewals !== renewals) await this.jump(sessionId, go);
  }

  private async readAround(sessionId: string, seq: number): Promise<Stretch> {
    const [earlier, later] = await Promise.all([
      this.bridge.call("list_items", { sessionId, beforeSeq: seq, limit: PAGE / 2, blocks: true }),
      this.bridge.call("list_items", { sessionId, afterSeq: seq - 1, limit: PAGE, blocks: true }),
    ]);
    return {
      items: [...earlier.items, ...later.items],
      atStart: earlier.items.length < PAGE / 2,
      atEnd: later.items.length < PAGE,
    };
  }

  private async page(sessionId: string, place: Place, read: () => Promise<Stretch>): Promise<void> {
    if (this.paging.has(sessionId)) return;
    const reading = this.readInto(sessionId, place, read);
    this.paging.set(sessionId, reading);
    await reading;
  }

  private async readInto(sessionId: string, place: Place, read: () => Promise<Stretch>): Promise<void> {
    const { renewals, shelf } = this;
    try {
      const page = await read();
      if (this.renewals !== renewals) return;
      const joined = addPage(shelf.state, sessionId, page, place);
      const state = apply(joined, { ...NO_NEWS, epoch: joined.epoch ?? "", rev: joined.rev, changes: this.meanwhile });
      shelf.state = this.forget(trim(state, sessionId, HELD, place === "before" ? "start" : "end"));
      this.setError(sessionId, null);
    } catch (reason) {
      if (this.renewals !== renewals) return;
      this.setError(sessionId, asCallError(reason));
      if (place === "whole") this.failed.set(sessionId, () => this.page(sessionId, place, read));
    } finally {
      this.paging.delete(sessionId);
      if (this.paging.size === 0) this.meanwhile = [];
      shelf.publish();
      this.holdOpen();
    }
  }

  private forget(state: FeedState): FeedState {
    const stretches = new Map([...state.stretches].filter(([id]) => this.recent.includes(id)));
    return stretches.size === state.stretches.size ? state : { ...state, stretches };
  }

  private setError(sessionId: string, error: CallError | null): void {
    if (error === null && !this.errors.has(sessionId)) return;
    this.failed.delete(sessionId);
    const errors = new Map(this.errors);
    if (error === null) errors.delete(sessionId);
    else errors.set(sessionId, error);
    this.errors = errors;
  }
}

function isWithin(stretch: Stretch, seq: number): boolean {
  const first = stretch.items[0]?.seq ?? Infinity;
  const last = stretch.items.at(-1)?.seq ?? -Infinity;
  return seq >= first && seq <= last;
}

/** The first item at or after a place: sequence numbers may have gaps. */
function seqAt(stretch: Stretch, seq: number): number {
  return stretch.items[lowerBound(stretch.items, seq)]?.seq ?? stretch.items.at(-1)?.seq ?? seq;
}
