//! The listener: connections in, requests to the router, an end in good order.
use crate::{middleware::Peer, routes, state::App};
use axum::body::Body;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{future::Future, io, time::Duration};
use tokio::{net::TcpListener, time::timeout};
use tower::ServiceExt;

/// Longest wait for a request's headers, the pause of a kept connection included.
const HEADERS: Duration = Duration::from_secs(75);
/// How long requests under way may take to end once a stop is asked for.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves `app` on `listener` until `shutdown`; then lets what is under way finish, event streams apart, which
/// end at once.
///
/// # Errors
/// None today: a connection that cannot be accepted is logged and tried again.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let router = routes::router(app.clone());
    let connections = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(e) => {
                    // Out of file descriptors, most likely: leave those who are served time to finish.
                    tracing::warn!(error = %e, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        // Answers are written whole; waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        let peer = Peer(peer.ip().to_canonical());
        let service = router.clone().map_request(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(peer);
            request.map(Body::new)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(e) = connection.await {
                tracing::debug!(error = %e, "a connection ended early");
            }
        });
    }
    drop(listener);
    app.closing.cancel();
    if timeout(FAREWELL, connections.shutdown()).await.is_err() {
        tracing::warn!("requests were still under way after {} s", FAREWELL.as_secs());
    }
    Ok(())
}
