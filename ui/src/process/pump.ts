// Reads a process's output by byte offset. It asks only when the feed says that there is more: while nothing is written,
// nothing is asked. It reads at most once a frame, and no more than can be shown: who is far behind jumps to the end, and
// is told what was left out. Between two jumps it rests: nobody reads what comes by, and the window has other work.
import type { ReadOutputReply } from "../bridge/wire";

/** How much is read. */
export interface Portions {
  /** The end of what was written before. */
  readonly first: number;
  /** In one frame. */
  readonly step: number;
  /** Whoever is further behind than this jumps. */
  readonly behind: number;
  /** After a jump. */
  readonly jump: number;
}

/** Reads so many bytes from there on; the last ones without a place. */
export type Read = (from: number | null, max: number) => Promise<ReadOutputReply>;

/** Where it goes. */
export interface Sink {
  /** So many bytes were written before the first that is taken. */
  begin(before: number): void;
  /** The next stretch; the pump waits until it is taken. `old` says that it was written before anybody looked. */
  take(reply: ReadOutputReply, old: boolean): Promise<void> | void;
  /** Here bytes are missing: left out by us, or no longer kept by the gateway. */
  gap(bytes: number, kept: boolean): void;
  /** What stands can be shown. */
  show(total: number, trouble: string | null): void;
}

/** Between two jumps to the end. */
const REST_MS = 150;

/** Waits for the next frame that is drawn, after a jump for one a little later. A hidden window has none, so nothing is read for it. */
export const nextFrame = (jumped: boolean): Promise<void> =>
  new Promise((done) => {
    const frame = () => requestAnimationFrame(() => done());
    if (jumped) setTimeout(frame, REST_MS);
    else frame();
  });

/** Follows one process's output. */
export class OutputPump {
  readonly #read: Read;
  readonly #sink: Sink;
  readonly #portions: Portions;
  readonly #frame: (jumped: boolean) => Promise<void>;
  #next: number | null = null;
  #known = 0;
  #looked = 0;
  #busy = false;
  #paused = false;
  #closed = false;
  #jumped = false;

  constructor(read: Read, sink: Sink, portions: Portions, frame: (jumped: boolean) => Promise<void> = nextFrame) {
    this.#read = read;
    this.#sink = sink;
    this.#portions = portions;
    this.#frame = frame;
  }

  /** There are `total` bytes now; reads what is missing. */
  async advance(total: number): Promise<void> {
    this.#known = Math.max(this.#known, total);
    if (this.#busy || this.#closed || this.#paused) return;
    this.#busy = true;
    try {
      while (this.#wantsMore() && (await this.#step())) if (this.#jumped || this.#wantsMore()) await this.#frame(this.#jumped);
    } finally {
      this.#busy = false;
    }
  }

  /** Reads nothing until it is told to go on. */
  pause(): void {
    this.#paused = true;
  }

  /** Goes on where it stopped. */
  resume(): Promise<void> {
    this.#paused = false;
    return this.advance(this.#known);
  }

  /** Up to where it has read. */
  get place(): number {
    return this.#next ?? 0;
  }

  /** Nothing is taken any more, whatever still arrives. */
  close(): void {
    this.#closed = true;
  }

  #wantsMore(): boolean {
    return !this.#closed && !this.#paused && (this.#next === null || this.#next < this.#known);
  }

  async #step(): Promise<boolean> {
    const { first, step, behind, jump } = this.#portions;
    this.#jumped = this.#next !== null && this.#known - this.#next > behind;
    // A jump goes to the end as it is when the gateway reads, not as it was told.
    const wanted = this.#jumped ? null : this.#next;
    let reply: ReadOutputReply;
    try {
      reply = await this.#read(wanted, this.#jumped ? jump : wanted === null ? first : step);
    } catch (reason) {
      if (!this.#closed) this.#sink.show(this.#known, reason instanceof Error ? reason.message : String(reason));
      return false;
    }
    if (this.#closed) return false;
    await this.#take(reply);
    if (!this.#closed) this.#sink.show(this.#known, null);
    // A reply without progress would be asked for again and again.
    return reply.next > reply.from;
  }

  async #take(reply: ReadOutputReply): Promise<void> {
    if (this.#next === null) {
      this.#looked = reply.total;
      this.#sink.begin(reply.from);
    } else if (reply.from > this.#next) this.#sink.gap(reply.from - this.#next, this.#jumped);
    this.#next = Math.max(reply.next, this.#next ?? 0);
    this.#known = Math.max(this.#known, reply.total);
    await this.#sink.take(reply, reply.from < this.#looked);
  }
}
