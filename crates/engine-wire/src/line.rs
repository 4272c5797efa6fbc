//! A value as a line, and back.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest line that either side reads, in bytes. Conversations are longer than events; both are far below it.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// A line that is not in this language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnderstood(pub String);

/// The line for `value`, with its end.
pub fn write(value: &impl Serialize) -> Vec<u8> {
    // Our own shapes have text keys and no failing parts, so there is always a line.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The value of one line, with or without its end.
pub fn read<T: DeserializeOwned>(line: &[u8]) -> Result<T, NotUnderstood> {
    serde_json::from_slice(line).map_err(|error| NotUnderstood(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Event, Load, Question, Reason, Request, Role, Timings, Words};

    #[test]
    fn the_lines_are_the_agreed_ones() {
        let load = Request::Load(Load { path: "m.gguf".into(), context: 4096, threads: None });
        assert_eq!(write(&load), b"{\"type\":\"load\",\"path\":\"m.gguf\",\"context\":4096}\n");
        let finished = Event::Finished { id: 3, reason: Reason::Stop, timings: Timings::default(), left_out: 0 };
        let line = String::from_utf8(write(&finished)).unwrap();
        assert!(
            line.starts_with("{\"type\":\"finished\",\"id\":3,\"reason\":\"stop\",\"timings\":{\"promptTokens\":0,")
        );
        assert!(line.ends_with("}}\n"), "what is usual is not told: {line}");
        assert_eq!(read::<Request>(b"{\"type\":\"cancel\",\"id\":7}\n"), Ok(Request::Cancel { id: 7 }));
        assert!(read::<Request>(b"{\"type\":\"dance\"}").is_err());
    }

    #[test]
    fn what_a_side_does_not_know_is_left_out_of_a_known_line() {
        let line = b"{\"type\":\"ready\",\"version\":\"0.9.0\",\"mood\":\"good\"}";
        assert_eq!(read(line), Ok(Event::Ready { version: "0.9.0".into() }));
    }

    #[test]
    fn a_side_that_knows_nothing_of_shortening_is_understood() {
        let line = b"{\"type\":\"generate\",\"id\":1,\"messages\":[],\"maxTokens\":9}";
        assert!(matches!(read(line), Ok(Request::Generate(Question { shorten: false, .. }))));
        let line = br#"{"type":"finished","id":1,"reason":"stop","timings":{"promptTokens":1,"reused":0,"promptMs":1,"answerTokens":1,"answerMs":1}}"#;
        assert!(matches!(read(line), Ok(Event::Finished { left_out: 0, .. })));
        let shorten = Question { id: 1, messages: vec![], max_tokens: 9, temperature: None, seed: None, shorten: true };
        assert!(String::from_utf8(write(&Request::Generate(shorten))).unwrap().ends_with(",\"shorten\":true}\n"));
    }

    proptest! {
        #[test]
        fn any_words_come_back_on_one_line(content in any::<String>(), id in any::<u64>()) {
            let messages = vec![Words { role: Role::User, content }];
            let asked = Request::Generate(Question { id, messages, max_tokens: 9, temperature: None, seed: Some(1), shorten: false });
            let line = write(&asked);
            prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            prop_assert_eq!(read::<Request>(&line), Ok(asked));
        }

        #[test]
        fn no_line_breaks_the_reader(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read::<Request>(&line);
            let _ = read::<Event>(&line);
        }
    }
}
