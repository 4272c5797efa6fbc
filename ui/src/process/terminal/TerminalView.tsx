// The terminal of one process. There is one in the window: that of the process whose detail is open.
import { type FocusEvent, type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from "react";
import type { Process } from "../../bridge/wire";
import { asCallError } from "../../bridge/bridge";
import { useBridge, useConnection } from "../../feed/hooks";
import { useText } from "../../l10n/l10n";
import { IS_MAC } from "../../shared/keyboard";
import { size } from "../../shared/format";
import { FollowPill } from "../FollowPill";
import { LinkQuestion } from "../LinkQuestion";
import { isFinal } from "../order";
import type { OutputHandle } from "../output";
import { Attachment } from "./attachment";
import "./terminal.css";

/** The face must be there before the library measures it. */
const FACE = '450 12px "JetBrains Mono Variable"';

const NOTHING_FOUND = { at: 0, count: 0 };

export interface TerminalViewProps {
  process: Process;
  following: boolean;
  onFollowing: (following: boolean) => void;
  /** Says how much of the output is shown, or who gets the keys. */
  onNote: (words: string) => void;
  /** A reader of the screen is helped: costs time with every row. */
  reader: boolean;
  onFind: () => void;
  onLeave: () => void;
  ref: Ref<OutputHandle>;
}

/** See the file's head. */
export function TerminalView({ process, following, onFollowing, onNote, reader, onFind, onLeave, ref }: TerminalViewProps) {
  const t = useText();
  const bridge = useBridge();
  const box = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<Attachment | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [trouble, setTrouble] = useState("");
  const [amount, setAmount] = useState("");
  const [focused, setFocused] = useState(false);
  const connection = useConnection().kind;
  const final = isFinal(process.state);

  const wish = useEffectEvent((wanted: boolean) => {
    if (wanted !== following) onFollowing(wanted);
  });
  const isOurs = useEffectEvent((event: KeyboardEvent): boolean => {
    const main = (IS_MAC ? event.metaKey : event.ctrlKey) && event.shiftKey && !event.altKey;
    const key = main ? event.key.toLowerCase() : "";
    if (!["c", "f", "j"].includes(key)) return false;
    if (event.type !== "keydown") return true;
    event.preventDefault();
    event.stopPropagation();
    if (key === "c" && held !== null && held.screen.selection !== "") void navigator.clipboard.writeText(held.screen.selection);
    if (key === "f") onFind();
    if (key === "j") onLeave();
    return true;
  });
  const make = useEffectEvent((parent: HTMLElement) => {
    const options = { label: t("terminal-label", { command: process.command }), readOnly: final, reader };
    return new Attachment(parent, bridge, process, options, {
      onFollowing: (wanted) => wish(wanted),
      onOutput: (shown, total, reason) => {
        setAmount(shown < total ? t("output-shown", { shown: size(shown), total: size(total) }) : size(total));
        setTrouble(reason === null ? "" : t("output-trouble", { reason }));
      },
      onLink: setLink,
      onTrouble: (reason) => setTrouble(t("not-done", { reason: asCallError(reason).message })),
      isOurs: (event) => isOurs(event),
      gapWords: (bytes, kept) => (kept ? t("output-skipped", { size: size(bytes) }) : t("output-dropped", { size: size(bytes) })),
    });
  });

  useEffect(() => {
    let made: Attachment | null = null;
    let wanted = true;
    const open = (): void => {
      if (!wanted || box.current === null) return;
      made = make(box.current);
      setHeld(made);
    };
    document.fonts.load(FACE).then(open, open);
    return () => {
      wanted = false;
      made?.dispose();
      setHeld(null);
    };
  }, [bridge, process.processId]);
  useEffect(() => held?.advance(process.outputBytes), [held, process.outputBytes, connection]);
  useEffect(() => held?.follow(following), [held, following]);
  useEffect(() => held?.living(!final), [held, final]);
  useEffect(() => held?.screen.reader(reader), [held, reader]);
  useEffect(() => onNote(focused && !final ? t("terminal-keys") : amount), [onNote, focused, final, amount, t]);
  useImperativeHandle(
    ref,
    () => ({
      focus: () => {
        held?.screen.focus();
        return held !== null;
      },
      find: (words, step) => held?.screen.find(words, step) ?? NOTHING_FOUND,
      endFind: () => held?.screen.endFind(),
      text: () => held?.screen.text ?? "",
    }),
    [held],
  );
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false);
  };
  return (
    <div className="output-frame" data-ready={held !== null}>
      <div ref={box} className="term" dir="ltr" onFocus={() => setFocused(true)} onBlur={onBlur} />
      {trouble !== "" && (
        <p className="output-note output-trouble" role="alert">
          {trouble}
        </p>
      )}
      {!following && held !== null && <FollowPill words={t("output-paused-bytes", { size: size(Math.max(0, process.outputBytes - held.place)) })} onFollow={() => onFollowing(true)} />}
      {link !== null && <LinkQuestion url={link} onDone={() => setLink(null)} />}
    </div>
  );
}
