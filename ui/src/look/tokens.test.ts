// @vitest-environment node
// The four themes name the same colours, and what is read on them can be read.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const CSS = readFileSync(resolve(import.meta.dirname, "../styles/tokens.css"), "utf8");
const themes = new Map(
  [...CSS.matchAll(/\[data-theme="([\w-]+)"\]\{([^}]*)\}/g)].map(([, name = "", body = ""]) => [
    name,
    new Map([...body.matchAll(/--([\w-]+):(#[0-9A-F]{6})/gi)].map(([, token = "", value = ""]) => [token, value])),
  ]),
);

function light(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(theme: string, front: string, back: string): number {
  const tones = themes.get(theme);
  const [a, b] = [front, back].map((token) => light(tones?.get(token) ?? ""));
  const [high, low] = (a ?? 0) > (b ?? 0) ? [a ?? 0, b ?? 0] : [b ?? 0, a ?? 0];
  return (high + 0.05) / (low + 0.05);
}

const NAMES = ["light", "dark", "hc-light", "hc-dark"];
const SURFACES = ["app", "canvas", "raised", "overlay", "hover"];

describe("the themes", () => {
  it("are four, with the same names", () => {
    expect([...themes.keys()]).toEqual(NAMES);
    for (const name of NAMES) expect([...(themes.get(name)?.keys() ?? [])].sort()).toEqual([...(themes.get("light")?.keys() ?? [])].sort());
  });

  it.each(NAMES)("%s can be read", (name) => {
    const least = name.startsWith("hc") ? 7 : 4.5;
    const text = ["text", "text-2", "text-3", "link", "fail", "done", "live"].flatMap((front) => SURFACES.map((back) => ({ front, back, ratio: ratio(name, front, back) })));
    expect(text.filter((pair) => pair.ratio < least)).toEqual([]);
    expect(ratio(name, "on-ink", "ink")).toBeGreaterThan(least);
    const edges = ["control", "focus"].flatMap((front) => SURFACES.map((back) => ({ front, back, ratio: ratio(name, front, back) })));
    expect(edges.filter((pair) => pair.ratio < 3)).toEqual([]);
  });
});
