// Marking every notice read: those that this window shows. One that came since was seen by nobody.
import type { Store } from "../feed/store";

/** Asks for it. */
export function readAll({ bridge, state }: Store): Promise<unknown> {
  const noticeIds = [...state.notices.values()].flatMap(({ noticeId, read }) => (read ? [] : [noticeId]));
  return bridge.call("mark_notices_read", { noticeIds });
}
