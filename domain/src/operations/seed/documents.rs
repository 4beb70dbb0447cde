//! Demo documents and messages: requested documents in every state, small valid PDF files, and a conversation for each
//! order.
use super::{demo::demo_employee, find_user};
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
        document_requests,
        documents::uploads::{self, CreateUpload},
        spvs::{self, Spv, Status},
    },
    platform::settings,
};
use bytes::Bytes;
use chrono::{Duration, NaiveDate};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use std::{convert::Infallible, sync::Arc};

const REQUESTED_DOCUMENTS: [(&str, &str); 4] = [
    ("Passport", "A colour copy of the page with the photograph."),
    ("Proof of address", "A utility bill or a bank statement, not older than three months."),
    ("Source of funds", "A letter of your bank, or the contract of a sale."),
    ("Signed articles", "Signed on the last page."),
];

/// Conversations about orders in progress: the office, the client, the office.
const CONVERSATIONS: [[&str; 3]; 5] = [
    [
        "Good day! We have begun with your order. Please send us the documents that we ask for on its page.",
        "Thank you. Is a statement of a joint account enough?",
        "Yes, if it shows your name and your address.",
    ],
    [
        "Welcome! The registry has confirmed the name. Two documents are missing, you find them on the order's page.",
        "My passport expires in April. Will it do?",
        "It has to be valid for six more months. Please send the new one once you have it.",
    ],
    [
        "Your order is with us. The bank asks for the source of funds first, so that comes next.",
        "The money is from the sale of a building. Which papers do you need?",
        "The contract and the notary's statement. Scans are fine.",
    ],
    [
        "We have filed your order today and expect an answer within five business days.",
        "Can we still change the registered address?",
        "Until the certificate is issued, yes. Please write the new address here.",
    ],
    [
        "Thank you for the order. The two directors sign the articles, we send them for signature this week.",
        "One of us is traveling until Friday. Can it wait?",
        "Of course. It does not move the closing date.",
    ],
];

