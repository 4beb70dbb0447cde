//! Behaviour of the crate on SQLite and, where `TEST_POSTGRES_URL` names a server, on PostgreSQL: one binary, so that it is
//! linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod cancellation;
mod failover;
mod file;
mod pooler;
mod rows;
mod stuck;
mod support;
mod transactions;
