//! What a person says while a turn runs: words that shall join it, and messages that wait behind it. Both end the
//! turn's own waiting for a process: whoever speaks shall not have to wait for something that takes for ever.

use gatehouse_agent::Interjection;
use gatehouse_domain::AdmissionId;
use tokio::sync::watch;

/// What one running turn may hear. The actor fills it, and the turn's journal empties it.
#[derive(Debug, Default)]
pub(crate) struct Ear(watch::Sender<Said>);

#[derive(Debug, Default)]
struct Said {
    /// Accepted messages that shall join the turn.
    joining: Vec<AdmissionId>,
    /// Accepted messages that wait behind it.
    behind: Vec<Behind>,
    /// How many of those there were.
    came: u64,
}

#[derive(Debug)]
struct Behind {
    admission: AdmissionId,
    number: u64,
    /// It has ended a wait already; the model knows of it, and may wait again all the same.
    told: bool,
}

impl Ear {
    /// Sends an accepted message that waits into the turn.
    pub fn join(&self, admission: AdmissionId) {
        self.0.send_modify(|said| {
            said.behind.retain(|behind| behind.admission != admission);
            if !said.joining.contains(&admission) {
                said.joining.push(admission);
            }
        });
    }

    /// An accepted message waits behind the turn.
    pub fn wait_behind(&self, admission: AdmissionId) {
        self.0.send_modify(|said| {
            if said.joining.contains(&admission) || said.behind.iter().any(|behind| behind.admission == admission) {
                return;
            }
            said.came += 1;
            said.behind.push(Behind { admission, number: said.came, told: false });
        });
    }

    /// What was sent into the turn and is not heard yet.
    pub fn take_joining(&self) -> Vec<AdmissionId> {
        let mut joining = Vec::new();
        self.0.send_if_modified(|said| {
            joining = std::mem::take(&mut said.joining);
            false
        });
        joining
    }

    /// Ready when something was sent into the turn that is not heard yet; at once if there is already.
    pub async fn joined(&self) {
        let mut said = self.0.subscribe();
        let joined = said.wait_for(|said| !said.joining.is_empty()).await.is_ok();
        // The sender is ours, so it is there as long as anybody waits.
        if !joined {
            std::future::pending::<()>().await;
        }
    }

    /// Ready when there is something new to be heard; at once if there is already. A message that waits behind the
    /// turn ends every wait that it finds, and the next one if it finds none.
    pub async fn interjection(&self) -> Interjection {
        let mut said = self.0.subscribe();
        let before = said.borrow().came;
        let news = |said: &Said| said.behind.iter().any(|behind| !behind.told || behind.number > before);
        let heard = said.wait_for(|said| !said.joining.is_empty() || news(said)).await;
        // The sender is ours, so it is there as long as anybody waits.
        let Ok(joins) = heard.map(|said| !said.joining.is_empty()) else { return std::future::pending().await };
        if joins {
            return Interjection::Joins;
        }
        self.0.send_if_modified(|said| {
            said.behind.iter_mut().for_each(|behind| behind.told = true);
            false
        });
        Interjection::Waits
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn message(number: u128) -> AdmissionId {
        AdmissionId::from_uuid(uuid::Uuid::from_u128(number))
    }

    /// What a wait that begins now is ended by at once.
    fn heard(ear: &Ear) -> Option<Interjection> {
        ear.interjection().now_or_never()
    }

    #[test]
    fn words_that_join_end_every_wait_until_they_are_heard() {
        let ear = Ear::default();
        assert_eq!(heard(&ear), None);
        ear.join(message(1));
        ear.join(message(1));
        assert_eq!((heard(&ear), heard(&ear)), (Some(Interjection::Joins), Some(Interjection::Joins)));
        assert_eq!(ear.joined().now_or_never(), Some(()));
        assert_eq!(ear.take_joining(), [message(1)]);
        assert_eq!((heard(&ear), ear.take_joining()), (None, Vec::new()));
        ear.wait_behind(message(2));
        assert_eq!(ear.joined().now_or_never(), None, "what waits behind the turn leaves its commands alone");
    }

    #[tokio::test]
    async fn a_message_that_waits_ends_the_waits_that_it_finds_or_the_next_one() {
        let ear = Ear::default();
        // Both wait already when it comes.
        let say = async { ear.wait_behind(message(1)) };
        let (one, two, ()) = tokio::join!(biased; ear.interjection(), ear.interjection(), say);
        assert_eq!((one, two), (Interjection::Waits, Interjection::Waits));
        ear.wait_behind(message(1));
        assert_eq!(heard(&ear), None, "the same message is told once");
        ear.wait_behind(message(2));
        assert_eq!((heard(&ear), heard(&ear)), (Some(Interjection::Waits), None));
    }

    #[test]
    fn a_message_that_is_sent_now_joins_and_does_not_wait_any_more() {
        let ear = Ear::default();
        ear.wait_behind(message(1));
        ear.join(message(1));
        assert_eq!(heard(&ear), Some(Interjection::Joins));
        assert_eq!((ear.take_joining(), heard(&ear)), (vec![message(1)], None));
    }
}
