// What the system is told, and when it is told nothing.
import { useEffect, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { DesktopState, Settings } from "../bridge/wire";
import { useBridge, useSetup, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { clock } from "../shared/format";
import { useSecondTick } from "../shared/tick";
import { SwitchRow } from "./controls";
import { MutedList } from "./MutedList";
import { QuietHours } from "./QuietHours";
import { FieldError } from "./Row";

const HOUR_MS = 3_600_000;

/** The room. */
export function Notices({ settings: { notifications } }: { settings: Settings }) {
  const t = useText();
  return (
    <>
      <SwitchRow name="notifications.completions" label="set-completions" effect={t("set-completions-effect")} held={notifications.completions} />
      <SwitchRow name="notifications.approvals" label="set-questions" effect={t("set-questions-effect")} held={notifications.approvals} />
      <SwitchRow name="notifications.turns" label="set-turns" effect={t("set-turns-effect")} held={notifications.turns} />
      <SwitchRow name="notifications.approve_from_toast" label="set-toast-approve" effect={t("set-toast-approve-effect")} held={notifications.approveFromToast} />
      <QuietHours from={notifications.quietFrom ?? ""} to={notifications.quietTo ?? ""} />
      <Quiet />
      <SystemState />
      <MutedList />
    </>
  );
}

function Quiet() {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const { quietUntilMs } = useSetup();
  const [error, setError] = useState<string | null>(null);
  const now = useSecondTick(false);
  const quiet = quietUntilMs !== null && quietUntilMs > now;
  useEffect(() => {
    if (quietUntilMs === null) return undefined;
    // The end of the quiet is no change of any row, so nobody tells it.
    const timer = setTimeout(() => void store.setup.read(), Math.max(0, quietUntilMs - Date.now()) + 1000);
    return () => clearTimeout(timer);
  }, [store, quietUntilMs]);
  const set = (untilMs: number | null): void => {
    bridge.call("set_quiet", { untilMs }).then(
      () => {
        setError(null);
        return store.setup.read();
      },
      (reason: unknown) => setError(asCallError(reason).message),
    );
  };
  return (
    <div className="set" data-row="set-quiet">
      <p className="set-label">{t("set-quiet")}</p>
      <div className="set-control">
        <button type="button" className="btn" data-testid="set-quiet" onClick={() => set(quiet ? null : Date.now() + HOUR_MS)}>
          {quiet ? t("quiet-end") : t("quiet-hour")}
        </button>
      </div>
      <p className="set-effect num">{quiet ? t("set-quiet-until", { time: clock(quietUntilMs) }) : t("set-quiet-effect")}</p>
      {error === null ? null : <FieldError>{error}</FieldError>}
    </div>
  );
}

/** Whether the system takes notices at all. */
function SystemState() {
  const t = useText();
  const { desktop } = useBridge();
  const [state, setState] = useState<DesktopState | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    desktop?.state().then(setState, (reason: unknown) => setError(asCallError(reason).message));
  }, [desktop]);
  const problem = error ?? state?.notificationsProblem ?? null;
  return (
    <div className="set" data-row="set-system-notices" tabIndex={-1}>
      <p className="set-label">{t("set-system-notices")}</p>
      <p className="set-effect">{desktop === null ? t("system-notices-browser") : state?.tray === false ? t("system-notices-no-tray") : t("system-notices-fine")}</p>
      {problem === null ? null : <FieldError>{problem}</FieldError>}
    </div>
  );
}
