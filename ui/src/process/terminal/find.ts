// Finding words in what a terminal holds.
import type { IBuffer } from "@xterm/xterm";
import { linesOf, type Place, placeOf } from "./lines";

/** More places than this are not gone through one by one. */
const MOST = 1000;

/** Where the words stand, the newest last; upper and lower case are the same. */
export function findAll(buffer: IBuffer, words: string, columns: number): Place[] {
  const wanted = words.toLowerCase();
  const places: Place[] = [];
  if (wanted === "") return places;
  for (const line of linesOf(buffer)) {
    const text = line.text.toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      places.push(placeOf(buffer, line, at, wanted.length, columns));
    }
  }
  return places.slice(-MOST);
}

/** Everything that is held, as text. */
export function textOf(buffer: IBuffer): string {
  const lines = [...linesOf(buffer)].map(({ text }) => text.trimEnd());
  return lines.join("\n").trimEnd();
}
