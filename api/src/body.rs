//! Request and response bodies: a size limit, an observer of bytes and outcome, and a wrapper that keeps a streamed body
//! inside a tracing span.
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tracing::Span;

/// Size limit of a file to import.
pub const MAX_IMPORT_BYTES: usize = 10 << 20;

/// Progress of a body, as its observer receives it.
#[derive(Debug)]
pub enum Event<'a> {
    /// This many more bytes passed.
    Data(u64),
    /// The body failed; no more events but `Dropped` follow.
    Failed(&'a axum::Error),
    /// The body was dropped, at its end or before.
    Dropped,
}

/// Calls `observer` for each [`Event`] of `body`. Keeps the size hint.
pub fn observe(body: Body, observer: impl FnMut(Event<'_>) + Send + Unpin + 'static) -> Body {
    Body::new(Observed { body, observer })
}

struct Observed<F: FnMut(Event<'_>)> {
    body: Body,
    observer: F,
}

impl<F: FnMut(Event<'_>) + Unpin> HttpBody for Observed<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    (this.observer)(Event::Data(data.len() as u64));
                }
            }
            Poll::Ready(Some(Err(error))) => (this.observer)(Event::Failed(error)),
            _ => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<F: FnMut(Event<'_>)> Drop for Observed<F> {
    fn drop(&mut self) {
        (self.observer)(Event::Dropped);
    }
}

/// Polls and drops a streamed `body` inside `span`, so that log lines written while it is sent carry the request's fields.
/// A body that is in memory already logs nothing and is returned as it is.
pub fn in_span(body: Body, span: &Span) -> Body {
    if span.is_disabled() || body.size_hint().exact().is_some() {
        return body;
    }
    Body::new(InSpan { body, span: span.clone() })
}

struct InSpan {
    body: Body,
    span: Span,
}

impl HttpBody for InSpan {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let _entered = this.span.enter();
        Pin::new(&mut this.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for InSpan {
    fn drop(&mut self) {
        let _entered = self.span.enter();
        drop(std::mem::take(&mut self.body));
    }
}
