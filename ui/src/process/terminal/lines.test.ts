// @vitest-environment jsdom
import { Terminal } from "@xterm/xterm";
import { beforeAll, describe, expect, it } from "vitest";
import { findAll, textOf } from "./find";
import { lineAt, linesOf } from "./lines";
import { writtenLinks } from "./links";

beforeAll(() => {
  // Nothing is drawn here.
  HTMLCanvasElement.prototype.getContext = () => null;
  window.matchMedia = (query) => ({ matches: false, media: query, addEventListener: () => undefined, removeEventListener: () => undefined }) as unknown as MediaQueryList;
});

const COLUMNS = 10;
const written = async (words: string): Promise<Terminal> => {
  const terminal = new Terminal({ cols: COLUMNS, rows: 5 });
  await new Promise<void>((done) => terminal.write(words, done));
  return terminal;
};

describe("what a terminal holds", () => {
  it("is lines as they were written, not as they are wrapped", async () => {
    const { buffer } = await written("short\r\nthis one is wrapped twice\r\n\r\nend");
    expect(textOf(buffer.active)).toBe("short\nthis one is wrapped twice\n\nend");
    expect([...linesOf(buffer.active)].slice(0, 3).map(({ row, rows }) => [row, rows])).toEqual([[0, 1], [1, 3], [4, 1]]);
    expect(lineAt(buffer.active, 3)).toMatchObject({ row: 1, text: "this one is wrapped twice" });
  });

  it("is searched across the ends of rows, whatever the case, and wide letters fill two cells", async () => {
    const { buffer } = await written("say hello hello\r\n\u6f22\u5b57 Hello");
    expect(findAll(buffer.active, "HELLO", COLUMNS)).toEqual([
      { row: 0, column: 4, length: 5 },
      { row: 1, column: 0, length: 5 },
      { row: 2, column: 5, length: 5 },
    ]);
    expect(findAll(buffer.active, "", COLUMNS)).toEqual([]);
    expect(findAll(buffer.active, "nothing", COLUMNS)).toEqual([]);
  });

  it("has links where addresses stand, without the sign that ends the sentence", async () => {
    const terminal = await written("see https://a.example/b.");
    const asked: string[] = [];
    writtenLinks(terminal, (url) => asked.push(url)).provideLinks(2, (links) => {
      expect(links?.map(({ text, range }) => ({ text, range }))).toEqual([{ text: "https://a.example/b", range: { start: { x: 5, y: 1 }, end: { x: 3, y: 3 } } }]);
      links?.[0]?.activate(new MouseEvent("click"), "");
    });
    expect(asked).toEqual(["https://a.example/b"]);
  });
});
