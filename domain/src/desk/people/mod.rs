//! Changes of people with what hangs on them: the orders and documents that are found by their names.
mod client;

pub(crate) use client::reindex_client;
pub use client::update_client;
