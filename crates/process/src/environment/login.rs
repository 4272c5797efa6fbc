//! A desktop program starts without the variables of the person's profile, so their shell is asked once.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::process::Child;

use super::Env;
use crate::spawn;

/// A profile that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Stands between what the profile prints and what we asked for.
const MARK: &[u8] = b"--environment--";
const END: &[u8] = b"\0--end--\0";
const SCRIPT: &str = "printf '%s\\0' --environment--; env -0; printf '%s\\0' --end--";
/// Interactive first: many people set their PATH in the interactive part.
const FLAGS: [&str; 2] = ["-lic", "-lc"];

/// The variables that `shell` has after reading its profile; `own` if it does not tell in time.
pub async fn login_env(shell: &Path, own: &Env) -> Env {
    told_within(PATIENCE, shell, own).await
}

async fn told_within(patience: Duration, shell: &Path, own: &Env) -> Env {
    for flags in FLAGS {
        match ask(patience, shell, flags, own).await {
            Ok(Some(env)) => return env,
            Ok(None) => tracing::info!(flags, "The login shell told no variables"),
            Err(error) => tracing::info!(flags, %error, "The login shell could not be asked"),
        }
    }
    own.clone()
}

async fn ask(patience: Duration, shell: &Path, flags: &str, own: &Env) -> io::Result<Option<Env>> {
    let mut child = spawn::login_shell(shell, flags, SCRIPT, own)?;
    let mut told = Vec::new();
    let heard = match child.stdout.take() {
        Some(mut stdout) => tokio::time::timeout(patience, hear(&mut stdout, &mut told)).await,
        None => return Ok(None),
    };
    end(&mut child).await?;
    heard.map_err(io::Error::from)??;
    Ok(parse(&told))
}

/// Until the last variable is there: something in the profile may hold the pipe open for ever.
async fn hear(stdout: &mut (impl AsyncReadExt + Unpin), told: &mut Vec<u8>) -> io::Result<()> {
    while !told.ends_with(END) && stdout.read_buf(told).await? > 0 {}
    Ok(())
}

/// The shell leads a group of its own and is not collected yet, so its number still means that group.
async fn end(child: &mut Child) -> io::Result<()> {
    if let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 1).and_then(Pid::from_raw)
    {
        match kill_process_group(pid, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    child.wait().await.map(drop)
}

fn parse(told: &[u8]) -> Option<Env> {
    let mut fields = told.strip_suffix(END)?.split(|byte| *byte == 0);
    // What the profile printed has no end of its own: the mark is the end of its last line.
    fields.find(|field| field.ends_with(MARK))?;
    let env: Env = fields.filter_map(pair).filter(|(name, _)| name != OsStr::new("_") && name != "SHLVL").collect();
    (!env.is_empty()).then_some(env)
}

fn pair(field: &[u8]) -> Option<(OsString, OsString)> {
    let at = field.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
    Some((OsString::from_vec(field[..at].to_vec()), OsString::from_vec(field[at + 1..].to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_before_the_mark_is_no_variable() {
        let told = b"Welcome!\nFAKE=1\0more--environment--\0A=1\0B=two\nlines=x\0_=/usr/bin/env\0SHLVL=2\0--end--\0";
        let expected: Env = vec![("A".into(), "1".into()), ("B".into(), "two\nlines=x".into())];
        assert_eq!(parse(told), Some(expected));
        for cut in [&b"A=1\0--end--\0"[..], b"--environment--\0--end--\0", b"--environment--\0A=1\0B="] {
            assert_eq!(parse(cut), None);
        }
    }

    async fn told_by(profile: &str, patience: Duration) -> Env {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".bash_profile"), profile).unwrap();
        let own = vec![("HOME".into(), home.path().into()), ("PATH".into(), "/usr/bin:/bin".into())];
        told_within(patience, Path::new("/bin/bash"), &own).await
    }

    #[tokio::test]
    async fn a_profile_may_print_and_leave_something_behind() {
        let env = told_by("echo hello; sleep 60 & export FROM_PROFILE='a b'", Duration::from_secs(30)).await;
        assert!(env.contains(&("FROM_PROFILE".into(), "a b".into())), "{env:?}");
    }

    #[tokio::test]
    async fn a_profile_that_hangs_leaves_us_our_own() {
        let env = told_by("sleep 60", PATIENCE).await;
        assert!(env.iter().all(|(name, _)| name == "HOME" || name == "PATH"), "{env:?}");
    }
}
