// One incident: what, about what, why, and the buttons that mend it.
import { useState } from "react";
import type { Incident, Letter } from "../bridge/wire";
import { useProcess, useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { producerOutcome } from "../note/words";
import { FieldError } from "../settings/Row";
import { fullTime, when } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { Destinations } from "./Destinations";
import { type Mending, useMending } from "./mending";
import { isHeldLetter, isReport, said } from "./words";

interface IncidentRowProps {
  incident: Incident;
  now: number;
  /** The rows are one stop of the tab key; arrows go on from it. */
  stop: boolean;
  onClose: () => void;
}

/** The row. */
export function IncidentRow({ incident, now, stop, onClose }: IncidentRowProps) {
  const t = useText();
  const mending = useMending(incident, onClose);
  const [choosing, setChoosing] = useState(false);
  const { glyph, what, why } = said(incident, t);
  return (
    <article className="notice" data-notice data-incident={incident.incidentId} data-cause={incident.cause} tabIndex={stop ? 0 : -1} aria-label={what}>
      <Glyph name={glyph} />
      <div className="notice-text">
        <p className="notice-what">
          <span>{what}</span>
          <time className="notice-when num" dateTime={new Date(incident.atMs).toISOString()} title={fullTime(incident.atMs)}>
            {when(incident.atMs, now)}
          </time>
        </p>
        <About incident={incident} />
        <p className="t2 small incident-why">{why}</p>
        <Buttons incident={incident} mending={mending} choosing={choosing} onChoose={() => setChoosing(!choosing)} />
        {choosing ? <Destinations except={mending.here?.sessionId} onChosen={mending.deliver} onClose={() => setChoosing(false)} /> : null}
        {mending.error === null ? null : <FieldError>{mending.error}</FieldError>}
      </div>
    </article>
  );
}

/** The command and how it went; of a report also where it belonged. */
function About({ incident }: { incident: Incident }) {
  const t = useText();
  const { unit, cause, subject } = incident;
  const process = useProcess(cause === "stop_failed" ? subject : null);
  const session = useSession(incident.sessionId ?? process?.sessionId ?? null);
  const command = unit?.command ?? process?.command ?? "";
  const outcome = unit == null ? undefined : producerOutcome(unit, t);
  return (
    <>
      {command === "" ? null : (
        <p className="notice-command">
          {command} {outcome === undefined ? null : <span className={`incident-outcome tone-${outcome.tone}`}>{outcome.words}</span>}
        </p>
      )}
      {session === undefined ? null : <p className="t2 small cut">{t("incident-in", { title: session.title === "" ? t("session-untitled") : session.title })}</p>}
      {incident.letter == null ? null : <LetterWords letter={incident.letter} />}
    </>
  );
}

/** To whom, and the beginning of what. */
function LetterWords({ letter: { chat, text, files } }: { letter: Letter }) {
  const t = useText();
  return (
    <>
      {chat === "" ? null : <p className="t2 small cut">{t("letter-to", { chat })}</p>}
      <p className="incident-letter small">{files.length === 0 ? text : files.join(", ")}</p>
    </>
  );
}

interface ButtonsProps {
  incident: Incident;
  mending: Mending;
  choosing: boolean;
  onChoose: () => void;
}

function Buttons({ incident, mending, choosing, onChoose }: ButtonsProps) {
  const t = useText();
  const { here, deliver, openProcess, openRoom, send } = mending;
  const report = isReport(incident);
  const held = isHeldLetter(incident);
  const isOnly = !report && openProcess === null && openRoom === null && send === null;
  return (
    <div className="notice-actions incident-actions">
      {report && here !== null ? (
        <button type="button" className="btn sm" onClick={() => deliver(here.sessionId)} title={t("incident-deliver-to", { title: here.title })}>
          {t("incident-deliver")}
        </button>
      ) : null}
      {report ? (
        <button type="button" className={here === null ? "btn sm" : "btn ghost sm"} aria-expanded={choosing} onClick={onChoose}>
          {t("incident-elsewhere")}
        </button>
      ) : null}
      {openProcess === null ? null : (
        <button type="button" className={report ? "btn ghost sm" : "btn sm"} onClick={openProcess}>
          {report ? t("incident-output") : t("open-process")}
        </button>
      )}
      {openRoom === null ? null : (
        <button type="button" className="btn sm" onClick={openRoom}>
          {t("settings-open")}
        </button>
      )}
      {send === null ? null : (
        <button type="button" className="btn sm" onClick={send}>
          {held ? t("letter-send") : t("letter-again")}
        </button>
      )}
      <button type="button" className={isOnly ? "btn sm" : "btn ghost sm"} onClick={mending.dismiss}>
        {held ? t("letter-discard") : t("incident-dismiss")}
      </button>
    </div>
  );
}
