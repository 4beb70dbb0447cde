//! Uploads that end otherwise than they began: who may do less by then, what was cut off at the very end, and how much
//! of it there may be. On both databases.
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

fn bytes(content: &'static [u8]) -> impl futures::Stream<Item = Result<Bytes, Infallible>> + Send {
    stream::iter([Bytes::from_static(content)]).map(Ok)
}

fn named(name: &str) -> CreateUpload {
    CreateUpload { file_name: name.to_owned(), bytes: 2, ..CreateUpload::default() }
}

/// Announced, and half of it is there.
async fn begun(ctx: &Ctx, new: CreateUpload) -> Upload {
    let upload = uploads::create(ctx, new).await.unwrap();
    uploads::append(ctx, upload.id, 0, bytes(b"a")).await.unwrap()
}

async fn end(ctx: &Ctx, upload: &Upload) -> Result<Upload, Error> {
    uploads::append(ctx, upload.id, 1, bytes(b"b")).await
}

async fn send(ctx: &Ctx, new: CreateUpload) -> Upload {
    end(ctx, &begun(ctx, new).await).await.unwrap()
}

async fn names(ctx: &Ctx) -> Vec<(String, String)> {
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
async fn what_was_announced_in_time_and_ends_too_late_is_refused_like_anything_else() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let document = send(&maya, CreateUpload { spv_id: Some(spv), ..named("deed.txt") }).await.saved_document_id;
        let new = begun(&maya, CreateUpload { spv_id: Some(spv), ..named("late.txt") }).await;
        let version = begun(&maya, CreateUpload { document_id: document, ..named("late.txt") }).await;
        let receipt = begun(&maya, CreateUpload { spv_id: Some(spv), attach: true, ..named("receipt.txt") }).await;
        let staffs = begun(&erin, CreateUpload { spv_id: Some(spv), ..named("filed.txt") }).await;
        spvs::cancel(&erin, spv, None, "The deal is off").await.unwrap();
        assert_eq!(code(end(&maya, &new).await.unwrap_err()), "wrong_status");
        assert_eq!(code(end(&maya, &version).await.unwrap_err()), "wrong_status");
        end(&maya, &receipt).await.unwrap();
        end(&erin, &staffs).await.unwrap();
        assert_eq!(names(&erin).await.len(), 3);
        // Nor is it kept later, in her name.
        world.clock.advance(Duration::minutes(6));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert_eq!(names(&erin).await.len(), 3);
        assert_eq!(code(uploads::get(&maya, new.id).await.unwrap_err()), "no upload");
    })
    .await;
}

#[tokio::test]
async fn a_client_who_is_archived_meanwhile_gets_nothing_more() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let hers = begun(&maya, named("hers.txt")).await;
        let staffs = begun(&erin, CreateUpload { client_id: Some(client), ..named("filed.txt") }).await;
        users::archive(&world.operator(), client, None).await.unwrap();
        assert_eq!(code(end(&erin, &staffs).await.unwrap_err()), "client_id archived");
        assert_eq!(code(end(&maya, &hers).await.unwrap_err()), "session_not_found");
        assert!(names(&erin).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn who_gets_another_role_ends_no_upload_of_the_one_before() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (client, _, _) = world.client("Maya", acme, None).await;
        let (erin, olga) = (world.employee("Erin").await, world.employee("Olga").await);
        let new = || CreateUpload { client_id: Some(client), ..named("filed.txt") };
        let (erins, olgas) = (begun(&erin, new()).await, begun(&olga, new()).await);
        let kept = send(&erin, new()).await;
        let id = erin.actor.user_id().unwrap();
        people::set_role(&world.operator(), id, Role::CompanyAdmin, Some(acme), None, None).await.unwrap();
        assert_eq!(code(end(&erin, &erins).await.unwrap_err()), "no upload");
        let now = world.signed_in(&users::get(&world.operator(), id).await.unwrap());
        assert_eq!(code(end(&now, &erins).await.unwrap_err()), "no upload");
        assert_eq!(uploads::get(&erin, kept.id).await.unwrap().version_id, kept.version_id);
        end(&olga, &olgas).await.unwrap();
        assert_eq!(names(&olga).await.len(), 2);
        // A day later nothing of it is left.
        world.clock.advance(Duration::hours(25));
        assert_eq!(uploads::clean_up(&world.operator()).await.unwrap(), 3);
        let left = std::fs::read_dir(world.dir.0.join("documents/contents")).unwrap().count();
        assert_eq!(left, 2);
    })
    .await;
}

