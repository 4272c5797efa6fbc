// The last check: no program of this test run lives on. What does is ended, and it counts as a failure.
//
// A program is of this run when its executable lies in the run's scratch directory, where all test homes and their copies
// of the shim are, or when it was given that directory as its TMPDIR. A person's own Gatehouse is neither.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const graceMs = 5000; // a job that was told to stop may take its two steps
const ours = /^gatehouse(-\w+)?$/;

/** Resolves to 0 when nothing was found. */
export async function sweep(scratch) {
  const found = await outlasting(scratch);
  for (const { pid, name } of found) console.error(`  still running: ${name} (${pid})`);
  for (const { pid } of found) end(pid);
  const culprits = found.filter(({ name }) => ours.test(name));
  if (culprits.length === 0) console.log("  no gatehouse program of this run lives");
  return culprits.length === 0 ? 0 : 1;
}

/** Looks again until everything is gone or the grace is over. */
async function outlasting(scratch) {
  const deadline = Date.now() + graceMs;
  for (;;) {
    const found = programsOf(scratch);
    if (found.length === 0 || Date.now() > deadline) return found;
    await pause(100);
  }
}

/** Every living process of the run: `{ pid, name }`. */
export function programsOf(scratch) {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .map((entry) => ({ pid: Number(entry), executable: executableOf(entry) }))
    .filter(({ pid, executable }) => executable && belongs(pid, executable, scratch))
    .map(({ pid, executable }) => ({ pid, name: basename(executable) }));
}

function belongs(pid, executable, scratch) {
  return executable.startsWith(scratch + sep) || environmentOf(pid).includes(`TMPDIR=${scratch}`);
}

/** The path of a process's executable; a file that was removed meanwhile keeps its path. */
function executableOf(pid) {
  return read(() => readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ""));
}

function environmentOf(pid) {
  return read(() => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")) ?? [];
}

/** Undefined where the process has ended meanwhile, is a kernel thread or belongs to somebody else. */
function read(what) {
  try {
    return what();
  } catch (error) {
    if (["ENOENT", "EACCES", "EPERM", "ESRCH"].includes(error.code)) return undefined;
    throw error;
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
