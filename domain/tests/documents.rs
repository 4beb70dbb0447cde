//! Documents: resumable upload, versions, download links, access, document requests and step completion. On both
//! databases.
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use bytes::Bytes;
use chrono::Duration;
use domain::{
    Ctx, Error,
    accounts::auth::Keys,
    desk::people,
    kernel::{
        ids::SpvId,
        page::PageQuery,
        storage::{Credentials, Storage, StorageUrl},
    },
    orders::{
        document_requests::{self as requests, Input, Status},
        documents::{
            self, Filter, ResumeClaim,
            uploads::{self, CreateUpload, Upload},
        },
        steps,
    },
    testing::{World, on_both},
};
use futures::{StreamExt, stream};
use std::{convert::Infallible, path::Path};

fn body(content: &[u8]) -> impl futures::Stream<Item = Result<Bytes, Infallible>> + Send + use<> {
    let pieces: Vec<Bytes> = content.chunks(60_000).map(Bytes::copy_from_slice).collect();
    stream::iter(pieces).map(Ok)
}

async fn upload_file(ctx: &Ctx, new: CreateUpload, content: &[u8]) -> Result<Upload, Error> {
    let upload = uploads::create(ctx, CreateUpload { bytes: content.len() as u64, ..new }).await?;
    uploads::append(ctx, upload.id, 0, body(content)).await
}

fn new_upload(name: &str) -> CreateUpload {
    CreateUpload { file_name: name.to_owned(), ..CreateUpload::default() }
}

/// Files below a directory, recursively.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path) } else { vec![path.display().to_string()] }
        })
        .collect()
}

fn stored_files(world: &World) -> usize {
    files(&world.dir.path.join("documents")).len()
}

fn code(error: Error) -> String {
    match error {
        Error::Conflict(problem) | Error::Forbidden(problem) => problem.code.to_owned(),
        Error::Invalid(fields) => format!("{} {}", fields[0].field, fields[0].problem.code),
        Error::NotFound(noun) => format!("no {noun}"),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn resumed_upload_becomes_a_document_and_the_next_its_second_version() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, spv, maya) = world.client("Maya", acme, None).await;
        let content = vec![b'x'; 9_000_000];
        let new = CreateUpload { spv_id: Some(spv), bytes: content.len() as u64, ..new_upload("../Deed.pdf") };
        let upload = uploads::create(&maya, new).await.unwrap();
        assert_eq!(upload.file_name, "Deed.pdf");
        // The connection breaks in the middle: received bytes are kept and the upload resumes.
        let half = uploads::append(&maya, upload.id, 0, body(&content[..5_000_001])).await.unwrap();
        assert_eq!((half.received, half.version_id), (5_000_001, None));
        assert_eq!(code(uploads::append(&maya, upload.id, 0, body(b"x")).await.unwrap_err()), "upload_offset");
        let done = uploads::append(&maya, upload.id, half.received, body(&content[5_000_001..])).await.unwrap();
        assert!(done.version_id.is_some() && done.received == 9_000_000);
        assert_eq!(stored_files(&world), 1, "the parts are deleted, the content stays");
        // A repeated read returns the same version.
        assert_eq!(uploads::get(&maya, upload.id).await.unwrap().version_id, done.version_id);

        let id = done.saved_document_id.unwrap();
        let detail = documents::get(&maya, id).await.unwrap();
        let first = &detail.document.latest;
        assert_eq!((detail.document.client_id, detail.document.spv_id), (client, Some(spv)));
        assert_eq!((first.number, first.bytes, first.media_type.as_str()), (1, 9_000_000, "text/plain"));
        assert_eq!(first.sha256.len(), 64);
        assert!(!first.storage_key.contains("Deed"));

        let erin = world.employee("Erin").await;
        let second = CreateUpload { document_id: Some(id), ..new_upload("Deed signed.pdf") };
        upload_file(&erin, second, b"%PDF-1.7 signed").await.unwrap();
        let detail = documents::get(&maya, id).await.unwrap();
        let listed: Vec<_> =
            detail.versions.iter().map(|v| (v.number, v.file_name.as_str(), v.uploaded_by.as_str())).collect();
        assert_eq!(listed, [(2, "Deed signed.pdf", "Erin Test"), (1, "Deed.pdf", "Maya Test")]);
        assert_eq!(detail.document.latest.media_type, "application/pdf");

        // Staff restore the first version; the content is shared, not copied.
        let older = detail.versions[1].id;
        assert_eq!(code(documents::restore(&maya, id, None, Some(older)).await.unwrap_err()), "forbidden");
        let newest = detail.versions[0].id;
        assert_eq!(code(documents::restore(&erin, id, None, Some(newest)).await.unwrap_err()), "newest_already");
        let seen = detail.document.version;
        let late = documents::restore(&erin, id, Some(seen - 1), Some(older)).await.unwrap_err();
        assert_eq!(code(late), "stale");
        let restored = documents::restore(&erin, id, Some(seen), Some(older)).await.unwrap();
        assert_eq!((restored.document.latest.number, restored.document.latest.restored_from), (3, Some(1)));
        assert_eq!(restored.document.latest.sha256, detail.versions[1].sha256);
        assert_eq!(stored_files(&world), 2);
    })
    .await;
}

