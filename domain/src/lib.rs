//! Domain of the portal: entities, state machines, use cases, access policy and SQL.
//!
//! Independent of HTTP, the command line and mail transport. Every use case takes a [`Ctx`] first: actor, database, clock.
//! A noun has up to three files: `mod.rs` (use cases in the order of the life cycle), `model.rs` (types and pure transitions),
//! `store.rs` (SQL without decisions). Larger nouns have more, named for what they do. A job's payload stands beside its use
//! case. The folders form layers; `README.md` has their order.

pub mod accounts;
pub mod desk;
pub mod directory;
pub mod kernel;
pub mod operations;
pub mod orders;
pub mod outbox;
pub mod platform;
pub mod reporting;
#[cfg(feature = "testing")]
pub mod testing;

pub use kernel::access::{Action, Actor};
pub use kernel::ctx::{Ctx, DEMO_PASSWORD, Options, Origin};
pub use kernel::error::{Error, Result};
