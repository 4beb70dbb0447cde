//! The portal's HTTP server: extraction, sessions, views, OpenAPI, serving the web app. No SQL and no business rules;
//! those are `domain`'s.
//!
//! A request passes `middleware` (span, admission, timeout, error rendering, headers), is matched by the table in `routes`,
//! read by `extract` into a [`domain::Ctx`] and plain input, handed to one use case, and answered by a view or by `error`.
//!
//! Layers, lowest first. A module imports only from lower layers:
//!
//! | layer | modules |
//! |---|---|
//! | 1 | `assets` `body` `client_ip` `concurrency` `error` `language` `listener` `metrics` `oidc` `rate_limit` `redirect_allow_list` `redirect_url` `request_meta` `response` `uploads` `xlsx` |
//! | 2 | `base_path` `downloads` `figures_cache` `invoice_pdf` `openapi` |
//! | 3 | `state` |
//! | 4 | `auth_error` `extract` |
//! | 5 | `middleware` |
//! | 6 | `routes` |
//! | 7 | `serve` |
mod assets;
mod auth_error;
mod base_path;
mod body;
mod client_ip;
mod concurrency;
mod downloads;
mod error;
mod extract;
mod figures_cache;
pub mod invoice_pdf;
mod language;
mod listener;
mod metrics;
mod middleware;
mod oidc;
mod openapi;
mod rate_limit;
mod redirect_allow_list;
mod redirect_url;
mod request_meta;
mod response;
mod routes;
mod serve;
mod state;
mod uploads;
mod xlsx;

pub use assets::CLIENT_ROUTES;
pub use base_path::is_base_path;
pub use client_ip::Network;
pub use listener::Listener;
pub use metrics::Metrics;
pub use oidc::{ProviderKind, ProviderSettings, Providers};
pub use redirect_allow_list::RedirectAllowList;
pub use routes::{openapi_json as openapi, router};
pub use serve::serve;
pub use state::{AppConfig, AppState, HttpConfig};
