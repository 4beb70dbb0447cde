//! What the clients of the demo office and its staff sent each other: documents that were asked for, in every state,
//! small PDF files that open, and a few lines about each order.
use super::{demo::elias, known};
use crate::{
    desk::messages,
    kernel::{
        access::Actor,
        clock::Clock,
        ctx::Ctx,
        error::{Error, Result},
        ids::{DocumentId, DocumentRequestId, SessionId, SpvId},
    },
    orders::{
        document_requests as asked,
        documents::uploads::{self, CreateUpload},
        spvs::{self, Spv, Status},
    },
    platform::settings,
};
use bytes::Bytes;
use chrono::{Duration, NaiveDate};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use std::{convert::Infallible, sync::Arc};

const WANTED: [(&str, &str); 4] = [
    ("Passport", "A colour copy of the page with the photograph."),
    ("Proof of address", "A utility bill or a bank statement, not older than three months."),
    ("Source of funds", "A letter of your bank, or the contract of a sale."),
    ("Signed articles", "Signed on the last page."),
];

/// Lets the people of these orders ask for documents, send them in and talk. With each order, how many days ago it was
/// made.
pub(super) async fn papers(ctx: &Ctx, orders: &[(i64, SpvId)]) -> Result<()> {
    for (n, (age, id)) in orders.iter().enumerate() {
        let spv = spvs::get(ctx, *id).await?.spv;
        match spv.status {
            Status::Processing | Status::Active => open(ctx, &spv, *age, n).await?,
            Status::Closed => done(ctx, &spv, *age).await?,
            _ => {}
        }
    }
    Ok(())
}

/// The people of an order, on a day of its life: the share of its time that has passed, in percent.
async fn day(ctx: &Ctx, spv: &Spv, age: i64, passed: i64) -> Result<(Ctx, Ctx)> {
    let clock = Clock::fixed(ctx.now() - Duration::minutes(age * 24 * 60 * (100 - passed) / 100));
    let day = Ctx { clock, ..ctx.clone() };
    let client = known(ctx, &spv.client_email).await?.ok_or(Error::NotFound("client"))?;
    let client = Actor::User(Arc::new(client.signed_in(SessionId(client.id.0))));
    Ok((day.clone().acting_as(elias(ctx).await?), day.acting_as(client)))
}

/// An order under way: one document approved, the next sent in, sent back or still to come.
async fn open(ctx: &Ctx, spv: &Spv, age: i64, n: usize) -> Result<()> {
    let (staff, client) = day(ctx, spv, age, 20).await?;
    let first = ask(&staff, spv, 0, None).await?;
    let second = ask(&staff, spv, 1 + n % 2, Some(ctx.now() + Duration::days(n as i64 % 6 - 1))).await?;
    let hello = "Good day! We have begun with your order. Please send us the documents that we ask for on its page.";
    say(&staff, spv, hello, false).await?;
    send(&client, spv, first, "passport.pdf", "Passport").await?;
    let (staff, client) = day(ctx, spv, age, 50).await?;
    asked::approve(&staff, first, None).await?;
    say(&client, spv, "Thank you. Is a bank statement of my wife's account enough? We share the flat.", false).await?;
    let (staff, client) = day(ctx, spv, age, 80).await?;
    say(&staff, spv, "Yes, if it shows both your names.", false).await?;
    match n % 4 {
        0 => {
            send(&client, spv, second, "statement.pdf", "Bank statement").await?;
            let reason = "The second page is missing. Please send all of it.";
            asked::send_back(&staff, second, None, reason).await?;
        }
        1 => send(&client, spv, second, "statement.pdf", "Bank statement").await?,
        2 => say(&staff, spv, "Checked against the sanctions lists: nothing found.", true).await?,
        _ => {}
    }
    Ok(())
}

