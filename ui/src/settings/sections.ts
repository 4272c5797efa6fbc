// The rooms of the settings, and which row stands in which: search reads this.
import { Bell, Cpu, Database, Hand, Info, Keyboard, Palette, SquareTerminal, type LucideIcon } from "lucide-react";
import type { SectionName } from "../feed/hooks";

/** A room. */
export interface Section {
  readonly name: SectionName;
  /** The Fluent id of its title. */
  readonly title: string;
  readonly icon: LucideIcon;
  /** The Fluent ids of its rows' labels. */
  readonly rows: readonly string[];
}

/** All of them, in their order. */
export const SECTIONS: readonly Section[] = [
  { name: "models", title: "settings-models", icon: Cpu, rows: ["set-model", "set-providers", "set-servers", "set-keys"] },
  { name: "processes", title: "settings-processes", icon: SquareTerminal, rows: ["set-on-quit", "set-process-notices", "set-keep-running", "set-limit", "set-limit-session", "set-inactivity"] },
  { name: "approvals", title: "settings-approvals", icon: Hand, rows: ["set-approvals", "set-rules", "set-deny"] },
  {
    name: "notices",
    title: "settings-notices",
    icon: Bell,
    rows: ["set-completions", "set-questions", "set-turns", "set-toast-approve", "set-quiet-hours", "set-quiet", "set-muted", "set-system-notices"],
  },
  { name: "appearance", title: "settings-appearance", icon: Palette, rows: ["set-theme", "set-contrast", "set-density", "set-motion"] },
  { name: "keyboard", title: "settings-keyboard", icon: Keyboard, rows: ["set-keymap"] },
  { name: "data", title: "settings-data", icon: Database, rows: ["set-backup", "set-backups", "set-export"] },
  { name: "about", title: "settings-about", icon: Info, rows: ["set-version", "set-file", "set-data", "set-logs", "set-warnings"] },
];

/** A row that a search found. */
export interface Found {
  readonly section: Section;
  readonly row: string;
}

/** Rows whose label, or whose room's title, has the words. */
export function findRows(wanted: string, t: (id: string) => string): readonly Found[] {
  const words = wanted.trim().toLocaleLowerCase();
  const has = (id: string): boolean => t(id).toLocaleLowerCase().includes(words);
  return SECTIONS.flatMap((section) => section.rows.filter((row) => has(row) || has(section.title)).map((row) => ({ section, row })));
}
