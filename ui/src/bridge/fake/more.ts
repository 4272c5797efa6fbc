// Handlers of everything around the conversation: settings, rules, notices, queue, what windows remember.
import type { Notice, ProcessSample, Session } from "../wire";
import { CallError } from "../bridge";
import { incidentHandlers } from "./incidents";
import type { FakeGateway, Handlers } from "./gateway";
import type { FakeSettings } from "./settings";

type Core =
  | "create_session" | "list_sessions" | "send_message" | "stop_turn" | "retry_turn" | "list_items" | "mark_read" | "answer_approval"
  | "start_process" | "list_processes" | "read_output" | "write_input" | "stop_process" | "resize_process" | "restart_process" | "next_feed" | "search" | "get_health" | "restart_gateway" | "list_profiles" | "create_profile";

/** What the processes of the pictures take. */
const LOADS: Record<string, Omit<ProcessSample, "processId">> = {
  web: { cpuPercent: 1.2, rssBytes: 224_395_264, descendants: 2, ports: [5173] },
  worker: { cpuPercent: 0.4, rssBytes: 96_468_992, descendants: 0 },
  "photo-index": { cpuPercent: 88, rssBytes: 1_181_116_006, descendants: 0 },
};

/** A few bars, 320 by 160. */
const CHART =
  "iVBORw0KGgoAAAANSUhEUgAAAUAAAACgCAMAAABKfUWuAAAABlBMVEXx7+ttZmGZTiDYAAAA9klEQVR42u3QsQ0AIQwEQei/aRr44CUjsPFsfs" +
  "HNGJIkSZIkSZIkSZIkSZIkSZIkSZJizY98AwgQIECAAAECBAgQIECAAGviAwQIECBAgAABAgQIECBAgJkAT5wDCBAgQIAAAQIECBAgQIC9AP+O" +
  "KwKe+AYQIECAAAECBAgQIECAAHsBvoIf+QYQIECAAAECBAgQIECAAAFWxAcIECBAgAABAgQIECBAgACzA+7GBwgQIECAAAECBAgQIECAACNVxA" +
  "cIECBAgAABAgQIECBAgABvBRAgQIAAAQIECBAgQIAAAXYDvIUPECBAgAABAgQIECBAgHkBF7JoStmHBsdaAAAAAElFTkSuQmCC";

