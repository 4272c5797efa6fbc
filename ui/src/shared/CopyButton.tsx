// Copy, and the word that it was done. The word stays until the pointer or the focus goes elsewhere: no timer.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useText } from "../l10n/l10n";

/** A quiet button that puts a text on the clipboard and says what came of it. */
export function CopyButton({ text }: { text: string }) {
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
    <button type="button" className="btn sm ghost" onClick={copy} onBlur={rest} onPointerLeave={rest}>
      {outcome === "copied" ? <Check className="icon k" aria-hidden /> : <Copy className="icon k" aria-hidden />}
      <span aria-live="polite">{outcome === "copied" ? t("copied") : outcome === "refused" ? t("copy-refused") : t("copy")}</span>
    </button>
  );
}
