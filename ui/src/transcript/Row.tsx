// The place of one item in the list. It draws again only when its item does.
import { memo, type ReactNode } from "react";
import type { ItemState } from "../feed/state";
import { ItemView } from "./ItemView";

interface RowProps {
  item: ItemState;
  index: number;
  /** It continues a run of tool rows, without a gap. */
  joined: boolean;
  measure: (node: HTMLElement | null) => void;
  /** A line that stands before the item. */
  children: ReactNode;
}

/** One row. */
export const Row = memo(function Row({ item, index, joined, measure, children }: RowProps) {
  return (
    <div
      ref={measure}
      className="item-row"
      data-index={index}
      data-item-id={item.itemId}
      data-kind={item.kind}
      data-author={item.author}
      data-joined={joined}
      data-streaming={item.streaming}
    >
      {children}
      <ItemView item={item} />
    </div>
  );
});
