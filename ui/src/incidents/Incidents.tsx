// What was dropped or failed and nobody has dealt with: one row each, with what happened, why, and what mends it.
import { Check } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useIncidents } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useFocusBack } from "../shared/focusback";
import { moveFocus } from "../shared/keyboard";
import { IncidentRow } from "./IncidentRow";
import { ordered } from "./words";
import "../notices/notices.css";
import "./incidents.css";

/** The open list. */
export function Incidents({ onClose }: { onClose: () => void }) {
  const t = useText();
  const panel = useRef<HTMLElement>(null);
  const incidents = ordered(useIncidents());
  const [now] = useState(() => Date.now());
  useFocusBack();
  useEffect(() => {
    // At first, and when the row that had the focus is gone.
    if (panel.current?.contains(document.activeElement) === true) return;
    (panel.current?.querySelector<HTMLElement>("[data-notice][tabindex='0']") ?? panel.current)?.focus();
  }, [incidents.length]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else moveFocus(event, panel.current, "[data-notice]");
  };
  return (
    <>
      <button type="button" className="notices-away" tabIndex={-1} aria-label={t("incidents-close")} onClick={onClose} />
      <section ref={panel} className="notices incidents" role="dialog" aria-label={t("incidents")} tabIndex={-1} data-testid="incidents" onKeyDown={onKeyDown}>
        <header className="notices-head">
          <h2 className="notices-title">{t("incidents")}</h2>
        </header>
        <div className="notices-list">
          {incidents.map((incident, at) => (
            <IncidentRow key={incident.incidentId} incident={incident} now={now} stop={at === 0} onClose={onClose} />
          ))}
          {incidents.length === 0 ? <Nothing /> : null}
        </div>
      </section>
    </>
  );
}

function Nothing() {
  const t = useText();
  return (
    <div className="notices-none">
      <Check className="state-glyph" strokeWidth={1.5} aria-hidden />
      <p className="state-fact">{t("incidents-none")}</p>
    </div>
  );
}
