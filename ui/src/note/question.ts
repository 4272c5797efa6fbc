// A question about a report, for the composer: what it is about stands quoted above it, so that whoever reads the
// conversation later knows what was meant.
import type { NoteUnit } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import { producerOutcome } from "./words";

/** So much of the output is quoted; the agent has the rest. */
const LINES = 3;

/** The quoted report with a question below it. */
export function questionAbout(unit: NoteUnit, t: Translate): string {
  const { words } = producerOutcome(unit, t);
  const head = unit.command === "" ? words : t("ask-agent-quote", { command: unit.command, outcome: words });
  const tail = unit.outputTail.trimEnd().split("\n").slice(-LINES).filter((line) => line.trim() !== "");
  const quoted = [...head.split("\n"), ...tail].map((line) => `> ${line}`);
  return `${quoted.join("\n")}\n\n${t("ask-agent-about")}`;
}
