// What the entries can do, wired to the rest of the window.
import { useMemo } from "react";
import type { NoteUnit } from "../bridge/wire";
import { prefill } from "../composer/drafts";
import { useBridge, useSelection } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { questionAbout } from "../note/question";
import type { NoteActions } from "../note/UnitBody";

/** Shows a process in the rail. */
export function useOpenProcess(): (processId: string) => void {
  return useSelection().openProcess;
}

/** What a machine note offers, for one session. */
export function useNoteActions(sessionId: string): NoteActions {
  const t = useText();
  const bridge = useBridge();
  const openProcess = useOpenProcess();
  return useMemo(
    () => ({
      sessionId,
      openProcess,
      runAgain: async (unit: NoteUnit) => {
        const clientKey = crypto.randomUUID();
        const { note } = await bridge.call("start_process", { sessionId, command: unit.command, notify: true, clientKey });
        return note ?? null;
      },
      askAgent: (unit: NoteUnit) => prefill(sessionId, questionAbout(unit, t)),
      mute: async (unit: NoteUnit, muted: boolean) => {
        await bridge.call("set_muted", { sessionId, command: unit.command, muted });
      },
    }),
    [bridge, openProcess, sessionId, t],
  );
}
