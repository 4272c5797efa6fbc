// The window's copy of the gateway: reads it once, then follows the feed. Views read it through the hooks.
import type { Change, Feed } from "../bridge/wire";
import { asCallError, type Bridge, type CallError } from "../bridge/bridge";
import { pace } from "./pace";
import { Profiles } from "./profiles";
import { addPage, apply, lowerBound, trim } from "./reducer";
import { Setup } from "./setup";
import { EMPTY, type FeedState, type Stretch } from "./state";

/** Whether the gateway answers. */
export type Connection =
  | { readonly kind: "opening" }
  | { readonly kind: "open" }
  | { readonly kind: "retrying"; readonly atMs: number; readonly code: string; readonly message: string }
  /** Another window of the same client took over, or the token is not accepted: there is nothing to retry. */
  | { readonly kind: "closed"; readonly message: string };

/** Where a transcript is read: at its end, or with `seq` standing `offset` pixels above the view's top. */
export type Reading = { readonly atEnd: true } | { readonly atEnd: false; readonly seq: number; readonly offset: number };

/** The rooms of the settings. */
export type SectionName = "models" | "processes" | "approvals" | "notices" | "appearance" | "keyboard" | "data" | "about";

/** What the window shows: the conversations, or one room of the settings. */
export type View = "chat" | { readonly settings: SectionName };

interface Selected {
  readonly sessionId: string | null;
  readonly view: View;
  readonly processId: string | null;
  /** Counts how often somebody asked to see a process, or all of them. */
  readonly railAsked: number;
  /** The palette is open. */
  readonly palette: boolean;
  /** The item that was asked to be seen, and how many were asked for so far. */
  readonly target: { readonly sessionId: string; readonly seq: number; readonly asked: number } | null;
}

/** Items per page. */
export const PAGE = 200;
/** Items of one transcript that are held around the view. */
const HELD = 1000;
/** Transcripts that stay held after another was opened. */
const STRETCHES = 4;
/** A still window asks this rarely: in a web view each question wakes a dozen threads. */
const WAIT_MS = 300_000;
const RETRY_MS = [1000, 2000, 4000, 8000];
/** Names no epoch: the answer is a reset at the present revision, never the whole past. */
const NO_EPOCH = "";
const NO_NEWS = { reset: false, changes: [], deltas: [] };

/** See the file's head. One per window. */
export class Store {
  readonly bridge: Bridge;
  readonly setup: Setup;
  readonly profiles: Profiles;
  state: FeedState = EMPTY;
  connection: Connection = { kind: "opening" };
  selection: Selected;
  /** Errors of reading transcripts, by session. */
  pageErrors: ReadonlyMap<string, CallError> = new Map();
  private readonly readings = new Map<string, Reading>();
  private readonly listeners = new Set<() => void>();
  /** Pages that are being read. */
  private readonly paging = new Map<string, Promise<void>>();
  /** The last jump within a transcript that was asked for and is not made yet. */
  private readonly jumps = new Map<string, symbol>();
  /** How a whole stretch that could not be read is tried again. */
  private readonly failed = new Map<string, () => Promise<void>>();
  /** Items that changed while a page was being read: the page may show them as they were before. */
  private meanwhile: Change[] = [];
  private attachments = 0;
  private incidentsAsked = 0;
  private recent: string[] = [];
  private running = false;
  private generation = 0;

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    this.setup = new Setup(bridge, () => this.publish());
    this.profiles = new Profiles(bridge, () => this.publish());
    const sessionId = sessionStorage.getItem(lastSession(bridge.profile));
    this.selection = { sessionId, view: "chat", processId: null, railAsked: 0, palette: false, target: null };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly openSession = (sessionId: string | null): void => {
    if (sessionId !== null) sessionStorage.setItem(lastSession(this.bridge.profile), sessionId);
    // Whoever opens a session wants to see it.
    this.selection = { ...this.selection, sessionId, view: "chat" };
    this.publish();
    if (sessionId !== null) void this.ensure(sessionId);
  };

  readonly openProcess = (processId: string | null): void => {
    this.selection = { ...this.selection, processId };
    if (processId === null) this.publish();
    else this.showProcesses();
  };

  /** Shows the list of the processes, whatever is shown instead of it. */
  readonly showProcesses = (): void => {
    this.selection = { ...this.selection, view: "chat", railAsked: this.selection.railAsked + 1 };
    this.publish();
  };

  /** Shows one item: its session opens, and its transcript goes there. */
  readonly showItem = (sessionId: string, seq: number): void => {
    const target = { sessionId, seq, asked: (this.selection.target?.asked ?? 0) + 1 };
    this.selection = { ...this.selection, target };
    // A transcript that is not shown yet opens there, not at its end: nothing counts as read that was not on screen.
    this.setReading(sessionId, { atEnd: false, seq, offset: 0 });
    this.openSession(sessionId);
  };

