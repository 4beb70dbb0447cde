//! How much may be sent in. On both databases.
use bytes::Bytes;
use chrono::Duration;
use domain::{
    Ctx, Error, Options,
    documents::uploads::{self, New, Upload},
    testing::on_both,
};
use futures::{StreamExt, future::join_all, stream};
use std::{convert::Infallible, sync::Arc};

fn bytes(content: &'static [u8]) -> impl futures::Stream<Item = Result<Bytes, Infallible>> + Send {
    stream::iter([Bytes::from_static(content)]).map(Ok)
}

fn named(name: &str) -> New {
    New { file_name: name.to_owned(), bytes: 2, ..New::default() }
}

/// Announced, and half of it is there.
async fn begun(ctx: &Ctx, new: New) -> Upload {
    let upload = uploads::create(ctx, new).await.unwrap();
    uploads::append(ctx, upload.id, 0, bytes(b"a")).await.unwrap()
}

async fn end(ctx: &Ctx, upload: &Upload) -> Result<Upload, Error> {
    uploads::append(ctx, upload.id, 1, bytes(b"b")).await
}

async fn send(ctx: &Ctx, new: New) -> Upload {
    end(ctx, &begun(ctx, new).await).await.unwrap()
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
async fn a_day_takes_so_much_from_everybody_but_the_staff() {
    on_both(async |mut world| {
        world.options = Arc::new(Options { upload_limit: 1 << 20, ..(*world.options).clone() });
        let acme = world.company("Acme").await;
        let (client, _, maya) = world.client("Maya", acme, None).await;
        let erin = world.employee("Erin").await;
        let large = || New { bytes: 1 << 20, ..named("large.bin") };
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
        uploads::create(&erin, New { client_id: Some(client), ..large() }).await.unwrap();
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
        uploads::create(&maya, New { bytes: 1, ..named("smaller.txt") }).await.unwrap();
        send(&erin, New { client_id: Some(client), ..named("filed.txt") }).await;
    })
    .await;
}