#[tokio::test]
async fn empty_and_oversized_uploads_are_refused() {
    on_both(async |mut world| {
        world.options = std::sync::Arc::new(domain::Options { upload_limit: 1_000_000, ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        assert_eq!(code(uploads::create(&maya, new_upload("empty.pdf")).await.unwrap_err()), "file empty_file");
        let large = CreateUpload { bytes: 1_000_001, ..new_upload("large.pdf") };
        assert_eq!(code(uploads::create(&maya, large).await.unwrap_err()), "file file_too_large");
        // Announced as ten bytes, but the body does not end.
        let upload = uploads::create(&maya, CreateUpload { bytes: 10, ..new_upload("small.pdf") }).await.unwrap();
        let endless = stream::repeat(Bytes::from_static(&[b'x'; 50_000])).map(Ok::<_, Infallible>);
        let refused = uploads::append(&maya, upload.id, 0, endless).await.unwrap_err();
        assert_eq!(code(refused), "file longer_than_announced");
        assert_eq!(stored_files(&world), 0);
        // The sender cancels it.
        uploads::append(&maya, upload.id, 0, body(b"01234")).await.unwrap();
        assert_eq!(stored_files(&world), 1);
        uploads::cancel(&maya, upload.id).await.unwrap();
        assert_eq!(
            (stored_files(&world), code(uploads::get(&maya, upload.id).await.unwrap_err())),
            (0, "no upload".to_owned())
        );
        // Exactly the limit is accepted.
        upload_file(&maya, new_upload("full.bin"), &vec![0; 1_000_000]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn abandoned_uploads_are_deleted_after_a_day() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        let upload = uploads::create(&maya, CreateUpload { bytes: 10, ..new_upload("slow.pdf") }).await.unwrap();
        uploads::append(&maya, upload.id, 0, body(b"01234")).await.unwrap();
        let kept = upload_file(&maya, new_upload("kept.pdf"), b"kept").await.unwrap();
        world.clock.advance(Duration::hours(23));
        assert_eq!(uploads::clean_up(&world.operator()).await.unwrap(), 0);
        world.clock.advance(Duration::hours(2));
        assert_eq!(uploads::clean_up(&world.operator()).await.unwrap(), 2);
        assert_eq!(stored_files(&world), 1, "only the stored document");
        assert_eq!(code(uploads::get(&maya, upload.id).await.unwrap_err()), "no upload");
        documents::get(&maya, kept.saved_document_id.unwrap()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn temporary_files_of_crashed_processes_are_deleted_after_a_day() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        upload_file(&maya, new_upload("kept.pdf"), b"kept").await.unwrap();
        let write = |name: &str, hours: i64| {
            let path = world.dir.path.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let written = world.clock.now() - Duration::hours(hours);
            std::fs::File::create(&path).unwrap().set_modified(written.into()).unwrap();
            path
        };
        let old = ["contents/x#1", "uploads/y/z#12", "probe#1"].map(|name| write(&format!("documents/{name}"), 25));
        let young = write("documents/contents/x#2", 23);
        let others = ["documents/contents/x", "documents/contents/x#a", "elsewhere/x#1"].map(|name| write(name, 25));
        #[cfg(unix)]
        std::os::unix::fs::symlink(world.dir.path.join("elsewhere"), world.dir.path.join("documents/linked")).unwrap();
        uploads::clean_up(&world.operator()).await.unwrap();
        assert_eq!(old.map(|path| path.exists()), [false; 3]);
        assert!(!world.dir.path.join("documents/uploads/y").exists(), "the empty directory is removed");
        assert!(young.exists(), "it may still be written");
        assert_eq!(others.map(|path| path.exists()), [true; 3]);
        world.clock.advance(Duration::hours(2));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert!(!young.exists());
        let kept = documents::list(&maya, &Filter::default(), &PageQuery::default()).await.unwrap().items;
        assert!(world.dir.path.join("documents").join(&kept[0].latest.storage_key).exists());
    })
    .await;
}

#[tokio::test]
async fn upload_cancelled_during_a_storage_outage_is_deleted_later() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let upload = uploads::create(&maya, CreateUpload { bytes: 10, ..new_upload("slow.pdf") }).await.unwrap();
        uploads::append(&maya, upload.id, 0, body(b"01234")).await.unwrap();
        let nowhere = StorageUrl::parse("s3://nowhere?endpoint=http://127.0.0.1:9").unwrap();
        let credentials = Credentials { access_key_id: "id".to_owned(), secret_access_key: "secret".to_owned() };
        let storage = Storage::open(&nowhere, Some(&credentials)).unwrap();
        let options = domain::Options { storage, ..(*world.options).clone() };
        let away = World { options: std::sync::Arc::new(options), ..world.clone() };
        let user = domain::accounts::users::get(&world.operator(), client).await.unwrap();
        let refused = uploads::cancel(&away.signed_in(&user), upload.id).await.unwrap_err();
        assert!(matches!(refused, Error::Unavailable(_)), "{refused}");
        // Cancelled for the sender; the stored parts stay known for the clean-up.
        assert_eq!(code(uploads::get(&maya, upload.id).await.unwrap_err()), "no upload");
        assert_eq!(code(uploads::append(&maya, upload.id, 5, body(b"56789")).await.unwrap_err()), "no upload");
        assert_eq!(stored_files(&world), 1);
        world.clock.advance(Duration::hours(25));
        assert!(uploads::clean_up(&away.operator()).await.is_err());
        assert_eq!(uploads::clean_up(&world.operator()).await.unwrap(), 1);
        assert_eq!((stored_files(&world), uploads::clean_up(&world.operator()).await.unwrap()), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn cancelling_a_finishing_upload_keeps_all_or_nothing() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        let content = vec![b'z'; 100_000];
        let mut kept = 0;
        // Cancels at different moments of the upload.
        for moment in 0..12 {
            let upload =
                uploads::create(&maya, CreateUpload { bytes: 100_000, ..new_upload("late.pdf") }).await.unwrap();
            let sends = uploads::append(&maya, upload.id, 0, body(&content));
            let takes_back = async {
                tokio::time::sleep(std::time::Duration::from_millis(moment)).await;
                uploads::cancel(&maya, upload.id).await
            };
            let (sent, _) = futures::future::join(sends, takes_back).await;
            match sent {
                Ok(upload) => kept += usize::from(upload.version_id.is_some()),
                Err(error) => assert!(["no upload", "upload_offset"].contains(&code(error).as_str())),
            }
        }
        world.clock.advance(Duration::hours(25));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert_eq!(stored_files(&world), kept);
    })
    .await;
}

#[tokio::test]
async fn document_search_follows_the_clients_name() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        upload_file(&maya, new_upload("deed.txt"), b"a").await.unwrap();
        let change =
            domain::directory::clients::Change { first_name: Some("Philippa".to_owned()), ..Default::default() };
        people::update_client(&erin, client, None, change).await.unwrap();
        let found = async |q: &str| {
            let filter = Filter { q: Some(q.to_owned()), ..Filter::default() };
            documents::list(&erin, &filter, &PageQuery::default()).await.unwrap().items.len()
        };
        assert_eq!((found("philippa deed").await, found("maya deed").await), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn concurrent_appends_at_one_offset_store_one_document() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        let content = vec![b'y'; 5_000_000];
        let upload =
            uploads::create(&maya, CreateUpload { bytes: 5_000_000, ..new_upload("twice.pdf") }).await.unwrap();
        let sends = (0..4).map(|_| uploads::append(&maya, upload.id, 0, body(&content)));
        let sent = futures::future::join_all(sends).await;
        let kept: Vec<_> = sent.iter().filter_map(|sent| sent.as_ref().ok()?.version_id).collect();
        assert!(kept.len() <= 1, "{sent:?}");
        for refused in sent.into_iter().filter_map(Result::err) {
            assert_eq!(code(refused), "upload_offset");
        }
        let now = uploads::get(&maya, upload.id).await.unwrap();
        uploads::append(&maya, upload.id, now.received, body(&content[now.received as usize..])).await.unwrap();
        let found = documents::list(&maya, &Filter::default(), &PageQuery::default()).await.unwrap().items;
        assert_eq!((found.len(), found[0].latest.bytes, stored_files(&world)), (1, 5_000_000, 1));
    })
    .await;
}

