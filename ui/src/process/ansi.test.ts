import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputLines } from "./ansi";

const ESC = "\u001b";
const read = (...pieces: string[]) => {
  const output = new OutputLines(100);
  for (const piece of pieces) output.feed(piece);
  return output.lines();
};
const words = (...pieces: string[]) => read(...pieces).map((line) => line.runs.map((run) => run.text).join(""));

describe("terminal output", () => {
  it.each([
    ["one\ntwo", ["one", "two"]],
    ["one\r\ntwo\r\n", ["one", "two"]],
    ["\n\nx", ["", "", "x"]],
    ["10 %\r50 %\rdone\n", ["done"]],
    ["aborted\r", ["aborted"]],
    ["ab\bc", ["ac"]],
    ["a\tb", ["a\tb"]],
    [`${ESC}[2J${ESC}[1;1Hhome`, ["home"]],
    [`${ESC}[?25lhidden cursor${ESC}[?25h`, ["hidden cursor"]],
    [`${ESC}]0;a title\u0007text`, ["text"]],
    [`${ESC}]8;;file:///etc/passwd${ESC}\\label${ESC}]8;;${ESC}\\`, ["label"]],
    [`${ESC}]8;;https://evil.example\u0007label${ESC}]8;;\u0007`, ["label"]],
    [`${ESC}P1$r0m${ESC}\\x`, ["x"]],
    [`${ESC}_secret${ESC}\\x`, ["x"]],
    [`${ESC}(Bx`, ["x"]],
    [`${ESC}cx`, ["x"]],
    ["\u009b31mred", ["red"]],
    ["bell\u0007 null\u0000 end\u007f", ["bell null end"]],
  ])("%j reads %j", (output, lines) => {
    expect(words(output)).toEqual(lines);
  });

  it.each([
    [`${ESC}[31mred`, "ansi-1"],
    [`${ESC}[91mred`, "ansi-9"],
    [`${ESC}[1;32mbold green`, "ansi-2 ansi-bold"],
    [`${ESC}[38;5;4mblue`, "ansi-4"],
    [`${ESC}[48;5;1mon red`, "ansi-on-1"],
    [`${ESC}[38;5;200mpalette`, ""],
    [`${ESC}[38;2;1;2;3mtrue colour`, ""],
    [`${ESC}[38;2;1;2;31;4mthen underlined`, "ansi-underline"],
    [`${ESC}[38:5:31mwith colons`, ""],
    [`${ESC}[31m${ESC}[mreset`, ""],
    [`${ESC}[31;39mdefault`, ""],
    [`${ESC}[>4;2mnot a colour`, ""],
  ])("%j looks %j", (output, look) => {
    expect(read(output).at(-1)?.runs.at(-1)?.look).toBe(look);
  });

  it("is the same in whatever pieces it comes", () => {
    const piece = fc.constantFrom("a", "\n", "\r", "\b", ESC, "[", "]", "3", "1", "m", ";", "\\", "\u0007", "8", "K", "\u009b");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(read(...pieces)).toEqual(read(pieces.join("")));
      }),
    );
  });

  it("never lets a control character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (output) => {
        // eslint-disable-next-line no-control-regex
        expect(words(output, "").join("")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it("keeps the last lines only and numbers them from the first", () => {
    const output = new OutputLines(10);
    for (let line = 0; line < 1000; line += 1) output.feed(`line ${line}\n`);
    output.trim();
    expect(output.lines()).toHaveLength(10);
    expect(output.lines()[0]).toEqual({ number: 990, runs: [{ text: "line 990", look: "" }] });
    expect(output.dropped).toBe(990);
  });

  it("forgets whole blocks, and never more than it may", () => {
    const output = new OutputLines(10, 4);
    for (let line = 0; line < 200; line += 1) {
      output.feed(`line ${line}\n`);
      output.trim();
      const lines = output.lines();
      expect([(lines[0]?.number ?? NaN) % 4, lines.at(-1)?.number]).toEqual([0, line]);
      expect(lines.length).toBeGreaterThanOrEqual(Math.min(line + 1, 10));
      expect(lines.length).toBeLessThan(14);
    }
  });

  it("breaks a line that never ends", () => {
    expect(words("x".repeat(20_000)).map((line) => line.length)).toEqual([8192, 8192, 3616]);
  });

  it("gives up a sequence that never ends", () => {
    expect(words(`${ESC}]0;${"x".repeat(5000)}\nafter`).at(-1)).toBe("after");
  });
});
