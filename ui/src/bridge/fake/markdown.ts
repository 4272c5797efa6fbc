// Enough Markdown for a scene: paragraphs, headings, fences, lists, quotes, tables, and **strong**, *emphasis*, `code`,
// [links](https://...). The real parser is the gateway's.
import type { Block, Inline } from "../bindings";

/** Blocks as the gateway would send them; an open fence is a code block already. */
export function parse(source: string): Block[] {
  const blocks: Block[] = [];
  const lines = source.split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const take = (test: (line: string) => boolean): string[] => {
      const taken: string[] = [];
      while (at < lines.length && test(lines[at] ?? "")) taken.push(lines[at++] ?? "");
      return taken;
    };
    if (line.trim() === "") {
      at += 1;
    } else if (line.startsWith("```")) {
      at += 1;
      const code = take((text) => !text.startsWith("```"));
      at += 1;
      blocks.push({ type: "code", language: line.slice(3).trim().split(" ")[0] || null, text: code.join("\n") });
    } else if (/^#{1,6} /.test(line)) {
      at += 1;
      blocks.push({ type: "heading", level: line.indexOf(" "), inlines: inlines(line.slice(line.indexOf(" ") + 1)) });
    } else if (/^---+$/.test(line)) {
      at += 1;
      blocks.push({ type: "rule" });
    } else if (line.startsWith("> ")) {
      blocks.push({ type: "quote", blocks: parse(take((text) => text.startsWith("> ")).map((text) => text.slice(2)).join("\n")) });
    } else if (/^(-|\d+\.) /.test(line)) {
      const entries = take((text) => /^(-|\d+\.) /.test(text));
      const number = /^(\d+)\. /.exec(line)?.[1];
      blocks.push({ type: "list", start: number === undefined ? null : Number(number), items: entries.map(entry) });
    } else if (line.startsWith("|") && /^\|[-:| ]+$/.test(lines[at + 1] ?? "")) {
      const rows = take((text) => text.startsWith("|")).map(cells);
      const [head = [], , ...body] = rows;
      blocks.push({ type: "table", align: head.map(() => "none"), head, rows: body });
    } else {
      const words = take((text) => text.trim() !== "" && !/^(```|#{1,6} |> |- |\d+\. |\|)/.test(text) || text === line);
      blocks.push({ type: "paragraph", inlines: inlines(words.join("\n")) });
    }
  }
  return blocks;
}

function entry(line: string): { checked: boolean | null; blocks: Block[] } {
  const words = line.replace(/^(-|\d+\.) /, "");
  const box = /^\[([ x])\] /.exec(words);
  const rest = box === null ? words : words.slice(4);
  return { checked: box === null ? null : box[1] === "x", blocks: [{ type: "paragraph", inlines: inlines(rest) }] };
}

function cells(line: string): Inline[][] {
  return line.replace(/^\||\|$/g, "").split("|").map((cell) => inlines(cell.trim()));
}

const PIECE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|~~([^~]+)~~|\[([^\]]*)\]\((https?:\/\/[^\s)]+)\)/g;

function inlines(source: string): Inline[] {
  const out: Inline[] = [];
  let last = 0;
  for (const match of source.matchAll(PIECE)) {
    if (match.index > last) out.push({ type: "text", text: source.slice(last, match.index) });
    last = match.index + match[0].length;
    const [, code, strong, emphasis, strike, label, url] = match;
    if (code !== undefined) out.push({ type: "code", text: code });
    else if (strong !== undefined) out.push({ type: "strong", inlines: [{ type: "text", text: strong }] });
    else if (emphasis !== undefined) out.push({ type: "emphasis", inlines: [{ type: "text", text: emphasis }] });
    else if (strike !== undefined) out.push({ type: "strike", inlines: [{ type: "text", text: strike }] });
    else if (url !== undefined) out.push(link(url, label ?? url));
  }
  if (last < source.length) out.push({ type: "text", text: source.slice(last) });
  return out;
}

function link(url: string, label: string): Inline {
  const { host } = new URL(url);
  const named = /^(?:https?:\/\/)?([\w.-]+\.\w+)/.exec(label)?.[1];
  return { type: "link", url, host, mismatch: named !== undefined && named !== host, inlines: [{ type: "text", text: label }] };
}
