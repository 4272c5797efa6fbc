// What the in-memory gateway holds when a page opens.
import type { Item } from "../bindings";
import type { FakeGateway } from "./gateway";
import { delegated, subAgent } from "./delegated";
import { demo } from "./demo";
import { calm, everything } from "./everything";
import { closed, ended, incidents, letters } from "./incidents";
import { files } from "./files";
import { lines } from "./lines";
import { parse } from "./markdown";
import { railChat, railEmpty, railFlood, railMany, railNeeds, railRunning, railSurvivors, railTerminal } from "./rail";
import { OLLAMA, type FakeSettings } from "./settings";
import { watches } from "./watches";

type Scene = (gateway: FakeGateway, settings: FakeSettings) => void;

/** Scenes by name. */
export const scenes: Record<string, Scene> = {
  demo,
  away: demo,
  refused: (gateway) => {
    calm(gateway);
    backUp(gateway);
  },
  million,
  stream,
  hostile,
  empty: () => undefined,
  first: (_gateway, settings) => firstRun(settings, true),
  bare: (_gateway, settings) => firstRun(settings, false),
  builtIn: (gateway, settings) => {
    settings.builtIn();
    gateway.engine = { installed: true, starter: true, state: "asleep" };
  },
  loading,
  everything,
  calm,
  "rail-empty": railEmpty,
  "rail-running": railRunning,
  "rail-needs": railNeeds,
  "rail-survivors": railSurvivors,
  "rail-many": railMany,
  "rail-terminal": railTerminal,
  "rail-flood": railFlood,
  "rail-chat": railChat,
  watches,
  lines,
  incidents,
  letters,
  files,
  ended,
  closed,
  delegated,
  subAgent,
  rooms: (gateway, settings) => {
    calm(gateway);
    settings.fill();
    gateway.muted = [{ sessionId: "release", title: "Release notes for 0.9" }];
    backUp(gateway);
  },
  settings: (gateway, settings) => {
    demo(gateway);
    settings.fill();
    gateway.muted = [{ sessionId: "orders", command: "npm run dev -- --port 5173", title: "npm run dev -- --port 5173" }];
  },
};

function backUp(gateway: FakeGateway): void {
  gateway.backups = [1, 2, 3].map((day) => {
    const atMs = new Date(2031, 4, 6 - day, 13, 47, 3).getTime();
    return { name: `${new Date(atMs).toISOString().slice(0, 19).replaceAll(":", "-")}Z.db`, atMs, bytes: 4_194_304 - day * 262_144 };
  });
}

const BLANK = {
  unread: 0,
  summary: "",
  reaping: 0,
  pendingApprovals: 0,
  runningProcesses: 0,
  failed: false,
  queued: [], queuePaused: false, muted: false,
};

/** A first start, with a server on this computer or without one. */
function firstRun(settings: FakeSettings, server: boolean): void {
  settings.empty();
  if (server) settings.servers = [OLLAMA];
}

/** The first words to the model that comes along, while it is loaded. */
function loading(gateway: FakeGateway, settings: FakeSettings): void {
  settings.builtIn();
  gateway.engine = { installed: true, starter: true, state: "loading", provider: "built-in", model: "starter", percent: 42 };
  const sessionId = "hello";
  const base = { sessionId, atMs: Date.now(), streaming: false };
  gateway.putSession({ ...BLANK, sessionId, title: "Hello", group: "running", lastAtMs: Date.now(), runningTurnId: "turn-1", lastSeq: 0 });
  gateway.putSession({ ...BLANK, sessionId: "new", title: "", group: "done_today", lastAtMs: Date.now() - 60_000, lastSeq: 0 });
  gateway.putTurn({ turnId: "turn-1", sessionId, number: 1, cause: "human", state: "running", startedAtMs: Date.now() });
  gateway.putItem({ ...base, itemId: "ask", turnId: "turn-1", author: "human", kind: "message", text: "Hello, who are you?" });
}

/** One million items; every one is made when it is asked for. */
function million(gateway: FakeGateway): void {
  const sessionId = "million";
  const total = 1_000_000;
  const start = Date.now() - total * 1000;
  gateway.putSession({ ...BLANK, sessionId, title: "A million items", group: "done_today", lastAtMs: Date.now(), lastSeq: total });
  gateway.putSession({ ...BLANK, sessionId: "other", title: "Another session", group: "earlier", lastAtMs: start, lastSeq: 0 });
  gateway.made.set(sessionId, (seq) => madeItem(sessionId, seq, start));
  for (let n = 1; n <= 40; n += 1) {
    gateway.putItem({ itemId: `other-${n}`, sessionId: "other", author: "human", kind: "message", text: `Line ${n}`, atMs: start, streaming: false });
  }
}

