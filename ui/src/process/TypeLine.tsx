// One line into a process's input.
import { ChevronRight } from "lucide-react";
import { type SubmitEvent, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Sends what was typed, with a line end, when Enter is pressed. */
export function TypeLine({ process }: { process: Process }) {
  const t = useText();
  const bridge = useBridge();
  const input = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState("");
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const field = input.current;
    if (field === null) return;
    const data = field.value;
    field.value = "";
    setTrouble("");
    bridge.call("write_input", { processId: process.processId, data: `${data}\n` }).catch((reason: unknown) => {
      if (field.value === "") field.value = data;
      setTrouble(asCallError(reason).message);
    });
  };
  return (
    <form className="type-line" onSubmit={send}>
      <ChevronRight className="icon k" aria-hidden />
      <input ref={input} placeholder={t("type-line")} aria-label={t("type-line-label", { command: process.command })} autoComplete="off" spellCheck={false} />
      <kbd>Enter</kbd>
      {trouble !== "" && <span className="type-trouble" role="alert">{trouble}</span>}
    </form>
  );
}
