//! Outgoing messages: mails, notifications and the live activity feed.

pub mod activity_feed;
pub mod mails;
pub mod notifications;
