//! Patterns cover what they say and nothing that is smuggled in; denials cannot be dodged.

use super::super::hardline;
use super::*;

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[test]
fn a_pattern_covers_plain_commands() {
    for (text, command) in [
        ("npm run *", "npm run build"),
        ("npm run *", "npm run build --watch"),
        ("npm run *", "npm  run 'a b'"),
        ("npm run *", "npm run"),
        ("npm run build", "npm run build"),
        ("npm run test:*", "npm run test:unit"),
        ("podman ps", "podman ps"),
        ("cargo test *", "cargo test --workspace"),
        ("git push *", "git push origin main"),
        ("git push --force *", "git push --force origin main"),
        ("python build.py *", "python build.py -v"),
        ("python -m pytest *", "python -m pytest tests"),
        ("sudo apt-get update *", "sudo apt-get update"),
        ("cp src/* out", "cp src/a out"),
        ("timeout 5 npm test *", "timeout 5 npm test x"),
        ("docker run alpine *", "docker run alpine ls"),
    ] {
        assert!(pattern(text).matches(command), "{text:?} covers {command:?}");
    }
}

#[test]
fn a_pattern_covers_nothing_that_is_smuggled() {
    for (text, command) in [
        ("npm run *", "npm run build; rm -rf x"),
        ("npm run *", "npm run build && x"),
        ("npm run *", "npm run build | sh"),
        ("npm run *", "npm run build & x"),
        ("npm run *", "npm run build\nx"),
        ("npm run *", "npm run build\r\nx"),
        ("npm run *", "npm run $(x)"),
        ("npm run *", "npm run `x`"),
        ("npm run *", "npm run \"$(x)\""),
        ("npm run *", "npm run $x"),
        ("npm run *", "npm run build > x"),
        ("npm run *", "npm run build >/dev/null"),
        ("npm run *", "npm run build < x"),
        ("npm run *", "npm run <(x)"),
        ("npm run *", "npm run a*"),
        ("npm run *", "npm run {a,b}"),
        ("npm run *", "A=b npm run x"),
        ("npm run *", "sudo npm run x"),
        ("npm run *", "xnpm run x"),
        ("npm run *", "npm runx"),
        ("npm run *", "NPM run x"),
        ("npm run *", "echo npm run x"),
        ("npm run build", "npm run build x"),
        ("podman ps", "podman ps; rm -rf x"),
        ("cp src/* out", "cp src/../../x out"),
        ("git push *", "git push --force"),
        ("git push *", "git push origin +main"),
        ("find src *", "find src -delete"),
        ("find src *", "find src -exec x ';'"),
        ("find src *", "find src -exec x +"),
        ("cat src/*", "cat src/.env"),
        ("rm -rf build *", "rm -rf build /"),
        ("docker run alpine *", "docker run alpine -v /:/x"),
        ("sudo apt-get update *", "sudo -S apt-get update"),
        ("sudo apt-get update *", "sudo apt-get update -o x; y"),
    ] {
        assert!(!pattern(text).matches(command), "{text:?} covers {command:?}");
    }
}

#[test]
fn patterns_that_would_allow_anything_are_refused() {
    let refused = |text: &str| Pattern::parse(text).err();
    for text in ["*", "* x", "np* run", "-x *", "A=b *", "then *", "~/x *", "!"] {
        assert!(matches!(refused(text), Some(PatternError::NoProgram | PatternError::Syntax('!'))), "{text:?}");
    }
    for text in [
        "sudo *",
        "sudo -u root *",
        "sudo --user root *",
        "env *",
        "env A=b *",
        "xargs *",
        "xargs -n 1 *",
        "nohup *",
        "timeout 5 *",
        "sudo bash *",
        "bash *",
        "sh -c *",
        "sh -c ls",
        "bash -lc *",
        "/bin/bash *",
        "zsh *",
        "eval *",
        "source *",
        "python *",
        "python3 -c *",
        "python -m *",
        "python3.12 *",
        "node *",
        "node -e *",
        "perl -e *",
        "deno eval *",
        "awk *",
        "npx *",
        "npm exec *",
        "uvx *",
        "docker run *",
        "docker exec *",
        "ssh *",
        "find *",
        "su *",
        "make *",
        "pwsh *",
        "git -c *",
        "sudo",
        "exec *",
        "command *",
    ] {
        assert!(matches!(refused(text), Some(PatternError::RunsAnything(_))), "{text:?} is {:?}", refused(text));
    }
    for text in ["git *", "npm *", "docker *", "cargo --*", "kubectl *"] {
        assert!(matches!(refused(text), Some(PatternError::TooWide(..))), "{text:?} is {:?}", refused(text));
    }
    for text in ["a; b", "a | b", "a > b", "a $b", "a `b`", "a 'b'", "a \"b\"", "a\\b", "a ?", "a {b}", "a & b", "a #b"]
    {
        assert!(matches!(refused(text), Some(PatternError::Syntax(_))), "{text:?} is {:?}", refused(text));
    }
    assert_eq!(refused(" "), Some(PatternError::Empty));
    assert_eq!(refused("a\nb"), Some(PatternError::Invisible));
    assert_eq!(refused("a\u{202e}b"), Some(PatternError::Invisible));
    assert_eq!(refused(&format!("ls {}", "x".repeat(256))), Some(PatternError::TooLong));
    assert!(matches!(refused("rm -rf /*"), Some(PatternError::Floor(_))));
    assert!(matches!(refused("reboot"), Some(PatternError::Floor(_))));
    assert_eq!(
        refused("git *").map(|e| e.to_string()).as_deref(),
        Some("git does too many things for one pattern. Name its command, such as `git status *`")
    );
}

