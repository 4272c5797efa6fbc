// The command, exactly: never shortened, never joined into ligatures. A long one must have been seen to its end before
// it can be allowed.
import { useEffect, useState } from "react";
import { useText } from "../l10n/l10n";
import { useRead } from "./read";
import { visible } from "./visible";

/** More lines than this scroll in their own box. */
const FOLD_LINES = 12;

/** Shows a command and calls `onRead` once its end was in sight. */
export function Command({ text, onRead }: { text: string; onRead: () => void }) {
  const t = useText();
  const lines = text.split("\n").length;
  const [whole, setWhole] = useState(false);
  const { box, read, scrolls, look } = useRead(lines > FOLD_LINES && !whole);
  useEffect(() => {
    if (read) onRead();
  }, [read, onRead]);

  return (
    <div className="approval-command">
      <pre
        ref={box}
        className={whole ? "approval-text approval-text-whole" : "approval-text"}
        tabIndex={scrolls ? 0 : undefined}
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
