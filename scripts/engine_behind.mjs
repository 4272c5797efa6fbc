// The embedded engine is built behind the running application: `npm start` opens the window first. The work is a program
// of its own with all that it starts in one group, at the lowest priority; it writes to a file and not to the terminal.
//
// It ends with `npm start`, however that ends, because the channel between them closes then. cargo, cmake and make keep
// what is finished, so the next start goes on from there.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { besideTheApp, buildEngine, engineName } from "./engine.mjs";
import { cacheDir, childEnv, top } from "./env.mjs";
import { ensureStarter, place, starter } from "./model.mjs";
import { main, Stop } from "./run.mjs";

const graceMs = 5000;

/** Begins; `programs` and `home` are the directories where the application looks. Call `end` when it has quit. */
export function beginEngine({ programs, home, log = join(cacheDir, "engine.log"), say = console.log }) {
  const isThere = existsSync(join(programs, engineName)) && existsSync(join(home, "models", starter.name));
  if (!isThere) say(`The embedded engine is built in the background, which takes minutes the first time: ${log}`);
  const child = spawnBehind([fileURLToPath(import.meta.url), programs, home], log);
  let told;
  let ending = false;
  child.on("message", (message) => (told = message));
  // Not "close": that never comes for a child whose channel was closed from here.
  const over = new Promise((done) => child.once("exit", done).once("error", done)).then(() => {
    const line = closingLine(told, { isThere, ending, log });
    if (line) say(line);
  });
  return { over, end: () => ((ending = true), endGroup(child, over)) };
}

function spawnBehind(args, log) {
  mkdirSync(dirname(log), { recursive: true });
  const file = openSync(log, "w");
  try {
    const stdio = ["ignore", file, file, "ipc"];
    return spawn("nice", ["-n", "19", process.execPath, ...args], { cwd: top, env: childEnv(), detached: true, stdio });
  } finally {
    closeSync(file);
  }
}

/** What the terminal is told at the end; nothing where nothing changed for anybody. */
export function closingLine(told, { isThere, ending, log }) {
  if (told?.ready) return told.changed || !isThere ? "The embedded engine is ready." : undefined;
  if (ending) return isThere ? undefined : "The embedded engine is not finished; the next start goes on with it.";
  const reason = told?.failed?.split("\n")[0] ?? "Its build broke off.";
  return `The embedded engine could not be brought up to date. ${reason} (${log}) To try again: npm run engine`;
}

async function endGroup(child, over) {
  if (child.connected) child.disconnect();
  const slow = setTimeout(() => killGroup(child.pid, "SIGKILL"), graceMs);
  await over;
  clearTimeout(slow);
}

function killGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/**
 * Linux may share the processor between groups of programs first, and only then by their priorities. A group has one of
 * its own; where there is no such thing, or it may not be changed now, `nice` does it alone.
 */
function stepBack() {
  try {
    writeFileSync("/proc/self/autogroup", "19");
  } catch (error) {
    if (!["ENOENT", "EACCES", "EPERM", "EAGAIN", "EROFS"].includes(error.code)) throw error;
  }
}

/** The work itself. */
async function work(programs, home) {
  stepBack();
  process.once("disconnect", () => killGroup(process.pid, "SIGTERM"));
  process.channel.unref(); // it keeps nobody here whose work is done
  try {
    place(await ensureStarter(), join(home, "models"));
    const changed = besideTheApp(await buildEngine(), programs);
    process.send({ ready: true, changed });
  } catch (error) {
    if (error instanceof Stop && process.connected) process.send({ failed: error.message });
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(([programs, home]) => work(programs, home));