/** See the file's head. */
export function moreHandlers(gateway: FakeGateway, settings: FakeSettings): Omit<Handlers, Core> {
  const touched = <T>(reply: T): T => {
    gateway.touchSettings();
    return reply;
  };
  return {
    list_approvals: () => ({
      items: [...gateway.items.values()].flat().filter((item) => item.kind === "approval" && item.state === "pending"),
    }),
    list_rules: () => ({ rules: settings.rules }),
    remove_rule: ({ ruleId }) => {
      settings.rules = settings.rules.filter((rule) => rule.ruleId !== ruleId);
      return { rules: settings.rules };
    },
    get_settings: () => settings.settings,
    set_setting: (params) => touched(settings.set(params)),
    put_provider: (params) => touched(settings.putProvider(params)),
    remove_provider: ({ name }) => touched(settings.removeProvider(name)),
    test_provider: () => settings.test,
    find_servers: () => ({ servers: settings.servers, ports: [11_434, 1234, 8080, 8000] }),
    list_models: () => settings.models(),
    get_engine: () => gateway.engine,
    list_notices: () => {
      const notices = [...gateway.notices.values()].toSorted((a, b) => b.atMs - a.atMs);
      return {
        notices,
        unread: notices.filter((notice) => !notice.read).length,
        quietUntilMs: gateway.quietUntilMs,
        muted: gateway.muted,
      };
    },
    mark_notices_read: ({ noticeIds, andOlder }) => {
      // They are kept in the order in which they came.
      const all = [...gateway.notices.values()];
      const named = ({ noticeId }: Notice): boolean => noticeIds?.includes(noticeId) ?? true;
      const meant = andOlder === true ? all.slice(0, all.findLastIndex(named) + 1) : all.filter(named);
      for (const notice of meant) if (!notice.read) gateway.putNotice({ ...notice, read: true });
      return {};
    },
    set_quiet: ({ untilMs }) => {
      gateway.quietUntilMs = untilMs ?? null;
      return touched({});
    },
    set_muted: (params) => touched(setMuted(gateway, params)),
    edit_queued: ({ admissionId, text }) =>
      patchQueue(gateway, admissionId, (queued) => queued.map((row) => (row.admissionId === admissionId ? { ...row, text } : row))),
    remove_queued: ({ admissionId }) => patchQueue(gateway, admissionId, (queued) => queued.filter((row) => row.admissionId !== admissionId)),
    move_queued: ({ admissionId, before }) =>
      patchQueue(gateway, admissionId, (queued) => {
        const moved = queued.filter((row) => row.admissionId === admissionId);
        const rest = queued.filter((row) => row.admissionId !== admissionId);
        const at = before == null ? rest.length : rest.findIndex((row) => row.admissionId === before);
        return rest.toSpliced(at, 0, ...moved);
      }),
    send_queued_now: ({ admissionId }) => patchQueue(gateway, admissionId, (queued) => queued.filter((row) => row.admissionId !== admissionId)),
    resume_queue: ({ sessionId }) => {
      gateway.patchSession(sessionId, { queuePaused: false });
      return {};
    },
    update_session: ({ sessionId, title, earlier }) => {
      gateway.patchSession(sessionId, { ...(title == null ? {} : { title }), ...(earlier === true ? { group: "earlier" } : {}) });
      return {};
    },
    export_session: ({ sessionId }) => ({
      markdown: (gateway.items.get(sessionId) ?? []).map((item) => `**${item.author}**\n\n${item.text ?? ""}`).join("\n\n"),
    }),
    get_ui_state: () => ({ entries: [...settings.uiState].map(([key, value]) => ({ key, value })) }),
    set_ui_state: ({ key, value }) => {
      if (value == null) settings.uiState.delete(key);
      else settings.uiState.set(key, value);
      return {};
    },
    ...incidentHandlers(gateway),
    list_backups: () => ({
      backups: [...gateway.backups],
      profile: "/home/ada/.local/share/gatehouse/profiles/default",
      dir: "/home/ada/.local/share/gatehouse/profiles/default/backups",
      kept: 7,
      running: false,
    }),
    backup_now: () => {
      const atMs = Date.now();
      const name = `${new Date(atMs).toISOString().slice(0, 19).replaceAll(":", "-")}Z.db`;
      const backup = { name, atMs, bytes: 4_194_304 };
      gateway.backups = [backup, ...gateway.backups].slice(0, 7);
      return { backup };
    },
    restore_backup: ({ name }) => {
      if (!gateway.backups.some((backup) => backup.name === name)) {
        throw new CallError("not_found", "There is no such backup. It may have been removed.");
      }
      return {};
    },
    export_profile: () => ({
      path: "/home/ada/.local/share/gatehouse/profiles/default/exports/2026-03-01T09-30-00Z.jsonl",
      bytes: 1_048_576,
      sessions: gateway.sessions.size,
      items: [...gateway.items.values()].flat().length,
    }),
    fetch_image: () => ({ mime: "image/png", base64: CHART }),
    sample_processes: ({ processIds }) => ({
      samples: processIds.map((processId) => ({ processId, ...loadOf(gateway, processId) })),
    }),
  };
}

function loadOf(gateway: FakeGateway, processId: string): Omit<ProcessSample, "processId"> {
  const { descendants = 0, ports } = gateway.processes.get(processId) ?? {};
  return LOADS[processId] ?? { cpuPercent: 0.1, rssBytes: 12_582_912, descendants, ports: ports ?? [] };
}

function setMuted(gateway: FakeGateway, { sessionId, command, muted }: { sessionId: string; command?: string | null; muted: boolean }) {
  const session = gateway.sessions.get(sessionId);
  const rest = gateway.muted.filter((row) => row.sessionId !== sessionId || (row.command ?? null) !== (command ?? null));
  const row = { sessionId, title: command ?? session?.title ?? "", ...(command == null ? {} : { command }) };
  gateway.muted = muted ? [...rest, row] : rest;
  if (command == null) gateway.patchSession(sessionId, { muted });
  for (const process of gateway.processes.values()) {
    if (process.sessionId === sessionId && process.command === command) gateway.putProcess({ ...process, muted });
  }
  return {};
}

function patchQueue(gateway: FakeGateway, admissionId: string, change: (queued: Session["queued"]) => Session["queued"]) {
  const session = [...gateway.sessions.values()].find((row) => row.queued.some((queued) => queued.admissionId === admissionId));
  if (session === undefined) throw new CallError("not_found", "There is no such message. It may have been sent.");
  gateway.patchSession(session.sessionId, { queued: change(session.queued) });
  return {};
}
