use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;

/// A person's home with a folder of work and a data directory in it.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["home/.ssh", "home/.codex", "home/plans/[slug]", "home/data", "outside"] {
            fs::create_dir_all(place.path(folder)).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, name).unwrap();
        path
    }

    fn allowed(&self) -> Allowed {
        Allowed::new(self.path("home"), [self.path("home/plans"), self.path("nowhere")], &self.path("home/data"))
    }

    /// One that would take files from everywhere.
    fn wide(&self) -> Allowed {
        Allowed::new(self.path("home"), [PathBuf::from("/")], &self.path("home/data"))
    }

    fn refuses(&self, name: &str, reason: Reason) {
        let path = self.path(name);
        assert_eq!(resolve(&path.to_string_lossy(), false, &self.allowed()), Err(reason), "{name}");
        let tag = format!("See MEDIA:\"{}\".", path.display());
        let answer = apart(&tag, &self.allowed());
        assert_eq!(answer.text, tag, "{name}");
        assert_eq!(answer.refused.iter().map(|refusal| refusal.reason).collect::<Vec<_>>(), [reason], "{name}");
    }
}

fn names(files: &[Attachment]) -> Vec<&str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

#[test]
fn a_file_of_the_person_goes() {
    let place = Place::new();
    let path = place.write("home/plans/my plan.pdf");
    let found = resolve("~/plans/my plan.pdf", false, &place.allowed()).unwrap();
    assert_eq!(found, Attachment { path, name: "my plan.pdf".into(), kind: Kind::Document, bytes: 22 });
}

#[test]
fn brackets_and_unknown_endings_are_names_like_others() {
    let place = Place::new();
    for name in [
        "home/plans/[slug]/page.tsx",
        "home/plans/Makefile",
        "home/plans/a.xyz",
        "home/plans/[draft]",
        "home/plans/.env.example",
    ] {
        let path = place.write(name);
        assert_eq!(resolve(&path.to_string_lossy(), false, &place.allowed()).unwrap().kind, Kind::Document, "{name}");
    }
}

#[test]
fn an_answer_comes_apart() {
    let place = Place::new();
    for name in ["1.png", "2.JPG", "3.svg", "4.ogg"] {
        place.write(&format!("home/plans/{name}"));
    }
    let answer = apart(
        "Here:\nMEDIA:~/plans/3.svg MEDIA:~/plans/1.png\nMEDIA:~/plans/4.ogg MEDIA:~/plans/2.JPG\n[[audio_as_voice]]",
        &place.allowed(),
    );
    assert_eq!(answer.text, "Here:\n");
    assert!(answer.audio_as_voice && answer.refused.is_empty());
    assert_eq!(
        (names(&answer.files.images), names(&answer.files.others)),
        (vec!["1.png", "2.JPG"], vec!["3.svg", "4.ogg"])
    );
}

#[test]
fn three_pictures_as_documents_are_three_documents() {
    let place = Place::new();
    for name in ["1.png", "2.png", "3.png"] {
        place.write(&format!("home/plans/{name}"));
    }
    let answer = apart("[[as_document]] MEDIA:~/plans/1.png MEDIA:~/plans/2.png MEDIA:~/plans/3.png", &place.allowed());
    assert_eq!((answer.text.as_str(), answer.files.images.len()), ("", 0));
    assert_eq!(names(&answer.files.others), ["1.png", "2.png", "3.png"]);
}

#[test]
fn a_path_in_a_code_fence_is_text() {
    let place = Place::new();
    place.write("home/plans/1.png");
    let text = "```\nMEDIA:~/plans/1.png\n```\n";
    let answer = apart(text, &place.allowed());
    assert_eq!((answer.text.as_str(), answer.files.images.len(), answer.refused.len()), (text, 0, 0));
}

#[test]
fn one_file_goes_once_however_it_is_named_and_again_with_the_next_answer() {
    let place = Place::new();
    let path = place.write("home/plans/a.png");
    symlink(&path, place.path("home/plans/link.png")).unwrap();
    let path = path.to_string_lossy();
    let text = format!(
        "MEDIA:{path}\nMEDIA:~/plans/a.png\nMEDIA:~/plans/./a.png\nMEDIA:~/data/../plans//a.png\nMEDIA:~/plans/link.png\n"
    );
    for _ in 0..2 {
        let answer = apart(&text, &place.allowed());
        assert_eq!((answer.text.as_str(), names(&answer.files.images)), ("", vec!["a.png"]));
        assert!(answer.refused.is_empty());
    }
}

