// What the person said: the only bubble, the only thing at the right.
import type { Item } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { useDisclosure } from "../shared/disclosure";
import { fullTime } from "../shared/format";

/** Longer messages are folded. */
const FOLD_LINES = 12;
/** About so many characters stand in one line of a bubble. */
const LINE_CHARACTERS = 66;

/** A person's message; a `!command` of theirs stands in mono. */
export function HumanBubble({ item, command }: { item: Item; command?: string }) {
  const t = useText();
  const text = command === undefined ? (item.text ?? "") : `!${command}`;
  const [open, toggle] = useDisclosure(`human ${item.itemId}`, false);
  const foldable = heightInLines(text) > FOLD_LINES;
  const lines = text.split("\n").length;
  return (
    <article className="human" aria-label={t("author-you")} title={fullTime(item.atMs)}>
      {item.kind === "steer" && <span className="human-line">{t("human-steered")}</span>}
      <div className="human-bubble">
        <div className={bubbleClass(command !== undefined, foldable && !open)} dir="auto">
          {text}
        </div>
        {foldable && (
          <button type="button" className="btn sm ghost human-more" aria-expanded={open} onClick={toggle}>
            {open ? t("human-fold") : lines > FOLD_LINES ? t("human-all-lines", { lines }) : t("human-all")}
          </button>
        )}
      </div>
    </article>
  );
}

function bubbleClass(mono: boolean, folded: boolean): string {
  return ["human-text", mono ? "human-command" : "", folded ? "human-folded" : ""].filter(Boolean).join(" ");
}

/** About how many lines a text takes in a bubble. */
export function heightInLines(text: string): number {
  return text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_CHARACTERS)), 0);
}
