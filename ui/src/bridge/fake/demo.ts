// The scene of the pictures: a migration with a failed suite, a question, and processes beside it.
import type { Card, Item, Process } from "../wire";
import type { FakeGateway } from "./gateway";
import { parse } from "./markdown";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Fills the gateway. */
export function demo(gateway: FakeGateway): void {
  const now = Date.now();
  fillSessions(gateway, now);
  fillTranscript(gateway, now);
  fillProcesses(gateway, now);
}

function fillSessions(gateway: FakeGateway, now: number): void {
  const row = (sessionId: string, title: string, group: string, ago: number, more: object = {}) =>
    gateway.putSession({
      sessionId,
      title,
      group,
      unread: 0,
      summary: "",
      lastAtMs: now - ago,
      reaping: 0,
      pendingApprovals: 0,
      runningProcesses: 0,
      failed: false,
      queued: [], queuePaused: false, muted: false,
      lastSeq: 0,
      ...more,
    });
  const queued = [{ admissionId: "a1", text: "Then open a pull request with the two fixes.", atMs: now - 30 * SECOND }];
  row("certificate", "Renew the staging certificate", "needs_you", 6 * MINUTE, { runningProcesses: 1 });
  row("orders", "Orders on the new database", "needs_you", 48 * SECOND, {
    summary: "Allow a command: rm -rf ./tmp/e2e-cache",
    pendingApprovals: 1,
    runningProcesses: 1,
    runningTurnId: "turn-12",
    queued,
  });
  row("photos", "Index the photo archive", "running", 72 * MINUTE, { summary: "41,208 of 96,000 files", runningProcesses: 1 });
  row("lease", "Read the lease contract", "running", 22 * SECOND, { summary: "Writing an answer", runningTurnId: "turn-l" });
  row("backup", "Nightly backup check", "running", 3 * MINUTE, { summary: "Comparing 12 snapshots", runningTurnId: "turn-b" });
  row("release", "Release notes for 0.9", "done_today", 42 * MINUTE, { unread: 2, lastSeq: 24 });
  row("login", "Bisect the flaky login test", "done_today", 2 * HOUR, { unread: 1, failed: true, lastSeq: 24 });
  row("docker", "Shrink the Docker image", "done_today", 4 * HOUR, { lastSeq: 24 });
  row("router", "Router firmware notes", "earlier", 2 * DAY);
  row("sqlite", "Compare three SQLite pools", "earlier", 3 * DAY);
  row("guide", "Translate the user guide", "earlier", 4 * DAY);
  row("cron", "Why does cron skip Sundays", "earlier", 5 * DAY);
}

function fillTranscript(gateway: FakeGateway, now: number): void {
  const sessionId = "orders";
  const turnId = "turn-12";
  gateway.putTurn({ turnId, sessionId, number: 12, cause: "human", state: "running", startedAtMs: now - 9 * MINUTE });
  const put = (itemId: string, ago: number, item: Partial<Item> & Pick<Item, "author" | "kind">) =>
    gateway.putItem({ itemId, sessionId, turnId, atMs: now - ago, streaming: false, ...item });
  const say = (itemId: string, ago: number, text: string) =>
    put(itemId, ago, { author: "model", kind: "message", text, blocks: parse(text) });
  const ran = (itemId: string, ago: number, more: Partial<Card> & Pick<Card, "title">) =>
    put(itemId, ago, { author: "tool", kind: "tool_call", card: makeCard(itemId, now - ago, more) });

  put("ask", 9 * MINUTE, {
    author: "human",
    kind: "message",
    text: "Move the dev database to schema 42, keep the web server up, and run the end-to-end suite in the background. Tell me what breaks.",
  });
  say("plan", 9 * MINUTE - SECOND, "I'll migrate first, then start the server and wait until it answers on port 5173 before the suite runs.");
  ran("migrate", 8 * MINUTE, { title: "npm run migrate -- --to 42", output: "applied 041_fees\napplied 042_fee_cents\n2 migrations applied", outputBytes: 55, exitCode: 0, endedAtMs: now - 8 * MINUTE + 4200 });
  ran("web", 7 * MINUTE, { title: "npm run dev -- --port 5173", background: true, processId: "web", endedAtMs: now - 7 * MINUTE + 2100 });
  ran("tests", 6 * MINUTE, { title: "npm run e2e-tests", background: true, processId: "e2e", endedAtMs: now - 6 * MINUTE + 200 });
  put("note", 2 * MINUTE, {
    author: "machine",
    kind: "machine_note",
    units: [
      {
        producer: "process",
        processId: "e2e",
        state: "exited",
        exitCode: 1,
        durationMs: 3 * MINUTE + 12 * SECOND,
        outputTail: "118 passed, 2 failed: checkout.spec.ts, refund.spec.ts\n",
        outputBytes: 418 * 1024,
        command: "npm run e2e-tests",
        turnId,
        turnNumber: 12,
      },
    ],
  });
  say("cause", MINUTE, "Both failures read fixtures that were written before the migration. The server itself is fine. I'd clear the fixture cache and run only those two files.");
  ran("clear", 48 * SECOND, { title: "rm -rf ./tmp/e2e-cache", status: "pending", annotation: "needs_input" });
  put("question", 48 * SECOND, {
    author: "system",
    kind: "approval",
    approvalId: "approval-1",
    state: "pending",
    choices: ["once", "session", "always", "pattern", "deny"],
    expiresAtMs: now + 4 * MINUTE,
    command: "rm -rf ./tmp/e2e-cache",
    cwd: "~/src/orders",
    dangers: ["Deletes a folder and everything in it."],
    purpose: "To rebuild stale test fixtures.",
    suggestedPattern: "rm -rf ./tmp/*",
    cardId: "clear",
  });
}

