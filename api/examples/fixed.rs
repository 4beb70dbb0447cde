//! A bare server for comparison: answers a fixed body of `n` bytes, with none of the product around it.
//!
//! `cargo run --release -p api --example fixed -- 127.0.0.1:9999`, then `GET`, `POST` or `PATCH /bytes/3500`.
use axum::{
    Router,
    body::Bytes,
    extract::Path,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::{
    collections::HashMap,
    sync::{LazyLock, RwLock},
};

static BODIES: LazyLock<RwLock<HashMap<usize, Bytes>>> = LazyLock::new(RwLock::default);

fn body(n: usize) -> Bytes {
    let known = BODIES.read().expect("no writer panics").get(&n).cloned();
    known.unwrap_or_else(|| {
        BODIES.write().expect("no writer panics").entry(n).or_insert_with(|| Bytes::from(vec![b'x'; n])).clone()
    })
}

fn fixed(n: usize) -> Response {
    let mut response = body(n.min(16 << 20)).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

async fn read(Path(n): Path<usize>) -> Response {
    fixed(n)
}

async fn write(Path(n): Path<usize>, _sent: Bytes) -> Response {
    fixed(n)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9999".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let router = Router::new().route("/bytes/{n}", get(read).post(write).patch(write));
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router).await
}
