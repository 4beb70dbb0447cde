//! Documents over HTTP: tus uploads, links with ranges and safe headers, and 404 for rows out of scope.

use crate::support::{TestResponse, TestUser, on_both, on_both_with};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::{
    kernel::{
        clock::RandomSource,
        ids::{DocumentId, UserId, VersionId},
        storage::{Credentials, Storage, StorageUrl},
    },
    operations::health_checks,
    platform::activity,
    testing::needs,
};
use serde_json::{Value, json};

/// `key base64,key base64`.
fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name} {}", BASE64_STANDARD.encode(value))).collect();
    pairs.join(",")
}

pub async fn announce(person: &TestUser, length: usize, pairs: &[(&str, &str)]) -> TestResponse {
    person
        .ask(axum::http::Method::POST, "/storage/v1/uploads")
        .header("tus-resumable", "1.0.0")
        .header("upload-length", &length.to_string())
        .header("upload-metadata", &metadata(pairs))
        .await
}

async fn append(person: &TestUser, location: &str, offset: usize, content: &[u8]) -> TestResponse {
    person
        .ask(axum::http::Method::PATCH, location)
        .header("tus-resumable", "1.0.0")
        .header("upload-offset", &offset.to_string())
        .raw(content.to_vec())
        .header("content-type", "application/offset+octet-stream")
        .await
}

/// Uploads in two parts; the ids of the document and the version.
pub async fn upload(person: &TestUser, content: &[u8], pairs: &[(&str, &str)]) -> (DocumentId, VersionId) {
    let made = announce(person, content.len(), pairs).await;
    assert_eq!((made.status.as_u16(), made.header("upload-offset")), (201, Some("0")), "{}", made.body);
    let location = made.header("location").unwrap().to_owned();
    let half = content.len() / 2;
    let first = append(person, &location, 0, &content[..half]).await;
    assert_eq!((first.status.as_u16(), first.header("upload-offset")), (204, Some(half.to_string().as_str())));
    assert_eq!(first.header("spv-document-id"), None);
    let done = append(person, &location, half, &content[half..]).await;
    assert_eq!(done.status, 204, "{}", done.body);
    let id = |name: &str| done.header(name).unwrap().parse().unwrap();
    (DocumentId(id("spv-document-id")), VersionId(id("spv-version-id")))
}

pub async fn link(person: &TestUser, version: VersionId, disposition: &str) -> String {
    let path = format!("/storage/v1/versions/{version}/link");
    let link = person.post(&path, json!({ "disposition": disposition })).await.ok();
    link["url"].as_str().unwrap().to_owned()
}

pub fn pdf(length: usize) -> Vec<u8> {
    let mut content = b"%PDF-1.7\n".to_vec();
    content.extend((0..length).map(|n| b'a' + (n % 26) as u8));
    content
}

#[tokio::test]
async fn uploads_are_resumable_and_downloads_support_ranges() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let spv = maya.spv.unwrap().to_string();
        // Above the body limit of other requests.
        let content = pdf(3_000_000);
        let (document, version) = upload(&maya, &content, &[("file_name", "deed.pdf"), ("spv_id", &spv)]).await;
        let shown = maya.get(&format!("/rest/v1/documents/{document}")).await.ok();
        assert_eq!(
            (shown["name"].as_str(), shown["latest"]["media_type"].as_str(), shown["latest"]["bytes"].as_u64()),
            (Some("deed.pdf"), Some("application/pdf"), Some(content.len() as u64))
        );
        assert_eq!((&shown["spv_id"], &shown["can"]), (&json!(spv), &json!(["upload"])));
        assert_eq!((&shown["latest"]["scan"], &shown["latest"]["inline"]), (&json!("not_scanned"), &json!(true)));

        let url = link(&maya, version, "inline").await;
        // A link needs no other credentials.
        let nobody = app.anonymous();
        let whole = nobody.get(&url).await;
        assert_eq!((whole.status.as_u16(), whole.bytes.as_ref() == content.as_slice()), (200, true));
        let tag = whole.etag().unwrap().to_owned();
        for (name, value) in [
            ("content-type", "application/pdf"),
            ("content-disposition", "inline; filename=\"deed.pdf\"; filename*=UTF-8''deed.pdf"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, no-store"),
            ("accept-ranges", "bytes"),
        ] {
            assert_eq!(whole.header(name), Some(value));
        }
        let part = nobody.get(&url).header("range", "bytes=5-8").await;
        assert_eq!((part.status.as_u16(), part.bytes.as_ref()), (206, &content[5..9]));
        assert_eq!(part.header("content-range"), Some(format!("bytes 5-8/{}", content.len()).as_str()));
        let tail = nobody.get(&url).header("range", "bytes=-4").header("if-range", &tag).await;
        assert_eq!((tail.status.as_u16(), tail.bytes.as_ref()), (206, &content[content.len() - 4..]));
        let other = nobody.get(&url).header("range", "bytes=0-1").header("if-range", "\"other\"").await;
        assert_eq!((other.status.as_u16(), other.bytes.len()), (200, content.len()));
        let beyond = nobody.get(&url).header("range", "bytes=99999999-").await;
        assert_eq!(beyond.header("content-range"), Some(format!("bytes */{}", content.len()).as_str()));
        beyond.refused(416, "range");
        let known = nobody.get(&url).header("if-none-match", &tag).await;
        assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
        let head = nobody.ask(axum::http::Method::HEAD, &url).await;
        assert_eq!(head.header("content-length"), Some(content.len().to_string().as_str()));

        app.world.clock.advance(chrono::Duration::seconds(91));
        nobody.get(&url).await.refused(403, "link_expired");
        nobody.get("/storage/v1/files").await.refused(403, "link_expired");
    })
    .await;
}

