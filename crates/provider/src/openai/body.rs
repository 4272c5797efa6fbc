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
}
