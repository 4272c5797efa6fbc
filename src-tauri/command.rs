//! What the page may call: the protocol's commands, by the same names and shapes, and one of the window's own.

mod approval; // questions and rules
mod desktop; // the window itself
mod feed; // what changed
mod file; // the system's dialog for a file
mod incident; // what was dropped or failed
mod link; // out to the system's programs
mod notice; // notices, and who is silenced
mod process; // background processes
mod profile; // which profiles there are
mod queue; // messages that wait
mod session; // sessions, transcripts, questions
mod settings; // what a person sets
mod storage; // backups, a restore, an export
mod view; // what windows remember and look at

use tauri::Wry;
use tauri_specta::{Builder, collect_commands};

/// Every command, for the page's calls and for its typed bindings.
pub(crate) fn builder() -> Builder<Wry> {
    // Requests are only read and replies only written, so one shape per type is true.
    Builder::new()
        .disable_serde_phases()
        .commands(collect_commands![
            session::create_session,
            session::list_sessions,
            session::send_message,
            session::stop_turn,
            session::retry_turn,
            session::list_items,
            session::mark_read,
            session::answer_approval,
            session::search,
            process::start_process,
            process::list_processes,
            process::read_output,
            process::write_input,
            process::stop_process,
            process::restart_process,
            process::resize_process,
            feed::next_feed,
            feed::get_health,
            feed::restart_gateway,
            approval::list_approvals,
            approval::list_rules,
            approval::remove_rule,
            settings::get_settings,
            settings::set_setting,
            settings::put_provider,
            settings::remove_provider,
            settings::test_provider,
            settings::find_servers,
            settings::list_models,
            settings::get_engine,
            notice::list_notices,
            notice::mark_notices_read,
            notice::set_quiet,
            notice::set_muted,
            queue::edit_queued,
            queue::remove_queued,
            queue::move_queued,
            queue::send_queued_now,
            queue::resume_queue,
            view::update_session,
            view::export_session,
            view::get_ui_state,
            view::set_ui_state,
            view::sample_processes,
            view::fetch_image,
            storage::list_backups,
            storage::backup_now,
            storage::restore_backup,
            storage::export_profile,
            incident::close_session,
            incident::list_incidents,
            incident::resolve_incident,
            incident::deliver_unit,
            incident::send_letter,
            profile::list_profiles,
            profile::create_profile,
            link::open_link,
            link::open_file,
            desktop::look_at,
            desktop::next_intent,
            desktop::desktop_state,
            desktop::quit,
            desktop::ask_quit,
            desktop::profile_of_window,
            desktop::use_profile,
            desktop::open_window,
            desktop::open_place,
            file::choose_model_file,
        ])
        .typ::<gatehouse_protocol::wire::Feed>()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use specta_typescript::Typescript;

    /// Where the page keeps them.
    const BINDINGS: &str = "ui/src/bridge/bindings.ts";

    fn fresh() -> String {
        let path = std::env::temp_dir().join(format!("gatehouse-bindings-{}.ts", std::process::id()));
        super::builder().export(Typescript::default(), &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        text
    }

    #[test]
    fn bindings_are_current_and_name_every_command() {
        let fresh = fresh();
        for name in gatehouse_protocol::Names::ALL {
            assert!(fresh.contains(&format!("\"{name}\"")), "{name} is missing");
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(BINDINGS);
        if std::env::var_os("GATEHOUSE_WRITE_BINDINGS").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(kept == fresh, "{BINDINGS} is stale; run: npm run bindings");
    }
}
