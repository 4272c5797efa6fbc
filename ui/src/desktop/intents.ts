// What the desktop app asks of this window: a click on a notice, an entry of the tray, a quit.
import { useEffect, useEffectEvent, useState } from "react";
import type { Desktop } from "../bridge/bridge";
import type { DesktopState, Intent } from "../bridge/wire";
import { useBridge } from "../feed/hooks";

const AGAIN_MS = 1000;

/** Follows the desktop app for as long as the window stands. */
export function useIntents(onIntent: (intent: Intent) => void): void {
  const { desktop } = useBridge();
  const carryOut = useEffectEvent(onIntent);
  useEffect(() => {
    if (desktop === null) return undefined;
    let standing = true;
    void follow(desktop, () => standing, carryOut);
    return () => {
      standing = false;
    };
  }, [desktop]);
}

async function follow(desktop: Desktop, standing: () => boolean, carryOut: (intent: Intent) => void): Promise<void> {
  while (standing()) {
    try {
      const intent = await desktop.nextIntent();
      if (standing()) carryOut(intent);
    } catch {
      // A newer call of this window took over, or the program is going down: both end this one soon.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** What the system around the window can do; `asked` grows when it should be asked again. */
export function useDesktopState(asked: number): DesktopState | null {
  const { desktop } = useBridge();
  const [state, setState] = useState<DesktopState | null>(null);
  useEffect(() => {
    let wanted = true;
    desktop?.state().then(
      (answer) => wanted && setState(answer),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [desktop, asked]);
  return state;
}
