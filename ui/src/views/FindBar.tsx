// Finds words in the open transcript and goes from place to place, the newest first.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import { useBridge, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { useFocusBack } from "../shared/focusback";
import { isComposing } from "../shared/keyboard";

/** More places than this are not gone through one by one. */
const MOST = 100;
const PAUSE_MS = 150;

interface FindBarProps {
  sessionId: string;
  /** Grows when it is asked for again: the field takes the focus. */
  asked: number;
  onClose: () => void;
}

/** Places in the transcript, and the one that is shown. */
interface Found {
  readonly seqs: readonly number[];
  readonly at: number;
}

/** The bar below the header. */
export function FindBar({ sessionId, asked, onClose }: FindBarProps) {
  const t = useText();
  const store = useStore();
  const field = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState("");
  const { found, trouble, setFound } = useFound(sessionId, wanted);
  useFocusBack();
  useEffect(() => field.current?.select(), [asked]);
  const go = (step: number): void => {
    if (found === null || found.seqs.length === 0) return;
    const at = (found.at + step + found.seqs.length) % found.seqs.length;
    setFound({ ...found, at });
    const seq = found.seqs[at];
    if (seq !== undefined) store.showItem(sessionId, seq);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const many = found?.seqs.length ?? 0;
  return (
    <search className="find-bar" data-testid="find" onKeyDown={onKeyDown}>
      <input ref={field} className="find-field" aria-label={t("find-label")} placeholder={t("find-label")} spellCheck={false} value={wanted} onChange={(event) => setWanted(event.target.value)} />
      <span className="small t2 num" role="status">
        {found === null ? "" : many === 0 ? t("find-none") : t(many < MOST ? "find-place" : "find-place-more", { at: found.at + 1, count: many })}
      </span>
      <button type="button" className="btn ghost ic sm" title={t("find-previous")} aria-label={t("find-previous")} disabled={many === 0} onClick={() => go(1)}>
        <ChevronUp className="icon k" aria-hidden />
      </button>
      <button type="button" className="btn ghost ic sm" title={t("find-next")} aria-label={t("find-next")} disabled={many === 0} onClick={() => go(-1)}>
        <ChevronDown className="icon k" aria-hidden />
      </button>
      <button type="button" className="btn ghost ic sm" title={t("find-close")} aria-label={t("find-close")} onClick={onClose}>
        <X className="icon k" aria-hidden />
      </button>
      {trouble === null ? null : (
        <p className="find-failed small" role="alert">
          {t("find-failed", { reason: trouble })}
        </p>
      )}
    </search>
  );
}

/** What came of a search for these words. */
type Answer = { readonly query: string } & ({ readonly kind: "found"; readonly found: Found } | { readonly kind: "failed"; readonly reason: string });

interface Search {
  readonly found: Found | null;
  /** Why these words were not searched for. */
  readonly trouble: string | null;
  readonly setFound: (found: Found) => void;
}

/** The places of the words; the newest is shown as soon as it is known. */
function useFound(sessionId: string, wanted: string): Search {
  const store = useStore();
  const bridge = useBridge();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const query = wanted.trim();
  useEffect(() => {
    if (query === "") return undefined;
    let current = true;
    const take = (seqs: readonly number[]): void => {
      if (!current) return;
      setAnswer({ kind: "found", query, found: { seqs, at: 0 } });
      if (seqs[0] !== undefined) store.showItem(sessionId, seqs[0]);
    };
    const timer = setTimeout(() => {
      bridge.call("search", { query, sessionId, limit: MOST }).then(
        ({ hits }) => take(hits.map((hit) => hit.seq)),
        (reason: unknown) => current && setAnswer({ kind: "failed", query, reason: asCallError(reason).message }),
      );
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [store, bridge, sessionId, query]);
  const shown = query === "" || answer?.query !== query ? null : answer;
  return {
    found: shown?.kind === "found" ? shown.found : null,
    trouble: shown?.kind === "failed" ? shown.reason : null,
    setFound: (found) => setAnswer({ kind: "found", query, found }),
  };
}
