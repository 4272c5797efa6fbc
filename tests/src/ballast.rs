//! Something heavy: it takes all the room of a disk until it is thrown off it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::Result;

/// Leaves no room at all on the disk that this file lies on.
pub fn fill(file: &Path) -> Result {
    let mut ballast = OpenOptions::new().create(true).append(true).open(file)?;
    let block = vec![0; 64 * 1024];
    // In ever smaller pieces, so that the last page goes too.
    for size in [64 * 1024, 4096, 1] {
        while ballast.write_all(&block[..size]).is_ok() {}
    }
    Ok(())
}
