// What the model thought: one closed row, for those who want to look.
import { ChevronDown, ChevronRight, Lightbulb } from "lucide-react";
import { useId } from "react";
import type { Item } from "../bridge/wire";
import { useItemBlocks } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useDensity } from "../look/look";
import { useDisclosure } from "../shared/disclosure";
import { Blocks } from "./blocks/Blocks";

/** A model's reasoning. */
export function Reasoning({ item }: { item: Item }) {
  const t = useText();
  const bodyId = useId();
  const streamed = useItemBlocks(item.itemId);
  const [open, toggle] = useDisclosure(`reasoning ${item.itemId}`, useDensity() === "verbose");
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div role="group" className="reasoning" aria-label={t("reasoning")}>
      <button type="button" className="reasoning-row" aria-expanded={open} aria-controls={bodyId} onClick={toggle}>
        <Lightbulb className="icon" strokeWidth={1.75} aria-hidden />
        <span>{item.streaming ? t("reasoning-now") : t("reasoning-done")}</span>
        <Chevron className="icon k reasoning-chevron" aria-hidden />
      </button>
      {open && (
        <div id={bodyId} className="reasoning-body">
          <Blocks blocks={streamed ?? item.blocks ?? [{ type: "plain", text: item.text ?? "" }]} />
        </div>
      )}
    </div>
  );
}
