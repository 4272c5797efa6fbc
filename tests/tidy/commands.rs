//! A document names no npm command that `package.json` does not have.

use regex::Regex;
use serde_json::Value;

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn documents_name_real_commands() -> Result {
    let package: Value = serde_json::from_str(&tree::read("package.json")?)?;
    let mut documents = tree::sources("docs", &[".md"])?;
    for path in ["README.md", "AGENTS.md"] {
        documents.push(Source { path: path.into(), text: tree::read(path)? });
    }
    let mut found = Vec::new();
    for document in &documents {
        found.extend(offences(document, &package)?);
    }
    none(found)
}

#[test]
fn an_invented_command_is_found() -> Result {
    let package = serde_json::json!({ "scripts": { "test": "x", "bench": "x" } });
    let text = "`npm test`, `npm start`\n```sh\nnpm run bench -- all\nnpm run serve\nnpm ci\n```\n";
    let document = Source { path: "README.md".into(), text: text.into() };
    assert_eq!(
        offences(&document, &package)?,
        ["README.md: there is no `npm start`", "README.md: there is no `npm run serve`"]
    );
    Ok(())
}

fn offences(document: &Source, package: &Value) -> Result<Vec<String>> {
    let named = Regex::new(r"\bnpm (?:(start|test)|run ([\w:-]+))\b")?;
    let missing = |script: &str| package["scripts"].get(script).is_none();
    let found = named.captures_iter(&document.text).filter_map(|capture| {
        let script = capture.get(1).or(capture.get(2))?.as_str();
        missing(script).then(|| format!("{}: there is no `{}`", document.path, &capture[0]))
    });
    Ok(found.collect())
}
