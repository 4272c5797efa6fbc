// The settings, in the frame of the window: rooms at the left, one column of rows.
import { ArrowLeft, ExternalLink, PanelLeft } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useBridge, useSetup, useSlice, useView, type SectionName } from "../feed/hooks";
import type { Settings as Values } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { About } from "./About";
import { Appearance } from "./Appearance";
import { Approvals } from "./Approvals";
import { Data } from "./Data";
import { Keyboard } from "./Keyboard";
import { Models } from "./Models";
import { Nav } from "./Nav";
import { Notices } from "./Notices";
import { Processes } from "./Processes";
import { SavedContext } from "./saved";
import { SECTIONS } from "./sections";
import "./settings.css";

interface SettingsProps {
  section: SectionName;
  /** The window has room for one pane only; then the rooms lie over the column. */
  narrow: boolean;
  navOpen: boolean;
  onToggleNav: () => void;
  /** What did not work, below the header: keys and the palette do things from here, too. */
  trouble?: ReactNode;
}

/** The view. */
export function Settings({ section, narrow, navOpen, onToggleNav, trouble }: SettingsProps) {
  const t = useText();
  const { openSettings, closeSettings } = useView();
  const { settings, error } = useSetup();
  // After a restore everything is asked again.
  const epoch = useSlice((store) => store.state.epoch);
  const [saved, setSaved] = useState(false);
  const pane = useRef<HTMLElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const shownNav = !narrow || navOpen;
  const back = (): void => {
    if (narrow && navOpen) onToggleNav();
    closeSettings();
  };
  const choose = (name: SectionName, row?: string): void => {
    openSettings(name);
    if (narrow) onToggleNav();
    // The room is drawn after this; a row that was searched for is where the person wants to be.
    requestAnimationFrame(() => {
      if (row === undefined) column.current?.scrollTo({ top: 0 });
      else focusRow(column.current, row);
    });
  };
  useEffect(() => {
    // The rooms take the focus where they are shown; where they are not, the way back does.
    if (document.activeElement === document.body) pane.current?.querySelector<HTMLElement>("button")?.focus();
    return () => {
      // Nobody is left without a place: whoever comes back writes on.
      if (document.activeElement === document.body) document.querySelector<HTMLElement>(".composer-text")?.focus();
    };
  }, []);
  const title = SECTIONS.find(({ name }) => name === section)?.title ?? "settings-label";
  return (
    <SavedContext value={() => setSaved(true)}>
      {shownNav ? (
        <div className="pane-sidebar" data-pane>
          <Nav section={section} onBack={back} onChoose={choose} />
        </div>
      ) : null}
      <main className="pane-main set-pane" ref={pane} data-pane data-testid="settings">
        <header className="main-head set-head">
          {narrow ? <NarrowHead onBack={back} onRooms={onToggleNav} /> : null}
          <h1 className="main-title cut">{t(title)}</h1>
          <span className="grow" />
          <span className="t2 cut set-saved" role="status">
            {saved ? t("settings-saved") : ""}
          </span>
          <OpenFile />
        </header>
        {trouble}
        <div className="set-column-scroll" ref={column}>
          <div className="set-column" key={section}>
            {section === "data" ? <Data key={epoch} /> : settings === null ? <p className="set-effect">{error?.message ?? ""}</p> : <Room section={section} settings={settings} />}
          </div>
        </div>
      </main>
    </SavedContext>
  );
}

function Room({ section, settings }: { section: Exclude<SectionName, "data">; settings: Values }): ReactNode {
  switch (section) {
    case "models":
      return <Models settings={settings} />;
    case "processes":
      return <Processes settings={settings} />;
    case "approvals":
      return <Approvals settings={settings} />;
    case "notices":
      return <Notices settings={settings} />;
    case "appearance":
      return <Appearance settings={settings} />;
    case "keyboard":
      return <Keyboard />;
    case "about":
      return <About settings={settings} />;
  }
}

function NarrowHead({ onBack, onRooms }: { onBack: () => void; onRooms: () => void }) {
  const t = useText();
  return (
    <>
      <button type="button" className="btn ghost ic" title={t("settings-back")} aria-label={t("settings-back")} onClick={onBack}>
        <ArrowLeft className="icon" aria-hidden />
      </button>
      <button type="button" className="btn ghost ic" title={t("settings-rooms")} aria-label={t("settings-rooms")} onClick={onRooms}>
        <PanelLeft className="icon" aria-hidden />
      </button>
    </>
  );
}

/** Only the desktop app can open a file. */
function OpenFile() {
  const t = useText();
  const { desktop } = useBridge();
  if (desktop === null) return null;
  return (
    <button type="button" className="btn ghost" onClick={() => void desktop.openPlace("settings")}>
      <ExternalLink className="icon k" aria-hidden />
      {t("settings-open-file")}
    </button>
  );
}

function focusRow(column: HTMLElement | null, row: string): void {
  const place = column?.querySelector<HTMLElement>(`[data-row="${row}"]`);
  (place?.querySelector<HTMLElement>("input, select, button, textarea") ?? place)?.focus();
}
