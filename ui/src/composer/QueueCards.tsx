// Messages that wait for the running turn.
import { ChevronDown, ChevronRight, CornerDownLeft } from "lucide-react";
import { useSession } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useDisclosure } from "../shared/disclosure";

/** More than this fold into one row. */
const SHOWN = 3;

/** One row for each waiting message. */
export function QueueCards({ sessionId }: { sessionId: string }) {
  const t = useText();
  const queued = useSession(sessionId)?.queued ?? [];
  const [open, toggle] = useDisclosure(`queue ${sessionId}`, false);
  if (queued.length === 0) return null;
  const folded = queued.length > SHOWN;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <ul className="queue" aria-label={t("queue-label")}>
      {folded && (
        <li>
          <button type="button" className="queue-card" aria-expanded={open} onClick={toggle}>
            <CornerDownLeft className="icon" strokeWidth={1.75} aria-hidden />
            <span className="queue-text">{t("queue-many", { count: queued.length })}</span>
            <Chevron className="icon k" aria-hidden />
          </button>
        </li>
      )}
      {(!folded || open) &&
        queued.map((message) => (
          <li key={message.admissionId} className="queue-card">
            <CornerDownLeft className="icon" strokeWidth={1.75} aria-hidden />
            <span className="queue-tag">{t("queued")}</span>
            <span className="queue-text" title={message.text} dir="auto">
              {message.text}
            </span>
          </li>
        ))}
    </ul>
  );
}
