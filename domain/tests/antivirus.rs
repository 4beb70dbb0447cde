//! Virus scans with a real clamd (`TEST_CLAMD`) and the EICAR test file. `make test` always provides one.
use domain::{
    Ctx, Error,
    accounts::users,
    kernel::{
        antivirus::Scanner,
        db::Sql,
        ids::{SpvId, UserId, VersionId},
        page::PageQuery,
    },
    orders::{
        document_requests,
        documents::{self, Scan, scanning, uploads},
    },
    platform::{activity, queue},
    testing::{World, needs, on_both},
};
use std::{convert::Infallible, sync::Arc};

/// In two parts, so that virus scanners do not flag this file.
const EICAR: [&str; 2] = [r"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD", "-ANTIVIRUS-TEST-FILE!$H+H*"];

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result.expect_err("is refused") {
        Error::Conflict(problem) => problem.code.to_owned(),
        other => format!("{other:?}"),
    }
}

fn clamd() -> Option<Scanner> {
    Some(needs("TEST_CLAMD")?.parse().expect("an address"))
}

fn with_scanner(world: &World, scanner: Option<Scanner>) -> World {
    let mut options = (*world.options).clone();
    options.scanner = scanner;
    World { options: Arc::new(options), ..world.clone() }
}

async fn client_with_order(world: &World) -> (UserId, SpvId) {
    let acme = world.company("Acme").await;
    let (maya, spv, _) = world.client("Maya", acme, None).await;
    (maya, spv)
}

async fn signed_in(world: &World, id: UserId) -> Ctx {
    world.signed_in(&users::get(&world.operator(), id).await.unwrap())
}

async fn upload_file(ctx: &Ctx, spv: SpvId, name: &str, content: &'static str) -> VersionId {
    let new = uploads::CreateUpload {
        file_name: name.to_owned(),
        bytes: content.len() as u64,
        spv_id: Some(spv),
        ..Default::default()
    };
    let upload = uploads::create(ctx, new).await.unwrap();
    let body = futures::stream::iter([Ok::<_, Infallible>(bytes::Bytes::from_static(content.as_bytes()))]);
    uploads::append(ctx, upload.id, 0, body).await.unwrap().version_id.unwrap()
}

async fn pending_scans(world: &World) -> usize {
    let page = PageQuery { limit: Some(100), cursor: None };
    let jobs = queue::list(&world.operator(), Some("pending"), &page).await.unwrap().items;
    jobs.iter().filter(|job| job.job == "documents.scan").count()
}

#[tokio::test]
async fn infected_documents_cannot_be_opened() {
    let Some(scanner) = clamd() else { return };
    scanner.probe().await.unwrap();
    on_both(async |world: World| {
        let world = with_scanner(&world, Some(clamd().unwrap()));
        let (id, spv) = client_with_order(&world).await;
        let maya = signed_in(&world, id).await;
        let eicar: &'static str = EICAR.concat().leak();
        let (bad, good) =
            (upload_file(&maya, spv, "bad.txt", eicar).await, upload_file(&maya, spv, "good.txt", "harmless").await);
        assert_eq!(pending_scans(&world).await, 2);
        for version in [bad, good] {
            assert_eq!(code(documents::readable_version(&maya, version).await), "being_scanned");
            scanning::scan(&world.operator(), version).await.unwrap();
        }
        assert_eq!(documents::readable_version(&maya, good).await.unwrap().scan, Scan::Clean);
        assert_eq!(
            code(documents::readable_version(&world.operator(), bad).await),
            "infected",
            "not for the staff either"
        );
        activity::sequence_all(&world.operator()).await.unwrap();
        let mut infections = activity::since(&world.operator(), 0, 200).await.unwrap();
        infections.retain(|event| event.action == "document.infected");
        assert_eq!(infections.len(), 1);
        let virus = infections[0].data["virus"].as_str().unwrap();
        assert!(virus.starts_with("Eicar-Test-Signature"), "{virus}");
        // Idempotent: a job may run twice.
        scanning::scan(&world.operator(), bad).await.unwrap();
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn unscanned_documents_are_scanned_once_a_scanner_is_configured() {
    let Some(scanner) = clamd() else { return };
    on_both(async |world: World| {
        let (id, spv) = client_with_order(&world).await;
        let version = upload_file(&signed_in(&world, id).await, spv, "early.txt", "early").await;
        assert_eq!(
            documents::readable_version(&signed_in(&world, id).await, version).await.unwrap().scan,
            Scan::NotScanned
        );
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0);
        world.clock.advance(chrono::Duration::hours(2));
        let world = with_scanner(&world, Some(scanner.clone()));
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 1);
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0, "once a day");
        assert_eq!(pending_scans(&world).await, 1);
        scanning::scan(&world.operator(), version).await.unwrap();
        assert_eq!(documents::readable_version(&signed_in(&world, id).await, version).await.unwrap().scan, Scan::Clean);
    })
    .await;
}

#[tokio::test]
async fn documents_wait_while_the_scanner_is_unavailable() {
    on_both(async |world: World| {
        let world = with_scanner(&world, Some(Scanner::Tcp("127.0.0.1:1".to_owned())));
        let (id, spv) = client_with_order(&world).await;
        let maya = signed_in(&world, id).await;
        let version = upload_file(&maya, spv, "deed.txt", "deed").await;
        assert!(matches!(scanning::scan(&world.operator(), version).await, Err(Error::Unavailable(_))));
        assert_eq!(code(documents::readable_version(&maya, version).await), "being_scanned");
        let page = PageQuery { limit: None, cursor: None };
        let listed = documents::list(&maya, &documents::Filter::default(), &page).await.unwrap();
        assert_eq!(listed.items[0].latest.scan, Scan::Waiting, "it is listed all the same");
        // Staff cannot approve a document that is waiting for its scan or infected.
        let erin = world.employee("Erin").await;
        let input = document_requests::Input { name: Some("Deed".to_owned()), ..Default::default() };
        let request = document_requests::create(&erin, spv, input).await.unwrap().id;
        let new = uploads::CreateUpload {
            file_name: "deed.txt".to_owned(),
            bytes: 1,
            request_id: Some(request),
            ..Default::default()
        };
        let upload = uploads::create(&maya, new).await.unwrap().id;
        let body = futures::stream::iter([Ok::<_, Infallible>(bytes::Bytes::from_static(b"a"))]);
        uploads::append(&maya, upload, 0, body).await.unwrap();
        assert_eq!(code(document_requests::approve(&erin, request, None).await), "being_scanned");
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update document_versions set scan = 'infected' where file_name = 'deed.txt' and bytes = 1")
            .run()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(code(document_requests::approve(&erin, request, None).await), "infected");
        // Without a scanner, documents that waited for one can be opened.
        let world = with_scanner(&world, None);
        documents::readable_version(&signed_in(&world, id).await, version).await.unwrap();
    })
    .await;
}
