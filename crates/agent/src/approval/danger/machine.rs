//! Services, processes, containers, packages, and rights over the whole machine.

use super::super::shell::base;
use super::{Call, DangerCategory as Kind, Finding, ask};

const ADMINISTRATORS: &[&str] = &["sudo", "doas", "su", "pkexec", "run0", "gosu", "runuser"];

pub(super) fn find(call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    ask(
        &[service, starts_by_itself, kills, elevated, uninstalls, metadata, containers, infrastructure, remote],
        call,
        add,
    );
}

/// Kills that find their victim by another command.
pub(super) fn find_together(calls: &[Call<'_>], add: &mut impl FnMut(Finding)) {
    let ends = |call: &&Call<'_>| {
        matches!(call.name, "kill" | "pkill" | "killall" | "skill" | "fuser" | "systemctl" | "launchctl" | "xkill")
    };
    let enders: Vec<&Call<'_>> = calls.iter().filter(ends).collect();
    let own = |word: &&str| may_name_the_app(word);
    let named = enders.iter().any(|call| call.rest.iter().any(own) && !call.says_any(&["status", "show", "list"]));
    let parent = enders.iter().any(|call| call.says_any(&["$PPID", "$PPID,"]));
    let looked = calls.iter().any(|call| {
        matches!(call.name, "pgrep" | "pidof" | "ps" | "grep" | "lsof" | "awk") && call.rest.iter().any(own)
    });
    if named || parent || (looked && !enders.is_empty()) {
        add((Kind::AppLifecycle, "Ends Gatehouse or one of its processes"));
    }
}

/// The name, or a pattern that says a good part of it.
fn may_name_the_app(word: &str) -> bool {
    let letters: String = word.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    letters.contains("gatehouse") || (letters.len() >= 4 && "gatehouse".contains(&letters)) || letters.contains("gateh")
}

fn service(call: &Call<'_>) -> Option<Finding> {
    let stops =
        &["stop", "restart", "try-restart", "reload-or-restart", "disable", "mask", "kill", "isolate", "force-reload"];
    let found = match call.name {
        "systemctl" | "service" | "rc-service" | "supervisorctl" | "initctl" | "invoke-rc.d" | "s6-rc" | "sv" => {
            call.says_any(stops)
        }
        "brew" => call.rest.first() == Some(&"services") && call.says_any(stops),
        "launchctl" => call.says_any(&["unload", "bootout", "remove", "kill", "stop", "disable", "kickstart"]),
        _ => call.simple.words.first().is_some_and(|program| program.contains("/init.d/")) && call.says_any(stops),
    };
    found.then_some((Kind::Service, "Stops or restarts a service"))
}

fn starts_by_itself(call: &Call<'_>) -> Option<Finding> {
    let found = match call.name {
        "crontab" => !matches!(call.rest.as_slice(), ["-l"]),
        "at" | "batch" => !call.says_any(&["-l", "-V"]),
        "systemctl" => call.says("enable"),
        "launchctl" => call.says_any(&["load", "bootstrap", "enable", "submit"]),
        "update-rc.d" | "chkconfig" => true,
        _ => false,
    };
    found.then_some((Kind::Startup, "Sets up something that runs by itself later"))
}

fn kills(call: &Call<'_>) -> Option<Finding> {
    let hard = call.rest.iter().enumerate().any(|(at, word)| {
        let signal = word
            .strip_prefix("--signal=")
            .or(word.strip_prefix("-s"))
            .or(word.strip_prefix("-n"))
            .or(word.strip_prefix('-'));
        let signal = match signal {
            Some("") | Some("-signal") => call.rest.get(at + 1).copied().unwrap_or_default(),
            Some(signal) => signal,
            None => return false,
        };
        matches!(signal.to_ascii_uppercase().trim_start_matches("SIG"), "9" | "KILL")
    });
    let pattern = || call.operands().any(|word| word.contains(['*', '.', '^', '$', '[', '|', '?'])) || call.flag('f');
    let found = match call.name {
        "kill" | "killall" | "skill" => hard || (call.name == "killall" && (call.flag('r') || call.says("--regexp"))),
        "pkill" => hard || pattern(),
        "fuser" => call.flag('k') || call.says("--kill"),
        "xkill" => true,
        _ => false,
    };
    found.then_some((Kind::ForceKill, "Ends programs by force, or whatever matches a pattern"))
}

