// One session's transcript: a window of rows over a stretch of items. What is being read never moves; the end is followed
// only by who is at the end.
import { ArrowDown, Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { useSession, useSetup, useSlice, useStore, useStretch } from "../feed/hooks";
import type { Stretch } from "../feed/state";
import { NoModel, useNoModel } from "../firstrun/NoModel";
import { useText } from "../l10n/l10n";
import { clock, count } from "../shared/format";
import { isStarter } from "../shared/model";
import { JumpRail } from "./JumpRail";
import { useLookAt } from "../desktop/lookAt";
import { useMarkRead } from "./markRead";
import { useTarget } from "./target";
import { Row } from "./Row";
import { useTranscriptList } from "./list";
import { useUnreadLine } from "./unread";
import "./transcript.css";

const PATIENCE_MS = 300;

/** The transcript of a session, or why it is not there yet. */
export function Transcript({ sessionId }: { sessionId: string }) {
  const stretch = useStretch(sessionId);
  const error = useSlice((store) => store.pages.errors.get(sessionId));
  if (stretch === undefined) {
    return error === undefined ? <Opening sessionId={sessionId} /> : <Unread sessionId={sessionId} message={error.message} />;
  }
  if (stretch.items.length === 0) return <Blank />;
  return (
    <>
      <Rows key={sessionId} sessionId={sessionId} stretch={stretch} />
      {error === undefined ? null : <MoreUnread sessionId={sessionId} message={error.message} />}
    </>
  );
}

function Rows({ sessionId, stretch }: { sessionId: string; stretch: Stretch }) {
  "use no memo"; // The list object changes in place, so its readings must be taken anew on every render.
  const t = useText();
  const session = useSession(sessionId);
  const lastSeq = session?.lastSeq ?? 0;
  const { setScroll, measure, ...list } = useTranscriptList(sessionId, stretch, lastSeq);
  const unread = useUnreadLine(stretch, lastSeq, session?.unread ?? 0);
  useMarkRead(sessionId, list.atEnd);
  useLookAt(sessionId, list.atEnd);
  const target = useTarget(sessionId, list.showSeq);
  return (
    <div className="transcript">
      <div className="scroll" ref={setScroll} tabIndex={0} role="region" aria-label={t("transcript-label")}>
        <div className="extent" style={{ height: list.height }}>
          <div className="rows" style={{ transform: `translateY(${list.offset}px)` }}>
            {list.rows.map(({ item, index, joined }) => (
              <Row key={item.itemId} item={item} index={index} joined={joined} measure={measure} target={item.seq === target}>
                {item.seq === unread?.seq ? <p className="unread-line">{t("transcript-unread", { count: unread.count, since: clock(item.atMs) })}</p> : null}
              </Row>
            ))}
          </div>
        </div>
      </div>
      {list.inRoom ? <Opening sessionId={sessionId} /> : null}
      <JumpRail items={stretch.items} currentSeq={list.topSeq} onJump={list.showSeq} />
      {list.atEnd ? null : (
        <button type="button" className="btn jump-latest" onClick={list.showEnd}>
          <ArrowDown className="icon k" aria-hidden />
          {list.unseen > 0 ? t("transcript-jump-new", { count: list.unseen }) : t("transcript-jump")}
        </button>
      )}
    </div>
  );
}

/** Nothing for a moment, then the size of what is being read. */
function Opening({ sessionId }: { sessionId: string }) {
  const t = useText();
  const lastSeq = useSession(sessionId)?.lastSeq ?? 0;
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="transcript-state">
      {patient ? null : <p className="t3">{t("transcript-opening", { count: count(lastSeq) })}</p>}
    </div>
  );
}

function Unread({ sessionId, message }: { sessionId: string; message: string }) {
  const t = useText();
  const store = useStore();
  return (
    <div className="transcript-state" role="alert">
      <p className="state-fact">{t("transcript-failed")}</p>
      <p className="t2">{message}</p>
      <button type="button" className="btn" onClick={() => store.pages.readAgain(sessionId)}>
        {t("transcript-again")}
      </button>
    </div>
  );
}

/** Below the part that is held, so that what is read there stays where it is. */
function MoreUnread({ sessionId, message }: { sessionId: string; message: string }) {
  const t = useText();
  const store = useStore();
  return (
    <div className="banner fail" role="alert">
      <Unplug className="icon" aria-hidden />
      <span>
        <b>{t("transcript-more-failed")}</b> {message}
      </span>
      <span className="grow" />
      <button type="button" className="btn sm" onClick={() => store.pages.readAgain(sessionId)}>
        {t("transcript-again")}
      </button>
    </div>
  );
}

function Blank() {
  const t = useText();
  const noModel = useNoModel();
  const { health } = useSetup();
  const chatOnly = health?.modelChatOnly === true;
  return (
    <div className="transcript-state">
      <p className="state-fact">{t("transcript-empty")}</p>
      {noModel ? <NoModel /> : <p className="t2">{chatOnly ? t("transcript-empty-chat") : t("transcript-empty-how")}</p>}
      {health?.model != null && chatOnly ? <p className="t2 state-note">{isStarter(health.model, true) ? t("starter-note") : t("chat-only-note")}</p> : null}
    </div>
  );
}
