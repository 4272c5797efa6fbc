// Finding words in lines of output.
import type { Line } from "./ansi";

/** More places than this are not gone through one by one. */
const MOST = 1000;

interface Place {
  readonly line: number;
  readonly at: number;
  readonly length: number;
}

/** The words of a line. */
export function textOfLine(line: Line): string {
  return line.runs.map((run) => run.text).join("");
}

/** Where the words stand, the newest last; upper and lower case are the same. */
export function placesIn(lines: readonly Line[], words: string): Place[] {
  const wanted = words.toLowerCase();
  const places: Place[] = [];
  if (wanted === "") return places;
  for (const line of lines) {
    const text = textOfLine(line).toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      places.push({ line: line.number, at, length: wanted.length });
    }
  }
  return places.slice(-MOST);
}

/** One search through one output. */
export class LineSearch {
  #words = "";
  #places: Place[] = [];
  #at = -1;

  /** See `OutputHandle.find`. */
  find(box: HTMLElement | null, lines: readonly Line[], words: string, step: 1 | 0 | -1): { at: number; count: number } {
    const anew = step === 0 || words !== this.#words || this.#at < 0;
    if (anew) this.#places = placesIn(lines, words);
    const many = this.#places.length;
    this.#at = anew ? many - 1 : (this.#at - step + many) % Math.max(1, many);
    this.#words = words;
    const place = this.#places[this.#at];
    if (place === undefined) this.end();
    else mark(box, place);
    return { at: place === undefined ? 0 : many - this.#at, count: many };
  }

  /** Nothing is marked any more. */
  end(): void {
    this.#at = -1;
    unmark();
  }
}

const MARKED = "output-found";

/** The line is tinted, and where the engine can do it, the words themselves too: without touching the selection, which
 *  belongs to the person and would take the letters that they type. */
function mark(box: HTMLElement | null, { line, at, length }: Place): void {
  unmark();
  const element = box?.querySelector(`[data-line="${line}"]`);
  if (element == null) return;
  element.classList.add(MARKED);
  element.scrollIntoView({ block: "center" });
  const [from, to] = [letter(element, at), letter(element, at + length)];
  if (from === null || to === null || typeof CSS === "undefined" || CSS.highlights === undefined) return;
  const range = new Range();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  CSS.highlights.set(MARKED, new Highlight(range));
}

function unmark(): void {
  for (const line of document.querySelectorAll(`.${MARKED}`)) line.classList.remove(MARKED);
  if (typeof CSS !== "undefined") CSS.highlights?.delete(MARKED);
}

function letter(element: Element, at: number): { node: Node; offset: number } | null {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = at;
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (left <= length) return { node, offset: left };
    left -= length;
  }
  return null;
}
