// The one door to the gateway. It has three twins: Tauri's invoke, a WebSocket, and an in-memory gateway for tests.
import type * as wire from "./bindings";

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
  next_feed: { params: wire.NextFeed; reply: wire.Feed };
  search: { params: wire.Search; reply: wire.SearchReply };
  get_health: { params: Record<string, never>; reply: wire.GetHealthReply };
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
