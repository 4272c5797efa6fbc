// Stop for one process: always there and never disabled while something of it lives.
import { Square } from "lucide-react";
import type { KeyboardEvent } from "react";
import type { Process } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useSecondTick } from "../shared/tick";
import { LADDER_S, pressStop, secondPress, secondsLeft, useStop } from "./stop";

/** The stop control of a live process; with `words` it says so beside the square. */
export function StopProcessButton({ process, words = false }: { process: Process; words?: boolean }) {
  const t = useText();
  const bridge = useBridge();
  const stop = useStop(process.processId);
  const again = secondPress(process, stop);
  const now = useSecondTick(again);
  const left = secondsLeft(stop, Math.max(now, stop.pressedAt ?? 0));
  const press = () => void pressStop(bridge, process);
  // A held Enter clicks over and over, and the second click would kill.
  const once = (event: KeyboardEvent) => {
    if (event.repeat) event.preventDefault();
  };
  if (again) {
    return (
      <button type="button" className="btn sm process-kill" onKeyDown={once} onClick={press}>
        {left !== null && <Ring left={left} />}
        {left === null || left === 0 ? t("process-kill-now") : t("process-kill-now-in", { seconds: left })}
      </button>
    );
  }
  return (
    <button
      type="button"
      className={words ? "btn sm process-stop" : "btn sm ghost ic process-stop"}
      aria-label={t("process-stop-label", { command: process.command })}
      title={t("process-stop")}
      onKeyDown={once}
      onClick={press}
    >
      <Square className="icon k process-square" aria-hidden />
      {words && t("process-stop")}
    </button>
  );
}

/** How much of the wait is left, in whole seconds. */
function Ring({ left }: { left: number }) {
  return (
    <svg className="stop-ring" viewBox="0 0 16 16" fill="none" strokeWidth={2} aria-hidden>
      <circle cx="8" cy="8" r="6" className="stop-ring-whole" />
      <circle cx="8" cy="8" r="6" className="stop-ring-left" stroke="currentColor" pathLength={LADDER_S} strokeDasharray={`${left} ${LADDER_S}`} transform="rotate(-90 8 8)" />
    </svg>
  );
}
