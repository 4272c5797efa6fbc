/// The calls that make somebody.
const BIRTHS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// What a line says, as far as it is about who descends from whom and who is signalled.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A call that makes somebody.
    Birth(Birth),
    /// The kernel was asked about a process and named its parent.
    Looked { pid: u32, parent: u32, is_dead: bool },
    /// Whoever's line it is has ended.
    End,
    /// A signal; a target of none is a group or everybody. A question whether somebody is there is no signal.
    Signal { target: Option<u32> },
    /// Nothing of the kind.
    Other,
}

/// A call that makes somebody, or the part of it that one line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Birth {
    /// It stood in another line how it began.
    pub is_end: bool,
    /// It stands in another line how it ended.
    pub is_beginning: bool,
    /// Whoever it makes is a thread, as far as this line says so.
    pub thread: bool,
    /// Who was born.
    pub child: Option<u32>,
}

/// The number of whoever a line is about, and what they did.
pub(super) fn split(line: &str) -> Option<(u32, &str)> {
    let (pid, event) = line.split_once(' ')?;
    Some((pid.parse().ok()?, event.trim_start()))
}

/// Whether a line mentions a number.
pub(super) fn is_about(line: &str, pid: &str) -> bool {
    line.split(|sign: char| !sign.is_ascii_digit()).any(|number| number == pid)
}

impl Said {
    /// What it says.
    pub fn of(event: &str) -> Self {
        if event.starts_with("+++ ") {
            return Self::End;
        }
        let birth = Birth::of(event).map(Self::Birth);
        birth.or_else(|| looked(event)).or_else(|| signal(event)).unwrap_or(Self::Other)
    }
}

impl Birth {
    fn of(event: &str) -> Option<Self> {
        let begins = BIRTHS.iter().any(|name| event.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')));
        let is_end = BIRTHS.iter().any(|name| event.starts_with(&format!("<... {name} resumed")));
        (begins || is_end).then(|| Self {
            is_end,
            is_beginning: event.ends_with("<unfinished ...>"),
            thread: event.contains("CLONE_THREAD"),
            child: event
                .rsplit_once("= ")
                .and_then(|(_, number)| number.trim().parse().ok())
                .filter(|child| *child != 0),
        })
    }
}

/// A read of `/proc/<pid>/stat`: the number, the name in parentheses that may hold some itself, the state, the parent.
fn looked(event: &str) -> Option<Said> {
    let is_read = event.starts_with("read(") || event.starts_with("<... read resumed");
    let (_, text) = event.split_once('"').filter(|_| is_read)?;
    let (pid, rest) = text.rsplit_once('"')?.0.split_once(" (")?;
    let mut fields = rest.rsplit_once(") ")?.1.split(' ');
    let is_dead = matches!(fields.next()?, "Z" | "X");
    Some(Said::Looked { pid: pid.parse().ok()?, parent: fields.next()?.parse().ok()?, is_dead })
}

fn signal(event: &str) -> Option<Said> {
    let (name, rest) = event.split_once('(')?;
    let mut arguments = rest.split([',', ')']).map(str::trim);
    let first = arguments.next()?;
    let (target, signal) = match name {
        "kill" | "tkill" => (first.parse::<i64>().ok()?, arguments.next()?),
        "tgkill" => (first.parse().ok()?, arguments.nth(1)?),
        "pidfd_send_signal" => (first.split_once("<pid:")?.1.trim_end_matches('>').parse().ok()?, arguments.next()?),
        _ => return None,
    };
    let signal = signal.split(' ').next()?;
    (signal != "0").then(|| Said::Signal { target: u32::try_from(target).ok().filter(|pid| *pid != 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_word_on_a_parent_is_found_whatever_a_process_is_called() {
        let looked = |is_dead| Said::Looked { pid: 30, parent: 20, is_dead };
        assert_eq!(Said::of(r#"read(7, "30 (a b) c) S 20 30 "..., 1024) = 312"#), looked(false));
        assert_eq!(Said::of(r#"<... read resumed>"30 (bash) Z 20 30 "..., 1024) = 312"#), looked(true));
        for other in [r#"read(7, "", 32) = 0"#, "read(0,  <unfinished ...>", r#"write(7, "30 (bash) S 20 ", 9) = 9"#] {
            assert_eq!(Said::of(other), Said::Other, "{other}");
        }
    }

    #[test]
    fn a_signal_is_told_from_a_question() {
        let signal = |target| Said::Signal { target };
        assert_eq!(Said::of("pidfd_send_signal(5<pid:30>, SIGTERM, NULL, 0) = 0"), signal(Some(30)));
        assert_eq!(Said::of("kill(30, SIGKILL <unfinished ...>"), signal(Some(30)));
        assert_eq!(Said::of("tgkill(20, 21, SIGABRT) = 0"), signal(Some(20)));
        assert_eq!(Said::of("kill(-30, SIGTERM) = 0"), signal(None));
        assert_eq!(Said::of("kill(30, 0) = 0"), Said::Other);
    }

    #[test]
    fn a_birth_is_put_together_from_its_parts() {
        let birth = |event| match Said::of(event) {
            Said::Birth(birth) => (birth.is_beginning, birth.is_end, birth.thread, birth.child),
            other => panic!("{other:?}"),
        };
        assert_eq!(birth("vfork() = 31"), (false, false, false, Some(31)));
        assert_eq!(birth("clone3({flags=CLONE_VM|CLONE_THREAD}, 88 <unfinished ...>"), (true, false, true, None));
        assert_eq!(birth("<... clone3 resumed>) = 20"), (false, true, false, Some(20)));
        // Of a caller that KILL ends meanwhile, strace reads what was never there.
        let garbage = "<... clone resumed>, child_tidptr=0x7eff) = -1 (errno 18446744073709551560)";
        assert_eq!(birth(garbage), (false, true, false, None));
        assert_eq!(birth("<... clone resumed> <unfinished ...>) = ?"), (false, true, false, None));
        assert_eq!(birth("clone(child_stack=NULL) = ? ERESTARTNOINTR (To be restarted)"), (false, false, false, None));
    }
}
