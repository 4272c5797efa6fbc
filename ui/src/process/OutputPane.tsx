// The output of the open process: a bar to find, follow and copy, and below it a terminal, or lines for those without one.
import { ChevronsDown, Maximize2, Minimize2, Pause, Search } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import type { Process } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { CopyButton } from "./CopyOutput";
import { FindOutput } from "./FindOutput";
import { LiveOutput } from "./LiveOutput";
import { hasTerminal } from "./hasTerminal";
import type { OutputHandle } from "./output";
import { useWishes, type Wish } from "./wishes";
import "./output.css";

/** Comes when the first terminal is looked at: nobody else waits for it. Without it there are lines. */
const TerminalView = lazy(() =>
  import("./terminal/TerminalView")
    .then((module) => ({ default: module.TerminalView }))
    .catch((reason: unknown) => {
      console.error(reason);
      return { default: LiveOutput };
    }),
);

interface OutputPaneProps {
  process: Process;
  reader: boolean;
  zoomed: boolean;
  onZoom: () => void;
  onLeave: () => void;
}

/** The bar and the output. */
export function OutputPane({ process, reader, zoomed, onZoom, onLeave }: OutputPaneProps) {
  const t = useText();
  const output = useRef<OutputHandle>(null);
  const [following, setFollowing] = useState(true);
  const [finding, setFinding] = useState(false);
  const [note, setNote] = useState("");
  const carryOut = (wish: Wish): boolean => {
    switch (wish) {
      case "attach":
        // The terminal comes later than the detail around it.
        return output.current?.focus() ?? false;
      case "follow":
        setFollowing(!following);
        return true;
      case "search":
        setFinding(true);
        return true;
      case "zoom":
        onZoom();
        return true;
      case "type":
        return false;
    }
  };
  useWishes(process.processId, carryOut);
  const endFind = () => {
    setFinding(false);
    output.current?.endFind();
    output.current?.focus();
  };
  const shared = { process, following, onFollowing: setFollowing, onNote: setNote, ref: output };
  const toggleFollow = following ? t("output-pause") : t("output-follow");
  const toggleZoom = zoomed ? t("output-smaller") : t("output-larger");
  return (
    <div
      className="output-pane"
      onKeyDown={(event) => {
        if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || !(event.target instanceof Element) || !event.target.matches(".output")) return;
        event.preventDefault();
        setFinding(true);
      }}
    >
      {finding ? (
        <FindOutput output={output} onClose={endFind} />
      ) : (
        <div className="output-bar">
          <span className="output-amount cut num">{note}</span>
          <button type="button" className="btn sm ghost ic" aria-label={t("output-find")} title={t("output-find")} onClick={() => setFinding(true)}>
            <Search className="icon k" strokeWidth={1.75} aria-hidden />
          </button>
          <button type="button" className="btn sm ghost ic" aria-label={toggleFollow} title={toggleFollow} onClick={() => setFollowing(!following)}>
            {following ? <Pause className="icon k" strokeWidth={1.75} aria-hidden /> : <ChevronsDown className="icon k" strokeWidth={1.75} aria-hidden />}
          </button>
          <CopyButton text={() => output.current?.text() ?? ""} />
          <button type="button" className="btn sm ghost ic" data-zoom aria-label={toggleZoom} title={toggleZoom} onClick={onZoom}>
            {zoomed ? <Minimize2 className="icon k" strokeWidth={1.75} aria-hidden /> : <Maximize2 className="icon k" strokeWidth={1.75} aria-hidden />}
          </button>
        </div>
      )}
      {hasTerminal(process) ? (
        <Suspense fallback={<div className="output-frame" />}>
          <TerminalView {...shared} reader={reader} onFind={() => setFinding(true)} onLeave={onLeave} />
        </Suspense>
      ) : (
        <LiveOutput {...shared} />
      )}
    </div>
  );
}
