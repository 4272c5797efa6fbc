//! What a person sets, as the wire shows it.

use std::time::Duration;

use gatehouse_gateway::{
    CheckFailure, Checked, FoundServer, KeyPlace, KeySource, LocalServer, ModelChoice, ModelListFailure, OnQuit,
    ProviderConfig, SettingsView,
};

use crate::wire;

pub(crate) fn settings(view: &SettingsView) -> wire::Settings {
    let config = &view.config;
    wire::Settings {
        path: view.path.display().to_string(),
        data_dir: view.data_dir.display().to_string(),
        profile: view.profile.clone(),
        warnings: view.warnings.iter().map(warning).collect(),
        providers: config.providers.iter().map(|p| provider(p, view)).collect(),
        model: config.chosen_model().map(|(provider, model)| format!("{}/{model}", provider.name)),
        approvals: config.approvals.as_str().into(),
        deny: config.deny.clone(),
        on_quit: config.on_quit.unwrap_or(OnQuit::Ask).as_str().into(),
        keep_running: config.keep_running,
        processes: config.processes,
        processes_per_session: config.processes_per_session,
        inactivity_timeout_s: u32::try_from(config.inactivity_timeout.as_secs()).unwrap_or(u32::MAX),
        process_notices: config.process_notices.as_str().into(),
        notifications: wire::NotificationSettings {
            completions: config.notifications.completions,
            approvals: config.notifications.approvals,
            turns: config.notifications.turns,
            approve_from_toast: config.notifications.approve_from_toast,
            quiet_from: config.notifications.quiet_from.map(|time| time.to_string()),
            quiet_to: config.notifications.quiet_to.map(|time| time.to_string()),
        },
        look: wire::Look {
            theme: config.look.theme.as_str().into(),
            contrast: config.look.contrast.as_str().into(),
            density: config.look.density.as_str().into(),
            motion: config.look.motion.as_str().into(),
        },
        keys: key_place(&view.key_place),
    }
}

fn warning(warning: &gatehouse_gateway::ConfigWarning) -> wire::SettingWarning {
    wire::SettingWarning { key: warning.key.clone(), line: warning.line, message: warning.words.clone() }
}

fn provider(provider: &ProviderConfig, view: &SettingsView) -> wire::ProviderSetting {
    let (key, key_env) = match &provider.key {
        KeySource::None => ("none", None),
        KeySource::Env(name) => ("env", Some(name.clone())),
        KeySource::Stored(_) => ("stored", None),
    };
    let problem = view.key_problems.iter().find(|(name, _)| *name == provider.name);
    wire::ProviderSetting {
        name: provider.name.clone(),
        kind: provider.kind.as_str().into(),
        base_url: provider.base_url.clone(),
        key: key.into(),
        key_env,
        key_problem: problem.map(|(_, words)| words.clone()),
        models: provider.models.clone(),
        built_in: view.built_in.then_some(true),
    }
}

pub(crate) fn key_place(place: &KeyPlace) -> wire::KeyPlace {
    match place {
        KeyPlace::SecretService => wire::KeyPlace { kind: "secret_service".into(), reason: None },
        KeyPlace::File { reason } => wire::KeyPlace { kind: "file".into(), reason: Some(reason.clone()) },
    }
}

pub(crate) fn tested(checked: Result<Checked, CheckFailure>, took: Duration) -> wire::TestProviderReply {
    let latency = checked.as_ref().map_or(took, |checked| checked.latency);
    let latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX).into();
    match checked {
        Ok(checked) => wire::TestProviderReply {
            latency_ms,
            models: checked.models.into_iter().map(|model| model.id).collect(),
            problem: None,
        },
        Err(failure) => wire::TestProviderReply {
            latency_ms,
            models: Vec::new(),
            problem: Some(wire::Problem {
                code: failure.code.as_str().into(),
                message: failure.message,
                mend: failure.mend,
            }),
        },
    }
}

pub(crate) fn local_server(found: FoundServer) -> wire::LocalServer {
    let name = match found.kind {
        LocalServer::Ollama => "Ollama",
        LocalServer::LmStudio => "LM Studio",
        LocalServer::LlamaCpp => "llama.cpp",
        LocalServer::Vllm => "vLLM",
        LocalServer::Other => "A model server",
    };
    wire::LocalServer {
        kind: found.kind.as_str().into(),
        name: name.into(),
        base_url: found.base_url,
        port: found.port.into(),
        models: found.models,
    }
}

pub(crate) fn models(models: Vec<ModelChoice>, failures: Vec<ModelListFailure>) -> wire::ListModelsReply {
    let choice = |model: ModelChoice| wire::ModelChoice {
        id: format!("{}/{}", model.provider, model.name),
        provider: model.provider,
        name: model.name,
        local: model.local,
        chat_only: model.chat_only.then_some(true),
    };
    let failure =
        |failure: ModelListFailure| wire::ModelListFailure { provider: failure.provider, message: failure.words };
    wire::ListModelsReply {
        models: models.into_iter().map(choice).collect(),
        failures: failures.into_iter().map(failure).collect(),
    }
}
