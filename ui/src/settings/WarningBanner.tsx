// Says below the header that something in config.toml was not taken: one at a time, until it is mended or put away.
import { OctagonX, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useBridge, useSetup, useView } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { warningPlace } from "./warnings";

/** Put away in this window, by what they say: another fault of the same key is news. */
let away: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function putAway(what: string): void {
  away = new Set([...away, what]);
  for (const listener of listeners) listener();
}

/** The banner, or nothing. */
export function WarningBanner() {
  const t = useText();
  const { desktop } = useBridge();
  const { openSettings } = useView();
  const { settings } = useSetup();
  const gone = useSyncExternalStore(subscribe, () => away);
  const left = (settings?.warnings ?? []).filter((warning) => !gone.has(identity(warning)));
  const [first] = left;
  if (first === undefined) return null;
  return (
    <div className="banner fail" role="alert" data-testid="settings-warning">
      <OctagonX className="icon set-fail" aria-hidden />
      <p className="grow">
        <b>{warningPlace(t, first)}</b> {first.message} {left.length > 1 ? t("warning-more", { count: left.length - 1 }) : ""}
      </p>
      {desktop === null ? null : (
        <button type="button" className="btn sm" onClick={() => void desktop.openPlace("settings")}>
          {t("settings-open-file")}
        </button>
      )}
      <button type="button" className="btn sm" onClick={() => openSettings("about")}>
        {t("settings-open")}
      </button>
      <button type="button" className="btn ghost ic sm" title={t("warning-dismiss")} aria-label={t("warning-dismiss")} onClick={() => putAway(identity(first))}>
        <X className="icon k" aria-hidden />
      </button>
    </div>
  );
}

function identity({ key, line, message }: { key: string; line?: number | null; message: string }): string {
  return `${key} ${line ?? ""} ${message}`;
}