#[test]
fn a_suggestion_is_narrow_and_covers_what_was_asked() {
    for (command, text) in [
        ("npm run build", "npm run *"),
        ("npm test", "npm test *"),
        ("cargo test --workspace", "cargo test *"),
        ("git push origin main", "git push *"),
        ("git commit -m 'a b'", "git commit *"),
        ("docker compose up -d", "docker compose up *"),
        ("pytest -x tests", "pytest *"),
        ("gh pr list", "gh pr list *"),
    ] {
        assert_eq!(suggest_pattern(command).as_deref(), Some(text), "{command:?}");
        assert!(pattern(text).matches(command), "{command:?}");
    }
    for command in [
        "",
        "ls -l",
        "git push --force",
        "rm -rf x",
        "npm run a && b",
        "npm run a > x",
        "npm run $x",
        "bash x.sh",
        "python x.py",
        "sudo apt list",
        "npm install x",
        "npm exec x",
        "npx x",
        "docker exec web ls",
        "docker stop x",
        "git -c a=b log",
        "FOO=1 npm test",
        "make test",
        "git",
    ] {
        assert_eq!(suggest_pattern(command), None, "{command:?}");
    }
}

#[test]
fn a_denial_cannot_be_dodged() {
    let deny = Deny::parse("terraform destroy *").expect("a line");
    for command in [
        "terraform destroy",
        "terraform destroy -target x",
        "true; terraform destroy",
        "true && terraform destroy x",
        "x | terraform destroy",
        "(terraform destroy)",
        "if true; then terraform destroy; fi",
        "terraform destroy > x",
        "sudo terraform destroy",
        "sudo -u x env A=b terraform destroy",
        "A=b terraform destroy",
        "/usr/bin/terraform destroy",
        "terra''form destroy",
        "t\\erraform \"destroy\"",
        "terraform${IFS}destroy",
        "bash -c 'terraform destroy'",
        "eval terraform destroy",
        "echo 'terraform destroy' | sh",
        "echo \"$(terraform destroy)\"",
        "echo destroy | xargs terraform",
        "find . -exec terraform destroy \\;",
        "$(echo terraform) destroy",
        "$(which terraform) destroy",
        "t=terraform; $t destroy",
        "nohup terraform destroy",
        "ｔerraform destroy",
    ] {
        assert!(deny.matches(command), "{command:?}");
    }
    for command in
        ["terraform plan", "echo terraform destroy", "git commit -m 'terraform destroy'", "terraform destroyed", ""]
    {
        assert!(!deny.matches(command), "{command:?}");
    }
}

#[test]
fn denials_may_be_wide_and_speak_of_what_stands_before_a_command() {
    let denied = |line: &str, command: &str| Deny::parse(line).expect("a line").matches(command);
    assert!(denied("sudo *", "true; sudo -u x ls"));
    assert!(denied("sudo *", "env A=b sudo ls"));
    assert!(denied("*--force*", "git push --force-with-lease"));
    assert!(denied("*", "ls"));
    assert!(denied("curl * | sh", "curl  x | sh"));
    assert!(denied("rm", "/bin/rm"));
    assert!(!denied("sudo *", "echo sudo x"));
    assert!(!denied("rm", "rm x"));
    assert_eq!(Deny::parse("  "), Err(PatternError::Empty));
}

#[test]
fn hostile_texts_are_held_against_a_denial_in_one_pass() {
    let denials = ["*a*b*c*d*e", "sudo x", "a* b", "x *"].map(|line| Deny::parse(line).expect("a line"));
    for text in
        ["sudo ".repeat(25_000), "a b;".repeat(20_000), format!("sudo {}", "a ".repeat(60_000)), "env a=b ".repeat(200)]
    {
        for deny in &denials {
            let _ = deny.matches(&text);
        }
    }
}

proptest::proptest! {
    #[test]
    fn an_operator_outside_quotes_ends_every_pattern(
        words in "[a-z -]{0,20}",
        operator in "(;|&|\\||&&|\\|\\||\n|>|>>|<|\\$\\(|`|\\$|\\(|\\)|\\{|#|<\\(|2>)",
        tail in "[a-z /)`-]{0,12}",
    ) {
        let command = format!("npm run x{words}{operator}{tail}");
        let ends = command.trim_matches(' ').ends_with("x") || operator.is_empty();
        proptest::prop_assert!(ends || !pattern("npm run *").matches(&command));
    }

    #[test]
    fn nothing_on_the_floor_is_covered(program in "(rm|dd|mkfs|reboot|kill)", rest in "[a-z /*~=.-]{0,24}") {
        let command = format!("{program} {rest}");
        if let Ok(pattern) = Pattern::parse(&format!("{program} *")) {
            proptest::prop_assert!(hardline(&command).is_none() || !pattern.matches(&command));
        }
    }

    #[test]
    fn no_line_breaks_the_reader(line in "\\PC{0,60}", command in "[ -~]{0,60}") {
        if let Ok(pattern) = Pattern::parse(&line) {
            let _ = pattern.matches(&command);
        }
        if let Ok(deny) = Deny::parse(&line) {
            let _ = deny.matches(&command);
        }
        let _ = suggest_pattern(&command);
    }
}
