use gatehouse_domain::Exit;
use gatehouse_process::{Error, PtySize, RecoveredState, Refusal, StopMode, Then};

use crate::support::{House, eventually, fixture, lives, os};

#[tokio::test]
async fn a_job_has_its_terminal_as_its_own() {
    let mut house = House::new();
    let script = "test -t 0 && test -t 1 && test -t 2 && echo all; stty size; echo $TERM $PAGER $GIT_PAGER; \
                  echo told >/dev/tty; ps -o tpgid= -p $$ >/dev/null; ls /proc/self/fd | wc -w";
    let (id, _) = house.launch_on_terminal(script).await;
    let report = house.ended(id).await;
    assert_eq!((report.exit, report.descendants), (Exit::Code(0), 0));
    assert_eq!(house.output(id), "all\r\n30 120\r\nxterm-256color cat cat\r\ntold\r\n4\r\n");
    assert_eq!(house.emptied(id).await, report.output_total);
}

#[tokio::test]
async fn a_persons_own_pager_and_size_are_kept() {
    let mut house = House::new();
    let mut spec = house.with_terminal("stty size; echo $TERM $PAGER $GIT_PAGER");
    spec.pty = Some(PtySize { rows: 7, cols: 33 });
    spec.env.extend(os(&[("PAGER", "less"), ("TERM", "dumb")]));
    let id = spec.id;
    house.supervisor.launch(spec).await.unwrap();
    house.ended(id).await;
    assert_eq!(house.output(id), "7 33\r\nxterm-256color less cat\r\n");
}

#[tokio::test]
async fn a_new_size_is_seen_and_heard() {
    let mut house = House::new();
    let script = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done";
    let (id, _) = house.launch_on_terminal(script).await;
    house.printed(id, "ready").await;
    house.supervisor.resize(id, PtySize { rows: 50, cols: 200 }).await.unwrap();
    house.printed(id, "50 200").await;
    house.kill(id).await;
    let refused = house.supervisor.resize(id, PtySize::default()).await.unwrap_err();
    assert!(matches!(refused, Error::NotTyped { refusal: Refusal::Ended, .. }), "{refused}");
    let (id, _) = house.launch("sleep 60").await;
    let refused = house.supervisor.resize(id, PtySize::default()).await.unwrap_err();
    assert!(matches!(refused, Error::NotTyped { refusal: Refusal::NoTerminal, .. }), "{refused}");
    house.kill(id).await;
}

/// A program that asks where the cursor is, in two pieces, and reads the six bytes of the answer.
const ASKS: &str = r"stty raw -echo; printf 'before'; printf '%b' '@1'; sleep 0.03; printf '%b' '@2'; a=$(head -c 6 | od -An -c | tr -d ' '); stty sane; echo; echo got $a";

#[tokio::test]
async fn a_question_to_the_terminal_is_answered_wherever_it_is_cut() {
    let mut house = House::new();
    let question = [r"\033", "[", "6", "n"];
    for cut in 0..=question.len() {
        let script = ASKS.replace("@1", &question[..cut].concat()).replace("@2", &question[cut..].concat());
        let (id, _) = house.launch_on_terminal(&script).await;
        assert_eq!(house.ended(id).await.exit, Exit::Code(0), "cut at {cut}");
        assert_eq!(house.output(id), "before\r\ngot 033[1;1R\r\n", "cut at {cut}");
    }
}

#[tokio::test]
async fn the_beginning_of_a_question_is_output_at_the_end() {
    let mut house = House::new();
    let (id, _) = house.launch_on_terminal(r"printf 'x\033[?25'").await;
    let report = house.ended(id).await;
    assert_eq!((house.output(id).as_str(), report.output_total), ("x\x1b[?25", 6));
    assert_eq!(house.emptied(id).await, 6);
}

#[tokio::test]
async fn the_last_burst_on_a_terminal_is_complete() {
    let mut house = House::new();
    for _ in 0..20 {
        let line = "x".repeat(57);
        let (id, _) = house.launch_on_terminal(&format!("seq -f '%06g {line}' 0 3199; exit 7")).await;
        // A size that comes at the end is no trouble.
        let _ = house.supervisor.resize(id, PtySize { rows: 9, cols: 90 }).await;
        assert_eq!(house.ended(id).await.exit, Exit::Code(7));
        let output = house.output(id);
        let expected: String = (0..3200).map(|number| format!("{number:06} {line}\r\n")).collect();
        assert!(output == expected, "{} of {} bytes", output.len(), expected.len());
    }
}

