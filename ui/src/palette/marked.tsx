// A line with the wanted words in bold.
import type { ReactNode } from "react";

/** Whether a line has every wanted word, in any order. */
export function matches(line: string, wanted: string): boolean {
  const low = line.toLocaleLowerCase();
  return words(wanted).every((word) => low.includes(word));
}

/** The line, with the first place of each word marked. */
export function marked(line: string, wanted: string): ReactNode {
  const low = line.toLocaleLowerCase();
  const places = words(wanted)
    .map((word) => ({ from: low.indexOf(word), to: low.indexOf(word) + word.length }))
    // Letters may change their number when their case does; such a line is shown as it is.
    .filter(({ from }) => from >= 0 && low.length === line.length)
    .toSorted((a, b) => a.from - b.from);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { from, to } of places) {
    if (from < at) continue;
    parts.push(line.slice(at, from), <b key={from}>{line.slice(from, to)}</b>);
    at = to;
  }
  parts.push(line.slice(at));
  return parts;
}

function words(wanted: string): string[] {
  return wanted.toLocaleLowerCase().split(/\s+/).filter(Boolean);
}
