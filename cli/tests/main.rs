//! Tests of the real `spvctl` binary. One test binary, so that it is linked once.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod backups;
mod commands;
mod help;
mod import;
mod listen;
mod lists;
mod logging;
mod mail_delivery;
mod metrics;
mod migrate;
mod names;
mod packaging;
mod prompts;
#[cfg(target_os = "linux")]
mod rolling_restart;
#[cfg(target_os = "linux")]
mod serve;
mod settings;
#[cfg(target_os = "linux")]
mod side_effects;
mod support;
mod terminal;
mod tls;
