//! The same on a slow disk: a small library in front of the C library adds 10 ms to every sync of the server.

use super::{Home, Rig, WARM_UP};
use crate::error::{Doing, Result};
use crate::program;

const SOURCE: &str = include_str!("../../../assets/slow_sync.c");

/// Milliseconds from a command's end to its request.
pub(super) async fn requests(rounds: usize) -> Result<Vec<f64>> {
    let home = Home::new()?;
    let (source, library) = (home.path().join("slow_sync.c"), home.path().join("slow_sync.so"));
    std::fs::write(&source, SOURCE).doing("writing a source file")?;
    program::run(program::command("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source))?;
    let mut rig = Rig::start(&home, Some(&library)).await?;
    let mut samples = Vec::new();
    for round in 0..WARM_UP + rounds {
        let (_, requested) = rig.round(round).await?;
        if round >= WARM_UP {
            samples.push(requested);
        }
    }
    rig.server.end()?;
    Ok(samples)
}
