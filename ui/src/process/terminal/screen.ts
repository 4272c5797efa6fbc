// One terminal: the library behind a few words of ours. Bytes go in, what a person does comes out.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { findAll, textOf } from "./find";
import type { Place } from "./lines";
import { hiddenLinks, writtenLinks } from "./links";
import { ignoreOldQuestions } from "./replay";
import { openStrictly } from "./strict";
import { looksNow, onLooks } from "./theme";

/** Lines that are held above the screen. */
const SCROLLBACK = 5000;
const FONT_PX = 12;
/** Rows of 18 px: the face is 16 px high at 12 px. */
const LINE = 1.125;
/** Aborts a control sequence that was cut off. */
const ABORT = "\u0018\u001b[m";

/** What a person does in it. */
export interface ScreenHooks {
  onInput(data: string): void;
  onSize(rows: number, columns: number): void;
  /** Whether the end is in sight. */
  onEnd(atEnd: boolean): void;
  onLink(url: string): void;
  /** Whether a key is the window's own, before the program gets it. */
  isOurs(event: KeyboardEvent): boolean;
}

/** How it starts. */
export interface ScreenOptions {
  readonly label: string;
  readonly readOnly: boolean;
  readonly reader: boolean;
}

/** See the file's head. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #ends: (() => void)[] = [];
  #old = false;
  #found: { words: string; places: Place[]; at: number } = { words: "", places: [], at: -1 };

  constructor(parent: HTMLElement, options: ScreenOptions, hooks: ScreenHooks) {
    const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono").trim();
    const ask = (url: string): void => hooks.onLink(url);
    const terminal = new Terminal({
      fontFamily: mono,
      fontSize: FONT_PX,
      fontWeight: 450,
      fontWeightBold: 650,
      lineHeight: LINE,
      scrollback: SCROLLBACK,
      cursorBlink: false,
      cursorInactiveStyle: "outline",
      altClickMovesCursor: false,
      drawBoldTextInBrightColors: false,
      linkHandler: hiddenLinks(ask),
      disableStdin: options.readOnly,
      screenReaderMode: options.reader,
      ...looksNow(),
    });
    this.#terminal = terminal;
    terminal.loadAddon(this.#fit);
    ignoreOldQuestions(terminal, () => this.#old);
    this.#ends.push(openStrictly(terminal, parent));
    terminal.textarea?.setAttribute("aria-label", options.label);
    terminal.registerLinkProvider(writtenLinks(terminal, ask));
    terminal.attachCustomKeyEventHandler((event) => !hooks.isOurs(event));
    terminal.onData((data) => hooks.onInput(data));
    terminal.onResize(({ rows, cols }) => hooks.onSize(rows, cols));
    terminal.onRender(() => hooks.onEnd(this.atEnd));
    this.#ends.push(onLooks((looks) => Object.assign(terminal.options, looks)));
  }

  /** Draws bytes; done when they are parsed. Questions in `old` ones are not answered. */
  write(bytes: Uint8Array, old: boolean): Promise<void> {
    return new Promise((done) => {
      this.#old = old;
      this.#terminal.write(bytes, done);
    });
  }

  /** Says where bytes are missing; a program that draws the whole screen draws it anew by itself. */
  gap(words: string): void {
    const plain = this.#terminal.buffer.active.type === "normal";
    this.#terminal.write(plain ? `${ABORT}\r\n\u001b[2m[${words}]\u001b[m\r\n` : ABORT);
  }

  /** Takes the size of its place. */
  fit(): void {
    const size = this.#fit.proposeDimensions();
    if (size === undefined || Number.isNaN(size.cols) || Number.isNaN(size.rows)) return;
    this.#terminal.resize(Math.max(20, size.cols), Math.max(4, size.rows));
  }

  get size(): { readonly rows: number; readonly cols: number } {
    return { rows: this.#terminal.rows, cols: this.#terminal.cols };
  }

  get atEnd(): boolean {
    const { viewportY, baseY } = this.#terminal.buffer.active;
    return viewportY >= baseY;
  }

  /** Whether the program draws the whole screen. */
  get whole(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  get selection(): string {
    return this.#terminal.getSelection();
  }

  get text(): string {
    return textOf(this.#terminal.buffer.active);
  }

  focus(): void {
    this.#terminal.focus();
  }

  toEnd(): void {
    this.#terminal.scrollToBottom();
  }

  readOnly(readOnly: boolean): void {
    this.#terminal.options.disableStdin = readOnly;
  }

  reader(reader: boolean): void {
    this.#terminal.options.screenReaderMode = reader;
  }

  /** Goes to the next place of the words, the newest first; a step of 0 looks anew. */
  find(words: string, step: 1 | 0 | -1): { readonly at: number; readonly count: number } {
    const held = this.#found;
    const places = step === 0 || held.words !== words ? findAll(this.#terminal.buffer.active, words, this.#terminal.cols) : held.places;
    const at = step === 0 || held.at < 0 ? places.length - 1 : (held.at - step + places.length) % Math.max(1, places.length);
    this.#found = { words, places, at };
    const place = places[at];
    if (place === undefined) this.#terminal.clearSelection();
    else this.#show(place);
    return { at: place === undefined ? 0 : places.length - at, count: places.length };
  }

  /** What was found is marked no more. */
  endFind(): void {
    this.#found = { words: "", places: [], at: -1 };
    this.#terminal.clearSelection();
  }

  dispose(): void {
    this.#terminal.dispose();
    for (const end of this.#ends) end();
  }

  #show({ row, column, length }: Place): void {
    this.#terminal.select(column, row, length);
    const { viewportY } = this.#terminal.buffer.active;
    if (row < viewportY || row >= viewportY + this.#terminal.rows) this.#terminal.scrollToLine(Math.max(0, row - Math.floor(this.#terminal.rows / 2)));
  }
}
