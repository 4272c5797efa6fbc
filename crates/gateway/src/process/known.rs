//! A start that was asked for before: the same name is the same process, also when that is forgotten.

use gatehouse_domain::{ProcessId, ProcessState};
use gatehouse_store::Snapshot;

use super::end_unit;
use crate::core::Core;
use crate::error::{Error, Result};
use crate::gateway::KEY_TAKEN;
use crate::session::{Asked, Before};

/// What became of it.
pub(super) enum Known {
    /// It began. Its process has the id of the request.
    Began(ProcessId),
    /// It did not, for this reason.
    Failed(String),
    /// The name stands for something else.
    Other,
}

impl Known {
    pub fn of(rows: &Snapshot<'_>, asked: &Asked) -> gatehouse_store::Result<Option<Self>> {
        let id = match asked.before(rows)? {
            None => return Ok(None),
            Some(Before::Other) => return Ok(Some(Self::Other)),
            Some(Before::Same(admission)) => ProcessId::from_uuid(admission.uuid()),
        };
        // The report outlives the process.
        let failed = end_unit(rows, id)?.filter(|unit| unit.state == Some(ProcessState::FailedStart));
        Ok(Some(failed.map_or(Self::Began(id), |unit| Self::Failed(unit.output_tail))))
    }

    pub fn answer(self) -> Result<ProcessId> {
        match self {
            Self::Began(id) => Ok(id),
            Self::Failed(reason) => Err(Error::StartFailed(reason)),
            Self::Other => Err(Error::Invalid(KEY_TAKEN.into())),
        }
    }
}

/// The process of a request that was made before.
pub(crate) fn known(core: &Core, asked: Option<&Asked>) -> Result<Option<ProcessId>> {
    let known = asked.map(|asked| core.store.read(|rows| Known::of(rows, asked))).transpose()?.flatten();
    known.map(Known::answer).transpose()
}
