// What was typed and not sent yet, for each session. The gateway keeps it, so neither another session, nor a page that
// loads again, nor a restart of the computer loses it.
import { asCallError, type Bridge } from "../bridge/bridge";

const PREFIX = "draft:";
/** A draft is written down when nothing was typed for this long. */
const REST_MS = 400;
/** A gateway that has not taken a draft by then keeps nobody here. */
const PATIENCE_MS = 1000;

let home: Bridge | null = null;
/** What was put down before could not be read yet. */
let unread = false;
let drafts = new Map<string, string>();
/** Sessions whose draft has changed since it was written down. */
let changed = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Map<string, Set<(text: string, focus: boolean) => void>>();

/** The draft of a session. */
export function draftOf(sessionId: string): string {
  return drafts.get(sessionId) ?? "";
}

/** Keeps a draft; an empty one is forgotten. */
export function keepDraft(sessionId: string, text: string): void {
  if (draftOf(sessionId) === text) return;
  if (text === "") drafts.delete(sessionId);
  else drafts.set(sessionId, text);
  changed.add(sessionId);
  clearTimeout(timer);
  timer = setTimeout(() => void flush(), REST_MS);
}

/** Puts words into a session's composer, below what already stands there. Nothing is sent. */
export function prefill(sessionId: string, words: string): void {
  const before = draftOf(sessionId);
  const text = before.trim() === "" ? words : `${before}\n${words}`;
  keepDraft(sessionId, text);
  tell(sessionId, text, true);
}

/** Hears when a session's composer is filled from elsewhere, and whether somebody asked for that just now. */
export function onPrefill(sessionId: string, listener: (text: string, focus: boolean) => void): () => void {
  const own = listeners.get(sessionId) ?? new Set();
  listeners.set(sessionId, own.add(listener));
  return () => own.delete(listener);
}

/** Reads what was put down before, once per gateway; from then on, changes are put down there. */
export function readDrafts(bridge: Bridge): void {
  if (home === bridge && !unread) return;
  if (home === null) watchPage();
  else if (home !== bridge) forgetAll();
  home = bridge;
  unread = false;
  bridge.call("get_ui_state", {}).then(
    ({ entries }) => {
      if (home !== bridge) return;
      for (const { key, value } of entries) {
        const sessionId = key.slice(PREFIX.length);
        // What was typed meanwhile is newer.
        if (!key.startsWith(PREFIX) || changed.has(sessionId) || drafts.has(sessionId)) continue;
        drafts.set(sessionId, value);
        tell(sessionId, value, false);
      }
    },
    (reason: unknown) => {
      // What is typed now is put down all the same; the next session that opens asks again.
      if (home === bridge) unread = true;
      console.warn("get_ui_state", asCallError(reason).code);
    },
  );
}

function tell(sessionId: string, text: string, focus: boolean): void {
  for (const listener of listeners.get(sessionId) ?? []) listener(text, focus);
}

function forgetAll(): void {
  clearTimeout(timer);
  drafts = new Map();
  changed = new Set();
}

function watchPage(): void {
  window.addEventListener("pagehide", () => void flush());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) void flush();
  });
}

/** Writes down what has changed, and answers when that is kept, or nobody answers in time. */
export async function settleDrafts(): Promise<void> {
  if (changed.size === 0) return;
  await Promise.race([flush(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** Writes down what has changed; what was not taken is tried again with the next change. */
async function flush(): Promise<void> {
  clearTimeout(timer);
  const bridge = home;
  if (bridge === null) return;
  const due = [...changed];
  changed = new Set();
  const writing = due.map((sessionId) => {
    const value = drafts.get(sessionId);
    return bridge.call("set_ui_state", { key: PREFIX + sessionId, ...(value === undefined ? {} : { value }) }).catch((reason: unknown) => {
      if (home === bridge) changed.add(sessionId);
      console.warn("set_ui_state", asCallError(reason).code);
    });
  });
  await Promise.all(writing);
}

let created: string | null = null;

/** A person has just made this session, so its composer takes the focus when it appears. */
export function markNew(sessionId: string): void {
  created = sessionId;
}

/** Whether this session was just made; true once. */
export function takeNew(sessionId: string): boolean {
  if (created !== sessionId) return false;
  created = null;
  return true;
}
