// A gateway in memory that keeps the wire's promises: revisions, one batch per question, deltas per client, resets.
// Tests and pictures run on it; it is not part of a production build.
import type { Backup, Block, Change, Delta, Engine, Feed, Incident, Item, Muted, Notice, Process, Restarting, Session, Turn } from "../wire";
import type { Flood } from "./processes";
import { CallError, type CommandName, type Commands } from "../bridge";

type Handler<K extends CommandName> = (params: Commands[K]["params"]) => Commands[K]["reply"] | Promise<Commands[K]["reply"]>;

/** Handlers by command. */
export type Handlers = { [K in CommandName]: Handler<K> };

/** Answers a stretch of a transcript that is made on demand. */
export type MakeItem = (seq: number) => Item;

interface Client {
  /** What it was sent of every live item. */
  sent: Map<string, readonly Block[]>;
  engine: Engine | null;
  restarting: Restarting | null;
  supersede: () => void;
}

/** The rows and the feed over them. */
export class FakeGateway {
  epoch = "fake-1";
  rev = 1;
  readonly sessions = new Map<string, Session>();
  readonly turns = new Map<string, Turn>();
  readonly processes = new Map<string, Process>();
  readonly outputs = new Map<string, string>();
  /** Processes that write without end. */
  readonly floods = new Map<string, Flood>();
  /** Who ignores the next stop, by process. */
  readonly stubborn = new Map<string, number[]>();
  readonly items = new Map<string, Item[]>();
  readonly made = new Map<string, MakeItem>();
  readonly notices = new Map<string, Notice>();
  backups: readonly Backup[] = [];
  muted: Muted[] = [];
  quietUntilMs: number | null = null;
  incidents: Incident[] = [];
  restarting: Restarting | null = null;
  engine: Engine = { installed: false, starter: false, state: "asleep" };
  private readonly live = new Map<string, readonly Block[]>();
  private readonly log = new Map<string, { rev: number; change: Change }>();
  private readonly clients = new Map<string, Client>();
  private readonly wakers = new Set<() => void>();
  private lastId = 0;

  id(kind: string): string {
    this.lastId += 1;
    return `${kind}-${this.lastId}`;
  }

  putSession(row: Omit<Session, "rev">): Session {
    const session = { ...row, rev: this.next() };
    this.sessions.set(session.sessionId, session);
    this.write(`session ${session.sessionId}`, { type: "session", session });
    return session;
  }

  patchSession(sessionId: string, patch: Partial<Session>): void {
    const held = this.sessions.get(sessionId);
    if (held !== undefined) this.putSession({ ...held, ...patch });
  }

  putTurn(row: Omit<Turn, "rev">): Turn {
    const turn = { ...row, rev: this.next() };
    this.turns.set(turn.turnId, turn);
    this.write(`turn ${turn.turnId}`, { type: "turn", turn });
    return turn;
  }

  putProcess(row: Omit<Process, "rev">): Process {
    const process = { ...row, rev: this.next() };
    this.processes.set(process.processId, process);
    this.write(`process ${process.processId}`, { type: "process", process });
    return process;
  }

  putNotice(row: Omit<Notice, "rev">): Notice {
    const notice = { ...row, rev: this.next() };
    this.notices.set(notice.noticeId, notice);
    this.write(`notice ${notice.noticeId}`, { type: "notice", notice });
    return notice;
  }

  /** What is set or muted has changed. */
  touchSettings(): void {
    const rev = this.next();
    this.write("settings", { type: "settings", rev });
  }

  /** What is open now; of a report that is held, the id is the report's. */
  setIncidents(incidents: Incident[]): void {
    this.incidents = incidents;
    this.next();
    this.write("incidents", { type: "incidents", count: incidents.length });
  }

  /** Appends an item, or writes it again when its id is known. */
  putItem(row: Omit<Item, "rev" | "seq"> & { seq?: number }): Item {
    const items = this.items.get(row.sessionId) ?? [];
    const at = items.findIndex((item) => item.itemId === row.itemId);
    const lastSeq = this.sessions.get(row.sessionId)?.lastSeq ?? 0;
    const item: Item = { ...row, seq: row.seq ?? items[at]?.seq ?? lastSeq + 1, rev: this.next() };
    this.items.set(row.sessionId, at < 0 ? [...items, item] : items.with(at, item));
    if (!item.streaming) this.live.delete(item.itemId);
    this.write(`item ${item.itemId}`, { type: "item", item });
    if (item.seq > lastSeq) this.patchSession(item.sessionId, { lastSeq: item.seq, lastAtMs: item.atMs });
    return item;
  }

  removeItem(sessionId: string, itemId: string): void {
    this.items.set(sessionId, (this.items.get(sessionId) ?? []).filter((item) => item.itemId !== itemId));
    this.live.delete(itemId);
    this.next();
    this.write(`item ${itemId}`, { type: "removed", kind: "item", id: itemId });
  }

