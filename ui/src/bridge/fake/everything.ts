// Scenes for looking at everything: one where all that can stand in the window does, and one where nobody is needed.
import type { Card, Notice } from "../bindings";
import { demo } from "./demo";
import type { FakeGateway } from "./gateway";
import { parse } from "./markdown";
import type { FakeSettings } from "./settings";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The scene of the pictures, with a plan, a failed turn, a full queue, notices, and a fault in the settings. */
export function everything(gateway: FakeGateway, settings: FakeSettings): void {
  const now = Date.now();
  demo(gateway);
  settings.fill();
  gateway.muted = [{ sessionId: "photos", title: "Index the photo archive" }];
  const said = gateway.items.get("orders") ?? [];
  gateway.items.delete("orders");
  gateway.patchSession("orders", { lastSeq: 0 });
  putFailure(gateway, now);
  for (const { seq: _seq, ...item } of said) {
    gateway.putItem(item);
    if (item.itemId === "plan") putPlan(gateway, now);
  }
  putNotices(gateway, now);
  gateway.patchSession("orders", {
    queued: [
      { admissionId: "a1", text: "Then open a pull request with the two fixes.", atMs: now - 30 * SECOND },
      { admissionId: "a2", text: "And tell me which fixtures are older than the migration.", atMs: now - 12 * SECOND },
    ],
  });
}

/** A day without questions: work that ended, and one process that goes on. */
export function calm(gateway: FakeGateway): void {
  const now = Date.now();
  const sessionId = "release";
  demo(gateway);
  for (const id of ["certificate", "orders", "lease", "backup"]) gateway.sessions.delete(id);
  gateway.items.delete("orders");
  gateway.patchSession(sessionId, { unread: 0 });
  for (const process of gateway.processes.values()) {
    if (process.processId !== "photo-index") gateway.processes.delete(process.processId);
  }
  gateway.forget();
  const base = { sessionId, atMs: now - 50 * MINUTE, streaming: false };
  gateway.putItem({ ...base, itemId: "r1", seq: 1, author: "human", kind: "message", text: "Write the release notes for 0.9 from the log." });
  gateway.putItem({ ...base, itemId: "r2", seq: 2, author: "tool", kind: "tool_call", card: card("git log --oneline v0.8..v0.9", now - 49 * MINUTE) });
  const words = "Three changes that people will notice:\n\n- Orders carry their fees\n- A refund shows what it gives back\n- The web server starts in half a second";
  gateway.putItem({ ...base, itemId: "r3", seq: 3, author: "model", kind: "message", text: words, blocks: parse(words) });
}

function card(title: string, startedAtMs: number): Card {
  return {
    id: title,
    tool: "terminal",
    title,
    status: "complete",
    details: "",
    output: "",
    outputBytes: 0,
    sources: [],
    background: false,
    startedAtMs,
    endedAtMs: startedAtMs + 400,
    exitCode: 0,
  };
}

function putFailure(gateway: FakeGateway, now: number): void {
  gateway.putTurn({ turnId: "turn-11", sessionId: "orders", number: 11, cause: "human", state: "failed", startedAtMs: now - 12 * MINUTE });
  gateway.putItem({
    itemId: "failure",
    sessionId: "orders",
    turnId: "turn-11",
    author: "system",
    kind: "failed_turn",
    atMs: now - 11 * MINUTE,
    streaming: false,
    text: "No answer: lab closed the stream half-way. Your message is kept.",
    failure: { code: "provider_stream", retryable: true },
  });
}

function putPlan(gateway: FakeGateway, now: number): void {
  const steps = [
    ["Migrate to schema 42", "complete"],
    ["Start the web server", "complete"],
    ["Run the end-to-end suite", "complete"],
    ["Fix stale fixtures", "in_progress"],
    ["Run the two files again", "pending"],
  ] as const;
  steps.forEach(([title, status], at) => {
    const { endedAtMs, ...open } = card(title, now - (9 - at) * MINUTE);
    gateway.putItem({
      itemId: `step-${at}`,
      sessionId: "orders",
      turnId: "turn-12",
      author: "model",
      kind: "plan",
      atMs: now - 9 * MINUTE,
      streaming: false,
      card: status === "complete" ? { ...open, endedAtMs: endedAtMs ?? now, status } : { ...open, status },
    });
  });
}

function putNotices(gateway: FakeGateway, now: number): void {
  const put = (noticeId: string, ago: number, title: string, more: Partial<Notice> = {}) =>
    gateway.putNotice({
      noticeId,
      kind: "process_ended",
      tone: "done",
      title,
      body: "",
      sessionId: "orders",
      sessionTitle: "Orders on the new database",
      atMs: now - ago,
      read: false,
      muted: false,
      ...more,
    });
  put("n1", 2 * MINUTE, "npm run e2e-tests exited 1", { tone: "fail", body: "118 passed, 2 failed", processId: "e2e" });
  put("n2", 8 * MINUTE, "npm run migrate exited 0", { processId: "migrate" });
  put("n3", 42 * MINUTE, "Release notes for 0.9 answered", { kind: "turn_ended", sessionId: "release", sessionTitle: "Release notes for 0.9" });
  put("n4", 2 * HOUR, "Bisect the flaky login test gave no answer", { kind: "turn_ended", tone: "fail", sessionId: "login", sessionTitle: "Bisect the flaky login test", read: true });
}
