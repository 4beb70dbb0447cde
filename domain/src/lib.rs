//! What is true in the portal: entities, state machines, use cases, who may do what, and the SQL under them.
//!
//! Nothing here knows of HTTP, the command line or mail transport. Every use case takes a [`Ctx`] first: who
//! acts, on which database, at what time. A noun has up to three files: `mod.rs` (its use cases, in the order of
//! the thing's life), `model.rs` (types and pure transitions), `store.rs` (SQL, no decisions). A larger one has more,
//! named after what they do. The payload of a job stands beside the use case that it is for.

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
