//! A server's list of its models, in the dialects in use.

use serde_json::Value;

/// Where servers write how much a model reads at once; what is loaded now comes before what would be possible.
const CONTEXT: [&[&str]; 7] = [
    &["loaded_context_length"],
    &["max_model_len"],
    &["context_length"],
    &["context_window"],
    &["max_context_length"],
    &["meta", "n_ctx"],
    &["meta", "n_ctx_train"],
];

/// One model of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The server's name for it.
    pub id: String,
    /// How many tokens it reads at once, where the server tells.
    pub context_tokens: Option<u32>,
}

/// One entry of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub model: ModelInfo,
    /// Who owns it, in the server's words.
    pub owner: Option<String>,
}

/// Reads a list of models; `None` when `body` is something else.
pub(crate) fn read(body: &[u8]) -> Option<Vec<Entry>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        Value::Object(map) => match map.get("data")? {
            Value::Array(list) => list.as_slice(),
            // A server without models may say so with a null.
            Value::Null if map.get("object").and_then(Value::as_str) == Some("list") => &[],
            _ => return None,
        },
        _ => return None,
    };
    let entries: Vec<_> = list.iter().filter_map(entry).collect();
    // An entry without a name is left out, but a list of nothing else lists something other than models.
    (entries.is_empty() == list.is_empty()).then_some(entries)
}

fn entry(value: &Value) -> Option<Entry> {
    let id = value.get("id")?.as_str().filter(|id| !id.trim().is_empty())?.to_owned();
    let owner = value.get("owned_by").and_then(Value::as_str).map(str::to_owned);
    Some(Entry { model: ModelInfo { id, context_tokens: context(value) }, owner })
}

fn context(value: &Value) -> Option<u32> {
    let at = |path: &&[&str]| path.iter().try_fold(value, |value, key| value.get(key))?.as_u64();
    CONTEXT.iter().filter_map(at).find_map(|tokens| u32::try_from(tokens).ok().filter(|tokens| *tokens > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(body: &str) -> Option<Vec<String>> {
        read(body.as_bytes()).map(|entries| entries.into_iter().map(|entry| entry.model.id).collect())
    }

    #[test]
    fn every_shape_of_a_list_is_read() {
        let two = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(ids(r#"{"object":"list","data":[{"id":"a"},{"id":"b","object":"model"}]}"#), two);
        assert_eq!(ids(r#"[{"id":"a"},{"name":"nameless"},{"id":"b"}]"#), two);
        for empty in [r#"{"data":[]}"#, r#"{"object":"list","data":null}"#, "[]"] {
            assert_eq!(ids(empty), Some(vec![]), "{empty}");
        }
    }

    #[test]
    fn what_lists_no_models_is_no_list() {
        for body in [
            "",
            "{}",
            "null",
            "7",
            r#"{"data":null}"#,
            r#"{"data":{"id":"a"}}"#,
            r#"[1]"#,
            r#"[{"id":7}]"#,
            "[{]",
            "<p>",
        ] {
            assert_eq!(ids(body), None, "{body}");
        }
    }

    #[test]
    fn the_context_is_found_where_each_server_writes_it() {
        for (entry, expect) in [
            (r#"{"id":"a","max_model_len":32768}"#, Some(32_768)),
            (r#"{"id":"a","context_length":131072}"#, Some(131_072)),
            (r#"{"id":"a","max_context_length":8192,"loaded_context_length":4096}"#, Some(4_096)),
            (r#"{"id":"a","meta":{"n_ctx_train":40960}}"#, Some(40_960)),
            (r#"{"id":"a","meta":{"n_ctx_train":40960,"n_ctx":2048}}"#, Some(2_048)),
            (r#"{"id":"a","meta":null,"context_length":0}"#, None),
            (r#"{"id":"a","context_length":-1}"#, None),
            (r#"{"id":"a","context_length":"8k"}"#, None),
            (r#"{"id":"a","context_length":99999999999}"#, None),
            (r#"{"id":"a"}"#, None),
        ] {
            let list = read(format!("[{entry}]").as_bytes()).unwrap();
            assert_eq!(list[0].model.context_tokens, expect, "{entry}");
        }
    }

    #[test]
    fn the_owner_is_kept() {
        assert_eq!(read(br#"[{"id":"a","owned_by":"vllm"}]"#).unwrap()[0].owner.as_deref(), Some("vllm"));
    }
}
