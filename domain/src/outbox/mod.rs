//! Outgoing messages: mails, notifications, the live activity feed, and requests to the staff.

pub mod activity_feed;
pub mod mails;
pub mod notifications;
pub mod requests;
