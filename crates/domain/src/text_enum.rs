//! Closed enums that have one stable text form, for rows and for the wire.

/// A word that is not one of an enum's known words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind}: {word:?}")]
pub struct UnknownWord {
    /// The enum's name.
    pub kind: &'static str,
    /// What was read.
    pub word: String,
}

/// Declares an enum whose variants have one stable text form each.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownWord { kind: stringify!($name), word: word.to_owned() }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use text_enum;

#[cfg(test)]
mod tests {
    use crate::ItemKind;

    #[test]
    fn every_word_reads_back() {
        for kind in ItemKind::ALL {
            assert_eq!(kind.as_str().parse::<ItemKind>().as_ref(), Ok(kind));
        }
        assert!("Message".parse::<ItemKind>().is_err());
    }
}
