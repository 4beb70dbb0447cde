//! Virus scans by a real clamd where `TEST_CLAMD` names one, which knows the EICAR test file. `make test` always does.
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

/// In two halves, lest a scanner finds this file.
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

fn with(world: &World, scanner: Option<Scanner>) -> World {
    let mut options = (*world.options).clone();
    options.scanner = scanner;
    World { options: Arc::new(options), ..world.clone() }
}

async fn maya(world: &World) -> (UserId, SpvId) {
    let acme = world.company("Acme").await;
    let (maya, spv, _) = world.client("Maya", acme, None).await;
    (maya, spv)
}

async fn acting(world: &World, id: UserId) -> Ctx {
    world.signed_in(&users::get(&world.operator(), id).await.unwrap())
}

async fn sent(ctx: &Ctx, spv: SpvId, name: &str, content: &'static str) -> VersionId {
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

async fn waiting(world: &World) -> usize {
    let page = PageQuery { limit: Some(100), cursor: None };
    let jobs = queue::list(&world.operator(), Some("pending"), &page).await.unwrap().items;
    jobs.iter().filter(|job| job.job == "documents.scan").count()
}

#[tokio::test]
async fn a_virus_is_found_and_kept_apart() {
    let Some(scanner) = clamd() else { return };
    scanner.probe().await.unwrap();
    on_both(async |world: World| {
        let world = with(&world, Some(clamd().unwrap()));
        let (id, spv) = maya(&world).await;
        let maya = acting(&world, id).await;
        let eicar: &'static str = EICAR.concat().leak();
        let (bad, good) = (sent(&maya, spv, "bad.txt", eicar).await, sent(&maya, spv, "good.txt", "harmless").await);
        assert_eq!(waiting(&world).await, 2);
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
        let mut told = activity::since(&world.operator(), 0, 200).await.unwrap();
        told.retain(|event| event.action == "document.infected");
        assert_eq!(told.len(), 1);
        let virus = told[0].data["virus"].as_str().unwrap();
        assert!(virus.starts_with("Eicar-Test-Signature"), "{virus}");
        // A job may run twice.
        scanning::scan(&world.operator(), bad).await.unwrap();
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn without_a_scanner_nothing_waits_and_later_everything_is_scanned() {
    let Some(scanner) = clamd() else { return };
    on_both(async |world: World| {
        let (id, spv) = maya(&world).await;
        let version = sent(&acting(&world, id).await, spv, "early.txt", "early").await;
        assert_eq!(
            documents::readable_version(&acting(&world, id).await, version).await.unwrap().scan,
            Scan::NotScanned
        );
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0);
        world.clock.advance(chrono::Duration::hours(2));
        let world = with(&world, Some(scanner.clone()));
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 1);
        assert_eq!(scanning::enqueue_pending_scans(&world.operator()).await.unwrap(), 0, "once a day");
        assert_eq!(waiting(&world).await, 1);
        scanning::scan(&world.operator(), version).await.unwrap();
        assert_eq!(documents::readable_version(&acting(&world, id).await, version).await.unwrap().scan, Scan::Clean);
    })
    .await;
}

#[tokio::test]
async fn while_the_scanner_is_away_new_documents_wait() {
    on_both(async |world: World| {
        let world = with(&world, Some(Scanner::Tcp("127.0.0.1:1".to_owned())));
        let (id, spv) = maya(&world).await;
        let maya = acting(&world, id).await;
        let version = sent(&maya, spv, "deed.txt", "deed").await;
        assert!(matches!(scanning::scan(&world.operator(), version).await, Err(Error::Unavailable(_))));
        assert_eq!(code(documents::readable_version(&maya, version).await), "being_scanned");
        let page = PageQuery { limit: None, cursor: None };
        let listed = documents::list(&maya, &documents::Filter::default(), &page).await.unwrap();
        assert_eq!(listed.items[0].latest.scan, Scan::Waiting, "it is listed all the same");
        // Nobody takes as good what nobody can open yet, or what is not to be opened.
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
        // An office that gives the scanner up can open what waited for it.
        let world = with(&world, None);
        documents::readable_version(&acting(&world, id).await, version).await.unwrap();
    })
    .await;
}
