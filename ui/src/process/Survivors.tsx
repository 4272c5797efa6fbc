// Somebody is left although everything was tried, or the stop itself went wrong: a person has to decide.
import type { Process } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { listed } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { alive } from "./order";
import { useSample } from "./samples";
import { pressStop, useStop } from "./stop";

/** The banner of a stop that did not end everything, until nothing of it lives. */
export function Survivors({ process }: { process: Process }) {
  const t = useText();
  const bridge = useBridge();
  const stop = useStop(process.processId);
  // Only what was measured of those who are left, never what was known of the whole before.
  const ports = useSample(process.processId)?.ports ?? [];
  if (!alive(process)) return null;
  if (stop.trouble !== null) {
    return (
      <div className="survivors survivors-failed" role="alert">
        <Glyph name="failed" />
        <span>{t("process-stop-failed", { reason: stop.trouble })}</span>
      </div>
    );
  }
  if (stop.survivors.length === 0) return null;
  const count = stop.survivors.length;
  return (
    <div className="survivors" role="alert">
      <Glyph name="alert" />
      <span className="survivors-words">
        <b>{t("survivors", { count })}</b>
        <span>
          {t("survivors-who", { pids: listed(stop.survivors), count })}
          {ports.length > 0 && ` ${t("survivors-hold", { count, ports: t("survivors-ports", { count: ports.length, ports: listed(ports) }) })}`}
        </span>
      </span>
      <button type="button" className="btn sm process-kill" onClick={() => void pressStop(bridge, process)}>
        {t("survivors-kill", { count })}
      </button>
    </div>
  );
}
