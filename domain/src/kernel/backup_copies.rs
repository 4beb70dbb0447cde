//! Where backups are copied to, and for whom they are encrypted.
use crate::kernel::storage::Storage;
pub use age::x25519::Recipient;

/// The storage of the copies.
#[derive(Clone, Debug)]
pub struct BackupCopies {
    pub storage: Storage,
    /// Only the holder of its identity reads the copies; unset: they are not encrypted.
    pub recipient: Option<Recipient>,
}