#[tokio::test]
async fn download_link_expires_and_opens_one_version() {
    on_both(async |world| {
        let keys = Keys::for_tests();
        let acme = world.company("Acme").await;
        let (_, _, maya) = world.client("Maya", acme, None).await;
        let (_, _, nils) = world.client("Nils", acme, None).await;
        let page =
            upload_file(&maya, new_upload("photo.png"), b"<!DOCTYPE html><script>alert(1)</script>").await.unwrap();
        let version = page.version_id.unwrap();
        assert_eq!(code(documents::link(&nils, &keys, version, false).await.unwrap_err()), "no version");
        // HTML is never shown inline, whatever the file name says.
        assert_eq!(code(documents::link(&maya, &keys, version, true).await.unwrap_err()), "not_shown");
        let link = documents::link(&maya, &keys, version, false).await.unwrap();
        let file = documents::open(&world.anonymous(), &keys, &link.token, &ResumeClaim::None).await.unwrap();
        assert_eq!((file.version.id, file.inline, file.version.media_type.as_str()), (version, false, "text/html"));
        for token in ["", "x", &link.token[1..]] {
            assert_eq!(
                code(documents::open(&world.anonymous(), &keys, token, &ResumeClaim::None).await.unwrap_err()),
                "link_expired"
            );
        }
        // Other tokens signed with the same keys open no file.
        let other = keys.sign(&serde_json::json!({ "aud": "authenticated", "version": version, "inline": false,
            "exp": world.clock.now().timestamp() + 60 }));
        assert_eq!(
            code(documents::open(&world.anonymous(), &keys, &other.unwrap(), &ResumeClaim::None).await.unwrap_err()),
            "link_expired"
        );
        world.clock.advance(Duration::seconds(91));
        let late = async |late: ResumeClaim| documents::open(&world.anonymous(), &keys, &link.token, &late).await;
        assert_eq!(code(late(ResumeClaim::None).await.unwrap_err()), "link_expired");
        // A download in progress may continue for hours, for a client that knows the content's hash.
        let knows = ResumeClaim::KnowsHash(file.version.sha256.clone());
        assert!(late(ResumeClaim::Resumed).await.unwrap().expired && late(knows.clone()).await.unwrap().expired);
        assert_eq!(code(late(ResumeClaim::KnowsHash("0".repeat(64))).await.unwrap_err()), "link_expired");
        world.clock.advance(Duration::hours(12));
        for late_too in [ResumeClaim::Resumed, knows] {
            assert_eq!(code(late(late_too).await.unwrap_err()), "link_expired");
        }
    })
    .await;
}