#[tokio::test]
async fn interrupted_downloads_resume_with_an_expired_link() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let spv = maya.spv.unwrap().to_string();
        let content = pdf(2_500_000);
        let (_, version) = upload(&maya, &content, &[("file_name", "deed.pdf"), ("spv_id", &spv)]).await;
        let (begun, other) = (link(&maya, version, "attachment").await, link(&maya, version, "attachment").await);
        let nobody = app.anonymous();
        let whole = nobody.get(&begun).await;
        let tag = whole.header("etag").expect("a tag").to_owned();
        app.world.clock.advance(chrono::Duration::minutes(30));
        let rest = nobody.get(&begun).header("range", "bytes=2000000-").await;
        assert_eq!((rest.status.as_u16(), &rest.bytes[..]), (206, &content[2_000_000..]));
        // A download that did not begin here can be resumed with its ETag.
        let known = nobody.get(&other).header("range", "bytes=2000000-").header("if-range", &tag).await;
        assert_eq!((known.status.as_u16(), &known.bytes[..]), (206, &content[2_000_000..]));
        nobody.get(&other).header("range", "bytes=2000000-").await.refused(403, "link_expired");
        nobody.get(&other).header("range", "bytes=5-").header("if-range", "\"x\"").await.refused(403, "link_expired");
        for (url, range) in
            [(&begun, "bytes=0-"), (&begun, "bytes=0-4,8-9"), (&begun, "bytes=1-2,4-5"), (&begun, "rows=1-")]
        {
            nobody.get(url).header("range", range).await.refused(403, "link_expired");
        }
        nobody.get(&begun).header("range", "bytes=5-").header("if-range", "\"x\"").await.refused(403, "link_expired");
        nobody.get(&begun).await.refused(403, "link_expired");
    })
    .await;
}

/// On a real S3-compatible server if `TEST_S3_URL` is set, from the first part to a range of the file.
#[tokio::test]
async fn files_are_stored_in_and_read_from_s3() {
    let Some(storage) = s3() else { return };
    on_both_with(
        |options, _| options.storage = storage.clone(),
        |app| async move {
            let (maya, erin) = (app.client("Maya").await, app.employee("Erin").await);
            // Above the smallest part size of S3, in parts of another size.
            let content = pdf(11_000_000);
            let (document, version) = upload(&maya, &content, &[("file_name", "deed.pdf")]).await;
            let id = document.to_string();
            upload(&maya, b"%PDF-1.7 signed", &[("file_name", "signed.pdf"), ("document_id", &id)]).await;
            let shown = erin.get(&format!("/rest/v1/documents/{document}")).await.ok();
            assert_eq!(shown["versions"].as_array().unwrap().len(), 2);
            let url = link(&erin, version, "inline").await;
            let whole = app.anonymous().get(&url).await;
            assert_eq!((whole.status.as_u16(), whole.bytes.as_ref() == content.as_slice()), (200, true));
            let part = app.anonymous().get(&url).header("range", "bytes=5242870-5242889").await;
            assert_eq!((part.status.as_u16(), part.bytes.as_ref()), (206, &content[5_242_870..5_242_890]));
            let tail = app.anonymous().get(&url).header("range", "bytes=-4").await;
            assert_eq!((tail.status.as_u16(), tail.bytes.as_ref()), (206, &content[content.len() - 4..]));
        },
    )
    .await;
}

