// What stands in a terminal, as lines of words with the cell of each letter: for finding words, links, and for copying.
import type { IBuffer } from "@xterm/xterm";

/** A line as it was written; on the screen it may be wrapped over several rows. */
export interface WrittenLine {
  readonly row: number;
  readonly rows: number;
  readonly text: string;
}

/** A stretch of cells. */
export interface Place {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

/** The written line that a row belongs to. */
export function lineAt(buffer: IBuffer, row: number): WrittenLine {
  let first = row;
  while (first > 0 && buffer.getLine(first)?.isWrapped === true) first -= 1;
  let text = "";
  let rows = 0;
  do {
    const next = buffer.getLine(first + rows + 1)?.isWrapped === true;
    text += buffer.getLine(first + rows)?.translateToString(!next) ?? "";
    rows += 1;
    if (!next) break;
  } while (first + rows < buffer.length);
  return { row: first, rows, text };
}

/** Every written line, from the oldest that is held. */
export function* linesOf(buffer: IBuffer): Generator<WrittenLine> {
  for (let row = 0; row < buffer.length; ) {
    const line = lineAt(buffer, row);
    yield line;
    row = line.row + line.rows;
  }
}

/** Where letters of a written line stand, in cells: a wide letter fills two. */
export function placeOf(buffer: IBuffer, line: WrittenLine, at: number, length: number, columns: number): Place {
  const from = cellOf(buffer, line, at, columns);
  const to = cellOf(buffer, line, at + length, columns);
  return { row: line.row + Math.floor(from / columns), column: from % columns, length: to - from };
}

function cellOf(buffer: IBuffer, line: WrittenLine, letter: number, columns: number): number {
  let seen = 0;
  for (let cell = 0; cell < line.rows * columns; cell += 1) {
    if (seen >= letter) return cell;
    const held = buffer.getLine(line.row + Math.floor(cell / columns))?.getCell(cell % columns);
    // The second half of a wide letter holds nothing.
    if (held !== undefined && held.getWidth() > 0) seen += Math.max(1, held.getChars().length);
  }
  return line.rows * columns;
}
