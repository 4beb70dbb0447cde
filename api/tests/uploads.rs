//! Uploads: concurrency limits and status requests.
use crate::{
    documents::announce,
    support::{TestUser, on_both},
};
use axum::{
    body::{Body, Bytes},
    http::{Method, Request},
};
use futures::stream;
use serde_json::json;
use std::convert::Infallible;
use tokio::sync::mpsc;

/// The URL of an upload of ten bytes.
async fn announced(person: &TestUser, pairs: &[(&str, &str)]) -> String {
    announce(person, 10, pairs).await.header("location").unwrap().to_owned()
}

fn piece(person: &TestUser, location: &str, offset: usize, body: Body) -> Request<Body> {
    Request::builder()
        .method(Method::PATCH)
        .uri(location)
        .header("authorization", format!("Bearer {}", person.token.as_deref().unwrap()))
        .header("tus-resumable", "1.0.0")
        .header("upload-offset", offset.to_string())
        .header("content-type", "application/offset+octet-stream")
        .body(body)
        .unwrap()
}

/// An upload part whose body ends when the sender is dropped.
fn slow(person: &TestUser, location: &str) -> (mpsc::Sender<Bytes>, Request<Body>) {
    let (line, heard) = mpsc::channel::<Bytes>(1);
    let body =
        stream::unfold(heard, |mut heard| async move { Some((Ok::<_, Infallible>(heard.recv().await?), heard)) });
    (line, piece(person, location, 0, Body::from_stream(body)))
}

/// Sends half of it, and waits until it is received.
async fn half(line: &mpsc::Sender<Bytes>) {
    line.send(Bytes::from_static(b"01234")).await.unwrap();
    drop(line.reserve().await.unwrap());
}

#[tokio::test]
async fn concurrent_append_is_refused_and_supersedes_the_first() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let location = announced(&maya, &[("file_name", "a.pdf")]).await;
        let (line, request) = slow(&maya, &location);
        let first = app.send(request);
        half(&line).await;
        let second = app.send(piece(&maya, &location, 0, Body::from("0123456789"))).await.unwrap();
        assert_eq!(second.refused(409, "upload_offset")["params"]["offset"], 0);
        let first = first.await.unwrap();
        assert_eq!((first.status.as_u16(), first.header("upload-offset")), (204, Some("5")));
        let rest = app.send(piece(&maya, &location, 5, Body::from("56789"))).await.unwrap();
        assert!(rest.status == 204 && rest.header("spv-document-id").is_some());
    })
    .await;
}

#[tokio::test]
async fn upload_parts_are_limited_per_user() {
    on_both(|app| async move {
        let (maya, nils) = (app.client("Maya").await, app.client("Nils").await);
        let mut lines = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..8 {
            let location = announced(&maya, &[("file_name", "a.pdf")]).await;
            let (line, request) = slow(&maya, &location);
            answers.push(app.send(request));
            half(&line).await;
            lines.push(line);
        }
        let ninth = announced(&maya, &[("file_name", "a.pdf")]).await;
        let whole = || piece(&maya, &ninth, 0, Body::from("0123456789"));
        let refused = app.send(whole()).await.unwrap();
        assert_eq!(refused.header("retry-after"), Some("1"));
        refused.refused(429, "too_many_requests");
        let other = announced(&nils, &[("file_name", "a.pdf")]).await;
        assert_eq!(app.send(piece(&nils, &other, 0, Body::from("01234"))).await.unwrap().status, 204);
        drop(lines);
        for answer in answers {
            assert_eq!(answer.await.unwrap().header("upload-offset"), Some("5"));
        }
        assert_eq!(app.send(whole()).await.unwrap().status, 204);
    })
    .await;
}

#[tokio::test]
async fn upload_status_has_no_side_effects() {
    on_both(|app| async move {
        let (maya, erin, sam) = (app.client("Maya").await, app.employee("Erin").await, app.super_admin("Sam").await);
        let spv = maya.spv.unwrap().to_string();
        let location = announced(&maya, &[("file_name", "a.pdf"), ("spv_id", &spv)]).await;
        erin.post(&format!("/rest/v1/spvs/{spv}/cancel"), json!({ "reason": "The deal is off" })).await.ok();
        let refused = app.send(piece(&maya, &location, 0, Body::from("0123456789"))).await.unwrap();
        refused.refused(409, "wrong_status");
        sam.post(&format!("/rest/v1/spvs/{spv}/reopen"), json!({ "reason": "It is on again" })).await.ok();
        for _ in 0..2 {
            let seen = maya.ask(Method::HEAD, &location).header("tus-resumable", "1.0.0").await;
            assert_eq!((seen.status.as_u16(), seen.header("upload-offset")), (200, Some("10")));
            assert_eq!(seen.header("spv-document-id"), None);
        }
        assert_eq!(maya.get("/rest/v1/documents").await.ok()["items"], json!([]));
        // An empty part completes it as a document.
        let done = app.send(piece(&maya, &location, 10, Body::empty())).await.unwrap();
        assert!(done.status == 204 && done.header("spv-document-id").is_some());
    })
    .await;
}
