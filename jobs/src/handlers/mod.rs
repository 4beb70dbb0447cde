//! What the jobs do, by noun. A handler gets ids, reads the rows again, and may run twice.
pub mod backups;
pub mod cleanup;
pub mod documents;
pub mod health;
pub mod mails;
pub mod notifications;
pub mod reminders;
pub mod reports;
pub mod seed;
