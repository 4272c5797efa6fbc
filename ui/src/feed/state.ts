// What the window knows of the gateway. Values are never changed in place: a new row is a new object, an old row keeps
// its identity, so a memoised view draws only what changed.
import type { Block, Engine, Incident, Item, Notice, Process, Restarting, Session, StorageTrouble, Turn } from "../bridge/wire";

/** One transcript entry, as the wire has it. */
export type ItemState = Item;

/** The stretch of one transcript that is held: contiguous, ascending by `seq`. */
export interface Stretch {
  readonly items: readonly ItemState[];
  /** Nothing stands before the first item. */
  readonly atStart: boolean;
  /** The last item is the newest; later ones are appended. */
  readonly atEnd: boolean;
}

/** Everything. */
export interface FeedState {
  readonly epoch: string | null;
  readonly rev: number;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly turns: ReadonlyMap<string, Turn>;
  readonly processes: ReadonlyMap<string, Process>;
  /** The newest ones, by id. */
  readonly notices: ReadonlyMap<string, Notice>;
  /** Questions that wait, of every session, by their items' ids. */
  readonly questions: ReadonlyMap<string, Item>;
  /** What was dropped or failed and nobody has dealt with. */
  readonly incidents: readonly Incident[];
  /** Grows when those have changed: they are to be read again. */
  readonly incidentsRev: number;
  /** Grows when what is set or muted has changed. */
  readonly settingsRev: number;
  /** Only of sessions that are or were open. */
  readonly stretches: ReadonlyMap<string, Stretch>;
  /** Trees of items that are still streaming; also of items whose row is not here yet. */
  readonly streams: ReadonlyMap<string, readonly Block[]>;
  /** What the embedded engine does; nothing before it was told. */
  readonly engine: Engine | null;
  /** The restart that is under way; it is over when everything was read anew. */
  readonly restarting: Restarting | null;
  /** What is wrong with the data right now. */
  readonly storage: StorageTrouble | null;
  /** Ids that are gone for good: a page that was read before must not bring them back. */
  readonly removed: ReadonlySet<string>;
  /** A delta did not fit what is held: the reader must attach again. */
  readonly gap: boolean;
}

/** Nothing is known yet. */
export const EMPTY: FeedState = {
  epoch: null,
  rev: 0,
  sessions: new Map(),
  turns: new Map(),
  processes: new Map(),
  notices: new Map(),
  questions: new Map(),
  incidents: [],
  incidentsRev: 0,
  settingsRev: 0,
  stretches: new Map(),
  streams: new Map(),
  engine: null,
  restarting: null,
  storage: null,
  removed: new Set(),
  gap: false,
};
