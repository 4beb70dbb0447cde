//! The office's daily work: the request desk, messages and tasks.

pub mod messages;
pub mod people;
pub mod requests;
pub mod tasks;
