//! What may not be written anywhere: paths of one machine, notes to oneself, numbers of issues, switched-off lints.

use regex::Regex;

use crate::tree::Source;
use crate::{Result, none, tree};

const TEXT: [&str; 14] =
    [".rs", ".ts", ".tsx", ".mjs", ".js", ".css", ".html", ".ftl", ".md", ".toml", ".json", ".sh", ".yml", ".sql"];

#[test]
fn nothing_forbidden_is_written() -> Result {
    let rules = rules()?;
    let mut sources = tree::sources("", &TEXT)?;
    sources.retain(|source| !source.path.ends_with("package-lock.json"));
    none(sources.iter().flat_map(|source| offences(&rules, source)).collect())
}

#[test]
fn there_is_no_mod_rs() -> Result {
    none(tree::sources("", &["mod.rs"])?.into_iter().filter_map(|source| mod_rs(&source.path)).collect())
}

#[test]
fn each_forbidden_word_is_found() -> Result {
    let cases = [
        ("a.md", format!("see {}work/here", '/')),
        ("a.rs", format!("let home = \"{}root/.cache/x\";", '/')),
        ("a.ts", format!("// {}: later", concat!("TO", "DO"))),
        ("a.rs", format!("/* {} */", concat!("FIX", "ME"))),
        ("a.rs", format!("// as in #{}", 1234)),
        ("a.rs", format!("#[{}(dead_code)]", "allow")),
        ("a.rs", format!("#![{}(dead_code)]", "allow")),
        ("a.rs", format!("#[cfg_attr(test, {}(dead_code))]", "allow")),
    ];
    let rules = rules()?;
    for (path, text) in cases {
        let source = Source { path: path.into(), text };
        assert_eq!(offences(&rules, &source).len(), 1, "{}", source.text);
    }
    Ok(())
}

#[test]
fn innocent_text_is_left_alone() -> Result {
    let rules = rules()?;
    for (path, text) in [
        ("a.css", "color: #123; /* the tree/root/work */"),
        ("a.rs", "let s = \"#1234\"; // #fff, Permit::allow(x), homework/a, ${root}/work/"),
        ("a.md", "Nothing to do here. cat /root/.netrc"),
    ] {
        assert_eq!(offences(&rules, &Source { path: path.into(), text: text.into() }), Vec::<String>::new());
    }
    Ok(())
}

#[test]
fn a_mod_rs_is_found() {
    assert!(mod_rs("crates/store/src/table/mod.rs").is_some());
    assert!(mod_rs("crates/store/src/table/cosmod.rs").is_none());
}

fn mod_rs(path: &str) -> Option<String> {
    path.ends_with("/mod.rs").then(|| format!("{path}: name it after its module, one level up"))
}

/// What is looked for, in files with these endings (none: all), and what to say.
struct Rule {
    pattern: Regex,
    endings: &'static [&'static str],
    says: &'static str,
}

fn rules() -> Result<Vec<Rule>> {
    let code: &[&str] = &[".rs", ".ts", ".tsx", ".mjs", ".css"];
    let rule =
        |pattern: &str, endings, says| -> Result<Rule> { Ok(Rule { pattern: Regex::new(pattern)?, endings, says }) };
    Ok(vec![
        // Tests of redaction and of the hardline floor speak of root's home; where its tools are, only a machine knows.
        rule(r"(^|[^\w./$}-])/(work/|root/\.(cache|cargo|rustup|npm|pyenv)\b)", &[], "a path of one machine")?,
        rule(concat!(r"\b(TO", "DO|FIX", r"ME)\b"), &[], "do it, or write down why not")?,
        rule(r"(//|/\*|^\s*\*).*#\d{3,5}\b", code, "say the reason instead of a number")?,
        rule(r"#!?\[(cfg_attr\(.*\b)?allow\(", &[".rs"], "use #[expect(lint, reason = \"...\")]")?,
    ])
}

fn offences(rules: &[Rule], source: &Source) -> Vec<String> {
    let applies =
        |rule: &&Rule| rule.endings.is_empty() || rule.endings.iter().any(|ending| source.path.ends_with(ending));
    let mut found = Vec::new();
    for rule in rules.iter().filter(applies) {
        for (at, line) in source.text.lines().enumerate().filter(|(_, line)| rule.pattern.is_match(line)) {
            found.push(format!("{}:{}: {} ({})", source.path, at + 1, line.trim(), rule.says));
        }
    }
    found
}
