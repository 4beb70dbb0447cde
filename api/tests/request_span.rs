//! Request spans: log lines inside a request carry its request id, route and actor. The span of its use case is inside.
use crate::support::TestApp;
use api::HttpConfig;
use domain::testing::World;
use serde_json::Value;
use std::{
    io,
    sync::{Arc, Mutex},
};
use tracing_subscriber::fmt::format::FmtSpan;

/// Captures JSON log lines.
#[derive(Clone, Debug, Default)]
struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl io::Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl CapturedLog {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[tokio::test]
async fn log_lines_carry_request_id_route_and_actor_id() {
    let app = TestApp::new(World::sqlite().await, HttpConfig::default()).await;
    let maya = app.client("Maya").await;
    let log = CapturedLog::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter("info,domain::orders::spvs=debug")
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .finish();
    // For the whole process: a subscriber of one thread can miss lines while tests on other threads register call sites.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let me = maya.get("/rest/v1/me").await;
    let missing = maya.get(&format!("/rest/v1/spvs/{}", uuid::Uuid::nil())).await;
    let anonymous = app.anonymous().get("/rest/v1/me").await;

    let lines = log.lines();
    let id = maya.id.to_string();
    for (response, route, status, actor_id) in [
        (&me, "/rest/v1/me", 200, Some(id.as_str())),
        (&missing, "/rest/v1/spvs/{id}", 404, Some(id.as_str())),
        (&anonymous, "/rest/v1/me", 401, None),
    ] {
        let request_id = response.header("x-request-id").unwrap();
        let of_request: Vec<&Value> = lines.iter().filter(|line| line["span"]["request_id"] == request_id).collect();
        let line =
            of_request.iter().find(|line| line["target"] == "api::access").unwrap_or_else(|| panic!("{lines:?}"));
        assert_eq!(line["status"], status);
        for line in of_request {
            assert_eq!((line["span"]["name"].as_str(), line["span"]["route"].as_str()), (Some("request"), Some(route)));
            assert_eq!(line["span"]["actor_id"].as_str(), actor_id, "{line}");
        }
    }
    let request_id = missing.header("x-request-id").unwrap();
    let use_case =
        lines.iter().find(|line| line["span"]["name"] == "spvs.get" && line["spans"][0]["request_id"] == request_id);
    assert_eq!(use_case.unwrap_or_else(|| panic!("{lines:?}"))["span"]["spv_id"], uuid::Uuid::nil().to_string());
    missing.refused(404, "not_found");
}