#[tokio::test]
async fn documents_are_visible_to_the_client_and_staff_only() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (iso, ivan) = world.iso("Ivan", acme).await;
        let (client, spv, maya) = world.client("Maya", acme, Some(iso)).await;
        let (_, others, nils) = world.client("Nils", acme, Some(iso)).await;
        let cora = world.company_admin("Cora", acme).await;
        let erin = world.employee("Erin").await;
        let kept = upload_file(&maya, CreateUpload { spv_id: Some(spv), ..new_upload("passport.pdf") }, b"%PDF-1.4")
            .await
            .unwrap();
        let id = kept.saved_document_id.unwrap();
        for stranger in [&ivan, &cora, &nils] {
            assert_eq!(code(documents::get(stranger, id).await.unwrap_err()), "no document");
            assert_eq!(code(uploads::get(stranger, kept.id).await.unwrap_err()), "no upload");
            for filter in [
                Filter::default(),
                Filter { spv_id: Some(spv), ..Filter::default() },
                Filter { client_id: Some(client), ..Filter::default() },
                Filter { q: Some("passport".to_owned()), ..Filter::default() },
            ] {
                let found = documents::list(stranger, &filter, &PageQuery::default()).await.unwrap();
                assert!(found.items.is_empty(), "{filter:?}");
            }
            for new in [
                CreateUpload { document_id: Some(id), ..new_upload("a") },
                CreateUpload { spv_id: Some(spv), ..new_upload("a") },
                CreateUpload { client_id: Some(client), ..new_upload("a") },
            ] {
                let refused = upload_file(stranger, new, b"a").await.unwrap_err();
                assert!(matches!(refused, Error::NotFound(_)), "{refused}");
            }
        }
        // Staff cannot resume a client's upload.
        assert_eq!(code(uploads::get(&erin, kept.id).await.unwrap_err()), "no upload");
        assert_eq!(code(upload_file(&erin, new_upload("whose"), b"a").await.unwrap_err()), "client_id required");
        let free = upload_file(&erin, CreateUpload { client_id: Some(client), ..new_upload("letter.txt") }, b"a")
            .await
            .unwrap();
        let filter = Filter { q: Some("maya letter".to_owned()), ..Filter::default() };
        let found = documents::list(&maya, &filter, &PageQuery::default()).await.unwrap().items;
        assert_eq!(found.iter().map(|d| Some(d.id)).collect::<Vec<_>>(), [free.saved_document_id]);
        // Can be assigned to an order of the same client only.
        let mut tx = world.db.begin().await.unwrap();
        let refused =
            documents::assign(&mut tx, free.saved_document_id.unwrap(), nils.actor.user_id().unwrap(), others).await;
        assert_eq!(code(refused.unwrap_err()), "no document");
        documents::assign(&mut tx, free.saved_document_id.unwrap(), client, spv).await.unwrap();
        tx.commit().await.unwrap();
        let filter = Filter { spv_id: Some(spv), ..Filter::default() };
        assert_eq!(documents::list(&maya, &filter, &PageQuery::default()).await.unwrap().items.len(), 2);
    })
    .await;
}

