// The window's copy of the gateway: reads it once, then follows the feed. Views read it through the hooks.
import type { Feed } from "../bridge/wire";
import { asCallError, type Bridge } from "../bridge/bridge";
import { pace } from "./pace";
import { Pages } from "./pages";
import { Profiles } from "./profiles";
import { addPage, apply } from "./reducer";
import { Setup } from "./setup";
import { EMPTY, type FeedState } from "./state";

/** Whether the gateway answers. */
export type Connection =
  | { readonly kind: "opening" }
  | { readonly kind: "open" }
  /** `atMs`: the next try; nothing while one is under way. */
  | { readonly kind: "retrying"; readonly atMs: number | null; readonly code: string; readonly message: string }
  /** Another window of the same client took over, or the token is not accepted: there is nothing to retry. */
  | { readonly kind: "closed"; readonly message: string };

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

/** A still window asks this rarely: in a web view each question wakes a dozen threads. */
const WAIT_MS = 300_000;
const RETRY_MS = [1000, 2000, 4000, 8000];
/** Names no epoch: the answer is a reset at the present revision, never the whole past. */
const NO_EPOCH = "";

/** See the file's head. One per window. */
export class Store {
  readonly bridge: Bridge;
  readonly setup: Setup;
  readonly profiles: Profiles;
  readonly pages: Pages;
  state: FeedState = EMPTY;
  connection: Connection = { kind: "opening" };
  selection: Selected;
  private readonly listeners = new Set<() => void>();
  private incidentsAsked = 0;
  private running = false;
  private generation = 0;
  private endWait: () => void = () => undefined;

  constructor(bridge: Bridge) {
    this.bridge = bridge;
    this.setup = new Setup(bridge, () => this.publish());
    this.profiles = new Profiles(bridge, () => this.publish());
    this.pages = new Pages(bridge, this);
    const sessionId = sessionStorage.getItem(lastSession(bridge.profile));
    this.selection = { sessionId, view: "chat", processId: null, railAsked: 0, palette: false, target: null };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Tells every view that something changed. */
  readonly publish = (): void => {
    for (const listener of this.listeners) listener();
  };

  readonly openSession = (sessionId: string | null): void => {
    if (sessionId !== null) sessionStorage.setItem(lastSession(this.bridge.profile), sessionId);
    // Whoever opens a session wants to see it.
    this.selection = { ...this.selection, sessionId, view: "chat" };
    this.publish();
    if (sessionId !== null) void this.pages.ensure(sessionId);
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
    this.pages.setReading(sessionId, { atEnd: false, seq, offset: 0 });
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

  /** Asks a gateway that does not answer at once, not only when the wait is over. */
  readonly tryNow = (): void => this.endWait();

  private alive(generation: number): boolean {
    return this.running && this.generation === generation;
  }

  private async follow(generation: number): Promise<void> {
    for (let failures = 0; this.alive(generation); failures += 1) {
      if (this.connection.kind === "retrying") this.setConnection({ ...this.connection, atMs: null });
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
        await this.wait(waitMs);
      }
    }
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
    this.pages.hear(feed.changes);
    const state = this.pages.cut(apply(before, feed), before);
    this.state = state;
    if (state.settingsRev !== before.settingsRev) void this.setup.read();
    if (state.incidentsRev !== before.incidentsRev) void this.readIncidents();
    this.publish();
    this.pages.holdOpen();
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
    if (open !== null) state = addPage(state, open, await this.pages.read(open), "whole");
    this.state = state;
    this.pages.renew(open);
    // The person may have chosen another one while this was being read.
    if (this.selection.sessionId === wanted) this.selection = { ...this.selection, sessionId: open };
    this.publish();
    this.pages.holdOpen();
  }

  private setConnection(connection: Connection): void {
    this.connection = connection;
    this.publish();
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
