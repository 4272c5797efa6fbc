// Says below the header that something in config.toml was not taken: one at a time, until it is mended or put away.
import { OctagonX, X } from "lucide-react";
import { useState } from "react";
import { useBridge, useSetup, useView } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { warningPlace } from "./warnings";

/** Put away in this window, by what they say: another fault of the same key is news. */
const away = new Set<string>();

/** The banner, or nothing. */
export function WarningBanner() {
  const t = useText();
  const { desktop } = useBridge();
  const { openSettings } = useView();
  const { settings } = useSetup();
  const [, drawAgain] = useState(0);
  const left = (settings?.warnings ?? []).filter((warning) => !away.has(identity(warning)));
  const [first] = left;
  if (first === undefined) return null;
  const dismiss = (): void => {
    away.add(identity(first));
    drawAgain((many) => many + 1);
  };
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
      <button type="button" className="btn ghost ic sm" title={t("warning-dismiss")} aria-label={t("warning-dismiss")} onClick={dismiss}>
        <X className="icon k" aria-hidden />
      </button>
    </div>
  );
}

function identity({ key, line, message }: { key: string; line?: number | null; message: string }): string {
  return `${key} ${line ?? ""} ${message}`;
}
