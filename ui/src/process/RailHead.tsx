// Above the list: whose processes, which of them, by which words, and in which order.
import { ArrowDownWideNarrow, ChevronDown, Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { type Translate, useText } from "../l10n/l10n";
import { useFocusBack } from "../shared/focusback";
import { isComposing } from "../shared/keyboard";
import { type Filter, type Standing, STANDINGS } from "./filter";
import { type Sort, SORTS } from "./order";

/** What the list shows. */
export interface Shown extends Filter {
  /** Only the open session's. */
  readonly here: boolean;
  readonly sort: Sort;
  /** The field for words is open. */
  readonly finding: boolean;
}

interface RailHeadProps {
  shown: Shown;
  /** How many fit, of how many. */
  found: number;
  all: number;
  onChange: (shown: Shown) => void;
}

/** The head of the list. */
export function RailHead({ shown, found, all, onChange }: RailHeadProps) {
  const t = useText();
  const set = (change: Partial<Shown>) => onChange({ ...shown, ...change });
  return (
    <>
      <div className="process-scope">
        <Pick label={t("process-scope")} words={shown.here ? t("process-scope-session") : t("process-scope-all")} value={shown.here ? "session" : "all"} onPick={(value) => set({ here: value === "session" })}>
          <option value="all">{t("process-scope-all")}</option>
          <option value="session">{t("process-scope-session")}</option>
        </Pick>
        <Pick label={t("process-standing")} words={standingName(shown.standing, t)} value={shown.standing} onPick={(value) => set({ standing: STANDINGS.find((known) => known === value) ?? "any" })}>
          {STANDINGS.map((known) => (
            <option key={known} value={known}>
              {standingName(known, t)}
            </option>
          ))}
        </Pick>
        <span className="grow" />
        <button
          type="button"
          className="btn sm ghost ic"
          aria-label={t("process-filter")}
          title={t("process-filter-title")}
          aria-pressed={shown.finding}
          onClick={() => set(shown.finding ? { finding: false, words: "" } : { finding: true })}
        >
          <Search className="icon" strokeWidth={1.75} aria-hidden />
        </button>
        <label className="pick pick-sort" title={t("process-sort")}>
          <span className="hidden">{t("process-sort")}</span>
          <ArrowDownWideNarrow className="icon" strokeWidth={1.75} aria-hidden />
          {shown.sort !== "newest" && (
            <span className="cut" aria-hidden>
              {sortName(shown.sort, t)}
            </span>
          )}
          <select value={shown.sort} onChange={(event) => set({ sort: SORTS.find((known) => known === event.target.value) ?? "newest" })}>
            {SORTS.map((known) => (
              <option key={known} value={known}>
                {sortName(known, t)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown.finding && <Words words={shown.words} found={found} all={all} onType={(words) => set({ words })} onClose={() => set({ finding: false, words: "" })} />}
    </>
  );
}

interface PickProps {
  label: string;
  /** What is picked. The field itself lies over it, unseen: it would be as wide as its longest choice. */
  words: string;
  value: string;
  onPick: (value: string) => void;
  children: ReactNode;
}

function Pick({ label, words, value, onPick, children }: PickProps) {
  return (
    <label className="pick">
      <span className="hidden">{label}</span>
      <span className="cut" aria-hidden>
        {words}
      </span>
      <ChevronDown className="icon k" aria-hidden />
      <select value={value} onChange={(event) => onPick(event.target.value)}>
        {children}
      </select>
    </label>
  );
}

interface WordsProps {
  words: string;
  found: number;
  all: number;
  onType: (words: string) => void;
  onClose: () => void;
}

function Words({ words, found, all, onType, onClose }: WordsProps) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  useFocusBack();
  useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown" || event.key === "Enter") document.querySelector<HTMLElement>("[data-process-id] .process-row")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="process-find" onKeyDown={onKeyDown}>
      <input ref={field} aria-label={t("process-filter")} placeholder={t("process-filter")} spellCheck={false} autoComplete="off" value={words} onChange={(event) => onType(event.target.value)} />
      <span className="small t2 num" role="status">
        {words.trim() === "" ? "" : t("process-found", { found, all })}
      </span>
      <button type="button" className="btn sm ghost ic" aria-label={t("find-close")} title={t("find-close")} onClick={onClose}>
        <X className="icon k" aria-hidden />
      </button>
    </search>
  );
}

function standingName(standing: Standing, t: Translate): string {
  switch (standing) {
    case "any":
      return t("process-standing-any");
    case "live":
      return t("process-standing-live");
    case "needs":
      return t("process-standing-needs");
    case "ended":
      return t("process-standing-ended");
    case "failed":
      return t("process-standing-failed");
  }
}

function sortName(sort: Sort, t: Translate): string {
  switch (sort) {
    case "newest":
      return t("process-sort-newest");
    case "oldest":
      return t("process-sort-oldest");
    case "cpu":
      return t("process-sort-cpu");
    case "memory":
      return t("process-sort-memory");
    case "name":
      return t("process-sort-name");
  }
}
