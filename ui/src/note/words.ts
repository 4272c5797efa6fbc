// What a report says happened. Only a report of an end may sound like one: a watch and a sign of life tell of something
// that goes on, and their signs stand still, for nobody knows how it goes now.
import type { NoteUnit } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import { type Outcome, outcome } from "../process/outcome";

/** How the reported thing stands, whoever made the report. */
export function producerOutcome(unit: NoteUnit, t: Translate): Outcome {
  switch (unit.producer) {
    case "watch":
      return watched(unit, t);
    case "heartbeat":
      return { glyph: "beat", tone: "plain", words: t("note-still-running") };
    case "task_failure":
      return { glyph: "failed", tone: "fail", words: t("note-task-failed") };
    case "delegation":
      return taskOutcome(unit.state, false, t);
    default:
      return outcome(unit, t);
  }
}

/** How work stands that was handed on; whether it waits for a person is known of each task only. */
export function taskOutcome(state: string, asks: boolean, t: Translate): Outcome {
  switch (state) {
    case "running":
      return asks
        ? { glyph: "needs", tone: "need", words: t("task-needs-you") }
        : { glyph: "running", tone: "live", words: t("process-running") };
    case "completed":
      return { glyph: "complete", tone: "done", words: t("delegation-completed") };
    case "interrupted":
      return { glyph: "stopped", tone: "plain", words: t("delegation-interrupted") };
    case "unknown":
      return { glyph: "lost", tone: "fail", words: t("delegation-unknown") };
    default:
      return { glyph: "failed", tone: "fail", words: t("delegation-failed") };
  }
}

function watched(unit: NoteUnit, t: Translate): Outcome {
  switch (unit.news) {
    case "too_often":
    case "spent":
      return { glyph: "unwatched", tone: "plain", words: t("note-watch-over") };
    case "paused":
      return { glyph: "unwatched", tone: "plain", words: t("note-watch-paused") };
    case "resumed":
      return { glyph: "seen", tone: "plain", words: t("note-watch-resumed") };
    default:
      return { glyph: "seen", tone: "plain", words: unit.pattern == null ? t("note-watch-hit") : t("note-watch-wrote", { pattern: unit.pattern }) };
  }
}

/** Sentences about a watch or a sign of life: which it is, and what was left out. */
export function newsOf(unit: NoteUnit, t: Translate): string {
  const held = unit.suppressed == null || unit.suppressed === 0 ? [] : [t("note-watch-held", { count: unit.suppressed })];
  switch (unit.producer) {
    case "heartbeat":
      return unit.number == null ? "" : t("note-beat-number", { number: String(unit.number) });
    case "watch":
      return [...aboutWatch(unit, t), ...held].join(" ");
    default:
      return "";
  }
}

function aboutWatch(unit: NoteUnit, t: Translate): string[] {
  switch (unit.news) {
    case "too_often":
      return [t("note-watch-too-often")];
    case "spent":
      return [t("note-watch-spent")];
    case "paused":
      return [t("note-watch-paused-why")];
    case "resumed":
      return [];
    default:
      return unit.number == null ? [] : [t("note-watch-number", { number: String(unit.number), count: unit.matched ?? 1 })];
  }
}
