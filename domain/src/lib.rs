//! What is true in the portal: entities, state machines, use cases, who may do what, and the SQL under them.
//!
//! Nothing here knows of HTTP, the command line or mail transport. Every use case takes a [`Ctx`] first: who
//! acts, on which database, at what time. A noun has up to three files: `mod.rs` (its use cases, in the order of
//! the thing's life), `model.rs` (types and pure transitions), `store.rs` (SQL, no decisions). A larger one has more,
//! named after what they do. The payload of a job stands beside the use case that it is for.

pub mod access;
pub mod activity;
pub mod alerts;
pub mod analytics;
pub mod auth;
pub mod backups;
pub mod blocks;
pub mod calls;
pub mod catalogue;
pub mod check;
pub mod clients;
pub mod clock;
pub mod commissions;
pub mod companies;
pub mod counts;
pub mod ctx;
pub mod dashboards;
pub mod db;
pub mod document_requests;
pub mod documents;
pub mod email;
pub mod error;
pub mod exports;
pub mod finances;
pub mod gate;
pub mod health_check;
pub mod hex;
pub mod idempotency;
pub mod ids;
pub mod imports;
pub mod invoices;
pub mod iso_notes;
pub mod isos;
pub mod leads;
mod local_date;
pub mod mails;
pub mod maintenance;
pub mod messages;
pub mod money;
pub mod network;
pub mod notifications;
pub mod page;
pub mod phone;
pub mod places;
pub mod probes;
pub mod queue;
pub mod reports;
pub mod requests;
pub mod scanner;
pub mod scans;
pub mod schema;
pub mod search;
pub mod seed;
pub mod settings;
pub mod span;
pub mod spvs;
pub mod steps;
pub mod storage;
pub mod tasks;
pub mod templates;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod users;

pub use access::{Action, Actor};
pub use ctx::{Ctx, DEMO_PASSWORD, Options, Origin};
pub use error::{Error, Result};