/// All of it is there, and nothing was made of it.
async fn cut_off(world: &World, maya: &Ctx, spv: domain::kernel::ids::SpvId, name: &str) -> Upload {
    let operator = world.operator();
    let upload = begun(maya, CreateUpload { spv_id: Some(spv), ..named(name) }).await;
    spvs::cancel(&operator, spv, None, "The deal is off").await.unwrap();
    end(maya, &upload).await.unwrap_err();
    spvs::reopen(&operator, spv, None, "It is on again").await.unwrap();
    upload
}

#[tokio::test]
async fn what_was_cut_off_before_it_was_kept_is_kept_by_whoever_goes_on_or_else_by_the_cleaning() {
    on_both(async |world| {
        let acme = world.company("Acme").await;
        let (_, spv, maya) = world.client("Maya", acme, None).await;
        let (gone_on, left) =
            (cut_off(&world, &maya, spv, "first.txt").await, cut_off(&world, &maya, spv, "second.txt").await);
        // To look at it changes nothing.
        let seen = uploads::get(&maya, left.id).await.unwrap();
        assert_eq!((seen.received, seen.version_id), (2, None));
        uploads::clean_up(&world.operator()).await.unwrap();
        assert!(names(&maya).await.is_empty(), "somebody may be about to go on");

        let done = uploads::append(&maya, gone_on.id, 2, bytes(b"")).await.unwrap();
        assert!(done.version_id.is_some());
        world.clock.advance(Duration::minutes(6));
        uploads::clean_up(&world.operator()).await.unwrap();
        let kept = |name: &str| (name.to_owned(), "Maya Test".to_owned());
        assert_eq!(names(&maya).await, [kept("second.txt"), kept("first.txt")]);
        assert!(uploads::get(&maya, left.id).await.unwrap().version_id.is_some());
    })
    .await;
}

#[tokio::test]
async fn a_day_takes_so_much_from_everybody_but_the_staff() {
    on_both(async |mut world| {
        world.options = Arc::new(Options { upload_limit: 1 << 20, ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let large = || CreateUpload { bytes: 1 << 20, ..named("large.bin") };
        let mut announced = Vec::new();
        for _ in 0..38 {
            announced.push(uploads::create(&maya, large()).await.unwrap());
        }
        // What was kept counts, also after its upload was taken back; and the smallest as a few blocks of the disk.
        for _ in 0..16 {
            let small = send(&maya, named("small.txt")).await;
            uploads::cancel(&maya, small.id).await.unwrap();
            assert_eq!(code(uploads::get(&maya, small.id).await.unwrap_err()), "no upload");
        }
        let at_once = join_all((0..4).map(|_| uploads::create(&maya, large()))).await;
        let refused: Vec<_> = at_once.into_iter().filter_map(Result::err).map(code).collect();
        assert_eq!(refused, ["uploads_a_day"; 3]);
        uploads::create(&erin, CreateUpload { client_id: Some(client), ..large() }).await.unwrap();
        // What is taken back before it is kept leaves room.
        uploads::cancel(&maya, announced[0].id).await.unwrap();
        uploads::create(&maya, large()).await.unwrap();
        assert_eq!(code(uploads::create(&maya, named("one more.txt")).await.unwrap_err()), "uploads_a_day");
        world.clock.advance(Duration::hours(24));
        uploads::clean_up(&world.operator()).await.unwrap();
        uploads::create(&maya, large()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_full_storage_takes_only_what_the_staff_send() {
    on_both(async |mut world| {
        world.options = Arc::new(Options { storage_quota: Some(5), ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        send(&maya, named("first.txt")).await;
        send(&maya, named("second.txt")).await;
        assert_eq!(code(uploads::create(&maya, named("third.txt")).await.unwrap_err()), "storage_full");
        uploads::create(&maya, CreateUpload { bytes: 1, ..named("smaller.txt") }).await.unwrap();
        send(&erin, CreateUpload { client_id: Some(client), ..named("filed.txt") }).await;
    })
    .await;
}
