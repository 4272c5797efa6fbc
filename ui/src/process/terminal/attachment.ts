// A terminal and the process behind it: output comes by offset, keys go as input, the size follows the window. Letting go
// of it ends nothing but the view.
import type { Bridge } from "../../bridge/bridge";
import type { Process, ReadOutputReply } from "../../bridge/wire";
import { OutputPump, type Portions } from "../pump";
import { Screen, type ScreenOptions } from "./screen";
import { Typing } from "./typing";

/** A step is many screens, and parsed and drawn in well under a frame. */
const PORTIONS = { first: 262_144, step: 16_384, behind: 131_072 };
/** A screen of the usual size that is full. */
const SCREEN = 4096;
/** After a jump so many screens are drawn, if their lines go on as they were. */
const SCREENS = 2;
const NEWLINE = 10;
/** While a window is being resized, the program is told once it rests. */
const REST_MS = 120;

/** What a view is told. */
export interface AttachmentHooks {
  onFollowing(following: boolean): void;
  /** Shown and written bytes, and why reading failed. */
  onOutput(shown: number, total: number, trouble: string | null): void;
  onLink(url: string): void;
  onTrouble(reason: unknown): void;
  isOurs(event: KeyboardEvent): boolean;
  /** What stands where bytes are missing. */
  gapWords(bytes: number, kept: boolean): string;
}

/** See the file's head. */
export class Attachment {
  readonly screen: Screen;
  readonly #pump: OutputPump;
  readonly #observer: ResizeObserver;
  readonly #bridge: Bridge;
  readonly #processId: string;
  #living: boolean;
  #hidden = 0;
  #atEnd = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #told = "";
  #jump = SCREEN;

  constructor(parent: HTMLElement, bridge: Bridge, process: Process, options: ScreenOptions, hooks: AttachmentHooks) {
    const { processId } = process;
    this.#bridge = bridge;
    this.#processId = processId;
    this.#living = !options.readOnly;
    const typing = new Typing((data) => bridge.call("write_input", { processId, data }), hooks.onTrouble);
    this.screen = new Screen(parent, options, {
      onInput: (data) => {
        hooks.onFollowing(true);
        typing.push(data);
      },
      onSize: () => this.#sizeLater(),
      onEnd: (atEnd) => {
        // Only a change tells a wish: who paused at the end stays paused.
        if (atEnd === this.#atEnd) return;
        this.#atEnd = atEnd;
        hooks.onFollowing(atEnd);
      },
      onLink: hooks.onLink,
      isOurs: hooks.isOurs,
    });
    this.#pump = new OutputPump(
      (from, max) => bridge.call("read_output", { processId, from, max, raw: true }),
      {
        begin: (before) => {
          this.#hidden = before;
        },
        take: (reply, old) => {
          const bytes = bytesOf(reply);
          this.#jump = jumpAfter(bytes, this.screen.size.rows);
          return this.screen.write(bytes, old);
        },
        gap: (bytes, kept) => {
          this.#hidden += bytes;
          this.screen.gap(hooks.gapWords(bytes, kept));
        },
        show: (total, trouble) => hooks.onOutput(total - this.#hidden, total, trouble),
      },
      this.#portions(),
    );
    this.#observer = new ResizeObserver(() => this.screen.fit());
    this.#observer.observe(parent);
    this.screen.fit();
    this.#sizeLater();
  }

  /** There are `total` bytes now. */
  advance(total: number): void {
    void this.#pump.advance(total);
  }

  /** Reads on at the end, or stands still. */
  follow(following: boolean): void {
    if (!following) return this.#pump.pause();
    this.screen.toEnd();
    void this.#pump.resume();
  }

  /** Up to where it has read. */
  get place(): number {
    return this.#pump.place;
  }

  /** Whether the process still reads what is typed. */
  living(living: boolean): void {
    this.#living = living;
    this.screen.readOnly(!living);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    this.#pump.close();
    this.screen.dispose();
  }

  #portions(): Portions {
    const jump = (): number => this.#jump;
    return {
      ...PORTIONS,
      get jump() {
        return jump();
      },
    };
  }

  #sizeLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tellSize(), REST_MS);
  }

  #tellSize(): void {
    const { rows, cols } = this.screen.size;
    const size = `${rows} ${cols}`;
    if (!this.#living || size === this.#told) return;
    this.#told = size;
    // A process that has just ended has no size; it says so by its row.
    this.#bridge.call("resize_process", { processId: this.#processId, rows, cols }).catch(() => undefined);
  }
}

/** Each line costs the same, whatever stands in it, and only the last ones stay in sight. */
function jumpAfter(bytes: Uint8Array, rows: number): number {
  const lines = bytes.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0);
  return lines === 0 ? SCREEN : Math.min(SCREEN, Math.ceil((bytes.length / lines) * rows * SCREENS));
}

function bytesOf({ base64 }: ReadOutputReply): Uint8Array {
  const binary = atob(base64 ?? "");
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
