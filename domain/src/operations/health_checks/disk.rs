//! How much room there is on the disk of a folder.
use std::path::Path;

/// Percent that should be free.
const ROOM: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    pub free: u64,
    pub total: u64,
}

impl Disk {
    /// Whole percent that are free.
    pub fn percent_free(self) -> u64 {
        if self.total == 0 {
            100
        } else {
            u64::try_from(u128::from(self.free) * 100 / u128::from(self.total)).unwrap_or(100)
        }
    }

    /// Somebody should make room.
    pub fn is_low(self) -> bool {
        self.percent_free() < ROOM
    }
}

/// None where it cannot be told.
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
    fn a_real_disk_has_room_or_not() {
        let found = disk(&std::env::temp_dir()).expect("a disk");
        assert!(found.total > 0 && found.free <= found.total && found.percent_free() <= 100);
        assert_eq!(disk(Path::new("/does/not/exist")), None);
        assert_eq!(Disk { free: 9, total: 100 }.percent_free(), 9);
        assert_eq!([9, 10].map(|free| Disk { free, total: 100 }.is_low()), [true, false]);
    }
}
