// Everything that can be done from anywhere, once: the palette lists it, keys run it, menus show it.
import type { LucideIcon } from "lucide-react";
import {
  AppWindow, Archive, ArrowLeftRight, Bell, BellOff, Copy, Cpu, ExternalLink, Hand, Keyboard, ListChecks, ListRestart, MessageSquareOff, MessageSquareWarning, Moon, PanelLeft, PanelRight, Plus, Power, RefreshCw, RotateCw, Rows3, Search, SlidersHorizontal, Square, SquarePen,
  SquareTerminal, Sun, UserRoundCheck,
} from "lucide-react";
import type { ModelChoice, Process, Session } from "../bridge/wire";
import { beginAnew } from "../composer/goOn";
import type { Store } from "../feed/store";
import type { Translate } from "../l10n/l10n";
import { readAll } from "../notices/readAll";
import { alive } from "../process/order";
import { openPort } from "../process/ports";
import { restart } from "../process/restart";
import { portsOf } from "../process/samples";
import { goToProfile } from "../profile/goTo";
import { groupSessions } from "../session/groups";
import { announce } from "../shared/announce";
import type { KeyName } from "./keys";
import { attempt } from "./trouble";

/** One thing to do. */
export interface Action {
  readonly id: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly key?: KeyName;
  /** The name of what it ends. */
  readonly ends?: string;
  /** Why it cannot be done now. */
  readonly cannot?: string;
  run(): void;
}

/** What actions work on. */
export interface Scope {
  readonly store: Store;
  readonly t: Translate;
  readonly session: Session | undefined;
  readonly models: readonly ModelChoice[];
  readonly frame: FrameActions;
}

/** What the frame does. */
export interface FrameActions {
  newSession(): void;
  toggleSidebar(): void;
  toggleRail(): void;
  showProcesses(): void;
  openNotices(): void;
  openIncidents(): void;
  openKeyMap(): void;
  newProfile(): void;
  findHere(): void;
  askQuit(): void;
  stopTurn(sessionId: string, turnId: string): void;
}

const HOUR_MS = 3_600_000;
const DENSITIES = ["verbose", "normal", "summary"];

/** Every action, in the order of the palette. */
export function actions(scope: Scope): Action[] {
  return [...ofSession(scope), ...ofProcesses(scope), ...ofWindow(scope), ...ofProfiles(scope), ...ofNotices(scope), ...ofSettings(scope), ...ofModels(scope)];
}

function ofSession({ store, t, session, frame }: Scope): Action[] {
  const none = session === undefined ? { cannot: t("action-no-session") } : {};
  const over = session?.ended == null ? none : { cannot: t("action-has-ended") };
  const id = session?.sessionId ?? "";
  const turnId = session?.runningTurnId;
  const needed = nextNeeded(store);
  return [
    {
      id: "stop-turn",
      title: t("action-stop-turn"),
      icon: Square,
      key: "stop",
      ...(turnId == null ? { cannot: t("action-no-turn") } : {}),
      run: () => turnId != null && frame.stopTurn(id, turnId),
    },
    { id: "new-session", title: t("action-new-session"), icon: SquarePen, key: "newSession", run: frame.newSession },
    {
      id: "next-needed",
      title: t("action-next-needed"),
      icon: UserRoundCheck,
      key: "nextNeeded",
      ...(needed === undefined ? { cannot: t("action-nobody-needed") } : {}),
      run: () => needed !== undefined && store.openSession(needed.sessionId),
    },
    {
      id: "mute-session",
      title: session?.muted ? t("action-unmute-session") : t("action-mute-session"),
      icon: session?.muted ? Bell : BellOff,
      ...none,
      run: () => attempt(store.bridge.call("set_muted", { sessionId: id, muted: !session?.muted })),
    },
    { id: "find-here", title: t("action-find-here"), icon: Search, key: "findHere", ...none, run: frame.findHere },
    { id: "copy-session", title: t("action-copy-session"), icon: Copy, ...none, run: () => attempt(copyTranscript(store, id, t)) },
    {
      id: "archive-session",
      title: t("action-archive-session"),
      icon: Archive,
      ...none,
      run: () => attempt(store.bridge.call("update_session", { sessionId: id, earlier: true })),
    },
    { id: "session-anew", title: t("action-session-anew"), icon: ListRestart, ...over, run: () => attempt(beginAnew(store, id)) },
    {
      id: "close-session",
      title: t("action-session-close"),
      icon: MessageSquareOff,
      ...(turnId == null ? over : { cannot: t("action-turn-runs") }),
      run: () => attempt(store.bridge.call("close_session", { sessionId: id })),
    },
  ];
}

function ofProcesses({ store, t, session }: Scope): Action[] {
  const living = [...store.state.processes.values()].filter(alive);
  const here = living.filter((process) => process.sessionId === session?.sessionId);
  const stop = (process: Process): Promise<unknown> => store.bridge.call("stop_process", { processId: process.processId });
  return [
    ...living.map((process) => ({
      id: `stop-${process.processId}`,
      title: t("action-stop-process", { command: process.command }),
      icon: Square,
      ends: process.command,
      run: () => attempt(stop(process)),
    })),
    {
      id: "stop-processes",
      title: t("action-stop-processes"),
      icon: Square,
      ...(here.length === 0 ? { cannot: t("action-no-processes") } : {}),
      run: () => attempt(Promise.all(here.map(stop))),
    },
    ...here.map((process) => ({
      id: `restart-${process.processId}`,
      title: t("action-restart-process", { command: process.command }),
      icon: RotateCw,
      ends: process.command,
      run: () => attempt(restart(store, process)),
    })),
    ...here.flatMap((process) =>
      portsOf(process).map((port) => ({
        id: `port-${process.processId}-${port}`,
        title: t("process-open-port", { port: String(port) }),
        icon: ExternalLink,
        run: () => attempt(openPort(store.bridge, port)),
      })),
    ),
  ];
}

