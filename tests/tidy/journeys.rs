//! Every journey that the document tells is walked by tests that exist.

use regex::Regex;

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn every_journey_names_tests_that_exist() -> Result {
    let document = tree::read("docs/journeys.md")?;
    let mut files = tree::sources("tests/desktop", &[".rs"])?;
    files.extend(tree::sources("tests/engine", &[".rs"])?);
    none(offences(&document, &files)?)
}

#[test]
fn an_invented_test_and_a_journey_without_one_are_found() -> Result {
    let document =
        "# Journeys\n\n## Chat\n\nI write.\n\nTests: `chat::it_answers`, `chat::it_sings`\n\n## Fly\n\nI fly.\n";
    let chat =
        Source { path: "tests/desktop/chat.rs".into(), text: "#[tokio::test]\nasync fn it_answers() {}\n".into() };
    assert_eq!(offences(document, &[chat])?, ["Chat: there is no `chat::it_sings`", "Fly: nobody walks it"]);
    Ok(())
}

fn offences(document: &str, files: &[Source]) -> Result<Vec<String>> {
    let test = Regex::new(r"#\[(?:tokio::)?test\]\s+(?:async )?fn (\w+)")?;
    let named = Regex::new(r"`(\w+::\w+)`")?;
    let mut known = Vec::new();
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let module = name.trim_end_matches(".rs");
        known.extend(test.captures_iter(&file.text).map(|found| format!("{module}::{}", &found[1])));
    }
    let mut found = Vec::new();
    for journey in document.split("\n## ").skip(1) {
        let title = journey.lines().next().unwrap_or_default();
        let walked = journey.lines().filter(|line| line.starts_with("Test")).flat_map(|line| named.captures_iter(line));
        let walked: Vec<_> = walked.map(|name| name[1].to_owned()).collect();
        if walked.is_empty() {
            found.push(format!("{title}: nobody walks it"));
        }
        found.extend(
            walked.iter().filter(|name| !known.contains(name)).map(|name| format!("{title}: there is no `{name}`")),
        );
    }
    Ok(found)
}
