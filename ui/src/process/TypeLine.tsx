// One line into a process's input. Where the program hides what is typed, so does the line, and it says where the words go.
import { ChevronRight, KeyRound } from "lucide-react";
import { type SubmitEvent, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useWishes } from "./wishes";

/** Sends what was typed, with a line end, when Enter is pressed. */
export function TypeLine({ process }: { process: Process }) {
  const t = useText();
  const bridge = useBridge();
  const input = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState("");
  const { processId, command } = process;
  const secret = process.hiddenInput === true;
  useWishes(processId, (wish) => {
    if (wish === "type") input.current?.focus();
    return wish === "type";
  });
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const field = input.current;
    if (field === null) return;
    const data = field.value;
    field.value = "";
    setTrouble("");
    // A terminal hears the Enter key; a pipe wants a line.
    bridge.call("write_input", { processId, data: `${data}${process.pty ? "\r" : "\n"}` }).catch((reason: unknown) => {
      if (field.value === "") field.value = data;
      setTrouble(asCallError(reason).message);
    });
  };
  const Icon = secret ? KeyRound : ChevronRight;
  return (
    <>
      <form className={secret ? "type-line type-secret" : "type-line"} onSubmit={send}>
        <Icon className="icon k" strokeWidth={1.75} aria-hidden />
        <input
          // A field that was secret once is not shown again with what stood in it.
          key={String(secret)}
          ref={input}
          type={secret ? "password" : "text"}
          placeholder={secret ? t("type-secret") : t("type-line")}
          aria-label={secret ? t("type-secret-label", { command }) : t("type-line-label", { command })}
          aria-describedby={secret ? `secret-${processId}` : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        <kbd>Enter</kbd>
        {trouble !== "" && <span className="type-trouble" role="alert">{trouble}</span>}
      </form>
      {secret && (
        <p className="type-none" id={`secret-${processId}`}>
          {t("type-secret-where")}
        </p>
      )}
    </>
  );
}
