//! Integration tests on SQLite and, if `TEST_POSTGRES_URL` is set, on PostgreSQL. One binary is linked faster than many.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod cancellation;
mod failover;
mod file;
mod pooler;
mod rows;
mod support;
mod timeouts;
mod transactions;
