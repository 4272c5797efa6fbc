//! How a window looks, as a person chose it.

use crate::text_enum::text_enum;

text_enum! {
    /// Light or dark.
    Theme {
        /// As the system is.
        System = "system",
        /// Always light.
        Light = "light",
        /// Always dark.
        Dark = "dark",
    }
}

text_enum! {
    /// How strongly things stand out.
    Contrast {
        /// As the system asks.
        System = "system",
        /// As designed.
        Normal = "normal",
        /// As strong as it gets.
        High = "high",
    }
}

text_enum! {
    /// How much of a turn's work is open.
    Density {
        /// Every card is open.
        Verbose = "verbose",
        /// A row each; what needs somebody is open.
        Normal = "normal",
        /// A row per turn.
        Summary = "summary",
    }
}

text_enum! {
    /// Whether things may move.
    Motion {
        /// As the system asks.
        System = "system",
        /// As designed.
        Normal = "normal",
        /// Nothing moves.
        Reduced = "reduced",
    }
}
