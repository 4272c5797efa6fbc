//! Messages that are not taken in: nobody could be answered, or somebody else is meant. A person can see it, and no store
//! but that of the profile whose channel brought the message is ever asked.

use gatehouse_delivery::outbox::Answerer;
use gatehouse_domain::{Arrival, IncidentId, Origin, Target};
use gatehouse_store::NewIncident;

use crate::core::Core;
use crate::error::Error;

/// The cause of the incident.
const CAUSE: &str = "message_refused";

/// Why a message is not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnedAway {
    /// It is for a profile that this one is not.
    OtherProfile,
    /// An answer would have no place to go.
    NoPlace,
    /// No channel of this profile answers for its platform.
    NoChannel,
}

impl TurnedAway {
    /// Nothing for a message that is taken in.
    pub fn of(core: &Core, arrival: &Arrival) -> Option<Self> {
        let origin = &arrival.origin;
        if origin.profile.as_str() != core.profile {
            return Some(Self::OtherProfile);
        }
        if Target::of(origin).is_none() {
            return Some(Self::NoPlace);
        }
        let nobody = core.outbox.would_answer(origin, arrival.via_relay) == Answerer::Nobody;
        nobody.then_some(Self::NoChannel)
    }

    /// What its channel is told.
    pub fn error(self) -> Error {
        match self {
            Self::OtherProfile => Error::NotFound("profile here"),
            Self::NoPlace | Self::NoChannel => Error::Invalid(self.words().to_owned()),
        }
    }

    /// Notes it where a person sees it, once for each place as long as nobody has seen to it.
    pub async fn refuse(self, core: &Core, origin: &Origin) -> Error {
        let chat = origin.chat.as_ref().map(|chat| format!(":{chat}")).unwrap_or_default();
        let new = NewIncident {
            id: IncidentId::from_uuid(core.ids.fresh()),
            severity: "warning".into(),
            cause: CAUSE.into(),
            subject: format!("{}:{}{chat}", origin.profile, origin.platform),
            detail: format!("{}{chat}: {}", origin.platform, self.words()),
            at: core.now(),
        };
        let noted = core.store.write(move |tx| {
            let known = tx.incidents().open()?.iter().any(|row| row.cause == CAUSE && row.detail == new.detail);
            if known { Ok(()) } else { tx.incidents_mut().insert(&new) }
        });
        if let Err(error) = noted.await {
            tracing::error!("A message that was not taken in cannot be noted: {error:#}");
        }
        self.error()
    }

    const fn words(self) -> &'static str {
        match self {
            Self::OtherProfile => "A message was meant for another profile. It was not kept.",
            Self::NoPlace => "An answer to this message would have no place to go. It was not kept.",
            Self::NoChannel => "No channel of this profile answers there. The message was not kept.",
        }
    }
}
