//! Documents renamed, moved, deleted and restored: who may, what is refused, and what is left after 30 days.
use bytes::Bytes;
use chrono::Duration;
use domain::{
    Ctx,
    desk::messages,
    kernel::{
        clock::Clock,
        ids::{CompanyId, DocumentId, SpvId, UserId},
        page::PageQuery,
    },
    operations::recount,
    orders::{
        document_requests,
        documents::{
            self, Change, Filter,
            uploads::{self, CreateUpload},
        },
        onboarding,
    },
    platform::activity,
    testing::{World, code, noon, on_both},
};
use std::convert::Infallible;

async fn uploaded(ctx: &Ctx, spv: Option<SpvId>, name: &str) -> DocumentId {
    let new = CreateUpload { file_name: name.to_owned(), bytes: 3, spv_id: spv, ..Default::default() };
    let upload = uploads::create(ctx, new).await.unwrap();
    let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"abc"))]);
    uploads::append(ctx, upload.id, 0, content).await.unwrap().saved_document_id.unwrap()
}

async fn order(ctx: &Ctx, client: UserId, company: CompanyId) -> SpvId {
    let input = onboarding::OrderInput {
        client_id: Some(client),
        company_id: Some(company),
        purchase_amount: Some("1000".to_owned()),
        ..Default::default()
    };
    onboarding::create_order(ctx, input).await.unwrap().spv.id
}

fn renamed(name: &str) -> Change {
    Change { name: Some(name.to_owned()), ..Change::default() }
}

fn moved(to: Option<SpvId>) -> Change {
    Change { spv_id: Some(to), ..Change::default() }
}

async fn names(ctx: &Ctx, filter: Filter) -> Vec<String> {
    let page = documents::list(ctx, &filter, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|document| document.name).collect()
}

fn found_by(q: &str) -> Filter {
    Filter { q: Some(q.to_owned()), ..Filter::default() }
}

fn stored_files(world: &World) -> usize {
    fn files(folder: &std::path::Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
    }
    files(&world.dir.path.join("documents"))
}

