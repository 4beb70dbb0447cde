//! What leaves for people: mails and notifications.

pub mod mails;
pub mod notifications;
