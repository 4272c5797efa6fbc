// What the machine has to say: a dashed slip that says "Machine note" in words, at the left, in nobody's name.
import { ChevronDown, ChevronRight, Cog } from "lucide-react";
import { useId } from "react";
import type { Item, NoteUnit } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { type Outcome, outcome } from "../process/outcome";
import { useDisclosure } from "../shared/disclosure";
import { clock, duration, fullTime } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { lastUnit, uneventful } from "./fold";
import { type NoteActions, UnitBody } from "./UnitBody";
import { producerOutcome } from "./words";
import "./note.css";

interface MachineNoteProps {
  item: Item;
  actions: NoteActions;
}

/** A machine note with every report that it holds. */
export function MachineNote({ item, actions }: MachineNoteProps) {
  const units = item.units ?? [];
  const only = units.length === 1 ? units[0] : undefined;
  if (only !== undefined) return <SingleNote item={item} unit={only} actions={actions} />;
  if (units.length === 0) return <WordsNote item={item} />;
  return <ManyNote item={item} units={units} actions={actions} />;
}

/** Several notes about one command of one turn, or the signs of life of one process, as one slip. */
export function RepeatedNote({ items, actions }: { items: readonly Item[]; actions: NoteActions }) {
  const t = useText();
  const first = items[0];
  const last = items.at(-1);
  const unit = lastUnit(items);
  const [open, toggle] = useDisclosure(`note ${first?.itemId ?? ""} attempts`, unit === undefined || !uneventful([unit]));
  if (first === undefined || last === undefined || unit === undefined) return null;
  const title =
    unit.producer === "heartbeat"
      ? t("note-beats", { count: items.length, duration: duration(unit.durationMs, { exact: true }) })
      : t("note-attempts", { count: items.length, outcome: outcome(unit, t).words });
  return (
    <Slip open={open} onToggle={toggle} label={title} time={`${clock(first.atMs)}–${clock(last.atMs)}`} title={fullTime(last.atMs)} heading={
      <>
        <span className="note-what">{unit.command}</span>
        <span className="note-phrase">{title}</span>
      </>
    }>
      <ol className="note-units">
        {items.map((item) => item.units?.map((each, index) => (
          <UnitRow key={`${item.itemId} ${index}`} id={`${item.itemId} ${index}`} unit={each} time={clock(item.atMs)} actions={actions} />
        )))}
      </ol>
    </Slip>
  );
}

function SingleNote({ item, unit, actions }: { item: Item; unit: NoteUnit; actions: NoteActions }) {
  const t = useText();
  const [open, toggle] = useDisclosure(`note ${item.itemId}`, !uneventful([unit]));
  const words = producerOutcome(unit, t);
  return (
    <Slip open={open} onToggle={toggle} label={unit.command === "" ? words.words : `${unit.command}, ${words.words}`} time={clock(item.atMs)} title={fullTime(item.atMs)} heading={
      <>
        {unit.command !== "" && <span className="note-what" title={unit.command}>{unit.command}</span>}
        <Told words={words} />
        {unit.durationMs > 0 && <span className="note-after">{t("note-after", { duration: duration(unit.durationMs, { exact: true }) })}</span>}
      </>
    }>
      <UnitBody unit={unit} actions={actions} />
    </Slip>
  );
}

function ManyNote({ item, units, actions }: { item: Item; units: readonly NoteUnit[]; actions: NoteActions }) {
  const t = useText();
  const [open, toggle] = useDisclosure(`note ${item.itemId}`, !uneventful(units));
  const title = units.every((unit) => unit.producer === "process")
    ? t("note-finished-many", { count: units.length })
    : t("note-reports-many", { count: units.length });
  return (
    <Slip open={open} onToggle={toggle} label={title} time={clock(item.atMs)} title={fullTime(item.atMs)} heading={<span className="note-phrase">{title}</span>}>
      <ol className="note-units">
        {units.map((unit, index) => (
          <UnitRow key={index} id={`${item.itemId} ${index}`} unit={unit} actions={actions} />
        ))}
      </ol>
    </Slip>
  );
}

/** A note of a kind that has only words. */
function WordsNote({ item }: { item: Item }) {
  const [open, toggle] = useDisclosure(`note ${item.itemId}`, true);
  return (
    <Slip open={open} onToggle={toggle} label={item.text ?? ""} time={clock(item.atMs)} title={fullTime(item.atMs)} heading={null}>
      <p className="note-text">{item.text}</p>
    </Slip>
  );
}

/** Words of a watch hold a pattern, which can be long. */
function Told({ words }: { words: Outcome }) {
  return (
    <span className={`note-outcome tone-${words.tone}`} title={words.words}>
      <Glyph name={words.glyph} small />
      <span className="cut">{words.words}</span>
    </span>
  );
}

interface SlipProps {
  open: boolean;
  onToggle: () => void;
  label: string;
  heading: React.ReactNode;
  time: string;
  title: string;
  children: React.ReactNode;
}

function Slip({ open, onToggle, label, heading, time, title, children }: SlipProps) {
  const t = useText();
  const bodyId = useId();
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div role="group" className={open ? "note note-open" : "note note-closed"} aria-label={t("note-label", { what: label })}>
      <button type="button" className="note-head" aria-expanded={open} aria-controls={bodyId} onClick={onToggle}>
        <Cog className="icon note-cog" strokeWidth={1.75} aria-hidden />
        <span className="note-tag">{t("machine-note")}</span>
        {heading}
        <span className="note-time" title={title}>{time}</span>
        <Chevron className="icon k note-chevron" aria-hidden />
      </button>
      {open && <div id={bodyId} className="note-body">{children}</div>}
    </div>
  );
}

function UnitRow({ id, unit, time, actions }: { id: string; unit: NoteUnit; time?: string; actions: NoteActions }) {
  const t = useText();
  const bodyId = useId();
  const [open, toggle] = useDisclosure(`unit ${id}`, false);
  const words = producerOutcome(unit, t);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <li className="note-unit">
      <button type="button" className="note-unit-row" aria-expanded={open} aria-controls={bodyId} onClick={toggle}>
        <Told words={words} />
        <span className="note-what" title={unit.command}>{unit.command}</span>
        <span className="note-time">{time ?? (unit.durationMs > 0 ? duration(unit.durationMs, { exact: true }) : "")}</span>
        <Chevron className="icon k note-chevron" aria-hidden />
      </button>
      {open && <div id={bodyId} className="note-unit-body"><UnitBody unit={unit} actions={actions} /></div>}
    </li>
  );
}
