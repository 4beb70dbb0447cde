//! Interrupted uploads: permission changes before the end, recovery of received but unstored content, daily limits and
//! the storage quota. On both databases.
use bytes::Bytes;
use chrono::Duration;
use domain::{
    Ctx, Error, Options,
    accounts::users,
    desk::people,
    kernel::{access::Role, page::PageQuery},
    orders::{
        documents::{
            self, Filter,
            uploads::{self, CreateUpload, Upload},
        },
        spvs,
    },
    testing::{World, on_both},
};
use futures::{StreamExt, future::join_all, stream};
use std::{convert::Infallible, sync::Arc};

fn body(content: &'static [u8]) -> impl futures::Stream<Item = Result<Bytes, Infallible>> + Send {
    stream::iter([Bytes::from_static(content)]).map(Ok)
}

fn new_upload(name: &str) -> CreateUpload {
    CreateUpload { file_name: name.to_owned(), bytes: 2, ..CreateUpload::default() }
}

/// Creates an upload and sends half of it.
async fn start_upload(ctx: &Ctx, new: CreateUpload) -> Upload {
    let upload = uploads::create(ctx, new).await.unwrap();
    uploads::append(ctx, upload.id, 0, body(b"a")).await.unwrap()
}

async fn finish_upload(ctx: &Ctx, upload: &Upload) -> Result<Upload, Error> {
    uploads::append(ctx, upload.id, 1, body(b"b")).await
}

async fn upload_file(ctx: &Ctx, new: CreateUpload) -> Upload {
    finish_upload(ctx, &start_upload(ctx, new).await).await.unwrap()
}

async fn document_names(ctx: &Ctx) -> Vec<(String, String)> {
    let found = documents::list(ctx, &Filter::default(), &PageQuery::default()).await.unwrap().items;
    found.into_iter().map(|document| (document.name, document.latest.uploaded_by)).collect()
}

fn code(error: Error) -> String {
    match error {
        Error::Conflict(problem) | Error::Forbidden(problem) | Error::Unauthenticated(problem) => {
            problem.code.to_owned()
        }
        Error::Invalid(fields) => format!("{} {}", fields[0].field, fields[0].problem.code),
        Error::NotFound(noun) => format!("no {noun}"),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn upload_finished_after_cancellation_is_refused() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let document =
            upload_file(&maya, CreateUpload { spv_id: Some(spv), ..new_upload("deed.txt") }).await.saved_document_id;
        let new = start_upload(&maya, CreateUpload { spv_id: Some(spv), ..new_upload("late.txt") }).await;
        let version = start_upload(&maya, CreateUpload { document_id: document, ..new_upload("late.txt") }).await;
        let receipt =
            start_upload(&maya, CreateUpload { spv_id: Some(spv), attach: true, ..new_upload("receipt.txt") }).await;
        let staffs = start_upload(&erin, CreateUpload { spv_id: Some(spv), ..new_upload("filed.txt") }).await;
        spvs::cancel(&erin, spv, None, "The deal is off").await.unwrap();
        assert_eq!(code(finish_upload(&maya, &new).await.unwrap_err()), "wrong_status");
        assert_eq!(code(finish_upload(&maya, &version).await.unwrap_err()), "wrong_status");
        finish_upload(&maya, &receipt).await.unwrap();
        finish_upload(&erin, &staffs).await.unwrap();
        assert_eq!(document_names(&erin).await.len(), 3);
        // The clean-up does not store it either.
        world.clock.advance(Duration::minutes(6));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert_eq!(document_names(&erin).await.len(), 3);
        assert_eq!(code(uploads::get(&maya, new.id).await.unwrap_err()), "no upload");
    })
    .await;
}

#[tokio::test]
async fn upload_for_an_archived_client_is_refused() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let hers = start_upload(&maya, new_upload("hers.txt")).await;
        let staffs = start_upload(&erin, CreateUpload { client_id: Some(client), ..new_upload("filed.txt") }).await;
        users::archive(&world.operator(), client, None).await.unwrap();
        assert_eq!(code(finish_upload(&erin, &staffs).await.unwrap_err()), "client_id archived");
        assert_eq!(code(finish_upload(&maya, &hers).await.unwrap_err()), "session_not_found");
        assert!(document_names(&erin).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn role_change_ends_earlier_uploads() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, _) = world.client("Maya", acme, None).await;
        let (erin, olga) = (world.employee("Erin").await, world.employee("Olga").await);
        let new = || CreateUpload { client_id: Some(client), ..new_upload("filed.txt") };
        let (erins, olgas) = (start_upload(&erin, new()).await, start_upload(&olga, new()).await);
        let kept = upload_file(&erin, new()).await;
        let id = erin.actor.user_id().unwrap();
        people::set_role(&world.operator(), id, Role::CompanyAdmin, Some(acme), None, None).await.unwrap();
        assert_eq!(code(finish_upload(&erin, &erins).await.unwrap_err()), "no upload");
        let now = world.signed_in(&users::get(&world.operator(), id).await.unwrap());
        assert_eq!(code(finish_upload(&now, &erins).await.unwrap_err()), "no upload");
        assert_eq!(uploads::get(&erin, kept.id).await.unwrap().version_id, kept.version_id);
        finish_upload(&olga, &olgas).await.unwrap();
        assert_eq!(document_names(&olga).await.len(), 2);
        // After a day its parts are deleted.
        world.clock.advance(Duration::hours(25));
        assert_eq!(uploads::clean_up(&world.operator()).await.unwrap(), 3);
        let left = std::fs::read_dir(world.dir.path.join("documents/contents")).unwrap().count();
        assert_eq!(left, 2);
    })
    .await;
}

