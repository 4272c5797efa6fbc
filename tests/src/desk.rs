//! What stands around a window on somebody's desk: a session bus, and on it whoever shows notifications and trays and
//! knows whether it is light or dark. Each is a program of its own on a bus of its own, so that nothing of the machine
//! that tests is asked or changed.

pub mod app; // the desktop program
mod bus; // the session bus
mod driver; // what stands between the tests and the window
pub mod page; // what stands on the page
mod place; // the window's place on the display
mod portal; // light or dark
mod screen; // the display
mod toaster; // notifications
mod trays; // the panel

pub use bus::Bus;
pub use portal::{Portal, Scheme};
pub use screen::{Frame, Screen};
pub use toaster::{Manner, Toast, Toaster};
pub use trays::Trays;
