// The keys that work.
import { KEY_HINTS } from "../approval/keys";
import { useText } from "../l10n/l10n";
import { IS_MAC } from "../shared/keyboard";

/** Words of a group and of its keys, as Fluent ids. `Mod` is the computer's main modifier. */
const GROUPS: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "keys-window",
    keys: [
      ["Mod K", "keys-find"],
      ["Mod N", "keys-new"],
      ["Mod 1 - 9", "keys-place"],
      ["Mod Shift U", "keys-needs-you"],
      ["Mod B", "keys-sidebar"],
      ["Mod J", "keys-rail"],
      ["Mod ,", "keys-settings"],
      ["F6", "keys-panes"],
    ],
  },
  {
    title: "keys-writing",
    keys: [
      ["Enter", "keys-send"],
      ["Shift Enter", "keys-newline"],
      ["Mod Enter", "keys-steer"],
      ["Esc", "keys-stop"],
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
                  <kbd className="key">{press.replace("Mod", IS_MAC ? "Cmd" : "Ctrl")}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
