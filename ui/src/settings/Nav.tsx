// The way through the settings: back, a search over every row, the rooms.
import { ArrowLeft, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { SectionName } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { moveFocus } from "../shared/keyboard";
import { findRows, SECTIONS } from "./sections";

interface NavProps {
  section: SectionName;
  onBack: () => void;
  /** A room was chosen, perhaps for one row of it. */
  onChoose: (section: SectionName, row?: string) => void;
}

/** The navigation. */
export function Nav({ section, onBack, onChoose }: NavProps) {
  const t = useText();
  const [wanted, setWanted] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const found = wanted.trim() === "" ? null : findRows(wanted, t);
  useEffect(() => list.current?.querySelector<HTMLElement>("[aria-current=page]")?.focus(), []);
  return (
    <nav className="set-nav" aria-label={t("settings-label")}>
      <button type="button" className="btn ghost set-back" data-testid="settings-back" onClick={onBack}>
        <ArrowLeft className="icon k" aria-hidden />
        {t("settings-back")}
      </button>
      <label className="set-find">
        <Search className="icon k" aria-hidden />
        <input
          type="search"
          data-testid="settings-find"
          value={wanted}
          placeholder={t("settings-find")}
          aria-label={t("settings-find")}
          onChange={(event) => setWanted(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || wanted === "") return;
            event.preventDefault();
            setWanted("");
          }}
        />
      </label>
      <div className="set-rooms" ref={list} onKeyDown={(event) => moveFocus(event, list.current, ".set-room")}>
        {found === null
          ? SECTIONS.map(({ name, title, icon: Icon }) => (
              <button
                key={name}
                type="button"
                className="set-room"
                data-testid={`settings-nav-${name}`}
                aria-current={name === section ? "page" : undefined}
                tabIndex={name === section ? 0 : -1}
                onClick={() => onChoose(name)}
              >
                <Icon className="icon" aria-hidden />
                {t(title)}
              </button>
            ))
          : found.map(({ section: room, row }, at) => (
              <button key={row} type="button" className="set-room set-found" tabIndex={at === 0 ? 0 : -1} onClick={() => onChoose(room.name, row)}>
                <span className="cut">{t(row)}</span>
                <span className="small t2">{t(room.title)}</span>
              </button>
            ))}
        {found?.length === 0 ? <p className="set-found-none">{t("settings-find-none", { query: wanted })}</p> : null}
      </div>
    </nav>
  );
}
