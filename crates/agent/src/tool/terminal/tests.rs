use serde_json::{Value, json};

use super::*;

fn read(more: Value) -> Result<Terminal, String> {
    let mut arguments = json!({ "command": "serve" });
    if let (Value::Object(all), Value::Object(more)) = (&mut arguments, more) {
        all.extend(more);
    }
    Terminal::read(&arguments.to_string())
}

fn background(more: Value) -> (bool, Manner, Vec<&'static str>) {
    let mut more = more;
    more["background"] = json!(true);
    match read(more.clone()).unwrap_or_else(|error| panic!("{more}: {error}")).way {
        Way::Background { notify, manner, remarks } => {
            (notify, *manner, remarks.iter().map(|(name, _)| *name).collect())
        }
        Way::Foreground { .. } => panic!("{more}"),
    }
}

#[test]
fn a_command_in_the_background_runs_as_it_was_asked() {
    let (notify, manner, remarks) = background(json!({}));
    assert_eq!((notify, manner, remarks), (true, Manner::default(), vec![]));
    let asked =
        json!({ "pty": true, "stdin": true, "persist": true, "max_runtime_seconds": 90, "notify_on_complete": false });
    let (notify, manner, _) = background(asked);
    assert!(!notify && manner.pty && manner.stdin && manner.persist);
    assert_eq!(manner.max_runtime, Some(Duration::from_secs(90)));
    let (notify, manner, _) = background(json!({ "notify": false, "persist_on_release": true }));
    assert!(!notify && manner.persist);
}

#[test]
fn lines_are_watched_for_instead_of_the_end() {
    for asked in [json!({ "watch_patterns": ["READY", "port \\d+"] }), json!({ "notify": ["READY", "port \\d+"] })] {
        let (notify, manner, remarks) = background(asked);
        assert_eq!((notify, manner.watch.texts(), remarks), (false, vec!["READY".into(), "port \\d+".into()], vec![]));
    }
    let (notify, manner, remarks) = background(json!({ "watch_patterns": ["READY"], "notify_on_complete": true }));
    assert_eq!((notify, manner.watch.is_empty(), remarks), (true, true, vec!["watch_patterns_ignored"]));
    let (notify, manner, remarks) = background(json!({ "watch_patterns": ["READY"], "heartbeat_seconds": 5 }));
    assert!(notify && manner.watch.is_empty());
    assert_eq!(manner.heartbeat, Some(Duration::from_secs(60)));
    assert_eq!(remarks, ["watch_patterns_ignored", "heartbeat_note"]);
    assert_eq!(background(json!({ "heartbeat": 0 })).1.heartbeat, None);
}

#[test]
fn what_cannot_be_meant_is_refused_in_words() {
    let many: Vec<String> = (0..17).map(|number| format!("line {number}")).collect();
    for (asked, word) in [
        (json!({ "background": true, "watch_patterns": many }), "16"),
        (json!({ "background": true, "watch_patterns": ["x".repeat(257)] }), "256"),
        (json!({ "background": true, "watch_patterns": [""] }), "empty"),
        (json!({ "background": true, "watch_patterns": [7] }), "list of strings"),
        (json!({ "background": true, "watch_patterns": true }), "list of strings"),
        (json!({ "background": true, "pty": "yes" }), "`pty`"),
        (json!({ "background": true, "max_runtime_seconds": 0 }), "at least 1"),
        (json!({ "timeout": 0 }), "at least 1"),
        (json!({ "timeout": -1 }), "at least 1"),
        (json!({ "command": 7 }), "`command`"),
        (json!({ "command": " " }), "`command`"),
        (json!({ "code": "x" }), "no argument `code`"),
        (json!({ "workdir": "/tmp;x" }), "';'"),
    ] {
        let refused = read(asked.clone()).expect_err("refused");
        assert!(refused.contains(word), "{asked}: {refused}");
    }
}

#[test]
fn a_wish_for_the_background_is_refused_in_the_foreground_with_the_right_call() {
    for (name, value) in [
        ("pty", json!(true)),
        ("stdin", json!(true)),
        ("notify_on_complete", json!(true)),
        ("watch_patterns", json!(["READY"])),
        ("heartbeat_seconds", json!(60)),
        ("persist", json!(true)),
        ("max_runtime_seconds", json!(9)),
    ] {
        let refused = read(json!({ name: value })).expect_err("refused");
        let call = json!({ "command": "serve", "background": true, name: value }).to_string();
        assert!(refused.contains(&call), "{refused}");
        assert!(Terminal::read(&call).is_ok(), "{call}");
    }
    assert!(read(json!({ "notify": false, "pty": false, "heartbeat_seconds": 0 })).is_ok());
}
