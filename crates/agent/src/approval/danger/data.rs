//! Databases, and the work that a repository holds.

use super::super::shell::base;
use super::{Call, DangerCategory as Kind, Finding, ask};

const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "sqlcmd",
    "duckdb",
    "clickhouse-client",
    "cockroach",
    "sqlplus",
    "bq",
    "usql",
    "pgcli",
    "mycli",
    "litecli",
];

pub(super) fn find(call: &Call<'_>, add: &mut impl FnMut(Finding)) {
    ask(&[git, drops], call, add);
}

/// Statements, wherever in the text they stand, once a database is spoken to.
pub(super) fn find_together(calls: &[Call<'_>], add: &mut impl FnMut(Finding)) {
    if !calls
        .iter()
        .any(|call| CLIENTS.contains(&call.name) || call.rest.iter().any(|word| CLIENTS.contains(&base(word))))
    {
        return;
    }
    let texts = calls.iter().flat_map(|call| call.rest.iter().copied().chain([call.simple.input.as_str()]));
    if texts.into_iter().any(loses_rows) {
        add((Kind::Database, "Deletes rows or tables of a database"));
    }
}

fn drops(call: &Call<'_>) -> Option<Finding> {
    let found = match call.name {
        "dropdb" | "dropuser" => true,
        "mysqladmin" => call.says("drop"),
        "redis-cli" | "valkey-cli" => call.rest.iter().any(|word| {
            let word = word.to_ascii_lowercase();
            matches!(word.as_str(), "flushall" | "flushdb")
        }),
        "mongosh" | "mongo" => call.rest.iter().any(|word| word.contains("drop") || word.contains("deleteMany")),
        _ => false,
    };
    found.then_some((Kind::Database, "Deletes rows or tables of a database"))
}

fn loses_rows(text: &str) -> bool {
    // A comment parts words as a blank does.
    let plain = strip_comments(text).to_ascii_lowercase();
    plain.split(';').any(|statement| {
        let words: Vec<&str> =
            statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        let drop = |two: &[&str]| {
            two[0] == "drop"
                && matches!(
                    two[1],
                    "table"
                        | "database"
                        | "schema"
                        | "view"
                        | "index"
                        | "column"
                        | "user"
                        | "role"
                        | "owned"
                        | "materialized"
                )
        };
        words.windows(2).any(drop)
            || words.contains(&"truncate")
            || (words.windows(2).any(|two| two == ["delete", "from"]) && !words.contains(&"where"))
    })
}

fn strip_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut left = text;
    while let Some(at) = left.find("/*") {
        plain.push_str(&left[..at]);
        plain.push(' ');
        left = left[at + 2..].split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(left);
    plain
}

fn git(call: &Call<'_>) -> Option<Finding> {
    if call.name != "git" {
        return None;
    }
    let (_, sub, args) = split(&call.rest)?;
    let short = |letter: char| {
        args.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let long = |start: &str| args.iter().any(|word| word.starts_with(start));
    let words = match sub {
        "reset" if long("--hard") || long("--merge") => "Throws away changes that are not committed",
        "checkout" | "switch" if short('f') || long("--force") || long("--discard") => {
            "Throws away changes that are not committed"
        }
        "checkout" if args.contains(&"--") || args.contains(&".") => "Throws away changes that are not committed",
        "restore" if !long("--staged") || long("--worktree") || short('W') => {
            "Throws away changes that are not committed"
        }
        "clean" if (short('f') || long("--force")) && !short('n') && !long("--dry-run") => {
            "Deletes files that git does not know"
        }
        "stash" if args.first().is_some_and(|verb| matches!(*verb, "drop" | "clear")) => "Throws away stashed changes",
        "push"
            if short('f')
                || long("--forc")
                || long("--mirror")
                || long("--prune")
                || args.iter().any(|a| a.starts_with('+')) =>
        {
            "Overwrites what others have pushed"
        }
        "push" if short('d') || long("--delete") || args.iter().any(|a| a.starts_with(':')) => {
            "Deletes a branch for everybody"
        }
        "branch"
            if short('D')
                || (short('d') && (short('f') || long("--force")))
                || (long("--delete") && (long("--force") || short('f'))) =>
        {
            "Deletes a branch whose work may be nowhere else"
        }
        "filter-branch" | "filter-repo" => "Rewrites the whole history",
        "reflog" if args.iter().any(|verb| matches!(*verb, "expire" | "delete")) => {
            "Deletes what could bring lost work back"
        }
        "gc" | "prune" if sub == "prune" || long("--prune") => "Deletes what could bring lost work back",
        "update-ref" if short('d') => "Deletes a branch whose work may be nowhere else",
        "worktree" if args.contains(&"remove") && (short('f') || long("--force")) => {
            "Throws away changes that are not committed"
        }
        _ => return None,
    };
    Some((Kind::GitLoss, words))
}

/// What stands before the sub-command of git, the sub-command, and what stands behind it.
pub(super) fn split<'r, 's>(rest: &'r [&'s str]) -> Option<(&'r [&'s str], &'s str, &'r [&'s str])> {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" => at += 2,
            option if option.starts_with('-') => at += 1,
            sub => return Some((&rest[..at], sub, &rest[at + 1..])),
        }
    }
    None
}