async fn first_step(ctx: &Ctx, spv: SpvId) -> steps::Step {
    steps::list(ctx, spv).await.unwrap().remove(0)
}

#[tokio::test]
async fn approved_document_requests_complete_their_step() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let step = first_step(&erin, spv).await;
        world.completes_with_documents(step.id).await;
        let ask = |name: &str, required: bool| Input {
            name: Some(name.to_owned()),
            required: Some(required),
            due_date: Some("2026-12-03".to_owned()),
            step_id: Some(Some(step.id)),
            ..Input::default()
        };
        assert_eq!(code(requests::create(&maya, spv, ask("x", true)).await.unwrap_err()), "forbidden");
        let passport = requests::create(&erin, spv, ask("Passport copy", true)).await.unwrap();
        let address = requests::create(&erin, spv, ask("Proof of address", true)).await.unwrap();
        requests::create(&erin, spv, ask("A photo", false)).await.unwrap();
        assert_eq!(code(requests::approve(&erin, passport.id, None).await.unwrap_err()), "request_status");

        let answer = || CreateUpload { request_id: Some(passport.id), ..new_upload("scan.pdf") };
        let sent = upload_file(&maya, answer(), b"%PDF-1.4 one").await.unwrap();
        let submitted = requests::get(&maya, passport.id).await.unwrap();
        assert_eq!((submitted.status, submitted.document_id), (Status::Submitted, sent.saved_document_id));
        let document = documents::get(&maya, sent.saved_document_id.unwrap()).await.unwrap().document;
        assert_eq!((document.name.as_str(), document.spv_id), ("Passport copy", Some(spv)));

        assert_eq!(code(requests::send_back(&erin, passport.id, None, " ").await.unwrap_err()), "reason required");
        let back = requests::send_back(&erin, passport.id, None, "The second page is cut off").await.unwrap();
        assert_eq!((back.status, back.reason.as_deref()), (Status::NeedsRevision, Some("The second page is cut off")));
        let again = upload_file(&maya, answer(), b"%PDF-1.4 two").await.unwrap();
        assert_eq!(again.saved_document_id, sent.saved_document_id, "the second version of the same document");
        let submitted = requests::get(&maya, passport.id).await.unwrap();
        assert_eq!((submitted.status, submitted.reason), (Status::Submitted, None));
        let stale = requests::approve(&erin, passport.id, Some(1)).await.unwrap_err();
        assert_eq!(code(stale), "stale");
        // A new version of the document answers the request as well.
        let version = || CreateUpload { document_id: sent.saved_document_id, ..new_upload("scan.pdf") };
        upload_file(&maya, version(), b"%PDF-1.4 three").await.unwrap();
        assert_eq!(code(requests::approve(&erin, passport.id, Some(submitted.version)).await.unwrap_err()), "stale");
        requests::approve(&erin, passport.id, Some(submitted.version + 1)).await.unwrap();
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Pending, "one request is still open");
        assert_eq!(code(upload_file(&maya, answer(), b"late").await.unwrap_err()), "request_status");
        assert_eq!(code(upload_file(&maya, version(), b"late").await.unwrap_err()), "request_status");
        let approved = documents::get(&maya, sent.saved_document_id.unwrap()).await.unwrap().document;
        assert!(documents::can(&maya, &approved).is_empty());
        // Staff cannot restore an older version over the approved one.
        let first = documents::get(&erin, approved.id).await.unwrap().versions.pop().unwrap().id;
        assert_eq!(
            code(documents::restore(&erin, approved.id, None, Some(first)).await.unwrap_err()),
            "request_status"
        );
        assert_eq!(documents::can(&erin, &approved), ["update"], "no other version, and it stays");

        let of_status = async |ctx: &Ctx, status| {
            let filter = Filter { request_status: Some(status), ..Filter::default() };
            let total = documents::total(ctx, &filter).await.unwrap().rows;
            let page = documents::list(ctx, &filter, &PageQuery::default()).await.unwrap();
            assert_eq!(i64::try_from(page.items.len()).unwrap(), total);
            page.items.into_iter().map(|document| document.name).collect::<Vec<_>>()
        };
        upload_file(&maya, new_upload("unasked.pdf"), b"%PDF-1.4").await.unwrap();
        let (_, _, nils) = world.client("Nils", acme, None).await;
        for reader in [&maya, &erin] {
            assert_eq!(of_status(reader, Status::Approved).await, ["Passport copy"]);
            assert_eq!(of_status(reader, Status::Submitted).await, [""; 0]);
        }
        assert_eq!(of_status(&nils, Status::Approved).await, [""; 0]);

        requests::waive(&erin, address.id, None, "The passport says it").await.unwrap();
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Completed);

        let mails: Vec<_> =
            domain::outbox::mails::list(&world.operator(), None, &PageQuery::default()).await.unwrap().items;
        let mut listed: Vec<_> = mails.iter().map(|mail| mail.kind.name()).collect();
        listed.sort_unstable();
        assert_eq!(listed, ["document_requested", "document_requested", "document_requested", "document_returned"]);
        assert!(mails.iter().all(|mail| mail.to_email == "maya@example.com"));
    })
    .await;
}

