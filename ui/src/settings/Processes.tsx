// What happens to running processes, how many there may be, and when a turn that stands still is given up.
import type { Settings } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { NumberRow, SelectRow, SwitchRow } from "./controls";

/** The room. */
export function Processes({ settings }: { settings: Settings }) {
  const t = useText();
  return (
    <>
      <SelectRow
        name="gateway.on_quit"
        label="set-on-quit"
        effect={t("set-on-quit-effect")}
        held={settings.onQuit}
        choices={[
          ["ask", t("on-quit-ask")],
          ["leave", t("on-quit-leave")],
          ["stop", t("on-quit-stop")],
        ]}
      />
      <SelectRow
        name="display.background_process_notifications"
        label="set-process-notices"
        effect={t("set-process-notices-effect")}
        held={settings.processNotices}
        choices={[
          ["concise", t("process-notices-concise")],
          ["result", t("process-notices-result")],
          ["all", t("process-notices-all")],
          ["error", t("process-notices-error")],
          ["off", t("process-notices-off")],
        ]}
      />
      <SwitchRow name="desktop.keep_running" label="set-keep-running" effect={t("set-keep-running-effect")} held={settings.keepRunning} />
      <NumberRow name="limits.processes" label="set-limit" effect={t("set-limit-effect")} held={settings.processes} />
      <NumberRow name="limits.processes_per_session" label="set-limit-session" effect={t("set-limit-session-effect")} held={settings.processesPerSession} />
      <NumberRow name="gateway.inactivity_timeout_s" label="set-inactivity" effect={t("set-inactivity-effect")} held={settings.inactivityTimeoutS} />
    </>
  );
}
