//! Programs ask their terminal who it is and wait for the answer. There is nobody at this one, so the shim answers what
//! is asked for most, and keeps the questions out of the output. On the way it sees what they make of their screen.

const ESCAPE: u8 = 0x1b;
const STATUS: &[u8] = b"\x1b[5n";
const POSITION: &[u8] = b"\x1b[6n";
const SIZE: &[u8] = b"\x1b[18t";
const MODE: &[u8] = b"\x1b[?";
const MODE_ENDS: &[u8] = b"$p";
const MODE_DIGITS: usize = 10;
/// The private mode of a cursor that is seen.
const CURSOR: u64 = 25;
/// Those of a screen of its own, without what stood there before.
const WHOLE: [u64; 3] = [47, 1047, 1049];
/// The longest beginning of a question that is not one yet.
pub const LONGEST: usize = MODE.len() + MODE_DIGITS + MODE_ENDS.len();

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// Whether it works.
    Status,
    /// Where the cursor is.
    Position,
    /// How large it is.
    Size,
    /// How a private mode is set.
    Mode(u64),
}

impl Query {
    /// What a terminal of this size says.
    pub fn answer(self, rows: u16, cols: u16) -> String {
        match self {
            Self::Status => "\x1b[0n".to_owned(),
            Self::Position => "\x1b[1;1R".to_owned(),
            Self::Size => format!("\x1b[8;{rows};{cols}t"),
            // Not recognised, whichever it is.
            Self::Mode(mode) => format!("\x1b[?{mode};0$y"),
        }
    }
}

/// What a program has made of its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// It draws the whole of it.
    pub is_whole: bool,
    /// It shows where that would stand which somebody types.
    pub has_cursor: bool,
}

impl Screen {
    /// As it is before anybody has drawn.
    pub const PLAIN: Self = Self { is_whole: false, has_cursor: true };

    fn set(&mut self, mode: u64, is_on: bool) {
        match mode {
            CURSOR => self.has_cursor = is_on,
            mode if WHOLE.contains(&mode) => self.is_whole = is_on,
            _ => {}
        }
    }
}

/// Where the parts of a sifted piece lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sifted {
    /// Output, from the beginning.
    pub kept: usize,
    /// Right after it: the beginning of what may be a question, to be sifted again with what comes next.
    pub held: usize,
}

/// Takes the questions out of a piece, in place, and notes what becomes of the screen.
pub fn sift(piece: &mut [u8], queries: &mut Vec<Query>, screen: &mut Screen) -> Sifted {
    let (mut from, mut to) = (0, 0);
    while from < piece.len() {
        let seen = if piece[from] == ESCAPE { Seen::at(&piece[from..]) } else { Seen::Output };
        match seen {
            Seen::Query(query, len) => {
                queries.push(query);
                from += len;
            }
            Seen::Beginning => break,
            Seen::Output | Seen::Mode(..) => {
                if let Seen::Mode(mode, is_on) = seen {
                    screen.set(mode, is_on);
                }
                piece[to] = piece[from];
                (from, to) = (from + 1, to + 1);
            }
        }
    }
    let held = piece.len() - from;
    piece.copy_within(from.., to);
    Sifted { kept: to, held }
}

enum Seen {
    Query(Query, usize),
    /// Output that sets a private mode, or takes it back.
    Mode(u64, bool),
    Beginning,
    Output,
}

impl Seen {
    fn at(bytes: &[u8]) -> Self {
        for (text, query) in [(STATUS, Query::Status), (POSITION, Query::Position), (SIZE, Query::Size)] {
            if bytes.starts_with(text) {
                return Self::Query(query, text.len());
            }
            if text.starts_with(bytes) {
                return Self::Beginning;
            }
        }
        match bytes.strip_prefix(MODE) {
            Some(rest) => Self::mode(rest),
            None if MODE.starts_with(bytes) => Self::Beginning,
            None => Self::Output,
        }
    }

