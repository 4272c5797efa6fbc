//! From the bytes of a head to what they say.

use std::collections::HashMap;
use std::io::{Read, Seek};

use crate::kind::block;
use crate::read::Head;
use crate::value::{Value, value};
use crate::{Error, Result};

const MAGIC: [u8; 4] = *b"GGUF";
/// More keys or tensors than the largest models have by far.
const MAX_COUNT: u64 = 100_000;
/// The longest name of a key or a tensor that the C library accepts is shorter.
const MAX_NAME: u64 = 64 * 1024;
/// Tensors begin at multiples of this where the file does not say otherwise.
const ALIGNMENT: u64 = 32;

/// What a file says of the model in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its own name.
    pub name: Option<String>,
    /// What kind of network it is.
    pub architecture: String,
    /// How it writes a conversation down; absent in models that only continue texts.
    pub template: Option<String>,
    /// The longest context that it was trained on, in tokens.
    pub context: Option<u64>,
    /// How many bytes one token of a conversation takes in memory; absent where the file does not tell.
    pub token_bytes: Option<u64>,
    /// How many tokens its vocabulary has.
    pub vocabulary: u64,
    /// How long the file is.
    pub bytes: u64,
}

pub(crate) fn walk<R: Read + Seek>(from: R, length: u64) -> Result<Model> {
    let mut head = Head::new(from, length);
    let (tensors, keys) = begin(&mut head, length)?;
    let pairs = pairs(&mut head, keys)?;
    let ends = tensors_end(&mut head, tensors)?;
    let wanted = data_begins(head.at(), &pairs)?.checked_add(ends);
    match wanted {
        Some(wanted) if wanted <= length => model(&pairs, length),
        Some(wanted) => Err(Error::Damaged(format!(
            "it has {length} bytes and needs {wanted}. It may not have been copied or downloaded to its end"
        ))),
        None => Err(Error::Damaged("it needs more bytes than there can be".into())),
    }
}

/// The numbers of tensors and keys.
fn begin<R: Read + Seek>(head: &mut Head<R>, length: u64) -> Result<(u64, u64)> {
    if length == 0 {
        return Err(Error::NotAModel("it is empty".into()));
    }
    if length < 24 || head.bytes::<4>()? != MAGIC {
        return Err(Error::NotAModel("its first bytes are not those of a GGUF file".into()));
    }
    match head.u32()? {
        2 | 3 => {}
        version if (1..=3).contains(&version.swap_bytes()) => {
            return Err(Error::Unsupported("it is written for computers with the other order of bytes".into()));
        }
        version => return Err(Error::Unsupported(format!("it has version {version} of the format"))),
    }
    let (tensors, keys) = (head.u64()?, head.u64()?);
    if tensors > MAX_COUNT || keys > MAX_COUNT {
        return Err(Error::Damaged(format!("it claims to have {tensors} tensors and {keys} keys")));
    }
    if tensors == 0 {
        return Err(Error::Damaged("it has no tensors, so it may be a vocabulary only".into()));
    }
    Ok((tensors, keys))
}

fn pairs<R: Read + Seek>(head: &mut Head<R>, count: u64) -> Result<HashMap<String, Value>> {
    let mut pairs = HashMap::new();
    for _ in 0..count {
        let key = head.text(MAX_NAME)?;
        let kind = head.u32()?;
        let value = value(head, kind)?;
        if pairs.insert(key.clone(), value).is_some() {
            return Err(Error::Damaged(format!("the key {key:?} stands in it twice")));
        }
    }
    Ok(pairs)
}

/// Where the last tensor ends, counted from where the first begins.
fn tensors_end<R: Read + Seek>(head: &mut Head<R>, count: u64) -> Result<u64> {
    let mut end = 0;
    for _ in 0..count {
        end = end.max(tensor_end(head)?);
    }
    Ok(end)
}

fn tensor_end<R: Read + Seek>(head: &mut Head<R>) -> Result<u64> {
    let name = head.text(MAX_NAME)?;
    let dimensions = head.u32()?;
    if dimensions > 4 {
        return Err(Error::Damaged(format!("the tensor {name:?} has {dimensions} dimensions")));
    }
    let mut numbers = 1_u64;
    let mut row = 1_u64;
    for dimension in 0..dimensions {
        let length = head.u64()?;
        numbers = numbers.checked_mul(length).ok_or_else(|| too_large(&name))?;
        if dimension == 0 {
            row = length;
        }
    }
    let kind = head.u32()?;
    let offset = head.u64()?;
    let block = block(kind).ok_or_else(|| {
        Error::Unsupported(format!("the tensor {name:?} is made of numbers of the unknown kind {kind}"))
    })?;
    if !row.is_multiple_of(block.numbers) {
        return Err(Error::Damaged(format!("the rows of the tensor {name:?} are no whole blocks")));
    }
    let bytes = (numbers / block.numbers).checked_mul(block.bytes);
    bytes.and_then(|bytes| bytes.checked_add(offset)).ok_or_else(|| too_large(&name))
}

fn too_large(name: &str) -> Error {
    Error::Damaged(format!("the tensor {name:?} is larger than anything can be"))
}

/// Where the tensors' numbers begin, behind a head of `at` bytes.
fn data_begins(at: u64, pairs: &HashMap<String, Value>) -> Result<u64> {
    let alignment = match pairs.get("general.alignment") {
        Some(Value::Number(number)) if number.is_power_of_two() && *number <= 1024 * 1024 => *number,
        None => ALIGNMENT,
        Some(_) => return Err(Error::Damaged("it wants its tensors to begin where none can".into())),
    };
    Ok(at.next_multiple_of(alignment))
}

fn model(pairs: &HashMap<String, Value>, bytes: u64) -> Result<Model> {
    let text = |key: &str| match pairs.get(key) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    let architecture = text("general.architecture")
        .ok_or_else(|| Error::Damaged("it does not say what kind of network it is".into()))?;
    let of = |key: &str| match pairs.get(&format!("{architecture}.{key}")) {
        Some(Value::Number(number) | Value::List { largest: Some(number), .. }) => Some(*number),
        _ => None,
    };
    let vocabulary = match pairs.get("tokenizer.ggml.tokens") {
        Some(Value::List { count, .. }) => *count,
        _ => return Err(Error::Damaged("it has no vocabulary".into())),
    };
    Ok(Model {
        name: text("general.name"),
        template: text("tokenizer.chat_template"),
        context: of("context_length"),
        token_bytes: token_bytes(of),
        vocabulary,
        bytes,
        architecture,
    })
}

/// For each layer a key and a value, of two bytes a number.
fn token_bytes(of: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let (layers, heads) = (of("block_count")?, of("attention.head_count")?);
    let key_heads = of("attention.head_count_kv").unwrap_or(heads);
    let usual = of("embedding_length")?.checked_div(heads)?;
    let key = of("attention.key_length").unwrap_or(usual);
    let value = of("attention.value_length").unwrap_or(usual);
    layers.checked_mul(key_heads)?.checked_mul(key.checked_add(value)?)?.checked_mul(2)
}
