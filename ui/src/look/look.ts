// What a person set about the window's looks, handed to the page. `public/theme.js` carries it out: it also paints the
// first frame, before any of this is loaded, so there is one place that decides.
import { useEffect } from "react";
import { useSetup } from "../feed/hooks";

/** How much of a turn's work is open. */
export type Density = "verbose" | "normal" | "summary";

/** Hands every change of the settings on; once per window. */
export function useLook(): void {
  const look = useSetup().settings?.look;
  useEffect(() => {
    if (look !== undefined) window.dispatchEvent(new CustomEvent("gatehouse:look", { detail: look }));
  }, [look]);
}

/** How much of a turn's work is open; until the settings are here, what it was the last time. */
export function useDensity(): Density {
  const density = useSetup().settings?.look.density ?? document.documentElement.dataset["density"];
  return density === "verbose" || density === "summary" ? density : "normal";
}
