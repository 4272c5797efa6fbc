//! When a request is sent again.
//!
//! Only a request that got no answer at all is repeated: once the first event was handed out, a second answer could
//! say or do something twice.

use std::time::Duration;

use gatehouse_domain::FailureCode;

use crate::Failure;

/// The pauses before the second and the third attempt.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// A provider that wants a longer pause than this is not waited for: a person decides.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Calls `attempt` until it succeeds, fails for good, or was tried three times.
pub(crate) async fn request<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    for pause in PAUSES {
        let failure = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        let Some(wait) = wait(&failure, pause) else { return Err(failure) };
        tracing::debug!(code = %failure.code, wait_ms = wait.as_millis(), "Asking the provider again.");
        tokio::time::sleep(wait).await;
    }
    attempt().await
}

/// How long to wait before another attempt; `None` when there is none.
fn wait(failure: &Failure, pause: Duration) -> Option<Duration> {
    let passing =
        matches!(failure.code, FailureCode::Unreachable | FailureCode::RateLimited | FailureCode::ProviderError);
    let wait = failure.retry_after.unwrap_or(pause);
    (passing && failure.retryable && wait <= LONGEST_WAIT).then_some(wait)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::failure::Voice;

    fn failing(code: FailureCode, retry_after: Option<u64>) -> Failure {
        let voice = Voice { name: "lab".to_owned(), key: None };
        Failure { retry_after: retry_after.map(Duration::from_secs), ..voice.failure(code, String::new()) }
    }

    /// Runs `results` through the rules; returns the result and the times of the attempts in milliseconds.
    async fn run(results: Vec<Result<u8, Failure>>) -> (Result<u8, Failure>, Vec<u128>) {
        let start = tokio::time::Instant::now();
        let times = RefCell::new(Vec::new());
        let mut results = results.into_iter();
        let result = request(|| {
            times.borrow_mut().push(start.elapsed().as_millis());
            std::future::ready(results.next().expect("asked too often"))
        })
        .await;
        (result, times.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn passing_trouble_is_tried_three_times() {
        let trouble = || Err(failing(FailureCode::Unreachable, None));
        assert_eq!(run(vec![trouble(), trouble(), Ok(1)]).await, (Ok(1), vec![0, 500, 2_500]));
        let (result, times) = run(vec![trouble(), trouble(), trouble()]).await;
        assert_eq!(result.unwrap_err().code, FailureCode::Unreachable);
        assert_eq!(times, [0, 500, 2_500]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_provider_may_name_the_pause() {
        let busy = |seconds| Err(failing(FailureCode::RateLimited, Some(seconds)));
        assert_eq!(run(vec![busy(7), Ok(1)]).await, (Ok(1), vec![0, 7_000]));
        let (result, times) = run(vec![busy(21)]).await;
        assert_eq!(result.unwrap_err().retry_after, Some(Duration::from_secs(21)));
        assert_eq!(times, [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_will_not_change_is_not_repeated() {
        for code in [FailureCode::Unauthorized, FailureCode::Refused, FailureCode::CutOff, FailureCode::NotAStream] {
            assert_eq!(run(vec![Err(failing(code, None))]).await.1, [0], "{code}");
        }
        let for_good = Failure { retryable: false, ..failing(FailureCode::Unreachable, None) };
        assert_eq!(run(vec![Err(for_good)]).await.1, [0]);
    }
}
