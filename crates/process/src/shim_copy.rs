//! The shim runs from a copy under its own content's name, so that replacing the application, or unmounting the image
//! it runs from, never pulls the program away from under a living job.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

/// Bytes of the content's hash in a copy's path.
const PREFIX: usize = 8;
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Puts a copy of `source` below `bin_dir`, unless it is there.
pub fn install(source: &Path, bin_dir: &Path) -> io::Result<PathBuf> {
    let content = std::fs::read(source)?;
    let name: String = Sha256::digest(&content).iter().take(PREFIX).map(|byte| format!("{byte:02x}")).collect();
    let dir = bin_dir.join(name);
    let copy = dir.join("gatehouse-shim");
    let is_there = std::fs::metadata(&copy).is_ok_and(|meta| meta.len() == content.len() as u64);
    if !is_there {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        // Two profiles may get here at once.
        let draft = dir.join(format!("draft.{}.{}", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed)));
        write_executable(&draft, &content)?;
        std::fs::rename(&draft, &copy)?;
    }
    Ok(copy)
}

fn write_executable(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.set_permissions(Permissions::from_mode(0o700))?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_source_gets_another_copy_and_the_old_one_stays() {
        let home = tempfile::tempdir().unwrap();
        let source = home.path().join("source");
        std::fs::write(&source, "one").unwrap();
        let first = install(&source, &home.path().join("bin")).unwrap();
        assert_eq!(install(&source, &home.path().join("bin")).unwrap(), first);
        std::fs::write(&source, "two").unwrap();
        let second = install(&source, &home.path().join("bin")).unwrap();
        assert_ne!(first, second);
        assert_eq!(std::fs::read(&first).unwrap(), b"one");
        assert_eq!(std::fs::metadata(&second).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_copy_that_was_cut_short_is_made_again() {
        let home = tempfile::tempdir().unwrap();
        let source = home.path().join("source");
        std::fs::write(&source, "content").unwrap();
        let copy = install(&source, home.path()).unwrap();
        std::fs::write(&copy, "cut").unwrap();
        assert_eq!(std::fs::read(install(&source, home.path()).unwrap()).unwrap(), b"content");
    }
}
