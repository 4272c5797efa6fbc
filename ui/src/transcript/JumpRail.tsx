// One mark per thing the person said, at the edge of the column: a way back to the question.
import { useText } from "../l10n/l10n";
import type { ItemState } from "../feed/state";

const MARKS = 24;
const LABEL_CHARS = 80;

interface JumpRailProps {
  items: readonly ItemState[];
  /** The first item on screen. */
  currentSeq: number;
  onJump: (seq: number) => void;
}

/** The marks; nothing when there is only one thing to go back to. */
export function JumpRail({ items, currentSeq, onJump }: JumpRailProps) {
  const t = useText();
  const marks = items.filter((item) => item.author === "human" && item.kind === "message").slice(-MARKS);
  if (marks.length < 2) return null;
  const current = marks.findLast((item) => item.seq <= currentSeq) ?? marks[0];
  return (
    <nav className="jump-rail" aria-label={t("transcript-jump-rail")}>
      {marks.map((item) => (
        <button
          key={item.itemId}
          type="button"
          className="jump-mark"
          tabIndex={-1}
          aria-current={item === current}
          aria-label={firstLine(item)}
          title={firstLine(item)}
          onClick={() => onJump(item.seq)}
        />
      ))}
    </nav>
  );
}

function firstLine(item: ItemState): string {
  return (item.text ?? "").split("\n", 1)[0]?.slice(0, LABEL_CHARS) ?? "";
}
