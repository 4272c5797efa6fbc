// Muting one command of one session: the system is told nothing of it any more. The lists go on.
import { BellOff } from "lucide-react";
import { useSetup } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Whether a command of a session is muted. */
export function useCommandMuted(sessionId: string, command: string): boolean {
  return useSetup().muted.some((row) => row.sessionId === sessionId && row.command === command);
}

/** The sign that something is muted, in words for whoever hovers or listens. */
export function MutedSign() {
  const t = useText();
  return (
    <span className="muted-sign" title={t("muted")}>
      <BellOff className="icon k" strokeWidth={1.75} aria-hidden />
      <span className="hidden">{t("muted")}</span>
    </span>
  );
}