async fn nth_step(ctx: &Ctx, spv: SpvId, n: usize) -> steps::Step {
    steps::list(ctx, spv).await.unwrap().remove(n)
}

#[tokio::test]
async fn step_completes_when_its_last_requirement_is_met() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let order = steps::list(&erin, spv).await.unwrap();
        assert!(order.len() >= 4, "the test needs some steps");
        let documents = steps::Change { completes_with_documents: Some(true), ..steps::Change::default() };
        let after =
            |needs: Vec<domain::kernel::ids::StepId>| steps::Change { depends_on: Some(needs), ..documents.clone() };
        let done = steps::Change { status: Some("completed".to_owned()), ..steps::Change::default() };
        steps::update(&erin, order[1].id, None, after(vec![order[0].id])).await.unwrap();
        steps::update(&erin, order[2].id, None, after(vec![order[1].id])).await.unwrap();
        let ask = async |step: usize, name: &str| {
            let input = Input { name: Some(name.to_owned()), step_id: Some(Some(order[step].id)), ..Input::default() };
            requests::create(&erin, spv, input).await.unwrap().id
        };
        let approve = async |id| {
            upload_file(&maya, CreateUpload { request_id: Some(id), ..new_upload("a.txt") }, b"a").await.unwrap();
            requests::approve(&erin, id, None).await.unwrap();
        };
        let status = async |n| nth_step(&maya, spv, n).await.status;

        // Documents approved, dependency open: completing the dependency completes both dependents in turn.
        approve(ask(1, "Passport").await).await;
        approve(ask(2, "Contract").await).await;
        assert_eq!((status(1).await, status(2).await), (steps::Status::Pending, steps::Status::Pending));
        let (_, listed) = steps::update(&erin, order[0].id, None, done.clone()).await.unwrap();
        assert_eq!(listed.steps_completed, 3, "the response includes the dependents");
        assert_eq!((status(1).await, status(2).await), (steps::Status::Completed, steps::Status::Completed));

        // A reopened step stays open until one of its requirements changes.
        let open = steps::Change { status: Some("in_progress".to_owned()), ..steps::Change::default() };
        steps::update(&erin, order[2].id, None, open).await.unwrap();
        assert_eq!(status(2).await, steps::Status::InProgress);
        let again = ask(2, "Annex").await;
        let other = ask(2, "Letter").await;
        approve(again).await;
        assert_eq!(status(2).await, steps::Status::InProgress);
        // The last open request becomes optional.
        let optional = Input { required: Some(false), ..Input::default() };
        requests::update(&erin, other, None, optional).await.unwrap();
        assert_eq!(status(2).await, steps::Status::Completed);

        // The last open request moves to another step.
        steps::update(&erin, order[3].id, None, documents.clone()).await.unwrap();
        approve(ask(3, "Deed").await).await;
        assert_eq!(status(3).await, steps::Status::Completed);
        let open = steps::Change { status: Some("pending".to_owned()), ..steps::Change::default() };
        steps::update(&erin, order[3].id, None, open).await.unwrap();
        let moves = ask(3, "Map").await;
        let away = Input { step_id: Some(None), ..Input::default() };
        requests::update(&erin, moves, None, away).await.unwrap();
        assert_eq!(status(3).await, steps::Status::Completed);
    })
    .await;
}

