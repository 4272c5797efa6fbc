use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::clock;
use crate::error::{Doing, Result};
use crate::rpc::Rpc;

/// From one write to the next.
const PAUSE: Duration = Duration::from_millis(20);
/// What it is called.
const KEY: &str = "fanout";

/// A window that puts something down again and again, and waits until it is durable.
pub(super) struct Writer {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<Vec<f64>>>,
}

impl Writer {
    pub async fn begin(rpc: &Rpc) -> Result<Self> {
        let rpc = rpc.another()?;
        put(&rpc, 0).await?;
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut samples = Vec::new();
            while stopped.try_recv() == Err(oneshot::error::TryRecvError::Empty) {
                let began = clock::now();
                put(&rpc, samples.len() + 1).await?;
                samples.push(clock::since(began).as_secs_f64() * 1000.0);
                tokio::time::sleep(PAUSE).await;
            }
            Ok(samples)
        });
        Ok(Self { stop, task })
    }

    /// How long each write took, in milliseconds.
    pub async fn end(self) -> Result<Vec<f64>> {
        // A task that has ended already has an error to tell.
        let _gone = self.stop.send(());
        self.task.await.doing("writing beside it")?
    }
}

async fn put(rpc: &Rpc, number: usize) -> Result<()> {
    rpc.call("set_ui_state", &json!({ "key": KEY, "value": number.to_string() })).await.map(drop)
}