  /** Shows a room of the settings. */
  readonly openSettings = (section: SectionName = "models"): void => {
    this.selection = { ...this.selection, view: { settings: section } };
    this.publish();
  };

  /** Back to the conversations. */
  readonly closeSettings = (): void => {
    this.selection = { ...this.selection, view: "chat" };
    this.publish();
  };

  /** Goes to another profile; coming back, this window finds the session that is open now. */
  readonly showProfile = (name: string): Promise<void> => {
    const { here } = this.profiles.state;
    // A page that was told no profile shows the first one, which has a name as well.
    if (here !== null && this.selection.sessionId !== null) sessionStorage.setItem(lastSession(here), this.selection.sessionId);
    return this.bridge.showProfile(name);
  };

  readonly openPalette = (): void => this.setPalette(true);
  readonly closePalette = (): void => this.setPalette(false);

  private setPalette(palette: boolean): void {
    if (this.selection.palette === palette) return;
    this.selection = { ...this.selection, palette };
    this.publish();
  }

  /** How a transcript was left. */
  reading(sessionId: string): Reading {
    return this.readings.get(sessionId) ?? { atEnd: true };
  }

  /** Remembers how a transcript is read, so that coming back finds the same place. */
  setReading(sessionId: string, reading: Reading): void {
    this.readings.set(sessionId, reading);
  }

  /** Follows the gateway until the answer is called. */
  start(): () => void {
    this.running = true;
    const generation = ++this.generation;
    void this.follow(generation);
    return () => {
      this.running = false;
      this.generation += 1;
    };
  }

  private alive(generation: number): boolean {
    return this.running && this.generation === generation;
  }

