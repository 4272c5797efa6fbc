// Which keys do what: the one table that the window listens by, the palette and the map show, and a test walks through.
import { IS_MAC } from "../shared/keyboard";

/** One way to press something. `mod` is Ctrl, or Cmd on a Mac. */
export interface Press {
  readonly mod?: boolean;
  readonly shift?: boolean;
  readonly alt?: boolean;
  /** `KeyboardEvent.key`, lower case. */
  readonly key: string;
}

/** Everything that the window itself does on a key. */
export const KEYS = {
  palette: [{ mod: true, key: "k" }, { mod: true, shift: true, key: "p" }],
  findHere: [{ mod: true, key: "f" }],
  find: [{ mod: true, shift: true, key: "f" }],
  newSession: [{ mod: true, key: "n" }],
  nextNeeded: [{ mod: true, shift: true, key: "u" }],
  sidebar: [{ mod: true, key: "b" }],
  rail: [{ mod: true, key: "j" }],
  processes: [{ mod: true, shift: true, key: "j" }],
  density: [{ mod: true, key: "o" }],
  settings: [{ mod: true, key: "," }],
  keyMap: [{ key: "?" }, { shift: true, key: "?" }],
  panes: [{ key: "f6" }, { shift: true, key: "f6" }],
  stop: [{ key: "escape" }],
} as const satisfies Record<string, readonly Press[]>;

/** The name of one of them. */
export type KeyName = keyof typeof KEYS;

const NAMES = Object.keys(KEYS) as KeyName[];
const WORDS: Readonly<Record<string, string>> = { escape: "Esc", f6: "F6" };

/** What an event asks for. */
export function keyName(event: KeyboardEvent): KeyName | null {
  return NAMES.find((name) => KEYS[name].some((press) => fits(event, press))) ?? null;
}

/** A digit with the main modifier: the session at that place, counted from 0. */
export function placeOf(event: KeyboardEvent): number | null {
  return /^[1-9]$/.test(event.key) && fits(event, { mod: true, key: event.key }) ? Number(event.key) - 1 : null;
}

/** How a press is written: "Ctrl Shift U". */
export function shown(press: Press): string {
  const key = WORDS[press.key] ?? press.key.toUpperCase();
  return [press.mod ? (IS_MAC ? "Cmd" : "Ctrl") : "", press.alt ? "Alt" : "", press.shift && press.key !== "?" ? "Shift" : "", key].filter(Boolean).join(" ");
}

/** The first way to press it, written out. */
export function keyHint(name: KeyName): string {
  return shown(KEYS[name][0]);
}

function fits(event: KeyboardEvent, press: Press): boolean {
  const main = IS_MAC ? event.metaKey : event.ctrlKey;
  const other = IS_MAC ? event.ctrlKey : event.metaKey;
  return (
    event.key.toLowerCase() === press.key &&
    main === (press.mod ?? false) &&
    !other &&
    event.shiftKey === (press.shift ?? false) &&
    event.altKey === (press.alt ?? false)
  );
}
