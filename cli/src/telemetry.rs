//! Logs: to stderr, for people or for machines.
use crate::config::LogFormat;
use std::io::IsTerminal;
use tracing_subscriber::{EnvFilter, fmt};

/// Starts logging by `filter`, which the configuration has checked.
pub fn start(filter: &str, format: LogFormat) {
    // What apalis would tell, the worker tells once.
    let filter = EnvFilter::try_new(format!("apalis_core=off,{filter}")).unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // A log that cannot be written (its disk is full) is nothing to tell on the same stderr: that ends in a panic.
    let log = fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false);
    // A second start in one process (there is none) would keep the first.
    let _ = match format {
        LogFormat::Text => log.with_ansi(colours).with_target(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