fn elevated(call: &Call<'_>) -> Option<Finding> {
    let found = ADMINISTRATORS.contains(&call.name) || call.is_behind(ADMINISTRATORS);
    let asks = call.rest.is_empty() && call.name != "su" || call.says_any(&["--version", "--help"]);
    (found && !(asks && call.simple.front.is_empty()))
        .then_some((Kind::Elevated, "Runs with the rights of the administrator or of somebody else"))
}

fn uninstalls(call: &Call<'_>) -> Option<Finding> {
    let verb = call.operands().next().unwrap_or_default();
    let removes = matches!(
        verb,
        "remove" | "purge" | "autoremove" | "uninstall" | "erase" | "autopurge" | "rm" | "unlink" | "del"
    );
    let found = match call.name {
        "apt" | "apt-get" | "aptitude" | "dnf" | "yum" | "zypper" | "apk" | "snap" | "flatpak" | "brew" | "port"
        | "npm" | "pnpm" | "yarn" | "pip" | "pip3" | "pipx" | "cargo" | "gem" | "go" | "conda" | "mamba" | "dotnet"
        | "opam" | "nix-env" => {
            removes && !(call.name == "npm" && verb == "rm" && call.rest.len() < 2)
                || (call.name == "nix-env" && call.says_any(&["-e", "--uninstall"]))
        }
        "uv" => {
            call.rest.windows(2).any(|two| two[0] == "pip" && two[1] == "uninstall")
                || call.rest.windows(2).any(|two| two == ["tool", "uninstall"])
        }
        "python" | "python3" => call.rest.windows(2).any(|two| two == ["pip", "uninstall"]),
        "pacman" | "yay" | "paru" => call.rest.iter().any(|word| word.starts_with("-R") || *word == "--remove"),
        "dpkg" => call.says_any(&["-r", "-P", "--remove", "--purge"]),
        "rpm" => call.says_any(&["-e", "--erase"]),
        "rustup" => call.says_any(&["uninstall", "remove"]),
        _ => false,
    };
    found.then_some((Kind::Packages, "Removes installed software"))
}

fn metadata(call: &Call<'_>) -> Option<Finding> {
    const ADDRESSES: &[&str] = &[
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "metadata.goog",
        "100.100.100.200",
        "fd00:ec2::254",
        "a9fe:a9fe",
        "::ffff:169.254.",
        "2852039166",
        "0xa9fea9fe",
        "0xa9.0xfe",
        "0251.0376.",
    ];
    let texts = call.places().into_iter().chain([call.simple.input.as_str()]);
    // A message may speak of an address.
    let speaks = |word: &str| call.name == "git" && word.contains(' ');
    let found = !matches!(call.name, "echo" | "printf")
        && texts.into_iter().filter(|word| !speaks(word)).any(|word| {
            let word = word.to_ascii_lowercase();
            ADDRESSES.iter().any(|address| word.contains(address))
        });
    found.then_some((Kind::CloudMetadata, "Asks the cloud for the keys of this machine"))
}

