//! The real window: the desktop program under a WebDriver, on a real display, with a provider that plays scripts.
//!
//! It needs a display and a session bus: `xvfb-run -a dbus-run-session -- cargo test -p gatehouse-tests --test desktop`.
//! Programs are built before: `cargo build -p gatehouse -p gatehouse-server -p gatehouse-process --bins --features
//! gatehouse/custom-protocol`. Each journey leaves pictures under `screens/` in the target directory.

#[cfg(test)]
mod commands; // a person's own commands
#[cfg(test)]
mod composing; // an input method and its Enter
#[cfg(test)]
mod deny; // a command that is not wanted
#[cfg(test)]
mod files; // what an answer names, and the way to it
#[cfg(test)]
mod first_run; // the very first start
#[cfg(test)]
mod hostile; // words that would like to be markup
#[cfg(test)]
mod images; // what is fetched, and when
#[cfg(test)]
mod instances; // more than one start
#[cfg(test)]
mod journey; // the main journey, from a message to the answer to a note
#[cfg(test)]
mod links; // ways out of the window
#[cfg(test)]
mod profiles; // several profiles in one program
#[cfg(test)]
mod quit; // leaving, and coming back
#[cfg(test)]
mod reload; // a page that begins anew in the middle
#[cfg(test)]
mod settings; // providers and the file
#[cfg(test)]
mod silence; // a desktop without notifications
#[cfg(test)]
mod theme; // light and dark
#[cfg(test)]
mod toasts; // what the system tells, and the way back
#[cfg(test)]
mod torrent; // output without end
#[cfg(test)]
mod tray; // one way back and out for all profiles
#[cfg(test)]
mod trouble; // a window that must say why it cannot work
#[cfg(test)]
mod windows; // two windows on one gateway

#[cfg(test)]
use gatehouse_tests::desk::{app, page};
