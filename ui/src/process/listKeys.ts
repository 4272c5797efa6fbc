// The letters of the process list. They act on the row that has the focus, and only there: nowhere are they in the way of
// somebody who types.
import type { KeyboardEvent } from "react";
import type { Process } from "../bridge/wire";
import type { Store } from "../feed/store";
import { isComposing, moveFocus } from "../shared/keyboard";
import { alive } from "./order";
import { openPort } from "./ports";
import { restart } from "./restart";
import { portsOf } from "./samples";
import { pressStop } from "./stop";
import { makeWish, type Wish } from "./wishes";

/** Each press, and the Fluent id of what it does. */
export const LIST_KEYS: readonly (readonly [string, string])[] = [
  ["J", "list-key-down"],
  ["K", "list-key-up"],
  ["Enter", "list-key-attach"],
  ["Esc", "list-key-detach"],
  ["X", "list-key-stop"],
  ["Shift X", "list-key-kill"],
  ["R", "list-key-restart"],
  ["Shift R", "list-key-restart-now"],
  ["I", "list-key-type"],
  ["F", "list-key-follow"],
  ["/", "list-key-filter"],
  ["O", "list-key-open"],
  ["Y", "list-key-copy"],
  ["M", "list-key-mute"],
  ["Z", "list-key-zoom"],
];

/** What a letter needs to act. */
export interface ListKeys {
  readonly store: Store;
  readonly list: HTMLElement | null;
  readonly openFilter: () => void;
  /** Says what could not be done. */
  readonly onTrouble: (reason: unknown) => void;
}

/** See `LIST_KEYS`; arrows move too. A key that is held down goes on moving and does nothing else: its repeats would be
 *  the second press that kills. */
export function onListKey(event: KeyboardEvent, keys: ListKeys): void {
  if (isComposing(event) || event.ctrlKey || event.altKey || event.metaKey) return;
  // Caps Lock changes what a letter looks like, not what it means.
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "j" || key === "k") return step(event, keys.list, key === "j" ? 1 : -1);
  if (key === "/") {
    event.preventDefault();
    return keys.openFilter();
  }
  if (key === "Escape" && keys.store.selection.processId !== null) {
    event.preventDefault();
    return keys.store.openProcess(null);
  }
  const row = event.target instanceof HTMLElement && event.target.classList.contains("process-row") ? event.target : null;
  const process = keys.store.state.processes.get(row?.closest<HTMLElement>("[data-process-id]")?.dataset["processId"] ?? "");
  const work = process === undefined || event.repeat ? null : act(key, event.shiftKey, process, keys.store);
  if (work === null) return moveFocus(event, keys.list, ".process-row");
  event.preventDefault();
  work.catch(keys.onTrouble);
}

const WISHES: Readonly<Record<string, Wish>> = { Enter: "attach", i: "type", f: "follow", z: "zoom" };

function act(key: string, now: boolean, process: Process, store: Store): Promise<unknown> | null {
  const { bridge } = store;
  const { processId, sessionId, command, muted } = process;
  const wish = WISHES[key];
  if (wish !== undefined) {
    store.openProcess(processId);
    makeWish(processId, wish);
    return Promise.resolve();
  }
  switch (key) {
    case "x":
      return alive(process) ? pressStop(bridge, process, now) : null;
    case "r":
      return restart(store, process, now);
    case "o": {
      const port = portsOf(process)[0];
      return port === undefined ? null : openPort(bridge, port);
    }
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