#[tokio::test]
async fn removing_a_dependency_completes_a_step_with_documents() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let order = steps::list(&erin, spv).await.unwrap();
        let after = |need: domain::kernel::ids::StepId| steps::Change {
            completes_with_documents: Some(true),
            depends_on: Some(vec![need]),
            ..steps::Change::default()
        };
        let (first, second) = (order[0].id, order[1].id);
        steps::update(&erin, second, None, after(first)).await.unwrap();
        let ask = |name: &str| Input { name: Some(name.to_owned()), step_id: Some(Some(second)), ..Input::default() };
        let request = requests::create(&erin, spv, ask("Passport")).await.unwrap();
        // No request is approved: making one optional does not complete the step.
        let optional = Input { required: Some(false), ..Input::default() };
        requests::update(&erin, request.id, None, optional).await.unwrap();
        steps::remove(&erin, first, None).await.unwrap();
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Pending);

        let third = order[2].id;
        steps::update(&erin, second, None, after(third)).await.unwrap();
        let needed = requests::create(&erin, spv, ask("Address")).await.unwrap();
        requests::waive(&erin, needed.id, None, "We know it").await.unwrap();
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Pending, "it depends on the third");
        let spv_then = steps::remove(&erin, third, None).await.unwrap();
        assert_eq!(spv_then.steps_completed, 1);
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Completed);
    })
    .await;
}

