//! What runs unasked, and what only looks as if it could.

use super::super::danger::dangers;
use super::*;

#[test]
fn looking_is_read_only() {
    for command in [
        "ls",
        "ls -la src",
        "pwd",
        "cat README.md",
        "head -n 5 a.txt",
        "tail -20 log",
        "wc -l src/main.rs",
        "stat x",
        "file x",
        "which node",
        "type ls",
        "command -v cargo",
        "uname -a",
        "whoami",
        "id",
        "date",
        "date -u +%Y-%m-%d",
        "echo hello",
        "echo 'rm -rf / && reboot'",
        "echo \"a; b | c\"",
        "printf '%s\\n' a b",
        "true",
        "du -sh .",
        "df -h",
        "ps aux",
        "ps -ef",
        "git status",
        "git status --short",
        "git --no-pager log --oneline -n 5",
        "git log -5 --stat",
        "git diff HEAD~1 -- src",
        "git show HEAD",
        "git branch",
        "git branch -a",
        "git branch --list 'feature/x'",
        "git rev-parse --show-toplevel",
        "rg -n 'fn main' src",
        "rg --files",
        "rg x .",
        "grep -n x a.txt",
        "grep -rn fixme src tests",
        "find . -name '*.rs' -type f",
        "find src -maxdepth 2",
        "ls | wc -l",
        "cat a | grep x | sort | uniq -c | sort -rn | head -3",
        "pwd && ls",
        "ls; pwd",
        "ls || true",
        "ls x 2>/dev/null",
        "ls x 2> /dev/null | head",
        "git diff 2>&1 | head -50",
        "which x >/dev/null 2>&1 && echo yes",
    ] {
        assert!(is_read_only(command), "{command:?}");
    }
}

#[test]
fn everything_else_is_asked_about() {
    for command in [
        "",
        "env",
        "printenv",
        "cd x",
        "touch x",
        "rm x",
        "npm test",
        "./ls",
        "/tmp/ls",
        "PAGER=x git log",
        "sudo ls",
        "time ls",
        "xargs ls",
        "ls > x",
        "ls >> x",
        "ls &",
        "ls & rm x",
        "ls\nrm x",
        "ls; rm x",
        "ls && rm x",
        "ls | sh",
        "ls $(rm x)",
        "ls `rm x`",
        "echo \"$(rm x)\"",
        "echo $HOME",
        "cat <(rm x)",
        "cat *",
        "cat {a,b}",
        "(ls)",
        "ls # x",
        "ｌｓ",
        "l\\s",
        // Secrets, the app's own data, and devices.
        "cat .env",
        "cat ./a/.env.local",
        "cat '.env'",
        "cat \".e\"nv",
        "head ~/.ssh/id_rsa",
        "ls ~/.ssh",
        "cat ~/.aws/credentials",
        "grep x .env",
        "grep -f.env x",
        "cat server.pem",
        "cat ~/.local/share/gatehouse/profiles/default/config.toml",
        "cat x/gatehouse.db",
        "cat /proc/self/environ",
        "cat ../../proc/1/environ",
        "cat /dev/zero",
        "git show HEAD:.env",
        "git diff -- .env",
        "grep -r x",
        "grep -r x .",
        "grep -rn x ./",
        "grep -r x ~",
        "grep -r x /",
        "grep -r x src/..",
        "grep --recursive x",
        "rg x ~/.config",
        "rg x .git",
        "rg --hidden x",
        "rg -g '.e*' x",
        "rg --glob='*' x",
        "rg -uu x",
        "rg -. x",
        "wc --files0-from=.env",
        // Options that write, run or show more.
        "date -s tomorrow",
        "date 010101012030",
        "file -C -m x",
        "ps e",
        "ps auxe",
        "ps -E",
        "sort -o x y",
        "sort -no x y",
        "sort --output=x y",
        "sort --outp=x y",
        "sort --compress-program=x y",
        "uniq a b",
        "uniq a",
        "rg --pre x y",
        "rg --pre=x y",
        "rg -z x",
        "rg --hostname-bin=x y",
        "find . -delete",
        "find . -exec rm '{}' ';'",
        "find . -ok x",
        "find . -fprint x",
        "find . -fls x",
        "command ls",
        "command -v a b",
        "git",
        "git push",
        "git -c core.pager=x log",
        "git -C x log",
        "git --exec-path=x log",
        "git log --output=x",
        "git log --outp=x",
        "git log -n --output=x",
        "git log -C --output=x",
        "git diff --ext-diff",
        "git diff --textconv",
        "git log --show-signature",
        "git log --format=%G?",
        "git grep -Ox y",
        "git branch x",
        "git branch -D x",
        "git branch --list -D x",
        "git branch -m a b",
        "git stash",
        "git config --list",
    ] {
        assert!(!is_read_only(command), "{command:?}");
    }
}

proptest::proptest! {
    /// Whoever only looks has no danger, so the two lists never disagree.
    #[test]
    fn looking_is_never_dangerous(
        name in "(ls|cat|echo|git (log|diff|show|branch)|rg|grep|find|sort|ps|date|head)",
        words in "( [ -~]{0,12}){0,4}",
    ) {
        let command = format!("{name}{words}");
        if is_read_only(&command) {
            proptest::prop_assert_eq!(dangers(&command), []);
        }
    }

    #[test]
    fn what_is_added_to_looking_is_asked_about(tail in "(; |&& |\\| |& |> |\\$\\(|`)(rm|sh|tee|npm) ?[a-z]{0,5}") {
        let command = format!("ls {}", tail);
        proptest::prop_assert!(!is_read_only(&command));
    }
}
