// @vitest-environment node
// What each folder may know of the others, and what no file may do.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../src");
const FILES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes(".test."))
  .map((path) => ({ path, room: path.split("/")[0] ?? "", text: readFileSync(join(ROOT, path), "utf8") }));

/** Rooms that may be used by each room; a room that is not named may use every one but `views`. */
const MAY_USE: Record<string, readonly string[]> = {
  bridge: ["bridge"],
  l10n: ["l10n"],
  shared: ["shared", "l10n"],
  feed: ["feed", "bridge", "shared"],
};

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(ROOT, resolve(ROOT, dirname(path), match[1] ?? "")),
  );
}

describe("walls", () => {
  it("finds the source", () => {
    expect(FILES.length).toBeGreaterThan(30);
  });

  it.each(FILES.filter((file) => file.room in MAY_USE))("$path uses only what its room may", ({ path, room, text }) => {
    const used = importsOf(path, text).map((target) => target.split("/")[0] ?? "");
    expect(used.filter((target) => !MAY_USE[room]?.includes(target))).toEqual([]);
  });

  it("lets nothing but the entry use the views", () => {
    const users = FILES.filter(({ path, room, text }) => room !== "views" && importsOf(path, text).some((target) => target.startsWith("views/")));
    expect(users.map(({ path }) => path)).toEqual(["main.tsx"]);
  });

  it("lets only the bridge talk to Tauri", () => {
    const users = FILES.filter(({ text }) => /from "@tauri-apps\//.test(text)).map(({ room }) => room);
    expect(new Set(users)).toEqual(new Set(["bridge"]));
  });

  it("never turns words into markup or code", () => {
    const forbidden = /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/;
    expect(FILES.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("gives way to no doubt of its types", () => {
    const forbidden = /\bas any\b|: any\b|@ts-ignore|@ts-expect-error/;
    expect(FILES.filter(({ path, text }) => path !== "bridge/bindings.ts" && forbidden.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
