// The one door to the gateway. It has three twins: Tauri's invoke, a WebSocket, and an in-memory gateway for tests.
import type * as wire from "./wire";

/** Every command with its request and its reply. */
export interface Commands {
  create_session: { params: wire.CreateSession; reply: wire.CreateSessionReply };
  list_sessions: { params: Record<string, never>; reply: wire.ListSessionsReply };
  send_message: { params: wire.SendMessage; reply: wire.SendMessageReply };
  stop_turn: { params: wire.StopTurn; reply: wire.StopTurnReply };
  retry_turn: { params: wire.RetryTurn; reply: wire.RetryTurnReply };
  list_items: { params: wire.ListItems; reply: wire.ListItemsReply };
  mark_read: { params: wire.MarkRead; reply: wire.Done };
  answer_approval: { params: wire.AnswerApproval; reply: wire.Done };
  start_process: { params: wire.StartProcess; reply: wire.StartProcessReply };
  list_processes: { params: wire.ListProcesses; reply: wire.ListProcessesReply };
  read_output: { params: wire.ReadOutput; reply: wire.ReadOutputReply };
  write_input: { params: wire.WriteInput; reply: wire.WriteInputReply };
  stop_process: { params: wire.StopProcess; reply: wire.StopProcessReply };
  resize_process: { params: wire.ResizeProcess; reply: wire.Done };
  restart_process: { params: wire.RestartProcess; reply: wire.RestartProcessReply };
  next_feed: { params: wire.NextFeed; reply: wire.Feed };
  search: { params: wire.Search; reply: wire.SearchReply };
  get_health: { params: Record<string, never>; reply: wire.GetHealthReply };
  list_approvals: { params: Record<string, never>; reply: wire.ListApprovalsReply };
  list_rules: { params: Record<string, never>; reply: wire.ListRulesReply };
  remove_rule: { params: wire.RemoveRule; reply: wire.ListRulesReply };
  get_settings: { params: Record<string, never>; reply: wire.Settings };
  set_setting: { params: wire.SetSetting; reply: wire.Settings };
  put_provider: { params: wire.PutProvider; reply: wire.PutProviderReply };
  remove_provider: { params: wire.RemoveProvider; reply: wire.Settings };
  test_provider: { params: wire.TestProvider; reply: wire.TestProviderReply };
  find_servers: { params: Record<string, never>; reply: wire.FindServersReply };
  list_models: { params: Record<string, never>; reply: wire.ListModelsReply };
  list_notices: { params: wire.ListNotices; reply: wire.ListNoticesReply };
  mark_notices_read: { params: wire.MarkNoticesRead; reply: wire.Done };
  set_quiet: { params: wire.SetQuiet; reply: wire.Done };
  set_muted: { params: wire.SetMuted; reply: wire.Done };
  edit_queued: { params: wire.EditQueued; reply: wire.Done };
  remove_queued: { params: wire.RemoveQueued; reply: wire.Done };
  move_queued: { params: wire.MoveQueued; reply: wire.Done };
  send_queued_now: { params: wire.SendQueuedNow; reply: wire.Done };
  resume_queue: { params: wire.ResumeQueue; reply: wire.Done };
  update_session: { params: wire.UpdateSession; reply: wire.Done };
  export_session: { params: wire.ExportSession; reply: wire.ExportSessionReply };
  get_ui_state: { params: Record<string, never>; reply: wire.GetUiStateReply };
  set_ui_state: { params: wire.SetUiState; reply: wire.Done };
  fetch_image: { params: wire.FetchImage; reply: wire.FetchImageReply };
  get_engine: { params: Record<string, never>; reply: wire.Engine };
  sample_processes: { params: wire.SampleProcesses; reply: wire.SampleProcessesReply };
  close_session: { params: wire.CloseSession; reply: wire.Done };
  list_incidents: { params: Record<string, never>; reply: wire.ListIncidentsReply };
  resolve_incident: { params: wire.ResolveIncident; reply: wire.Done };
  restart_gateway: { params: wire.RestartGateway; reply: wire.Done };
  deliver_unit: { params: wire.DeliverUnit; reply: wire.Done };
  send_letter: { params: wire.SendLetter; reply: wire.Done };
  list_backups: { params: Record<string, never>; reply: wire.ListBackupsReply };
  backup_now: { params: Record<string, never>; reply: wire.BackupNowReply };
  restore_backup: { params: wire.RestoreBackup; reply: wire.Done };
  export_profile: { params: Record<string, never>; reply: wire.ExportProfileReply };
  list_profiles: { params: Record<string, never>; reply: wire.ListProfilesReply };
  create_profile: { params: wire.CreateProfile; reply: wire.Done };
}

/** A command's name. */
export type CommandName = keyof Commands;

/** What a command may end with, besides the wire's own codes: the gateway did not answer at all. */
export type CallCode = wire.ErrorCode | "unreachable" | "unauthorized";

/** A command that failed. Branch on `code`; `message` is for a person. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: CallCode;

  constructor(code: CallCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The gateway, whichever way it is reached. */
export interface Bridge {
  /** Runs one command. Rejects with a `CallError`. */
  call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]>;
  /** Opens a link in the person's browser, never in this window. */
  openLink(url: string): Promise<void>;
  /** The profile that every call is about, for as long as this page stands; absent: the first one. */
  readonly profile: string | null;
  /** Shows another profile. The page begins anew, so nothing of this one is left in it. */
  showProfile(name: string): Promise<void>;
  /** What only the desktop app can do; absent in a browser. */
  readonly desktop: Desktop | null;
}

/** The desktop app around this window. */
export interface Desktop {
  /** Says what this window shows, so that nobody is told what they look at. */
  lookAt(view: wire.View): Promise<void>;
  /** Waits until this window is asked to do something. */
  nextIntent(): Promise<wire.Intent>;
  /** What the system around the window can do. */
  state(): Promise<wire.DesktopState>;
  /** Asks this window what a quit shall do, if that is a question; ends the program otherwise. */
  askQuit(): Promise<void>;
  /** Ends the program. */
  quit(processes: wire.QuitChoice): Promise<void>;
  /** Opens one more window. */
  openWindow(): Promise<void>;
  /** Opens a place on the disk in the system's own program. */
  openPlace(place: wire.Place): Promise<void>;
  /** Shows a file of an answer in the system's own program, or in its folder. */
  openFile(file: wire.FindFile): Promise<void>;
  /** Lets a person choose a model's file in the system's dialog; nothing when they do not. */
  chooseModelFile(words: { title: string; kind: string }): Promise<string | null>;
}

/** Reads whatever a transport rejected with as a `CallError`. */
export function asCallError(reason: unknown): CallError {
  if (reason instanceof CallError) return reason;
  if (isApiError(reason)) return new CallError(reason.code, reason.message);
  return new CallError("unreachable", reason instanceof Error ? reason.message : String(reason));
}

function isApiError(value: unknown): value is wire.ApiError {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}
