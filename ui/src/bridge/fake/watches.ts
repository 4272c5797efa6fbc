// A scene of what tells of itself while it runs: watches that hit, watches that are over, signs of life.
import type { Card, NoteUnit } from "../wire";
import { calm } from "./everything";
import type { FakeGateway } from "./gateway";
import { parse } from "./markdown";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** See the file's head. */
export function watches(gateway: FakeGateway): void {
  const now = Date.now();
  calm(gateway);
  const sessionId = "release";
  gateway.items.delete(sessionId);
  gateway.patchSession(sessionId, { lastSeq: 0, unread: 2 });
  const base = { sessionId, streaming: false };
  const note = (itemId: string, ago: number, ...units: NoteUnit[]) =>
    gateway.putItem({ ...base, itemId, author: "machine", kind: "machine_note", atMs: now - ago, units });
  const words = "The server is up. I watch its errors, and hear of the index every ten minutes.";
  gateway.putItem({ ...base, itemId: "w-ask", author: "human", kind: "message", atMs: now - 40 * MINUTE, text: "Start the server and index the photos. Tell me when something goes wrong." });
  const startedAtMs = now - 39 * MINUTE - 4 * SECOND;
  const web = { processId: "web", command: "npm run dev -- --port 5173", startedAtMs };
  gateway.putProcess({ ...web, sessionId, turnId: "turn-4", turnNumber: 4, cwd: "~/src/orders", state: "running", attention: "ready", pid: 48_213, outputBytes: 9_412, lastOutputAtMs: now - SECOND, descendants: 3, notify: true, muted: false, pty: false, stdin: false, matches: 230 });
  const card: Card = { id: "web", tool: "terminal", title: web.command, status: "complete", details: "", output: "", outputBytes: 0, sources: [], processId: "web", background: true, startedAtMs, endedAtMs: startedAtMs + 200 };
  gateway.putItem({ ...base, itemId: "w-start", author: "tool", kind: "tool_call", atMs: startedAtMs, card });
  note("w-hit", 39 * MINUTE, watch({ pattern: "ready in", number: 1, matched: 1, durationMs: 4 * SECOND, outputTail: "VITE v6.3 ready in 412 ms\n", outputBytes: 26 }));
  gateway.putItem({ ...base, itemId: "w-say", author: "model", kind: "message", atMs: now - 38 * MINUTE, text: words, blocks: parse(words) });
  for (const number of [1, 2, 3]) note(`w-beat-${number}`, (40 - 10 * number) * MINUTE, beat(number));
  note("w-errors", 6 * MINUTE, watch({ pattern: "ERR_|no such column: .*", number: 2, matched: 3, suppressed: 14, durationMs: 33 * MINUTE, outputTail: ERRORS, outputBytes: ERRORS.length }));
  note("w-over", 5 * MINUTE, watch({ news: "too_often", pattern: null, suppressed: 212, durationMs: 34 * MINUTE }));
  note("w-paused", 4 * MINUTE, { producer: "watch", news: "paused", state: "running", durationMs: 0, outputTail: "", outputBytes: 0, command: "" });
  note("w-resumed", 3 * MINUTE, { producer: "watch", news: "resumed", state: "running", durationMs: 0, outputTail: "", outputBytes: 0, command: "", suppressed: 1 });
  note("w-many", 2 * MINUTE, watch({ pattern: "POST /api/checkout 500", number: 3, matched: 1, durationMs: 37 * MINUTE, outputTail: "POST /api/checkout 500  6 ms\n", outputBytes: 29 }), beat(4));
}

function watch(more: Partial<NoteUnit>): NoteUnit {
  return { ...about("web", "npm run dev -- --port 5173"), producer: "watch", news: "hit", ...more };
}

function beat(number: number): NoteUnit {
  const outputTail = `${(number * 9_412).toLocaleString("en")} of 96,000 files\n`;
  return { ...about("photo-index", "photo-index ~/Pictures"), producer: "heartbeat", number, durationMs: number * 10 * MINUTE, outputTail, outputBytes: number * 31_000 };
}

function about(processId: string, command: string): NoteUnit {
  return { producer: "process", processId, state: "running", durationMs: 0, outputTail: "", outputBytes: 0, command, turnId: "turn-4", turnNumber: 4 };
}

const ERRORS = "     no such column: fee_cents\n     no such column: fee_cents\nERR_STREAM_DESTROYED in /api/refunds\n";
