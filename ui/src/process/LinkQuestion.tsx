// A link that a program wrote was pressed: it says where it goes, and asks.
import { useEffect, useRef } from "react";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { openable } from "../transcript/blocks/url";

/** The question; nothing for an address that may not be opened. */
export function LinkQuestion({ url, onDone }: { url: string; onDone: () => void }) {
  const t = useText();
  const bridge = useBridge();
  const box = useRef<HTMLDivElement>(null);
  const target = openable(url);
  useEffect(() => box.current?.querySelector("button")?.focus(), [url]);
  if (target === null) return null;
  return (
    <div
      ref={box}
      className="link-question"
      role="group"
      aria-label={t("link-goes-to", { url: target.url })}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onDone();
      }}
    >
      <span className="link-question-words">{t("link-goes-to", { url: target.url })}</span>
      <button type="button" className="btn sm" onClick={() => void bridge.openLink(target.url).then(onDone, onDone)}>
        {t("link-open")}
      </button>
      <button type="button" className="btn sm ghost" onClick={() => void navigator.clipboard.writeText(target.url).then(onDone, onDone)}>
        {t("link-copy")}
      </button>
      <button type="button" className="btn sm ghost" onClick={onDone}>
        {t("link-leave")}
      </button>
    </div>
  );
}
