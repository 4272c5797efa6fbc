// A question in the list of notices. It is answered here only while the whole of it is in sight, and as warily as on its
// card; where that cannot be, it leads to its card.
import { useRef } from "react";
import { useAnswer } from "../approval/answer";
import { Effect } from "../approval/Effect";
import { useGuard, useVisible } from "../approval/guard";
import { visible } from "../approval/visible";
import type { Item } from "../bridge/wire";
import { useSession, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { age } from "../shared/format";
import { Glyph } from "../shared/Glyph";
import { useSecondTick } from "../shared/tick";
import type { RowProps } from "./rows";

/** What is longer is read on its card. */
const MOST_LETTERS = 120;

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
  const whole = command.length <= MOST_LETTERS && !command.includes("\n");
  const offers = (choice: string): boolean => item.choices?.includes(choice) === true;
  const answer = (choice: "once" | "deny"): void => {
    if (guard.armed && !guard.moved()) send({ choice });
  };
  const dead = !guard.armed || sending;
  return (
    <article ref={row} className="notice" data-notice tabIndex={stop ? 0 : -1} data-approval={item.approvalId} data-armed={guard.armed}>
      <Glyph name="needs" />
      <div className="notice-text">
        <p className="notice-what">
          <span className="cut">{t("notices-question")}</span>
          <span className="notice-when num">{age(now - item.atMs)}</span>
        </p>
        <p className="t2 small cut">{title}</p>
        {/* The agent's words come last: nothing of ours follows them, so they cannot go on in our name. */}
        {whole ? (
          <>
            <pre className="notice-command" dir="ltr">
              {command}
            </pre>
            <Effect item={item} />
          </>
        ) : (
          <p className="small">{t("notices-long")}</p>
        )}
        <div className="notice-actions" ref={actions}>
          {whole && offers("once") ? (
            <button type="button" className={dead ? "btn sm approval-unread" : "btn sm"} aria-disabled={dead} onClick={() => answer("once")}>
              {t("approval-allow-once")}
            </button>
          ) : null}
          {whole && offers("deny") ? (
            <button type="button" className="btn ghost approval-deny sm" aria-disabled={dead} onClick={() => answer("deny")}>
              {t("approval-deny")}
            </button>
          ) : null}
          <button
            type="button"
            className={whole ? "btn ghost sm" : "btn sm"}
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
