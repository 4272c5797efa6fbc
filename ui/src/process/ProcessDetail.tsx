// The picked process: how it stands, the facts, what it writes, and a line to type into it. It can take the whole window.
import { BellOff, Bell, CircleSlash2, Copy, CornerDownLeft, Ear, ExternalLink, Hash, RotateCw, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Process } from "../bridge/wire";
import { asCallError } from "../bridge/bridge";
import { useBridge, useStore } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { announce } from "../shared/announce";
import { useFocusBack } from "../shared/focusback";
import { Glyph } from "../shared/Glyph";
import type { MenuLine } from "../shared/MenuLines";
import { hasTerminal } from "./hasTerminal";
import { ProcessFacts } from "./ProcessFacts";
import { MoreMenu } from "./MoreMenu";
import { alive, isFinal } from "./order";
import { OutputPane } from "./OutputPane";
import { openPort } from "./ports";
import { restart } from "./restart";
import { usePorts } from "./samples";
import { standing } from "./standing";
import { useStop } from "./stop";
import { StopProcessButton } from "./StopButton";
import { Survivors } from "./Survivors";
import { TypeLine } from "./TypeLine";

const READER = "gatehouse.terminal.reader";

/** The detail pane of one process. */
export function ProcessDetail({ process }: { process: Process }) {
  const t = useText();
  const [zoomed, setZoomed] = useState(false);
  const pane = <Pane process={process} zoomed={zoomed} onZoom={() => setZoomed(!zoomed)} onRest={() => setZoomed(false)} />;
  if (!zoomed) return pane;
  return createPortal(
    <Whole label={t("process-detail", { command: process.command })} onClose={() => setZoomed(false)}>
      {pane}
    </Whole>,
    document.body,
  );
}

/** Over the whole window. */
function Whole({ label, onClose, children }: { label: string; onClose: () => void; children: React.ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The pane is drawn anew, and with it the button that was pressed.
  useFocusBack("[data-zoom]");
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="detail-whole"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}

interface PaneProps {
  process: Process;
  zoomed: boolean;
  onZoom: () => void;
  /** Back to its usual size. */
  onRest: () => void;
}

function Pane({ process, zoomed, onZoom, onRest }: PaneProps) {
  const t = useText();
  const [trouble, setTrouble] = useState("");
  const [reader, setReader] = useState(() => localStorage.getItem(READER) === "on");
  const words = standing(process, useStop(process.processId), t);
  const attempt = (work: Promise<unknown>) => {
    setTrouble("");
    work.catch((reason: unknown) => setTrouble(t("not-done", { reason: asCallError(reason).message })));
  };
  const toggleReader = () => {
    localStorage.setItem(READER, reader ? "off" : "on");
    setReader(!reader);
  };
  const leave = () => {
    onRest();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".process-selected .process-row")?.focus());
  };
  return (
    <section className="detail" aria-label={t("process-detail", { command: process.command })}>
      <header className="detail-head">
        <Glyph name={words.glyph} />
        <h2 className="detail-name" title={process.command}>
          {process.command}
        </h2>
        <span className={`detail-state tone-${words.tone}`}>{words.words}</span>
        <span className="detail-actions">
          {alive(process) && <StopProcessButton process={process} words />}
          <OpenPort process={process} attempt={attempt} />
          <Restart process={process} attempt={attempt} />
          <MoreMenu lines={useMore(process, { reader, toggleReader, attempt })} />
        </span>
      </header>
      {trouble !== "" && (
        <p className="detail-trouble" role="alert">
          {trouble}
        </p>
      )}
      <Survivors process={process} />
      <ProcessFacts process={process} />
      <OutputPane process={process} reader={reader} zoomed={zoomed} onZoom={onZoom} onLeave={leave} />
      {!isFinal(process.state) && <Input process={process} />}
    </section>
  );
}

type Attempt = (work: Promise<unknown>) => void;

function OpenPort({ process, attempt }: { process: Process; attempt: Attempt }) {
  const t = useText();
  const bridge = useBridge();
  const port = usePorts(process)[0];
  if (port === undefined || isFinal(process.state)) return null;
  const words = t("process-open-port", { port: String(port) });
  return (
    <button type="button" className="btn sm ghost ic" aria-label={words} title={words} onClick={() => attempt(openPort(bridge, port))}>
      <ExternalLink className="icon" strokeWidth={1.75} aria-hidden />
    </button>
  );
}

/** A living one is stopped first, as Stop does it; one that has ended is run again. */
function Restart({ process, attempt }: { process: Process; attempt: Attempt }) {
  const t = useText();
  const store = useStore();
  const words = isFinal(process.state) ? t("run-again") : t("process-restart");
  return (
    <button type="button" className="btn sm ghost ic" aria-label={words} title={words} onClick={() => attempt(restart(store, process))}>
      <RotateCw className="icon" strokeWidth={1.75} aria-hidden />
    </button>
  );
}

interface MoreScope {
  reader: boolean;
  toggleReader: () => void;
  attempt: Attempt;
}

function useMore(process: Process, { reader, toggleReader, attempt }: MoreScope): MenuLine[] {
  const t = useText();
  const store = useStore();
  const bridge = store.bridge;
  const { processId, sessionId, command, muted } = process;
  const ports = usePorts(process).slice(1);
  const open = !isFinal(process.state);
  const copy = (words: string) => attempt(navigator.clipboard.writeText(words).then(() => announce(t("copied"))));
  const here = [...store.state.processes.values()].filter((row) => row.sessionId === sessionId && alive(row));
  return [
    { id: "mute", words: muted ? t("unmute") : t("mute"), icon: muted ? Bell : BellOff, run: () => attempt(bridge.call("set_muted", { sessionId, command, muted: !muted })) },
    { id: "copy", words: t("copy-command"), icon: Copy, run: () => copy(command) },
    { id: "copy-id", words: t("process-copy-id"), icon: Hash, run: () => copy(processId) },
    ...(open ? ports.map((port) => portItem(port, t, () => attempt(openPort(bridge, port)))) : []),
    ...(open ? [{ id: "restart-now", words: t("process-restart-now"), icon: RotateCw, run: () => attempt(restart(store, process, true)) }] : []),
    ...(open && process.stdin && !process.pty
      ? [{ id: "eof", words: t("process-end-input"), icon: CornerDownLeft, run: () => attempt(bridge.call("write_input", { processId, data: "", eof: true })) }]
      : []),
    ...(hasTerminal(process) ? [{ id: "reader", words: t("terminal-reader"), icon: Ear, checked: reader, run: toggleReader }] : []),
    ...(here.length > 0
      ? [{ id: "stop-all", words: t("process-stop-all", { count: here.length }), icon: CircleSlash2, run: () => attempt(Promise.all(here.map((row) => bridge.call("stop_process", { processId: row.processId })))) }]
      : []),
    { id: "close", words: t("process-close"), icon: X, run: () => store.openProcess(null) },
  ];
}

function portItem(port: number, t: Translate, run: () => void): MenuLine {
  return { id: `port-${port}`, words: t("process-open-port", { port: String(port) }), icon: ExternalLink, run };
}

/** What is typed goes to its input, or to its terminal; those that have neither say so. */
function Input({ process }: { process: Process }) {
  const t = useText();
  if (hasTerminal(process) || process.stdin || process.attention === "needs_input") return <TypeLine process={process} />;
  return <p className="type-none">{t("type-none")}</p>;
}
