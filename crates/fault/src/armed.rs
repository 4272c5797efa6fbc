use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Signal, getpid, kill_process};

use crate::Point;

const VARIABLE: &str = "GATEHOUSE_FAULT";
const LIST: &str = "list";
/// Before the name of the moment at which a program ends.
const SAID: &str = "gatehouse-fault ";
/// Of moments in a shim.
const SHIM: &str = "shim.";

/// What the environment asks for.
struct Order {
    name: String,
    nth: usize,
    come: AtomicUsize,
}

fn order() -> Option<&'static Order> {
    static ORDER: OnceLock<Option<Order>> = OnceLock::new();
    ORDER.get_or_init(|| std::env::var(VARIABLE).ok().as_deref().and_then(read)).as_ref()
}

fn read(text: &str) -> Option<Order> {
    let (name, nth) = text.split_once(':')?;
    Some(Order { name: name.to_owned(), nth: nth.parse().ok()?, come: AtomicUsize::new(0) })
}

/// Ends the program if it was told to end here, and now.
pub fn point(moment: Point) {
    let Some(order) = order().filter(|order| order.name == moment.name()) else { return };
    if order.come.fetch_add(1, Ordering::Relaxed) + 1 != order.nth {
        return;
    }
    // Whoever told it to end here wants to know that it did; the end does not wait for that.
    let _unwritten = writeln!(io::stderr(), "{SAID}{}", order.name);
    if kill_process(getpid(), Signal::KILL).is_err() {
        std::process::abort();
    }
}

/// Prints the names, if that is what the program was started for.
pub fn list_if_asked() -> bool {
    if std::env::var(VARIABLE).as_deref() != Ok(LIST) {
        return false;
    }
    let names: Vec<_> = Point::ALL.iter().map(|point| point.name()).collect();
    // Who closed the stream does not want to read them.
    let _unread = writeln!(io::stdout(), "{}", names.join("\n"));
    true
}

/// What a shim has to know of it.
pub fn handed_on() -> Option<(&'static str, OsString)> {
    let order = order().filter(|order| order.name.starts_with(SHIM))?;
    Some((VARIABLE, format!("{}:{}", order.name, order.nth).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Point::ALL.iter().map(|point| point.name()).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn an_order_is_a_name_and_a_number() {
        let order = read("store.commit.before:3").unwrap();
        assert_eq!((order.name.as_str(), order.nth), ("store.commit.before", 3));
        assert!(read("list").is_none() && read("a:b").is_none());
    }
}
