// What this is, where it keeps its files, and what of config.toml was not taken.
import type { ReactNode } from "react";
import type { Place, Settings } from "../bridge/wire";
import { useBridge, useSetup } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { FieldError } from "./Row";
import { warningPlace } from "./warnings";

/** The room. */
export function About({ settings }: { settings: Settings }) {
  const t = useText();
  const { health } = useSetup();
  return (
    <>
      <div className="set-about">
        <img src="/icon.svg" width={48} height={48} alt="" />
        <div>
          <p className="set-label">{t("app-name")}</p>
          <p className="set-effect num" data-row="set-version" tabIndex={-1}>
            {health === null ? "" : t("version-of", { version: health.version })}
          </p>
        </div>
      </div>
      <PlaceRow row="set-file" place="settings">
        {settings.path}
      </PlaceRow>
      <PlaceRow row="set-data" place="data">
        {settings.dataDir}
      </PlaceRow>
      <PlaceRow row="set-logs" place="logs" words>
        {t("set-logs-effect")}
      </PlaceRow>
      <section data-row="set-warnings" tabIndex={-1} aria-label={t("set-warnings")}>
        <h2 className="set-group">{t("set-warnings")}</h2>
        {settings.warnings.length === 0 ? <p className="set-none">{t("warnings-none")}</p> : null}
        <ul>
          {settings.warnings.map((warning) => (
            <li className="set set-warning" key={`${warning.key} ${warning.line ?? ""}`}>
              <FieldError>
                <b>{warningPlace(t, warning)}</b> {warning.message}
              </FieldError>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function PlaceRow({ row, place, words = false, children }: { row: string; place: Place; words?: boolean; children: ReactNode }) {
  const t = useText();
  const { desktop } = useBridge();
  return (
    <div className="set" data-row={row} tabIndex={-1}>
      <p className="set-label">{t(row)}</p>
      <div className="set-control">
        {desktop === null ? null : (
          <button type="button" className="btn" aria-label={t("place-open-of", { name: t(row) })} onClick={() => void desktop.openPlace(place)}>
            {t("place-open")}
          </button>
        )}
      </div>
      <p className={words ? "set-effect" : "set-effect mono set-path"}>{children}</p>
    </div>
  );
}
