use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::rundir::{ChildRecord, ExitRecord, Raw, RunDir, SPEC, Spec};
use gatehouse_process::wire::{self, FromShim, Hello, ToShim};
use gatehouse_process::{LaunchSpec, PtySize, Stdin, output, tree};
use tokio::time::Instant;

use crate::support::{House, eventually, lives, number_after};

/// The most that a job may take here. The time runs from its start, and a busy machine has to have begun it within that.
const MOST: Duration = Duration::from_secs(5);

async fn limited(house: &House, command: &str) -> ProcessId {
    let spec = LaunchSpec { max_runtime: Some(MOST), ..house.spec(command) };
    let id = spec.id;
    house.supervisor.launch(spec).await.unwrap();
    id
}

#[tokio::test]
async fn a_job_ends_with_its_time() {
    let mut house = House::new();
    let began = Instant::now();
    let id = limited(&house, "trap 'echo asked; exit 9' TERM; echo up; while :; do sleep 0.05; done").await;
    let report = house.ended(id).await;
    assert!(began.elapsed() >= MOST);
    assert_eq!((report.exit, report.stop_requested, report.limit_reached), (Exit::Code(9), true, true));
    assert!(house.output(id).ends_with("asked\n"));
}

#[tokio::test]
async fn a_job_that_does_not_hear_that_its_time_is_over_is_killed() {
    let mut house = House::new();
    let id = limited(&house, "trap '' TERM; while :; do sleep 0.05; done").await;
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.limit_reached), (Exit::Signal(9), true));
}

#[tokio::test]
async fn whoever_is_left_behind_by_one_who_ended_in_time_is_no_matter_of_its_limit() {
    let mut house = House::new();
    let id = limited(&house, "sleep 60 & exit 1").await;
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.stop_requested, report.limit_reached), (Exit::Code(1), false, false));
    tokio::time::sleep(MOST + Duration::from_millis(500)).await;
    assert!(report.survivors.iter().all(|pid| lives(*pid)));
    house.kill(id).await;
}

#[tokio::test]
async fn a_stop_that_came_first_is_not_laid_to_the_limit() {
    let mut house = House::new();
    let id = limited(&house, "trap '' TERM; echo up; while :; do sleep 0.05; done").await;
    house.printed(id, "up").await;
    let _asked = house.ask_without_end(id).await;
    tokio::time::sleep(MOST + Duration::from_millis(500)).await;
    house.kill(id).await;
    let report = house.ended(id).await;
    assert!(report.stop_requested && !report.limit_reached, "a person's stop came first: {report:?}");
}

#[tokio::test]
async fn the_time_goes_on_without_a_gateway() {
    let mut house = House::new();
    let id = limited(&house, "echo up; sleep 60").await;
    house.printed(id, "up").await;
    house.supervisor.shutdown().await;
    let exit_file = house.run_dir(id).join("exit.json");
    eventually("its end is on disk", || exit_file.exists()).await;
    let exit: ExitRecord = serde_json::from_slice(&std::fs::read(exit_file).unwrap()).unwrap();
    assert!(exit.limit_reached && exit.stop_requested, "{exit:?}");
}

#[tokio::test]
async fn a_job_dies_before_its_shim_and_has_the_usual_files() {
    let mut house = House::new();
    let (id, launched) = house.launch("cat /proc/self/oom_score_adj; sleep 60").await;
    house.printed(id, "\n").await;
    let of = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap();
    let (job, shim) = (of(launched.pid), of(house.shim_of(&launched).pid));
    assert_eq!(job.trim().parse::<i32>().unwrap(), (shim.trim().parse::<i32>().unwrap() + 100).min(1000));
    house.kill(id).await;

    let (shim, _, run) = by_hand(&house, |spec| spec.open_files = Some(512), "ulimit -Sn; ulimit -Hn", "exec \"$0\" x");
    finished(shim).await;
    let text = text_of(&run);
    assert_eq!(number_after(&text, ""), 512);
    assert!(!text.ends_with("\n512\n"), "the hard limit stays: {text}");
}

#[tokio::test]
async fn where_no_terminal_can_be_had_a_pipe_is_given_and_said() {
    let house = House::new();
    let prepare = "mount --bind /dev/null /dev/ptmx && exec \"$0\" x";
    let (shim, _, run) = by_hand(&house, |spec| spec.pty = Some(PtySize::default()), "test -t 1 || echo pipe", prepare);
    finished(shim).await;
    let child: ChildRecord = run.record("child.json").unwrap().unwrap();
    assert!(child.pty_note.as_ref().is_some_and(|note| note.contains("no terminal could be had")), "{child:?}");
    assert_eq!(text_of(&run), "pipe\n");
}

