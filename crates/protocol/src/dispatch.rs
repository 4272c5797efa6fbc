//! From a command's name and JSON to a reply. Every shell that speaks JSON comes through here.

use gatehouse_host::House;
use serde_json::value::RawValue;

use crate::error::{ApiError, ErrorCode};
use crate::request::Request;
use crate::wire;

/// Through which door a command came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A person at a window.
    Window,
    /// A program.
    Script,
}

/// Names every command once: the JSON dispatch and the list of names come from this.
macro_rules! commands {
    ($($name:literal => $request:ident),+ $(,)?) => {
        /// Every command's name.
        #[derive(Debug)]
        pub struct Names;

        impl Names {
            /// In the order of the wire's table.
            pub const ALL: &'static [&'static str] = &[$($name),+];
        }

        async fn carry_out(
            house: &House, profile: Option<&str>, caller: Caller, name: &str, params: &str,
        ) -> Result<Box<RawValue>, ApiError> {
            match name {
                $($name => run::<wire::$request>(house, profile, caller, params).await,)+
                _ => Err(ApiError {
                    code: ErrorCode::UnknownCommand,
                    message: format!("There is no command {name:?}. Known are: {}.", Names::ALL.join(", ")),
                }),
            }
        }
    };
}

commands! {
    "create_session" => CreateSession,
    "list_sessions" => ListSessions,
    "send_message" => SendMessage,
    "stop_turn" => StopTurn,
    "retry_turn" => RetryTurn,
    "list_items" => ListItems,
    "mark_read" => MarkRead,
    "answer_approval" => AnswerApproval,
    "start_process" => StartProcess,
    "list_processes" => ListProcesses,
    "read_output" => ReadOutput,
    "write_input" => WriteInput,
    "stop_process" => StopProcess,
    "restart_process" => RestartProcess,
    "resize_process" => ResizeProcess,
    "next_feed" => NextFeed,
    "search" => Search,
    "get_health" => GetHealth,
    "list_approvals" => ListApprovals,
    "list_rules" => ListRules,
    "remove_rule" => RemoveRule,
    "get_settings" => GetSettings,
    "set_setting" => SetSetting,
    "put_provider" => PutProvider,
    "remove_provider" => RemoveProvider,
    "test_provider" => TestProvider,
    "find_servers" => FindServers,
    "list_models" => ListModels,
    "list_notices" => ListNotices,
    "mark_notices_read" => MarkNoticesRead,
    "set_quiet" => SetQuiet,
    "set_muted" => SetMuted,
    "edit_queued" => EditQueued,
    "remove_queued" => RemoveQueued,
    "move_queued" => MoveQueued,
    "send_queued_now" => SendQueuedNow,
    "resume_queue" => ResumeQueue,
    "update_session" => UpdateSession,
    "export_session" => ExportSession,
    "get_ui_state" => GetUiState,
    "set_ui_state" => SetUiState,
    "sample_processes" => SampleProcesses,
    "fetch_image" => FetchImage,
    "get_engine" => GetEngine,
    "list_backups" => ListBackups,
    "backup_now" => BackupNow,
    "restore_backup" => RestoreBackup,
    "export_profile" => ExportProfile,
    "close_session" => CloseSession,
    "list_incidents" => ListIncidents,
    "resolve_incident" => ResolveIncident,
    "deliver_unit" => DeliverUnit,
    "send_letter" => SendLetter,
    "restart_gateway" => RestartGateway,
    "list_profiles" => ListProfiles,
    "create_profile" => CreateProfile,
}

/// The command that only waits for news: it goes with whoever asked.
const WAITS: &str = "next_feed";

/// Runs one command of a profile, the first one when none is said; request and reply are JSON. It is carried out to its
/// end, also when nobody waits for the reply any more: half a command is a job that nobody follows.
pub async fn dispatch(
    house: &House,
    profile: Option<&str>,
    caller: Caller,
    name: &str,
    params: &str,
) -> Result<Box<RawValue>, ApiError> {
    if name == WAITS {
        return carry_out(house, profile, caller, name, params).await;
    }
    let (house, profile) = (house.clone(), profile.map(str::to_owned));
    let (name, params) = (name.to_owned(), params.to_owned());
    let carried = tokio::spawn(async move { carry_out(&house, profile.as_deref(), caller, &name, &params).await });
    carried.await.unwrap_or_else(|error| {
        Err(ApiError { code: ErrorCode::Internal, message: format!("The command ended badly: {error}.") })
    })
}

async fn run<R: Request>(
    house: &House,
    profile: Option<&str>,
    caller: Caller,
    params: &str,
) -> Result<Box<RawValue>, ApiError> {
    // An empty body is an empty request.
    let params = if params.trim().is_empty() { "{}" } else { params };
    let request: R = serde_json::from_str(params)
        .map_err(|error| ApiError::invalid(format!("The request does not fit: {error}.")))?;
    let reply = request.carry_out(house, profile, caller).await?;
    serde_json::value::to_raw_value(&reply).map_err(|error| ApiError {
        code: ErrorCode::Internal,
        message: format!("The reply cannot be written: {error}."),
    })
}
