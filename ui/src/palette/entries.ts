// What the palette lists for some letters: actions, places, and words of transcripts.
import { type LucideIcon, MessageSquare, ScrollText, SlidersHorizontal, SquareTerminal } from "lucide-react";
import { useEffect, useState } from "react";
import { type Action, actions, type FrameActions } from "../actions/actions";
import type { KeyName } from "../actions/keys";
import { asCallError } from "../bridge/bridge";
import type { ModelChoice, SearchHit } from "../bridge/wire";
import { useBridge, useConnection, useProcesses, useProfiles, useSelection, useSession, useSessions, useSetup, useStore } from "../feed/hooks";
import type { Store } from "../feed/store";
import { type Translate, useText } from "../l10n/l10n";
import { alive } from "../process/order";
import { SECTIONS } from "../settings/sections";
import { when } from "../shared/format";
import { matches } from "./marked";

/** One line of the palette. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly key?: KeyName;
  /** At the right end. */
  readonly note?: string;
  readonly cannot?: string;
  run(): void;
}

/** Lines under one heading. */
export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Places and words that are listed at most. */
const MOST_PLACES = 8;
const MOST_HITS = 8;
/** Letters come faster than this; a search waits for them. */
const PAUSE_MS = 120;
/** Fewer letters than this are not searched for. */
const LEAST = 2;
const NO_HITS: Searched = { kind: "done", hits: [] };

/** What is listed, and what is known of the transcripts. */
export interface Listed {
  readonly groups: readonly Group[];
  readonly transcripts: Searched;
}

/** How the search in the transcripts stands. */
export type Searched = { readonly kind: "asking" } | { readonly kind: "done"; readonly hits: readonly SearchHit[] } | { readonly kind: "failed"; readonly reason: string };

/** The lines. */
export function useEntries(wanted: string, frame: FrameActions): Listed {
  const t = useText();
  const store = useStore();
  const { sessionId } = useSelection();
  const session = useSession(sessionId);
  const models = useModels();
  const { hits, transcripts } = useHits(wanted);
  // Read so that the lines follow what they speak of.
  useConnection();
  useSessions();
  useProcesses();
  useProfiles();
  useSetup();
  useEffect(() => void store.profiles.read(), [store]);
  const found = actions({ store, t, session, models, frame }).filter((action) => matches(action.title, wanted) && !isOnlyNamed(action, wanted));
  const doable: readonly Action[] = [...found.filter((a) => a.cannot === undefined), ...found.filter((a) => a.cannot !== undefined)];
  const groups = [
    { title: t("palette-actions"), entries: doable },
    { title: t("palette-go"), entries: places(store, t, wanted) },
    { title: t("palette-transcripts"), entries: hits.map((hit) => hitEntry(store, hit)) },
  ];
  return { groups: groups.filter(({ entries }) => entries.length > 0), transcripts };
}

/** Who types the name of something wants to go there; to end it they say so. */
function isOnlyNamed({ ends }: Action, wanted: string): boolean {
  return ends !== undefined && wanted.trim() !== "" && matches(ends, wanted);
}

function places(store: Store, t: Translate, wanted: string): Entry[] {
  const now = Date.now();
  const sessions = [...store.state.sessions.values()]
    .toSorted((a, b) => b.lastAtMs - a.lastAtMs)
    .map((row) => ({
      id: `session-${row.sessionId}`,
      title: row.title || t("session-untitled"),
      icon: MessageSquare,
      note: when(row.lastAtMs, now),
      run: () => store.openSession(row.sessionId),
    }));
  const processes = [...store.state.processes.values()]
    .filter(alive)
    .map((process) => ({
      id: `process-${process.processId}`,
      title: process.command,
      icon: SquareTerminal,
      run: () => store.openProcess(process.processId),
    }));
  const rooms = SECTIONS.map((section) => ({
    id: `settings-${section.name}`,
    title: t("palette-settings", { section: t(section.title) }),
    icon: SlidersHorizontal,
    run: () => store.openSettings(section.name),
  }));
  return [...sessions, ...processes, ...rooms].filter(({ title }) => matches(title, wanted)).slice(0, MOST_PLACES);
}

function hitEntry(store: Store, hit: SearchHit): Entry {
  const at = store.state.sessions.get(hit.sessionId)?.lastAtMs;
  return {
    id: `hit-${hit.sessionId}-${hit.seq}`,
    title: hit.snippet,
    icon: ScrollText,
    ...(at === undefined ? {} : { note: when(at, Date.now()) }),
    run: () => store.showItem(hit.sessionId, hit.seq),
  };
}

/** Asked once, when the palette opens; without an answer there is nothing to choose. */
function useModels(): readonly ModelChoice[] {
  const bridge = useBridge();
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  useEffect(() => {
    let wanted = true;
    bridge.call("list_models", {}).then(
      (reply) => wanted && setModels(reply.models),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [bridge]);
  return models;
}

/** While words are being looked for, the hits for those before them stay, so that the list does not jump. */
function useHits(wanted: string): { hits: readonly SearchHit[]; transcripts: Searched } {
  const bridge = useBridge();
  const [found, setFound] = useState<{ wanted: string; searched: Searched }>({ wanted: "", searched: NO_HITS });
  const query = wanted.trim();
  useEffect(() => {
    if (query.length < LEAST) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      bridge.call("search", { query, limit: MOST_HITS }).then(
        ({ hits }) => current && setFound({ wanted: query, searched: { kind: "done", hits } }),
        (reason: unknown) => current && setFound({ wanted: query, searched: { kind: "failed", reason: asCallError(reason).message } }),
      );
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [bridge, query]);
  if (query.length < LEAST) return { hits: [], transcripts: NO_HITS };
  const hits = found.searched.kind === "done" ? found.searched.hits : [];
  return { hits, transcripts: found.wanted === query ? found.searched : { kind: "asking" } };
}
