// How views read the store. Each hook re-renders only when its own answer changed.
import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import type { Block, Engine, Incident, Item, Notice, Process, Restarting, Session, StorageTrouble, Turn } from "../bridge/wire";
import type { Bridge } from "../bridge/bridge";
import type { ProfilesState } from "./profiles";
import type { SetupState } from "./setup";
import type { ItemState, Stretch } from "./state";
import type { Connection, SectionName, Store, View } from "./store";

export type { Connection, SectionName, View };

/** Carries the store to the hooks. */
export const StoreContext = createContext<Store | null>(null);

const NO_ITEMS: readonly ItemState[] = [];

/** The store itself, for actions that page or select. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("a view stands outside the store's context");
  return store;
}

/** Commands to the gateway. */
export function useBridge(): Bridge {
  return useStore().bridge;
}

/** Every session; the groups and their order are the sidebar's. */
export function useSessions(): readonly Session[] {
  const sessions = useSlice((store) => store.state.sessions);
  return useMemo(() => [...sessions.values()], [sessions]);
}

/** One session. */
export function useSession(id: string | null): Session | undefined {
  return useSlice((store) => (id === null ? undefined : store.state.sessions.get(id)));
}

/** The held stretch of a transcript. */
export function useStretch(sessionId: string): Stretch | undefined {
  return useSlice((store) => store.state.stretches.get(sessionId));
}

/** The held items of a transcript, ascending; an item that did not change keeps its identity. */
export function useItems(sessionId: string): readonly ItemState[] {
  return useSlice((store) => store.state.stretches.get(sessionId)?.items ?? NO_ITEMS);
}

/** The tree of an item that is still streaming; undefined once its row carries the whole. */
export function useItemBlocks(itemId: string): readonly Block[] | undefined {
  return useSlice((store) => store.state.streams.get(itemId));
}

/** Processes, the newest first, of one session or of all. */
export function useProcesses(sessionId?: string): readonly Process[] {
  const processes = useSlice((store) => store.state.processes);
  return useMemo(() => {
    const rows = [...processes.values()].filter((row) => sessionId === undefined || row.sessionId === sessionId);
    return rows.sort((a, b) => b.startedAtMs - a.startedAtMs);
  }, [processes, sessionId]);
}

/** One process. */
export function useProcess(id: string | null): Process | undefined {
  return useSlice((store) => (id === null ? undefined : store.state.processes.get(id)));
}

/** One turn, if it changed since this window opened. */
export function useTurn(id: string | null | undefined): Turn | undefined {
  return useSlice((store) => (id == null ? undefined : store.state.turns.get(id)));
}

/** Notices, the newest first. */
export function useNotices(): readonly Notice[] {
  const notices = useSlice((store) => store.state.notices);
  return useMemo(() => [...notices.values()].sort((a, b) => b.atMs - a.atMs), [notices]);
}

/** What was dropped or failed and nobody has dealt with, the newest first. */
export function useIncidents(): readonly Incident[] {
  return useSlice((store) => store.state.incidents);
}

/** Questions that wait, of every session, the oldest first. */
export function useQuestions(): readonly Item[] {
  const questions = useSlice((store) => store.state.questions);
  return useMemo(() => [...questions.values()].sort((a, b) => a.atMs - b.atMs), [questions]);
}

/** What the embedded engine does; nothing before it was told. */
export function useEngine(): Engine | null {
  return useSlice((store) => store.state.engine);
}

/** The restart that is under way, if there is one. */
export function useRestarting(): Restarting | null {
  return useSlice((store) => store.state.restarting);
}

/** What is wrong with the data right now, if something is. */
export function useStorageTrouble(): StorageTrouble | null {
  return useSlice((store) => store.state.storage);
}

/** Settings, health, and who is silenced. */
export function useSetup(): SetupState {
  return useSlice((store) => store.setup.state);
}

/** The profiles, and which one this window shows. */
export function useProfiles(): ProfilesState {
  return useSlice((store) => store.profiles.state);
}

/** Whether the gateway answers. */
export function useConnection(): Connection {
  return useSlice((store) => store.connection);
}

/** What is open in this window, and how to open something else. */
export interface Selection {
  readonly sessionId: string | null;
  readonly processId: string | null;
  /** Shows a session. */
  openSession(id: string | null): void;
  /** Shows a process in the rail, and the rail if it is folded away. */
  openProcess(id: string | null): void;
}

/** The open session and process. */
export function useSelection(): Selection {
  const store = useStore();
  const sessionId = useSlice((held) => held.selection.sessionId);
  const processId = useSlice((held) => held.selection.processId);
  return useMemo(
    () => ({ sessionId, processId, openSession: store.openSession, openProcess: store.openProcess }),
    [store, sessionId, processId],
  );
}

/** What the window shows, and how to go to the settings and back. */
export interface Viewing {
  readonly view: View;
  openSettings(section?: SectionName): void;
  closeSettings(): void;
}

/** The conversations, or a room of the settings. */
export function useView(): Viewing {
  const store = useStore();
  const view = useSlice((held) => held.selection.view);
  return useMemo(() => ({ view, openSettings: store.openSettings, closeSettings: store.closeSettings }), [store, view]);
}

/** Whether the palette is open, and how to open and close it. */
export interface PaletteState {
  readonly open: boolean;
  openPalette(): void;
  closePalette(): void;
}

/** The palette's state. */
export function usePalette(): PaletteState {
  const store = useStore();
  const open = useSlice((held) => held.selection.palette);
  return useMemo(() => ({ open, openPalette: store.openPalette, closePalette: store.closePalette }), [store, open]);
}

/** Reads a part of the store; `read` must answer with something held, never with a fresh object. */
export function useSlice<T>(read: (store: Store) => T): T {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => read(store));
}
