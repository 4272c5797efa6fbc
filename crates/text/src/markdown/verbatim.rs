//! Where a text is shown as its author found it, and where its links stand.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::build::{Disguise, options};

/// Places of one text, in bytes and in the order of their starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verbatim {
    /// Code, in a line or as a block, and quotations. None lies in another.
    pub spans: Vec<Range<usize>>,
    /// Links and images outside of those, each with where it leads.
    pub links: Vec<(Range<usize>, String)>,
}

/// Reads a whole text the way it is shown: HTML hides nothing.
pub(crate) fn verbatim(source: &str) -> Verbatim {
    let (disguise, disguised) = Disguise::of(source);
    let mut found = Verbatim::default();
    for (event, range) in Parser::new_ext(&disguised, options()).into_offset_iter() {
        if found.spans.last().is_some_and(|span| range.start < span.end) {
            continue;
        }
        match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_)) => found.spans.push(range),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.links.push((range, disguise.lift(&dest_url)));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(source: &str) -> Vec<&str> {
        verbatim(source).spans.into_iter().map(|span| &source[span]).collect()
    }

    #[test]
    fn code_and_quotations_are_found_once() {
        assert_eq!(spans("a `b` c\n\n> d `e`\n\nf"), ["`b`", "> d `e`\n"]);
        assert_eq!(spans("- a\n  ```\n  b\n  ```\n- ``c`d``"), ["```\n  b\n  ```", "``c`d``"]);
        assert_eq!(spans("text\n\n    four\n\n~~~\nnever closed"), ["four\n", "~~~\nnever closed"]);
    }

    #[test]
    fn html_and_definitions_hide_no_code() {
        assert_eq!(spans("<div>\n```\nb\n```\n</div>"), ["```\nb\n```"]);
        assert_eq!(spans("<!-- `a` -->\n[x]: `b`"), ["`a`", "`b`"]);
    }

    #[test]
    fn links_say_where_they_lead() {
        let found = verbatim("![a](b:c) `[d](e)` [f](<g:h>)");
        assert_eq!(found.links, [(0..9, "b:c".to_owned()), (19..29, "g:h".to_owned())]);
    }
}
