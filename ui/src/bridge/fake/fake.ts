// The in-memory twin of the bridge, with scenes to look at: `?fake=demo`, `?fake=million`, `?fake=stream`, `?fake=empty`,
// `?fake=away`, `?fake=hostile`, `?fake=first`, `?fake=bare`, `?fake=settings`,
// `?fake=everything`, `?fake=calm`, `?fake=rooms`, `?fake=incidents`, `?fake=letters`, `?fake=files`, `?fake=ended`, `?fake=closed`, `?fake=delegated`, `?fake=subAgent`, `?fake=refused`, and of the process rail `?fake=rail-empty`, `rail-running`, `rail-needs`,
// `rail-survivors`, `rail-many`, `rail-terminal`, `rail-flood`. `?fake=profiles` has several profiles.
import type { Card, Intent, Session, View } from "../bindings";
import { CallError, type Bridge, type CommandName, type Commands, type Desktop } from "../bridge";
import { FakeGateway, type Handlers } from "./gateway";
import { moreHandlers } from "./more";
import { processHandlers, startProcess } from "./processes";
import { showProfile } from "../socket";
import { DAMAGED, FakeProfiles, type ProfileCommand, profileHandlers, SEVERAL } from "./profiles";
import { scenes } from "./scenes";
import { FakeSettings, MODEL_FILE } from "./settings";

/** What tests may look at and drive. */
export interface FakeWindow {
  gateway: FakeGateway;
  /** Links that were opened. */
  opened: string[];
  /** Commands that were called, without the feed. */
  calls: { command: CommandName; params: unknown }[];
  /** While true, nothing answers. */
  away: boolean;
  /** The command that fails, while one does. */
  broken: CommandName | null;
  /** Why the data cannot be opened, while that is so. */
  refused: string | null;
  settings: FakeSettings;
  /** What the window said it shows, the last one last. */
  views: View[];
  /** What was asked of the desktop app, by name. */
  asked: string[];
  /** Asks the window to do something. */
  intend(intent: Intent): void;
}

declare global {
  interface Window {
    fake?: FakeWindow;
  }
}

/** What is answered although the data cannot be opened. */
const WITHOUT_DATA: readonly CommandName[] = ["list_backups", "list_profiles", "create_profile"];

/** A bridge over a scene. */
export function fakeBridge(scene: string): Bridge {
  const gateway = new FakeGateway();
  const settings = new FakeSettings();
  const intents = new Intents();
  const profiles = new FakeProfiles(scene);
  const fake: FakeWindow = {
    gateway,
    opened: [],
    calls: [],
    away: scene === "away",
    broken: null,
    refused: scene === "refused" ? DAMAGED : profiles.problem(),
    settings,
    views: [],
    asked: [],
    intend: (intent) => intents.push(intent),
  };
  window.fake = fake;
  if (scene === SEVERAL) profiles.fill(gateway, settings);
  else (scenes[scene] ?? scenes["demo"])?.(gateway, settings);
  const handlers: Handlers = { ...makeHandlers(gateway, settings), ...profileHandlers(profiles) };
  return {
    async call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> {
      if (fake.away) throw new CallError("unreachable", "No connection to the gateway could be made.");
      if (command !== "next_feed") fake.calls.push({ command, params });
      if (fake.broken === command) throw new CallError("store_unavailable", "The disk is full.");
      if (fake.refused !== null) {
        if (command === "restore_backup") fake.refused = null;
        else if (!WITHOUT_DATA.includes(command)) throw new CallError("store_unavailable", fake.refused);
      }
      // A reply never comes in the same task, as with the real twins.
      await Promise.resolve();
      const handler = handlers[command] as (given: Commands[K]["params"]) => Promise<Commands[K]["reply"]>;
      return structuredClone(await handler(params));
    },
    openLink(url) {
      fake.opened.push(url);
      return Promise.resolve();
    },
    profile: profiles.chosen,
    showProfile,
    desktop: fakeDesktop(fake, intents),
  };
}

function fakeDesktop(fake: FakeWindow, intents: Intents): Desktop {
  const note = (words: string): Promise<void> => {
    fake.asked.push(words);
    return Promise.resolve();
  };
  return {
    lookAt(view) {
      fake.views.push(view);
      return Promise.resolve();
    },
    nextIntent: () => intents.next(),
    state: () => Promise.resolve({ tray: true }),
    askQuit: () => {
      const processes = [...fake.gateway.processes.values()].filter((process) => process.state === "running").length;
      intents.push({ kind: "ask_quit", processes });
      return Promise.resolve();
    },
    quit: (processes) => note(`quit ${processes}`),
    openWindow: () => note("open_window"),
    openPlace: (place) => note(`open_place ${place}`),
    openFile: ({ path, inFolder }) => note(`open_file ${path}${inFolder ? " in its folder" : ""}`),
    chooseModelFile: () => Promise.resolve(MODEL_FILE),
  };
}

/** Handed over one by one, in their order. */
class Intents {
  private readonly held: Intent[] = [];
  private waiting: ((intent: Intent) => void) | null = null;

  push(intent: Intent): void {
    if (this.waiting === null) this.held.push(intent);
    else this.waiting(intent);
    this.waiting = null;
  }

  next(): Promise<Intent> {
    const held = this.held.shift();
    if (held !== undefined) return Promise.resolve(held);
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }
}

