// In the status line while a restart is under way: how long turns may take, who is waited for, and the way not to wait.
import { attempt } from "../actions/trouble";
import type { Restarting as Under } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useSecondTick } from "../shared/tick";

interface RestartingProps {
  restarting: Under;
  /** The gateway still answers. */
  isHere: boolean;
}

/** The line. */
export function Restarting({ restarting, isHere }: RestartingProps) {
  const t = useText();
  const bridge = useBridge();
  const now = useSecondTick(isHere);
  const seconds = Math.round((restarting.latestAtMs - now) / 1000);
  if (!isHere || restarting.turns === 0 || seconds <= 0) return <span className="status-cell">{t("restart-away")}</span>;
  return (
    <>
      <span className="status-cell num" data-testid="restarting">
        {t("restart-counting", { seconds })} {t("restart-turns", { count: restarting.turns })}
      </span>
      <button type="button" className="btn ghost sm" onClick={() => attempt(bridge.call("restart_gateway", { now: true }))}>
        {t("restart-now")}
      </button>
      <span className="status-cell status-model">
        <span className="cut">{t("restart-words")}</span>
      </span>
    </>
  );
}
