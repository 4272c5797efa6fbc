// How a process stands in the rail: a stop on its way and who lives on after one come before what its row says.
import type { Process } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import { alive, isFinal } from "./order";
import { type Outcome, outcome, succeeded } from "./outcome";
import type { Stop } from "./stop";

/** See the file's head. */
export function standing(process: Process, stop: Stop, t: Translate): Outcome {
  const left = stop.survivors.length;
  if (left > 0 && alive(process)) return { glyph: "alert", tone: "need", words: t("process-survived", { count: left }) };
  const shown = stop.busy && !isFinal(process.state) ? { ...process, state: "stopping" } : process;
  const words = outcome(shown, t);
  if (!isFinal(process.state)) return words;
  if (process.descendants > 0) return { ...words, tone: "live", words: t("process-left-behind", { outcome: words.words, count: process.descendants }) };
  // A good end is no news in a list; only its tick is green.
  return succeeded(process) ? { ...words, tone: "plain" } : words;
}
