// Links in a terminal: none of them opens by itself. A press asks, and says where the link goes.
import type { IBufferRange, ILink, ILinkHandler, ILinkProvider, Terminal } from "@xterm/xterm";
import { lineAt, placeOf } from "./lines";

const ADDRESS = /https?:\/\/[^\s"'<>`\p{Cc}]{1,2000}/gu;
/** Signs that end a sentence, not an address. */
const TRAILING = /[.,;:!?)\]}]+$/;

/** Links that a program hid behind other words. */
export function hiddenLinks(ask: (url: string) => void): ILinkHandler {
  return { activate: (_event, url) => ask(url), allowNonHttpProtocols: false };
}

/** Addresses that stand in the text. */
export function writtenLinks(terminal: Terminal, ask: (url: string) => void): ILinkProvider {
  return {
    provideLinks(row, answer) {
      const buffer = terminal.buffer.active;
      const line = lineAt(buffer, row - 1);
      const links: ILink[] = [...line.text.matchAll(ADDRESS)].map((match) => {
        const text = match[0].replace(TRAILING, "");
        return { text, range: rangeOf(terminal, line, match.index, text.length), activate: () => ask(text) };
      });
      answer(links.length === 0 ? undefined : links);
    },
  };
}

/** The library counts from 1, and its ends are inside. */
function rangeOf(terminal: Terminal, line: ReturnType<typeof lineAt>, at: number, length: number): IBufferRange {
  const { row, column, length: cells } = placeOf(terminal.buffer.active, line, at, length, terminal.cols);
  const last = row * terminal.cols + column + cells - 1;
  return { start: { x: column + 1, y: row + 1 }, end: { x: (last % terminal.cols) + 1, y: Math.floor(last / terminal.cols) + 1 } };
}