fn containers(call: &Call<'_>) -> Option<Finding> {
    let daemon =
        call.simple.front.iter().chain(&call.simple.words).any(|word| {
            ["DOCKER_HOST=", "DOCKER_CONTEXT=", "CONTAINER_HOST="].iter().any(|name| word.starts_with(name))
        });
    if daemon {
        return Some((Kind::Containers, "Sends container commands to another machine"));
    }
    if !matches!(call.name, "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose") {
        return None;
    }
    let remote = |word: &&str| {
        matches!(*word, "-H" | "--host" | "--context" | "-c" | "--url" | "--connection" | "--remote" | "-r")
            || word.starts_with("-H")
            || word.starts_with("--host=")
            || word.starts_with("--context=")
            || word.starts_with("--url=")
            || word.starts_with("--connection=")
    };
    let operands: Vec<&str> = call.operands().collect();
    let first = operands.first().copied().unwrap_or_default();
    // Options before the first verb are of the tool itself.
    if call.rest.iter().take_while(|word| word.starts_with('-')).any(remote)
        || operands.starts_with(&["context", "use"])
    {
        return Some((Kind::Containers, "Sends container commands to another machine"));
    }
    let wide = call.rest.iter().any(|word| {
        matches!(*word, "--privileged" | "--pid=host" | "--cap-add=ALL" | "--userns=host")
            || word.contains("docker.sock")
            || word.starts_with("/:")
            || word.contains("=/:")
            || word.starts_with("-v/:")
            || word.contains("source=/,")
    });
    if matches!(first, "run" | "create" | "exec") || (first == "container" && operands.get(1) == Some(&"run")) {
        return wide.then_some((Kind::Containers, "Gives a container rights over this machine"));
    }
    let verbs = ["stop", "kill", "rm", "rmi", "restart", "pause", "prune", "remove", "down", "leave", "reset"];
    let composes = first == "compose" || call.name.ends_with("-compose");
    let most = if composes { operands.len() } else { 2 };
    let found = operands.iter().take(most).any(|word| verbs.contains(word));
    found.then_some((Kind::Containers, "Stops or removes containers, or what they keep"))
}

fn infrastructure(call: &Call<'_>) -> Option<Finding> {
    let starts = |start: &str| call.operands().any(|word| word.starts_with(start));
    let found = match call.name {
        "kubectl" | "oc" => call.says_any(&["delete", "drain", "cordon"]),
        "helm" => call.says_any(&["uninstall", "delete", "rollback"]),
        "terraform" | "tofu" | "terragrunt" => {
            call.says("destroy") || call.rest.iter().any(|w| w.contains("-auto-approve") || *w == "-destroy")
        }
        "pulumi" | "cdk" | "serverless" => call.says_any(&["destroy", "remove"]),
        "aws" => starts("delete") || starts("terminate") || call.says_any(&["rb", "rm"]) || call.says("--delete"),
        "gcloud" | "az" | "doctl" | "hcloud" | "flyctl" | "fly" => call.says_any(&["delete", "destroy", "purge"]),
        "gsutil" => call.says_any(&["rm", "rb"]),
        "gh" => call.says("delete"),
        "heroku" => call.rest.iter().any(|word| word.ends_with(":destroy")),
        _ => false,
    };
    found.then_some((Kind::Infrastructure, "Takes down what runs or is kept elsewhere"))
}

/// A command for another machine is as dangerous there.
fn remote(call: &Call<'_>) -> Option<Finding> {
    if base(call.name) != "ssh" {
        return None;
    }
    let text = remote_text(&call.rest)?;
    let floor = super::super::hardline(&text).is_some();
    let found = floor || !nested(&text).is_empty();
    found.then_some((Kind::Infrastructure, "Does something dangerous on another computer"))
}

/// The dangers of a text that another machine runs; a chain of machines is not followed.
fn nested(text: &str) -> Vec<super::Danger> {
    let chained = text.split_whitespace().any(|word| base(word) == "ssh");
    if chained { super::unread() } else { super::dangers(text) }
}

fn remote_text(rest: &[&str]) -> Option<String> {
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        let valued = word.len() == 2 && "BbcDEeFIiJLlmOopQRSWw".contains(word.chars().nth(1).unwrap_or('-'));
        at += if valued { 2 } else { 1 };
    }
    let text = rest.get(at + 1..)?.join(" ");
    (!text.is_empty()).then_some(text)
}
