// How a process stands, in one glyph, one tone and one short phrase. The rail, the status strip and the machine notes
// tell it with the same words.
import type { Translate } from "../l10n/l10n";
import type { GlyphName } from "../shared/Glyph";

/** What is said about a process. */
export interface Outcome {
  glyph: GlyphName;
  /** The colour class of the words; the words themselves say the state. */
  tone: "live" | "done" | "fail" | "need" | "plain";
  words: string;
}

/** The part of a process, or of a report about one, that tells how it stands. */
export interface Standing {
  state: string;
  attention?: string | null;
  exitCode?: number | null;
  signal?: string | null;
  stoppedBy?: string | null;
  reason?: string | null;
}

/** The one phrase for how something stands. */
export function outcome(of: Standing, t: Translate): Outcome {
  switch (of.state) {
    case "starting":
      return { glyph: "starting", tone: "plain", words: t("process-starting") };
    case "running":
      return attention(of.attention, t);
    case "stopping":
      return { glyph: "stopping", tone: "live", words: t("process-stopping") };
    case "exited":
      return exited(of, t);
    case "killed":
      return { glyph: "stopped", tone: "plain", words: stopped(of.stoppedBy, t) };
    case "lost":
      return { glyph: "lost", tone: "fail", words: t("process-lost") };
    case "failed_start":
      return { glyph: "failed", tone: "fail", words: t("process-failed-start") };
    default:
      // A newer gateway may know more states; its own word is better than none.
      return { glyph: "pending", tone: "plain", words: of.state };
  }
}

/** Whether a process ended the way programs say "all is well". */
export function succeeded(of: Standing): boolean {
  return of.state === "exited" && of.exitCode === 0;
}

function attention(kind: string | null | undefined, t: Translate): Outcome {
  switch (kind) {
    case "ready":
      return { glyph: "ready", tone: "done", words: t("process-ready") };
    case "quiet":
      return { glyph: "quiet", tone: "plain", words: t("process-quiet") };
    case "needs_input":
      return { glyph: "needs", tone: "need", words: t("process-needs-input") };
    default:
      return { glyph: "running", tone: "live", words: t("process-running") };
  }
}

function exited(of: Standing, t: Translate): Outcome {
  if (of.exitCode === 0) return { glyph: "complete", tone: "done", words: t("process-exited", { code: "0" }) };
  if (of.exitCode != null) return { glyph: "failed", tone: "fail", words: t("process-exited", { code: String(of.exitCode) }) };
  if (of.signal != null) return { glyph: "failed", tone: "fail", words: t("process-signalled", { signal: of.signal }) };
  return { glyph: "failed", tone: "fail", words: t("process-exit-unknown") };
}

function stopped(by: string | null | undefined, t: Translate): string {
  switch (by) {
    case "user":
      return t("process-stopped-user");
    case "agent":
      return t("process-stopped-agent");
    case "turn_timeout":
      return t("process-stopped-turn-timeout");
    case "turn_stop":
      return t("process-stopped-turn-stop");
    case "new_session":
      return t("process-stopped-new-session");
    case "disconnect":
      return t("process-stopped-disconnect");
    case "limit":
      return t("process-stopped-limit");
    case "quit":
      return t("process-stopped-quit");
    default:
      return t("process-stopped");
  }
}
