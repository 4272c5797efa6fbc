//! Secrets of the house and of its services go; so does what the way we were started has put in. What stays is the
//! person's own: their shell's AWS chain, for one, belongs to the tools they run.

use std::collections::HashSet;
use std::ffi::OsStr;

use super::Env;

/// Keys and addresses of model services, chat services, mail, remote machines and code hosts.
const NAMES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "BRAVE_API_KEY",
    "BROWSERBASE_API_KEY",
    "COHERE_API_KEY",
    "DAYTONA_API_KEY",
    "DEEPSEEK_API_KEY",
    "DEEPSEEK_BASE_URL",
    "DISCORD_BOT_TOKEN",
    "DISCORD_HOME_CHANNEL",
    "ELEVENLABS_API_KEY",
    "EMAIL_PASSWORD",
    "EXA_API_KEY",
    "FIRECRAWL_API_KEY",
    "GEMINI_API_KEY",
    "GEMINI_BASE_URL",
    "GH_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_INSTALLATION_ID",
    "GITHUB_TOKEN",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GROQ_API_KEY",
    "GROQ_BASE_URL",
    "HF_TOKEN",
    "HUGGINGFACE_API_KEY",
    "HUGGING_FACE_HUB_TOKEN",
    "IMAP_PASSWORD",
    "KIMI_API_KEY",
    "MATRIX_ACCESS_TOKEN",
    "MATRIX_PASSWORD",
    "MINIMAX_API_KEY",
    "MISTRAL_API_KEY",
    "MODAL_TOKEN_ID",
    "MODAL_TOKEN_SECRET",
    "MOONSHOT_API_KEY",
    "NVIDIA_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORG_ID",
    "OPENROUTER_API_KEY",
    "OPENROUTER_BASE_URL",
    "PERPLEXITY_API_KEY",
    "REPLICATE_API_TOKEN",
    "SIGNAL_ACCOUNT",
    "SLACK_APP_TOKEN",
    "SLACK_BOT_TOKEN",
    "SLACK_HOME_CHANNEL",
    "SLACK_SIGNING_SECRET",
    "SLACK_USER_TOKEN",
    "SMTP_PASSWORD",
    "SUDO_PASSWORD",
    "TAVILY_API_KEY",
    "TELEGRAM_BOT_TOKEN",
    "TELEGRAM_HOME_CHANNEL",
    "TOGETHER_API_KEY",
    "TWILIO_ACCOUNT_SID",
    "TWILIO_AUTH_TOKEN",
    "WHATSAPP_ACCESS_TOKEN",
    "XAI_API_KEY",
    "XAI_BASE_URL",
    "ZAI_API_KEY",
];

/// Makes a tool work on another project's interpreter than the one it is run in.
const FOREIGN_INTERPRETER: &[&str] = &["VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME"];

/// Set for our own process by an application image, or by the way a web view is started.
const IMAGE: &[&str] = &["APPDIR", "APPIMAGE", "ARGV0", "OWD", "LD_LIBRARY_PATH", "LD_PRELOAD", "GI_TYPELIB_PATH"];
const IMAGE_PREFIXES: &[&str] = &["GDK_", "GIO_", "GTK_", "GST_", "GSETTINGS_"];
/// An image's launcher may keep what a variable was before it under this name.
const BEFORE_IMAGE: &str = "APPRUN_ORIGINAL_";

/// Takes out every known secret, `extra` names included, and undoes what an application image did.
pub fn scrub(env: Env, extra: &[String]) -> Env {
    let extra: HashSet<&str> = extra.iter().map(String::as_str).collect();
    let is_image = env.iter().any(|(name, _)| name == "APPDIR" || name == "APPIMAGE");
    let before: Env =
        if is_image { env.iter().filter_map(|(name, value)| restored(name, value)).collect() } else { Vec::new() };
    let is_dropped = |name: &OsStr| {
        // Names that are no text are nobody's we know.
        let Some(name) = name.to_str() else { return false };
        is_secret(name) || extra.contains(name) || FOREIGN_INTERPRETER.contains(&name) || (is_image && is_images(name))
    };
    let mut kept: Env = env.into_iter().filter(|(name, _)| !is_dropped(name)).collect();
    for (name, value) in before {
        if name.to_str().is_some_and(|name| !is_secret(name) && !extra.contains(name)) {
            kept.retain(|(other, _)| *other != name);
            kept.push((name, value));
        }
    }
    kept
}