    fn mode(rest: &[u8]) -> Self {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        if digits > MODE_DIGITS || (digits == 0 && !rest.is_empty()) {
            return Self::Output;
        }
        let mode = number.iter().fold(0, |mode, digit| mode * 10 + u64::from(digit - b'0'));
        if rest.starts_with(MODE_ENDS) {
            return Self::Query(Query::Mode(mode), MODE.len() + digits + MODE_ENDS.len());
        }
        if let Some(end @ (b'h' | b'l')) = rest.first() {
            return Self::Mode(mode, *end == b'h');
        }
        if MODE_ENDS.starts_with(rest) { Self::Beginning } else { Self::Output }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What comes out of pieces, as the capture puts them together.
    fn through(pieces: &[&[u8]]) -> (Vec<u8>, Vec<Query>) {
        let (output, queries, _) = with_screen(pieces);
        (output, queries)
    }

    fn with_screen(pieces: &[&[u8]]) -> (Vec<u8>, Vec<Query>, Screen) {
        let (mut output, mut held, mut queries) = (Vec::new(), Vec::new(), Vec::new());
        let mut screen = Screen::PLAIN;
        for piece in pieces {
            let mut piece = [held.as_slice(), piece].concat();
            let sifted = sift(&mut piece, &mut queries, &mut screen);
            output.extend_from_slice(&piece[..sifted.kept]);
            held = piece[sifted.kept..sifted.kept + sifted.held].to_vec();
            assert!(held.len() < LONGEST, "{held:?}");
        }
        output.extend(held);
        (output, queries, screen)
    }

    #[test]
    fn what_becomes_of_the_screen_is_seen_wherever_it_is_cut() {
        for (text, is_whole, has_cursor) in [
            ("", false, true),
            ("\x1b[?1049h\x1b[?25l", true, false),
            ("\x1b[?1049h\x1b[?25l~\x1b[?25h", true, true),
            ("\x1b[?47h\x1b[?1h\x1b[?2004h", true, true),
            ("\x1b[?1049h\x1b[?25l\x1b[?1049l\x1b[?25h", false, true),
            ("[?1049h \x1b[1049h \x1b[?h", false, true),
        ] {
            for at in 0..=text.len() {
                let (output, _, screen) = with_screen(&[&text.as_bytes()[..at], &text.as_bytes()[at..]]);
                assert_eq!(screen, Screen { is_whole, has_cursor }, "{text:?} cut at {at}");
                assert_eq!(output, text.as_bytes(), "cut at {at}");
            }
        }
    }

    #[test]
    fn every_question_is_answered_and_left_out_wherever_it_is_cut() {
        let text = b"a\x1b[5nb\x1b[31m\x1b[6n\x1b[18t\x1b[?2026$p\x1b[?25h\x1b[?1234567890$pend";
        let asked = [Query::Status, Query::Position, Query::Size, Query::Mode(2026), Query::Mode(1_234_567_890)];
        for at in 0..=text.len() {
            let (output, queries) = through(&[&text[..at], &text[at..]]);
            assert_eq!(output, b"ab\x1b[31m\x1b[?25hend", "cut at {at}");
            assert_eq!(queries, asked, "cut at {at}");
        }
        let single: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(through(&single), (b"ab\x1b[31m\x1b[?25hend".to_vec(), asked.to_vec()));
    }

    #[test]
    fn what_only_looks_like_a_question_is_output() {
        for text in ["\x1b[7n", "\x1b[18;1t", "\x1b[?$p", "\x1b[?12345678901$p", "\x1b[?25$q", "\x1b\x1b[", "\x1b[?2"] {
            assert_eq!(through(&[text.as_bytes()]), (text.as_bytes().to_vec(), vec![]), "{text:?}");
        }
        assert_eq!(through(&[b"\x1b[\x1b[6n"]), (b"\x1b[".to_vec(), vec![Query::Position]));
    }

    #[test]
    fn answers_are_those_of_a_terminal() {
        let answers = [Query::Status, Query::Position, Query::Size, Query::Mode(2004)].map(|q| q.answer(30, 120));
        assert_eq!(answers, ["\x1b[0n", "\x1b[1;1R", "\x1b[8;30;120t", "\x1b[?2004;0$y"]);
    }

    fn bits() -> impl Strategy<Value = Vec<u8>> {
        let bit = prop_oneof![
            Just(&b"\x1b[5n"[..]),
            Just(&b"\x1b[6n"[..]),
            Just(&b"\x1b[18t"[..]),
            Just(&b"\x1b[?1049$p"[..]),
            Just(&b"\x1b"[..]),
            Just(&b"\x1b["[..]),
            Just(&b"\x1b[?"[..]),
            Just(&b"7"[..]),
            Just(&b"$"[..]),
            Just(&b"p"[..]),
            Just("é\n".as_bytes()),
        ];
        prop::collection::vec(bit, 0..40).prop_map(|bits| bits.concat())
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(text in bits(), cuts in prop::collection::vec(1_usize..8, 1..20)) {
            let (mut pieces, mut rest) = (Vec::new(), text.as_slice());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (piece, more) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = more;
            }
            prop_assert_eq!(through(&pieces), through(&[&text]));
        }
    }
}
