use std::time::Duration;

use gatehouse_domain::Exit;
use gatehouse_process::{ProcessEvent, Then};
use tokio::time::Instant;

use crate::support::{House, LIMIT};

#[tokio::test]
async fn questions_are_noticed_and_passwords_are_told_apart() {
    let mut house = House::new();
    for (script, typed, hidden) in [
        ("printf 'Password: '; read -rs x; echo got ${#x}", "secret", true),
        ("python3 -c 'import getpass; print(\"got\", len(getpass.getpass()))'", "secret", true),
        ("exec 3</dev/tty; printf 'Password: ' >/dev/tty; read -ru 3 x; echo got ${#x}", "secret", false),
        // Nobody but root can look into this one, so its prompt has to do.
        (
            "python3 -c 'import ctypes; ctypes.CDLL(None).prctl(4, 0); print(\"got\", len(input(\"Name: \")))'",
            "secret",
            false,
        ),
        ("printf 'Go on? [y/N] '; read x; echo got ${#x}", "secret", false),
        ("read x; echo got ${#x}", "secret", false),
        ("(read x; echo got ${#x})", "secret", false),
        (
            "python3 -c 'import threading as t; h = t.Thread(target=lambda: print(\"got\", len(input()))); h.start(); h.join()'",
            "secret",
            false,
        ),
    ] {
        let (id, _) = house.launch_on_terminal(script).await;
        let began = Instant::now();
        assert_eq!(house.attention(id, true).await, hidden, "{script}");
        println!("told after {:?}: {script}", began.elapsed());
        house.submit(id, typed).await;
        house.attention(id, false).await;
        assert_eq!(house.ended(id).await.exit, Exit::Code(0), "{script}");
        let output = house.output(id);
        assert!(output.ends_with("got 6\r\n"), "{output:?}");
        assert_eq!(output.contains("secret"), !hidden, "{output:?}");
    }
}

#[tokio::test]
async fn a_reader_of_a_pipe_is_noticed() {
    let mut house = House::new();
    let (id, _) = house.launch_on_pipe("read x; echo $x; sleep 1; cat").await;
    assert!(!house.attention(id, true).await);
    house.submit(id, "line").await;
    house.attention(id, false).await;
    house.attention(id, true).await;
    house.supervisor.write_input(id, Vec::new(), Then::End).await.unwrap();
    assert_eq!(house.ended(id).await.exit, Exit::Code(0));
}

/// Draws the whole screen of a terminal in raw mode, with its cursor shown or not, and listens for keys so many times.
fn whole_screen(cursor: char, times: u32, each_s: f32) -> String {
    let draws = format!("\\x1b[?1049h\\x1b[?25{cursor}\\x1b[2J~ text");
    format!(
        "exec python3 -c 'import select, sys, tty\ntty.setraw(0)\nsys.stdout.write(\"{draws}\")\nsys.stdout.flush()\n\
         for _ in range({times}):\n if select.select([0], [], [], {each_s})[0]: break\n'"
    )
}

#[tokio::test]
async fn an_editor_is_noticed_though_it_wakes_up_by_itself() {
    let mut house = House::new();
    for (script, typed) in [(whole_screen('h', 100, 0.7), "q"), ("exec vim -u NONE -i NONE -n".into(), ":q")] {
        let (id, _) = house.launch_on_terminal(&script).await;
        let began = Instant::now();
        house.attention(id, true).await;
        println!("told after {:?}: {script}", began.elapsed());
        house.submit(id, typed).await;
        assert_eq!(house.ended(id).await.exit, Exit::Code(0), "{script}");
    }
}

#[tokio::test]
async fn whoever_works_is_left_in_peace() {
    let mut house = House::new();
    for script in [
        "printf 'Password: '; sleep 3",
        "for i in 1 2 3 4 5 6; do printf '%s%%\\r' $i; sleep 0.6; done",
        "python3 -c 'import time; print(\"Ready?\", end=\"\", flush=True); time.sleep(3)'",
        "sleep 3 | cat",
        // Looks like an editor, but for the cursor.
        &whole_screen('l', 1, 3.0),
    ] {
        let (id, _) = house.launch_on_terminal(script).await;
        loop {
            match house.event().await {
                ProcessEvent::Attention { .. } => panic!("{script}"),
                ProcessEvent::Ended { id: other, .. } if other == id => break,
                _ => {}
            }
        }
        house.emptied(id).await;
    }
}

#[tokio::test]
async fn one_who_waits_costs_nothing() {
    let mut house = House::new();
    let (id, launched) = house.launch_on_terminal("printf 'Name: '; read x").await;
    house.attention(id, true).await;
    let shim = house.shim_of(&launched).pid;
    let before = settled(shim).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(wake_ups(shim) - before, 0);
    house.kill(id).await;
}

#[tokio::test]
async fn one_who_is_silent_is_looked_at_a_few_times() {
    let mut house = House::new();
    let (id, launched) = house.launch_on_terminal("sleep 60").await;
    let shim = house.shim_of(&launched).pid;
    let before = wake_ups(shim);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let looks = wake_ups(shim) - before;
    println!("{looks} wake-ups in five seconds of a silent job");
    assert!(looks <= 10, "{looks}");
    house.kill(id).await;
    let (id, launched) = house.launch("sleep 60").await;
    let shim = house.shim_of(&launched).pid;
    let before = settled(shim).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(wake_ups(shim) - before, 0, "a job without input is never looked at");
    house.kill(id).await;
    house.ended(id).await;
}

/// The wake-ups of one that has nothing left to do: none came for half a second.
async fn settled(pid: u32) -> u64 {
    let deadline = Instant::now() + LIMIT;
    let mut before = wake_ups(pid);
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = wake_ups(pid);
        if now == before {
            return now;
        }
        assert!(Instant::now() < deadline, "it does not come to rest: {now}");
        before = now;
    }
}

/// How often any of its threads went to sleep.
fn wake_ups(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of = |path: std::path::PathBuf| {
        let status = std::fs::read_to_string(path.join("status")).unwrap();
        let after = status.split("\nvoluntary_ctxt_switches:").nth(1).unwrap();
        after.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    tasks.map(|task| of(task.unwrap().path())).sum()
}
