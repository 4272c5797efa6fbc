//! The values of the head. Those that nobody asks for are passed over.

use std::io::{Read, Seek};

use crate::read::Head;
use crate::{Error, Result};

/// The longest text that is kept: chat templates have some ten thousand bytes.
const MAX_TEXT: u64 = 1024 * 1024;
/// Lists in lists: the format allows them, and nobody writes them.
const MAX_DEPTH: u32 = 4;

/// A value that was kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(u64),
    Text(String),
    /// How many values a list has, and the largest of them where they are whole numbers.
    List {
        count: u64,
        largest: Option<u64>,
    },
    /// Something that nobody asks for.
    Other,
}

/// The numbers of the kinds of values in the file.
mod kind {
    pub const TEXT: u32 = 8;
    pub const LIST: u32 = 9;
}

/// Reads one value of this kind.
pub(crate) fn value<R: Read + Seek>(head: &mut Head<R>, kind: u32) -> Result<Value> {
    value_at(head, kind, 0)
}

fn value_at<R: Read + Seek>(head: &mut Head<R>, kind: u32, depth: u32) -> Result<Value> {
    match kind {
        kind::TEXT => head.text(MAX_TEXT).map(Value::Text),
        kind::LIST => list(head, depth),
        _ => scalar(head, kind),
    }
}

fn scalar<R: Read + Seek>(head: &mut Head<R>, kind: u32) -> Result<Value> {
    Ok(match kind {
        0 => Value::Number(u64::from(head.bytes::<1>()?[0])),
        2 => Value::Number(u64::from(u16::from_le_bytes(head.bytes()?))),
        4 => Value::Number(u64::from(head.u32()?)),
        10 => Value::Number(head.u64()?),
        // Some writers take signed numbers for counts; below zero there are none.
        5 => whole(i64::from(i32::from_le_bytes(head.bytes()?))),
        11 => whole(i64::from_le_bytes(head.bytes()?)),
        _ => {
            head.skip(width(kind)?)?;
            Value::Other
        }
    })
}

fn whole(number: i64) -> Value {
    u64::try_from(number).map_or(Value::Other, Value::Number)
}

/// How many bytes a value of a fixed length has.
fn width(kind: u32) -> Result<u64> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(Error::Damaged(format!("a value has the unknown kind {kind}"))),
    }
}

fn list<R: Read + Seek>(head: &mut Head<R>, depth: u32) -> Result<Value> {
    if depth >= MAX_DEPTH {
        return Err(Error::Damaged("lists stand in lists without end".into()));
    }
    let (kind, count) = (head.u32()?, head.u64()?);
    let mut largest = None;
    match kind {
        // Each step takes at least eight bytes of the head, so the head's own length bounds the loop.
        kind::TEXT => (0..count).try_for_each(|_| pass_text(head))?,
        kind::LIST => (0..count).try_for_each(|_| list(head, depth + 1).map(drop))?,
        // Layers of one model may differ in their heads; there are as many numbers as layers.
        4 | 5 if count <= 4096 => {
            for _ in 0..count {
                if let Value::Number(number) = scalar(head, kind)? {
                    largest = largest.max(Some(number));
                }
            }
        }
        _ => head.skip(count.saturating_mul(width(kind)?))?,
    }
    Ok(Value::List { count, largest })
}

fn pass_text<R: Read + Seek>(head: &mut Head<R>) -> Result<()> {
    let length = head.u64()?;
    head.skip(length)
}
