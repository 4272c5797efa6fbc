//! What is sent: named fields only, so nothing else a transcript knows can travel along.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Message, Request, ToolCall, ToolSpec};

/// The JSON of a streaming chat-completions request.
pub(super) fn encode(request: &Request) -> serde_json::Result<Vec<u8>> {
    let body = Body {
        model: clean(&request.model),
        messages: request.messages.iter().map(WireMessage::from).collect(),
        tools: request.tools.iter().map(WireTool::from).collect(),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
    };
    serde_json::to_vec(&body)
}

#[derive(Serialize)]
struct Body<'a> {
    model: Cow<'a, str>,
    messages: Vec<WireMessage<'a>>,
    /// Left out when empty: an empty list is refused by strict providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    stream: bool,
    stream_options: StreamOptions,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum WireMessage<'a> {
    System {
        content: Cow<'a, str>,
    },
    User {
        content: Cow<'a, str>,
    },
    Assistant {
        /// Null, not an empty string, beside calls: some providers refuse empty text.
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: WireFunctionCall<'a>,
}

#[derive(Serialize)]
struct WireFunctionCall<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: Cow<'a, str>,
    description: Cow<'a, str>,
    parameters: &'a serde_json::Value,
}

impl<'a> From<&'a Message> for WireMessage<'a> {
    fn from(message: &'a Message) -> Self {
        match message {
            Message::System(text) => Self::System { content: clean(text) },
            Message::User(text) => Self::User { content: clean(text) },
            Message::Assistant { text, calls } => Self::Assistant {
                content: (calls.is_empty() || !text.is_empty()).then(|| clean(text)),
                tool_calls: calls.iter().map(WireCall::from).collect(),
            },
            Message::ToolResult { call_id, text } => {
                Self::Tool { tool_call_id: clean(&call_id.0), content: clean(text) }
            }
        }
    }
}

impl<'a> From<&'a ToolCall> for WireCall<'a> {
    fn from(call: &'a ToolCall) -> Self {
        let function = WireFunctionCall { name: clean(&call.name), arguments: clean_json(&call.arguments) };
        Self { id: clean(&call.id.0), r#type: "function", function }
    }
}

impl<'a> From<&'a ToolSpec> for WireTool<'a> {
    fn from(tool: &'a ToolSpec) -> Self {
        let function = WireFunction {
            name: clean(&tool.name),
            description: clean(&tool.description),
            parameters: &tool.parameters,
        };
        Self { r#type: "function", function }
    }
}

/// Providers that keep conversations in a database refuse a whole request for one NUL.
fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// The same for JSON text, where a NUL hides as an escape. An escaped backslash before `u0000` is no NUL.
fn clean_json(json: &str) -> Cow<'_, str> {
    if !json.contains("\\u0000") {
        return clean(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let pair = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
        if let Some(after) = rest.strip_prefix("\\u0000") {
            out.push_str("\\ufffd");
            rest = after;
        } else {
            out.push_str(&rest[..pair]);
            rest = &rest[pair..];
        }
    }
    out.push_str(rest);
    Cow::Owned(clean(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gatehouse_domain::CallId;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn full() -> Request {
        Request {
            model: "m-1".to_owned(),
            messages: vec![
                Message::System("be brief".to_owned()),
                Message::User("two\0parts".to_owned()),
                Message::Assistant {
                    text: String::new(),
                    calls: vec![ToolCall {
                        id: CallId("call_1".to_owned()),
                        name: "terminal".to_owned(),
                        arguments: r#"{"command":"a\u0000b \\u0000"}"#.to_owned(),
                    }],
                },
                Message::ToolResult { call_id: CallId("call_1".to_owned()), text: "ok".to_owned() },
                Message::Assistant { text: "done".to_owned(), calls: vec![] },
            ],
            tools: vec![ToolSpec {
                name: "terminal".to_owned(),
                description: "Runs a command.".to_owned(),
                parameters: json!({"type": "object"}),
            }],
        }
    }

    #[test]
    fn the_body_is_exactly_this() {
        let body: Value = serde_json::from_slice(&encode(&full()).unwrap()).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
    }

    #[test]
    fn no_key_but_the_allowed_ones_is_ever_sent() {
        fn keys(value: &Value, into: &mut BTreeSet<String>) {
            match value {
                Value::Object(map) => map.iter().for_each(|(key, value)| {
                    into.insert(key.clone());
                    keys(value, into);
                }),
                Value::Array(list) => list.iter().for_each(|value| keys(value, into)),
                _ => {}
            }
        }
        let body: Value = serde_json::from_slice(&encode(&full()).unwrap()).unwrap();
        let mut seen = BTreeSet::new();
        keys(&body, &mut seen);
        let allowed = [
            "arguments",
            "content",
            "description",
            "function",
            "id",
            "include_usage",
            "messages",
            "model",
            "name",
            "parameters",
            "role",
            "stream",
            "stream_options",
            "tool_call_id",
            "tool_calls",
            "tools",
            "type",
        ];
        assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), allowed);
    }

    #[test]
    fn without_tools_there_is_no_tools_key() {
        let body: Value = serde_json::from_slice(&encode(&Request { tools: vec![], ..full() }).unwrap()).unwrap();
        assert!(body.get("tools").is_none());
    }

    #[test]
    fn nul_is_replaced_in_text_and_in_escapes() {
        let body = String::from_utf8(encode(&full()).unwrap()).unwrap();
        assert!(body.contains("two\u{fffd}parts"), "{body}");
        assert!(body.contains(r#"a\\ufffdb \\\\u0000"#), "{body}");
        assert!(!body.contains('\0'));
    }

    /// So many requests are tried; a longer run asks for more.
    fn cases() -> u32 {
        std::env::var("GATEHOUSE_PROMISE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let call = (".{0,12}", ".{0,8}", ".{0,16}").prop_map(|(id, name, arguments)| ToolCall {
            id: CallId(id),
            name,
            arguments,
        });
        prop_oneof![
            ".{0,24}".prop_map(Message::System),
            ".{0,24}".prop_map(Message::User),
            (".{0,24}", prop::collection::vec(call, 0..4)).prop_map(|(text, calls)| Message::Assistant { text, calls }),
            (".{0,12}", ".{0,24}").prop_map(|(id, text)| Message::ToolResult { call_id: CallId(id), text }),
        ]
    }

    /// The names of a JSON object's fields.
    fn names(value: &Value) -> Vec<&str> {
        value.as_object().map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]

        #[test]
        fn whatever_is_said_a_message_has_the_allowed_fields_only(messages in prop::collection::vec(any_message(), 0..12)) {
            let sent = messages.len();
            let body = encode(&Request { messages, ..full() }).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let allowed = ["messages", "model", "stream", "stream_options", "tools"];
            prop_assert!(names(&body).iter().all(|name| allowed.contains(name)), "{}", body);
            let told = body["messages"].as_array().cloned().unwrap_or_default();
            prop_assert_eq!(told.len(), sent);
            for message in &told {
                let allowed = ["content", "role", "tool_call_id", "tool_calls"];
                prop_assert!(names(message).iter().all(|name| allowed.contains(name)), "{}", message);
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    prop_assert!(names(call).iter().all(|name| ["function", "id", "type"].contains(name)), "{}", call);
                    prop_assert!(names(&call["function"]).iter().all(|name| ["arguments", "name"].contains(name)));
                }
            }
        }
    }
}
