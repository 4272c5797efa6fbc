import { describe, expect, it } from "vitest";
import { IS_MAC } from "../shared/keyboard";
import { keyHint, keyName, KEYS, placeOf, shown, type KeyName, type Press } from "./keys";

const TABLE = (Object.keys(KEYS) as KeyName[]).flatMap((name) => KEYS[name].map((press: Press) => ({ name, press, words: shown(press) })));

function pressed({ mod = false, shift = false, alt = false, key }: Press, more: KeyboardEventInit = {}): KeyboardEvent {
  const main = IS_MAC ? { metaKey: mod } : { ctrlKey: mod };
  return new KeyboardEvent("keydown", { key, shiftKey: shift, altKey: alt, ...main, ...more });
}

describe("the keys of the window", () => {
  it.each(TABLE)("$words asks for $name", ({ name, press }) => {
    expect(keyName(pressed(press))).toBe(name);
    // Caps Lock and Shift send the upper case letter.
    expect(keyName(pressed({ ...press, key: press.key.length === 1 ? press.key.toUpperCase() : press.key }))).toBe(name);
  });

  it("has no press that two of them claim", () => {
    const all = TABLE.map(({ press }) => JSON.stringify([press.mod ?? false, press.shift ?? false, press.alt ?? false, press.key]));
    expect(all.filter((press, at) => all.indexOf(press) !== at)).toEqual([]);
  });

  it.each(TABLE)("$words with AltGr, or with the other main modifier, is a sign or somebody else's", ({ press }) => {
    expect(keyName(pressed(press, { ctrlKey: true, altKey: true }))).toBe(null);
    expect(keyName(pressed(press, { ctrlKey: true, metaKey: true }))).toBe(null);
    expect(keyName(pressed({ ...press, alt: true }))).toBe(null);
  });

  it.each(TABLE.filter(({ press }) => press.mod))("$words without its modifier writes", ({ press }) => {
    expect(keyName(pressed({ ...press, mod: false }))).toBe(null);
  });

  it("takes a digit with the main modifier as a place, and nothing else", () => {
    expect(placeOf(pressed({ mod: true, key: "1" }))).toBe(0);
    expect(placeOf(pressed({ mod: true, key: "9" }))).toBe(8);
    expect(placeOf(pressed({ mod: true, key: "0" }))).toBe(null);
    expect(placeOf(pressed({ key: "1" }))).toBe(null);
    expect(placeOf(pressed({ mod: true, alt: true, key: "1" }))).toBe(null);
    expect(placeOf(pressed({ mod: true, key: "a" }))).toBe(null);
  });

  it("writes a press as a person says it", () => {
    expect(keyHint("nextNeeded")).toBe(`${IS_MAC ? "Cmd" : "Ctrl"} Shift U`);
    expect(keyHint("keyMap")).toBe("?");
    expect(keyHint("stop")).toBe("Esc");
  });
});
