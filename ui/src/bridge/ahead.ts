// What the wire is about to say, written by hand until the generated bindings have it. Each of these only adds to its
// generated twin, so this file, its line in `wire.ts` and its two commands in `bridge.ts` go when the bindings say the same.
import type * as generated from "./bindings";

/** A tracked command. */
export type Process = generated.Process & {
  /** It runs under a terminal. */
  pty?: boolean;
  /** Its input can be written to without a terminal. */
  stdin?: boolean;
  /** What it listens on, as far as it was measured. */
  ports?: number[] | null;
  /** It reads without showing what is typed: a password. */
  hiddenInput?: boolean | null;
  /** The process that this one took the place of. */
  restartOf?: string | null;
};

/** A process's whole tree, measured. */
export type ProcessSample = generated.ProcessSample & {
  /** What it listens on. */
  ports?: number[] | null;
};

/** Samples. */
export type SampleProcessesReply = { samples: ProcessSample[] };

/** Starts a command. */
export type StartProcess = generated.StartProcess & {
  /** Its input can be written to. */
  stdin?: boolean | null;
};

/** The terminal of a process has another size. */
export interface ResizeProcess {
  processId: string;
  rows: number;
  cols: number;
}

/** Runs a process again with all its options; one that lives is stopped first. */
export interface RestartProcess {
  processId: string;
  /** Without asking it first. */
  force?: boolean | null;
}

/** The new process. */
export interface RestartProcessReply {
  processId: string;
}
