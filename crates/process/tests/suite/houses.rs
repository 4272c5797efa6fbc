use std::os::unix::fs::PermissionsExt;

use gatehouse_domain::Exit;
use gatehouse_process::rundir::MARK;
use gatehouse_process::{Error, LaunchError, RecoveredState, StopMode, Supervisor};
use tokio::sync::mpsc;

use crate::support::{House, config, os};

#[tokio::test]
async fn a_deep_home_is_no_obstacle() {
    let name = "a long directory name ".repeat(6);
    let home = tempfile::Builder::new().prefix(&name).tempdir().unwrap();
    assert!(home.path().as_os_str().len() > 120);
    let mut house = House::below(home);
    let (id, _) = house.launch("echo deep; sleep 60").await;
    house.printed(id, "deep").await;
    house.restart().await;
    let all = house.supervisor.recover(&[id]).await.unwrap();
    assert!(matches!(all[0].state, RecoveredState::Adopted { .. }), "{all:?}");
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
    house.emptied(id).await;
}

#[tokio::test]
async fn a_run_is_for_its_owners_eyes_only() {
    let mut house = House::new();
    let (id, _) = house.launch("echo x; sleep 60").await;
    house.printed(id, "x").await;
    let mode = |path: &std::path::Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&house.run_dir(id)), 0o700);
    for entry in std::fs::read_dir(house.run_dir(id)).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    assert!(matches!(house.supervisor.remove_run(id), Err(Error::StillAlive(_))));
    house.kill(id).await;
}

#[tokio::test]
async fn a_missing_shim_has_a_name() {
    let house = House::new();
    let mut config = config(house.home.path());
    config.shim_source = "/no/such/gatehouse-shim".into();
    let (sender, _events) = mpsc::channel(8);
    let supervisor = Supervisor::new(config, sender).unwrap();
    let spec = house.spec("true");
    let id = spec.id;
    let error = supervisor.launch(spec).await.unwrap_err();
    assert!(error.to_string().starts_with("missing shim: /no/such"), "{error}");
    assert!(!house.run_dir(id).exists());
}

#[tokio::test]
async fn a_replaced_installation_does_not_matter_to_a_running_gateway() {
    let mut house = House::new();
    let source = house.home.path().join("installed-shim");
    std::fs::copy(env!("CARGO_BIN_EXE_gatehouse-shim"), &source).unwrap();
    let mut config = config(house.home.path());
    config.shim_source.clone_from(&source);
    let (sender, events) = mpsc::channel(64);
    house.supervisor = Supervisor::new(config, sender).unwrap();
    house.events = events;
    let (first, _) = house.launch("sleep 60").await;
    std::fs::remove_file(&source).unwrap();
    let (second, _) = house.launch("exit 5").await;
    assert_eq!(house.ended(second).await.exit, Exit::Code(5));
    house.kill(first).await;
}

#[tokio::test]
async fn what_cannot_start_says_why_and_leaves_nothing() {
    let house = House::new();
    let mut spec = house.spec("true");
    spec.shell = "/no/such/shell".into();
    let id = spec.id;
    let error = house.fail(spec.clone()).await;
    assert!(matches!(error, LaunchError::NotStarted { .. }), "{error:?}");
    assert!(error.to_string().contains("/no/such/shell"), "{error}");
    assert!(matches!(house.fail(spec).await, LaunchError::AlreadyUsed(_)));
    let all = house.supervisor.recover(&[id]).await.unwrap();
    assert!(matches!(&all[0].state, RecoveredState::NeverRan { reason: Some(_) } if all[0].id == id), "{all:?}");
}

#[tokio::test]
async fn a_directory_that_is_gone_is_replaced_by_the_nearest_one() {
    let mut house = House::new();
    let mut spec = house.spec("pwd");
    let home = spec.cwd.clone();
    spec.cwd = home.join("gone/deeper");
    let id = spec.id;
    let launched = house.supervisor.launch(spec).await.unwrap();
    assert_eq!(launched.cwd, home);
    assert!(launched.cwd_note.unwrap().contains("gone/deeper"));
    house.ended(id).await;
    assert_eq!(house.output(id).trim_end(), home.to_str().unwrap());
    let (_, launched) = house.launch("true").await;
    assert_eq!(launched.cwd_note, None);
}

#[tokio::test]
async fn a_job_sees_its_environment_and_nothing_else() {
    let mut house = House::new();
    let mut spec = house.spec("env -0 | sort -z | tr '\\0' '\\n'");
    spec.env.extend(os(&[("GREETING", "hello\tworld"), ("EMPTY", "")]));
    let id = spec.id;
    house.supervisor.launch(spec).await.unwrap();
    house.ended(id).await;
    let output = house.output(id);
    let names: Vec<_> = output.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert!(output.contains(&format!("{MARK}={id}\n")), "{output}");
    assert!(output.contains("GREETING=hello\tworld\n") && output.contains("EMPTY=\n"), "{output}");
    // The shell's own are PWD, SHLVL, _ and OLDPWD.
    let foreign: Vec<_> = names
        .iter()
        .filter(|n| !["GREETING", "EMPTY", MARK, "PATH", "PWD", "SHLVL", "_", "OLDPWD"].contains(n))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}
