//! What a toast says: plain text of any author, made safe for whoever shows it.

/// Titles are one line everywhere.
const TITLE_CHARS: usize = 100;
/// About four lines; services cut at different places, and none of them says that it did.
const BODY_CHARS: usize = 240;

/// A title: one line, bounded.
pub(crate) fn title(text: &str) -> String {
    cut(&plain(text), TITLE_CHARS)
}

/// A body of two sentences, bounded: the second one is never what is cut.
pub(crate) fn body(first: &str, second: &str) -> String {
    let (first, second) = (plain(first), title(second));
    if first.is_empty() || second.is_empty() {
        return cut(&(first + &second), BODY_CHARS);
    }
    let first = cut(&first, BODY_CHARS.saturating_sub(second.chars().count() + 2));
    let stop = if first.ends_with(['.', '!', '?', '…', ':']) { " " } else { ". " };
    format!("{first}{stop}{second}")
}

/// Whether nothing of it is left out or altered when it is shown as a title.
pub(crate) fn fits_whole(text: &str) -> bool {
    title(text) == text
}

/// Where something happened: a session, and its profile where there are several.
pub(crate) fn place(session: &str, profile: Option<&str>) -> String {
    match profile {
        Some(profile) if session.is_empty() => profile.to_owned(),
        Some(profile) => format!("{profile}: {session}"),
        None => session.to_owned(),
    }
}

/// The question whether a command may run, and where if there are several profiles.
pub(crate) fn question(profile: Option<&str>) -> String {
    profile.map_or_else(|| "Allow a command?".into(), |profile| format!("Allow a command in {profile}?"))
}

/// `n finished, m failed`.
pub(crate) fn counts(done: u32, failed: u32) -> String {
    match (done, failed) {
        (done, 0) => format!("{done} finished"),
        (0, failed) => format!("{failed} failed"),
        (done, failed) => format!("{done} finished, {failed} failed"),
    }
}

/// For services that read bodies as markup. Nothing else is ever escaped.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One line without anything that is not a letter on the screen: sequences of a terminal, control characters, and those
/// that turn the direction of what follows.
fn plain(text: &str) -> String {
    let text = gatehouse_text::ansi::strip(text);
    let spaced = text.chars().map(|c| if matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}') { ' ' } else { c });
    let kept: String = spaced.filter(|c| !c.is_control() && !turns(*c)).collect();
    kept.trim().to_owned()
}

const fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn cut(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_names_what_and_where() {
        assert_eq!(
            body("118 passed, 2 failed", "Orders on the new database"),
            "118 passed, 2 failed. Orders on the new database"
        );
        assert_eq!(body("Done.", "Orders"), "Done. Orders");
        assert_eq!(body("", "Orders"), "Orders");
        assert_eq!(body("build & test <3", ""), "build & test <3");
    }

    #[test]
    fn a_profile_is_named_before_what_may_be_cut() {
        assert_eq!(place("Orders", None), "Orders");
        assert_eq!(place("Orders", Some("work")), "work: Orders");
        assert_eq!(place("", Some("work")), "work");
        assert_eq!(question(None), "Allow a command?");
        assert_eq!(question(Some("work")), "Allow a command in work?");
        assert!(body("built", &place(&"é".repeat(300), Some("work"))).starts_with("built. work: é"));
    }

    #[test]
    fn what_is_cut_is_cut_between_characters_and_the_place_stays() {
        let long = body(&"ä€😀".repeat(500), "Orders");
        assert!(long.chars().count() <= BODY_CHARS, "{}", long.chars().count());
        assert!(long.ends_with("… Orders"), "{long}");
        assert_eq!(title(&"é".repeat(300)).chars().count(), TITLE_CHARS);
    }

    #[test]
    fn what_is_no_letter_goes() {
        assert_eq!(title("a\u{0}b\u{1b}[31mred\u{1b}[0m\nsecond line"), "abred second line");
        assert_eq!(title("\u{202e}txt.exe\u{2069}"), "txt.exe");
    }

    #[test]
    fn only_markup_is_escaped() {
        assert_eq!(escape("build & test <3"), "build &amp; test &lt;3");
        assert_eq!(escape("&lt;kept&gt;"), "&amp;lt;kept&amp;gt;");
        assert_eq!(escape("<img src=\"file:///etc/passwd\"/>x"), "&lt;img src=\"file:///etc/passwd\"/&gt;x");
    }

    #[test]
    fn a_command_fits_only_as_it_is() {
        assert!(fits_whole("npm test"));
        assert!(!fits_whole("npm test\nrm -rf /"));
        assert!(!fits_whole("rm \u{202e}x"));
        assert!(!fits_whole(&"a".repeat(101)));
    }

    #[test]
    fn counts_leave_out_what_is_not_there() {
        assert_eq!(counts(12, 3), "12 finished, 3 failed");
        assert_eq!(counts(1, 0), "1 finished");
        assert_eq!(counts(0, 4), "4 failed");
    }
}
