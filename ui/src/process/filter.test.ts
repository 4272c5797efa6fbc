import { describe, expect, it } from "vitest";
import type { Process } from "../bridge/wire";
import { process } from "../testing/stage";
import { EVERYTHING, fits, isFiltering, type Standing } from "./filter";
import { liveFirst } from "./order";

const known = { title: "Orders on the new database", ports: [5173] };
const find = (words: string, more: Partial<Process> = {}) => fits(process(more), { words, standing: "any" }, known);

describe("the filter", () => {
  it("finds by command, folder, session, pid and port, each word somewhere", () => {
    expect(["npm", "NPM dev", "me/src", "orders npm", "48213", ":5173", "", "  "].filter((words) => !find(words))).toEqual([]);
    expect(["cargo", "npm cargo", ":8080"].filter((words) => find(words))).toEqual([]);
  });

  it.each<[Standing, Partial<Process>[], Partial<Process>[]]>([
    ["live", [{}, { state: "exited", exitCode: 0, descendants: 1 }], [{ state: "exited", exitCode: 0 }]],
    ["needs", [{ attention: "needs_input" }], [{}, { attention: "quiet" }]],
    ["ended", [{ state: "killed" }], [{}]],
    ["failed", [{ state: "exited", exitCode: 1 }, { state: "lost" }, { state: "failed_start" }], [{ state: "exited", exitCode: 0 }, { state: "killed" }, {}]],
  ])("keeps %s ones", (standing, those, others) => {
    const stands = (more: Partial<Process>) => fits(process(more), { words: "", standing }, known);
    expect(those.filter((more) => !stands(more))).toEqual([]);
    expect(others.filter(stands)).toEqual([]);
  });

  it("knows when nothing is asked for", () => {
    expect(isFiltering(EVERYTHING)).toBe(false);
    expect(isFiltering({ words: " ", standing: "any" })).toBe(false);
    expect(isFiltering({ words: "", standing: "ended" })).toBe(true);
  });
});

describe("the order by what is taken", () => {
  const rows = [process({ processId: "light", startedAtMs: 3 }), process({ processId: "heavy", startedAtMs: 2 }), process({ processId: "asks", attention: "needs_input", startedAtMs: 1 }), process({ processId: "new", startedAtMs: 9 })];
  const loads = new Map([
    ["light", { cpuPercent: 1, rssBytes: 9 }],
    ["heavy", { cpuPercent: 80, rssBytes: 5 }],
  ]);
  const order = (sort: "cpu" | "memory") => liveFirst(rows, sort, loads).map((row) => row.processId);

  it("puts who needs a person first, then the heaviest, then what was not measured", () => {
    expect(order("cpu")).toEqual(["asks", "heavy", "light", "new"]);
    expect(order("memory")).toEqual(["asks", "light", "heavy", "new"]);
  });
});
