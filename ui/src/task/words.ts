// What a task card says about its call: a glyph, a verb, and a short result where there is one.
import type { Card } from "../bridge/bindings";
import type { Translate } from "../l10n/l10n";
import type { GlyphName } from "../shared/Glyph";

/** The words of one card. */
export interface CardWords {
  glyph: GlyphName;
  /** Empty where the title is a sentence of its own. */
  verb: string;
  /** What the call is about. */
  object: string;
  /** A few words at the end of the row; none when the verb has said it all. */
  result: string | null;
  tone: "fail" | "need" | "plain";
}

/** The words for a card as it stands. */
export function cardWords(card: Card, t: Translate): CardWords {
  const { verb, ...standing } = standingOf(card, t);
  const kind = kindOf(card.tool);
  // A command's title may bring its own verb, in one tense for all time; here the verb follows the state.
  if (kind === "run") return { ...standing, verb, object: card.title.replace(/^(Run|Ran|Running|Start|Started|Starting) /, "") };
  if (/^[A-Z][a-z]+ /.test(card.title)) return { ...standing, verb: "", object: card.title };
  return { ...standing, verb, object: card.title };
}

/** An annotation tells more than the status, so it is looked at first. */
function standingOf(card: Card, t: Translate): Omit<CardWords, "object"> {
  switch (card.annotation) {
    case "needs_input":
      return { glyph: "needs", verb: verb(card, "asks", t), result: t("task-needs-you"), tone: "need" };
    case "cancelled":
      return { glyph: "stopped", verb: t("task-cancelled"), result: null, tone: "plain" };
    case "denied":
      return { glyph: "stopped", verb: t("task-not-run"), result: t("task-denied"), tone: "plain" };
  }
  switch (card.status) {
    case "pending":
      return { glyph: "pending", verb: verb(card, "will", t), result: null, tone: "plain" };
    case "in_progress":
      return { glyph: "running", verb: verb(card, card.background ? "started" : "now", t), result: null, tone: "plain" };
    case "error":
      return { glyph: "failed", verb: verb(card, card.background ? "started" : "past", t), result: failure(card, t), tone: "fail" };
    default:
      return { glyph: "complete", verb: verb(card, card.background ? "started" : "past", t), result: null, tone: "plain" };
  }
}

/** Whether the card still moves, so that its time counts. */
export function unsettled(card: Card): boolean {
  return card.status === "in_progress" && card.endedAtMs == null;
}

function failure(card: Card, t: Translate): string {
  if (card.exitCode != null) return t("process-exited", { code: String(card.exitCode) });
  if (card.signal != null) return t("process-signalled", { signal: card.signal });
  return t("task-failed");
}

type Tense = "will" | "asks" | "now" | "started" | "past";

function verb(card: Card, tense: Tense, t: Translate): string {
  if (tense === "started") return t("task-started");
  switch (kindOf(card.tool)) {
    case "run":
      return pick(tense, t("task-run-will"), t("task-run-asks"), t("task-run-now"), t("task-run-past"));
    case "read":
      return pick(tense, t("task-read-will"), t("task-read-asks"), t("task-read-now"), t("task-read-past"));
    case "edit":
      return pick(tense, t("task-edit-will"), t("task-edit-asks"), t("task-edit-now"), t("task-edit-past"));
    case "search":
      return pick(tense, t("task-search-will"), t("task-search-asks"), t("task-search-now"), t("task-search-past"));
    case "process":
      return pick(tense, t("task-process-will"), t("task-process-asks"), t("task-process-now"), t("task-process-past"));
    case "other":
      return pick(tense, t("task-other-will"), t("task-other-asks"), t("task-other-now"), t("task-other-past"));
  }
}

function pick(tense: Exclude<Tense, "started">, will: string, asks: string, now: string, past: string): string {
  switch (tense) {
    case "will":
      return will;
    case "asks":
      return asks;
    case "now":
      return now;
    case "past":
      return past;
  }
}

function kindOf(tool: string): "run" | "read" | "edit" | "search" | "process" | "other" {
  if (tool === "terminal" || tool === "shell") return "run";
  if (tool === "process") return "process";
  if (/^(read|view|list)/.test(tool)) return "read";
  if (/^(write|edit|patch)/.test(tool)) return "edit";
  if (/^(search|find|grep)/.test(tool)) return "search";
  return "other";
}
