use gatehouse_domain::Exit;
use gatehouse_process::output::{HEAD, SEGMENT};
use gatehouse_process::tree;
use rustix::process::Pid;

use crate::support::{House, eventually, fixture};

/// Bounded on disk: ten mebibytes of segments, the head, and small records.
const DISK: u64 = 5 * SEGMENT + HEAD + 64 * 1024;

#[tokio::test]
async fn much_output_keeps_its_beginning_and_its_end_on_a_small_disk() {
    let mut house = House::new();
    let (id, launched) = house.launch("seq 1 13000000; read -t 0.5 x < <(sleep 1); exit 2").await;
    let shim = house.shim_of(&launched);
    let last = b"12999999\n13000000\n";
    let total: u64 = (1..=8_u64)
        .map(|digits| (digits + 1) * (10_u64.pow(digits as u32).min(13_000_001) - 10_u64.pow(digits as u32 - 1)))
        .sum();
    while house.supervisor.read_output(id, None, 1).unwrap().total < total {
        house.event().await;
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", shim.pid)).unwrap();
    let rss: u64 = status.split("VmRSS:").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    assert!(rss <= 4096, "the shim takes {rss} KiB");

    let report = house.ended(id).await;
    assert_eq!((report.exit, report.output_total), (Exit::Code(2), total));
    let tail = house.supervisor.read_output(id, None, 8 << 20).unwrap();
    assert_eq!((tail.next, tail.dropped_before, tail.bytes.len()), (total, 0, 8 << 20));
    assert!(tail.bytes.ends_with(last));
    let head = house.supervisor.read_output(id, Some(0), 1 << 20).unwrap();
    assert_eq!(head.bytes.len() as u64, HEAD);
    assert!(head.bytes.starts_with(b"1\n2\n3\n"));
    let numbers: Vec<u64> =
        String::from_utf8(tail.bytes).unwrap().lines().skip(1).map(|l| l.parse().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "no byte is missing or doubled");
    let disk: u64 = std::fs::read_dir(house.run_dir(id)).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    assert!(disk <= DISK, "{disk} bytes");
}

#[tokio::test]
async fn a_shim_gives_way_and_its_job_runs_as_any_other_program() {
    let mut house = House::new();
    let (id, launched) = house.launch("echo ran as $(nice); exec sleep 300").await;
    house.printed(id, "ran as").await;
    let own = rustix::process::getpriority_process(None).unwrap();
    assert_eq!(house.output(id), format!("ran as {own}\n"));
    let shim = Pid::from_raw(house.shim_of(&launched).pid.cast_signed());
    assert!(rustix::process::getpriority_process(shim).unwrap() > own);
    house.kill(id).await;
}

#[tokio::test]
async fn a_torrent_is_told_less_often_and_its_end_is_told_whole() {
    let mut house = House::new();
    let (id, _) = house.launch("timeout 2 yes").await;
    let mut told = Vec::new();
    let total = loop {
        match house.event().await {
            gatehouse_process::ProcessEvent::Output { total, at, .. } => told.push((total, at.0)),
            gatehouse_process::ProcessEvent::Ended { report, .. } => break report.output_total,
            _ => {}
        }
    };
    // More than this is told of ten times in a second; a machine that lets little through makes no torrent.
    let is_hasty = |pair: &&[(u64, i64)]| pair[1].0 - pair[0].0 > 64 * 1024 && pair[1].1 - pair[0].1 < 95;
    let hasty = told.windows(2).filter(is_hasty).count();
    // A newcomer is told at once, and the wall clock is looked at a little after it was decided to tell.
    assert!(total > 1 << 20 && hasty <= 2, "{hasty} hasty ones among {told:?}, {total} bytes");
    assert_eq!(house.supervisor.read_output(id, None, 1).unwrap().total, total);
}

#[tokio::test]
async fn reading_while_it_is_written_gives_only_true_bytes() {
    let mut house = House::new();
    let (id, _) = house.launch("seq 10000000 13000000").await;
    let mut at = 0;
    let mut ended = false;
    loop {
        let slice = house.supervisor.read_output(id, Some(at), 100_000).unwrap();
        for (index, byte) in slice.bytes.iter().enumerate() {
            let offset = slice.from + index as u64;
            let line = format!("{}\n", 10_000_000 + offset / 9);
            assert_eq!(*byte, line.as_bytes()[(offset % 9) as usize], "at {offset}");
        }
        at = slice.next;
        if at == slice.total && ended {
            break;
        }
        if at == slice.total {
            ended = matches!(house.event().await, gatehouse_process::ProcessEvent::TreeEmpty { .. });
        }
    }
    assert_eq!(at, 3_000_001 * 9);
}

#[tokio::test]
async fn orphans_are_collected_without_stealing_a_code() {
    let mut house = House::new();
    let (id, launched) = house.launch(&format!("{} 40", fixture("many.sh"))).await;
    let shim = house.shim_of(&launched).pid;
    let report = house.ended(id).await;
    assert_eq!(report.exit, Exit::Code(6));
    assert!(report.descendants > 0);
    house.emptied(id).await;
    let zombies = tree::table().unwrap().into_iter().filter(|member| member.parent == shim && member.is_zombie).count();
    assert_eq!(zombies, 0);
}

#[tokio::test]
async fn two_hundred_jobs_leave_no_zombie() {
    let mut house = House::new();
    for _ in 0..200 {
        let (id, _) = house.launch("exit 3").await;
        let report = house.ended(id).await;
        assert_eq!(report.exit, Exit::Code(3));
        house.supervisor.acknowledge_end(id);
    }
    let own = std::process::id();
    eventually("every shim is collected", || {
        !tree::table().unwrap().iter().any(|member| member.parent == own && member.is_zombie)
    })
    .await;
}

#[tokio::test]
async fn the_first_process_of_a_container_collects_no_less() {
    // Orphans fall to the first process where nobody nearer takes them.
    #[expect(clippy::disallowed_methods, reason = "a container in which this program comes first")]
    let mut container = tokio::process::Command::new("unshare");
    container.args(["-r", "-p", "-f", "--mount-proc"]).kill_on_drop(true);
    let tests = ["volumes::orphans_are_collected_without_stealing_a_code", "volumes::two_hundred_jobs_leave_no_zombie"];
    container.arg(std::env::current_exe().unwrap()).arg("--exact").args(tests);
    let output = container.output().await.unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    if !words.contains("running 2 tests") {
        eprintln!("skipped: no container of one's own: {}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    assert!(output.status.success(), "{words}");
}
