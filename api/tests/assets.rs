//! The web app: pages, files, headers.

use crate::support::TestApp;
use axum::http::Method;
use domain::testing::{World, left_out};
use serde_json::json;
use std::{collections::BTreeSet, fs};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web");

async fn portal() -> TestApp {
    TestApp::new(World::sqlite().await, api::HttpConfig::default()).await
}

/// A portal with all pages that operators write.
async fn written() -> TestApp {
    let app = portal().await;
    let pages = json!({ "pricing": "1,250 dollars.", "careers": "A clerk.", "privacy": "Ten years." });
    app.super_admin("Sam").await.put("/rest/v1/settings", json!({ "pages": pages })).await.ok();
    app
}

#[tokio::test]
async fn client_routes_answer_200_and_other_paths_404_with_the_same_page() {
    let nobody = written().await.anonymous();
    for route in api::CLIENT_ROUTES {
        let page = nobody.get(&route.replace(':', "6f0d2f4e")).await;
        assert_eq!(page.status, 200, "{route}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    }
    for unknown in [
        "/nothing",
        "/auth/login/nobody",
        "/client-dashboard/orders/1/2",
        "/wp-login.php",
        "/.vite/manifest.json",
        "/index.html.br",
    ] {
        let page = nobody.get(unknown).await;
        assert_eq!(page.status, 404, "{unknown}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{unknown}");
    }
    nobody.ask(Method::POST, "/about").await.refused(405, "method_not_allowed");
    assert_eq!(nobody.ask(Method::HEAD, "/about").await.status, 200);
    for api in ["/rest/v1/nothing", "/functions/v1/nothing", "/realtime/v1/nothing", "/storage/v1/nothing"] {
        nobody.get(api).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn operator_pages_answer_404_without_a_text() {
    let app = portal().await;
    let (nobody, sam) = (app.anonymous(), app.super_admin("Sam").await);
    for page in ["pricing", "careers", "privacy"] {
        let path = format!("/{page}");
        for text in [None, Some("What we say."), Some(" ")] {
            if let Some(text) = text {
                sam.put("/rest/v1/settings", json!({ "pages": { page: text } })).await.ok();
            }
            let status = if text == Some("What we say.") { 200 } else { 404 };
            for path in [path.clone(), format!("{path}/")] {
                let answer = nobody.get(&path).await;
                assert_eq!(answer.status, status, "{path} with {text:?}");
                // Same page; it shows its own 404.
                assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
            }
            assert_eq!(nobody.ask(Method::HEAD, &path).await.status, status, "{path} with {text:?}");
        }
    }
}

/// The app's paths are defined in `paths.ts`; the server must know each of them.
#[tokio::test]
async fn client_routes_match_the_web_apps_paths() {
    let nobody = written().await.anonymous();
    let text = fs::read_to_string(format!("{WEB}/src/paths.ts")).unwrap();
    let literals: BTreeSet<String> = text
        .split(['\'', '`'])
        .filter(|text| text.starts_with('/') && !text.contains(['\n', ' ', '*']))
        .map(|text| {
            let path = text.split('?').next().unwrap_or(text);
            let portal = path.starts_with("/auth/login") || path.starts_with("/auth/signup");
            let (start, parameter) = path.split_once("${").unwrap_or((path, ""));
            let value = if portal { "client" } else { "6f0d2f4e" };
            if parameter.is_empty() { start.to_owned() } else { format!("{start}{value}") }
        })
        .collect();
    assert!(literals.len() > 20, "{literals:?}");
    for path in literals {
        assert_eq!(nobody.get(&path).await.status, 200, "{path} is in paths.ts and not in CLIENT_ROUTES");
    }
}

#[tokio::test]
async fn each_page_has_a_fresh_nonce_and_a_strict_policy() {
    let nobody = portal().await.anonymous();
    let mut nonces = BTreeSet::new();
    for _ in 0..3 {
        let page = nobody.get("/").await;
        let policy = page.header("content-security-policy").unwrap().to_owned();
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
        assert_eq!(
            policy.replace(&nonce, "N"),
            "default-src 'none'; script-src 'self'; style-src 'self'; style-src-elem 'self' 'nonce-N'; style-src-attr 'none'; \
             img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'"
        );
        let html = String::from_utf8(page.bytes.to_vec()).unwrap();
        assert!(!html.contains("__CSP_NONCE__"));
        assert!(!html.contains("csp-nonce") || html.contains(&nonce));
        assert_eq!(page.headers.get("cache-control").unwrap(), "no-cache");
        nonces.insert(nonce);
    }
    assert_eq!(nonces.len(), 3);
}

#[tokio::test]
async fn all_responses_have_security_headers() {
    let app = portal().await;
    for path in ["/", "/rest/v1/me", "/rest/v1/settings", "/healthz", "/auth/v1/health", "/nothing"] {
        let answer = app.anonymous().get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{path}");
        assert!(answer.header("permissions-policy").is_some(), "{path}");
        assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"), "{path}");
        assert!(answer.header("strict-transport-security").is_none(), "{path}: the public address is http");
        assert_eq!(answer.header("x-request-id").map(str::len), Some(16), "{path}");
    }
    assert_eq!(app.anonymous().get("/rest/v1/settings").await.header("cache-control"), Some("no-store"));

    let mut world = World::sqlite().await;
    let options = domain::Options { public_url: "https://portal.example.com".to_owned(), ..(*world.options).clone() };
    world.options = options.into();
    let secure = TestApp::new(world, api::HttpConfig::default()).await;
    assert!(secure.anonymous().get("/").await.header("strict-transport-security").is_some());
}

#[tokio::test]
async fn assets_are_immutable_and_precompressed() {
    let nobody = portal().await.anonymous();
    let Ok(files) = fs::read_dir(format!("{WEB}/dist/assets")) else { return left_out("a built web app") };
    let names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    for name in names.iter().filter(|name| name.ends_with(".js") || name.ends_with(".css")) {
        let path = format!("/assets/{name}");
        let plain = nobody.get(&path).await;
        assert_eq!(plain.status, 200, "{name}");
        assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(plain.header("vary"), Some("accept-encoding"));
        let kind = plain.header("content-type").unwrap();
        assert!(kind.contains("javascript") || kind.contains("css"), "{kind}");
        let tag = plain.etag().unwrap().to_owned();
        assert_eq!(nobody.get(&path).header("if-none-match", &tag).await.status, 304);
        let packed = nobody.get(&path).header("accept-encoding", "gzip, br").await;
        if names.contains(&format!("{name}.br")) {
            assert_eq!(packed.header("content-encoding"), Some("br"));
            assert!(packed.bytes.len() < plain.bytes.len());
        } else {
            assert_eq!((packed.header("content-encoding"), packed.bytes.len()), (None, plain.bytes.len()));
        }
    }
    assert_eq!(nobody.get("/assets/gone-1234.js").await.status, 404);
    assert_eq!(nobody.get("/assets/../index.html").await.status, 404);
}

#[tokio::test]
async fn json_is_compressed_above_the_minimum_size() {
    let app = portal().await;
    let erin = app.employee("Erin").await;
    let document = app.anonymous().get("/rest/v1/openapi.json").header("accept-encoding", "br").await;
    assert_eq!(document.header("content-encoding"), Some("br"));
    assert!(document.bytes.len() < api::openapi().len() / 3);
    let small = erin.get("/rest/v1/clients").header("accept-encoding", "br, gzip").await;
    assert_eq!(small.header("content-encoding"), None);
}

#[tokio::test]
async fn cors_allows_configured_origins_only() {
    let named =
        api::HttpConfig { cors_origins: vec!["https://app.example.com".to_owned()], ..api::HttpConfig::default() };
    let app = TestApp::new(World::sqlite().await, named).await;
    let ask = |origin: &'static str| {
        let asking = app.anonymous().ask(Method::OPTIONS, "/rest/v1/clients").header("origin", origin);
        asking
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, apikey")
    };
    let welcome = ask("https://app.example.com").await;
    assert_eq!(welcome.header("access-control-allow-origin"), Some("https://app.example.com"));
    assert!(welcome.header("access-control-allow-headers").unwrap().contains("apikey"));
    assert_eq!(ask("https://evil.example.com").await.header("access-control-allow-origin"), None);
    let closed = portal().await;
    let answer = closed.anonymous().get("/rest/v1/settings").header("origin", "https://app.example.com").await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
}