  /** What a streaming item says so far. */
  stream(itemId: string, blocks: readonly Block[]): void {
    this.live.set(itemId, blocks);
    this.wake();
  }

  /** Somebody asked for a restart. */
  setRestarting(restarting: Restarting | null): void {
    this.restarting = restarting;
    this.wake();
  }

  /** The embedded engine does something else. */
  setEngine(engine: Engine): void {
    this.engine = engine;
    this.wake();
  }

  /** What the feed would tell of the past is dropped; what stands is told at the attach. */
  forget(): void {
    this.log.clear();
  }

  /** Items whose words have these words. */
  find(query: string, limit: number): { sessionId: string; seq: number; snippet: string }[] {
    const wanted = query.toLowerCase();
    return [...this.items.values()]
      .flat()
      .filter((item) => item.text?.toLowerCase().includes(wanted) === true)
      .slice(0, limit)
      .map(({ sessionId, seq, text }) => ({ sessionId, seq, snippet: text ?? "" }));
  }

  /** As if the store had been replaced: every reader must read again. */
  renewEpoch(): void {
    this.epoch = `${this.epoch}+`;
    this.wake();
  }

  /** A stretch of a transcript, ascending. */
  listItems({ sessionId, afterSeq, beforeSeq, limit }: Commands["list_items"]["params"]): Item[] {
    const most = limit ?? 200;
    const make = this.made.get(sessionId);
    const held = this.items.get(sessionId) ?? [];
    const lastMade = (held[0]?.seq ?? (this.sessions.get(sessionId)?.lastSeq ?? 0) + 1) - 1;
    const last = held.at(-1)?.seq ?? lastMade;
    if (make === undefined) {
      const rows = held.filter((item) => item.seq > (afterSeq ?? -1) && item.seq < (beforeSeq ?? Infinity));
      return afterSeq == null ? rows.slice(-most) : rows.slice(0, most);
    }
    const from = afterSeq == null ? Math.max(1, (beforeSeq ?? last + 1) - most) : afterSeq + 1;
    const to = Math.min(last, (beforeSeq ?? last + 1) - 1, from + most - 1);
    const rows: Item[] = [];
    for (let seq = Math.max(1, from); seq <= to; seq += 1) {
      const item = seq > lastMade ? held.find((row) => row.seq === seq) : make(seq);
      if (item !== undefined) rows.push(item);
    }
    return rows;
  }

  /** One batch; waits when there is nothing. */
  async nextFeed({ epoch, afterRev = 0, waitMs = 0, clientId }: Commands["next_feed"]["params"]): Promise<Feed> {
    const client = this.attach(clientId ?? "anonymous");
    // As the gateway does it: who names no epoch at all is told everything since its revision.
    const isStale = (): boolean => (epoch != null && epoch !== this.epoch) || afterRev > this.rev;
    if (!isStale() && !this.hasNews(afterRev, client)) await this.wait(client, waitMs);
    const isReset = isStale();
    if (isReset) client.sent.clear();
    const engine = !isReset && client.engine !== this.engine ? { engine: this.engine } : {};
    client.engine = this.engine;
    client.restarting = this.restarting;
    const restarting = this.restarting === null ? {} : { restarting: this.restarting };
    const changes = isReset ? [] : [...this.log.values()].filter((row) => row.rev > afterRev).map((row) => row.change);
    return { epoch: this.epoch, rev: this.rev, reset: isReset, changes, deltas: this.deltas(client), ...engine, ...restarting };
  }

  private attach(clientId: string): Client {
    this.clients.get(clientId)?.supersede();
    const client = this.clients.get(clientId) ?? { sent: new Map(), engine: this.engine, restarting: null, supersede: () => undefined };
    client.supersede = () => undefined;
    this.clients.set(clientId, client);
    return client;
  }

  private hasNews(afterRev: number, client: Client): boolean {
    if (this.rev > afterRev || client.engine !== this.engine || client.restarting !== this.restarting) return true;
    return [...this.live].some(([id, blocks]) => client.sent.get(id) !== blocks);
  }

  private wait(client: Client, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.wakers.add(done);
      client.supersede = () => {
        clearTimeout(timer);
        this.wakers.delete(done);
        reject(new CallError("superseded", "A newer call of this window took over."));
      };
    });
  }

  private deltas(client: Client): Delta[] {
    const deltas: Delta[] = [];
    for (const [itemId, blocks] of this.live) {
      const sent = client.sent.get(itemId) ?? [];
      if (sent === blocks) continue;
      let keep = 0;
      while (keep < sent.length && sent[keep] === blocks[keep]) keep += 1;
      deltas.push({ itemId, keepBlocks: keep, blocks: blocks.slice(keep) });
      client.sent.set(itemId, blocks);
    }
    return deltas;
  }

  private next(): number {
    this.rev += 1;
    return this.rev;
  }

  private write(key: string, change: Change): void {
    this.log.set(key, { rev: this.rev, change });
    this.wake();
  }

  private wake(): void {
    for (const waker of this.wakers) waker();
  }
}
