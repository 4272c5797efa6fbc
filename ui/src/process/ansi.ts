// Terminal output as lines of styled runs. Colours become classes; every other control sequence is dropped, links
// among them: a program's output can paint words, it cannot make them lead anywhere.

/** A run of characters of one look. `look` is a list of class names, empty for plain text. */
export interface Run {
  text: string;
  look: string;
}

/** One line. `number` counts from the first line that was ever fed. */
export interface Line {
  number: number;
  runs: readonly Run[];
}

interface Style {
  foreground: number | null;
  background: number | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

const PLAIN: Style = {
  foreground: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

/** A control sequence that never ends is given up after so many characters. */
const MAX_SEQUENCE = 4096;
/** A line longer than this goes on in the next one, so that no single line grows without end. */
const MAX_LINE = 8192;

type Mode = "text" | "escape" | "csi" | "string" | "string-escape" | "charset";

/** Turns output, fed in any pieces, into lines. */
export class OutputLines {
  readonly #limit: number;
  readonly #block: number;
  #lines: Line[] = [];
  #next = 0;
  #runs: Run[] = [];
  #length = 0;
  #rewind = false;
  #style: Style = PLAIN;
  #look = "";
  #mode: Mode = "text";
  #sequence = "";

  /** Keeps the last `limit` lines. */
  /** Holds `limit` lines, and forgets them in blocks. */
  constructor(limit: number, block = 1) {
    this.#limit = limit;
    this.#block = block;
  }

  /** The lines so far, the unfinished last one included. Settled lines keep their identity. */
  lines(): readonly Line[] {
    if (this.#runs.length === 0) return this.#lines.slice();
    return [...this.#lines, { number: this.#next, runs: this.#runs.map((run) => ({ ...run })) }];
  }

  /** How many lines were dropped at the front. */
  get dropped(): number {
    return this.#next - this.#lines.length;
  }

  /** Takes the next piece of output. */
  feed(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#mode === "text" && !isControl(code)) continue;
      if (this.#mode === "text") this.#print(text.slice(from, at));
      this.#control(code, text.charAt(at));
      from = at + 1;
    }
    if (this.#mode === "text") this.#print(text.slice(from));
  }

  #print(text: string): void {
    if (text === "") return;
    if (this.#rewind) this.#clearLine();
    let rest = text;
    while (this.#length + rest.length > MAX_LINE) {
      const room = MAX_LINE - this.#length;
      this.#append(rest.slice(0, room));
      this.#endLine();
      rest = rest.slice(room);
    }
    this.#append(rest);
  }

  #append(text: string): void {
    if (text === "") return;
    this.#length += text.length;
    const last = this.#runs.at(-1);
    if (last !== undefined && last.look === this.#look) last.text += text;
    else this.#runs.push({ text, look: this.#look });
  }

  #clearLine(): void {
    this.#rewind = false;
    this.#runs = [];
    this.#length = 0;
  }

  #endLine(): void {
    this.#lines.push({ number: this.#next, runs: this.#runs });
    this.#next += 1;
    this.#clearLine();
    // Cutting in larger steps keeps the price of a flood of lines flat.
    if (this.#lines.length >= this.#limit * 2) this.#lines = this.#lines.slice(-this.#limit);
  }

  /** Forgets the blocks that are wholly beyond the limit; called before the lines are read. */
  trim(): void {
    const first = this.#lines[0]?.number ?? 0;
    const last = first + this.#lines.length;
    const kept = Math.floor(Math.max(0, last - this.#limit) / this.#block) * this.#block;
    if (kept > first) this.#lines = this.#lines.slice(kept - first);
  }

  #control(code: number, character: string): void {
    switch (this.#mode) {
      case "text":
        this.#plainControl(code);
        return;
      case "escape":
        this.#afterEscape(character);
        return;
      case "csi":
        this.#collect(code, character);
        return;
      case "charset":
        this.#mode = "text";
        return;
      case "string":
        this.#inString(code);
        return;
      case "string-escape":
        // Only ESC \ ends a string; any other escape begins a new sequence.
        this.#mode = "text";
        if (character !== "\\") this.#afterEscape(character);
        return;
    }
  }

  #plainControl(code: number): void {
    if (code === 0x0a) this.#endLine();
    else if (code === 0x0d) this.#rewind = true;
    else if (code === 0x09) this.#print("\t");
    else if (code === 0x08) this.#backspace();
    else if (code === 0x1b) this.#mode = "escape";
    else if (code === 0x9b) this.#begin("csi");
    else if (code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f) this.#begin("string");
  }

  #begin(mode: Mode): void {
    this.#mode = mode;
    this.#sequence = "";
  }

  #afterEscape(character: string): void {
    if (character === "[") this.#begin("csi");
    else if ("]PX^_".includes(character)) this.#begin("string");
    else if ("()*+-./#% ".includes(character)) this.#mode = "charset";
    else this.#mode = character === "\x1b" ? "escape" : "text";
  }

  #collect(code: number, character: string): void {
    if (code >= 0x40 && code <= 0x7e) {
      this.#mode = "text";
      if (character === "m") this.#restyle(this.#sequence);
      else if (character === "K" && this.#rewind) this.#clearLine();
      return;
    }
    if (code === 0x1b) this.#mode = "escape";
    else if (code === 0x0a) {
      this.#mode = "text";
      this.#endLine();
    } else if (this.#sequence.length >= MAX_SEQUENCE) this.#mode = "text";
    else this.#sequence += character;
  }

  #inString(code: number): void {
    if (code === 0x07 || code === 0x9c) this.#mode = "text";
    else if (code === 0x1b) this.#mode = "string-escape";
    else {
      this.#sequence += " ";
      if (this.#sequence.length >= MAX_SEQUENCE) this.#mode = "text";
    }
  }

  #backspace(): void {
    const last = this.#runs.at(-1);
    if (last === undefined) return;
    last.text = last.text.slice(0, -1);
    this.#length -= 1;
    if (last.text === "") this.#runs.pop();
  }

  #restyle(sequence: string): void {
    this.#style = applySgr(this.#style, sequence);
    this.#look = lookOf(this.#style);
  }
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/** One "select graphic rendition" sequence, applied to a style. */
function applySgr(style: Style, sequence: string): Style {
  if (!/^[\d;:]*$/.test(sequence)) return style;
  const fields = sequence.split(";");
  let next = style;
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    // With colons a colour carries its own arguments: nothing after it belongs to it.
    if (field.includes(":")) continue;
    const code = field === "" ? 0 : Number(field);
    if (code === 38 || code === 48) {
      const palette = fields[at + 1] === "5" ? Number(fields[at + 2]) : Number.NaN;
      if (palette < 16) next = { ...next, [code === 38 ? "foreground" : "background"]: palette };
      at += fields[at + 1] === "2" ? 4 : 2;
    } else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 39:
      return { ...style, foreground: null };
    case 49:
      return { ...style, background: null };
    default:
      return style;
  }
}

function lookOf(style: Style): string {
  const names = [
    style.foreground === null ? "" : `ansi-${style.foreground}`,
    style.background === null ? "" : `ansi-on-${style.background}`,
    style.bold ? "ansi-bold" : "",
    style.dim ? "ansi-dim" : "",
    style.italic ? "ansi-italic" : "",
    style.underline ? "ansi-underline" : "",
    style.inverse ? "ansi-inverse" : "",
  ];
  return names.filter(Boolean).join(" ");
}
