// Copies what an output holds, and says how much that was until the pointer or the focus goes elsewhere.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useText } from "../l10n/l10n";
import { announce } from "../shared/announce";
import { size } from "../shared/format";

/** The button; `text` is asked when it is pressed. */
export function CopyButton({ text }: { text: () => string }) {
  const t = useText();
  const [said, setSaid] = useState("");
  const rest = () => setSaid("");
  const say = (words: string) => {
    setSaid(words);
    announce(words);
  };
  const copy = () => {
    const words = text();
    navigator.clipboard.writeText(words).then(
      () => say(t("output-copied", { size: size(new Blob([words]).size) })),
      () => say(t("copy-refused")),
    );
  };
  const label = said === "" ? t("output-copy") : said;
  const Icon = said === "" ? Copy : Check;
  return (
    <button type="button" className="btn sm ghost ic" aria-label={label} title={label} onClick={copy} onBlur={rest} onPointerLeave={rest}>
      <Icon className="icon k" strokeWidth={1.75} aria-hidden />
    </button>
  );
}
