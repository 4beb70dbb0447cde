//! Request metadata: request id, client IP, signed-in user and tracing span, shared by middleware and extractors.
use domain::kernel::access::SignedIn;
use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
};
use tracing::{Span, field};

/// The peer's address, set by the listener.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Metadata of one request, in its extensions as `Arc<RequestMeta>`.
#[derive(Debug)]
pub struct RequestMeta {
    /// Sent as `x-request-id`, in error bodies and in the fields of `span`.
    pub request_id: String,
    pub client_ip: IpAddr,
    /// Fields: `request_id`, `route` (the matched path), `actor_id` once the user is known.
    pub span: Span,
    signed_in: OnceLock<Arc<SignedIn>>,
}

impl RequestMeta {
    /// Opens the request's span. Its level is ERROR, so that a log filter of `warn` keeps the ids of the lines it keeps.
    pub fn new(request_id: String, client_ip: IpAddr, route: Option<&str>) -> Self {
        let span = tracing::error_span!("request", request_id, route, actor_id = field::Empty);
        Self { request_id, client_ip, span, signed_in: OnceLock::new() }
    }

    /// The user, once an extractor or the admission check has read the token.
    pub fn signed_in(&self) -> Option<&Arc<SignedIn>> {
        self.signed_in.get()
    }

    /// Records the user, also in the span. The first call wins.
    pub fn set_signed_in(&self, user: &Arc<SignedIn>) {
        if self.signed_in.set(user.clone()).is_ok() {
            self.span.record("actor_id", field::display(user.id));
        }
    }
}

/// Whether a path belongs to the API rather than to the web app.
pub fn is_api_path(path: &str) -> bool {
    ["/rest/", "/auth/v1/", "/functions/", "/realtime/", "/storage/"].iter().any(|prefix| path.starts_with(prefix))
}
