// From notices to rows: two or more successes in a run are one row. Questions have rows of their own while they wait.
import type { Notice } from "../bridge/wire";

/** A row of the list. */
export type NoticeRow = { readonly kind: "one"; readonly notice: Notice } | { readonly kind: "folded"; readonly notices: readonly Notice[] };

/** The rows of notices that are sorted, the newest first. */
export function rows(notices: readonly Notice[]): NoticeRow[] {
  const made: NoticeRow[] = [];
  let run: Notice[] = [];
  const close = (): void => {
    if (run.length > 1) made.push({ kind: "folded", notices: run });
    else if (run[0] !== undefined) made.push({ kind: "one", notice: run[0] });
    run = [];
  };
  for (const notice of notices) {
    if (notice.kind === "approval") continue;
    if (notice.tone === "done") {
      run.push(notice);
      continue;
    }
    close();
    made.push({ kind: "one", notice });
  }
  close();
  return made;
}

/** What every row of the open list is given. */
export interface RowProps {
  /** The rows are one stop of the tab key; arrows go on from it. */
  stop: boolean;
  onClose: () => void;
}