function madeItem(sessionId: string, seq: number, start: number): Item {
  const base = { itemId: `item-${seq}`, sessionId, seq, rev: 1, atMs: start + seq * 1000, streaming: false };
  switch (seq % 5) {
    case 0:
      return { ...base, author: "human", kind: "message", text: `Question ${seq}: what does file number ${seq} hold?` };
    case 1:
    case 2:
      return {
        ...base,
        author: "tool",
        kind: "tool_call",
        card: {
          id: `call-${seq}`,
          tool: "terminal",
          title: `sed -n 1,20p file-${seq}.txt`,
          status: "complete",
          details: "",
          output: "a line",
          outputBytes: 6,
          sources: [],
          background: false,
          startedAtMs: base.atMs,
          endedAtMs: base.atMs + 400,
        },
      };
    default: {
      const words = `Answer ${seq}. ${"It holds a list of orders and who placed them. ".repeat((seq % 7) + 1)}`;
      return { ...base, author: "model", kind: "message", text: words, blocks: parse(words) };
    }
  }
}

const SPEECH = `## What I found

The **migration** ran, and \`fee_cents\` exists now. Two fixtures were written before it:

- \`checkout.spec.ts\` reads a cart without fees
- \`refund.spec.ts\` expects whole euros

\`\`\`ts
export function feeOf(order: Order): number {
  return Math.round(order.total_cents * 0.029) + 30;
}
\`\`\`

| file | failing | cause |
|---|---|---|
| checkout.spec.ts | 1 | stale fixture |
| refund.spec.ts | 1 | stale fixture |

More about the column is in [the notes](https://docs.example/orders/fees). Next I would clear the cache and run only
those two files again.`;

/** A model message that streams a few words at a time, over and over. */
function stream(gateway: FakeGateway): void {
  const sessionId = "stream";
  const query = new URLSearchParams(location.search);
  const everyMs = Number(query.get("every") ?? "30");
  const messages = Number(query.get("messages") ?? "3");
  gateway.putSession({ ...BLANK, sessionId, title: "A long answer", group: "running", lastAtMs: Date.now(), runningTurnId: "turn-1", lastSeq: 0 });
  gateway.putTurn({ turnId: "turn-1", sessionId, number: 1, cause: "human", state: "running", startedAtMs: Date.now() });
  gateway.putItem({ itemId: "ask", sessionId, turnId: "turn-1", author: "human", kind: "message", text: "What breaks?", atMs: Date.now(), streaming: false });
  speak(gateway, sessionId, everyMs, messages);
}

function speak(gateway: FakeGateway, sessionId: string, everyMs: number, left: number): void {
  if (left === 0) {
    gateway.patchSession(sessionId, { runningTurnId: null, group: "done_today" });
    return;
  }
  const itemId = gateway.id("said");
  const base = { itemId, sessionId, turnId: "turn-1", author: "model", kind: "message", atMs: Date.now() };
  gateway.putItem({ ...base, streaming: true });
  const words = SPEECH.split(/(?<= )/);
  let said = 0;
  let held = parse("");
  const timer = setInterval(() => {
    said += 3;
    const text = words.slice(0, said).join("");
    const next = parse(text);
    held = next.map((block, at) => (held[at] !== undefined && JSON.stringify(held[at]) === JSON.stringify(block) ? held[at] : block));
    gateway.stream(itemId, held);
    if (said < words.length) return;
    clearInterval(timer);
    gateway.putItem({ ...base, streaming: false, text: SPEECH, blocks: parse(SPEECH) });
    speak(gateway, sessionId, everyMs, left - 1);
  }, everyMs);
}

/** Words that try to become markup, links that try to go elsewhere. */
function hostile(gateway: FakeGateway): void {
  const sessionId = "hostile";
  gateway.putSession({ ...BLANK, sessionId, title: "<img src=x onerror=window.__xss=1>", group: "done_today", lastAtMs: Date.now(), lastSeq: 0 });
  const base = { sessionId, atMs: Date.now(), streaming: false };
  const markup = `<script>window.__xss=1</script><img src=x onerror="window.__xss=2"><svg onload="window.__xss=3"></svg>
<iframe srcdoc="<script>parent.__xss=4</script>"></iframe><style>body{display:none}</style><base href="https://evil.example/">
<meta http-equiv="refresh" content="0;url=https://evil.example/"><div id="root">clobber</div>`;
  gateway.putItem({ ...base, itemId: "h1", author: "human", kind: "message", text: markup });
  gateway.putItem({
    ...base,
    itemId: "h2",
    author: "model",
    kind: "message",
    text: markup,
    blocks: [
      { type: "paragraph", inlines: [{ type: "text", text: markup }] },
      { type: "plain", text: markup },
      { type: "code", language: 'html" onload="window.__xss=5', text: markup },
      {
        type: "paragraph",
        inlines: [
          { type: "link", url: "https://docs.example/a", host: "docs.example", mismatch: false, inlines: [{ type: "text", text: "an honest link" }] },
          { type: "text", text: " and " },
          { type: "link", url: "http://paypa1.example/login", host: "paypa1.example", mismatch: true, inlines: [{ type: "text", text: "https://paypal.example" }] },
          { type: "text", text: " and " },
          { type: "image", url: "https://tracker.example/p.png", host: "tracker.example", alt: '"><script>window.__xss=6</script>' },
        ],
      },
    ],
  });
}