/// An upload that was received completely but not stored.
async fn unstored_upload(world: &World, maya: &Ctx, spv: domain::kernel::ids::SpvId, name: &str) -> Upload {
    let operator = world.operator();
    let upload = start_upload(maya, CreateUpload { spv_id: Some(spv), ..new_upload(name) }).await;
    spvs::cancel(&operator, spv, None, "The deal is off").await.unwrap();
    finish_upload(maya, &upload).await.unwrap_err();
    spvs::reopen(&operator, spv, None, "It is on again").await.unwrap();
    upload
}

#[tokio::test]
async fn unstored_upload_is_stored_on_resume_or_clean_up() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let (gone_on, left) = (
            unstored_upload(&world, &maya, spv, "first.txt").await,
            unstored_upload(&world, &maya, spv, "second.txt").await,
        );
        // Reading its state does not store it.
        let seen = uploads::get(&maya, left.id).await.unwrap();
        assert_eq!((seen.received, seen.version_id), (2, None));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert!(document_names(&maya).await.is_empty(), "the client may still resume");

        let done = uploads::append(&maya, gone_on.id, 2, body(b"")).await.unwrap();
        assert!(done.version_id.is_some());
        world.clock.advance(Duration::minutes(6));
        uploads::clean_up(&world.operator()).await.unwrap();
        let kept = |name: &str| (name.to_owned(), "Maya Test".to_owned());
        assert_eq!(document_names(&maya).await, [kept("second.txt"), kept("first.txt")]);
        assert!(uploads::get(&maya, left.id).await.unwrap().version_id.is_some());
    })
    .await;
}

#[tokio::test]
async fn daily_upload_limit_exempts_staff() {
    on_both(async |mut world| {
        world.options = Arc::new(Options { upload_limit: 1 << 20, ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let large = || CreateUpload { bytes: 1 << 20, ..new_upload("large.bin") };
        let mut announced = Vec::new();
        for _ in 0..38 {
            announced.push(uploads::create(&maya, large()).await.unwrap());
        }
        // Stored uploads count even after cancellation; the smallest counts as a few disk blocks.
        for _ in 0..16 {
            let small = upload_file(&maya, new_upload("small.txt")).await;
            uploads::cancel(&maya, small.id).await.unwrap();
            assert_eq!(code(uploads::get(&maya, small.id).await.unwrap_err()), "no upload");
        }
        let at_once = join_all((0..4).map(|_| uploads::create(&maya, large()))).await;
        let refused: Vec<_> = at_once.into_iter().filter_map(Result::err).map(code).collect();
        assert_eq!(refused, ["uploads_a_day"; 3]);
        uploads::create(&erin, CreateUpload { client_id: Some(client), ..large() }).await.unwrap();
        // An upload cancelled before it is stored does not count.
        uploads::cancel(&maya, announced[0].id).await.unwrap();
        uploads::create(&maya, large()).await.unwrap();
        assert_eq!(code(uploads::create(&maya, new_upload("one more.txt")).await.unwrap_err()), "uploads_a_day");
        world.clock.advance(Duration::hours(24));
        uploads::clean_up(&world.operator()).await.unwrap();
        uploads::create(&maya, large()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn storage_quota_exempts_staff() {
    on_both(async |mut world| {
        world.options = Arc::new(Options { storage_quota: Some(5), ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        upload_file(&maya, new_upload("first.txt")).await;
        upload_file(&maya, new_upload("second.txt")).await;
        assert_eq!(code(uploads::create(&maya, new_upload("third.txt")).await.unwrap_err()), "storage_full");
        uploads::create(&maya, CreateUpload { bytes: 1, ..new_upload("smaller.txt") }).await.unwrap();
        upload_file(&erin, CreateUpload { client_id: Some(client), ..new_upload("filed.txt") }).await;
    })
    .await;
}