/// A unique prefix in the test bucket.
fn s3() -> Option<Storage> {
    let url = needs("TEST_S3_URL")?;
    let Some(StorageUrl::S3(mut bucket)) = StorageUrl::parse(&url) else { panic!("TEST_S3_URL is {url}") };
    bucket.prefix = RandomSource::system().uuid().to_string();
    let credentials = Credentials { access_key_id: "test".to_owned(), secret_access_key: "test".to_owned() };
    Some(Storage::open(&StorageUrl::S3(bucket), Some(&credentials)).unwrap())
}

#[tokio::test]
async fn html_and_svg_are_never_shown_inline() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        for (name, content) in [
            ("photo.png", &b"<!DOCTYPE html><script>alert(1)</script>"[..]),
            ("logo.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"),
            ("passport.pdf", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff"),
        ] {
            let (document, version) = upload(&maya, content, &[("file_name", name)]).await;
            let shown = maya.get(&format!("/rest/v1/documents/{document}")).await.ok();
            assert_eq!(shown["latest"]["inline"], false, "{name}: {}", shown["latest"]["media_type"]);
            let path = format!("/storage/v1/versions/{version}/link");
            maya.post(&path, json!({ "disposition": "inline" })).await.refused(409, "not_shown");
            let saved = app.anonymous().get(&link(&maya, version, "attachment").await).await;
            assert_eq!(saved.header("content-type"), Some("application/octet-stream"), "{name}");
            assert!(saved.header("content-disposition").unwrap().starts_with("attachment; "), "{name}");
            assert_eq!(saved.bytes.as_ref(), content);
        }
    })
    .await;
}

#[tokio::test]
async fn hostile_file_names_are_sanitized() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        for (name, shown, header) in [
            ("../../../etc/passwd", "passwd", "filename=\"passwd\"; filename*=UTF-8''passwd"),
            ("a\"; x=\"b.pdf", "a__ x=_b.pdf", "filename=\"a__ x=_b.pdf\"; filename*=UTF-8''a__%20x%3D_b.pdf"),
            (
                "two\r\nX-Evil: 1.pdf",
                "twoX-Evil_ 1.pdf",
                "filename=\"twoX-Evil_ 1.pdf\"; filename*=UTF-8''twoX-Evil_%201.pdf",
            ),
            ("bill\u{202e}fdp.exe", "billfdp.exe", "filename=\"billfdp.exe\"; filename*=UTF-8''billfdp.exe"),
            (
                "Größe 100%.pdf",
                "Größe 100%.pdf",
                "filename=\"Gr__e 100_.pdf\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20100%25.pdf",
            ),
            ("", "document", "filename=\"document\"; filename*=UTF-8''document"),
        ] {
            let (document, version) = upload(&maya, b"text", &[("file_name", name)]).await;
            let found = maya.get(&format!("/rest/v1/documents/{document}")).await.ok();
            assert_eq!(found["latest"]["file_name"], shown, "{name:?}");
            let saved = app.anonymous().get(&link(&maya, version, "attachment").await).await;
            let said = saved.headers.get("content-disposition").unwrap();
            assert_eq!(std::str::from_utf8(said.as_bytes()).unwrap(), format!("attachment; {header}"), "{name:?}");
        }
        let long = format!("{}.pdf", "x".repeat(300));
        let (document, _) = upload(&maya, b"text", &[("file_name", &long)]).await;
        let found = maya.get(&format!("/rest/v1/documents/{document}")).await.ok();
        let shown = found["latest"]["file_name"].as_str().unwrap();
        assert_eq!((shown.chars().count(), shown.ends_with("x.pdf")), (120, true));
    })
    .await;
}

