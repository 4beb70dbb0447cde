//! The real binary, run as an operator would: one test binary, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod backups;
mod commands;
mod help;
mod import;
mod logging;
mod metrics;
mod migrate;
#[cfg(target_os = "linux")]
mod rolling;
#[cfg(target_os = "linux")]
mod safety;
#[cfg(target_os = "linux")]
mod serve;
mod support;
mod terminal;
mod tls;
mod worker;
