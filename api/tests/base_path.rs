//! The portal below a path: requests with and without the prefix, and the prefix in what it answers.
use crate::{
    documents::{announce, upload},
    support::{TestApp, on_both, on_both_with},
};
use axum::http::Method;
use domain::testing::left_out;
use serde_json::json;
use std::{fs, future::Future};

const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web");
/// The proxy passes the prefix on, or strips it.
const PREFIXES: [&str; 2] = ["/portal", ""];
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

async fn below_a_path<F: Future<Output = ()>>(test: impl Fn(TestApp) -> F) {
    on_both_with(
        |options, http| {
            options.public_url = "https://example.com/portal".to_owned();
            http.rate_limits = false;
        },
        test,
    )
    .await;
}

#[tokio::test]
async fn requests_are_answered_with_and_without_the_prefix() {
    below_a_path(|app| async move {
        let nobody = app.anonymous();
        for prefix in PREFIXES {
            for path in ["/", "/about", "/auth/login/client", "/healthz", "/readyz", "/auth/v1/.well-known/jwks.json"] {
                assert_eq!(nobody.get(&format!("{prefix}{path}")).await.status, 200, "{prefix}{path}");
            }
            nobody.get(&format!("{prefix}/rest/v1/nothing")).await.refused(404, "not_found");
            assert_eq!(nobody.get(&format!("{prefix}/nothing")).await.status, 404);
            let known = nobody.get(&format!("{prefix}/rest/v1/settings")).await;
            assert_eq!(known.header("cache-control"), Some("no-store"), "still an API path");
        }
        assert_eq!(nobody.get("/portal?x=1").await.status, 200, "without a slash at the end");
        for outside in ["/portals", "/portal/portal/about", "/x/portal/about"] {
            assert_eq!(nobody.get(outside).await.status, 404, "{outside}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_page_names_its_files_below_the_base_path() {
    let Ok(files) = fs::read_dir(format!("{WEB}/dist/assets")) else { return left_out("a built web app") };
    let names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    below_a_path(|app| {
        let names = names.clone();
        async move {
            let nobody = app.anonymous();
            for prefix in PREFIXES {
                let page = nobody.get(&format!("{prefix}/employee-dashboard/spvs")).await;
                let html = String::from_utf8(page.bytes.to_vec()).unwrap();
                for part in [
                    r#"name="base-path" content="/portal/""#,
                    r#"src="/portal/assets/entry-"#,
                    r#"href="/portal/assets/entry-"#,
                    r#"src="/portal/scheme.js""#,
                    r#"href="/portal/favicon.svg""#,
                ] {
                    assert!(html.contains(part), "{part} in {html}");
                }
                assert!(!html.contains("\"./"), "{html}");
                let policy = page.header("content-security-policy").unwrap();
                assert!(policy.contains("base-uri 'none'") && policy.contains("script-src 'self';"), "{policy}");
                assert_eq!(nobody.get(&format!("{prefix}/favicon.svg")).await.status, 200);
                let script = names.iter().find(|name| name.starts_with("entry-") && name.ends_with(".js")).unwrap();
                let script = nobody.get(&format!("{prefix}/assets/{script}")).header("accept-encoding", "br").await;
                assert_eq!((script.status.as_u16(), script.header("content-encoding")), (200, Some("br")));
                assert_eq!(nobody.get(&format!("{prefix}/assets/gone.js")).await.status, 404);
            }
        }
    })
    .await;
    on_both(|app| async move {
        let page = app.anonymous().get("/").await;
        let html = String::from_utf8(page.bytes.to_vec()).unwrap();
        assert!(html.contains(r#"name="base-path" content="/""#) && html.contains(r#"src="/assets/entry-"#), "{html}");
    })
    .await;
}

#[tokio::test]
async fn paths_in_answers_have_the_prefix() {
    below_a_path(|app| async move {
        let (erin, sam, maya) = (app.employee("Erin").await, app.super_admin("Sam").await, app.client("Maya").await);
        let version = upload(&maya, b"%PDF-1.7 a deed of trust", &[("file_name", "deed.pdf")]).await.1;
        for prefix in PREFIXES {
            let company = json!({ "name": format!("Harbor {prefix}"), "business_name": "Harbor LLC" });
            let made = erin.post(&format!("{prefix}/rest/v1/companies"), company).await;
            let location = made.header("location").unwrap();
            assert!(location.starts_with("/portal/rest/v1/companies/"), "{location}");
            assert_eq!(erin.get(location).await.status, 200);

            let link = maya.post(&format!("{prefix}/storage/v1/versions/{version}/link"), json!({})).await.ok();
            let url = link["url"].as_str().unwrap();
            assert!(url.starts_with("/portal/storage/v1/files?token="), "{url}");
            assert_eq!(app.anonymous().get(url).await.status, 200);

            let logo = sam.ask(Method::PUT, &format!("{prefix}/rest/v1/settings/logo")).raw(PICTURE).without_version();
            let logo = logo.header("content-type", "application/octet-stream").await.ok()["logo"].clone();
            assert!(logo.as_str().unwrap().starts_with("/portal/storage/v1/logos/"), "{logo}");
            assert_eq!(app.anonymous().get(logo.as_str().unwrap()).await.status, 200);

            let document = app.anonymous().get(&format!("{prefix}/rest/v1/openapi.json")).await.ok();
            assert_eq!(document["servers"], json!([{ "url": "/portal" }]));
        }
        let upload = announce(&maya, 10, &[("file_name", "a.pdf")]).await;
        assert!(upload.header("location").unwrap().starts_with("/portal/storage/v1/uploads/"));
    })
    .await;
}

#[tokio::test]
async fn redirects_and_mail_links_lead_below_the_base_path() {
    below_a_path(|app| async move {
        app.client("Maya").await;
        let nobody = app.anonymous();
        for prefix in PREFIXES {
            let back = nobody.get(&format!("{prefix}/auth/v1/callback?state=unknown&code=x")).await;
            let location = back.header("location").unwrap();
            assert!(location.starts_with("https://example.com/portal/?error="), "{location}");
            let opened = nobody.get(&format!("{prefix}/auth/v1/verify?type=recovery&token=abc")).await;
            let location = opened.header("location").unwrap();
            assert!(location.starts_with("https://example.com/portal/auth/reset-password?"), "{location}");
        }
        nobody.post("/portal/auth/v1/recover", json!({ "email": "maya@example.com" })).await.ok();
        let mail = app.only_mail().await;
        assert!(mail.url.starts_with("https://example.com/portal/auth/reset-password?token_hash="), "{}", mail.url);
    })
    .await;
}
