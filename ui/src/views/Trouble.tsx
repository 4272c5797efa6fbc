// What is wrong with the data, as long as it is; and the last thing that did not work. Both stand below the header.
import { OctagonX, X } from "lucide-react";
import { dismissTrouble, useTrouble } from "../actions/trouble";
import { useStorageTrouble } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** The banners, or nothing. */
export function Trouble() {
  const t = useText();
  const storage = useStorageTrouble();
  const words = useTrouble();
  return (
    <>
      {storage === null ? null : (
        <div className="banner fail" role="alert" data-testid="storage-trouble" data-code={storage.code}>
          <OctagonX className="icon" aria-hidden />
          <p className="grow">{storage.message}</p>
        </div>
      )}
      {words === null ? null : (
        <div className="banner fail" role="alert" data-testid="trouble">
          <OctagonX className="icon" aria-hidden />
          <p className="grow">{words}</p>
          <button type="button" className="btn ghost ic sm" title={t("trouble-dismiss")} aria-label={t("trouble-dismiss")} onClick={dismissTrouble}>
            <X className="icon k" aria-hidden />
          </button>
        </div>
      )}
    </>
  );
}
