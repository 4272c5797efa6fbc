//! Which options a program may have so that it still only reads.

/// The known options of a program.
pub(super) struct Spec {
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with a value, behind the letter or in the next word.
    valued: &'static str,
    /// Long options; one that ends in `=` takes its value in the same word.
    long: &'static [&'static str],
}

pub(super) const FILE: Spec = Spec { flags: "bihkLNr", valued: "", long: &["--brief", "--mime", "--mime-type"] };
pub(super) const SORT: Spec = Spec {
    flags: "nrufbhVgMdsciz",
    valued: "kt",
    long: &["--reverse", "--unique", "--numeric-sort", "--key=", "--field-separator="],
};
pub(super) const UNIQ: Spec = Spec { flags: "cdiuz", valued: "", long: &["--count", "--repeated", "--unique"] };
pub(super) const GREP: Spec = Spec {
    flags: "EFGPivwxcLlnohHqsrRIabz",
    valued: "eABCm",
    long: &[
        "--recursive",
        "--ignore-case",
        "--line-number",
        "--include=",
        "--exclude=",
        "--exclude-dir=",
        "--color=",
        "--count",
        "--files-with-matches",
        "--only-matching",
        "--extended-regexp",
        "--fixed-strings",
        "--context=",
        "--max-count=",
    ],
};
/// Without globs: one that is asked for brings hidden files in.
pub(super) const RG: Spec = Spec {
    flags: "nilcwvFSsoHINPqxp",
    valued: "etTABCmdj",
    long: &[
        "--files",
        "--files-with-matches",
        "--line-number",
        "--ignore-case",
        "--smart-case",
        "--fixed-strings",
        "--word-regexp",
        "--count",
        "--only-matching",
        "--no-heading",
        "--heading",
        "--multiline",
        "--type=",
        "--context=",
        "--max-count=",
        "--max-depth=",
        "--color=",
        "--sort=",
        "--json",
        "--stats",
    ],
};
/// The tests and actions of `find` that only look.
pub(super) const FIND: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-type",
    "-size",
    "-mtime",
    "-mmin",
    "-ctime",
    "-atime",
    "-newer",
    "-maxdepth",
    "-mindepth",
    "-empty",
    "-print",
    "-print0",
    "-prune",
    "-o",
    "-a",
    "-not",
    "-and",
    "-or",
    "-perm",
    "-user",
    "-group",
    "-regex",
    "-iregex",
    "-regextype",
    "-depth",
    "-xdev",
    "-mount",
    "-ls",
    "-H",
    "-L",
    "-P",
    "-links",
    "-inum",
];

impl Spec {
    /// Whether every option is a known one.
    pub(super) fn fits(&self, rest: &[&str]) -> bool {
        self.walk(rest).is_some()
    }

    /// The words that are neither options nor their values.
    pub(super) fn operands<'w>(&self, rest: &[&'w str]) -> Vec<&'w str> {
        self.walk(rest).unwrap_or_default()
    }

    /// Whether the option stands among the words.
    pub(super) fn has(&self, rest: &[&str], letter: char) -> bool {
        rest.iter().any(|word| !word.starts_with("--") && word.starts_with('-') && word.contains(letter))
    }

    fn walk<'w>(&self, rest: &[&'w str]) -> Option<Vec<&'w str>> {
        let mut operands = Vec::new();
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            if *word == "--" {
                operands.extend(words.by_ref().copied());
            } else if word.starts_with("--") {
                let name = word.split_inclusive('=').next().unwrap_or_default();
                self.long.contains(&name).then_some(())?;
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                // A value that looks like an option may be one after all.
                if self.letters(letters)? && words.next()?.starts_with('-') {
                    return None;
                }
            } else {
                operands.push(*word);
            }
        }
        Some(operands)
    }

    /// Whether a bundle of letters takes its value from the next word; `None` if a letter is unknown.
    fn letters(&self, letters: &str) -> Option<bool> {
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                return Some(at + letter.len_utf8() == letters.len());
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some(false)
    }
}

/// The options of git commands that only look.
pub(super) const GIT: Spec = Spec {
    flags: "psubvarwzqiE0123456789",
    valued: "nUMCSGL",
    long: &[
        "--oneline",
        "--stat",
        "--name-only",
        "--name-status",
        "--cached",
        "--staged",
        "--short",
        "--porcelain",
        "--branch",
        "--graph",
        "--all",
        "--decorate",
        "--no-color",
        "--color=",
        "--patch",
        "--no-patch",
        "--summary",
        "--numstat",
        "--shortstat",
        "--since=",
        "--until=",
        "--author=",
        "--grep=",
        "--pretty=",
        "--format=",
        "--abbrev-commit",
        "--date=",
        "--follow",
        "--reverse",
        "--max-count=",
        "--no-merges",
        "--merges",
        "--first-parent",
        "--word-diff",
        "--unified=",
        "--list",
        "--verbose",
        "--remotes",
        "--show-current",
        "--untracked-files",
        "--untracked-files=",
        "--ignored",
        "--show-toplevel",
        "--abbrev-ref",
        "--is-inside-work-tree",
        "--verify",
        "--porcelain=",
        "--no-ext-diff",
        "--no-textconv",
        "--others",
        "--exclude-standard",
        "--modified",
        "--deleted",
        "--minimal",
        "--left-right",
        "--cherry-pick",
    ],
};