fn is_secret(name: &str) -> bool {
    NAMES.contains(&name) || name.starts_with("GATEHOUSE_") || is_dynamic(name)
}

/// Classes whose members are made up by a configuration.
fn is_dynamic(name: &str) -> bool {
    let has_end = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    (name.starts_with("AUXILIARY_") && has_end(&["_API_KEY", "_BASE_URL"]))
        || (name.starts_with("GATEWAY_RELAY_") && has_end(&["_SECRET", "_KEY", "_TOKEN", "_ID"]))
}

fn is_images(name: &str) -> bool {
    IMAGE.contains(&name) || name.starts_with(BEFORE_IMAGE) || IMAGE_PREFIXES.iter().any(|p| name.starts_with(p))
}

fn restored(name: &OsStr, value: &OsStr) -> Option<(std::ffi::OsString, std::ffi::OsString)> {
    let name = name.to_str()?.strip_prefix(BEFORE_IMAGE).filter(|name| !name.is_empty())?;
    (!value.is_empty()).then(|| (name.into(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(env: &[(&str, &str)], extra: &[&str]) -> Vec<String> {
        let env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let extra: Vec<String> = extra.iter().map(|name| (*name).to_owned()).collect();
        scrub(env, &extra).into_iter().map(|(n, v)| format!("{}={}", n.display(), v.display())).collect()
    }

    #[test]
    fn no_known_secret_is_left_and_the_persons_own_stay() {
        let mut env: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, "seeded")).collect();
        env.extend([
            ("GATEHOUSE_API_KEY", "seeded"),
            ("GATEHOUSE_HOME", "seeded"),
            ("AUXILIARY_TITLES_API_KEY", "seeded"),
            ("AUXILIARY_TITLES_BASE_URL", "seeded"),
            ("GATEWAY_RELAY_EU_SECRET", "seeded"),
            ("LAB_KEY", "seeded"),
            ("VIRTUAL_ENV", "/other"),
            ("CONDA_PREFIX", "/other"),
            ("PATH", "/bin"),
            ("AWS_SECRET_ACCESS_KEY", "theirs"),
            ("CLAUDE_CODE_OAUTH_TOKEN", "theirs"),
            ("GTK_THEME", "Adwaita"),
            ("LD_LIBRARY_PATH", "/theirs"),
        ]);
        let expected = [
            "PATH=/bin",
            "AWS_SECRET_ACCESS_KEY=theirs",
            "CLAUDE_CODE_OAUTH_TOKEN=theirs",
            "GTK_THEME=Adwaita",
            "LD_LIBRARY_PATH=/theirs",
        ];
        assert_eq!(names(&env, &["LAB_KEY"]), expected);
    }

    #[test]
    fn an_images_variables_go_and_what_was_before_comes_back() {
        let env = [
            ("APPDIR", "/tmp/.mount"),
            ("LD_LIBRARY_PATH", "/tmp/.mount/lib"),
            ("APPRUN_ORIGINAL_LD_LIBRARY_PATH", "/opt/cuda"),
            ("APPRUN_ORIGINAL_GITHUB_TOKEN", "seeded"),
            ("GST_PLUGIN_PATH", "/tmp/.mount/gst"),
            ("HOME", "/home/p"),
        ];
        assert_eq!(names(&env, &[]), ["HOME=/home/p", "LD_LIBRARY_PATH=/opt/cuda"]);
    }
}
