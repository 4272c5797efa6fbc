// The palette: what can be done, where one can go, and what was said, by a few letters.
import { Search, Square } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useText } from "../l10n/l10n";
import { useFocusBack } from "../shared/focusback";
import { isComposing } from "../shared/keyboard";
import { keyHint } from "../actions/keys";
import { marked } from "./marked";
import { useEntries, type Entry } from "./entries";
import type { FrameActions } from "../actions/actions";
import "./palette.css";

interface PaletteProps {
  frame: FrameActions;
  onClose: () => void;
}

/** The open palette. It takes the focus, and gives it back when it is closed. */
export function Palette({ frame, onClose }: PaletteProps) {
  const t = useText();
  const id = useId();
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const { groups, transcripts } = useEntries(wanted, frame);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = Math.min(at, Math.max(0, entries.length - 1));
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const outside = useRef(false);
  useFocusBack();
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, wanted]);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined || entry.cannot !== undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const to = step(event.key, chosen, entries.length);
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (event.key === "Enter") run(entries[chosen]);
    else if (to === null) return;
    else setAt(to);
    event.preventDefault();
    event.stopPropagation();
  };
  const firstOf = groups.map((_, number) => groups.slice(0, number).reduce((sum, group) => sum + group.entries.length, 0));
  return (
    // The whole press, so that its end does not land on what was behind; and not one that began in the field.
    <div
      className="palette-scrim"
      onPointerDown={(event) => (outside.current = event.target === event.currentTarget)}
      onClick={(event) => outside.current && event.target === event.currentTarget && onClose()}
    >
      <div className="palette" role="dialog" aria-modal="true" aria-label={t("palette")} data-testid="palette">
        <div className="palette-field">
          <Search className="icon" aria-hidden />
          <input
            ref={input}
            className="palette-input"
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
            aria-label={t("palette-label")}
            placeholder={t("palette-placeholder")}
            spellCheck={false}
            value={wanted}
            onChange={(event) => {
              setWanted(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div className="palette-list" id={`${id}-list`} ref={list} role="listbox" aria-label={t("palette")}>
          {groups.map((group, number) => (
            <div key={group.title} role="group" aria-label={group.title}>
              <p className="palette-group" aria-hidden>
                {group.title}
              </p>
              {group.entries.map((entry, place) => {
                const mine = (firstOf[number] ?? 0) + place;
                return (
                  <Choice key={entry.id} id={`${id}-${mine}`} entry={entry} wanted={wanted} chosen={mine === chosen} onPoint={() => setAt(mine)} onRun={() => run(entry)} />
                );
              })}
            </div>
          ))}
        </div>
        {transcripts.kind === "failed" ? (
          <p className="palette-none palette-failed" role="alert">
            {t("palette-not-searched", { reason: transcripts.reason })}
          </p>
        ) : null}
        {entries.length === 0 && transcripts.kind === "done" ? (
          <p className="palette-none t2" role="status">
            {t("palette-none", { wanted })}
          </p>
        ) : null}
      </div>
    </div>
  );
}

interface ChoiceProps {
  id: string;
  entry: Entry;
  wanted: string;
  chosen: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Choice({ id, entry, wanted, chosen, onPoint, onRun }: ChoiceProps) {
  const Icon = entry.icon;
  return (
    <div
      id={id}
      className="palette-row"
      role="option"
      aria-selected={chosen}
      aria-disabled={entry.cannot !== undefined}
      data-action={entry.id}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <Icon className={Icon === Square ? "icon k solid" : "icon"} aria-hidden />
      <span className="cut">{marked(entry.title, wanted)}</span>
      {entry.cannot === undefined ? null : <span className="palette-why cut">{entry.cannot}</span>}
      <span className="grow" />
      {entry.note === undefined ? null : <span className="num t2">{entry.note}</span>}
      {entry.key === undefined ? null : <kbd className="key">{keyHint(entry.key)}</kbd>}
    </div>
  );
}

function step(key: string, at: number, many: number): number | null {
  if (many === 0) return null;
  switch (key) {
    case "ArrowDown":
      return (at + 1) % many;
    case "ArrowUp":
      return (at + many - 1) % many;
    case "PageDown":
      return Math.min(many - 1, at + 8);
    case "PageUp":
      return Math.max(0, at - 8);
    default:
      return null;
  }
}