#[tokio::test]
async fn document_is_renamed_and_moved_within_its_client() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, first, maya) = world.client("Maya", company, None).await;
        let second = order(&world.operator(), client, company).await;
        let (_, foreign, nils) = world.client("Nils", company, None).await;
        let elias = world.employee("Elias").await;
        let id = uploaded(&maya, Some(first), "deed.txt").await;
        let version = documents::get(&elias, id).await.unwrap().document.version;

        let detail = documents::update(&elias, id, Some(version), renamed("  Signed deed ")).await.unwrap();
        assert_eq!(detail.document.name, "Signed deed");
        assert_eq!(names(&maya, found_by("signed")).await, ["Signed deed"]);
        let detail = documents::update(&elias, id, Some(version + 1), moved(Some(second))).await.unwrap();
        assert_eq!(detail.document.spv_id, Some(second));
        let unchanged = documents::update(&elias, id, None, renamed("Signed deed")).await.unwrap();
        assert_eq!(unchanged.document.version, version + 2, "nothing is written for no change");
        let detail = documents::update(&elias, id, None, moved(None)).await.unwrap();
        assert_eq!(detail.document.spv_id, None);

        let refused =
            async |ctx: &Ctx, version, change| code(&documents::update(ctx, id, version, change).await.unwrap_err());
        assert_eq!(refused(&elias, Some(version), renamed("Deed")).await, "stale");
        assert_eq!(refused(&elias, None, renamed(" ")).await, "name required");
        assert_eq!(refused(&elias, None, renamed(&"x".repeat(201))).await, "name too_long");
        assert_eq!(refused(&elias, None, moved(Some(foreign))).await, "spv_id other_client");
        let unknown = SpvId(uuid::Uuid::nil());
        assert_eq!(refused(&elias, None, moved(Some(unknown))).await, "spv_id not_found");
        assert_eq!(refused(&maya, None, renamed("Deed")).await, "forbidden");
        assert_eq!(refused(&nils, None, renamed("Deed")).await, "not_found");

        activity::sequence_all(&world.operator()).await.unwrap();
        let sam = world.super_admin("Sam").await;
        let log = activity::list(&sam, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let count = |action: &str| log.iter().filter(|entry| entry.action == action).count();
        assert_eq!((count("document.renamed"), count("document.moved")), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn deleted_document_is_restorable_for_thirty_days_and_then_gone() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (_, spv, maya) = world.client("Maya", company, None).await;
        let elias = world.employee("Elias").await;
        let id = uploaded(&maya, Some(spv), "passport.txt").await;
        let kept = uploaded(&maya, Some(spv), "deed.txt").await;
        let detail = documents::get(&maya, id).await.unwrap();
        let (content, version) = (detail.versions[0].id, detail.document.version);
        assert_eq!(code(&documents::delete(&maya, id, None).await.unwrap_err()), "forbidden");
        let deleted = documents::delete(&elias, id, Some(version)).await.unwrap().document;
        assert!(deleted.deleted_at.is_some());
        assert_eq!(documents::can(&elias, &deleted), ["undelete"]);

        // It is nowhere, but in the list of deleted documents of the staff.
        assert_eq!(code(&documents::get(&maya, id).await.unwrap_err()), "not_found");
        assert_eq!(code(&documents::readable_version(&elias, content).await.unwrap_err()), "not_found");
        for ctx in [&maya, &elias] {
            assert_eq!(names(ctx, Filter::default()).await, ["deed.txt"]);
            assert_eq!(names(ctx, found_by("passport")).await, [""; 0]);
        }
        let trash = || Filter { deleted: true, ..Filter::default() };
        assert_eq!(names(&elias, trash()).await, ["passport.txt"]);
        assert_eq!(names(&maya, trash()).await, [""; 0]);
        let again =
            CreateUpload { document_id: Some(id), file_name: "x.txt".to_owned(), bytes: 1, ..Default::default() };
        assert_eq!(code(&uploads::create(&elias, again).await.unwrap_err()), "not_found");
        for change in
            [documents::delete(&elias, id, None).await, documents::update(&elias, id, None, renamed("x")).await]
        {
            assert_eq!(code(&change.unwrap_err()), "not_found");
        }

        // On the last day it can be restored.
        let at = |days| World { clock: Clock::fixed(noon() + Duration::days(days)), ..world.clone() };
        let last_day = at(29).employee("Ella").await;
        assert_eq!(documents::clean_up(&last_day).await.unwrap(), 0);
        assert_eq!(code(&documents::undelete(&last_day, kept, None).await.unwrap_err()), "not_deleted");
        assert_eq!(code(&documents::undelete(&maya, id, None).await.unwrap_err()), "forbidden");
        documents::undelete(&last_day, id, None).await.unwrap();
        assert_eq!(names(&maya, found_by("passport")).await, ["passport.txt"]);
        documents::readable_version(&maya, content).await.unwrap();

        // Deleted again, rows and content go after 30 days; what was stored is counted anew, and the log keeps the hash.
        documents::delete(&elias, id, None).await.unwrap();
        let late = at(31).operator();
        assert_eq!(code(&documents::undelete(&late, id, None).await.unwrap_err()), "not_found");
        assert_eq!(stored_files(&world), 2);
        uploads::clean_up(&late).await.unwrap();
        assert_eq!(documents::clean_up(&late).await.unwrap(), 1);
        assert_eq!(stored_files(&world), 1);
        assert_eq!(code(&documents::get(&late, id).await.unwrap_err()), "not_found");
        assert_eq!(recount::diff(&world.db).await.unwrap(), []);
        activity::sequence_all(&late).await.unwrap();
        let log = activity::list(&late, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let entry = log.iter().find(|entry| entry.action == "document.deleted").unwrap();
        assert_eq!(entry.data["versions"][0]["sha256"].as_str().unwrap().len(), 64);
    })
    .await;
}

#[tokio::test]
async fn document_in_use_is_not_deleted() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (client, spv, maya) = world.client("Maya", company, None).await;
        let other = order(&world.operator(), client, company).await;
        let elias = world.employee("Elias").await;
        let attached = uploaded(&maya, Some(spv), "note.txt").await;
        let message = messages::Input {
            spv_id: Some(spv),
            body: "Here it is".to_owned(),
            document_ids: vec![attached],
            ..Default::default()
        };
        messages::send(&maya, message).await.unwrap();
        assert_eq!(code(&documents::delete(&elias, attached, None).await.unwrap_err()), "document_in_use");
        // What is attached to a message may move; what answers a request may not.
        documents::update(&elias, attached, None, moved(Some(other))).await.unwrap();
        let input = document_requests::Input { name: Some("Deed".to_owned()), ..Default::default() };
        let asked = document_requests::create(&elias, spv, input).await.unwrap().id;
        let new =
            CreateUpload { file_name: "a.txt".to_owned(), bytes: 3, request_id: Some(asked), ..Default::default() };
        let upload = uploads::create(&maya, new).await.unwrap();
        let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"abc"))]);
        let answer = uploads::append(&maya, upload.id, 0, content).await.unwrap().saved_document_id.unwrap();
        assert_eq!(code(&documents::delete(&elias, answer, None).await.unwrap_err()), "document_in_use");
        assert_eq!(code(&documents::update(&elias, answer, None, moved(None)).await.unwrap_err()), "document_in_use");
        documents::update(&elias, answer, None, renamed("Deed of Maya")).await.unwrap();
    })
    .await;
}
