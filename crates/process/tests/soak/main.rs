//! Many commands one after the other, in a program of its own where no other test opens descriptors or starts anybody.

#[cfg(test)]
mod commands; // from one to ten thousand of them
#[cfg(test)]
#[path = "../suite/support.rs"]
#[expect(dead_code, reason = "shared with a larger suite")]
mod support;
