// The in-memory gateway's processes: they write, listen, answer what is typed, and end in the ways that are worth seeing.
import { CallError, type Commands } from "../bridge";
import type { Process } from "../wire";
import type { FakeGateway, Handlers } from "./gateway";

type OfProcesses =
  | "start_process" | "list_processes" | "read_output" | "write_input" | "stop_process" | "resize_process" | "restart_process";

/** See the file's head. */
export function processHandlers(gateway: FakeGateway): Pick<Handlers, OfProcesses> {
  return {
    list_processes: () => ({ processes: [...gateway.processes.values()] }),
    start_process: (params) => ({ processId: startProcess(gateway, params) }),
    read_output: (params) => readOutput(gateway, params),
    write_input: ({ processId, data }) => {
      const process = find(gateway, processId);
      if (process.pty && process.hiddenInput !== true) write(gateway, processId, data.replaceAll("\r", "\r\n$ "));
      if (isWaiting(process)) answered(gateway, process);
      return { bytes: new TextEncoder().encode(data).length };
    },
    resize_process: ({ processId }) => {
      find(gateway, processId);
      return {};
    },
    stop_process: ({ processId, force }) => climb(gateway, find(gateway, processId), force === true),
    restart_process: ({ processId }) => {
      const { sessionId, command, cwd, pty, stdin, state } = find(gateway, processId);
      if (state === "running" || state === "starting") stop(gateway, find(gateway, processId));
      const next = startProcess(gateway, { sessionId, command, cwd, pty, stdin });
      gateway.putProcess({ ...find(gateway, next), restartOf: processId });
      return { processId: next };
    },
  };
}

const isWaiting = ({ state, attention }: Process): boolean => state === "running" && attention === "needs_input";

/** Somebody typed: nobody is needed for it any more. */
function answered(gateway: FakeGateway, process: Process): void {
  gateway.putProcess({ ...process, attention: null, hiddenInput: null });
  const { sessionId } = process;
  const isNeeded = gateway.sessions.get(sessionId)?.pendingApprovals !== 0 || [...gateway.processes.values()].some((other) => other.sessionId === sessionId && isWaiting(other));
  if (!isNeeded) gateway.patchSession(sessionId, { group: "running" });
}

/** Starts a command that writes nothing by itself. */
export function startProcess(gateway: FakeGateway, { sessionId, command, cwd, pty, stdin }: Commands["start_process"]["params"]): string {
  const processId = gateway.id("process");
  gateway.outputs.set(processId, "");
  gateway.putProcess({
    processId,
    sessionId,
    command,
    cwd: cwd ?? "~/src/orders",
    state: "running",
    pid: 48_300,
    startedAtMs: Date.now(),
    outputBytes: 0,
    descendants: 0,
    notify: true,
    muted: false,
    pty: pty ?? false,
    stdin: stdin ?? false,
  });
  return processId;
}

/** A process writes more. */
export function write(gateway: FakeGateway, processId: string, words: string): void {
  const output = (gateway.outputs.get(processId) ?? "") + words;
  gateway.outputs.set(processId, output);
  gateway.putProcess({ ...find(gateway, processId), outputBytes: bytesOf(output).length, lastOutputAtMs: Date.now() });
}

/** Output that is made when it is read: numbered lines of 80 bytes, as many as there should be by now. */
export interface Flood {
  total: number;
}

const LINE = 80;

const WORDS = "compiled a module of the program and linked it ".repeat(2);

function floodBytes(from: number, to: number): Uint8Array {
  const first = Math.floor(from / LINE);
  const lines = Array.from({ length: Math.ceil(to / LINE) - first }, (_, n) => {
    const words = `\u001b[3${(first + n) % 8}m${String(first + n).padStart(12, "0")}\u001b[0m ${WORDS}`;
    return `${words.slice(0, LINE - 2)}\r\n`;
  });
  return bytesOf(lines.join("")).slice(from - first * LINE, to - first * LINE);
}

function readOutput(gateway: FakeGateway, { processId, from, max, raw }: Commands["read_output"]["params"]) {
  const flood = gateway.floods.get(processId);
  const all = flood === undefined ? bytesOf(gateway.outputs.get(processId) ?? "") : null;
  const total = flood?.total ?? all?.length ?? 0;
  const most = max ?? 65_536;
  const start = Math.min(from ?? Math.max(0, total - most), total);
  const next = Math.min(total, start + most);
  const bytes = all === null ? floodBytes(start, next) : all.slice(start, next);
  const said = raw === true ? { base64: base64Of(bytes) } : { text: new TextDecoder().decode(bytes) };
  return { from: start, next, total, ...said };
}

/** Who has an empty list of survivors does not listen to being asked: it is stopping until it is killed. */
async function climb(gateway: FakeGateway, process: Process, force: boolean) {
  if (!force && gateway.stubborn.get(process.processId)?.length === 0) {
    gateway.putProcess({ ...process, state: "stopping", stoppedBy: "user", attention: null });
    while (gateway.processes.get(process.processId)?.state === "stopping") await new Promise((later) => setTimeout(later, 50));
    return { state: "killed", survivors: [] };
  }
  return stop(gateway, process);
}

function stop(gateway: FakeGateway, process: Process) {
  const survivors = gateway.stubborn.get(process.processId) ?? [];
  const dead = { ...process, state: "killed", stoppedBy: "user", attention: null, endedAtMs: Date.now(), descendants: survivors.length };
  // Whoever ignores one kill does not outlive the second one here.
  gateway.stubborn.delete(process.processId);
  gateway.putProcess(dead);
  return { state: dead.state, survivors };
}

function find(gateway: FakeGateway, processId: string): Process {
  const process = gateway.processes.get(processId);
  if (process === undefined) throw new CallError("not_found", "There is no such process.");
  return process;
}

function bytesOf(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
