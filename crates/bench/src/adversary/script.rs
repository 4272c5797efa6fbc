use std::fmt::Write as _;
use std::path::Path;

/// How the direct child behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leader {
    /// It ends with this code when it is let go, and leaves the others behind.
    EndsFirst(i64),
    /// TERM ends it.
    Polite,
    /// Only KILL ends it.
    Deaf,
}

/// What a tree is made of.
pub(super) struct Text {
    pub words: String,
    /// Lines in its list once it stands.
    pub members: u64,
    pub leader: Leader,
}

/// A part of a tree, and how many lines it adds to the list.
struct Part {
    words: &'static str,
    members: u64,
}

const CODE: i64 = 3;

const PARTS: [Part; 6] = [
    // Three levels that ignore TERM.
    Part { words: "deaf 3 &", members: 3 },
    // A session of its own.
    Part {
        words: "setsid bash -c 'trap \"\" TERM HUP; echo >>\"$0\"; while :; do sleep 0.2; done' \"$READY\" &",
        members: 1,
    },
    // No parent, no session, no variables.
    Part {
        words: "(setsid env -i /bin/bash -c 'trap \"\" TERM HUP; echo >>\"$0\"; while :; do /bin/sleep 0.2; done' \"$READY\" &)",
        members: 1,
    },
    // Somebody who hears nothing until they are told to go on.
    Part { words: "(echo >>\"$READY\"; kill -STOP $BASHPID; exec sleep 300) &", members: 1 },
    // Seven who fork without an end, a few at a time.
    Part { words: "storm 2 &", members: 7 },
    // Somebody who would go if asked.
    Part { words: "(echo >>\"$READY\"; exec sleep 300) &", members: 1 },
];

const HEAD: &str = r#"
deaf() { trap '' TERM; [ $1 -gt 1 ] && deaf $(($1 - 1)) & echo >>"$READY"; while :; do sleep 0.2; done; }
storm() {
  trap '' TERM
  [ $1 -gt 0 ] && { storm $(($1 - 1)) & storm $(($1 - 1)) & }
  echo >>"$READY"
  while :; do sleep 0.07 & sleep 0.05; done
}
"#;

/// The `number`-th tree of a seed; `mark` is held open by everybody, `ready` gets a line from each.
pub(super) fn text(seed: u64, number: usize, mark: &Path, ready: &Path) -> Text {
    let mut dice = Dice(seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let first = dice.below(PARTS.len() as u64);
    let chosen: Vec<&Part> =
        (0..).zip(&PARTS).filter(|(at, _)| *at == first || dice.below(3) == 0).map(|(_, part)| part).collect();
    let (leader, last) = match dice.below(3) {
        0 => (Leader::EndsFirst(CODE), "until [ -e \"$READY.go\" ]; do sleep 0.02; done; exit 3"),
        1 => (Leader::Polite, "exec sleep 300"),
        _ => (Leader::Deaf, "trap '' TERM; echo >>\"$READY\"; while :; do sleep 0.2; done"),
    };
    let members = chosen.iter().map(|part| part.members).sum::<u64>() + u64::from(leader == Leader::Deaf);
    let mut words = format!("exec 9<'{}'\nREADY='{}'\n{HEAD}", mark.display(), ready.display());
    for part in chosen {
        // Writing to a string cannot fail.
        let _written = writeln!(words, "{}", part.words);
    }
    words.push_str(last);
    words.push('\n');
    Text { words, members, leader }
}

/// The same numbers for the same seed, on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_trees_and_all_kinds_of_them() {
        let tree = |number| text(7, number, "m".as_ref(), "r".as_ref());
        assert_eq!(tree(4).words, tree(4).words);
        let all: Vec<Text> = (0..60).map(tree).collect();
        for part in &PARTS {
            assert!(all.iter().any(|tree| tree.words.contains(part.words)), "{}", part.words);
        }
        for leader in [Leader::EndsFirst(CODE), Leader::Polite, Leader::Deaf] {
            assert!(all.iter().any(|tree| tree.leader == leader));
        }
        assert!(all.iter().all(|tree| tree.members > 0));
    }
}