/// Requests and uploads documents and writes messages for these orders, given with their age in days.
pub(super) async fn exchange(ctx: &Ctx, orders: &[(i64, SpvId)]) -> Result<()> {
    for (n, (age, id)) in orders.iter().enumerate() {
        let spv = spvs::get(ctx, *id).await?.spv;
        match spv.status {
            Status::Processing | Status::Active => open_order(ctx, &spv, *age, n).await?,
            Status::Closed => closed_order(ctx, &spv, *age).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Contexts of the staff and of the client of an order at the time when `passed` percent of its age had passed.
async fn people_at(ctx: &Ctx, spv: &Spv, age: i64, passed: i64) -> Result<(Ctx, Ctx)> {
    let clock = Clock::fixed(ctx.now() - Duration::minutes(age * 24 * 60 * (100 - passed) / 100));
    let day = Ctx { clock, ..ctx.clone() };
    let client = find_user(ctx, &spv.client_email).await?.ok_or(Error::NotFound("client"))?;
    let client = Actor::User(Arc::new(client.signed_in(SessionId(client.id.0))));
    Ok((day.clone().acting_as(demo_employee(ctx).await?), day.acting_as(client)))
}

/// An order in progress: the first document approved, the second uploaded, sent back or missing.
async fn open_order(ctx: &Ctx, spv: &Spv, age: i64, n: usize) -> Result<()> {
    let (staff, client) = people_at(ctx, spv, age, 20).await?;
    let first = request_document(&staff, spv, 0, None).await?;
    let second = request_document(&staff, spv, 1 + n % 2, Some(ctx.now() + Duration::days(n as i64 % 6 - 1))).await?;
    let [hello, question, answer] = CONVERSATIONS[n % CONVERSATIONS.len()];
    send_message(&staff, spv, hello, false).await?;
    upload_for_request(&client, spv, first, "passport.pdf", "Passport").await?;
    let (staff, client) = people_at(ctx, spv, age, 50).await?;
    document_requests::approve(&staff, first, None).await?;
    send_message(&client, spv, question, false).await?;
    let (staff, client) = people_at(ctx, spv, age, 80).await?;
    send_message(&staff, spv, answer, false).await?;
    match n % 4 {
        0 => {
            upload_for_request(&client, spv, second, "statement.pdf", "Bank statement").await?;
            let reason = "The second page is missing. Please send all of it.";
            document_requests::send_back(&staff, second, None, reason).await?;
        }
        1 => upload_for_request(&client, spv, second, "statement.pdf", "Bank statement").await?,
        2 => send_message(&staff, spv, "Checked against the sanctions lists: nothing found.", true).await?,
        _ => {}
    }
    Ok(())
}

/// A closed order: everything approved, and the certificate from the staff.
async fn closed_order(ctx: &Ctx, spv: &Spv, age: i64) -> Result<()> {
    let (staff, client) = people_at(ctx, spv, age, 10).await?;
    // A closed order has no document requests, so these documents come with a message.
    let mut document_ids = Vec::new();
    for (n, file) in ["passport.pdf", "statement.pdf"].into_iter().enumerate() {
        let target = CreateUpload { spv_id: Some(spv.id), attach: true, ..CreateUpload::default() };
        let content = sample_pdf(REQUESTED_DOCUMENTS[n].0, spv, settings::person_today(&client).await?);
        document_ids.extend(upload(&client, target, file, content).await?);
    }
    let body = "Here are my passport and the bank statement.".to_owned();
    let input = messages::Input { spv_id: Some(spv.id), body, document_ids, ..messages::Input::default() };
    messages::send(&client, input).await?;
    upload_for_order(&staff, spv, "certificate-of-formation.pdf", "Certificate of formation").await?;
    send_message(
        &staff,
        spv,
        "Your company is formed. You find its certificate with the documents of this order.",
        false,
    )
    .await
}

async fn request_document(
    staff: &Ctx,
    spv: &Spv,
    which: usize,
    due: Option<chrono::DateTime<chrono::Utc>>,
) -> Result<DocumentRequestId> {
    let (name, instructions) = REQUESTED_DOCUMENTS[which];
    let input = document_requests::Input {
        name: Some(name.to_owned()),
        instructions: Some(instructions.to_owned()),
        due_date: due.map(|day| day.date_naive().to_string()),
        ..document_requests::Input::default()
    };
    Ok(document_requests::create(staff, spv.id, input).await?.id)
}

async fn upload_for_request(
    client: &Ctx,
    spv: &Spv,
    request: DocumentRequestId,
    file: &str,
    title: &str,
) -> Result<()> {
    let target = CreateUpload { request_id: Some(request), ..CreateUpload::default() };
    upload(client, target, file, sample_pdf(title, spv, settings::person_today(client).await?)).await.map(drop)
}

async fn upload_for_order(by: &Ctx, spv: &Spv, file: &str, title: &str) -> Result<()> {
    let target = CreateUpload { spv_id: Some(spv.id), ..CreateUpload::default() };
    upload(by, target, file, sample_pdf(title, spv, settings::person_today(by).await?)).await.map(drop)
}

async fn upload(by: &Ctx, target: CreateUpload, file: &str, content: Vec<u8>) -> Result<Option<DocumentId>> {
    let new = CreateUpload { file_name: file.to_owned(), bytes: content.len() as u64, ..target };
    let upload = uploads::create(by, new).await?;
    let content = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(content))]);
    Ok(uploads::append(by, upload.id, 0, content).await?.saved_document_id)
}

async fn send_message(by: &Ctx, spv: &Spv, body: &str, internal: bool) -> Result<()> {
    let input = messages::Input { spv_id: Some(spv.id), body: body.to_owned(), internal, ..messages::Input::default() };
    messages::send(by, input).await.map(drop)
}

/// A PDF page with a title and a few lines.
fn sample_pdf(title: &str, spv: &Spv, today: NaiveDate) -> Vec<u8> {
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
    text.begin_text().set_font(Name(b"F1"), 22.0).next_line(72.0, 740.0).show(Str(&to_latin1(title)));
    text.set_font(Name(b"F1"), 11.0);
    let lines = [
        format!("Order {}", spv.identifier()),
        format!("Client {}", spv.client_name()),
        format!("{}", today.format("%-d %B %Y")),
        "A sample of the demo office, without any meaning in law.".to_owned(),
    ];
    for line in lines {
        text.next_line(0.0, -24.0).show(Str(&to_latin1(&line)));
    }
    text.end_text();
    pdf.stream(content, &text.finish());
    pdf.finish()
}

/// Encodes text in Latin-1, the encoding of the font.
fn to_latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}
