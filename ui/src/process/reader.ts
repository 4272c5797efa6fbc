// Reads a process's output by byte offset. It asks only when the feed says that there is more: while nothing is
// written, nothing is asked.
import type { ReadOutputReply } from "../bridge/wire";
import { type Line, OutputLines } from "./ansi";

/** The view holds so many lines. */
export const MAX_LINES = 5000;
/** So much is read at once. */
const CHUNK = 262_144;
/** Somebody who is further behind than this does not read it all: the view jumps, and says what it left out. */
const MAX_BEHIND = 1_048_576;

/** What stands in the view. */
export interface OutputView {
  lines: readonly Line[];
  /** Bytes before the first line that are kept by the gateway but not shown here. */
  before: number;
  /** Bytes that are gone: `at` is the number of the line after which they are missing. */
  gaps: readonly { at: number; bytes: number; kept: boolean }[];
  /** Bytes written so far. */
  total: number;
  trouble: string | null;
}

/** Nothing was read yet. */
export const EMPTY_VIEW: OutputView = { lines: [], before: 0, gaps: [], total: 0, trouble: null };

type Read = (from: number | null, max: number) => Promise<ReadOutputReply>;

/** Follows one process's output. */
export class OutputReader {
  readonly #read: Read;
  readonly #show: (view: OutputView) => void;
  readonly #output = new OutputLines(MAX_LINES);
  #next: number | null = null;
  #known = 0;
  #busy = false;
  #closed = false;
  #before = 0;
  #gaps: { at: number; bytes: number; kept: boolean }[] = [];

  constructor(read: Read, show: (view: OutputView) => void) {
    this.#read = read;
    this.#show = show;
  }

  /** There are `total` bytes now; reads what is missing. */
  async advance(total: number): Promise<void> {
    this.#known = Math.max(this.#known, total);
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (!this.#closed && (this.#next === null || this.#next < this.#known)) {
        if (!(await this.#step())) break;
      }
    } finally {
      this.#busy = false;
    }
  }

  /** Nothing is shown any more, whatever still arrives. */
  close(): void {
    this.#closed = true;
  }

  async #step(): Promise<boolean> {
    const wanted = this.#wanted();
    let reply: ReadOutputReply;
    try {
      reply = await this.#read(wanted, CHUNK);
    } catch (reason) {
      if (!this.#closed) this.#publish(reason instanceof Error ? reason.message : String(reason));
      return false;
    }
    if (this.#closed) return false;
    this.#take(wanted, reply);
    this.#publish(null);
    // A reply without progress would be asked for again and again.
    return reply.next > reply.from;
  }

  #wanted(): number | null {
    if (this.#next === null || this.#known - this.#next <= MAX_BEHIND) return this.#next;
    const skipped = this.#known - CHUNK - this.#next;
    this.#gap(skipped, true);
    return this.#next + skipped;
  }

  #take(wanted: number | null, reply: ReadOutputReply): void {
    if (wanted === null) this.#before = reply.from;
    else if (reply.from > wanted) this.#gap(reply.from - wanted, false);
    this.#output.feed(reply.text ?? "");
    this.#next = Math.max(reply.next, wanted ?? 0);
    this.#known = Math.max(this.#known, reply.total);
  }

  #gap(bytes: number, kept: boolean): void {
    this.#output.feed("\x18\n");
    const at = this.#output.lines().at(-1)?.number ?? -1;
    this.#gaps = [...this.#gaps, { at, bytes, kept }];
  }

  #publish(trouble: string | null): void {
    this.#output.trim();
    const lines = this.#output.lines();
    const first = lines[0]?.number ?? 0;
    this.#gaps = this.#gaps.filter((gap) => gap.at >= first);
    this.#show({ lines, before: this.#before, gaps: this.#gaps, total: this.#known, trouble });
  }
}
