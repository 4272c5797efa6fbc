// Starting programs: output goes straight to the terminal, an interrupt reaches the child first.
import { spawn, spawnSync } from "node:child_process";
import { childEnv, top } from "./env.mjs";

/** What a person must do before it can go on. Printed without a stack trace. */
export class Stop extends Error {}

/** Runs to the end and resolves to the exit code; a signal counts as 128 + 15. `quiet` = what it says is dropped. */
export function run(program, args, { env = {}, cwd = top, quiet = false } = {}) {
  const stdin = process.stdin.isTTY ? "inherit" : "ignore";
  const says = quiet ? "ignore" : "inherit";
  const child = spawn(program, args, { cwd, env: childEnv(env), stdio: [stdin, says, says] });
  return finished(child, program);
}

/** Runs and stops everything where it did not end well. */
export async function must(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) throw new Stop(`${[program, ...args].join(" ")}: exit code ${code}`);
}

/** The text a program prints, or undefined where it is missing or fails. */
export function ask(program, args) {
  const asked = spawnSync(program, args, { cwd: top, env: childEnv(), encoding: "utf8", maxBuffer: 64 << 20 });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

/** Resolves when the child has ended; passes the signals on that were meant for it. */
export function finished(child, program) {
  const pass = (signal) => {
    // A terminal sends its interrupt to everything in the foreground: the child has it already.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  process.on("SIGINT", pass);
  process.on("SIGTERM", pass);
  return new Promise((done, fail) => {
    child.on("error", (error) => fail(new Stop(`${program} cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => done(signal ? 143 : code));
  }).finally(() => {
    process.off("SIGINT", pass);
    process.off("SIGTERM", pass);
  });
}

/** The frame of every script: a `Stop` is told in words, anything else is a fault of the script. */
export async function main(body) {
  try {
    process.exitCode = (await body(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
