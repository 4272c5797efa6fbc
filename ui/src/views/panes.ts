// Which panes stand beside the transcript, by the window's width and the person's wish.
import { useEffect, useState, useSyncExternalStore } from "react";

/** Three panes, the rail folded to a strip, or one pane. */
export type Layout = "three" | "folded" | "one";

const wide = matchMedia("(min-width: 1100px)");
const narrow = matchMedia("(max-width: 759px)");

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  narrow.addEventListener("change", listener);
  return () => {
    wide.removeEventListener("change", listener);
    narrow.removeEventListener("change", listener);
  };
}

function readLayout(): Layout {
  if (wide.matches) return "three";
  return narrow.matches ? "one" : "folded";
}

/** What is shown, and how to change it. */
export interface Panes {
  readonly layout: Layout;
  readonly sidebar: boolean;
  readonly rail: boolean;
  readonly toggleSidebar: () => void;
  readonly toggleRail: () => void;
  readonly showRail: () => void;
  /** Folds away what lies over the transcript. */
  readonly closeOverlays: () => void;
}

/** The panes. A pane that lies over the transcript starts folded away. */
export function usePanes(): Panes {
  const layout = useSyncExternalStore(subscribe, readLayout);
  const [sidebar, setSidebar] = useState(layout !== "one");
  const [rail, setRail] = useState(layout === "three");
  useEffect(() => {
    setSidebar(layout !== "one");
    setRail(layout === "three");
  }, [layout]);
  return {
    layout,
    sidebar,
    rail,
    toggleSidebar: () => {
      setSidebar(!sidebar);
      if (layout === "one") setRail(false);
    },
    toggleRail: () => {
      setRail(!rail);
      if (layout === "one") setSidebar(false);
    },
    showRail: () => {
      setRail(true);
      if (layout === "one") setSidebar(false);
    },
    closeOverlays: () => {
      if (layout === "one") setSidebar(false);
      if (layout !== "three") setRail(false);
    },
  };
}
