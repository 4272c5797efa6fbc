//! What a person asks to be fetched from the web: one image at a time.
//!
//! **Owns** that one request: its bounds, and finding out by the bytes whether what came is an image.
//!
//! **Never** asks by itself, sends a cookie, a key or where it came from, or keeps what it fetched.

mod image; // one image, by its address

pub use image::{Error, Image, Result, image};
