// A process's output as lines, for those that run without a terminal.
import type { ReadOutputReply } from "../bridge/wire";
import { type Line, OutputLines } from "./ansi";
import { nextFrame, OutputPump, type Portions, type Read, type Sink } from "./pump";

/** The view holds so many lines, and up to a block more. */
export const MAX_LINES = 5000;

/** Lines are drawn in blocks of this many. They also go in whole blocks: the first one is not drawn anew with every line. */
export const BLOCK = 100;

/** A step is about fifty lines of the usual length, a little more than can be in sight: so many are laid out in a frame. */
const PORTIONS = { first: 262_144, step: 4096, behind: 65_536 };
/** Of short lines a step is so many: laying out a line costs the same, whatever stands in it. */
const STEP_LINES = 50;

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

/** Follows one process's output. */
export class OutputReader {
  readonly #show: (view: OutputView) => void;
  readonly #output = new OutputLines(MAX_LINES, BLOCK);
  readonly #pump: OutputPump;
  #step = PORTIONS.step;
  #before = 0;
  #gaps: { at: number; bytes: number; kept: boolean }[] = [];

  constructor(read: Read, show: (view: OutputView) => void, frame: (jumped: boolean) => Promise<void> = nextFrame) {
    this.#show = show;
    const sink: Sink = {
      begin: (before) => {
        this.#before = before;
      },
      take: (reply: ReadOutputReply) => {
        this.#output.feed(reply.text ?? "");
        this.#step = stepAfter(reply);
      },
      gap: (bytes, kept) => this.#gap(bytes, kept),
      show: (total, trouble) => this.#publish(total, trouble),
    };
    this.#pump = new OutputPump(read, sink, this.#portions(), frame);
  }

  /** There are `total` bytes now; reads what is missing. */
  advance(total: number): Promise<void> {
    return this.#pump.advance(total);
  }

  /** Nothing is shown any more, whatever still arrives. */
  close(): void {
    this.#pump.close();
  }

  /** Who is behind by more lines than the view holds would not see the first of them anyway. */
  #portions(): Portions {
    const step = (): number => this.#step;
    return {
      first: PORTIONS.first,
      get step() {
        return step();
      },
      get behind() {
        return Math.min(PORTIONS.behind, (step() / STEP_LINES) * MAX_LINES);
      },
      get jump() {
        return step();
      },
    };
  }

  #gap(bytes: number, kept: boolean): void {
    this.#output.feed("\x18\n");
    const at = this.#output.lines().at(-1)?.number ?? -1;
    this.#gaps = [...this.#gaps, { at, bytes, kept }];
  }

  #publish(total: number, trouble: string | null): void {
    this.#output.trim();
    const lines = this.#output.lines();
    const first = lines[0]?.number ?? 0;
    this.#gaps = this.#gaps.filter((gap) => gap.at >= first);
    this.#show({ lines, before: this.#before, gaps: this.#gaps, total, trouble });
  }
}

/** The next step, if the lines go on as they were. */
function stepAfter({ from, next, text }: ReadOutputReply): number {
  const lines = (text ?? "").split("\n").length - 1;
  return lines === 0 ? PORTIONS.step : Math.min(PORTIONS.step, Math.ceil(((next - from) / lines) * STEP_LINES));
}