function ofWindow({ store, t, frame }: Scope): Action[] {
  const desktop = store.bridge.desktop;
  return [
    { id: "sidebar", title: t("action-sidebar"), icon: PanelLeft, key: "sidebar", run: frame.toggleSidebar },
    { id: "rail", title: t("action-rail"), icon: PanelRight, key: "rail", run: frame.toggleRail },
    { id: "processes", title: t("action-processes"), icon: SquareTerminal, key: "processes", run: frame.showProcesses },
    { id: "density", title: t("action-density"), icon: Rows3, key: "density", run: () => nextDensity(store) },
    { id: "key-map", title: t("action-key-map"), icon: Keyboard, key: "keyMap", run: frame.openKeyMap },
    ...(store.connection.kind === "retrying" ? [{ id: "try-now", title: t("action-try-now"), icon: RotateCw, run: store.tryNow }] : []),
    { id: "restart", title: t("action-restart"), icon: RefreshCw, run: () => attempt(store.bridge.call("restart_gateway", {})) },
    ...(desktop === null
      ? []
      : [
          { id: "new-window", title: t("action-new-window"), icon: AppWindow, run: () => attempt(desktop.openWindow()) },
          { id: "quit", title: t("action-quit"), icon: Power, run: frame.askQuit },
        ]),
  ];
}

function ofProfiles({ store, t, frame }: Scope): Action[] {
  const { rows, here } = store.profiles.state;
  if (here === null) return [];
  return [
    ...rows.filter(({ name }) => name !== here).map(({ name }) => ({ id: `profile-${name}`, title: t("action-profile", { profile: name }), icon: ArrowLeftRight, run: () => attempt(goToProfile(store, name)) })),
    { id: "new-profile", title: t("action-new-profile"), icon: Plus, run: frame.newProfile },
  ];
}

function ofNotices({ store, t, frame }: Scope): Action[] {
  const quiet = store.setup.state.quietUntilMs !== null;
  return [
    { id: "notices", title: t("action-notices"), icon: Bell, run: frame.openNotices },
    { id: "incidents", title: t("action-incidents"), icon: MessageSquareWarning, run: frame.openIncidents },
    { id: "read-all", title: t("notices-read-all"), icon: ListChecks, run: () => attempt(readAll(store)) },
    {
      id: "quiet",
      title: quiet ? t("notices-unquiet") : t("notices-quiet"),
      icon: quiet ? Bell : Moon,
      run: () => attempt(store.bridge.call("set_quiet", { untilMs: quiet ? null : Date.now() + HOUR_MS })),
    },
  ];
}

function ofSettings({ store, t }: Scope): Action[] {
  const { settings } = store.setup.state;
  const setter = (key: string, value: string) => () => set(store, key, value);
  const choice = (id: string, title: string, icon: LucideIcon, key: string, value: string, now: string | undefined): Action => ({
    id,
    title,
    icon,
    ...(now === value ? { cannot: t("action-is-so") } : {}),
    run: setter(key, value),
  });
  return [
    { id: "settings", title: t("action-settings"), icon: SlidersHorizontal, key: "settings", run: () => store.openSettings() },
    choice("ask", t("action-ask"), Hand, "agent.approvals", "ask", settings?.approvals),
    choice("risky", t("action-risky"), Hand, "agent.approvals", "risky", settings?.approvals),
    choice("theme-light", t("action-theme-light"), Sun, "look.theme", "light", settings?.look.theme),
    choice("theme-dark", t("action-theme-dark"), Moon, "look.theme", "dark", settings?.look.theme),
    choice("theme-system", t("action-theme-system"), Sun, "look.theme", "system", settings?.look.theme),
  ];
}

function ofModels({ store, t, models }: Scope): Action[] {
  const now = store.setup.state.settings?.model;
  return models.map((model) => ({
    id: `model-${model.id}`,
    title: t("action-model", { model: model.id }),
    icon: Cpu,
    ...(model.id === now ? { cannot: t("action-is-so") } : {}),
    run: () => set(store, "agent.model", model.id),
  }));
}

/** Who waits for a person, then what was not read, but for what is open already. */
export function nextNeeded(store: Store): Session | undefined {
  const others = groupSessions([...store.state.sessions.values()])
    .flatMap(({ sessions }) => sessions)
    .filter((session) => session.sessionId !== store.selection.sessionId);
  return others.find((session) => session.group === "needs_you") ?? others.find((session) => session.unread > 0);
}

/** Goes on to the next density. */
export function nextDensity(store: Store): void {
  const at = DENSITIES.indexOf(store.setup.state.settings?.look.density ?? "normal");
  set(store, "look.density", DENSITIES[(at + 1) % DENSITIES.length] ?? "normal");
}

function set(store: Store, key: string, value: string): void {
  attempt(store.bridge.call("set_setting", { key, value }).then(store.setup.take));
}

async function copyTranscript(store: Store, sessionId: string, t: Translate): Promise<void> {
  const { markdown } = await store.bridge.call("export_session", { sessionId });
  await navigator.clipboard.writeText(markdown);
  announce(t("action-copied"));
}
