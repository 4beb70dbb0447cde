//! The HTTP listener: accepts connections, limits them per peer address, and shuts down gracefully.
use crate::{
    client_ip::Network,
    concurrency::{ConcurrencyLimit, Permit},
    listener::{Listener, Stream},
    rate_limit::network_prefix,
    request_meta::Peer,
    routes,
    state::AppState,
};
use axum::{Router, body::Body};
use futures::FutureExt;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{future::Future, io, net::IpAddr, time::Duration};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Idle timeout of a kept connection, the headers of its next request included.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(75);
/// Once no connection is accepted any more: how long connections without a request in flight are kept open for one that is
/// on its way. Its response closes the connection.
const LAST_REQUEST_GRACE: Duration = Duration::from_secs(1);
const OPEN_CONNECTIONS_INTERVAL: Duration = Duration::from_millis(20);
/// How long requests in flight may take to end after that.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a connection could not be accepted, which is usually for want of file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// Serves `app` on `listener` until `shutdown`, whose output is the drain time: `/readyz` answers 503 and every
/// response closes its connection, while requests are still served, so that a load balancer takes this node out before
/// it refuses connections. Then lets requests in flight finish, and the first ones of connections that were accepted last;
/// event streams end.
///
/// # Errors
/// When the listener cannot be taken from the runtime at the end. A connection that cannot be accepted is logged and tried
/// again.
pub async fn serve(listener: Listener, app: AppState, shutdown: impl Future<Output = Duration>) -> io::Result<()> {
    let server = Server::new(&app);
    let mut shutdown = std::pin::pin!(shutdown.fuse());
    let mut drained = std::pin::pin!(futures::future::Fuse::terminated());
    loop {
        tokio::select! {
            drain = &mut shutdown => {
                app.draining.cancel();
                drained.set(sleep(drain).fuse());
            }
            () = &mut drained => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => server.spawn(stream, peer),
                Err(e) => {
                    tracing::warn!(error = %e, "accepting a connection failed");
                    sleep(ACCEPT_BACKOFF).await;
                }
            },
        }
    }
    listener.close(|stream, peer| server.spawn(stream, peer))?;
    app.shutdown.cancel();
    // hyper's graceful shutdown closes a connection whose request it has not read yet, which fails that request. During
    // the drain every response closes its connection, so used connections end by themselves.
    let _ = timeout(LAST_REQUEST_GRACE, all_closed(&server.connections)).await;
    if timeout(SHUTDOWN_TIMEOUT, server.connections.shutdown()).await.is_err() {
        tracing::warn!(seconds = SHUTDOWN_TIMEOUT.as_secs(), "requests still in flight at shutdown");
    }
    Ok(())
}

/// Waits until no connection is open.
async fn all_closed(connections: &GracefulShutdown) {
    while connections.count() > 0 {
        sleep(OPEN_CONNECTIONS_INTERVAL).await;
    }
}

/// State shared by all connections.
struct Server {
    router: Router,
    connections: GracefulShutdown,
    limit: ConnectionLimit,
    first_header_timeout: Duration,
}

impl Server {
    fn new(app: &AppState) -> Self {
        Self {
            router: routes::router(app.clone()),
            connections: GracefulShutdown::new(),
            limit: ConnectionLimit::new(app.http.max_connections_per_address, app.http.trusted_proxies.clone()),
            first_header_timeout: app.http.first_header_timeout,
        }
    }

    /// Serves a connection in a task of its own; closes it when its peer has reached its limit.
    fn spawn(&self, stream: Stream, peer: IpAddr) {
        let Ok(permit) = self.limit.acquire(peer) else {
            tracing::debug!(%peer, "connection closed: too many from this address");
            return;
        };
        let began = CancellationToken::new();
        let first_request = began.clone();
        let service = self.router.clone().map_request(move |mut request: hyper::Request<Incoming>| {
            first_request.cancel();
            request.extensions_mut().insert(Peer(peer));
            request.map(Body::new)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(KEEP_ALIVE_TIMEOUT)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = self.connections.watch(connection);
        let limit = self.first_header_timeout;
        tokio::spawn(async move {
            let _permit = permit;
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = &mut connection => ended,
                began = timeout(limit, began.cancelled()) => match began {
                    Ok(()) => connection.await,
                    Err(_) => return tracing::debug!(%peer, "connection closed: no request headers in time"),
                },
            };
            if let Err(e) = ended {
                tracing::debug!(error = %e, "connection ended early");
            }
        });
    }
}

/// Limits connections per peer address; loopback and trusted proxies are exempt, because many people share them.
#[derive(Debug)]
struct ConnectionLimit {
    /// None without a limit.
    counts: Option<ConcurrencyLimit<IpAddr>>,
    exempt: Vec<Network>,
}

/// The peer has reached its limit.
#[derive(Debug)]
struct TooManyConnections;

impl ConnectionLimit {
    /// A `limit` of zero means none.
    fn new(limit: usize, exempt: Vec<Network>) -> Self {
        Self { counts: (limit > 0).then(|| ConcurrencyLimit::new(limit)), exempt }
    }

    /// Held by the connection until it ends. IPv6 addresses of one customer network count as one peer.
    fn acquire(&self, peer: IpAddr) -> Result<Option<Permit<IpAddr>>, TooManyConnections> {
        let exempt = peer.is_loopback() || self.exempt.iter().any(|network| network.contains(peer));
        let Some(counts) = self.counts.as_ref().filter(|_| !exempt) else { return Ok(None) };
        counts.try_acquire(Some(network_prefix(peer))).map(Some).ok_or(TooManyConnections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_limited_per_address_except_loopback_and_trusted_proxies() {
        let limit = ConnectionLimit::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let of = |peer: &str| limit.acquire(peer.parse().unwrap());
        let held = [of("192.0.2.1").unwrap(), of("192.0.2.1").unwrap()];
        assert!(of("192.0.2.1").is_err() && of("192.0.2.2").is_ok());
        let v6 = [of("2001:db8:1:2::1").unwrap(), of("2001:db8:1:2::2").unwrap()];
        assert!(of("2001:db8:1:2::3").is_err() && of("2001:db8:1:3::1").is_ok());
        for exempt in ["127.0.0.1", "::1", "10.1.2.3"] {
            let many: Vec<_> = (0..5).map(|_| of(exempt)).collect();
            assert!(many.iter().all(Result::is_ok), "{exempt}");
        }
        drop((held, v6));
        assert!(of("192.0.2.1").is_ok(), "an ended connection releases its permit");
        let none = ConnectionLimit::new(0, Vec::new());
        let many: Vec<_> = (0..500).map(|_| none.acquire("192.0.2.1".parse().unwrap())).collect();
        assert!(many.iter().all(Result::is_ok));
    }
}
