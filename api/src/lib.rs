//! The portal over HTTP: who asks, what they send, what they get back. What is true and who may do what is
//! `domain`'s; this crate has no SQL and no rules.
//!
//! A request passes `middleware` (id, log, limits, headers), is matched by the table in `routes`, turned into a
//! [`domain::Ctx`] and plain input by `extract`, handed to one use case, and answered by a view or by `error`.
mod address;
mod answer;
mod assets;
mod body;
mod downloads;
mod error;
mod exports;
mod extract;
mod figures_cache;
mod gate;
mod language;
mod limits;
mod metrics;
mod middleware;
mod oidc;
mod openapi;
pub mod paper;
mod places;
mod routes;
mod serve;
mod sheet;
mod state;

pub use address::Network;
pub use assets::CLIENT_ROUTES;
pub use metrics::Metrics;
pub use oidc::{Kind as ProviderKind, Providers, Settings as ProviderSettings};
pub use openapi::openapi;
pub use routes::{auth::redirect::Redirects, router};
pub use serve::serve;
pub use state::{App, Http, Parts};
