// A link that can only be opened in the system's browser. It has no href, so no click, middle click, key or drag can
// make the window itself go anywhere.
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useBridge } from "../../feed/hooks";
import { useText } from "../../l10n/l10n";
import { openable } from "./url";

const GAP_PX = 4;

interface SafeLinkProps {
  url: string;
  host: string;
  mismatch: boolean;
  children: ReactNode;
}

/** A link in prose. One whose words name another place than its target asks before it opens. */
export function SafeLink({ url, host, mismatch, children }: SafeLinkProps) {
  const bridge = useBridge();
  const words = useRef<HTMLAnchorElement>(null);
  const [asking, setAsking] = useState(false);
  const target = openable(url);
  if (target === null) return <span className="md-inert">{children}</span>;

  const doubtful = mismatch || target.disguised;
  const follow = () => {
    if (doubtful) setAsking(true);
    else bridge.openLink(target.url);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    follow();
  };
  return (
    <>
      <a
        ref={words}
        role="link"
        tabIndex={0}
        className="md-link"
        title={target.url}
        draggable={false}
        onClick={follow}
        onKeyDown={onKeyDown}
        onAuxClick={(event) => event.preventDefault()}
        onDragStart={(event) => event.preventDefault()}
      >
        {children}
      </a>
      {doubtful && <span className="md-host"> ({target.host || host})</span>}
      {asking && <Confirm url={target.url} words={words} onOpen={() => bridge.openLink(target.url)} onDone={() => setAsking(false)} />}
    </>
  );
}

interface ConfirmProps {
  url: string;
  words: RefObject<HTMLElement | null>;
  onOpen: () => void;
  onDone: () => void;
}

/** Stands over the text and takes no room in it: nothing that could be pressed next moves away. */
function Confirm({ url, words, onOpen, onDone }: ConfirmProps) {
  const t = useText();
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const put = () => place(box.current, words.current);
    put();
    window.addEventListener("resize", put);
    return () => window.removeEventListener("resize", put);
  }, [words]);
  useDismissal(box, onDone);
  const open = () => {
    onOpen();
    onDone();
  };
  const copy = () => {
    void navigator.clipboard.writeText(url).then(onDone);
  };
  return (
    <span ref={box} className="md-confirm" role="group" aria-label={t("link-goes-to", { url })}>
      <span className="md-confirm-text">{t("link-goes-to", { url })}</span>
      <button type="button" className="btn sm" onClick={open}>
        {t("link-open")}
      </button>
      <button type="button" className="btn sm ghost" onClick={copy}>
        {t("link-copy")}
      </button>
    </span>
  );
}

/** Above the words where there is room for it, otherwise below them; never beyond the column. */
function place(box: HTMLElement | null, words: HTMLElement | null): void {
  const column = box?.offsetParent;
  if (box === null || words === null || column == null) return;
  const around = column.getBoundingClientRect();
  const from = words.getClientRects()[0] ?? words.getBoundingClientRect();
  const viewTop = words.closest(".scroll")?.getBoundingClientRect().top ?? 0;
  const above = from.top - box.offsetHeight - GAP_PX;
  const top = above >= viewTop ? above : words.getBoundingClientRect().bottom + GAP_PX;
  box.style.setProperty("top", `${top - around.top}px`);
  box.style.setProperty("left", `${Math.max(0, Math.min(from.left - around.left, around.width - box.offsetWidth))}px`);
}

/** Escape and a press elsewhere mean no. */
function useDismissal(box: RefObject<HTMLElement | null>, onDone: () => void): void {
  const onPress = useEffectEvent((event: PointerEvent) => {
    if (!(event.target instanceof Node) || box.current?.contains(event.target) !== true) onDone();
  });
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // It closes this and stops nothing else.
    event.preventDefault();
    event.stopPropagation();
    onDone();
  });
  useEffect(() => {
    const press = (event: PointerEvent) => onPress(event);
    const key = (event: globalThis.KeyboardEvent) => onKey(event);
    window.addEventListener("pointerdown", press, { capture: true });
    window.addEventListener("keydown", key, { capture: true });
    return () => {
      window.removeEventListener("pointerdown", press, { capture: true });
      window.removeEventListener("keydown", key, { capture: true });
    };
  }, []);
}
