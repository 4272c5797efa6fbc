// The letters of the process list. They act on the row that has the focus, and only there: nowhere are they in the way of
// somebody who types.
import type { KeyboardEvent } from "react";
import type { Process } from "../bridge/wire";
import type { Bridge } from "../bridge/bridge";
import { isComposing, moveFocus } from "../shared/keyboard";
import { alive } from "./order";
import { pressStop } from "./stop";

/** What a letter needs to act. */
export interface ListKeys {
  readonly bridge: Bridge;
  readonly list: HTMLElement | null;
  readonly processOf: (processId: string) => Process | undefined;
  readonly openProcess: (processId: string) => void;
  /** Says what could not be done. */
  readonly onTrouble: (reason: unknown) => void;
}

/** Arrows and `j` `k` move; `x` stops, `X` kills, `r` runs again, `m` mutes, `y` copies the command. */
export function onListKey(event: KeyboardEvent, keys: ListKeys): void {
  if (isComposing(event) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "j" || event.key === "k") return step(event, keys.list, event.key === "j" ? 1 : -1);
  const row = event.target instanceof HTMLElement && event.target.classList.contains("process-row") ? event.target : null;
  const process = keys.processOf(row?.closest<HTMLElement>("[data-process-id]")?.dataset["processId"] ?? "");
  const work = process === undefined ? null : act(event.key, process, keys);
  if (work === null) return moveFocus(event, keys.list, ".process-row");
  event.preventDefault();
  work.catch(keys.onTrouble);
}

function act(key: string, process: Process, { bridge, openProcess }: ListKeys): Promise<unknown> | null {
  const { sessionId, command, cwd, notify, muted } = process;
  switch (key) {
    case "x":
    case "X":
      return alive(process) ? pressStop(bridge, process, key === "X") : null;
    case "r":
      return bridge
        .call("start_process", { sessionId, command, cwd, notify, clientKey: crypto.randomUUID() })
        .then((reply) => openProcess(reply.processId));
    case "m":
      return bridge.call("set_muted", { sessionId, command, muted: !muted });
    case "y":
      return navigator.clipboard.writeText(command);
    default:
      return null;
  }
}

function step(event: KeyboardEvent, list: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>(".process-row") ?? [])];
  const at = rows.findIndex((row) => row === document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  rows[at + by]?.focus();
}
