// What an incident says: what happened and why. What to do next is said by its buttons.
import type { Incident, Letter } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";
import type { GlyphName } from "../shared/Glyph";

/** What is said about an incident. */
export interface Said {
  readonly glyph: GlyphName;
  readonly what: string;
  /** In full sentences; it may have more than one line. */
  readonly why: string;
}

/** Whether it is a report that nobody was told. */
export function isReport({ unitId }: Incident): boolean {
  return unitId != null;
}

/** Whether it is about words to a channel that a restored backup still owes. */
export function isHeldLetter({ cause, letter }: Incident): boolean {
  return cause === "letter_held" && letter != null;
}

/** Whether only a person can say what becomes of it. */
export function needsPerson(incident: Incident): boolean {
  return isReport(incident) || isHeldLetter(incident);
}

/** The sign of them all together. */
export function worst(incidents: readonly Incident[]): GlyphName {
  const rank = ["alert", "failed", "complete"] as const;
  return rank.find((name) => incidents.some((incident) => glyphOf(incident) === name)) ?? "failed";
}

/** Who waits for a person comes first, then the newest. */
export function ordered(incidents: readonly Incident[]): Incident[] {
  return incidents.toSorted((a, b) => Number(needsPerson(b)) - Number(needsPerson(a)) || b.atMs - a.atMs);
}

/** The words. */
export function said(incident: Incident, t: Translate): Said {
  return { glyph: glyphOf(incident), ...words(incident, t) };
}

function glyphOf(incident: Incident): GlyphName {
  if (needsPerson(incident)) return "alert";
  return incident.cause === "storage_restored" ? "complete" : "failed";
}

type Words = Omit<Said, "glyph">;

function words(incident: Incident, t: Translate): Words {
  if (isReport(incident)) return report(incident, t);
  return incident.letter == null ? fault(incident, t) : unsent(incident, incident.letter, t);
}

function unsent({ cause, detail }: Incident, { platform, files }: Letter, t: Translate): Words {
  const sort = files.length === 0 ? "words" : "files";
  const why = detail.replace(`${platform}: `, "");
  switch (cause) {
    case "letter_held":
      return { what: t("letter-held", { platform, sort }), why: t("letter-held-why") };
    case "outbox_declined":
      return { what: t("letter-unsent", { platform, sort }), why: t("letter-declined-why", { why }) };
    default:
      return { what: t("letter-unsent", { platform, sort }), why: t("letter-given-up-why", { why }) };
  }
}

function report({ cause, reports }: Incident, t: Translate): Words {
  const dropped = (why: string): Words => ({ what: t("incident-dropped"), why });
  if (reports != null) return { what: t("incident-dropped-many", { count: reports }), why: t("incident-dropped-many-why") };
  switch (cause) {
    case "report_held":
      return { what: t("incident-held"), why: t("incident-held-why") };
    case "report_dropped_target_gone":
      return dropped(t("incident-gone-why"));
    case "report_dropped_expired":
      return dropped(t("incident-expired-why"));
    case "report_dropped_refused":
      return dropped(t("incident-refused-why"));
    case "report_dropped_operator":
      return dropped(t("incident-operator-why"));
    default:
      return dropped(t("incident-dropped-why"));
  }
}

function fault({ cause, subject, detail }: Incident, t: Translate): Words {
  // A backup that failed carries the cause of its failure.
  if (isBackup({ subject })) return { what: t("incident-backup"), why: detail };
  switch (cause) {
    case "stop_failed":
      return { what: t("incident-stop"), why: t("incident-stop-why", { detail }) };
    case "config":
      return { what: t("incident-config"), why: detail };
    case "storage_restored":
      return { what: t("incident-restored"), why: detail };
    case "storage_not_restored":
      return { what: t("incident-not-restored"), why: detail };
    case "message_refused":
      return { what: t("incident-turned-away"), why: detail };
    case "storage_index_corrupt":
      return { what: t("incident-search"), why: detail };
    default:
      return { what: cause.startsWith("storage_") || cause === "disk_full" ? t("incident-data") : t("incident-other"), why: detail === "" ? subject : detail };
  }
}

/** Whether it is about making backups. */
export function isBackup({ subject }: Pick<Incident, "subject">): boolean {
  return subject === "backup";
}