#[tokio::test]
async fn tus_violations_are_refused() {
    on_both_with(
        |options, http| {
            options.upload_limit = 1 << 20;
            http.rate_limits = false;
        },
        |app| async move {
            let maya = app.client("Maya").await;
            let options = app.anonymous().ask(axum::http::Method::OPTIONS, "/storage/v1/uploads").await;
            assert_eq!(
                (options.header("tus-version"), options.header("tus-max-size"), options.header("tus-extension")),
                (Some("1.0.0"), Some("1048576"), Some("creation,expiration,termination"))
            );
            let file = [("file_name", "a.pdf")];
            announce(&maya, (1 << 20) + 1, &file).await.refused(413, "file_too_large");
            assert_eq!(announce(&maya, 0, &file).await.fields(), ["file empty_file"]);
            let bare = maya.ask(axum::http::Method::POST, "/storage/v1/uploads").header("upload-length", "3").await;
            bare.refused(412, "tus_version");
            let nameless = maya.ask(axum::http::Method::POST, "/storage/v1/uploads").header("tus-resumable", "1.0.0");
            assert_eq!(nameless.await.fields(), ["upload_length required"]);
            for wrong in ["file_name %%%", "spv_id bm8="] {
                let asking = maya.ask(axum::http::Method::POST, "/storage/v1/uploads").header("tus-resumable", "1.0.0");
                let fields = asking.header("upload-length", "3").header("upload-metadata", wrong).await.fields();
                assert!(fields[0].ends_with(" malformed"), "{fields:?}");
            }
            let made = announce(&maya, 10, &file).await;
            let location = made.header("location").unwrap().to_owned();
            assert!(made.header("upload-expires").unwrap().ends_with(" GMT"));
            append(&maya, &location, 5, b"56789").await.refused(409, "upload_offset");
            let typed = maya.ask(axum::http::Method::PATCH, &location).header("tus-resumable", "1.0.0");
            typed.header("upload-offset", "0").raw("0123").await.refused(415, "media_type");
            // Longer than announced, and longer than the file size limit.
            assert_eq!(append(&maya, &location, 0, &[b'x'; 11]).await.fields(), ["file longer_than_announced"]);
            let much = vec![b'x'; 3 << 20];
            assert_eq!(append(&maya, &location, 0, &much).await.fields(), ["file longer_than_announced"]);
            let state = maya.ask(axum::http::Method::HEAD, &location).header("tus-resumable", "1.0.0").await;
            assert_eq!(
                (state.status.as_u16(), state.header("upload-offset"), state.header("upload-length")),
                (200, Some("0"), Some("10"))
            );
            let gone = maya.delete(&location).header("tus-resumable", "1.0.0").await;
            assert_eq!(gone.status, 204);
            assert_eq!(
                maya.ask(axum::http::Method::HEAD, &location).header("tus-resumable", "1.0.0").await.status,
                404
            );
        },
    )
    .await;
}

/// An archive of 1.7 MB that unpacks to 268 MB: a zero, and 1,040,000 times "258 bytes as the one before".
fn bomb() -> Vec<u8> {
    const TIMES: usize = 1_040_000;
    let unpacked = (1 + 258 * TIMES as u32).to_le_bytes();
    let bits = |text: &'static str| text.bytes().map(|bit| bit == b'1');
    // The last block, of fixed codes, with the byte 0; then a length of 258 and a distance of 1; then the end.
    let all = bits("110")
        .chain(bits("00110000"))
        .chain((0..TIMES).flat_map(|_| bits("1100010100000")))
        .chain(bits("0000000"));
    let mut packed = Vec::new();
    for (n, bit) in all.enumerate() {
        if n % 8 == 0 {
            packed.push(0);
        }
        *packed.last_mut().unwrap() |= u8::from(bit) << (n % 8);
    }
    let name = b"zeros.bin";
    let mut facts = b"\x14\0\0\0\x08\0\0\0\x21\0\xb9\x55\xaf\xab".to_vec();
    facts.extend((packed.len() as u32).to_le_bytes());
    facts.extend(unpacked);
    facts.extend((name.len() as u32).to_le_bytes());
    let mut zip = [b"PK\x03\x04", facts.as_slice(), name, &packed].concat();
    let central = [b"PK\x01\x02\x14\0", facts.as_slice(), &[0; 14], name].concat();
    let begins = (zip.len() as u32).to_le_bytes();
    zip.extend(&central);
    zip.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    zip.extend((central.len() as u32).to_le_bytes());
    zip.extend(begins);
    zip.extend([0, 0]);
    zip
}

