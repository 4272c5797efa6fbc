//! The words before words that may have been seen already, or that come late.

use std::borrow::Cow;

use gatehouse_domain::Marker;

/// The text as it is sent. The marker is a line of its own in plain words, so that it reads the same on every platform.
pub fn marked(text: &str, marker: Option<Marker>) -> Cow<'_, str> {
    match marker {
        None => Cow::Borrowed(text),
        Some(marker) => Cow::Owned(format!("({})\n\n{text}", cause(marker))),
    }
}

const fn cause(marker: Marker) -> &'static str {
    match marker {
        Marker::Restart => "Sent again: Gatehouse was restarted while it sent this. You may have it already.",
        Marker::Reconnect => "Sent again: the channel did not confirm this before. You may have it already.",
        Marker::RateLimit => "Sent late: the channel had asked for a pause. Parts of this may be here already.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_marker_says_something_else_and_keeps_the_words() {
        assert_eq!(marked("It is done.", None), "It is done.");
        let mut said: Vec<_> = Marker::ALL.iter().map(|marker| marked("It is done.", Some(*marker))).collect();
        assert!(said.iter().all(|text| text.starts_with("(Sent ") && text.ends_with(".)\n\nIt is done.")), "{said:?}");
        said.sort();
        said.dedup();
        assert_eq!(said.len(), 3);
    }
}
