// What was written before anybody looked is drawn, and not answered: a program that asked for the cursor's place an hour
// ago would read the late answer as something that a person typed.
import type { IFunctionIdentifier, Terminal } from "@xterm/xterm";

/** Questions of programs that the terminal answers through its input. */
const QUESTIONS: readonly IFunctionIdentifier[] = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: "?", final: "u" },
  { prefix: ">", final: "q" },
];
/** Questions for colours: the palette, foreground, background, cursor. */
const COLOURS = [4, 10, 11, 12];

/** Leaves questions without an answer for as long as `old` says so. */
export function ignoreOldQuestions(terminal: Terminal, old: () => boolean): void {
  for (const question of QUESTIONS) terminal.parser.registerCsiHandler(question, old);
  terminal.parser.registerDcsHandler({ intermediates: "$", final: "q" }, old);
  for (const colour of COLOURS) terminal.parser.registerOscHandler(colour, (data) => old() && data.includes("?"));
}
