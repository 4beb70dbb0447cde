//! `spvctl healthcheck`: whether a running portal is ready, for containers and load balancers.
use crate::{
    config::Config,
    exit::{Failure, Result},
    listen::Listen,
    output::info,
};
use domain::operations::health_checks;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl healthcheck\n  spvctl healthcheck --url https://portal.example.com\n\n\
                        Exit codes: 0 ready, 1 not ready or no answer.")]
pub struct Args {
    /// Address of the portal [default: the one it listens on]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

pub async fn run(args: &Args, config: &Config) -> Result {
    let (base, socket) = match (&args.url, &config.listen) {
        (Some(url), _) => (url.clone(), None),
        (None, Listen::Address(address)) => (format!("http://{}", local_address(*address)), None),
        (None, Listen::Unix(path)) => ("http://localhost".to_owned(), Some(path.as_path())),
        (None, Listen::Systemd) => (config.public_url(None), None),
    };
    let url = format!("{}/readyz", base.trim_end_matches('/'));
    health_checks::page(url.clone(), socket)
        .await
        .map_err(|why| Failure::Refused(format!("{url} is not ready: {}", innermost(&why))))?;
    info("ready");
    Ok(())
}

/// The innermost of an error's causes: a refused connection without the client's words around it.
fn innermost(causes: &str) -> &str {
    causes.rsplit(": ").next().unwrap_or(causes)
}

/// The address at which a server that listens on all addresses is reached from this machine.
fn local_address(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
