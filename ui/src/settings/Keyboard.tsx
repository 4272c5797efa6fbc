// The keys that work: the window's own from the table that it listens by, and those of what is typed and answered.
import { KEYS, shown, type KeyName } from "../actions/keys";
import { KEY_HINTS } from "../approval/keys";
import { useText } from "../l10n/l10n";
import { LIST_KEYS } from "../process/listKeys";
import { IS_MAC } from "../shared/keyboard";

/** What each key of the window does, as Fluent ids. */
const WINDOW: Record<KeyName, string> = {
  palette: "keys-palette",
  findHere: "keys-find-here",
  find: "keys-find",
  newSession: "keys-new",
  nextNeeded: "keys-needs-you",
  sidebar: "keys-sidebar",
  rail: "keys-rail",
  processes: "keys-processes",
  density: "keys-density",
  settings: "keys-settings",
  keyMap: "keys-map",
  panes: "keys-panes",
  stop: "keys-stop",
};

const MAIN = IS_MAC ? "Cmd" : "Ctrl";

/** Groups: a title, then what is pressed and what it does. */
const GROUPS: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "keys-window",
    keys: [...(Object.keys(WINDOW) as KeyName[]).map((name) => [shown(KEYS[name][0]), WINDOW[name]] as const), [`${MAIN} 1 - 9`, "keys-place"]],
  },
  {
    title: "keys-writing",
    keys: [
      ["Enter", "keys-send"],
      ["Shift Enter", "keys-newline"],
      [`${MAIN} Enter`, "keys-steer"],
    ],
  },
  {
    title: "keys-answering",
    keys: [
      [KEY_HINTS.once.shown, "keys-allow"],
      [KEY_HINTS.session.shown, "keys-allow-session"],
      [KEY_HINTS.deny.shown, "keys-deny"],
    ],
  },
  { title: "list-keys", keys: LIST_KEYS },
];

/** The room. */
export function Keyboard() {
  const t = useText();
  return (
    <div role="region" aria-label={t("set-keymap")} data-row="set-keymap" tabIndex={0}>
      {GROUPS.map(({ title, keys }) => (
        <section key={title} aria-label={t(title)}>
          <h2 className="set-group">{t(title)}</h2>
          <dl className="set-keys">
            {keys.map(([press, words]) => (
              <div className="set" key={words}>
                <dt className="set-label">{t(words)}</dt>
                <dd className="set-control">
                  <kbd className="key">{press}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
