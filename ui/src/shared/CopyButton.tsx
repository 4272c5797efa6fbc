// Copy, and the word that it was done. The word stays until the pointer or the focus goes elsewhere: no timer.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useText } from "../l10n/l10n";

/** A quiet button that puts a text on the clipboard and says what came of it; `bare` shows its words to readers only; `label` says
 *  what is copied where that is not plain. */
export function CopyButton({ text, bare = false, label }: { text: string; bare?: boolean; label?: string }) {
  const t = useText();
  const [outcome, setOutcome] = useState<"none" | "copied" | "refused">("none");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  };
  const rest = () => setOutcome("none");
  return (
    <button type="button" className={bare ? "btn sm ghost ic" : "btn sm ghost"} onClick={copy} onBlur={rest} onPointerLeave={rest}>
      {outcome === "copied" ? <Check className="icon k" aria-hidden /> : <Copy className="icon k" aria-hidden />}
      <span className={bare ? "hidden" : undefined} aria-live="polite">{outcome === "copied" ? t("copied") : outcome === "refused" ? t("copy-refused") : (label ?? t("copy"))}</span>
    </button>
  );
}
