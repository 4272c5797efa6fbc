// The answers that a question takes, in one order: what lasts shortest stands first, and "no" stands apart.
import type { Item } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { KEY_HINTS, type KeyedChoice } from "./keys";
import { visible } from "./visible";

/** The answers with a button of their own; the others open a field. */
export type PlainChoice = "once" | "session" | "always" | "deny";
/** What needs words before it can be answered. */
export type Worded = "pattern" | "reason";

interface ActionsProps {
  item: Item;
  /** The whole command was in sight. */
  read: boolean;
  /** No press counts now. */
  dead: boolean;
  /** This question owns the keys, so it shows them. */
  owns: boolean;
  /** Allow once is the view's ink button. */
  ink: boolean;
  onAnswer: (choice: PlainChoice) => void;
  onWords: (kind: Worded) => void;
}

/** All answers that are offered. */
export function Actions({ item, read, dead, owns, ink, onAnswer, onWords }: ActionsProps) {
  const t = useText();
  const offers = (choice: string) => item.choices?.includes(choice) === true;
  const pattern = item.suggestedPattern ?? "";
  const allow = { read, dead: dead || !read };
  return (
    <>
      {offers("once") && (
        <Answer choice="once" {...allow} ink={ink} keys={owns ? "once" : null} words={t("approval-allow-once")} onPress={() => onAnswer("once")} />
      )}
      {offers("session") && (
        <Answer choice="session" {...allow} ink={false} keys={owns ? "session" : null} words={t("approval-allow-session")} onPress={() => onAnswer("session")} />
      )}
      {offers("always") && (
        <Answer choice="always" {...allow} ink={false} keys={null} words={t("approval-allow-always")} onPress={() => onAnswer("always")} />
      )}
      {offers("pattern") && pattern !== "" && (
        <button type="button" className={allowClass(false, read)} data-choice="pattern" aria-disabled={allow.dead} onClick={() => onWords("pattern")}>
          {t("approval-allow-pattern")} <span className="approval-pattern">{visible(pattern)}</span>
        </button>
      )}
      <span className="approval-no">
        <button type="button" className="btn ghost" data-choice="reason" aria-disabled={dead} onClick={() => onWords("reason")}>
          {t("approval-deny-reason")}
        </button>
        <button
          type="button"
          className="btn ghost approval-deny"
          data-choice="deny"
          aria-disabled={dead}
          aria-keyshortcuts={owns ? KEY_HINTS.deny.spoken : undefined}
          onClick={() => onAnswer("deny")}
        >
          {t("approval-deny")}
          {owns && <kbd>{KEY_HINTS.deny.shown}</kbd>}
        </button>
      </span>
    </>
  );
}

interface AnswerProps {
  choice: PlainChoice;
  words: string;
  read: boolean;
  dead: boolean;
  ink: boolean;
  keys: KeyedChoice | null;
  onPress: () => void;
}

function Answer({ choice, words, read, dead, ink, keys, onPress }: AnswerProps) {
  return (
    <button
      type="button"
      className={allowClass(ink, read)}
      data-choice={choice}
      aria-disabled={dead}
      aria-keyshortcuts={keys === null ? undefined : KEY_HINTS[keys].spoken}
      onClick={onPress}
    >
      {words}
      {keys !== null && <kbd>{KEY_HINTS[keys].shown}</kbd>}
    </button>
  );
}

function allowClass(ink: boolean, read: boolean): string {
  if (ink) return "btn primary";
  return read ? "btn" : "btn approval-unread";
}
