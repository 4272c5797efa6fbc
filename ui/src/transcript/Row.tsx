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
  /** Somebody asked to see it just now. */
  target: boolean;
  /** A line that stands before the item. */
  children: ReactNode;
}

/** One row. */
export const Row = memo(function Row({ item, index, joined, measure, target, children }: RowProps) {
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
      data-target={target}
    >
      {children}
      <ItemView item={item} />
    </div>
  );
});
