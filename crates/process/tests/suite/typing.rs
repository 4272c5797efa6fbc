use std::cell::Cell;

use gatehouse_domain::{Exit, ProcessId};
use gatehouse_process::{Error, LaunchSpec, MAX_INPUT, Refusal, StopMode, Then, WriteOutcome};
use tokio::time::Instant;

use crate::support::House;

async fn refusal(house: &House, id: ProcessId, bytes: &[u8]) -> Refusal {
    match house.supervisor.write_input(id, bytes.to_vec(), Then::Nothing).await {
        Err(Error::NotTyped { refusal, .. }) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn programs_of_all_sorts_can_be_typed_to() {
    let mut house = House::new();
    for (script, typed, shown) in [
        ("read a; echo \"<$a>\"", "hello world", "<hello world>"),
        ("python3 -c 'print(\"<\" + input(\"Name? \") + \">\")'", "Ada", "<Ada>"),
        ("bash --norc -i", "echo $((6 * 7)); exit 0", "42\r\n"),
        ("stty -icanon -echo; a=$(head -c 5); echo \"<$a>\"", "keys", "<keys"),
    ] {
        let (id, _) = house.launch_on_terminal(script).await;
        house.attention(id, true).await;
        let outcome = house.submit(id, typed).await;
        assert_eq!(outcome, WriteOutcome { bytes: typed.len() as u64 + 1, waiting: 0 }, "{script}");
        assert_eq!(house.ended(id).await.exit, Exit::Code(0), "{script}");
        let output = house.output(id);
        assert!(output.contains(shown), "{output:?}");
    }
}

#[tokio::test]
async fn an_editor_and_a_pager_work() {
    let mut house = House::new();
    let file = house.home.path().join("text");
    std::fs::write(&file, "one\n").unwrap();
    let (id, _) = house.launch_on_terminal("vim -u NONE -i NONE -n text").await;
    house.attention(id, true).await;
    house.supervisor.write_input(id, b"otwo\x1b:wq".to_vec(), Then::Enter).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");

    let (id, _) = house.launch_on_terminal("seq 1 500 | less").await;
    house.attention(id, true).await;
    house.supervisor.write_input(id, b"G".to_vec(), Then::Nothing).await.unwrap();
    house.printed(id, "500").await;
    house.supervisor.write_input(id, b"q".to_vec(), Then::Nothing).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(0));
}

#[tokio::test]
async fn the_end_is_seen_also_in_the_middle_of_a_line() {
    let mut house = House::new();
    for (typed, output) in [("", ""), ("whole\n", "whole\r\nwhole\r\n"), ("half", "halfhalf")] {
        let (id, _) = house.launch_on_terminal("cat").await;
        house.attention(id, true).await;
        house.supervisor.write_input(id, typed.into(), Then::End).await.unwrap();
        assert_eq!(house.ended(id).await.exit, Exit::Code(0), "{typed:?}");
        assert_eq!(house.output(id), output);
    }
    let (id, _) = house.launch_on_pipe("cat; echo end").await;
    house.supervisor.write_input(id, b"one ".to_vec(), Then::Nothing).await.unwrap();
    house.supervisor.write_input(id, b"two".to_vec(), Then::Enter).await.unwrap();
    house.supervisor.write_input(id, Vec::new(), Then::End).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(0));
    assert_eq!(house.output(id), "one two\nend\n");
}

