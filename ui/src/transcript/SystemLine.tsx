// What Gatehouse itself has to say: one line between two hairlines. What comes with it, such as the end of an output or a
// list, stands below it as it was written.
import { useText } from "../l10n/l10n";

/** A system entry. */
export function SystemLine({ text }: { text: string }) {
  const t = useText();
  const [first = "", ...rest] = text.trimEnd().split("\n");
  return (
    <div role="note">
      <div className="system">
        <span className="system-text">{first}</span>
      </div>
      {rest.length > 0 && (
        <div className="system-more" role="group" aria-label={t("system-more")} tabIndex={0}>
          {rest.map((line, at) => (
            // A line has no name but its place, and the text never changes its order.
            <div key={at} className="system-row">
              {line}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