/// An order that is done: everything approved, and the certificate from us.
async fn done(ctx: &Ctx, spv: &Spv, age: i64) -> Result<()> {
    let (staff, client) = day(ctx, spv, age, 10).await?;
    // An order that is closed asks its client for nothing more, so that these came with a message.
    let mut document_ids = Vec::new();
    for (n, file) in ["passport.pdf", "statement.pdf"].into_iter().enumerate() {
        let target = CreateUpload { spv_id: Some(spv.id), attach: true, ..CreateUpload::default() };
        let content = paper(WANTED[n].0, spv, settings::person_today(&client).await?);
        document_ids.extend(put(&client, target, file, content).await?);
    }
    let body = "Here are my passport and the bank statement.".to_owned();
    let input = messages::Input { spv_id: Some(spv.id), body, document_ids, ..messages::Input::default() };
    messages::send(&client, input).await?;
    free(&staff, spv, "certificate-of-formation.pdf", "Certificate of formation").await?;
    say(&staff, spv, "Your company is formed. You find its certificate with the documents of this order.", false).await
}

async fn ask(
    staff: &Ctx,
    spv: &Spv,
    which: usize,
    due: Option<chrono::DateTime<chrono::Utc>>,
) -> Result<DocumentRequestId> {
    let (name, instructions) = WANTED[which];
    let input = asked::Input {
        name: Some(name.to_owned()),
        instructions: Some(instructions.to_owned()),
        due_date: due.map(|day| day.date_naive().to_string()),
        ..asked::Input::default()
    };
    Ok(asked::create(staff, spv.id, input).await?.id)
}

async fn send(client: &Ctx, spv: &Spv, request: DocumentRequestId, file: &str, title: &str) -> Result<()> {
    let target = CreateUpload { request_id: Some(request), ..CreateUpload::default() };
    put(client, target, file, paper(title, spv, settings::person_today(client).await?)).await.map(drop)
}

async fn free(by: &Ctx, spv: &Spv, file: &str, title: &str) -> Result<()> {
    let target = CreateUpload { spv_id: Some(spv.id), ..CreateUpload::default() };
    put(by, target, file, paper(title, spv, settings::person_today(by).await?)).await.map(drop)
}

async fn put(by: &Ctx, target: CreateUpload, file: &str, content: Vec<u8>) -> Result<Option<DocumentId>> {
    let new = CreateUpload { file_name: file.to_owned(), bytes: content.len() as u64, ..target };
    let upload = uploads::create(by, new).await?;
    let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(content))]);
    Ok(uploads::append(by, upload.id, 0, content).await?.saved_document_id)
}

async fn say(by: &Ctx, spv: &Spv, body: &str, internal: bool) -> Result<()> {
    let input = messages::Input { spv_id: Some(spv.id), body: body.to_owned(), internal, ..messages::Input::default() };
    messages::send(by, input).await.map(drop)
}

/// A page with a title and a few lines.
fn paper(title: &str, spv: &Spv, today: NaiveDate) -> Vec<u8> {
    let [catalog, pages, page, font, content] = [1, 2, 3, 4, 5].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet.media_box(Rect::new(0.0, 0.0, 595.0, 842.0)).parent(pages).contents(content);
    sheet.resources().fonts().pair(Name(b"F1"), font);
    sheet.finish();
    pdf.type1_font(font).base_font(Name(b"Helvetica")).encoding_predefined(Name(b"WinAnsiEncoding"));
    let mut text = Content::new();
    text.begin_text().set_font(Name(b"F1"), 22.0).next_line(72.0, 740.0).show(Str(&latin(title)));
    text.set_font(Name(b"F1"), 11.0);
    let lines = [
        format!("Order {}", spv.identifier()),
        format!("Client {}", spv.client_name()),
        format!("{}", today.format("%-d %B %Y")),
        "A sample of the demo office, without any meaning in law.".to_owned(),
    ];
    for line in lines {
        text.next_line(0.0, -24.0).show(Str(&latin(&line)));
    }
    text.end_text();
    pdf.stream(content, &text.finish());
    pdf.finish()
}

/// The letters of western Europe, as the font has them.
fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}
