//! Which messages of a conversation are told, where all of them are longer than the context.
//!
//! Whole messages are left out, the oldest first, and many at once: what is kept then begins alike for many turns, and
//! what begins alike is not read again. The choice needs no memory. The conversation is walked from its beginning as if
//! it were asked question by question, so that a longer one begins where the shorter one did.

use gatehouse_engine_wire::Role;

/// What a message costs beyond its words: the marks around it.
const MARKS: usize = 8;
/// What a template writes before the first message.
const HEAD: usize = 64;

/// A message as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub role: Role,
    /// How many tokens its words have.
    pub tokens: usize,
}

/// How many tokens a conversation may have, and how many are left of one that has more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    most: usize,
    keep: usize,
}

impl Room {
    /// In a context of so many tokens, with room for an answer: as long as it may be, but never most of the context.
    pub fn new(context: u32, answer: u32) -> Self {
        let context = context as usize;
        let answer = (answer as usize).min(context / 4);
        Self { most: context - answer, keep: context / 2 }
    }

    /// The index of the first message that is told. Standing instructions before it are told as well.
    pub fn first(self, parts: &[Part]) -> usize {
        let (mut first, mut total) = (0, HEAD);
        for (index, part) in parts.iter().enumerate() {
            total += part.tokens + MARKS;
            let asks = part.role == Role::User || index + 1 == parts.len();
            if asks && total > self.most {
                (first, total) = self.cut(parts, first, index, total);
            }
        }
        first
    }

    /// Leaves out until little is left. Many templates want a person to begin.
    fn cut(self, parts: &[Part], mut first: usize, last: usize, mut total: usize) -> (usize, usize) {
        while first < last && (total > self.keep || parts[first].role != Role::User) {
            if parts[first].role != Role::System {
                total -= parts[first].tokens + MARKS;
            }
            first += 1;
        }
        (first, total)
    }
}

/// Where the next shorter conversation begins: at a later word of a person. Nothing when there is none.
pub(crate) fn next(parts: &[Part], first: usize) -> Option<usize> {
    (first + 1..parts.len()).find(|index| parts[*index].role == Role::User)
}

/// Whether the message at `index` is told.
pub(crate) fn is_told(parts: &[Part], first: usize, index: usize) -> bool {
    index >= first || parts[index].role == Role::System
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOM: Room = Room { most: 1000, keep: 500 };

    fn talk(sizes: &[usize]) -> Vec<Part> {
        let role = |index: usize| if index.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let turns = sizes.iter().enumerate().map(|(index, tokens)| Part { role: role(index), tokens: *tokens });
        std::iter::once(Part { role: Role::System, tokens: 20 }).chain(turns).collect()
    }

    fn told(parts: &[Part], first: usize) -> usize {
        let kept = parts.iter().enumerate().filter(|(index, _)| is_told(parts, first, *index));
        HEAD + kept.map(|(_, part)| part.tokens + MARKS).sum::<usize>()
    }

    #[test]
    fn what_fits_is_told_whole() {
        assert_eq!(ROOM.first(&talk(&[100, 100, 100])), 0);
        assert_eq!(ROOM.first(&[]), 0);
        assert_eq!((Room::new(1024, 64).most, Room::new(1024, 9000).most), (960, 768));
    }

    #[test]
    fn many_messages_go_at_once_and_none_goes_again_soon() {
        let mut sizes = vec![92; 11];
        let first = ROOM.first(&talk(&sizes));
        // Four of them would fit, but then the model would begin.
        assert_eq!((first, talk(&sizes)[first].role), (9, Role::User));
        assert!(told(&talk(&sizes), first) <= ROOM.keep);
        for _ in 0..5 {
            sizes.push(92);
            assert_eq!(ROOM.first(&talk(&sizes)), first, "the beginning moved at {} messages", sizes.len());
        }
    }

    #[test]
    fn a_last_message_that_fills_everything_stays_alone() {
        let parts = talk(&[50, 50, 5000]);
        assert_eq!(ROOM.first(&parts), 3);
        assert_eq!((next(&parts, 0), next(&parts, 1), next(&parts, 3)), (Some(1), Some(3), None));
    }

    proptest! {
        #[test]
        fn a_growing_conversation_begins_later_and_later(sizes in prop::collection::vec(0_usize..400, 1..60)) {
            let parts = talk(&sizes);
            let mut before = 0;
            for end in (2..=parts.len()).step_by(2) {
                let (so_far, first) = (&parts[..end], ROOM.first(&parts[..end]));
                prop_assert!(first >= before && first < end);
                prop_assert!(told(so_far, first) <= ROOM.most || first == end - 1, "it does not fit");
                if first > before {
                    prop_assert!(told(so_far, first) <= ROOM.keep || first == end - 1, "too little was left out");
                    prop_assert_eq!(parts[first].role, Role::User);
                }
                before = first;
            }
        }
    }
}
