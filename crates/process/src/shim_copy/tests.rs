use std::time::SystemTime;

use super::*;

struct Bench {
    home: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn bin(&self) -> PathBuf {
        self.home.path().join("bin")
    }

    fn install(&self, content: &[u8]) -> Copy {
        let source = self.home.path().join("source");
        std::fs::write(&source, content).unwrap();
        install(&source, &self.bin()).unwrap()
    }

    /// A copy that was made this long ago.
    fn aged(&self, content: &[u8], age: Duration) -> Copy {
        let copy = self.install(content);
        #[expect(clippy::disallowed_methods, reason = "the age of a file")]
        let written = SystemTime::now() - age;
        File::options().append(true).open(&copy.path).unwrap().set_modified(written).unwrap();
        copy
    }
}

#[test]
fn a_changed_source_gets_another_copy_and_the_one_before_stays() {
    let bench = Bench::new();
    let first = bench.install(b"one");
    assert_eq!(bench.install(b"one").path, first.path);
    let second = bench.install(b"two");
    assert_ne!(first.path, second.path);
    assert_eq!(std::fs::read(&first.path).unwrap(), b"one");
    assert_eq!(std::fs::metadata(&second.path).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_copy_that_was_cut_short_is_made_again() {
    let bench = Bench::new();
    let copy = bench.install(b"content");
    std::fs::write(&copy.path, "cut").unwrap();
    assert_eq!(std::fs::read(bench.install(b"content").path).unwrap(), b"content");
}

#[test]
fn an_old_copy_that_nobody_uses_goes_and_a_young_one_stays() {
    let bench = Bench::new();
    let old = bench.aged(b"old", YOUNG * 2).path;
    let young = bench.aged(b"young", YOUNG / 2).path;
    let foreign = bench.bin().join("notes");
    std::fs::create_dir(&foreign).unwrap();
    let current = bench.aged(b"current", YOUNG * 2).path;
    assert!(!old.parent().unwrap().exists());
    bench.install(b"current");
    assert!(young.exists() && foreign.exists() && current.exists(), "the current one stays at any age");
}

#[test]
fn an_old_copy_stays_while_a_gateway_holds_it() {
    let bench = Bench::new();
    let held = bench.aged(b"held", YOUNG * 2);
    bench.install(b"new");
    assert!(held.path.exists());
    let path = held.path.clone();
    drop(held);
    bench.install(b"new");
    assert!(!path.exists());
}

#[test]
fn an_old_copy_stays_while_a_shim_runs_from_it() {
    let bench = Bench::new();
    let path = bench.aged(&std::fs::read("/bin/cat").unwrap(), YOUNG * 2).path;
    let mut shim = loop {
        #[expect(clippy::disallowed_methods, reason = "somebody who runs from the copy")]
        let started = std::process::Command::new(&path).stdin(std::process::Stdio::piped()).spawn();
        match started {
            // Another test's child has not let go yet of what this one wrote.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            other => break other.unwrap(),
        }
    };
    bench.install(b"new");
    assert!(path.exists());
    drop(shim.stdin.take());
    shim.wait().unwrap();
    bench.install(b"new");
    assert!(!path.exists());
}
