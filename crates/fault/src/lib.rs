//! Named moments at which a program can be told to end at once, so that what it promised can be proven at each of them.
//!
//! **Owns** the list of these moments, and the end: without the feature `faults` there is neither a name nor any code.
//!
//! **Never** decides anything, and nothing is told to whoever waits for an answer: an end here is one by SIGKILL.
//!
//! With the feature, `GATEHOUSE_FAULT=name:nth` in the environment ends the program when it comes to that moment for the
//! nth time, which then says so in its standard error, and `GATEHOUSE_FAULT=list` prints the names. Those that begin with
//! `shim.` are handed on to shims, each of which counts for itself.

#[cfg(feature = "faults")]
mod armed; // the names, the counting and the end
mod point; // the moments

pub use point::Point;

#[cfg(feature = "faults")]
pub use armed::{handed_on, list_if_asked, point};

/// Nothing happens here.
#[cfg(not(feature = "faults"))]
#[inline]
pub const fn point(_moment: Point) {}

/// Whether the program was asked for its list instead of its work: never.
#[cfg(not(feature = "faults"))]
#[inline]
pub const fn list_if_asked() -> bool {
    false
}

/// What a shim has to know: nothing.
#[cfg(not(feature = "faults"))]
#[inline]
pub const fn handed_on() -> Option<(&'static str, std::ffi::OsString)> {
    None
}
