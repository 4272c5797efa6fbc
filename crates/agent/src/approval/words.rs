//! The words behind a program's name: options and operands.

/// Whether a program is only asked what it is.
pub(super) fn only_asks(rest: &[&str]) -> bool {
    rest.iter().any(|word| matches!(*word, "--help" | "--version" | "-V"))
}

/// The words that begin with a dash.
pub(super) fn options<'w>(rest: &[&'w str]) -> impl Iterator<Item = &'w str> {
    rest.iter().copied().take_while(|word| *word != "--").filter(|word| word.starts_with('-') && word.len() > 1)
}

/// The words that are no options.
pub(super) fn operands<'w>(rest: &[&'w str]) -> impl Iterator<Item = &'w str> {
    let mut options_end = false;
    rest.iter().copied().filter(move |word| {
        let option = !options_end && word.starts_with('-') && word.len() > 1;
        options_end |= *word == "--";
        !option
    })
}

/// Whether `rm` takes folders with it.
pub(super) fn rm_recurses(rest: &[&str]) -> bool {
    options(rest).any(|option| match option.strip_prefix("--") {
        // The long name may be shortened.
        Some(long) => long.len() > 1 && "recursive".starts_with(long),
        None => option.contains(['r', 'R']),
    })
}
