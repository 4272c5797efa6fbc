// What a report says happened.
import type { NoteUnit } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import { type Outcome, outcome } from "../process/outcome";

/** How the reported thing stands, whoever made the report. */
export function producerOutcome(unit: NoteUnit, t: Translate): Outcome {
  switch (unit.producer) {
    case "watch":
      return { glyph: "ready", tone: "done", words: t("note-watch-hit") };
    case "heartbeat":
      return { glyph: "running", tone: "live", words: t("note-still-running") };
    case "task_failure":
      return { glyph: "failed", tone: "fail", words: t("note-task-failed") };
    default:
      return outcome(unit, t);
  }
}
