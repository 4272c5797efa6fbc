use super::*;

fn assemble(pieces: &[&str]) -> Result<Vec<(String, String, String)>, String> {
    assemble_after(&[], pieces)
}

fn assemble_after(taken: &[&str], pieces: &[&str]) -> Result<Vec<(String, String, String)>, String> {
    let mut calls = Calls::new(taken.iter().map(|id| (*id).to_owned()).collect());
    for piece in pieces {
        calls.add(&serde_json::from_str(piece).unwrap())?;
    }
    let calls = calls.complete(false).map_err(|unfit| format!("{unfit:?}"))?;
    Ok(calls.into_iter().map(|call| (call.id.0, call.name, call.arguments)).collect())
}

fn check(pieces: &[&str], expect: &[(&str, &str, &str)]) {
    let expect: Vec<_> =
        expect.iter().map(|(id, name, args)| ((*id).to_owned(), (*name).to_owned(), (*args).to_owned())).collect();
    assert_eq!(assemble(pieces), Ok(expect), "{pieces:?}");
}

#[test]
fn empty_and_repeated_ids_continue_a_call() {
    let expect = [("a", "t", r#"{"x":1}"#)];
    for id in [r#""id":"","#, r#""id":null,"#, r#""id":"a","#, ""] {
        let rest = format!(r#"{{"index":0,{id}"function":{{"arguments":":1}}"}}}}"#);
        check(&[r#"{"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\""}}"#, &rest], &expect);
    }
    let named = r#"{"index":0,"id":"a","function":{"name":"t","arguments":":1}"}}"#;
    check(&[r#"{"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\""}}"#, named], &expect);
}

#[test]
fn calls_without_any_id_get_one() {
    check(
        &[
            r#"{"index":0,"function":{"name":"t","arguments":"{}"}}"#,
            r#"{"index":1,"function":{"name":"t","arguments":"{\"x\""}}"#,
            r#"{"index":1,"function":{"arguments":":1}"}}"#,
        ],
        &[("call_1", "t", "{}"), ("call_2", "t", r#"{"x":1}"#)],
    );
}

#[test]
fn names_separate_whole_calls_that_have_neither_index_nor_id() {
    check(
        &[
            r#"{"function":{"name":"t","arguments":"{\"x\":1}"}}"#,
            r#"{"function":{"name":"t","arguments":"{\"x\":2}"}}"#,
            r#"{"function":{"name":"u","arguments":""}}"#,
            r#"{"function":{"name":"v"}}"#,
        ],
        &[("call_1", "t", r#"{"x":1}"#), ("call_2", "t", r#"{"x":2}"#), ("call_3", "u", "{}"), ("call_4", "v", "{}")],
    );
}

#[test]
fn ids_in_use_are_replaced() {
    let pieces = [r#"{"index":0,"id":"call_0","function":{"name":"t","arguments":"{}"}}"#];
    let calls = assemble_after(&["call_0", "call_2"], &pieces).unwrap();
    assert_eq!(calls[0].0, "call_3");
    check(
        &[
            r#"{"index":0,"id":"t","function":{"name":"t","arguments":"{\"x\":1}"}}"#,
            r#"{"index":1,"id":"t","function":{"name":"t","arguments":"{\"x\":2}"}}"#,
        ],
        &[("t", "t", r#"{"x":1}"#), ("call_2", "t", r#"{"x":2}"#)],
    );
}

#[test]
fn a_late_id_joins_the_call_that_waits_for_it() {
    check(
        &[
            r#"{"index":0,"function":{"name":"t"}}"#,
            r#"{"index":0,"id":"a","function":{"arguments":"{\"x\""}}"#,
            r#"{"index":0,"id":"a","function":{"arguments":":1}"}}"#,
        ],
        &[("call_1", "t", r#"{"x":1}"#)],
    );
}

#[test]
fn arguments_may_come_as_an_object() {
    check(
        &[
            r#"{"id":"a","function":{"name":"t","arguments":{"x": 1}}}"#,
            r#"{"id":"b","function":{"name":"u","arguments":null}}"#,
        ],
        &[("a", "t", r#"{"x": 1}"#), ("b", "u", "{}")],
    );
}

#[test]
fn what_could_be_two_things_is_an_error() {
    let open = |index: u8, id: &str| {
        format!(r#"{{"index":{index},"id":"{id}","function":{{"name":"t","arguments":"{{\"x\""}}}}"#)
    };
    let tail = r#"{"index":7,"function":{"arguments":":1}"}}"#;
    let (a, b) = (open(0, "a"), open(1, "b"));
    assert!(assemble(&[tail]).is_err(), "a tail without a call");
    assert!(assemble(&[&a, &b, tail]).is_err(), "a tail with two open calls");
    assert!(assemble(&[&a, &open(1, "a")]).is_err(), "an id for two open calls");
    assert!(
        assemble(&[&a, r#"{"index":0,"function":{"name":"u","arguments":"{}"}}"#]).is_err(),
        "a call inside a call"
    );
    assert_eq!(assemble(&[&a]), Err("Incomplete".to_owned()));
    assert_eq!(assemble(&[r#"{"id":"a","function":{"arguments":"{}"}}"#]), Err("Nameless".to_owned()));
    let whole = r#"{"id":"a","function":{"name":"t","arguments":"{}"}}"#;
    let other = r#"{"id":"a","function":{"name":"t","arguments":"{\"x\":1}"}}"#;
    assert_eq!(assemble(&[whole, other]), Err("Incomplete".to_owned()), "two versions of one call are not glued");
    assert_eq!(assemble(&[other, other]).map(|calls| calls.len()), Ok(1), "the same once more is no second version");
    for arguments in ["[]", "null", "7", r#"\"x\""#, "{} x"] {
        let piece = format!(r#"{{"id":"a","function":{{"name":"t","arguments":"{arguments}"}}}}"#);
        assert_eq!(assemble(&[&piece]), Err("Incomplete".to_owned()), "{arguments}");
    }
}

#[test]
fn a_stream_of_calls_without_end_is_given_up() {
    let mut calls = Calls::new(HashSet::new());
    let ends = (0..2_000).find(|n| {
        let piece = format!(r#"{{"id":"c{n}","function":{{"name":"t","arguments":"{{}}"}}}}"#);
        calls.add(&serde_json::from_str(&piece).unwrap()).is_err()
    });
    assert_eq!(ends, Some(MAX_CALLS));
}
