//! Every string of the window has an id in a Fluent file, and every id there is used.

use std::collections::BTreeSet;

use regex::Regex;

use crate::tree::Source;
use crate::{Result, none, tree};

#[test]
fn strings_and_their_uses_agree() -> Result {
    let strings = ids(&tree::sources("ui/src", &[".ftl"])?)?;
    assert!(!strings.is_empty(), "no .ftl was found in ui/src: this check looks in the wrong place");
    let mut pages = tree::sources("ui/src", &[".ts", ".tsx"])?;
    pages.retain(|page| !page.path.contains(".test."));
    none(offences(&strings, &pages)?)
}

#[test]
fn a_missing_and_an_unused_string_are_found() -> Result {
    let words = Source {
        path: "ui/src/text/en.ftl".into(),
        text: "# A comment = no id\nsend = Send\nstate-running = Runs\n    .title = More\nkind-note = Note\nold = Old\n-brand = G\n"
            .into(),
    };
    let page = Source {
        path: "ui/src/a.tsx".into(),
        text: "t(\"send\"); t('lost', { n }); <Localized\n  id=\"away\" />; t(`state-${state}`); \
               const kinds = { note: \"kind-note\" }; format(\"x\"); <div id=\"box\" />"
            .into(),
    };
    let found = offences(&ids(&[words])?, &[page])?;
    assert_eq!(
        found,
        ["ui/src/a.tsx: `lost` stands in no .ftl", "ui/src/a.tsx: `away` stands in no .ftl", "ftl: nobody uses `old`"]
    );
    Ok(())
}

/// The message ids of Fluent files; terms and attributes are not asked for by code.
fn ids(files: &[Source]) -> Result<BTreeSet<String>> {
    let message = Regex::new(r"(?m)^([A-Za-z][\w-]*)\s*=")?;
    Ok(files.iter().flat_map(|file| message.captures_iter(&file.text)).map(|found| found[1].to_owned()).collect())
}

fn offences(strings: &BTreeSet<String>, pages: &[Source]) -> Result<Vec<String>> {
    let asked = Regex::new(r#"(?:\b(?:t|text|getString)\(\s*|<Localized\b[^>]*?\bid=\{?)["']([A-Za-z][\w-]*)["']"#)?;
    let mut found = Vec::new();
    for page in pages {
        let ids = asked.captures_iter(&page.text).map(|capture| capture[1].to_owned());
        let missing = ids.filter(|id| !strings.contains(id));
        found.extend(missing.map(|id| format!("{}: `{id}` stands in no .ftl", page.path)));
    }
    let used = used(pages)?;
    found.extend(strings.iter().filter(|id| !used.has(id)).map(|id| format!("ftl: nobody uses `{id}`")));
    Ok(found)
}

/// What code may ask for: ids written out anywhere, and beginnings of ids that a template completes.
struct Used {
    whole: BTreeSet<String>,
    beginnings: Vec<String>,
}

impl Used {
    fn has(&self, id: &str) -> bool {
        self.whole.contains(id) || self.beginnings.iter().any(|beginning| id.starts_with(beginning.as_str()))
    }
}

fn used(pages: &[Source]) -> Result<Used> {
    let written = Regex::new(r#"["'`]([A-Za-z][\w-]*)["'`]"#)?;
    let begun = Regex::new(r"`([A-Za-z][\w]*-[\w-]*)\$\{")?;
    let all = |pattern: &Regex| -> Vec<String> {
        let pages = pages.iter().flat_map(|page| pattern.captures_iter(&page.text));
        pages.map(|capture| capture[1].to_owned()).collect()
    };
    Ok(Used { whole: all(&written).into_iter().collect(), beginnings: all(&begun) })
}