/// Archives are never unpacked: the stored size is the uploaded size.
#[tokio::test]
async fn archives_are_not_unpacked() {
    let bomb = bomb();
    let bomb = &bomb;
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let (document, version) = upload(&maya, bomb, &[("file_name", "42.zip")]).await;
        let shown = maya.get(&format!("/rest/v1/documents/{document}")).await.ok();
        let latest = &shown["latest"];
        assert_eq!(
            (&latest["media_type"], &latest["bytes"], &latest["inline"]),
            (&json!("application/zip"), &json!(bomb.len()), &json!(false))
        );
        let saved = app.anonymous().get(&link(&maya, version, "attachment").await).await;
        assert!(saved.bytes.as_ref() == bomb.as_slice());
        let kept = std::fs::read_dir(app.world.dir.path.join("documents/contents")).unwrap();
        let kept: u64 = kept.map(|file| file.unwrap().metadata().unwrap().len()).sum();
        assert_eq!(kept, bomb.len() as u64);
    })
    .await;
}

#[tokio::test]
async fn pdfs_are_shown_in_a_sandbox() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let content = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>\nendobj\n";
        let (_, version) = upload(&maya, content, &[("file_name", "invoice.pdf")]).await;
        let shown = app.anonymous().get(&link(&maya, version, "inline").await).await;
        assert_eq!(shown.bytes.as_ref(), content);
        for (name, value) in [
            ("content-type", "application/pdf"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(shown.header(name), Some(value));
        }
    })
    .await;
}

#[tokio::test]
async fn files_are_limited_to_25_mb() {
    on_both(|app| async move {
        let maya = app.client("Maya").await;
        let most = 25 << 20;
        let refused = announce(&maya, most + 1, &[("file_name", "large.pdf")]).await;
        assert_eq!(refused.body["params"]["max_mb"], 25);
        refused.refused(413, "file_too_large");
        // An upload longer than announced stops at the announced length.
        let made = announce(&maya, most, &[("file_name", "large.pdf")]).await;
        let location = made.header("location").unwrap().to_owned();
        let content = pdf(most + 1 - b"%PDF-1.7\n".len());
        assert_eq!(content.len(), most + 1);
        assert_eq!(append(&maya, &location, 0, &content).await.fields(), ["file longer_than_announced"]);
        let state = maya.ask(axum::http::Method::HEAD, &location).header("tus-resumable", "1.0.0").await;
        let so_far: usize = state.header("upload-offset").unwrap().parse().unwrap();
        assert!(so_far < most && state.header("spv-document-id").is_none());
        let done = append(&maya, &location, so_far, &content[so_far..most]).await;
        let document = done.header("spv-document-id").unwrap();
        assert_eq!(maya.get(&format!("/rest/v1/documents/{document}")).await.ok()["latest"]["bytes"], most);
        assert_eq!(maya.get("/rest/v1/documents").await.ok()["items"].as_array().unwrap().len(), 1);
    })
    .await;
}

