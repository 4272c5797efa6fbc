// Copies a command, and says what came of it until the pointer or the focus goes elsewhere.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useText } from "../l10n/l10n";

/** A button for a command's exact words. */
export function CopyCommand({ command }: { command: string }) {
  const t = useText();
  const [outcome, setOutcome] = useState<"none" | "copied" | "refused">("none");
  const words = outcome === "copied" ? t("copied") : outcome === "refused" ? t("copy-refused") : t("copy-command");
  const Icon = outcome === "copied" ? Check : Copy;
  const rest = () => setOutcome("none");
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  };
  return (
    <button type="button" className="btn sm ghost ic" title={words} onClick={copy} onBlur={rest} onPointerLeave={rest}>
      <Icon className="icon" strokeWidth={1.75} aria-hidden />
      <span className="hidden" aria-live="polite">
        {words}
      </span>
    </button>
  );
}
