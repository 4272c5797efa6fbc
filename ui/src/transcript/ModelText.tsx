// What the model said: bare prose in the full column, no container and no face.
import type { Item } from "../bridge/wire";
import { useItemBlocks } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { CopyButton } from "../shared/CopyButton";
import { Blocks } from "./blocks/Blocks";
import { Files } from "./Files";

/** A model's message. While it streams, its tree comes from the feed; after that, from its own row. */
export function ModelText({ item }: { item: Item }) {
  const t = useText();
  const streamed = useItemBlocks(item.itemId);
  const blocks = streamed ?? item.blocks;
  return (
    <article className={item.streaming ? "model model-streaming" : "model"} aria-label={t("author-model")} aria-busy={item.streaming}>
      {blocks != null ? <Blocks blocks={blocks} /> : <Blocks blocks={[{ type: "plain", text: item.text ?? "" }]} />}
      {item.files != null && item.files.length > 0 ? <Files item={item} files={item.files} /> : null}
      {!item.streaming && item.text != null && item.text !== "" && (
        <div className="item-actions">
          <CopyButton text={item.text} bare />
        </div>
      )}
    </article>
  );
}
