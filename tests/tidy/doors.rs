//! Each crate says at its door what it owns and what it never does.

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn each_crate_says_what_it_owns_and_never_does() -> Result {
    let mut doors = tree::sources("crates", &["src/lib.rs", "lib.rs"])?;
    doors.retain(|door| door.path.ends_with("/src/lib.rs"));
    doors.push(Source { path: "src-tauri/lib.rs".into(), text: tree::read("src-tauri/lib.rs")? });
    assert!(doors.len() >= 11, "only {} crates were found: this check looks in the wrong place", doors.len());
    none(doors.iter().flat_map(offences).collect())
}

#[test]
fn a_silent_door_is_found() {
    let door =
        Source { path: "a/src/lib.rs".into(), text: "//! A crate.\n//! **Owns** a thing.\nmod x; // **never**".into() };
    assert_eq!(offences(&door), ["a/src/lib.rs: the head does not say what the crate **never** does"]);
}

fn offences(door: &Source) -> Vec<String> {
    let head: Vec<_> = door.text.lines().take_while(|line| line.starts_with("//!")).collect();
    let head = head.join("\n").to_lowercase();
    let mut found = Vec::new();
    if !head.contains("**owns**") {
        found.push(format!("{}: the head does not say what the crate **owns**", door.path));
    }
    if !head.contains("**never**") {
        found.push(format!("{}: the head does not say what the crate **never** does", door.path));
    }
    found
}
