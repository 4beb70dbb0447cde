//! Rows that lower modules leave for others: mails, notifications and requests to the staff.

pub mod mails;
pub mod notifications;
pub mod requests;
