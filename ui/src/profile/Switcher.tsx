// Which profile this window shows, and the way to another one. Whoever has only one sees the product's name there.
import { Check, ChevronDown, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { attempt } from "../actions/trouble";
import type { Profile } from "../bridge/wire";
import { useProfiles, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { Glyph } from "../shared/Glyph";
import { useMenu } from "../shared/menu";
import { useSecondTick } from "../shared/tick";
import { goToProfile } from "./goTo";
import { NewProfile } from "./NewProfile";
import "./profile.css";

/** The button and its list. */
export function Switcher() {
  const t = useText();
  const store = useStore();
  const { rows, here } = useProfiles();
  const { open, toggle, close, box, button, list } = useMenu(rows.length);
  const [naming, setNaming] = useState(false);
  // One that starts says so until it has; nothing tells when that is.
  const second = useSecondTick(open && rows.some((row) => row.state === "starting"));
  useEffect(() => {
    if (open) void store.profiles.read();
  }, [store, open, second]);
  if (here === null) return <span className="sidebar-name">{t("app-name")}</span>;
  const several = rows.length > 1;
  return (
    <div className="switcher" ref={box}>
      <button
        {...button}
        type="button"
        className="switcher-button"
        data-testid="profile"
        data-quiet={!several}
        aria-label={several ? t("profile-here", { profile: here }) : t("profile-only", { profile: here })}
        onClick={toggle}
      >
        <span className="cut">{several ? here : t("app-name")}</span>
        <ChevronDown className="icon k" aria-hidden />
      </button>
      {open ? (
        <div {...list} className="choice-list switcher-list" aria-label={t("profiles")}>
          {rows.map((row) => (
            <Line
              key={row.name}
              row={row}
              here={row.name === here}
              onChoose={() => {
                close(true);
                if (row.name !== here) attempt(goToProfile(store, row.name));
              }}
            />
          ))}
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            className="choice switcher-new"
            onClick={() => {
              close(true);
              setNaming(true);
            }}
          >
            <Plus className="icon k" aria-hidden />
            <span>{t("action-new-profile")}</span>
          </button>
        </div>
      ) : null}
      {naming ? <NewProfile onClose={() => setNaming(false)} /> : null}
    </div>
  );
}

function Line({ row, here, onChoose }: { row: Profile; here: boolean; onChoose: () => void }) {
  const t = useText();
  return (
    <button type="button" role="menuitemradio" aria-checked={here} tabIndex={-1} className="choice" data-profile={row.name} onClick={onChoose}>
      {here ? <Check className="icon k" aria-hidden /> : <State row={row} />}
      <span className="cut">{row.name}</span>
      {row.state === "running" && !here ? <News row={row} /> : null}
      {row.state === "starting" ? <span className="choice-detail">{t("profile-starting")}</span> : null}
      {row.state === "refused" ? (
        <span className="choice-detail">
          <b className="switcher-refused">{t("profile-refused")}</b> {row.problem}
        </span>
      ) : null}
    </button>
  );
}

/** What goes on in one that is not shown here. */
function News({ row: { processes, unread } }: { row: Profile }) {
  const t = useText();
  const words = [unread ? t("profile-unread", { count: unread }) : "", processes ? t("status-processes", { count: processes }) : ""].filter(Boolean);
  return words.length === 0 ? null : <span className="choice-detail num">{words.join(", ")}</span>;
}

function State({ row }: { row: Profile }) {
  switch (row.state) {
    case "starting":
      return <Glyph name="starting" small />;
    case "refused":
      return <Glyph name="failed" small />;
    default:
      return <span />;
  }
}
