// A question in the list of notices. It is answered here only while the whole of it is in sight, and as warily as on its
// card, to which it leads too. A long command scrolls in its own box and is read to its end first.
import { type KeyboardEvent, useRef } from "react";
import { useAnswer } from "../approval/answer";
import { Effect } from "../approval/Effect";
import { useGuard, useVisible } from "../approval/guard";
import { useRead } from "../approval/read";
import { visible } from "../approval/visible";
import type { Item } from "../bridge/wire";
import { useSession, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { age } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import type { RowProps } from "./rows";

/** More lines than this never fit into the box. */
const MOST_LINES = 7;

/** One row. Another command would be another question. */
export function Question(props: RowProps & { item: Item }) {
  return <Asked key={props.item.command} {...props} />;
}

function Asked({ item, stop, onClose }: RowProps & { item: Item }) {
  const t = useText();
  const store = useStore();
  const title = useSession(item.sessionId)?.title ?? "";
  const now = useSecondTick(true);
  const row = useRef<HTMLElement>(null);
  const actions = useRef<HTMLDivElement>(null);
  const guard = useGuard(actions, useVisible(row));
  const { sending, trouble, send } = useAnswer(item);
  const command = visible(item.command ?? "");
  const lines = command.split("\n").length;
  const { box, read, scrolls, look } = useRead(lines > MOST_LINES);
  const offers = (choice: string): boolean => item.choices?.includes(choice) === true;
  const answer = (choice: "once" | "deny"): void => {
    if ((read || choice === "deny") && guard.armed && !guard.moved()) send({ choice });
  };
  const dead = !guard.armed || sending;
  const unread = dead || !read;
  return (
    <article ref={row} className="notice" data-notice tabIndex={stop ? 0 : -1} data-approval={item.approvalId} data-armed={guard.armed}>
      <Glyph name="needs" />
      <div className="notice-text">
        <p className="notice-what">
          <span className="cut">{t("notices-question")}</span>
          <span className="notice-when num">{age(now - item.atMs)}</span>
        </p>
        <p className="t2 small cut">{title}</p>
        <pre
          ref={box}
          className={scrolls ? "notice-command notice-box" : "notice-command"}
          tabIndex={scrolls ? 0 : undefined}
          aria-label={t("approval-command")}
          onScroll={look}
          onKeyDown={scrolls ? keepArrows : undefined}
          dir="ltr"
        >
          {command}
        </pre>
        {scrolls ? <p className="t2 small">{t("notices-long", { lines })}</p> : null}
        {/* The agent's words come last: nothing of ours follows them, so they cannot go on in our name. */}
        <Effect item={item} />
        <div className="notice-actions" ref={actions}>
          {offers("once") ? (
            <button type="button" className={unread ? "btn sm approval-unread" : "btn sm"} aria-disabled={unread} onClick={() => answer("once")}>
              {t("approval-allow-once")}
            </button>
          ) : null}
          {offers("deny") ? (
            <button type="button" className="btn ghost approval-deny sm" aria-disabled={dead} onClick={() => answer("deny")}>
              {t("approval-deny")}
            </button>
          ) : null}
          <button
            type="button"
            className="btn ghost sm"
            onClick={() => {
              onClose();
              store.showItem(item.sessionId, item.seq);
            }}
          >
            {t("notices-open")}
          </button>
        </div>
        {trouble === "" ? null : (
          <p className="approval-trouble" role="alert">
            {trouble}
          </p>
        )}
      </div>
    </article>
  );
}

/** In the box they scroll; outside it they go from row to row. */
function keepArrows(event: KeyboardEvent): void {
  if (["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) event.stopPropagation();
}
