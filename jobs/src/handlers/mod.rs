//! Job handlers by noun. A payload holds ids only; a handler reloads the rows and is idempotent.
pub mod backups;
pub mod cleanup;
pub mod documents;
pub mod health;
pub mod mails;
pub mod notifications;
pub mod reminders;
pub mod reports;
pub mod seed;