#[tokio::test]
async fn a_full_disk_costs_output_and_nothing_else() {
    let house = House::new();
    let go = house.home.path().join("go");
    let command = format!(
        "head -c 4000000 /dev/zero | tr '\\0' x; echo END; while [ ! -e '{}' ]; do sleep 0.02; done; exit 3",
        go.display()
    );
    let prepare = "d=$PWD; cp spec.json /dev/shm/$$.spec && mount -t tmpfs -o size=1m tmpfs . && cd \"$d\" && \
                   mv /dev/shm/$$.spec spec.json && exec \"$0\" x";
    let (mut shim, pid, _) = by_hand(&house, |_| {}, &command, prepare);
    // Only seen from inside the shim's own mounts.
    let inside = Path::new("/proc").join(pid.to_string()).join("cwd");
    let total = || RunDir::open(&inside).ok().and_then(|run| output::Progress::read(&run).ok()).map(|p| p.total);
    eventually("all of it was read", || total() == Some(4_000_004)).await;
    let run = RunDir::open(&inside).unwrap();
    let head = output::read(&run, Some(0), 1000).unwrap();
    assert_eq!((head.from, head.bytes), (0, vec![b'x'; 1000]));
    let progress = output::Progress::read(&run).unwrap();
    assert!(progress.gap_from > 100_000 && progress.gap_from < 1_048_576, "{progress:?}");
    assert_eq!(progress.gap_to, 4_000_004);
    assert_eq!(output::read(&run, Some(progress.gap_from), 10).unwrap().dropped_before, 4_000_004 - progress.gap_from);
    std::fs::write(go, "").unwrap();
    assert!(shim.wait().await.unwrap().success());
    let exit: ExitRecord = run.record("exit.json").unwrap().unwrap();
    assert_eq!((exit.code, exit.output_total), (Some(3), 4_000_004));
}

/// A gateway that knows nothing of input understands all it is told.
#[tokio::test]
async fn an_older_gateway_is_told_no_new_words() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let house = House::new();
    let (id, launched) = house.launch_on_terminal("printf 'Name: '; read x").await;
    let run = RunDir::open(&house.run_dir(id)).unwrap();
    let mut lines = Vec::new();
    for knows_input in [false, true] {
        let (reader, mut writer) = tokio::net::UnixStream::connect(run.short_path("s")).await.unwrap().into_split();
        let hello = ToShim::Hello(Hello { knows_input, ..Hello::ours() });
        writer.write_all(&wire::line(&hello).unwrap()).await.unwrap();
        lines.push((BufReader::new(reader).lines(), writer));
    }
    let (mut newer, _keep) = lines.pop().unwrap();
    loop {
        let line = newer.next_line().await.unwrap().unwrap();
        if matches!(serde_json::from_str(&line).unwrap(), FromShim::Attention { needs_input: true, .. }) {
            break;
        }
    }
    house.kill(id).await;
    assert!(!lives(launched.pid));
    let (mut older, _keep) = lines.pop().unwrap();
    while let Some(line) = older.next_line().await.unwrap() {
        assert!(!serde_json::from_str::<FromShim>(&line).unwrap().is_about_input(), "{line}");
    }
}

/// A shim in mounts of its own, started by a script that gets the shim's path as `$0`.
fn by_hand(
    house: &House,
    change: impl FnOnce(&mut Spec),
    command: &str,
    script: &str,
) -> (tokio::process::Child, u32, RunDir) {
    let id = crate::support::fresh_id();
    std::fs::create_dir_all(house.home.path().join("runs")).unwrap();
    let run = RunDir::create(&house.run_dir(id)).unwrap();
    let mut spec = Spec {
        command: Raw::Text(command.to_owned()),
        cwd: house.home.path().into(),
        shell: Path::new("/bin/bash").into(),
        env: vec![(Raw::Text("PATH".into()), std::env::var_os("PATH").unwrap().into())],
        pty: None,
        stdin: Stdin::Null,
        max_runtime_ms: None,
        open_files: None,
        owner: String::new(),
        group: None,
    };
    change(&mut spec);
    run.put(SPEC, &serde_json::to_vec(&spec).unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "plays a gateway whose system is short of something")]
    let mut unshare = tokio::process::Command::new("unshare");
    let unshare =
        unshare.args(["--map-root-user", "--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_gatehouse-shim")]);
    let shim = unshare.current_dir(house.run_dir(id)).stdin(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    let pid = shim.id().unwrap();
    assert!(tree::member(pid).unwrap().is_some());
    (shim, pid, run)
}

async fn finished(mut shim: tokio::process::Child) {
    assert!(shim.wait().await.unwrap().success());
}

fn text_of(run: &RunDir) -> String {
    String::from_utf8(output::read(run, Some(0), 1 << 16).unwrap().bytes).unwrap()
}
