//! File systems whose other end is another machine: their locks and shared memory cannot be trusted.

use std::path::Path;

/// Kernel file systems that are remote by nature, by the number that `statfs` gives.
const REMOTE: [u64; 8] = [
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB 2 and later
    0x0102_1997, // 9P: a host's folder inside a virtual machine
    0x5346_414F, // AFS
    0x00C3_6400, // Ceph
    0x7375_7245, // Coda
];

/// User-space file systems share one number; this one tells that the mount's name must be looked at.
const FUSE: u64 = 0x6573_5546;

/// User-space file systems that are remote.
const REMOTE_FUSE: [&str; 6] =
    ["fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs", "fuse.glusterfs", "fuse.gvfsd-fuse"];

/// Whether `dir` lies on one of them.
pub(super) fn is_remote(dir: &Path) -> std::io::Result<bool> {
    let found = u64::from(u32::try_from(rustix::fs::statfs(dir)?.f_type & 0xFFFF_FFFF).unwrap_or(0));
    if found != FUSE {
        return Ok(REMOTE.contains(&found));
    }
    let stat = rustix::fs::stat(dir)?;
    let device = format!("{}:{}", rustix::fs::major(stat.st_dev), rustix::fs::minor(stat.st_dev));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    Ok(kind_of_mount(&mounts, &device).is_some_and(|kind| REMOTE_FUSE.contains(&kind)))
}

/// The file system's name of the mount with this device, in the text of `mountinfo`.
fn kind_of_mount<'t>(mounts: &'t str, device: &str) -> Option<&'t str> {
    let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some(device))?;
    line.split_once(" - ")?.1.split(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_name_behind_optional_fields() {
        let mounts = "22 1 254:0 / / rw shared:1 master:2 - ext4 /dev/vda rw\n\
                      90 22 0:51 / /home/me/far rw,nosuid - fuse.sshfs me@far: rw,user_id=0\n";
        assert_eq!(kind_of_mount(mounts, "0:51"), Some("fuse.sshfs"));
        assert_eq!(kind_of_mount(mounts, "254:0"), Some("ext4"));
        assert_eq!(kind_of_mount(mounts, "0:52"), None);
    }

    #[test]
    fn this_machine_is_local() {
        assert!(!is_remote(&std::env::temp_dir()).unwrap());
    }
}