function makeHandlers(gateway: FakeGateway, settings: FakeSettings): Omit<Handlers, ProfileCommand> {
  return {
    ...moreHandlers(gateway, settings),
    ...processHandlers(gateway),
    create_session: ({ title }) => {
      const sessionId = gateway.id("session");
      gateway.putSession(newSession(sessionId, title ?? "New session"));
      return { sessionId };
    },
    list_sessions: () => ({ sessions: [...gateway.sessions.values()] }),
    list_items: (params) => ({ items: gateway.listItems(params) }),
    next_feed: (params) => gateway.nextFeed(params),
    get_health: () => ({
      protocol: 1,
      version: "0.1.0",
      profiles: ["Personal"],
      processes: { running: 0 },
      turns: { running: 0 },
      incidents: gateway.incidents.length,
      ...(settings.settings.model == null ? {} : { model: settings.settings.model }),
      modelLocal: settings.isLocal(settings.settings.model ?? ""),
      ...(settings.isChatOnly(settings.settings.model ?? "") ? { modelChatOnly: true } : {}),
      approvals: settings.settings.approvals,
    }),
    restart_gateway: () => {
      gateway.setRestarting({ latestAtMs: Date.now() + 20_000, turns: [...gateway.sessions.values()].filter((row) => row.runningTurnId != null).length });
      return {};
    },
    send_message: (params) => sendMessage(gateway, params),
    stop_turn: ({ sessionId, turnId }) => {
      const running = gateway.sessions.get(sessionId)?.runningTurnId;
      if (running == null || (turnId ?? running) !== running) return { stopped: false, reaping: 0 };
      gateway.patchSession(sessionId, { runningTurnId: null, group: "done_today" });
      return { stopped: true, reaping: 0 };
    },
    retry_turn: ({ turnId }) => ({ admissionId: gateway.id("admission"), turnId }),
    mark_read: ({ sessionId }) => {
      if ((gateway.sessions.get(sessionId)?.unread ?? 0) > 0) gateway.patchSession(sessionId, { unread: 0 });
      return {};
    },
    answer_approval: (params) => answer(gateway, params),
    search: ({ query, limit }) => ({ hits: gateway.find(query, limit ?? 20) }),
  };
}

/** As many messages as may wait. */
const MOST_QUEUED = 32;

function isOver({ ended }: Session): boolean {
  return ended != null && ended !== "closed";
}

/** Another conversation in the place of one that ends. */
function beginAnew(gateway: FakeGateway, { sessionId }: Session): string {
  const next = gateway.id("session");
  gateway.putSession({ ...newSession(next, ""), group: "done_today" });
  gateway.putItem({ itemId: gateway.id("item"), sessionId, author: "system", kind: "notice", text: "This session ended here, and a new one began.", atMs: Date.now(), streaming: false });
  gateway.patchSession(sessionId, { ended: "new_session", nextSessionId: next, runningTurnId: null, group: "done_today", queued: [] });
  return next;
}

function sendMessage(gateway: FakeGateway, { sessionId, text, mode }: Commands["send_message"]["params"]) {
  const session = gateway.sessions.get(sessionId);
  if (session === undefined) throw new CallError("not_found", "There is no such session.");
  if (isOver(session)) throw new CallError("session_ended", "This session has ended. Nothing was sent; write in the one that follows it.");
  if (session.queued.length >= MOST_QUEUED) {
    throw new CallError("queue_full", "32 messages wait in this session, which is the limit. Nothing was sent; wait, or take one back.");
  }
  const admissionId = gateway.id("admission");
  if (text.trim() === "/new") return { admissionId, nextSessionId: beginAnew(gateway, session) };
  if (session.ended === "closed") gateway.patchSession(sessionId, { ended: null });
  if (text.startsWith("!")) return { admissionId, processId: startProcess(gateway, { sessionId, command: text.slice(1) }) };
  if (session.runningTurnId != null && mode !== "steer") {
    const queued = [...session.queued, { admissionId, text, atMs: Date.now() }];
    gateway.patchSession(sessionId, { queued });
    return { admissionId };
  }
  gateway.putItem({
    itemId: gateway.id("item"),
    sessionId,
    author: "human",
    kind: mode === "steer" ? "steer" : "message",
    text,
    atMs: Date.now(),
    streaming: false,
  });
  return { admissionId };
}

function answer(gateway: FakeGateway, { approvalId, choice, pattern, reason }: Commands["answer_approval"]["params"]) {
  for (const items of gateway.items.values()) {
    const item = items.find((row) => row.approvalId === approvalId);
    if (item === undefined) continue;
    if (item.state !== "pending") throw new CallError("approval_closed", "This question was already answered.");
    const denied = choice === "deny";
    const said = { choice, by: "person", atMs: Date.now(), ...(pattern == null ? {} : { pattern }), ...(reason == null ? {} : { reason }) };
    gateway.putItem({ ...item, state: denied ? "denied" : "allowed", answer: said });
    const call = items.find((row) => row.itemId === item.cardId);
    if (call?.card != null) gateway.putItem({ ...call, card: { ...call.card, ...answered(denied) } });
    gateway.patchSession(item.sessionId, { pendingApprovals: 0, group: "running", summary: "Running a command" });
    return {};
  }
  throw new CallError("not_found", "There is no such question.");
}

function answered(denied: boolean): Partial<Card> {
  const atMs = Date.now();
  if (denied) return { status: "error", annotation: "denied", startedAtMs: atMs, endedAtMs: atMs };
  return { status: "in_progress", annotation: null, startedAtMs: atMs };
}

/** A session with nothing in it. */
export function newSession(sessionId: string, title: string) {
  return {
    sessionId,
    title,
    group: "running",
    unread: 0,
    summary: "",
    lastAtMs: Date.now(),
    reaping: 0,
    pendingApprovals: 0,
    runningProcesses: 0,
    failed: false,
    queued: [],
    queuePaused: false,
    muted: false,
    lastSeq: 0,
  };
}
