// Muting one command of one session: the system is told nothing of it any more. The lists go on.
import { Bell, BellOff } from "lucide-react";
import { useState } from "react";
import { asCallError } from "../bridge/bridge";
import { useBridge, useSetup } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Whether a command of a session is muted. */
export function useCommandMuted(sessionId: string, command: string): boolean {
  return useSetup().muted.some((row) => row.sessionId === sessionId && row.command === command);
}

/** The button in a process's head. */
export function MuteButton({ sessionId, command, muted }: { sessionId: string; command: string; muted: boolean }) {
  const t = useText();
  const bridge = useBridge();
  const [trouble, setTrouble] = useState("");
  const words = trouble !== "" ? t("not-done", { reason: trouble }) : muted ? t("unmute") : t("mute");
  const Icon = muted ? Bell : BellOff;
  const press = () => {
    setTrouble("");
    bridge.call("set_muted", { sessionId, command, muted: !muted }).catch((reason: unknown) => setTrouble(asCallError(reason).message));
  };
  return (
    <button type="button" className={trouble === "" ? "btn sm ghost ic" : "btn sm ghost ic detail-failed"} aria-pressed={muted} aria-label={words} title={words} onClick={press}>
      <Icon className="icon" strokeWidth={1.75} aria-hidden />
    </button>
  );
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
