//! Output bytes as text, cut at character boundaries.

use gatehouse_gateway::OutputSlice;

use crate::wire;

/// A UTF-8 character has at most so many bytes.
const CHARACTER: usize = 4;

/// Text with replacement characters. A character that the slice cuts off at its end is left for the next read, unless
/// nothing more has been written; at the front only an open-ended read (`tail`) begins in the middle of one.
pub(crate) fn output_text(slice: &OutputSlice, tail: bool) -> wire::ReadOutputReply {
    let front = if tail && slice.from > 0 { continuation_bytes(&slice.bytes) } else { 0 };
    let bytes = &slice.bytes[front..];
    // What is cut at the very end of the output may still be written; a reader asks again when the total grows.
    let whole = bytes.len() - cut_off(bytes);
    let whole = if whole == 0 { bytes.len() } else { whole };
    let from = slice.from + front as u64;
    wire::ReadOutputReply {
        from: from.into(),
        next: (from + whole as u64).into(),
        total: slice.total.into(),
        text: Some(String::from_utf8_lossy(&bytes[..whole]).into_owned()),
        base64: None,
    }
}

fn continuation_bytes(bytes: &[u8]) -> usize {
    bytes.iter().take(CHARACTER - 1).take_while(|b| **b & 0xC0 == 0x80).count()
}

/// Bytes at the end that begin a character but do not finish it.
fn cut_off(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(CHARACTER);
    let Some(lead) = bytes[from..].iter().rposition(|b| *b & 0xC0 != 0x80).map(|n| n + from) else { return 0 };
    let wanted = match bytes[lead] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    let there = bytes.len() - lead;
    if there < wanted { there } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(from: u64, bytes: &[u8], total: u64) -> OutputSlice {
        OutputSlice { from, next: from + bytes.len() as u64, total, bytes: bytes.to_vec(), dropped_before: 0 }
    }

    #[test]
    fn any_cut_gives_the_same_text() {
        let whole = "aé你🌍z";
        for cut in 0..=whole.len() {
            let (mut from, mut read) = (0, String::new());
            while from < whole.len() {
                let to = if from < cut { cut } else { whole.len() };
                let reply = output_text(&slice(from as u64, &whole.as_bytes()[from..to], whole.len() as u64), false);
                let next = usize::try_from(reply.next.0).unwrap();
                if next == from {
                    break;
                }
                // A piece smaller than a character cannot be cut; everything else is whole.
                read.push_str(reply.text.as_deref().unwrap());
                from = next;
            }
            if whole.is_char_boundary(cut) {
                assert_eq!(read, whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_tail_begins_with_a_whole_character() {
        let bytes = &"你好".as_bytes()[1..];
        let reply = output_text(&slice(1, bytes, 6), true);
        assert_eq!((reply.from.0, reply.text.as_deref()), (3, Some("好")));
    }

    #[test]
    fn what_is_not_text_is_replaced() {
        let reply = output_text(&slice(0, b"a\xFFb", 3), false);
        assert_eq!((reply.text.as_deref(), reply.next.0), (Some("a\u{FFFD}b"), 3));
    }
}
