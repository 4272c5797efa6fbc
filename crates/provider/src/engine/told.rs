//! A request in the engine's words, and its refusals in ours.

use gatehouse_domain::FailureCode;
use gatehouse_engine_wire::{RefusalCode, Role, Words};

use crate::failure::Voice;
use crate::{Failure, Message};

/// A conversation without its tools: calls and results of another model would only confuse one that cannot call.
pub(super) fn words(messages: &[Message]) -> Vec<Words> {
    let told = messages.iter().filter_map(|message| match message {
        Message::System(text) => Some((Role::System, text)),
        Message::User(text) => Some((Role::User, text)),
        Message::Assistant { text, .. } => Some((Role::Assistant, text)),
        Message::ToolResult { .. } => None,
    });
    let told = told.filter(|(_, text)| !text.trim().is_empty());
    told.map(|(role, text)| Words { role, content: text.clone() }).collect()
}

/// What the engine could not do. Its words are for people already.
pub(super) fn failure(voice: &Voice, code: RefusalCode, message: String) -> Failure {
    let code = match code {
        RefusalCode::NoFile
        | RefusalCode::NotAModel
        | RefusalCode::Damaged
        | RefusalCode::NoTemplate
        | RefusalCode::Unsupported
        | RefusalCode::Template => FailureCode::Refused,
        RefusalCode::TooLong => FailureCode::LengthLimit,
        RefusalCode::OutOfMemory | RefusalCode::Busy | RefusalCode::Failed => FailureCode::ProviderError,
        RefusalCode::NotLoaded | RefusalCode::NotUnderstood => FailureCode::Internal,
    };
    voice.failure(code, message)
}

#[cfg(test)]
mod tests {
    use gatehouse_domain::CallId;

    use super::*;
    use crate::ToolCall;

    #[test]
    fn only_words_are_told() {
        let call = ToolCall { id: CallId("c1".into()), name: "terminal".into(), arguments: "{}".into() };
        let messages = [
            Message::System("Rule.".into()),
            Message::User("List it.".into()),
            Message::Assistant { text: String::new(), calls: vec![call] },
            Message::ToolResult { call_id: CallId("c1".into()), text: "a b".into() },
            Message::Assistant { text: "Two files.".into(), calls: vec![] },
        ];
        let told: Vec<_> = words(&messages).into_iter().map(|words| (words.role, words.content)).collect();
        let expected = [(Role::System, "Rule."), (Role::User, "List it."), (Role::Assistant, "Two files.")];
        assert_eq!(told, expected.map(|(role, text)| (role, text.to_owned())));
    }
}
