// The window: sidebar, transcript, rail and status bar, and how they fold.
import { SquareTerminal, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useProcesses, useProfiles, useSelection, useSession, useSlice, useView } from "../feed/hooks";
import { FirstRun } from "../firstrun/FirstRun";
import { useFirstRun } from "../firstrun/useFirstRun";
import { useText } from "../l10n/l10n";
import { useLook } from "../look/look";
import { alive } from "../process/order";
import { RailTabs } from "../process/RailTabs";
import { Switcher } from "../profile/Switcher";
import { LiveRegion } from "../shared/announce";
import { useFocusBack } from "../shared/focusback";
import { Sidebar } from "../session/Sidebar";
import { Settings } from "../settings/Settings";
import { focusPane, useFrameKeys } from "./frameKeys";
import { useOverlays } from "./overlays";
import { Handle } from "./Handle";
import { usePanes, type Panes } from "./panes";
import { SessionPane } from "./SessionPane";
import { StatusBar } from "./StatusBar";
import { Trouble } from "./Trouble";
import "./frame.css";

/** The whole window. */
export function Frame() {
  const t = useText();
  const frame = useRef<HTMLDivElement>(null);
  const panes = usePanes();
  const { sessionId } = useSelection();
  const { view } = useView();
  const firstRun = useFirstRun();
  const title = useSession(sessionId)?.title ?? "";
  const railAsked = useSlice((store) => store.selection.railAsked);
  const overlays = useOverlays(panes);
  useFrameKeys(frame, panes, overlays);
  useLook();
  const { rows, here } = useProfiles();
  // Of several, it tells two windows apart.
  const profile = rows.length > 1 ? here : null;
  useEffect(() => {
    if (profile !== null) document.title = t("window-title-profile", { title: title || t("app-name"), profile });
    else document.title = title === "" ? t("app-name") : t("window-title", { title });
  }, [t, title, profile]);
  // In the same drawing as the wish, so that whoever asked for the processes finds them there.
  const [lastAsked, setLastAsked] = useState(0);
  if (railAsked !== lastAsked) {
    setLastAsked(railAsked);
    panes.showRail();
  }

  return (
    <div className="frame" ref={frame} data-layout={panes.layout} data-sidebar={panes.sidebar} data-rail={panes.rail}>
      {view !== "chat" ? (
        <Settings section={view.settings} narrow={panes.layout === "one"} navOpen={panes.sidebar} onToggleNav={panes.toggleSidebar} trouble={<Trouble />} />
      ) : firstRun.phase === "open" ? (
        <>
          {profile === null ? null : (
            <nav className="first-head" aria-label={t("profiles")}>
              <Switcher />
            </nav>
          )}
          <FirstRun onDone={firstRun.close} />
        </>
      ) : firstRun.phase === "asking" ? (
        <main className="first" />
      ) : (
        <>
          {panes.sidebar ? (
            <div className="pane-sidebar" data-pane>
              {panes.layout === "one" ? <Covering /> : null}
              <Sidebar onChosen={panes.layout === "one" ? panes.closeOverlays : noop} edge={panes.layout === "one" ? null : <Handle frame={frame} pane="sidebar" />} />
            </div>
          ) : null}
          <main className="pane-main" data-pane>
            <SessionPane sessionId={sessionId} panes={panes} finding={overlays.finding} onFound={overlays.endFinding} />
          </main>
          <Rail panes={panes} sessionId={sessionId} frame={frame} />
        </>
      )}
      {panes.layout !== "three" && ((view === "chat" && panes.rail) || (panes.layout === "one" && panes.sidebar)) ? (
        <button type="button" className="scrim" tabIndex={-1} aria-label={t("pane-close")} onClick={panes.closeOverlays} />
      ) : null}
      <StatusBar frame={overlays.frame} noticesOpen={overlays.noticesOpen} incidentsOpen={overlays.incidentsOpen} />
      {overlays.over}
      <LiveRegion />
    </div>
  );
}

interface RailProps {
  panes: Panes;
  sessionId: string | null;
  frame: React.RefObject<HTMLDivElement | null>;
}

function Rail({ panes, sessionId, frame }: RailProps) {
  const t = useText();
  const living = useProcesses().filter(alive).length;
  if (!panes.rail) {
    if (panes.layout !== "folded") return null;
    return (
      <aside className="pane-strip" aria-label={t("rail-label")}>
        <button type="button" className="btn ghost ic" title={t("rail-open")} aria-label={t("rail-open")} onClick={panes.showRail}>
          <SquareTerminal className="icon" aria-hidden />
        </button>
        {living > 0 ? <span className="small t2 num">{living}</span> : null}
      </aside>
    );
  }
  return (
    <aside className="pane-rail" data-pane aria-label={t("rail-label")}>
      {panes.layout === "three" ? null : <Covering />}
      <RailTabs
        sessionId={sessionId}
        trailing={
          panes.layout === "three" ? null : (
            <button type="button" className="btn ghost ic" title={t("pane-close")} aria-label={t("pane-close")} onClick={panes.closeOverlays}>
              <X className="icon" aria-hidden />
            </button>
          )
        }
      />
      {panes.layout === "three" ? <Handle frame={frame} pane="rail" /> : null}
    </aside>
  );
}

/** In a pane that lies over the transcript: it has the focus for as long as it does. */
function Covering() {
  const mark = useRef<HTMLSpanElement>(null);
  useFocusBack();
  useEffect(() => focusPane(mark.current?.closest<HTMLElement>("[data-pane]")), []);
  return <span ref={mark} hidden />;
}

function noop(): void {
  // Beside the transcript, the sidebar stays.
}
