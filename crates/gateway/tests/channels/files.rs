//! Files that an answer names: shown beside it in a window, opened only after another look, and where they are refused the
//! person and the model are told.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use gatehouse_domain::{ItemId, ItemKind, SessionId};
use gatehouse_gateway::{AnswerFiles, Error, FileUse, SendMode};
use gatehouse_provider::scripted::say;

use crate::Result;
use crate::house::{House, channel, message, plugged, read, until};

impl House {
    /// A conversation of a window, in which this was said and answered.
    fn asked_in_a_window(&self) -> Result<SessionId> {
        let gateway = self.gateway()?.clone();
        let session = self.does(gateway.create_session(None, None))??;
        self.does(gateway.send(session, "The files, please".into(), None, SendMode::Queue, false))??;
        self.own.block_on(self.lab.wait_for_request(1));
        self.at_rest(session)?;
        Ok(session)
    }

    /// The answer's entry, and what it names.
    fn answer_of(&self, session: SessionId) -> Result<(ItemId, AnswerFiles)> {
        let items = self.gateway()?.items(session, None, None, 9)?;
        let answer = items.iter().rev().find(|item| item.row.kind == ItemKind::Message).ok_or("no answer")?;
        Ok((answer.row.id, AnswerFiles::read(&answer.row).ok_or("it names no file")?))
    }

    fn opens(&self, item: ItemId, path: &Path, wanted: FileUse) -> Result<Result<(), Error>> {
        let path = path.to_string_lossy();
        Ok(self.does(self.gateway()?.file_of_answer(item, &path, wanted))?.map(drop))
    }
}

#[test]
fn a_refused_file_is_told_to_the_person_and_to_the_model() -> Result {
    let slack = channel("slack")?;
    let answers = [say("Here it is.\nMEDIA:/etc/passwd"), say("Sorry.")];
    let house = House::open(answers, [plugged(&slack)], "")?;
    house.answered(&message("D1", "1")?, "The users, please")?;
    house.answered(&message("D1", "2")?, "I got nothing")?;
    let said = until("both answers", || Some(read(&slack, "D1")).filter(|said| said.len() == 2))?;
    assert!(said[0].ends_with("(/etc/passwd was not attached: it is part of the system.)"), "{said:?}");
    let requests = house.lab.requests();
    let told = &requests[1].body["messages"];
    let of = |role: &str| -> Vec<String> {
        let all = told.as_array().into_iter().flatten().filter(|message| message["role"] == role);
        all.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
    };
    let [answer] = of("assistant").try_into().map_err(|all| format!("{all:?}"))?;
    let line =
        "[The gateway did not hand over these files of the answer above: /etc/passwd (it is part of the system).]";
    assert_eq!(answer, format!("Here it is.\nMEDIA:/etc/passwd\n\n{line}"));
    assert!(!of("user").iter().any(|words| words.contains("hand over")), "no person said so");
    Ok(())
}

#[test]
fn a_window_gets_the_files_of_an_answer_and_opens_each_only_after_another_look() -> Result {
    let folder = tempfile::tempdir()?;
    let [plan, tool] = ["plan.pdf", "tool.sh"].map(|name| folder.path().join(name));
    std::fs::write(&plan, "abc")?;
    std::fs::write(&tool, "true")?;
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755))?;
    let words = format!("Two:\nMEDIA:{}\nMEDIA:{}\nMEDIA:/etc/passwd", plan.display(), tool.display());
    let house = House::open([say(&words)], [], "")?;
    let session = house.asked_in_a_window()?;
    let (item, named) = house.answer_of(session)?;
    let shown: Vec<_> = named.files.iter().map(|file| (file.name.as_str(), file.kind.as_str(), file.bytes)).collect();
    assert_eq!(shown, [("plan.pdf", "document", 3), ("tool.sh", "document", 4)]);
    assert_eq!(named.refused.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["/etc/passwd"]);
    assert_eq!(named.words(&words), "Two:\nMEDIA:/etc/passwd");

    assert!(house.opens(item, &plan, FileUse::Open)?.is_ok());
    assert!(house.opens(item, &tool, FileUse::Folder)?.is_ok());
    let refused = house.opens(item, &tool, FileUse::Open)?;
    assert!(matches!(&refused, Err(Error::Invalid(words)) if words.contains("is a program")), "{refused:?}");
    let foreign = house.opens(item, Path::new("/etc/passwd"), FileUse::Open)?;
    assert!(matches!(foreign, Err(Error::NotFound(_))), "{foreign:?}");

    std::fs::remove_file(&plan)?;
    symlink("/etc/passwd", &plan)?;
    let changed = house.opens(item, &plan, FileUse::Open)?;
    assert!(matches!(&changed, Err(Error::Invalid(words)) if words.contains("part of the system")), "{changed:?}");
    Ok(())
}
