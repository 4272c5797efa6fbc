// A typed tree in, React elements out. There is no path from a string to markup here: text only ever becomes a text
// node, so whatever a model writes stays words.
import { memo } from "react";
import type { Align, Block, Inline, ListItem } from "../../bridge/wire";
import { CodeBlock } from "./CodeBlock";
import { Inlines } from "./Inlines";
import { useText } from "../../l10n/l10n";
import "./blocks.css";

/** Deeper nesting than this is shown as three dots: a quotation of a quotation of a quotation says nothing more. */
const MAX_DEPTH = 24;

const HEADINGS = ["h2", "h2", "h3", "h4", "h5", "h5"] as const;

/** The blocks of one message. Blocks keep their identity while a message streams, so settled ones are not drawn again. */
export function Blocks({ blocks, depth = 0 }: { blocks: readonly Block[]; depth?: number }) {
  if (depth > MAX_DEPTH) return <p className="md-p">…</p>;
  // A tree only grows or changes at its end, so the place is the identity.
  return blocks.map((block, index) => <BlockView key={index} block={block} depth={depth} />);
}

const BlockView = memo(function BlockView({ block, depth }: { block: Block; depth: number }) {
  switch (block.type) {
    case "paragraph":
      return (
        <p className="md-p" dir="auto">
          <Inlines inlines={block.inlines} />
        </p>
      );
    case "heading":
      return <Heading level={block.level} inlines={block.inlines} />;
    case "code":
      return <CodeBlock language={block.language} text={block.text} />;
    case "quote":
      return (
        <blockquote className="md-quote">
          <Blocks blocks={block.blocks} depth={depth + 1} />
        </blockquote>
      );
    case "list":
      return <List start={block.start} items={block.items} depth={depth} />;
    case "table":
      return <Table align={block.align} head={block.head} rows={block.rows} />;
    case "rule":
      return <hr className="md-rule" />;
    case "plain":
      return (
        <p className="md-p md-plain" dir="auto">
          {block.text}
        </p>
      );
  }
});

function Heading({ level, inlines }: { level: number; inlines: readonly Inline[] }) {
  // The session's title is the window's first level; an answer's own headings begin at the second.
  const Tag = HEADINGS[level - 1] ?? "h5";
  return (
    <Tag className={level <= 1 ? "md-h md-h1" : "md-h"} dir="auto">
      <Inlines inlines={inlines} />
    </Tag>
  );
}

function List({ start, items, depth }: { start: number | null; items: readonly ListItem[]; depth: number }) {
  const entries = items.map((item, index) => <Entry key={index} item={item} depth={depth} />);
  if (start === null) return <ul className="md-list">{entries}</ul>;
  return (
    <ol className="md-list" start={start}>
      {entries}
    </ol>
  );
}

function Entry({ item, depth }: { item: ListItem; depth: number }) {
  const t = useText();
  if (item.checked === null) {
    return (
      <li>
        <Blocks blocks={item.blocks} depth={depth + 1} />
      </li>
    );
  }
  return (
    <li className="md-task">
      <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? t("md-done") : t("md-open")} />
      <div>
        <Blocks blocks={item.blocks} depth={depth + 1} />
      </div>
    </li>
  );
}

interface TableProps {
  align: readonly Align[];
  head: readonly Inline[][];
  rows: readonly Inline[][][];
}

function Table({ align, head, rows }: TableProps) {
  const t = useText();
  const side = (column: number) => `md-cell-${align[column] ?? "none"}`;
  // Wide tables scroll in their own box; the keyboard can reach that box.
  return (
    <div className="md-table" role="group" aria-label={t("md-table")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" className={side(column)}>
                <Inlines inlines={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className={side(column)}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
