// @vitest-environment node
// Every text that is asked for exists, and every text that exists is asked for.
import { FluentBundle, FluentResource } from "@fluent/bundle";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../src");
const SOURCE = readdirSync(join(ROOT, "l10n/en"))
  .map((name) => readFileSync(join(ROOT, "l10n/en", name), "utf8"))
  .join("\n");
const FILES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes(".test."))
  .map((path) => readFileSync(join(ROOT, path), "utf8"));

const ids = [...SOURCE.matchAll(/^([a-z][\w-]*) =/gm)].map((match) => match[1] ?? "");
const asked = new Set(FILES.flatMap((text) => [...text.matchAll(/\b(?:t|text)\(\s*"([^"]+)"/g)].map((match) => match[1] ?? "")));
// Ids may stand in a table of literals; then a quoted id anywhere counts as asked for.
const quoted = new Set(FILES.flatMap((text) => [...text.matchAll(/"([a-z]+(?:-[a-z0-9]+)+)"/g)].map((match) => match[1] ?? "")));

describe("texts", () => {
  it("parse without a fault", () => {
    const bundle = new FluentBundle("en");
    expect(bundle.addResource(new FluentResource(SOURCE))).toEqual([]);
    expect(ids.filter((id) => !bundle.hasMessage(id))).toEqual([]);
  });

  it("have one id each", () => {
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("exist when they are asked for", () => {
    expect([...asked].filter((id) => /^[a-z]/.test(id) && !ids.includes(id))).toEqual([]);
  });

  it("are asked for when they exist", () => {
    expect(ids.filter((id) => !asked.has(id) && !quoted.has(id))).toEqual([]);
  });

  it("keep to the house's words", () => {
    const lines = SOURCE.split("\n").filter((line) => !line.startsWith("#"));
    expect(lines.filter((line) => /\bplease\b|\boops\b|successfully|the user\b|[a-z]!(\s|$)/i.test(line))).toEqual([]);
  });
});
