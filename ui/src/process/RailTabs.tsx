// The rail: what runs, what is planned, and what is known about the open session.
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { useProcesses, useSlice } from "../feed/hooks";
import { type Translate, useText } from "../l10n/l10n";
import { DetailsTab } from "./DetailsTab";
import { alive } from "./order";
import { PlanTab } from "./PlanTab";
import { ProcessRail } from "./ProcessRail";
import "./rail.css";

/** The tabs, in their order. */
const TABS = ["processes", "plan", "details"] as const;
/** One of them. */
export type RailTab = (typeof TABS)[number];

interface RailTabsProps {
  sessionId: string | null;
  /** What stands at the end of the head: a way to fold the rail away, where it can be. */
  trailing?: ReactNode;
}

/** The rail's head and the chosen page below it. */
export function RailTabs({ sessionId, trailing }: RailTabsProps) {
  const t = useText();
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const [tab, setTab] = useChosenTab();
  const living = useProcesses().filter(alive).length;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(tab, event.key);
    if (next === null) return;
    event.preventDefault();
    setTab(next);
    tabs.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <header className="rail-head">
        <div ref={tabs} className="rail-tabs" role="tablist" aria-label={t("rail-tabs")} onKeyDown={onKeyDown}>
          {TABS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              id={`${id}-${one}`}
              className="rail-tab"
              data-tab={one}
              aria-selected={one === tab}
              aria-controls={`${id}-page`}
              tabIndex={one === tab ? 0 : -1}
              onClick={() => setTab(one)}
            >
              {tabName(one, t)}
              {one === "processes" && living > 0 && <span className="num t2">{living}</span>}
            </button>
          ))}
        </div>
        <span className="grow" />
        {trailing}
      </header>
      <div className="rail-body" role="tabpanel" id={`${id}-page`} aria-labelledby={`${id}-${tab}`}>
        {tab === "processes" && <ProcessRail sessionId={sessionId} />}
        {tab === "plan" && <PlanTab sessionId={sessionId} />}
        {tab === "details" && <DetailsTab sessionId={sessionId} />}
      </div>
    </>
  );
}

/** Whoever asks to see a process gets to see the processes. */
function useChosenTab(): [RailTab, (tab: RailTab) => void] {
  const asked = useSlice((store) => store.selection.railAsked);
  const [chosen, setChosen] = useState<{ tab: RailTab; asked: number }>({ tab: "processes", asked });
  const tab = chosen.asked === asked ? chosen.tab : "processes";
  return [tab, (next) => setChosen({ tab: next, asked })];
}

function neighbour(tab: RailTab, key: string): RailTab | null {
  const at = TABS.indexOf(tab);
  switch (key) {
    case "ArrowRight":
      return TABS[(at + 1) % TABS.length] ?? null;
    case "ArrowLeft":
      return TABS.at(at - 1) ?? null;
    case "Home":
      return "processes";
    case "End":
      return "details";
    default:
      return null;
  }
}

function tabName(tab: RailTab, t: Translate): string {
  switch (tab) {
    case "processes":
      return t("rail-processes");
    case "plan":
      return t("rail-plan");
    case "details":
      return t("rail-details");
  }
}
