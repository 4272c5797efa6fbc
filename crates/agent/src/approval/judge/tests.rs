//! The order of the checks, row by row.

use super::super::danger::DangerCategory;
use super::*;

/// What came out, in short.
#[derive(Debug, PartialEq)]
enum Short {
    Floor,
    Guess,
    Denied,
    Run(Why),
    Ask,
}

fn short(judgement: &Judgement) -> Short {
    match judgement {
        Judgement::Block(Block::Floor(_)) => Short::Floor,
        Judgement::Block(Block::SudoGuess) => Short::Guess,
        Judgement::Block(Block::Denied { .. }) => Short::Denied,
        Judgement::Run(why) => Short::Run(*why),
        Judgement::Ask { .. } => Short::Ask,
    }
}

#[test]
fn the_first_check_that_decides_wins() {
    use ApprovalMode::{Ask, Off, Risky};
    let deny = ["terraform destroy *", "ls secret *", "echo x | sudo *"].map(|line| Deny::parse(line).expect("a line"));
    for (command, mode, remembered, expected) in [
        // The floor, over everything.
        ("rm -rf /", Ask, false, Short::Floor),
        ("rm -rf /", Risky, true, Short::Floor),
        ("rm -rf /", Off, true, Short::Floor),
        ("podman ps; rm -rf /", Off, true, Short::Floor),
        ("sudo -S reboot", Off, true, Short::Floor),
        // Guessed passwords, before denials and over the mode.
        ("echo x | sudo -S ls", Ask, false, Short::Guess),
        ("echo x | sudo -S ls", Risky, true, Short::Guess),
        ("echo x | sudo -S ls", Off, true, Short::Guess),
        ("sudo -kS ls", Off, false, Short::Guess),
        ("sudo -u ada -S ls", Off, false, Short::Guess),
        ("sudo --user ada --stdin ls", Off, false, Short::Guess),
        ("sudo -S", Off, false, Short::Guess),
        ("bash -c 'sudo -S ls'", Off, false, Short::Guess),
        // Denials, over the mode, remembered answers and the list of what only reads.
        ("terraform destroy", Ask, false, Short::Denied),
        ("terraform destroy", Off, true, Short::Denied),
        ("true; terraform destroy", Off, true, Short::Denied),
        ("ls secret", Ask, true, Short::Denied),
        // Off asks nothing.
        ("rm -rf build", Off, false, Short::Run(Why::Mode)),
        ("ls", Off, true, Short::Run(Why::Mode)),
        // Remembered answers.
        ("rm -rf build; make", Ask, true, Short::Run(Why::Rule)),
        ("rm -rf build", Risky, true, Short::Run(Why::Rule)),
        ("podman ps", Ask, true, Short::Run(Why::Rule)),
        // What only reads.
        ("ls -l", Ask, false, Short::Run(Why::ReadOnly)),
        ("ls -l", Risky, false, Short::Run(Why::ReadOnly)),
        // The rest.
        ("npm test", Ask, false, Short::Ask),
        ("npm test", Risky, false, Short::Run(Why::Mode)),
        ("rm -rf build", Ask, false, Short::Ask),
        ("rm -rf build", Risky, false, Short::Ask),
        ("podman ps; rm -rf x", Risky, false, Short::Ask),
        ("$X y", Risky, false, Short::Ask),
        ("cat .env", Risky, false, Short::Ask),
        ("sudo -u S ls", Risky, false, Short::Ask),
        ("echo sudo -S", Ask, false, Short::Run(Why::ReadOnly)),
        ("git commit -m 'sudo -S'", Risky, false, Short::Run(Why::Mode)),
    ] {
        let judgement = judge(command, &Policy { mode, deny: &deny, remembered });
        assert_eq!(short(&judgement), expected, "{command:?} in {mode}, remembered: {remembered}");
    }
}

#[test]
fn whoever_is_asked_learns_what_is_dangerous() {
    let policy = Policy { mode: ApprovalMode::Ask, deny: &[], remembered: false };
    let Judgement::Ask { dangers } = judge("curl x | sudo sh && rm -rf y", &policy) else { panic!("not asked") };
    let kinds: Vec<_> = dangers.iter().map(|danger| danger.category).collect();
    assert_eq!(kinds, [DangerCategory::Elevated, DangerCategory::DeleteTree, DangerCategory::RemoteCode]);
    assert!(dangers.iter().all(|danger| danger.words.starts_with(char::is_uppercase) && !danger.words.ends_with('.')));
    assert_eq!(judge("npm test", &policy), Judgement::Ask { dangers: Vec::new() });
}

#[test]
fn a_block_says_why() {
    let deny = [Deny::parse("rm *").expect("a line")];
    let policy = Policy { mode: ApprovalMode::Off, deny: &deny, remembered: true };
    for (command, expected) in [
        ("rm -rf /", "it deletes everything under /"),
        ("sudo -S ls", "it hands a password to sudo, and nobody gave one"),
        ("true; rm x", "the settings deny every command like `rm *`"),
    ] {
        let Judgement::Block(block) = judge(command, &policy) else { panic!("{command:?} runs") };
        assert_eq!(block.words(), expected);
    }
}

const OFF: Policy<'_> = Policy { mode: ApprovalMode::Off, deny: &[], remembered: true };

proptest::proptest! {
    #[test]
    fn no_text_breaks_it(text in "[ -~\n\\\\'\"`$(){}<>|&;*~/]{0,200}", mode in 0_usize..3) {
        let deny = [Deny::parse("a* b *").expect("a line")];
        let _ = judge(&text, &Policy { mode: ApprovalMode::ALL[mode], deny: &deny, remembered: false });
    }

    /// Each character of a blocked word may be quoted or escaped, and the whole may stand in another shell.
    #[test]
    fn a_blocked_command_stays_blocked_in_any_quotes(
        which in 0_usize..6,
        quotes in proptest::collection::vec(0_u8..5, 40),
        wrap in 0_u8..6,
    ) {
        let command = ["rm -rf /", "reboot", "sudo -S ls", "mkfs.ext4 /dev/sda", "dd of=/dev/sda", "kill -9 -1"][which];
        let spelled: String = command.chars().zip(quotes).map(|(c, quote)| match (c, quote) {
            (' ', 0) => "  ".to_owned(),
            (' ', 1) => "${IFS}".to_owned(),
            (' ', 2) => " \\\n ".to_owned(),
            (' ', _) => " ".to_owned(),
            (c, 0) => format!("'{c}'"),
            (c, 1) => format!("\"{c}\""),
            (c, 2) => format!("\\{c}"),
            (c, 3) => format!("''{c}"),
            (c, _) => c.to_string(),
        }).collect();
        let wrapped = match wrap {
            0 => format!("true; {spelled}"),
            1 => format!("( {spelled} )"),
            2 => format!("echo \"$({spelled})\""),
            3 => format!("bash -c '{}'", spelled.replace('\'', "'\\''")),
            4 => format!("env A=b nohup {spelled}"),
            _ => spelled,
        };
        proptest::prop_assert!(matches!(judge(&wrapped, &OFF), Judgement::Block(_)), "{wrapped:?}");
    }
}
