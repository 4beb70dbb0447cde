//! User accounts: sign-in and sessions, users, admission and the IP blocklist.

pub mod admission;
pub mod auth;
pub mod ip_blocklist;
pub mod mail_delivery;
pub mod saved_views;
pub mod users;