#[tokio::test]
async fn a_mebibyte_arrives_whole_and_in_order() {
    let mut house = House::new();
    let text: String = (0..).map(|number| format!("{number:07}\n")).take(1 << 17).collect();
    assert_eq!(text.len(), 1 << 20);
    let on_pipe = house.launch_on_pipe("sha256sum").await.0;
    let on_terminal = house.launch_on_terminal("stty -echo; echo ready; sha256sum").await.0;
    house.printed(on_terminal, "ready").await;
    for id in [on_pipe, on_terminal] {
        for piece in text.as_bytes().chunks(MAX_INPUT) {
            let outcome = house.supervisor.write_input(id, piece.to_vec(), Then::Nothing).await.unwrap();
            assert_eq!(outcome, WriteOutcome { bytes: piece.len() as u64, waiting: 0 });
        }
        house.supervisor.write_input(id, Vec::new(), Then::End).await.unwrap();
        house.ended(id).await;
        let sum = house.output(id).split_whitespace().rev().nth(1).unwrap().to_owned();
        assert_eq!(sum, sha256(text.as_bytes()));
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn all_who_type_keep_their_order_and_nobody_is_mixed_up() {
    let mut house = House::new();
    let (id, _) = house.launch_on_pipe("cat").await;
    let writers = (0..8).map(|writer| {
        let supervisor = house.supervisor.clone();
        tokio::spawn(async move {
            for number in 0..20 {
                let line = format!("{writer} {number:02} {}\n", "x".repeat(3000));
                supervisor.write_input(id, line.into_bytes(), Then::Nothing).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    house.supervisor.write_input(id, Vec::new(), Then::End).await.unwrap();
    house.ended(id).await;
    let output = house.output(id);
    assert!(output.lines().count() == 160 && output.lines().all(|line| line.len() == 3005));
    for writer in 0..8 {
        let own = output.lines().filter(|line| line.starts_with(&format!("{writer} ")));
        let numbers: Vec<&str> = own.map(|line| &line[2..4]).collect();
        assert!(numbers.is_sorted() && numbers.len() == 20, "{numbers:?}");
    }
}

#[tokio::test]
async fn whoever_does_not_read_is_told_of_and_holds_nothing_up() {
    let mut house = House::new();
    let script = "stty -icanon; i=0; while :; do echo tick $((i += 1)); sleep 0.02; done";
    let (id, _) = house.launch_on_terminal(script).await;
    house.printed(id, "tick 1\r\n").await;
    let is_first_answered = Cell::new(false);
    let first = async {
        let outcome = house.supervisor.write_input(id, vec![b'x'; MAX_INPUT], Then::Nothing).await;
        is_first_answered.set(true);
        outcome
    };
    // The terminal itself takes some of it, but not all.
    let second = async {
        let refused = refusal(&house, id, &[b'y'; MAX_INPUT]).await;
        assert!(!is_first_answered.get(), "a refusal is told at once");
        refused
    };
    let (first, refused) = tokio::join!(first, second);
    assert_eq!(refused, Refusal::Full);
    assert_eq!(refused.to_string(), "the program does not read its input");
    let outcome = first.unwrap();
    assert!(outcome.waiting > 0 && outcome.bytes + outcome.waiting == MAX_INPUT as u64, "{outcome:?}");
    let before = house.supervisor.read_output(id, None, 1).unwrap().total;
    // Its output goes on.
    while house.supervisor.read_output(id, None, 1).unwrap().total < before + 200 {
        house.event().await;
    }
    house.supervisor.stop(id, StopMode::Force).await.unwrap();
}

#[tokio::test]
async fn what_waits_to_be_read_costs_its_shim_nothing() {
    let mut house = House::new();
    let on_terminal = house.launch_on_terminal("stty -icanon -echo; echo up; sleep 60").await;
    let on_pipe = house.launch_on_pipe("echo up; sleep 60").await;
    for (id, launched) in [on_terminal, on_pipe] {
        house.printed(id, "up").await;
        let shim = house.shim_of(&launched);
        for _ in 0..2 {
            // The first fills the kernel's own room, so the second waits here.
            let _ = house.supervisor.write_input(id, vec![b'x'; MAX_INPUT], Then::Nothing).await;
        }
        let ticks = || gatehouse_process::usage::of(&shim).unwrap().unwrap().ticks;
        let before = ticks();
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        assert!(ticks() - before <= 2, "{} ticks", ticks() - before);
        house.kill(id).await;
    }
}

#[tokio::test]
async fn a_job_that_takes_no_input_says_why() {
    let mut house = House::new();
    let (id, _) = house.launch("sleep 60").await;
    let refused = refusal(&house, id, b"x").await;
    assert_eq!(refused, Refusal::NoInput);
    assert!(refused.to_string().contains("start it with pty"), "{refused}");
    assert_eq!(refusal(&house, id, &vec![0; MAX_INPUT + 1]).await, Refusal::TooLong);
    house.kill(id).await;
    house.ended(id).await;
    assert_eq!(refusal(&house, id, b"x").await, Refusal::Ended);

    let (id, _) = house.launch_on_pipe("exec <&-; echo closed; sleep 60").await;
    house.printed(id, "closed").await;
    assert_eq!(refusal(&house, id, b"x").await, Refusal::Closed);
    house.kill(id).await;
    let (id, _) = house.launch_on_pipe("sleep 60").await;
    house.supervisor.write_input(id, Vec::new(), Then::End).await.unwrap();
    assert_eq!(refusal(&house, id, b"x").await, Refusal::Closed);
    house.kill(id).await;

    let unknown = house.supervisor.write_input(crate::support::fresh_id(), Vec::new(), Then::End).await;
    assert!(matches!(unknown, Err(Error::UnknownProcess(_))), "{unknown:?}");
}

#[tokio::test]
async fn whoever_waits_to_type_is_told_of_the_end() {
    let mut house = House::new();
    let (id, _) = house.launch_on_terminal("stty -icanon; echo up; sleep 0.3; exit 2").await;
    house.printed(id, "up").await;
    let began = Instant::now();
    let outcome = house.supervisor.write_input(id, vec![b'x'; 40_000], Then::Nothing).await;
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    match outcome {
        Ok(WriteOutcome { bytes, .. }) => assert!(bytes < 40_000),
        Err(error) => assert!(matches!(error, Error::NotTyped { .. }), "{error}"),
    }
    assert_eq!(house.ended(id).await.exit, Exit::Code(2));
}

#[tokio::test]
async fn without_input_a_reader_sees_the_end_at_once() {
    let mut house = House::new();
    let LaunchSpec { stdin, pty, .. } = house.spec("cat");
    assert_eq!((stdin, pty), (gatehouse_process::Stdin::Null, None));
    let (id, _) = house.launch("cat; exit 8").await;
    assert_eq!(house.ended(id).await.exit, Exit::Code(8));
}
