//! Numbers as short words.

/// A span of time: `12 s`, `3 m 4 s`, `2 h 5 m`.
pub fn duration_words(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} m {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// An amount of data: `512 B`, `418 KB`, `1.5 MB`. A kilobyte is 1,000 bytes.
pub fn bytes_words(count: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")];
    for (size, name) in UNITS {
        if count >= size {
            let tenths = count / (size / 10) % 10;
            let whole = count / size;
            return if whole < 10 && tenths > 0 {
                format!("{whole}.{tenths} {name}")
            } else {
                format!("{whole} {name}")
            };
        }
    }
    format!("{count} B")
}

/// The name of a signal that programs commonly end by; the numbers are those of Linux and macOS alike.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_words() {
        for (ms, expect) in [
            (0, "0 s"),
            (999, "0 s"),
            (12_400, "12 s"),
            (184_000, "3 m 4 s"),
            (7_500_000, "2 h 5 m"),
            (u64::MAX, "5124095576030 h 25 m"),
        ] {
            assert_eq!(duration_words(ms), expect);
        }
        for (count, expect) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1 KB"),
            (418_900, "418 KB"),
            (1_500_000, "1.5 MB"),
            (12_300_000_000, "12 GB"),
        ] {
            assert_eq!(bytes_words(count), expect);
        }
        assert_eq!(signal_name(15), Some("SIGTERM"));
        assert_eq!(signal_name(0), None);
    }
}
