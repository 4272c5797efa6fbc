// What can be done with a session without opening it. The menu comes with a right click, Shift F10, the menu key, or a
// full stop, and stands where it was asked for.
import { Archive, Bell, BellOff, Copy, ListRestart, type LucideIcon, MessageSquareOff, Pencil } from "lucide-react";
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import type { Session } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useMenuList } from "../shared/menu";
import { MenuLines } from "../shared/MenuLines";
import { groupOf } from "./groups";

/** What may be chosen. */
export type RowAction = "rename" | "mute" | "copy" | "earlier" | "anew" | "close";

interface RowMenuProps {
  session: Session;
  /** Where it was asked for. */
  at: { x: number; y: number };
  onAction: (action: RowAction) => void;
  /** `back`: the row has the focus again. */
  onClose: (back: boolean) => void;
}

const EDGE_PX = 8;

/** The open menu. */
export function RowMenu({ session, at, onAction, onClose }: RowMenuProps) {
  const t = useText();
  const box = useRef<HTMLDivElement>(null);
  const lines = choices(session).map(([action, words, icon]) => ({ id: action, words: t(words), icon, run: () => onAction(action) }));
  const list = useMenuList({ box, open: true, lines: lines.length, close: onClose });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.setProperty("left", `${Math.max(EDGE_PX, Math.min(at.x, window.innerWidth - width - EDGE_PX))}px`);
    element.style.setProperty("top", `${Math.max(EDGE_PX, Math.min(at.y, window.innerHeight - height - EDGE_PX))}px`);
  }, [at]);
  // Its row stands elsewhere now.
  const onResize = useEffectEvent(() => onClose(false));
  useEffect(() => {
    const resized = (): void => onResize();
    window.addEventListener("resize", resized);
    return () => window.removeEventListener("resize", resized);
  }, []);
  return (
    <div {...list} ref={box} className="choice-list row-menu" aria-label={t("session-menu", { title: session.title })} onContextMenu={(event) => event.preventDefault()}>
      <MenuLines lines={lines} close={onClose} />
    </div>
  );
}

function choices(session: Session): [RowAction, string, LucideIcon][] {
  const made: [RowAction, string, LucideIcon][] = [
    ["rename", "session-rename", Pencil],
    session.muted ? ["mute", "unmute", Bell] : ["mute", "mute", BellOff],
    ["copy", "session-copy", Copy],
  ];
  // Moving it to where it stands already is not offered.
  if (groupOf(session) !== "earlier") made.push(["earlier", "session-earlier", Archive]);
  // One that ended neither begins anew nor is closed.
  if (session.ended == null) made.push(["anew", "session-anew", ListRestart], ["close", "session-close", MessageSquareOff]);
  return made;
}
