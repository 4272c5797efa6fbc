// Whether a process has a terminal. Its row says that one was asked for; whoever has not begun, or never did, has none yet,
// and the row of one that begins without says so.
import type { Process } from "../bridge/wire";

/** See the file's head. */
export function hasTerminal({ pty, state }: Process): boolean {
  return pty && state !== "starting" && state !== "failed_start";
}

/** A process took another's place and was given no terminal, although that one had asked for one. */
export function lostTerminal(process: Process, before: Process): boolean {
  return before.pty && !process.pty;
}
