//! Answers that say: nothing is to be said.

/// The whole answer, and nothing beside it. Brackets are part of a marker.
const MARKERS: [&str; 8] = ["[SILENT]", "SILENT", "NO_REPLY", "NO REPLY", "[静默]", "静默", "无需回复", "不回复"];
/// Nothing longer is a marker.
const LONGEST: usize = 64;
/// What people and models put around a word.
const EDGE: &[char] = &['.', '!', '?', ',', ';', ':', '"', '\'', '`', '*', '_', '…', '。', '！', '，'];

/// Whether an answer is a marker of silence. An empty one is not: something went wrong with it.
pub fn is_silence(answer: &str) -> bool {
    let answer = answer.trim();
    if answer.chars().count() > LONGEST {
        return false;
    }
    let bare = answer.trim_matches(|c: char| EDGE.contains(&c) || c.is_whitespace());
    MARKERS.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_marker_is_silence() {
        for (answer, silent) in [
            ("[SILENT]", true),
            ("SILENT", true),
            (" NO_REPLY\n", true),
            ("NO REPLY.", true),
            ("**NO_REPLY**", true),
            ("`[SILENT]`", true),
            ("静默。", true),
            ("", false),
            ("  \n", false),
            ("...", false),
            ("silent", false),
            ("[NO_REPLY]", false),
            ("[SILENT", false),
            ("SILENT night", false),
            ("The build is done. [SILENT]", false),
            ("NO_REPLY\nNO_REPLY", false),
        ] {
            assert_eq!(is_silence(answer), silent, "{answer:?}");
        }
        assert!(!is_silence(&format!("NO_REPLY{}", "!".repeat(80))));
    }
}
