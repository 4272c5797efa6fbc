// Finds words in the open output and goes from place to place, the newest first.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useText } from "../l10n/l10n";
import { isComposing } from "../shared/keyboard";
import type { OutputHandle } from "./output";

/** The bar with the field. */
export function FindOutput({ output, onClose }: { output: RefObject<OutputHandle | null>; onClose: () => void }) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const [found, setFound] = useState<{ words: string; at: number; count: number }>({ words: "", at: 0, count: 0 });
  useEffect(() => field.current?.focus(), []);
  const go = (words: string, step: 1 | 0 | -1) => setFound({ words, ...(output.current?.find(words, step) ?? { at: 0, count: 0 }) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && event.target === field.current) go(found.words, event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { words, at, count } = found;
  return (
    <search className="output-bar output-find" onKeyDown={onKeyDown}>
      <input ref={field} aria-label={t("output-find")} placeholder={t("output-find")} spellCheck={false} autoComplete="off" value={words} onChange={(event) => go(event.target.value, 0)} />
      <span className="small t2 num" role="status">
        {words === "" ? "" : count === 0 ? t("find-none") : t("find-place", { at, count })}
      </span>
      <button type="button" className="btn sm ghost ic" aria-label={t("find-previous")} title={t("find-previous")} disabled={count === 0} onClick={() => go(words, 1)}>
        <ChevronUp className="icon k" aria-hidden />
      </button>
      <button type="button" className="btn sm ghost ic" aria-label={t("find-next")} title={t("find-next")} disabled={count === 0} onClick={() => go(words, -1)}>
        <ChevronDown className="icon k" aria-hidden />
      </button>
      <button type="button" className="btn sm ghost ic" aria-label={t("find-close")} title={t("find-close")} onClick={onClose}>
        <X className="icon k" aria-hidden />
      </button>
    </search>
  );
}