#[tokio::test]
async fn long_lines_and_cut_characters_pass_through() {
    let mut house = House::new();
    let script = "head -c 65536 /dev/zero | tr '\\0' x; echo; \
                  printf '\\360\\237'; sleep 0.05; printf '\\214\\215\\n'; printf 'caf\\303'; sleep 0.05; printf '\\251\\n'";
    let (id, _) = house.launch_on_terminal(script).await;
    house.ended(id).await;
    assert_eq!(house.output(id), format!("{}\r\n🌍\r\ncafé\r\n", "x".repeat(65536)));
}

#[tokio::test]
async fn ctrl_c_ends_what_is_in_the_foreground() {
    let mut house = House::new();
    // It is up when its own foreground says so: between fork and exec a shell's child still has the shell's traps.
    let script = "trap 'echo caught; exit 5' INT; sh -c 'echo up; exec sleep 60'";
    let (id, _) = house.launch_on_terminal(script).await;
    house.printed(id, "up").await;
    house.supervisor.write_input(id, b"\x03".to_vec(), Then::Nothing).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(5));
    assert!(house.output(id).ends_with("caught\r\n"));
}

#[tokio::test]
async fn what_is_left_behind_on_a_terminal_lives_on() {
    let mut house = House::new();
    for variant in ["all", "stderr", "noisy"] {
        let (id, _) = house.launch_on_terminal(&format!("{} {variant}", fixture("holder.sh"))).await;
        let report = house.ended(id).await;
        assert_eq!(report.exit, Exit::Code(3), "{variant}");
        assert!(report.descendants >= 1 && report.survivors.iter().all(|pid| lives(*pid)), "{variant}: {report:?}");
        assert!(house.output(id).contains("shell is done"), "{variant}");
        house.supervisor.stop(id, StopMode::Graceful).await.unwrap();
        assert!(report.survivors.iter().all(|pid| !lives(*pid)), "{variant}");
        house.emptied(id).await;
    }
}

#[tokio::test]
async fn a_terminal_that_nobody_has_open_is_not_gone() {
    let mut house = House::new();
    let (id, _) = house.launch_on_terminal("exec <&- >&- 2>&-; sleep 0.3; echo again >/dev/tty; exit 4").await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(4));
    assert_eq!(house.output(id), "again\r\n");
}

#[tokio::test]
async fn a_terminal_is_typed_to_by_the_next_gateway() {
    let mut house = House::new();
    let (id, _) = house.launch_on_terminal("echo up; read a; echo first $a; read b; echo second $b; exit 6").await;
    house.printed(id, "up").await;
    house.submit(id, "one").await;
    house.printed(id, "first one").await;
    house.restart().await;
    let all = house.supervisor.recover(&[id]).await.unwrap();
    assert!(matches!(all[0].state, RecoveredState::Adopted { .. }), "{all:?}");
    house.attention(id, true).await;
    house.supervisor.resize(id, PtySize { rows: 10, cols: 20 }).await.unwrap();
    house.submit(id, "two").await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(6));
    assert!(house.output(id).ends_with("second two\r\n"));
}

#[tokio::test]
async fn a_login_that_wants_the_end_of_its_input_gets_a_pipe_and_says_so() {
    let mut house = House::new();
    let spec = house.with_terminal("gh() { test -t 0 || cat; }; gh auth login --with-token");
    let id = spec.id;
    let note = house.supervisor.launch(spec).await.unwrap().pty_note.unwrap();
    assert!(note.contains("pipe instead of a terminal"), "{note}");
    house.supervisor.write_input(id, b"token".to_vec(), Then::End).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(0));
    assert_eq!(house.output(id), "token");
}

#[tokio::test]
async fn a_terminal_costs_its_shim_little() {
    let mut house = House::new();
    let (id, launched) = house.launch_on_terminal("seq 1 200000; read x; exit 3").await;
    house.printed_at_the_end(id, "200000\r\n").await;
    let shim = house.shim_of(&launched);
    let status = std::fs::read_to_string(format!("/proc/{}/status", shim.pid)).unwrap();
    let rss: u64 = status.split("VmRSS:").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    println!("a shim with a terminal takes {rss} KiB");
    assert!(rss <= 4096, "{rss} KiB");
    house.submit(id, "").await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(3));
    eventually("the shim ends", || !lives(shim.pid)).await;
}
