// Sessions in the order of who must act.
import type { Session } from "../bridge/wire";

/** The groups, in their order. */
export const GROUPS = ["needs_you", "running", "done_today", "earlier"] as const;
/** One of them. */
export type Group = (typeof GROUPS)[number];

/** A group and its sessions. */
export interface GroupRows {
  readonly group: Group;
  readonly sessions: readonly Session[];
}

/** Whoever waits longest for a person is first; elsewhere the latest is. Empty groups are left out. */
export function groupSessions(sessions: readonly Session[]): GroupRows[] {
  return GROUPS.map((group) => ({
    group,
    sessions: sessions
      .filter((session) => groupOf(session) === group && isListed(session))
      .toSorted((a, b) => (group === "needs_you" ? a.lastAtMs - b.lastAtMs : b.lastAtMs - a.lastAtMs)),
  })).filter(({ sessions: rows }) => rows.length > 0);
}

/** Who works for another conversation is found there, and stands in the list only while it waits for a person. */
function isListed(session: Session): boolean {
  return session.delegatedFrom == null || groupOf(session) === "needs_you";
}

/** A group that this window does not know counts as earlier, and so does what ended unless something still goes on in it. */
export function groupOf(session: Session): Group {
  if (session.ended != null && session.group === "done_today") return "earlier";
  return GROUPS.find((group) => group === session.group) ?? "earlier";
}
