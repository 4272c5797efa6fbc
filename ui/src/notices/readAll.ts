// Marking every notice read: those that this window shows, and older ones. One that came since was seen by nobody.
import type { Store } from "../feed/store";

/** Asks for it. */
export function readAll({ bridge, state }: Store): Promise<unknown> {
  return bridge.call("mark_notices_read", { noticeIds: [...state.notices.keys()], andOlder: true });
}
