// Which panes stand beside the transcript, by the window's width and the person's wish.
import { useState, useSyncExternalStore } from "react";

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

interface Shown {
  readonly layout: Layout;
  readonly sidebar: boolean;
  readonly rail: boolean;
}

function usual(layout: Layout): Shown {
  return { layout, sidebar: layout !== "one", rail: layout === "three" };
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
  const [held, setHeld] = useState(() => usual(layout));
  // Another layout starts with its own usual panes; what was wished for in the one before does not fit it.
  const shown = held.layout === layout ? held : usual(layout);
  const { sidebar, rail } = shown;
  const set = (change: Partial<Shown>): void => setHeld({ ...shown, ...change });
  return {
    layout,
    sidebar,
    rail,
    toggleSidebar: () => {
      set(layout === "one" ? { sidebar: !sidebar, rail: false } : { sidebar: !sidebar });
    },
    toggleRail: () => {
      set(layout === "one" ? { rail: !rail, sidebar: false } : { rail: !rail });
    },
    showRail: () => {
      set(layout === "one" ? { rail: true, sidebar: false } : { rail: true });
    },
    closeOverlays: () => {
      if (layout !== "three") set(layout === "one" ? { rail: false, sidebar: false } : { rail: false });
    },
  };
}
