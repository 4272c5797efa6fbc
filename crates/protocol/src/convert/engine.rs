//! What the embedded engine does, as the wire shows it.

use gatehouse_gateway::{EngineNow, EngineState};

use crate::wire::{Engine, EngineTakes};

pub(crate) fn engine(now: EngineNow) -> Engine {
    let (state, percent, takes) = match now.state {
        EngineState::Asleep => ("asleep", None, None),
        EngineState::Loading { percent } => ("loading", Some(u32::from(percent)), None),
        EngineState::Ready(facts) => {
            let takes =
                EngineTakes { memory_bytes: facts.memory.into(), context: facts.context, threads: facts.threads };
            ("ready", None, Some(takes))
        }
    };
    let EngineNow { installed, starter, provider, model, .. } = now;
    Engine { installed, starter, state: state.into(), provider, model, percent, takes }
}
