// How an answer to a question is given, wherever the question stands.
import { useState } from "react";
import type { AnswerApproval, Item } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { noteLate } from "./late";

/** An answer on its way, and what became of it. */
export interface Answering {
  sending: boolean;
  trouble: string;
  send: (answer: Omit<AnswerApproval, "approvalId">) => void;
  /** Forgets what went wrong. */
  calm: () => void;
}

/** Sends one answer at a time. What was refused can be given again. */
export function useAnswer({ approvalId }: Item): Answering {
  const t = useText();
  const bridge = useBridge();
  const [sending, setSending] = useState(false);
  const [trouble, setTrouble] = useState("");
  const send = (answer: Omit<AnswerApproval, "approvalId">) => {
    if (approvalId == null || sending) return;
    setSending(true);
    setTrouble("");
    bridge.call("answer_approval", { approvalId, ...answer }).catch((reason: unknown) => {
      setSending(false);
      setTrouble(troubleWords(reason, t));
      if (asCallError(reason).code === "approval_closed") noteLate(approvalId);
    });
  };
  return { sending, trouble, send, calm: () => setTrouble("") };
}

function troubleWords(reason: unknown, t: Translate): string {
  const error = asCallError(reason);
  if (error.code === "approval_closed") return t("approval-closed");
  return t("approval-not-sent", { reason: error.message });
}
