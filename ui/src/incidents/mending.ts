// What can be done about an incident, and why it did not work.
import { useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { Incident, Process } from "../bridge/wire";
import { type SectionName, useProcess, useSelection, useSession, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { announce } from "../shared/announce";
import { isBackup } from "./words";

/** A conversation that takes a report. */
export interface Here {
  readonly sessionId: string;
  readonly title: string;
}

/** The ways. What is absent cannot be done. */
export interface Mending {
  /** The open conversation, or the one that goes on in its place. */
  readonly here: Here | null;
  /** Why the last one did not work. */
  readonly error: string | null;
  readonly openProcess: (() => void) | null;
  readonly openRoom: (() => void) | null;
  /** Sends the words to their channel. */
  readonly send: (() => void) | null;
  deliver(sessionId: string): void;
  dismiss(): void;
}

/** The ways for one incident. */
export function useMending(incident: Incident, onClose: () => void): Mending {
  const t = useText();
  const store = useStore();
  const { sessionId } = useSelection();
  const open = useSession(sessionId);
  const next = useSession(open?.nextSessionId ?? null);
  const process = useProcess(processOf(incident));
  const [error, setError] = useState<string | null>(null);
  const room = roomOf(incident);
  const untitled = t("session-untitled");
  const attempt = (done: Promise<unknown>, then: () => void): void => {
    done.then(then, (reason: unknown) => setError(t("not-done", { reason: asCallError(reason).message })));
  };
  const takes = next ?? open;
  return {
    here: takes === undefined ? null : { sessionId: takes.sessionId, title: takes.title === "" ? untitled : takes.title },
    error,
    openProcess: process === undefined ? null : () => show(process),
    openRoom: room === null ? null : () => {
      onClose();
      store.openSettings(room);
    },
    send: incident.letter?.canBeSent === true ? () => sendLetter(incident.letter?.letterId ?? "") : null,
    deliver: (to) => {
      const title = store.state.sessions.get(to)?.title || untitled;
      attempt(store.bridge.call("deliver_unit", { unitId: incident.unitId ?? "", sessionId: to }), () => announce(t("incident-delivered", { title })));
    },
    dismiss: () => attempt(store.bridge.call("resolve_incident", { incidentId: incident.incidentId }), () => announce(t("incident-dismissed"))),
  };

  function sendLetter(letterId: string): void {
    attempt(store.bridge.call("send_letter", { letterId }), () => announce(t("letter-sent")));
  }

  function show(row: Process): void {
    onClose();
    store.openSession(row.sessionId);
    store.openProcess(row.processId);
  }
}

/** The process that it is about. */
function processOf({ cause, subject, unit }: Incident): string | null {
  return cause === "stop_failed" ? subject : (unit?.processId ?? null);
}

/** The room of the settings where it is mended. */
function roomOf(incident: Incident): SectionName | null {
  if (isBackup(incident) || incident.cause === "storage_not_restored") return "data";
  return incident.cause === "config" ? "about" : null;
}
