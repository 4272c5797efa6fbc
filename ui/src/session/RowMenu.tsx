// What can be done with a session without opening it. The menu comes with a right click, Shift F10, the menu key, or a
// full stop, and stands where it was asked for.
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { useText } from "../l10n/l10n";
import { moveFocus } from "../shared/keyboard";

/** What may be chosen. */
export type RowAction = "rename" | "mute" | "copy" | "earlier" | "anew" | "close";

interface RowMenuProps {
  title: string;
  muted: boolean;
  /** Moving it to where it stands already is not offered. */
  earlier: boolean;
  /** One that ended neither begins anew nor is closed. */
  ended: boolean;
  /** Where it was asked for. */
  at: { x: number; y: number };
  onAction: (action: RowAction) => void;
  /** `back`: the row has the focus again. */
  onClose: (back: boolean) => void;
}

const EDGE_PX = 8;

/** The open menu. */
export function RowMenu({ title, muted, earlier, ended, at, onAction, onClose }: RowMenuProps) {
  const t = useText();
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.setProperty("left", `${Math.max(EDGE_PX, Math.min(at.x, window.innerWidth - width - EDGE_PX))}px`);
    element.style.setProperty("top", `${Math.max(EDGE_PX, Math.min(at.y, window.innerHeight - height - EDGE_PX))}px`);
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [at]);
  const onPress = useEffectEvent((event: Event) => {
    if (!(event.target instanceof Node) || menu.current?.contains(event.target) !== true) onClose(false);
  });
  useEffect(() => {
    const press = (event: Event) => onPress(event);
    const names = ["pointerdown", "resize", "blur"] as const;
    for (const name of names) window.addEventListener(name, press, { capture: name === "pointerdown" });
    return () => {
      for (const name of names) window.removeEventListener(name, press, { capture: name === "pointerdown" });
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      onClose(true);
    } else {
      moveFocus(event, menu.current, "[role=menuitem]");
    }
  };
  const choose = (action: RowAction) => () => onAction(action);
  return (
    <div ref={menu} className="row-menu" role="menu" aria-label={t("session-menu", { title })} onKeyDown={onKeyDown} onContextMenu={(event) => event.preventDefault()}>
      <button type="button" role="menuitem" tabIndex={-1} onClick={choose("rename")}>
        {t("session-rename")}
      </button>
      <button type="button" role="menuitem" tabIndex={-1} onClick={choose("mute")}>
        {muted ? t("unmute") : t("mute")}
      </button>
      <button type="button" role="menuitem" tabIndex={-1} onClick={choose("copy")}>
        {t("session-copy")}
      </button>
      {!earlier && (
        <button type="button" role="menuitem" tabIndex={-1} onClick={choose("earlier")}>
          {t("session-earlier")}
        </button>
      )}
      {!ended && (
        <>
          <button type="button" role="menuitem" tabIndex={-1} onClick={choose("anew")}>
            {t("session-anew")}
          </button>
          <button type="button" role="menuitem" tabIndex={-1} onClick={choose("close")}>
            {t("session-close")}
          </button>
        </>
      )}
    </div>
  );
}
