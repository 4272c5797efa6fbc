// What a command would do and where, beside the command itself.
import type { Item } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { visible } from "./visible";
import "./approval.css";

/** What it would do and where, and what the agent says about it. */
export function Effect({ item }: { item: Item }) {
  const t = useText();
  const dangers = item.dangers ?? [];
  const purpose = item.purpose?.trim() ?? "";
  if (item.cwd == null && dangers.length === 0 && purpose === "") return <div className="approval-why-none" />;
  return (
    <div className="approval-why">
      <p>
        {dangers.join(" ")}{" "}
        {item.cwd != null && (
          <span className="approval-place">
            {t("approval-in")} <span className="approval-cwd">{visible(item.cwd)}</span>
          </span>
        )}
      </p>
      {/* Last and on its own: nothing of ours follows what the agent says, so it cannot go on in our name. */}
      {purpose !== "" && (
        <p className="approval-purpose">
          {t("approval-purpose")} <q className="approval-words">{visible(purpose)}</q>
        </p>
      )}
    </div>
  );
}
