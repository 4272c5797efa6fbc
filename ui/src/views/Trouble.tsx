// The last thing that did not work, below the header.
import { OctagonX, X } from "lucide-react";
import { dismissTrouble, useTrouble } from "../actions/trouble";
import { useText } from "../l10n/l10n";

/** The banner, or nothing. */
export function Trouble() {
  const t = useText();
  const words = useTrouble();
  if (words === null) return null;
  return (
    <div className="banner fail" role="alert" data-testid="trouble">
      <OctagonX className="icon" aria-hidden />
      <p className="grow">{words}</p>
      <button type="button" className="btn ghost ic sm" title={t("trouble-dismiss")} aria-label={t("trouble-dismiss")} onClick={dismissTrouble}>
        <X className="icon k" aria-hidden />
      </button>
    </div>
  );
}
