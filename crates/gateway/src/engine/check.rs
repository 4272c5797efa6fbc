//! Whether a model's file can be used, without loading it. What only loading can find out, the engine says then.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gatehouse_provider::{CheckCode, CheckFailure, Checked, ModelInfo};

/// Looks at each of them. A file may lie where reading takes long.
pub(super) async fn files(files: Vec<(String, PathBuf)>) -> Result<Checked, CheckFailure> {
    let looked = tokio::task::spawn_blocking(move || {
        let memory = memory();
        files.iter().map(|(name, path)| look(name, path, memory).map_err(none)).collect::<Result<_, _>>()
    });
    let models = looked.await.map_err(|_| none("The look at the file was cut off. Try again.".into()))??;
    Ok(Checked { latency: Duration::ZERO, models })
}

/// There is no such model, for this reason.
pub(super) fn none(message: String) -> CheckFailure {
    CheckFailure { code: CheckCode::NoSuchModel, message, mend: "Choose another model file.".into() }
}

/// The file's own facts, or why this computer can do nothing with it.
pub(super) fn look(name: &str, path: &Path, memory: Option<u64>) -> Result<ModelInfo, String> {
    let head = gatehouse_gguf::open(path).map_err(|error| format!("{name} cannot be used. {error}"))?;
    if head.template.is_none() {
        return Err(format!("{name} cannot chat: it has no chat template, so it can only continue texts."));
    }
    // How much is free changes from minute to minute, so that is looked at when it is loaded.
    if let Some(memory) = memory.filter(|memory| head.bytes > *memory) {
        let (wants, has) = (size(head.bytes), size(memory));
        return Err(format!("{name} needs more memory than there is: {wants} at least, and this computer has {has}."));
    }
    let context_tokens = head.context.and_then(|context| u32::try_from(context).ok());
    Ok(ModelInfo { id: name.to_owned(), context_tokens })
}

/// All the memory of this computer, where it tells.
fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn size(bytes: u64) -> String {
    const MB: u64 = 1_000_000;
    match bytes / MB {
        mb @ 0..1000 => format!("{mb} MB"),
        mb => format!("{}.{} GB", mb / 1000, mb % 1000 / 100),
    }
}