#[tokio::test]
async fn order_status_decides_who_may_upload() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let ask = Input { name: Some("Passport".to_owned()), ..Input::default() };
        let request = requests::create(&erin, spv, ask).await.unwrap().id;
        let kept =
            upload_file(&maya, CreateUpload { spv_id: Some(spv), ..new_upload("deed.txt") }, b"a").await.unwrap();
        let document = kept.saved_document_id.unwrap();
        let targets = || {
            [
                CreateUpload { spv_id: Some(spv), ..new_upload("a.txt") },
                CreateUpload { request_id: Some(request), ..new_upload("a.txt") },
                CreateUpload { document_id: Some(document), ..new_upload("a.txt") },
            ]
        };
        // The offered actions match what uploads accept.
        let offered = async |ctx: &Ctx| {
            let of_order = domain::orders::spvs::can(ctx, &domain::orders::spvs::get(ctx, spv).await.unwrap().spv);
            let of_request = requests::can(ctx, &requests::get(ctx, request).await.unwrap());
            let of_document = documents::can(ctx, &documents::get(ctx, document).await.unwrap().document);
            [of_order, of_request, of_document].map(|can| can.contains(&"upload"))
        };
        domain::orders::spvs::hold(&erin, spv, None, "bank holiday").await.unwrap();
        assert_eq!(offered(&maya).await, [true; 3]);
        let held = requests::can(&erin, &requests::get(&erin, request).await.unwrap());
        assert_eq!(held, ["upload"], "no decisions while on hold");
        for new in targets() {
            upload_file(&maya, new, b"a").await.unwrap();
        }
        domain::orders::spvs::cancel(&erin, spv, None, "The deal is off").await.unwrap();
        assert_eq!((offered(&maya).await, offered(&erin).await), ([false; 3], [true; 3]));
        for new in targets() {
            assert_eq!(code(upload_file(&maya, new.clone(), b"a").await.unwrap_err()), "wrong_status");
            upload_file(&erin, new, b"a").await.unwrap();
        }
        // Attachments (receipts, files of messages) are still accepted.
        upload_file(&maya, CreateUpload { spv_id: Some(spv), attach: true, ..new_upload("receipt.txt") }, b"a")
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test]
async fn concurrent_approvals_complete_the_step() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let (erin, emil) = (world.employee("Erin").await, world.employee("Emil").await);
        let step = first_step(&erin, spv).await;
        world.completes_with_documents(step.id).await;
        let mut request_ids = Vec::new();
        for name in ["One", "Two"] {
            let input = Input { name: Some(name.to_owned()), step_id: Some(Some(step.id)), ..Input::default() };
            let request = requests::create(&erin, spv, input).await.unwrap();
            upload_file(&maya, CreateUpload { request_id: Some(request.id), ..new_upload("a.txt") }, b"a")
                .await
                .unwrap();
            request_ids.push(request.id);
        }
        let (one, two) = tokio::join!(
            requests::approve(&erin, request_ids[0], None),
            requests::approve(&emil, request_ids[1], None)
        );
        one.unwrap();
        two.unwrap();
        assert_eq!(first_step(&maya, spv).await.status, steps::Status::Completed);
    })
    .await;
}

#[tokio::test]
async fn held_order_accepts_no_document_requests() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let (_, other, _) = world.client("Nils", acme, None).await;
        let erin = world.employee("Erin").await;
        let ask = |step: Option<steps::Step>| Input {
            name: Some("Passport".to_owned()),
            step_id: step.map(|step| Some(step.id)),
            ..Input::default()
        };
        let foreign = first_step(&erin, other).await;
        assert_eq!(code(requests::create(&erin, spv, ask(Some(foreign))).await.unwrap_err()), "step_id not_found");
        assert_eq!(code(requests::create(&erin, spv, Input::default()).await.unwrap_err()), "name required");
        let request = requests::create(&erin, spv, ask(None)).await.unwrap();
        domain::orders::spvs::hold(&erin, spv, None, "bank holiday").await.unwrap();
        assert_eq!(code(requests::create(&erin, spv, ask(None)).await.unwrap_err()), "wrong_status");
        // The client may upload meanwhile.
        upload_file(&maya, CreateUpload { request_id: Some(request.id), ..new_upload("a.txt") }, b"a").await.unwrap();
        assert_eq!(code(requests::approve(&erin, request.id, None).await.unwrap_err()), "wrong_status");
        domain::orders::spvs::resume(&erin, spv, None).await.unwrap();
        requests::approve(&erin, request.id, None).await.unwrap();
    })
    .await;
}
