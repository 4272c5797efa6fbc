// Stops the running turn and the processes that it started.
import { Square } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { asCallError } from "../bridge/bridge";
import { useBridge, useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { composing } from "./enter";

/** Stop, while a turn runs; nothing otherwise. */
export function StopButton({ sessionId }: { sessionId: string }) {
  const turnId = useSession(sessionId)?.runningTurnId ?? null;
  // Each turn has its own button, so that a stop which did not get through is not remembered for the next one.
  return turnId === null ? null : <StopTurn key={turnId} sessionId={sessionId} />;
}

function StopTurn({ sessionId }: { sessionId: string }) {
  const t = useText();
  const bridge = useBridge();
  const [pressed, setPressed] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const stop = () => {
    setPressed(true);
    setTrouble(null);
    bridge.call("stop_turn", { sessionId }).catch((reason: unknown) => {
      setPressed(false);
      setTrouble(asCallError(reason).message);
    });
  };
  return (
    <>
      {trouble !== null && <span className="stop-trouble" role="alert">{trouble}</span>}
      <button type="button" className="btn stop-turn" aria-keyshortcuts="Escape" onClick={stop}>
        <Square className="icon k stop-square" aria-hidden />
        {pressed ? t("stop-pressed") : t("stop")}
        <kbd>Esc</kbd>
      </button>
    </>
  );
}

/** Escape stops the turn, after the input method and every popover had their chance. */
export function useEscapeStops(sessionId: string): void {
  const bridge = useBridge();
  const running = useSession(sessionId)?.runningTurnId != null;
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.repeat || composing(event)) return;
    if (document.querySelector("dialog[open], [role=dialog], [role=menu], [role=listbox]") !== null) return;
    // A failure shows in the turn itself going on; the button tells the reason when it is pressed.
    bridge.call("stop_turn", { sessionId }).catch(() => undefined);
  });
  useEffect(() => {
    if (!running) return;
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, [running]);
}
