//! Free disk space of a directory.
use std::path::Path;

/// Less free space than both is too little: a tenth of a large disk lasts for years.
const MIN_FREE_PERCENT: u64 = 10;
const MIN_FREE_BYTES: u64 = 10 << 30;

/// Size and free space in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    pub free: u64,
    pub total: u64,
}

impl Disk {
    /// Free space as a whole percent.
    pub fn percent_free(self) -> u64 {
        if self.total == 0 {
            100
        } else {
            u64::try_from(u128::from(self.free) * 100 / u128::from(self.total)).unwrap_or(100)
        }
    }

    /// Whether there is less free space than [`MIN_FREE_PERCENT`] and [`MIN_FREE_BYTES`].
    pub fn is_low(self) -> bool {
        self.percent_free() < MIN_FREE_PERCENT && self.free < MIN_FREE_BYTES
    }
}

/// Disk space of the file system that holds `folder`. None if the system does not report it.
#[cfg(target_os = "linux")]
pub fn disk(folder: &Path) -> Option<Disk> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(Disk { free: found.f_bavail * found.f_frsize, total: found.f_blocks * found.f_frsize })
}

#[cfg(not(target_os = "linux"))]
pub fn disk(_: &Path) -> Option<Disk> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_disk_below_ten_percent_and_ten_gib_is_low() {
        let found = disk(&std::env::temp_dir()).expect("a disk");
        assert!(found.total > 0 && found.free <= found.total && found.percent_free() <= 100);
        assert_eq!(disk(Path::new("/does/not/exist")), None);
        assert_eq!(Disk { free: 9, total: 100 }.percent_free(), 9);
        assert_eq!([9, 10].map(|free| Disk { free, total: 100 }.is_low()), [true, false]);
        assert!(!Disk { free: MIN_FREE_BYTES, total: 100 * MIN_FREE_BYTES }.is_low());
    }
}
