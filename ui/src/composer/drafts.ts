// What was typed and not sent yet, for each session. It lives as long as the window: switching sessions or loading the
// page again loses nothing.

const PREFIX = "gatehouse.draft.";
const listeners = new Map<string, Set<(text: string) => void>>();

/** The draft of a session. */
export function draftOf(sessionId: string): string {
  return sessionStorage.getItem(PREFIX + sessionId) ?? "";
}

/** Keeps a draft; an empty one is forgotten. */
export function keepDraft(sessionId: string, text: string): void {
  if (text === "") sessionStorage.removeItem(PREFIX + sessionId);
  else sessionStorage.setItem(PREFIX + sessionId, text);
}

/** Puts words into a session's composer, below what already stands there. Nothing is sent. */
export function prefill(sessionId: string, words: string): void {
  const before = draftOf(sessionId);
  const text = before.trim() === "" ? words : `${before}\n${words}`;
  keepDraft(sessionId, text);
  for (const listener of listeners.get(sessionId) ?? []) listener(text);
}

/** Hears when somebody else fills a session's composer. */
export function onPrefill(sessionId: string, listener: (text: string) => void): () => void {
  const own = listeners.get(sessionId) ?? new Set();
  listeners.set(sessionId, own.add(listener));
  return () => own.delete(listener);
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
