//! Observes a body as it passes: how many bytes went by, and how it ended.
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// Progress of a response body, as its observer receives it.
#[derive(Debug)]
pub enum Event<'a> {
    /// So many more bytes passed.
    Data(u64),
    /// The body failed; nothing more comes.
    Failed(&'a axum::Error),
    /// The body is dropped, at its end or before.
    Dropped,
}

/// `body`, with `observer` called for what becomes of it. Its length stays known.
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
