//! The job's own group: made before the job is, entered by the job itself before it becomes the command. Where that does
//! not work the job runs without one and its record says why.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use gatehouse_process::cgroup::Group;
use gatehouse_process::rundir::{ChildRecord, Raw};

/// The way in, for the child.
#[derive(Debug)]
pub struct Door {
    door: Option<OwnedFd>,
    path: Option<Raw>,
    refused: Option<String>,
}

/// Makes the group that is wanted, if one is.
pub fn make(wanted: Option<Raw>) -> (Option<Group>, Door) {
    let Some(wanted) = wanted else { return (None, Door { door: None, path: None, refused: None }) };
    let path = PathBuf::from(OsString::from(wanted.clone()));
    match Group::create(&path).and_then(|group| group.door().map(|door| (group, door))) {
        Ok((group, door)) => (Some(group), Door { door: Some(door), path: Some(wanted), refused: None }),
        Err(error) => {
            let refused = Some(format!("{} cannot be made: {error}", path.display()));
            (None, Door { door: None, path: None, refused })
        }
    }
}

/// The group, if the job is in it; one that stands empty goes.
pub fn kept(group: Option<Group>, job: &ChildRecord) -> Option<Group> {
    group.filter(|group| {
        let is_entered = job.group.is_some();
        if !is_entered {
            group.remove();
        }
        is_entered
    })
}

impl Door {
    /// Takes this very process in. Gives back its group, or why it has none.
    pub fn enter(&self) -> (Option<Raw>, Option<String>) {
        let Some(door) = &self.door else { return (None, self.refused.clone()) };
        match rustix::io::write(door, b"0") {
            Ok(_) => (self.path.clone(), None),
            Err(error) => (None, Some(format!("a group cannot be entered: {}", io::Error::from(error)))),
        }
    }
}