/// What a stranger can reach of Maya's documents: nothing.
#[tokio::test]
async fn foreign_documents_return_404() {
    on_both(|app| async move {
        let (iso, ivan) = app.iso("Ivan", app.acme).await;
        let maya = app.client_of("Maya", app.acme, Some(iso)).await;
        let nils = app.client_of("Nils", app.acme, Some(iso)).await;
        let cora = app.company_admin("Cora", app.acme).await;
        let erin = app.employee("Erin").await;
        let spv = maya.spv.unwrap().to_string();
        let (document, version) =
            upload(&maya, b"%PDF-1.4 secret", &[("file_name", "passport.pdf"), ("spv_id", &spv)]).await;
        let asked = json!({ "name": "Proof of address", "required": true });
        let requests = format!("/rest/v1/spvs/{spv}/document-requests");
        let request = erin.post(&requests, asked).await.ok();
        let request = format!("/rest/v1/document-requests/{}", request["id"].as_str().unwrap());
        let made = announce(&maya, 10, &[("file_name", "slow.pdf")]).await;
        let location = made.header("location").unwrap().to_owned();
        activity::sequence_all(&app.world.operator()).await.unwrap();

        let older = json!({ "version_id": version });
        for stranger in [&ivan, &cora, &nils] {
            stranger.get(&format!("/rest/v1/documents/{document}")).await.refused(404, "not_found");
            let restore = stranger.post(&format!("/rest/v1/documents/{document}/restore"), older.clone()).await;
            restore.refused(404, "not_found");
            for disposition in [json!({}), json!({ "disposition": "inline" }), json!({ "disposition": "attachment" })] {
                let link = stranger.post(&format!("/storage/v1/versions/{version}/link"), disposition).await;
                link.refused(404, "not_found");
            }
            stranger.get(&requests).await.refused(404, "not_found");
            stranger.get(&request).await.refused(404, "not_found");
            stranger.patch(&request, json!({ "name": "x" })).await.refused(404, "not_found");
            stranger.post(&format!("{request}/approve"), json!({})).await.refused(404, "not_found");
            for way in ["return", "waive"] {
                let refused = stranger.post(&format!("{request}/{way}"), json!({ "reason": "x" })).await;
                refused.refused(404, "not_found");
            }
            append(stranger, &location, 0, b"01234").await.refused(404, "not_found");
            let gone = stranger.delete(&location).header("tus-resumable", "1.0.0").await;
            gone.refused(404, "not_found");
            let id = request.rsplit('/').next().unwrap();
            for target in
                [("document_id", document.to_string()), ("request_id", id.to_owned()), ("spv_id", spv.clone())]
            {
                let refused = announce(stranger, 3, &[(target.0, &target.1)]).await;
                refused.refused(404, "not_found");
            }
            for query in ["", &format!("?spv_id={spv}"), &format!("?client_id={}", maya.id), "?q=passport"] {
                let list = stranger.get(&format!("/rest/v1/documents{query}")).await.ok();
                assert_eq!(list["items"], json!([]), "{query}");
            }
            let log = stranger.get("/rest/v1/activity?limit=500").await.ok().to_string();
            assert!(!log.contains("passport.pdf") && !log.contains("Proof of address"), "{log}");
        }
        append(&erin, &location, 0, b"01234").await.refused(404, "not_found");
        let log = maya.get("/rest/v1/activity?limit=500").await.ok().to_string();
        assert!(log.contains("document.uploaded") && log.contains("document_request.created"), "{log}");
        maya.post(&format!("{request}/approve"), json!({})).await.refused(403, "forbidden");
    })
    .await;
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn document_request_lifecycle() {
    on_both(|app| async move {
        let (maya, erin) = (app.client("Maya").await, app.employee("Erin").await);
        let spv = maya.spv.unwrap();
        let path = format!("/rest/v1/spvs/{spv}/document-requests");
        assert_eq!(erin.post(&path, json!({ "name": " " })).await.fields(), ["name required"]);
        let asked = json!({ "name": "Passport", "instructions": "Both pages", "due_date": "2026-12-03" });
        let first = erin.post(&path, asked.clone()).key("once").await;
        let second = erin.post(&path, asked).key("once").await;
        assert_eq!((first.status.as_u16(), first.header("location")), (201, second.header("location")));
        let request = first.ok();
        let at = format!("/rest/v1/document-requests/{}", request["id"].as_str().unwrap());
        assert_eq!(request["can"], json!(["upload", "update", "waive"]));
        let hers = maya.get(&path).await.ok()["items"][0].clone();
        assert_eq!((&hers["can"], keys(&hers)), (&json!(["upload"]), keys(&request)));
        let renamed = erin.patch(&at, json!({ "name": "Passport copy", "due_date": null })).if_match(1).await.ok();
        assert_eq!((&renamed["name"], &renamed["due_date"]), (&json!("Passport copy"), &Value::Null));
        erin.patch(&at, json!({ "name": "x" })).if_match(1).await.refused(409, "stale");

        // The same list in pages, and by status.
        app.world.clock.advance(chrono::Duration::seconds(1));
        let bill = erin.post(&path, json!({ "name": "Utility bill" })).await.ok();
        let spv = maya.spv.unwrap();
        let found = format!("/rest/v1/document-requests?spv_id={spv}");
        let page = maya.get(&format!("{found}&limit=1&status=requested")).await.ok();
        assert_eq!((page["items"].as_array().map(Vec::len), &page["items"][0]["id"]), (Some(1), &request["id"]));
        let cursor = page["next_cursor"].as_str().unwrap();
        let next = maya.get(&format!("{found}&limit=1&cursor={cursor}")).await.ok();
        assert_eq!((&next["items"][0]["id"], &next["next_cursor"]), (&bill["id"], &Value::Null));
        assert_eq!(erin.get(&found).await.ok()["items"], erin.get(&path).await.ok()["items"]);
        assert_eq!(erin.get(&format!("{found}&status=waived")).await.ok()["items"], json!([]));
        app.client("Nils").await.get(&found).await.refused(404, "not_found");
        erin.post(
            &format!("/rest/v1/document-requests/{}/waive", bill["id"].as_str().unwrap()),
            json!({ "reason": "No" }),
        )
        .await
        .ok();

        let id = request["id"].as_str().unwrap();
        let (document, _) = upload(&maya, b"%PDF-1.4", &[("file_name", "scan.pdf"), ("request_id", id)]).await;
        let submitted = erin.get(&at).await;
        assert_eq!(submitted.etag(), Some("\"3\""));
        let submitted = submitted.ok();
        assert_eq!((&submitted["status"], &submitted["document_id"]), (&json!("submitted"), &json!(document)));
        assert_eq!(submitted["can"], json!(["upload", "update", "approve", "return", "waive"]));
        let waiting = maya.get("/rest/v1/documents?request_status=submitted&count=true").await.ok();
        assert_eq!((&waiting["items"][0]["id"], &waiting["total"]["rows"]), (&json!(document), &json!(1)));
        assert_eq!(erin.get("/rest/v1/documents?request_status=approved").await.ok()["items"], json!([]));
        let unknown = erin.get("/rest/v1/documents?request_status=reviewed").await;
        assert_eq!(unknown.fields(), ["request_status unknown"]);
        let back = erin.post(&format!("{at}/return"), json!({ "reason": "Cut off" })).await.ok();
        assert_eq!((&back["status"], &back["reason"]), (&json!("needs_revision"), &json!("Cut off")));
        upload(&maya, b"%PDF-1.5", &[("file_name", "scan.pdf"), ("request_id", id)]).await;
        let approved = erin.post(&format!("{at}/approve"), json!({})).await.ok();
        assert_eq!((&approved["status"], &approved["can"]), (&json!("approved"), &json!([])));
        let kinds: Vec<_> = app.deliver_mails().await.into_iter().map(|letter| letter.kind.name()).collect();
        assert_eq!(kinds, ["document_requested", "document_requested", "document_returned"]);
    })
    .await;
}

#[tokio::test]
async fn staff_uploads_need_an_order_or_client() {
    on_both(|app| async move {
        let (maya, erin) = (app.client("Maya").await, app.employee("Erin").await);
        let file = ("file_name", "letter.txt");
        assert_eq!(announce(&erin, 3, &[file]).await.fields(), ["client_id required"]);
        let nobodys = UserId(uuid::Uuid::nil()).to_string();
        assert_eq!(announce(&erin, 3, &[file, ("client_id", &nobodys)]).await.fields(), ["client_id not_found"]);
        let hers = maya.id.to_string();
        let (document, _) = upload(&erin, b"abc", &[file, ("client_id", &hers)]).await;
        assert_eq!(maya.get(&format!("/rest/v1/documents/{document}")).await.ok()["client"]["id"], json!(maya.id));
    })
    .await;
}

#[tokio::test]
async fn storage_outage_fails_its_health_check_but_not_readiness() {
    on_both(|app| async move {
        let sam = app.super_admin("Sam").await;
        let storage = async || {
            health_checks::check(&app.world.operator(), async { Ok("mail".to_owned()) }).await.unwrap();
            let found = sam.get("/rest/v1/probes").await.ok();
            found["items"].as_array().unwrap().iter().find(|probe| probe["name"] == "file_storage").unwrap().clone()
        };
        assert_eq!(storage().await["ok"], true);
        let folder = app.world.dir.path.join("documents");
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "in the way").unwrap();
        let probe = storage().await;
        assert_eq!(probe["ok"], false, "{probe}");
        assert!(probe["last_error"].is_string(), "{probe}");
        // Readiness depends on the database only (decision 46).
        app.anonymous().get("/readyz").await.ok();
        app.anonymous().get("/healthz").await.ok();
    })
    .await;
}

