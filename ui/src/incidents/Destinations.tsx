// The conversations that can take a report.
import { type KeyboardEvent, useEffect, useRef } from "react";
import { useSessions } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { when } from "../shared/format";
import { moveFocus } from "../shared/keyboard";
import { useSecondTick } from "../shared/tick";

/** Older ones are found by opening them first. */
const MOST = 50;

interface DestinationsProps {
  /** Where it can be delivered by another button. */
  except: string | undefined;
  onChosen: (sessionId: string) => void;
  onClose: () => void;
}

/** The list, the latest first. */
export function Destinations({ except, onChosen, onClose }: DestinationsProps) {
  const t = useText();
  const list = useRef<HTMLUListElement>(null);
  const sessions = useSessions()
    .filter((session) => session.ended == null && session.sessionId !== except)
    .toSorted((a, b) => b.lastAtMs - a.lastAtMs)
    .slice(0, MOST);
  const now = useSecondTick(false);
  useEffect(() => list.current?.querySelector("button")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      list.current?.closest<HTMLElement>("[data-notice]")?.focus();
      onClose();
    } else moveFocus(event, list.current, "button");
  };
  if (sessions.length === 0) return <p className="t2 small">{t("incident-nowhere")}</p>;
  return (
    <ul ref={list} className="incident-places" aria-label={t("incident-elsewhere")} onKeyDown={onKeyDown}>
      {sessions.map((session, at) => (
        <li key={session.sessionId}>
          <button type="button" className="incident-place" tabIndex={at === 0 ? 0 : -1} onClick={() => onChosen(session.sessionId)}>
            <span className="cut">{session.title === "" ? t("session-untitled") : session.title}</span>
            <span className="t2 small num">{when(session.lastAtMs, now)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
