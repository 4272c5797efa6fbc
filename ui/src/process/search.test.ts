// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { LineSearch, placesIn } from "./search";

const lines = ["GET /orders", "get /get", "\u00c4rger"].map((text, number) => ({ number, runs: [{ text: text.slice(0, 2), look: "" }, { text: text.slice(2), look: "ansi-1" }] }));

describe("finding in lines", () => {
  it("looks across colours, whatever the case", () => {
    expect(placesIn(lines, "Get")).toEqual([
      { line: 0, at: 0, length: 3 },
      { line: 1, at: 0, length: 3 },
      { line: 1, at: 5, length: 3 },
    ]);
    expect(placesIn(lines, "\u00e4r")).toHaveLength(1);
    expect(placesIn(lines, "")).toEqual([]);
  });

  it("goes from the newest upwards, and round", () => {
    const search = new LineSearch();
    const at = (step: 1 | 0 | -1) => search.find(null, lines, "get", step);
    expect([at(0), at(1), at(1), at(1), at(-1)].map((found) => found.at)).toEqual([1, 2, 3, 1, 3]);
    expect(search.find(null, lines, "nothing", 0)).toEqual({ at: 0, count: 0 });
  });
});
