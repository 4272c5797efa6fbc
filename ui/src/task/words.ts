// What a task card says about its call: a glyph, a verb, and a short result where there is one.
import type { Card } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import type { GlyphName } from "../shared/Glyph";

/** The words of one card. */
export interface CardWords {
  glyph: GlyphName;
  verb: string;
  /** What the call is about; empty where the verb has said it all. */
  object: string;
  /** A few words at the end of the row; none when the verb has said it all. */
  result: string | null;
  tone: "fail" | "need" | "plain";
}

/** The words for a card as it stands; `command` is what its process runs, where that is known. */
export function cardWords(card: Card, command: string | null, t: Translate): CardWords {
  const { verb, ...standing } = standingOf(card, t);
  if (kindOf(card) === "list") return { ...standing, verb, object: "" };
  // The `process` tool names its process by id; a person knows it by its command.
  const [action = "", id = ""] = card.title.split(" ");
  const object = card.tool === "process" ? (command ?? (id === "" ? action : id)) : card.title;
  return { ...standing, verb, object };
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
  switch (kindOf(card)) {
    case "run":
      return pick(tense, t("task-run-will"), t("task-run-asks"), t("task-run-now"), t("task-run-past"));
    case "read":
      return pick(tense, t("task-read-will"), t("task-read-asks"), t("task-read-now"), t("task-read-past"));
    case "edit":
      return pick(tense, t("task-edit-will"), t("task-edit-asks"), t("task-edit-now"), t("task-edit-past"));
    case "search":
      return pick(tense, t("task-search-will"), t("task-search-asks"), t("task-search-now"), t("task-search-past"));
    case "list":
      return pick(tense, t("task-list-will"), t("task-list-asks"), t("task-list-now"), t("task-list-past"));
    case "look":
      return pick(tense, t("task-look-will"), t("task-look-asks"), t("task-look-now"), t("task-look-past"));
    case "wait":
      return pick(tense, t("task-wait-will"), t("task-wait-asks"), t("task-wait-now"), t("task-wait-past"));
    case "kill":
      return pick(tense, t("task-kill-will"), t("task-kill-asks"), t("task-kill-now"), t("task-kill-past"));
    case "hand":
      return pick(tense, t("task-hand-will"), t("task-hand-asks"), t("task-hand-now"), t("task-hand-past"));
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

type Kind = "run" | "read" | "edit" | "search" | "list" | "look" | "wait" | "kill" | "hand" | "other";

function kindOf({ tool, title }: Card): Kind {
  if (tool === "terminal") return "run";
  if (tool === "process") return actionOf(title);
  if (tool === "delegate") return "hand";
  if (/^(read|view|list)/.test(tool)) return "read";
  if (/^(write|edit|patch)/.test(tool)) return "edit";
  if (/^(search|find|grep)/.test(tool)) return "search";
  return "other";
}

function actionOf(title: string): Kind {
  const action = title.split(" ", 1)[0];
  switch (action) {
    case "list":
    case "wait":
    case "kill":
      return action;
    default:
      return "look";
  }
}
