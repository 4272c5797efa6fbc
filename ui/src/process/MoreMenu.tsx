// What is done to a process less often, in a list below a button.
import { Ellipsis } from "lucide-react";
import { useText } from "../l10n/l10n";
import { useMenu } from "../shared/menu";
import { type MenuLine, MenuLines } from "../shared/MenuLines";

/** The button and its list. */
export function MoreMenu({ lines }: { lines: readonly MenuLine[] }) {
  const t = useText();
  const { open, toggle, close, box, button, list } = useMenu(lines.length);
  return (
    <div className="choice-menu" ref={box}>
      <button {...button} type="button" className="btn sm ghost ic" aria-label={t("process-more")} title={t("process-more")} onClick={toggle}>
        <Ellipsis className="icon" strokeWidth={1.75} aria-hidden />
      </button>
      {open && (
        <div {...list} className="choice-list" aria-label={t("process-more")}>
          <MenuLines lines={lines} close={close} />
        </div>
      )}
    </div>
  );
}