function makeCard(id: string, startedAtMs: number, more: Partial<Card> & Pick<Card, "title">): Card {
  return {
    id,
    tool: "terminal",
    status: "complete",
    details: "",
    output: "",
    outputBytes: 0,
    sources: [],
    background: false,
    startedAtMs,
    ...more,
  };
}

function fillProcesses(gateway: FakeGateway, now: number): void {
  const put = (processId: string, command: string, ago: number, more: Partial<Process>) =>
    gateway.putProcess({
      processId,
      sessionId: "orders",
      turnId: "turn-12",
      turnNumber: 12,
      command,
      cwd: "~/src/orders",
      state: "running",
      pid: 48_213,
      startedAtMs: now - ago,
      outputBytes: 0,
      descendants: 0,
      notify: true, muted: false, pty: false, stdin: false,
      ...more,
    });
  put("web-old", "npm run dev -- --port 5173", 20 * MINUTE, { state: "killed", stoppedBy: "user", endedAtMs: now - 9 * MINUTE });
  put("migrate", "npm run migrate -- --to 42", 8 * MINUTE, { state: "exited", exitCode: 0, endedAtMs: now - 8 * MINUTE + 4200 });
  put("e2e", "npm run e2e-tests", 6 * MINUTE, { state: "exited", exitCode: 1, endedAtMs: now - 2 * MINUTE, outputBytes: 418 * 1024 });
  put("photo-index", "photo-index ~/Pictures", 72 * MINUTE, { sessionId: "photos", pid: 47_001, lastOutputAtMs: now - SECOND, outputBytes: 96_000 });
  put("certbot", "certbot renew --staging", 6 * MINUTE, { sessionId: "certificate", attention: "needs_input", pid: 48_900, outputBytes: 412 });
  put("web", "npm run dev -- --port 5173", 5 * MINUTE, { attention: "ready", descendants: 3, stdin: true, outputBytes: WEB_LOG.length, lastOutputAtMs: now - 12 * SECOND });
  gateway.outputs.set("web", WEB_LOG);
  gateway.outputs.set("e2e", "118 passed, 2 failed: checkout.spec.ts, refund.spec.ts\n");
}

const WEB_LOG = `\u001b[36m$ npm run dev -- --port 5173\u001b[0m
\u001b[32mVITE v6.3\u001b[0m ready in 412 ms
Local: http://localhost:5173/
GET  /api/orders   \u001b[32m200\u001b[0m 18 ms
GET  /api/refunds  \u001b[32m200\u001b[0m 11 ms
POST /api/checkout \u001b[32m201\u001b[0m 32 ms
GET  /api/orders   \u001b[32m200\u001b[0m  9 ms
POST /api/checkout \u001b[31m500\u001b[0m  6 ms
     \u001b[31mno such column: fee_cents\u001b[0m
GET  /api/orders   \u001b[32m200\u001b[0m  8 ms
page reload src/refund.ts
`;
