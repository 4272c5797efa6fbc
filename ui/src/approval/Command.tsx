// The command, exactly: never shortened, never joined into ligatures. A long one must have been seen to its end before
// it can be allowed.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useText } from "../l10n/l10n";
import { visible } from "./visible";

/** More lines than this scroll in their own box. */
const FOLD_LINES = 12;

/** Shows a command and calls `onRead` once its end was in sight. */
export function Command({ text, onRead }: { text: string; onRead: () => void }) {
  const t = useText();
  const box = useRef<HTMLPreElement>(null);
  const lines = text.split("\n").length;
  const [whole, setWhole] = useState(false);
  const [read, setRead] = useState(false);
  const folded = lines > FOLD_LINES && !whole;

  const look = () => {
    const element = box.current;
    if (element === null || read) return;
    const fits = !folded && element.scrollHeight <= element.clientHeight + 2;
    const atEnd = element.scrollHeight > 0 && element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
    if (fits || atEnd) setRead(true);
  };
  useLayoutEffect(look);
  useEffect(() => {
    if (read) onRead();
  }, [read, onRead]);

  return (
    <div className="approval-command">
      <pre
        ref={box}
        className={whole ? "approval-text approval-text-whole" : "approval-text"}
        tabIndex={read ? undefined : 0}
        aria-label={t("approval-command")}
        onScroll={look}
        dir="ltr"
      >
        {visible(text)}
      </pre>
      {!read && (
        <button type="button" className="btn sm approval-show-all" onClick={() => setWhole(true)}>
          {lines > FOLD_LINES ? t("approval-show-lines", { lines }) : t("approval-show-all")}
        </button>
      )}
    </div>
  );
}
