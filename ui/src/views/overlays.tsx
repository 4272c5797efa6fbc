// What lies over the frame, one at a time: the palette, the notices, the map of the keys, a new profile, the question
// before a quit.
import { type ReactNode, useState } from "react";
import { KeyMap } from "../actions/KeyMap";
import type { FrameActions } from "../actions/actions";
import { attempt } from "../actions/trouble";
import { asCallError, CallError } from "../bridge/bridge";
import type { Intent, QuitChoice } from "../bridge/wire";
import { QuitDialog } from "../desktop/QuitDialog";
import { useDesktopState, useIntents } from "../desktop/intents";
import { usePalette, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Incidents } from "../incidents/Incidents";
import { Notices } from "../notices/Notices";
import { Palette } from "../palette/Palette";
import { NewProfile } from "../profile/NewProfile";
import { useMakeSession } from "../session/newSession";
import type { Panes } from "./panes";
import { useStopTurn } from "./stopTurn";

type Open = { readonly kind: "none" } | { readonly kind: "notices" } | { readonly kind: "incidents" } | { readonly kind: "keys" } | { readonly kind: "profile" } | { readonly kind: "quit"; readonly processes: number };

const NONE: Open = { kind: "none" };

/** What the frame can do, and what lies over it now. */
export interface Overlays {
  readonly frame: FrameActions;
  readonly over: ReactNode;
  readonly noticesOpen: boolean;
  readonly incidentsOpen: boolean;
  /** Grows with every wish to find something here; 0 while nobody looks. */
  readonly finding: number;
  readonly endFinding: () => void;
  /** Closes what lies over the frame; whether there was anything. */
  readonly closeTop: () => boolean;
}

/** The overlays of one frame. */
export function useOverlays(panes: Panes): Overlays {
  const store = useStore();
  const desktop = store.bridge.desktop;
  const palette = usePalette();
  const make = useMakeSession();
  const t = useText();
  const { stop } = useStopTurn();
  const [open, setOpen] = useState<Open>(NONE);
  const [finding, setFinding] = useState(0);
  const [stateAsked, setStateAsked] = useState(0);
  const system = useDesktopState(stateAsked);
  // One at a time: the palette comes over whatever was open, and leaves nothing behind it.
  if (palette.open && open.kind !== "none") setOpen(NONE);
  const close = (): void => setOpen(NONE);
  const quit = (choice: QuitChoice): void => {
    close();
    if (desktop !== null) attempt(desktop.quit(choice));
  };
  const create = (): void =>
    attempt(
      make().catch((reason: unknown) => {
        const { code, message } = asCallError(reason);
        throw new CallError(code, t("session-new-failed", { reason: message }));
      }),
    );
  const frame: FrameActions = {
    newSession: create,
    toggleSidebar: panes.toggleSidebar,
    toggleRail: panes.toggleRail,
    showProcesses: () => {
      store.showProcesses();
      requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-process-id] .process-row")?.focus());
    },
    openNotices: () => setOpen(open.kind === "notices" ? NONE : { kind: "notices" }),
    openIncidents: () => setOpen(open.kind === "incidents" ? NONE : { kind: "incidents" }),
    findHere: () => setFinding((count) => count + 1),
    openKeyMap: () => setOpen({ kind: "keys" }),
    newProfile: () => setOpen({ kind: "profile" }),
    askQuit: () => desktop !== null && attempt(desktop.askQuit()),
    stopTurn: stop,
  };
  useIntents((intent) => carryOut(intent));

  function carryOut(intent: Intent): void {
    if (intent.kind !== "state_changed") palette.closePalette();
    switch (intent.kind) {
      case "show":
        close();
        if (intent.seq == null) store.openSession(intent.sessionId);
        else store.showItem(intent.sessionId, intent.seq);
        if (intent.processId != null) store.openProcess(intent.processId);
        break;
      case "new_session":
        create();
        break;
      case "open_settings":
        store.openSettings();
        break;
      case "open_notices":
        setOpen({ kind: "notices" });
        break;
      case "ask_quit":
        setOpen({ kind: "quit", processes: intent.processes });
        break;
      case "state_changed":
        setStateAsked((asked) => asked + 1);
        break;
    }
  }

  const over = (
    <>
      {palette.open ? <Palette frame={frame} onClose={palette.closePalette} /> : null}
      {open.kind === "notices" ? <Notices system={system} onClose={close} /> : null}
      {open.kind === "incidents" ? <Incidents onClose={close} /> : null}
      {open.kind === "keys" ? <KeyMap onClose={close} /> : null}
      {open.kind === "profile" ? <NewProfile onClose={close} /> : null}
      {open.kind === "quit" ? <QuitDialog processes={open.processes} onQuit={quit} onCancel={close} /> : null}
    </>
  );
  return {
    frame,
    over,
    noticesOpen: open.kind === "notices",
    incidentsOpen: open.kind === "incidents",
    finding,
    endFinding: () => setFinding(0),
    closeTop: () => {
      close();
      return open.kind !== "none";
    },
  };
}