#[tokio::test]
async fn document_access_is_logged_once() {
    on_both(|app| async move {
        let (sam, erin, maya) = (app.super_admin("Sam").await, app.employee("Erin").await, app.client("Maya").await);
        let spv = maya.spv.unwrap().to_string();
        let content = pdf(2_000);
        let (document, version) = upload(&maya, &content, &[("file_name", "passport.pdf"), ("spv_id", &spv)]).await;
        activity::sequence_all(&app.world.operator()).await.unwrap();
        let before = maya.get("/rest/v1/me/activity").await.ok();
        let feed = async |person: &TestUser| {
            activity::sequence_all(&app.world.operator()).await.unwrap();
            person.get("/rest/v1/dashboards/employee").await.ok()["activity"].clone()
        };
        let work = feed(&erin).await;

        // Several parallel ranges after a HEAD count as one opening. An unused link counts as none.
        app.world.clock.advance(chrono::Duration::seconds(1));
        let shown = link(&erin, version, "inline").await;
        link(&erin, version, "inline").await;
        assert_eq!(app.anonymous().ask(axum::http::Method::HEAD, &shown).await.status, 200);
        let ranges = ["bytes=0-9", "bytes=10-19", "bytes=20-29", "bytes=99999-"].map(|range| {
            let asking = app.anonymous().get(&shown).header("user-agent", "Viewer 1.0").header("range", range);
            tokio::spawn(async move { asking.await.status.as_u16() })
        });
        let mut told = Vec::new();
        for range in ranges {
            told.push(range.await.unwrap());
        }
        assert_eq!(told, [206, 206, 206, 416]);
        app.anonymous().get(&shown).await;
        // Saved by its client, and opened by a super admin who impersonates them.
        app.world.clock.advance(chrono::Duration::seconds(1));
        let saved = link(&maya, version, "attachment").await;
        assert_eq!(
            app.anonymous().get(&saved).header("user-agent", "Saver 2.0").await.bytes.as_ref(),
            content.as_slice()
        );
        app.world.clock.advance(chrono::Duration::seconds(1));
        let looking =
            sam.post(&format!("/rest/v1/users/{}/impersonate", maya.id), json!({ "reason": "help" })).await.ok();
        let mut looking_as = app.anonymous();
        looking_as.token = looking["access_token"].as_str().map(str::to_owned);
        app.anonymous().get(&link(&looking_as, version, "inline").await).await;

        let after = feed(&erin).await;
        let log = sam.get("/rest/v1/logs?what=document&limit=500").await.ok();
        let found: Vec<Value> = log["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| ["document.opened", "document.downloaded"].contains(&row["action"].as_str().unwrap()))
            .map(|row| {
                json!([
                    row["action"],
                    row["actor"]["name"],
                    row["subject"]["label"],
                    row["subject"]["id"],
                    row["data"]["number"],
                    row["data"]["version_id"],
                    row["user_agent"],
                    row["data"]["on_behalf_of"]
                ])
            })
            .collect();
        let row = |action: &str, who: &str, agent: Value, whose: Value| {
            json!([action, who, "passport.pdf", document, 1, version, agent, whose])
        };
        assert_eq!(
            found,
            [
                row("document.opened", "Sam Test", json!(null), json!("Maya Test")),
                row("document.downloaded", "Maya Test", json!("Saver 2.0"), json!(null)),
                row("document.opened", "Erin Test", json!("Viewer 1.0"), json!(null)),
            ]
        );
        let csv = sam.get("/rest/v1/logs.csv?what=document.opened").await;
        assert_eq!(String::from_utf8_lossy(&csv.bytes).matches("document.opened").count(), 2);
        assert_eq!(
            sam.get(&format!("/rest/v1/logs?what=document.opened&subject={document}")).await.ok()["items"]
                .as_array()
                .unwrap()
                .len(),
            2
        );

        // It appears neither in clients' notifications nor in tasks of staff.
        let own = maya.get("/rest/v1/me/activity").await.ok();
        let heard = maya.get("/rest/v1/activity?limit=500").await.ok();
        let dashboard = maya.get("/rest/v1/dashboards/client").await.ok();
        for page in [&own, &heard, &dashboard, &after] {
            let text = page.to_string();
            assert!(!text.contains("document.opened") && !text.contains("document.downloaded"), "{text}");
        }
        assert_eq!(
            (before["items"].clone(), work),
            (
                own["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|row| row["action"] != "impersonation.started")
                    .cloned()
                    .collect(),
                after
            )
        );
    })
    .await;
}
