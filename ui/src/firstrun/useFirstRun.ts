// Whether the window begins with the choice of a model: nothing is set up, and it was not put away.
import { useCallback, useEffect, useState } from "react";
import { useBridge, useConnection, useSetup, useSlice, useView } from "../feed/hooks";

/** Under which name it is put down that this was seen, and as what. */
const KEY = "first-run";
const DONE = "done";

/** What the window shows of it. `asking`: nothing yet, for it may be needed. */
export interface FirstRunState {
  readonly phase: "no" | "asking" | "open";
  /** It is over; it does not come back by itself. */
  close(): void;
}

/** See the file's head. */
export function useFirstRun(): FirstRunState {
  const bridge = useBridge();
  const { settings } = useSetup();
  const { view } = useView();
  // Settings may be here before the sessions are.
  const opened = useConnection().kind === "open";
  const loaded = settings !== null && opened;
  // Where somebody has worked before, the empty transcript tells how to set up a model.
  const used = useSlice((store) => store.state.sessions.size > 0);
  // What answers because nothing else is set up was not chosen by anybody.
  const bare = loaded && !used && settings.providers.every(({ builtIn }) => builtIn === true);
  const [answer, setAnswer] = useState<"unknown" | "open" | "no">("unknown");
  const inChat = view === "chat";
  // Who takes the last provider away later knows where the settings are.
  if (loaded && !bare && answer === "unknown") setAnswer("no");
  // Who went to the settings may set something up there; coming back, it is asked again whether anything is missing.
  if (!inChat && answer === "open") setAnswer("unknown");
  const mustAsk = bare && inChat && answer === "unknown";
  useEffect(() => {
    if (!mustAsk) return undefined;
    let current = true;
    bridge.call("get_ui_state", {}).then(
      ({ entries }) => {
        if (current) setAnswer(entries.some((entry) => entry.key === KEY && entry.value === DONE) ? "no" : "open");
      },
      () => {
        if (current) setAnswer("open");
      },
    );
    return () => {
      current = false;
    };
  }, [bridge, mustAsk]);
  const close = useCallback((): void => {
    setAnswer("no");
    // A note that is not taken costs one more look at the first page, nothing else.
    bridge.call("set_ui_state", { key: KEY, value: DONE }).catch(() => undefined);
  }, [bridge]);
  return { phase: answer === "unknown" ? (bare ? "asking" : "no") : answer, close };
}
