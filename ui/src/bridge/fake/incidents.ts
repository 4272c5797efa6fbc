// Incidents, and conversations that ended: the handlers, and the scenes that show them.
import type { Incident, Letter, NoteUnit } from "../wire";
import { CallError } from "../bridge";
import { calm } from "./everything";
import type { FakeGateway, Handlers } from "./gateway";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** See the file's head. */
export function incidentHandlers(gateway: FakeGateway): Pick<Handlers, "close_session" | "list_incidents" | "resolve_incident" | "deliver_unit" | "send_letter"> {
  const without = (is: (incident: Incident) => boolean, what: string): Incident => {
    const found = gateway.incidents.find(is);
    if (found === undefined) throw new CallError("not_found", `There is no such ${what}. It may have been removed.`);
    gateway.setIncidents(gateway.incidents.filter((incident) => incident !== found));
    return found;
  };
  return {
    close_session: ({ sessionId }) => {
      if (gateway.sessions.get(sessionId)?.runningTurnId != null) {
        throw new CallError("invalid_request", "A turn is running here. Stop it, then close the session.");
      }
      gateway.patchSession(sessionId, { ended: "closed" });
      return {};
    },
    list_incidents: () => ({ incidents: gateway.incidents }),
    resolve_incident: ({ incidentId }) => {
      without((incident) => incident.incidentId === incidentId, "open incident");
      return {};
    },
    send_letter: ({ letterId }) => {
      without(({ letter }) => letter?.letterId === letterId && letter.canBeSent, "words that wait for you");
      return {};
    },
    deliver_unit: ({ unitId, sessionId }) => {
      const { unit } = without((incident) => incident.unitId === unitId, "report that waits for you");
      if (unit != null) {
        gateway.putItem({ itemId: gateway.id("item"), sessionId, author: "machine", kind: "machine_note", atMs: Date.now(), streaming: false, units: [unit] });
      }
      return {};
    },
  };
}

/** Something of every kind. */
export function incidents(gateway: FakeGateway): void {
  const now = Date.now();
  calm(gateway);
  gateway.putProcess({
    processId: "e2e",
    sessionId: "docker",
    command: "npm run e2e-tests",
    cwd: "~/src/orders",
    state: "exited",
    exitCode: 1,
    startedAtMs: now - 3 * HOUR,
    endedAtMs: now - 2 * HOUR,
    outputBytes: 418 * 1024,
    descendants: 0,
    notify: true, muted: false, pty: false, stdin: false,
  });
  gateway.outputs.set("e2e", "118 passed, 2 failed: checkout.spec.ts, refund.spec.ts\n");
  const report = (incidentId: string, cause: string, ago: number, sessionId: string, unit: Partial<NoteUnit>): Incident => {
    const told = { producer: "process", state: "exited", exitCode: 0, durationMs: 41 * MINUTE, outputTail: "", outputBytes: 0, command: "", ...unit };
    return { incidentId, cause, subject: `unit-${incidentId}`, detail: told.command, atMs: now - ago, unitId: `unit-${incidentId}`, sessionId, unit: told };
  };
  const fault = (incidentId: string, cause: string, ago: number, subject: string, detail: string): Incident => ({ incidentId, cause, subject, detail, atMs: now - ago });
  gateway.setIncidents([
    report("gone", "report_dropped_target_gone", 2 * HOUR, "docker", { processId: "e2e", exitCode: 1, command: "npm run e2e-tests" }),
    fault("stop", "stop_failed", 3 * HOUR, "photo-index", "Alive in spite of every signal: 47001"),
    fault("config", "config", 4 * HOUR, "/home/ada/.local/share/gatehouse/profiles/default/config.toml", 'look.theme: "darkk" is none of system, light, dark. The default, system, applies.'),
    fault("restored", "storage_restored", DAY, "2031-05-04T03-00-00Z.db", "The data is that of the backup. 3 reports that it still owed are held until you let them go."),
    report("held", "report_held", DAY + HOUR, "router", { command: "pg_dump orders > ~/backups/orders.sql" }),
  ]);
  gateway.forget();
}

/** Words to channels that wait for a person. */
export function letters(gateway: FakeGateway): void {
  const now = Date.now();
  calm(gateway);
  const unsent = (incidentId: string, cause: string, ago: number, detail: string, letter: Partial<Letter>): Incident => {
    const whole = { letterId: incidentId, platform: "slack", chat: "Ada", text: "", files: [], sinceMs: now - ago, canBeSent: cause !== "outbox_declined", ...letter };
    return { incidentId, cause, subject: incidentId, detail, atMs: now - ago, sessionId: "docker", letter: whole };
  };
  gateway.setIncidents([
    unsent("held", "letter_held", 3 * HOUR, "", { text: "The image is 412 MB smaller now. What helped most was the second stage: the compilers stay behind, and only what they made is copied over. The tests pass in it." }),
    unsent("files", "letter_held", 3 * HOUR, "", { files: ["sizes.csv", "before-and-after.png"] }),
    unsent("old", "outbox_abandoned", DAY, "matrix: not sent for a day", { platform: "matrix", chat: "#builds", text: "The nightly build is green again." }),
    unsent("declined", "outbox_declined", 2 * DAY, "slack: not approved", { chat: "#general", text: "The nightly build failed." }),
  ]);
  gateway.forget();
}

/** A conversation that ended, and the one that goes on. */
export function ended(gateway: FakeGateway): void {
  calm(gateway);
  gateway.patchSession("docker", { title: "Release notes for 1.0", lastSeq: 0 });
  gateway.patchSession("release", { ended: "new_session", nextSessionId: "docker", unread: 0 });
  gateway.forget();
}

/** A conversation that was closed. */
export function closed(gateway: FakeGateway): void {
  calm(gateway);
  gateway.patchSession("release", { ended: "closed", unread: 0 });
  gateway.forget();
}
