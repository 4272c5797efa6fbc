// Scenes of the process rail: one for each way in which processes can stand.
import type { Process } from "../wire";
import { calm } from "./everything";
import type { FakeGateway } from "./gateway";
import type { FakeSettings } from "./settings";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

type Put = (processId: string, command: string, ago: number, more?: Partial<Process>) => void;

function putter(gateway: FakeGateway): Put {
  const now = Date.now();
  return (processId, command, ago, more = {}) => {
    const { sessionId } = gateway.putProcess({
      processId,
      sessionId: "release",
      command,
      cwd: "~/src/orders",
      state: "running",
      pid: 48_213,
      startedAtMs: now - ago,
      outputBytes: 0,
      descendants: 0,
      notify: true,
      muted: false,
      pty: false,
      stdin: false,
      ...more,
    });
    const running = [...gateway.processes.values()].filter((row) => row.sessionId === sessionId && (row.endedAtMs == null || row.descendants > 0)).length;
    if (running > 0) gateway.patchSession(sessionId, { group: "running", runningProcesses: running });
  };
}

/** The quiet day, without its process. */
function bare(gateway: FakeGateway): Put {
  calm(gateway);
  gateway.processes.clear();
  gateway.forget();
  return putter(gateway);
}

/** No processes at all. */
export function railEmpty(gateway: FakeGateway): void {
  bare(gateway);
}

/** No processes, and a model that only chats. */
export function railChat(gateway: FakeGateway, settings: FakeSettings): void {
  settings.builtIn();
  gateway.engine = { installed: true, starter: true, state: "asleep" };
  bare(gateway);
}

/** Three that run, of two sessions. */
export function railRunning(gateway: FakeGateway): void {
  const put = bare(gateway);
  const now = Date.now();
  put("build", "cargo build --release", 12 * MINUTE, { state: "exited", exitCode: 0, endedAtMs: now - 9 * MINUTE });
  put("photo-index", "photo-index ~/Pictures", 72 * MINUTE, { sessionId: "photos", attention: "quiet", pid: 47_001, lastOutputAtMs: now - 4 * MINUTE, outputBytes: 96_000 });
  put("worker", "npm run worker", 6 * MINUTE, { stdin: true, lastOutputAtMs: now - SECOND, outputBytes: 4120 });
  put("web", "npm run dev -- --port 5173", 5 * MINUTE, { attention: "ready", descendants: 3, ports: [5173], lastOutputAtMs: now - 12 * SECOND, outputBytes: WEB.length });
  gateway.outputs.set("web", WEB);
  gateway.outputs.set("worker", "listening for jobs\ntook job 118\n");
}

/** One that asks for a password, beside one that runs. */
export function railNeeds(gateway: FakeGateway): void {
  railRunning(gateway);
  const put = putter(gateway);
  put("sudo", "sudo apt-get install libssl-dev", MINUTE, { pty: true, attention: "needs_input", hiddenInput: true, outputBytes: 24, lastOutputAtMs: Date.now() - 40 * SECOND, pid: 48_900 });
  gateway.outputs.set("sudo", "[sudo] password for ada:");
  gateway.patchSession("release", { group: "needs_you" });
}

/** One that left two of its tree behind. */
export function railSurvivors(gateway: FakeGateway): void {
  railRunning(gateway);
  const put = putter(gateway);
  put("emulator", "emulator -avd test", 3 * MINUTE, { descendants: 4, pid: 48_900, ports: [5554, 5555] });
  put("left", "make watch &", 2 * MINUTE, { state: "exited", exitCode: 0, endedAtMs: Date.now() - MINUTE, descendants: 2 });
  gateway.stubborn.set("emulator", [48_913, 48_919]);
  gateway.stubborn.set("worker", []);
  gateway.outputs.set("emulator", "emulator: ready\n");
}

/** As many as may run at once. */
export function railMany(gateway: FakeGateway): void {
  const put = bare(gateway);
  for (let n = 1; n <= 64; n += 1) {
    const more = { pid: 40_000 + n, descendants: n % 4, lastOutputAtMs: Date.now() - n * SECOND, outputBytes: n * 900, ...(n % 8 === 0 ? { ports: [3000 + n] } : {}) };
    put(`job-${n}`, `node worker.js --shard ${n}`, n * 7 * SECOND, { ...more, ...(n % 9 === 0 ? { attention: "quiet" } : {}) });
  }
}

/** A shell under a terminal. */
export function railTerminal(gateway: FakeGateway): void {
  railRunning(gateway);
  const put = putter(gateway);
  put("shell", "bash -l", 2 * MINUTE, { pty: true, pid: 48_960, outputBytes: SHELL.length, lastOutputAtMs: Date.now() - 9 * SECOND });
  gateway.outputs.set("shell", SHELL);
}

/** A process under a terminal, and one without, that each write 10 MB a second. */
export function railFlood(gateway: FakeGateway): void {
  const put = bare(gateway);
  put("flood", "yes | build", MINUTE, { pty: true });
  put("flood-plain", "cat big.log", 2 * MINUTE);
  const started = Date.now();
  gateway.floods.set("flood", { total: 0 });
  gateway.floods.set("flood-plain", { total: 0 });
  setInterval(() => {
    const total = Math.floor((Date.now() - started) * 10_485.76);
    for (const [processId, flood] of gateway.floods) {
      flood.total = total;
      const process = gateway.processes.get(processId);
      if (process !== undefined) gateway.putProcess({ ...process, outputBytes: total, lastOutputAtMs: Date.now() });
    }
  }, 100);
}

const WEB = `\u001b[36m$ npm run dev -- --port 5173\u001b[0m
\u001b[32mVITE v6.3\u001b[0m ready in 412 ms
Local: http://localhost:5173/
GET  /api/orders   \u001b[32m200\u001b[0m 18 ms
POST /api/checkout \u001b[31m500\u001b[0m  6 ms
     \u001b[31mno such column: fee_cents\u001b[0m
GET  /api/orders   \u001b[32m200\u001b[0m  8 ms
`;

const SHELL = [
  "\u001b[1;32mada@gatehouse\u001b[0m:\u001b[1;34m~/src/orders\u001b[0m$ ls",
  "\u001b[1;34mfixtures\u001b[0m  \u001b[1;34mnode_modules\u001b[0m  package.json  \u001b[1;32mrun.sh\u001b[0m  \u001b[1;34msrc\u001b[0m",
  "\u001b[1;32mada@gatehouse\u001b[0m:\u001b[1;34m~/src/orders\u001b[0m$ git status --short",
  " \u001b[31mM\u001b[0m src/refund.ts",
  "\u001b[31m??\u001b[0m tmp/",
  "\u001b[1;32mada@gatehouse\u001b[0m:\u001b[1;34m~/src/orders\u001b[0m$ echo \u001b[38;2;120;80;200mhttps://docs.example/fees\u001b[0m",
  "\u001b[38;2;120;80;200mhttps://docs.example/fees\u001b[0m",
  "\u001b[1;32mada@gatehouse\u001b[0m:\u001b[1;34m~/src/orders\u001b[0m$ ",
].join("\r\n");
