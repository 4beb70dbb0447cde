//! The office's daily work: approvals, the request desk, messages, tasks, and the life of people.

pub mod approvals;
pub mod messages;
pub mod people;
pub mod requests;
pub mod tasks;