  private async follow(generation: number): Promise<void> {
    for (let failures = 0; this.alive(generation); failures += 1) {
      void this.profiles.read();
      try {
        await this.attach(generation, () => {
          failures = 0;
        });
      } catch (reason) {
        const error = asCallError(reason);
        if (!this.alive(generation)) return;
        if (error.code === "superseded" || error.code === "unauthorized") {
          this.setConnection({ kind: "closed", message: error.message });
          return;
        }
        const waitMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 8000;
        this.setConnection({ kind: "retrying", atMs: Date.now() + waitMs, code: error.code, message: error.message });
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /** Reads everything, then applies batch after batch. Returns when it must be done again from the start. */
  private async attach(generation: number, onOpen: () => void): Promise<void> {
    const clientId = crypto.randomUUID();
    const ask = (afterRev: number, waitMs: number, epoch: string): Promise<Feed> =>
      this.bridge.call("next_feed", { epoch, afterRev, waitMs, clientId, blocks: true });
    let feed = await ask(0, 0, NO_EPOCH);
    let fresh = true;
    while (this.alive(generation)) {
      if (fresh || feed.reset) {
        await this.readAll({ ...feed, reset: true });
        fresh = false;
        onOpen();
        this.setConnection({ kind: "open" });
      } else {
        this.applyFeed(feed);
      }
      if (this.state.gap) {
        this.state = { ...this.state, gap: false };
        return;
      }
      await pace();
      if (!this.alive(generation)) return;
      feed = await ask(this.state.rev, WAIT_MS, this.state.epoch ?? NO_EPOCH);
    }
  }

  private applyFeed(feed: Feed): void {
    const before = this.state;
    if (this.paging.size > 0) this.meanwhile.push(...feed.changes.filter((change) => change.type === "item"));
    let state = apply(before, feed);
    for (const [sessionId, stretch] of state.stretches) {
      // Checked with slack, so that a busy transcript is not cut at every item.
      if (stretch === before.stretches.get(sessionId) || stretch.items.length <= HELD + PAGE) continue;
      state = trim(state, sessionId, HELD, this.reading(sessionId).atEnd ? "end" : "start");
    }
    this.state = state;
    if (state.settingsRev !== before.settingsRev) void this.setup.read();
    if (state.incidentsRev !== before.incidentsRev) void this.readIncidents();
    this.publish();
    this.holdSelected();
  }

  /** Reads the incidents again. What was asked for last is the newest. */
  private async readIncidents(): Promise<void> {
    const asked = ++this.incidentsAsked;
    try {
      const { incidents } = await this.bridge.call("list_incidents", {});
      if (asked !== this.incidentsAsked) return;
      this.state = { ...this.state, incidents };
      this.publish();
    } catch {
      // What was known stays; a gateway that does not answer fails the feed too, and that is shown.
    }
  }

  /** Reads every list anew and shows it in one step: nothing flickers when the feed was reset. */
  private async readAll(feed: Feed): Promise<void> {
    this.incidentsAsked += 1;
    const [sessions, processes, approvals, notices, { incidents }, engine] = await Promise.all([
      this.bridge.call("list_sessions", {}),
      this.bridge.call("list_processes", { includeFinished: true }),
      this.bridge.call("list_approvals", {}),
      this.bridge.call("list_notices", {}),
      this.bridge.call("list_incidents", {}),
      this.bridge.call("get_engine", {}),
      this.setup.read(),
    ]);
    let state = apply(this.state, feed);
    const rows: Feed = {
      epoch: feed.epoch,
      rev: feed.rev,
      reset: false,
      changes: [
        ...sessions.sessions.map((session) => ({ type: "session", session }) as const),
        ...processes.processes.map((process) => ({ type: "process", process }) as const),
        ...approvals.items.map((item) => ({ type: "item", item }) as const),
        ...notices.notices.map((notice) => ({ type: "notice", notice }) as const),
      ],
      deltas: [],
      engine,
    };
    state = { ...apply(state, rows), incidents };
    const wanted = this.selection.sessionId;
    const open = chooseSession(state, wanted);
    if (open !== null) state = addPage(state, open, await this.readPage(open), "whole");
    this.state = state;
    this.pageErrors = new Map();
    this.failed.clear();
    this.recent = open === null ? [] : [open];
    this.attachments += 1;
    // The person may have chosen another one while this was being read.
    if (this.selection.sessionId === wanted) this.selection = { ...this.selection, sessionId: open };
    this.publish();
    this.holdSelected();
  }

  /** The open session's row may come after it was opened, and its page may have been dropped on the way. */
  private holdSelected(): void {
    const { sessionId } = this.selection;
    if (sessionId === null || this.paging.has(sessionId) || this.pageErrors.has(sessionId)) return;
    void this.ensure(sessionId);
  }

  private async readPage(sessionId: string): Promise<Stretch> {
    const reading = this.reading(sessionId);
    if (reading.atEnd) {
      const { items } = await this.bridge.call("list_items", { sessionId, limit: PAGE, blocks: true });
      return { items, atStart: items.length < PAGE, atEnd: true };
    }
    return this.readAround(sessionId, reading.seq);
  }

  private async readAround(sessionId: string, seq: number): Promise<Stretch> {
    const [earlier, later] = await Promise.all([
      this.bridge.call("list_items", { sessionId, beforeSeq: seq, limit: PAGE / 2, blocks: true }),
      this.bridge.call("list_items", { sessionId, afterSeq: seq - 1, limit: PAGE, blocks: true }),
    ]);
    return {
      items: [...earlier.items, ...later.items],
      atStart: earlier.items.length < PAGE / 2,
      atEnd: later.items.length < PAGE,
    };
  }

  /** Makes sure that a transcript is held, where it was last read. */
  async ensure(sessionId: string): Promise<void> {
    this.recent = [sessionId, ...this.recent.filter((id) => id !== sessionId)].slice(0, STRETCHES);
    if (this.state.stretches.has(sessionId) || !this.state.sessions.has(sessionId)) return;
    await this.page(sessionId, "whole", () => this.readPage(sessionId));
  }

  /** Loads the page before the held stretch. */
  async loadBefore(sessionId: string): Promise<void> {
    const stretch = this.state.stretches.get(sessionId);
    const beforeSeq = stretch?.items[0]?.seq;
    if (stretch === undefined || stretch.atStart || beforeSeq === undefined || this.waits(sessionId)) return;
    await this.page(sessionId, "before", async () => {
      const { items } = await this.bridge.call("list_items", { sessionId, beforeSeq, limit: PAGE, blocks: true });
      return { items, atStart: items.length < PAGE, atEnd: false };
    });
  }

  /** Loads the page after the held stretch. */
  async loadAfter(sessionId: string): Promise<void> {
    const stretch = this.state.stretches.get(sessionId);
    const afterSeq = stretch?.items.at(-1)?.seq;
    if (stretch === undefined || stretch.atEnd || afterSeq === undefined || this.waits(sessionId)) return;
    await this.page(sessionId, "after", async () => {
      const { items } = await this.bridge.call("list_items", { sessionId, afterSeq, limit: PAGE, blocks: true });
      return { items, atStart: false, atEnd: items.length < PAGE };
    });
  }

  /** Whether no further page is read by itself: one failed, which is said, or another place was asked for. */
  private waits(sessionId: string): boolean {
    return this.pageErrors.has(sessionId) || this.jumps.has(sessionId);
  }

  /** Holds the stretch around a place instead; `onHeld` hears, before it is shown, which item stands there. */
  async jumpTo(sessionId: string, seq: number, onHeld: (seq: number) => void): Promise<void> {
    await this.jump(sessionId, async (isWanted) => {
      const held = this.state.stretches.get(sessionId);
      if (held !== undefined && isWithin(held, seq)) {
        onHeld(seqAt(held, seq));
        this.publish();
        return;
      }
      await this.page(sessionId, "whole", async () => {
        const stretch = await this.readAround(sessionId, seq);
        if (isWanted()) onHeld(seqAt(stretch, seq));
        return stretch;
      });
    });
  }

  /** Holds the newest items instead. */
  async jumpToEnd(sessionId: string): Promise<void> {
    await this.jump(sessionId, async () => {
      this.setReading(sessionId, { atEnd: true });
      if (this.state.stretches.get(sessionId)?.atEnd === true) return;
      await this.page(sessionId, "whole", () => this.readPage(sessionId));
    });
  }

  /** Goes once the page that is being read is there. Of several jumps that wait, only the last is made. */
  private async jump(sessionId: string, go: (isWanted: () => boolean) => Promise<void>): Promise<void> {
    const wish = Symbol(sessionId);
    const isWanted = (): boolean => this.jumps.get(sessionId) === wish;
    this.jumps.set(sessionId, wish);
    for (let page = this.paging.get(sessionId); page !== undefined; page = this.paging.get(sessionId)) await page;
    if (!isWanted()) return;
    const { attachments } = this;
    await go(isWanted);
    if (!isWanted()) return;
    this.jumps.delete(sessionId);
    // Everything was read anew on the way, and what this brought was dropped.
    if (this.attachments !== attachments) await this.jump(sessionId, go);
  }

  /** Tries a transcript again that could not be read. */
  readonly readAgain = (sessionId: string): void => {
    const again = this.failed.get(sessionId);
    this.setPageError(sessionId, null);
    this.publish();
    void again?.();
    this.holdSelected();
  };

  /** One page at a time per transcript; a page that was asked for before everything was read anew is dropped. */
  private async page(
    sessionId: string,
    place: "before" | "after" | "whole",
    read: () => Promise<Stretch>,
  ): Promise<void> {
    if (this.paging.has(sessionId)) return;
    const reading = this.readInto(sessionId, place, read);
    this.paging.set(sessionId, reading);
    await reading;
  }

  private async readInto(sessionId: string, place: "before" | "after" | "whole", read: () => Promise<Stretch>): Promise<void> {
    const { attachments } = this;
    try {
      const page = await read();
      if (this.attachments !== attachments) return;
      const joined = addPage(this.state, sessionId, page, place);
      const state = apply(joined, { ...NO_NEWS, epoch: joined.epoch ?? "", rev: joined.rev, changes: this.meanwhile });
      this.state = this.forget(trim(state, sessionId, HELD, place === "before" ? "start" : "end"));
      this.setPageError(sessionId, null);
    } catch (reason) {
      if (this.attachments !== attachments) return;
      this.setPageError(sessionId, asCallError(reason));
      if (place === "whole") this.failed.set(sessionId, () => this.page(sessionId, place, read));
    } finally {
      this.paging.delete(sessionId);
      if (this.paging.size === 0) this.meanwhile = [];
      this.publish();
      this.holdSelected();
    }
  }

  private forget(state: FeedState): FeedState {
    const stretches = new Map([...state.stretches].filter(([id]) => this.recent.includes(id)));
    return stretches.size === state.stretches.size ? state : { ...state, stretches };
  }

  private setPageError(sessionId: string, error: CallError | null): void {
    if (error === null && !this.pageErrors.has(sessionId)) return;
    this.failed.delete(sessionId);
    const errors = new Map(this.pageErrors);
    if (error === null) errors.delete(sessionId);
    else errors.set(sessionId, error);
    this.pageErrors = errors;
  }

  private setConnection(connection: Connection): void {
    this.connection = connection;
    this.publish();
  }

  private publish(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Where the open session is remembered, for each profile. */
function lastSession(profile: string | null): string {
  return profile === null ? "gatehouse.session" : `gatehouse.session:${profile}`;
}

function chooseSession(state: FeedState, wanted: string | null): string | null {
  if (wanted !== null && state.sessions.has(wanted)) return wanted;
  return state.sessions.keys().next().value ?? null;
}

function isWithin(stretch: Stretch, seq: number): boolean {
  const first = stretch.items[0]?.seq ?? Infinity;
  const last = stretch.items.at(-1)?.seq ?? -Infinity;
  return seq >= first && seq <= last;
}

/** The first item at or after a place: sequence numbers may have gaps. */
function seqAt(stretch: Stretch, seq: number): number {
  return stretch.items[lowerBound(stretch.items, seq)]?.seq ?? stretch.items.at(-1)?.seq ?? seq;
}