#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let place = Place::new();
    mknodat(CWD, place.path("home/plans/pipe.png"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = UnixListener::bind(place.path("home/plans/socket")).unwrap();
    symlink(place.path("home/plans/loop"), place.path("home/plans/loop")).unwrap();
    place.write("home/plans/a.txt");
    place.refuses("home/plans/pipe.png", Reason::NoFile);
    place.refuses("home/plans/socket", Reason::NoFile);
    place.refuses("home/plans", Reason::Folder);
    place.refuses("home/plans/none.png", Reason::Missing);
    place.refuses("home/plans/a.txt/b", Reason::Missing);
    place.refuses(&format!("home/plans/{}", "n".repeat(300)), Reason::Missing);
    place.refuses("home/plans/loop", Reason::Unreadable);
    assert_eq!(resolve("/dev/null", false, &place.wide()), Err(Reason::NoFile));
    assert_eq!(resolve("C:\\a.png", false, &place.allowed()), Err(Reason::Missing));
    assert_eq!(resolve("/a\0b", false, &place.allowed()), Err(Reason::Missing));
}

#[test]
fn keys_and_the_systems_files_never_go() {
    let place = Place::new();
    for name in [
        ".ssh/id_ed25519",
        ".ssh/notes.txt",
        "plans/.env",
        "plans/server.KEY",
        ".netrc",
        ".bashrc",
        "plans/credentials.json",
        "plans/.credentials.json",
        ".codex/auth.json",
    ] {
        place.write(&format!("home/{name}"));
        place.refuses(&format!("home/{name}"), Reason::Private);
    }
    for allowed in [place.allowed(), place.wide()] {
        assert_eq!(resolve("/etc/passwd", false, &allowed), Err(Reason::System));
        assert_eq!(resolve("/proc/self/environ", false, &allowed), Err(Reason::Private));
    }
    if Path::new("/etc/shadow").exists() {
        assert_eq!(resolve("/etc/shadow", false, &place.wide()), Err(Reason::Private));
    }
}

#[test]
fn gatehouse_keeps_its_own_files() {
    let place = Place::new();
    place.write("home/data/a.png");
    place.refuses("home/data/a.png", Reason::Own);
    place.refuses("home/plans/../data/a.png", Reason::Own);
    place.write("home/plans/gatehouse.db");
    place.refuses("home/plans/gatehouse.db", Reason::Own);
}

#[test]
fn work_among_the_systems_folders_is_work() {
    let allowed = Allowed::new(PathBuf::from("/nowhere"), [PathBuf::from("/etc")], Path::new("/nowhere/data"));
    assert!(resolve("/etc/passwd", false, &allowed).is_ok());
}

#[test]
fn no_link_leads_out() {
    let place = Place::new();
    place.write("outside/a.png");
    place.write("home/.ssh/id_rsa");
    symlink(place.path("outside/a.png"), place.path("home/plans/a.png")).unwrap();
    symlink(place.path("outside"), place.path("home/plans/folder")).unwrap();
    symlink(place.path("home/.ssh/id_rsa"), place.path("home/plans/photo.png")).unwrap();
    place.refuses("outside/a.png", Reason::Outside);
    place.refuses("home/plans/a.png", Reason::Outside);
    place.refuses("home/plans/folder/a.png", Reason::Outside);
    place.refuses("home/plans/../../outside/a.png", Reason::Outside);
    place.refuses("home/plans/photo.png", Reason::Private);
}

#[test]
fn a_link_is_what_it_leads_to() {
    let place = Place::new();
    place.write("home/plans/notes.txt");
    symlink(place.path("home/plans/notes.txt"), place.path("home/plans/photo.png")).unwrap();
    let found = resolve("~/plans/photo.png", false, &place.allowed()).unwrap();
    assert_eq!((found.name.as_str(), found.kind), ("notes.txt", Kind::Document));
}

#[test]
fn size_and_number_have_a_limit() {
    let place = Place::new();
    let file = fs::File::create(place.path("home/plans/large.bin")).unwrap();
    file.set_len(LARGEST_ATTACHMENT).unwrap();
    assert!(resolve("~/plans/large.bin", false, &place.allowed()).is_ok());
    file.set_len(LARGEST_ATTACHMENT + 1).unwrap();
    place.refuses("home/plans/large.bin", Reason::TooLarge);

    place.write("home/plans/a.png");
    let answer = apart(&"MEDIA:~/plans/a.png\n".repeat(MOST_ATTACHMENTS + 2), &place.allowed());
    assert_eq!((answer.files.images.len(), answer.refused.len()), (1, 2));
    assert_eq!(answer.refused[0].reason, Reason::TooMany);
    assert_eq!(answer.text, "MEDIA:~/plans/a.png\n".repeat(2));
}

#[test]
fn everything_is_asked_again_before_it_goes() {
    let place = Place::new();
    let path = place.write("home/plans/a.png");
    let allowed = place.allowed();
    let found = resolve("~/plans/a.png", false, &allowed).unwrap();
    let again = || recheck(&found.path, &allowed);
    assert_eq!(again(), Ok(()));

    fs::remove_file(&path).unwrap();
    assert_eq!(again(), Err(Reason::Missing));
    symlink(place.write("home/.ssh/id_rsa"), &path).unwrap();
    assert_eq!(again(), Err(Reason::Private));
    fs::remove_file(&path).unwrap();
    symlink(place.write("home/plans/b.png"), &path).unwrap();
    assert_eq!(again(), Err(Reason::Changed));
    fs::remove_file(&path).unwrap();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert_eq!(again(), Err(Reason::NoFile));
}

#[test]
fn a_refusal_says_why() {
    let place = Place::new();
    place.write("home/.ssh/id_rsa");
    let answer = apart("Both: MEDIA:\"~/plans/no\u{202E}ne.png\" and MEDIA:~/.ssh/id_rsa", &place.allowed());
    let person: Vec<String> = answer.refused.iter().map(Refusal::for_person).collect();
    assert_eq!(person[0], "~/plans/no\\u202Ene.png was not attached: there is no such file.");
    assert_eq!(person[1], "~/.ssh/id_rsa was not attached: it may hold keys or passwords.");
}
