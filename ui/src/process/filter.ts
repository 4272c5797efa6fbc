// Which processes a list shows: by the words somebody typed and by how they stand.
import type { Process } from "../bridge/wire";
import { alive, waitsForInput } from "./order";
import { succeeded } from "./outcome";

/** The kinds that can be asked for. */
export const STANDINGS = ["any", "live", "needs", "ended", "failed"] as const;
/** One of them. */
export type Standing = (typeof STANDINGS)[number];

/** What is asked for. */
export interface Filter {
  readonly words: string;
  readonly standing: Standing;
}

/** Everything. */
export const EVERYTHING: Filter = { words: "", standing: "any" };

/** Whether anything is asked for. */
export function isFiltering({ words, standing }: Filter): boolean {
  return words.trim() !== "" || standing !== "any";
}

/** What a process can be found by, besides its own row. */
export interface Known {
  readonly title: string;
  readonly ports: readonly number[];
}

/** Whether a process is asked for: each word must stand somewhere in what is known about it. */
export function fits(process: Process, { words, standing }: Filter, known: Known): boolean {
  if (!stands(process, standing)) return false;
  const text = [process.command, process.cwd, known.title, process.pid ?? "", process.processId, ...known.ports.map((port) => `:${port}`)].join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function stands(process: Process, standing: Standing): boolean {
  switch (standing) {
    case "any":
      return true;
    case "live":
      return alive(process);
    case "needs":
      return waitsForInput(process);
    case "ended":
      return !alive(process);
    case "failed":
      return !alive(process) && process.state !== "killed" && !succeeded(process);
  }
}
