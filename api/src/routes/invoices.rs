//! Invoices, payments and receipts.
use super::documents::Document;
use crate::{
    error::{ApiError, Result},
    extract::{CreateRequest, IfMatch, Json, Path, Query, SignedIn, empty_string_as_none, reject_unknown_order},
    invoice_pdf,
    response::{Created, JsonBody, Page, Versioned},
    state::AppState,
};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Actor, Ctx, Error,
    accounts::users,
    kernel::{
        ids::{DocumentId, InvoiceId, PaymentId, SpvId, UserId},
        money::Currency,
        page::PageQuery,
    },
    orders::invoices::{self, Detail, Filter, ManualPayment, Status},
    platform::settings::{self, Bank},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// An invoice. Amounts are decimal numbers in `currency`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Invoice {
    id: InvoiceId,
    /// What people call it, and write on their transfer.
    #[schema(example = "2026-0001")]
    number: String,
    spv_id: SpvId,
    spv_identifier: String,
    client: Client,
    billed_to: String,
    billed_address: Option<String>,
    currency: Currency,
    lines: Vec<Line>,
    #[schema(example = "1250.00")]
    total: String,
    paid: String,
    /// What is still to be paid.
    due: String,
    status: Status,
    /// Something is to be paid, and should have been already.
    overdue: bool,
    issued_date: NaiveDate,
    due_date: NaiveDate,
    void_reason: Option<String>,
    version: i64,
    /// What the caller may do with it: `pay`, `void`, `send_receipt`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceClient)]
pub struct Client {
    id: UserId,
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceLine)]
pub struct Line {
    description: String,
    #[schema(example = "1250.00")]
    amount: String,
}

impl Invoice {
    fn of(ctx: &Ctx, office_today: NaiveDate, row: invoices::Invoice) -> Self {
        let amount = |minor: i64| row.currency.format(minor);
        Self {
            can: invoices::can(ctx, &row),
            number: row.name(),
            spv_identifier: row.spv_identifier(),
            client: Client { id: row.client_id, name: row.client_name() },
            total: amount(row.total_minor),
            paid: amount(row.paid_minor),
            due: amount(row.due_minor()),
            overdue: row.is_overdue(office_today),
            lines: row
                .lines
                .iter()
                .map(|line| Line { description: line.description.clone(), amount: amount(line.amount_minor) })
                .collect(),
            id: row.id,
            spv_id: row.spv_id,
            billed_to: row.billed_to,
            billed_address: row.billed_address,
            currency: row.currency,
            status: row.status,
            issued_date: row.issued_date,
            due_date: row.due_date,
            void_reason: row.void_reason,
            version: row.version,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct InvoiceDetail {
    #[serde(flatten)]
    invoice: Invoice,
    payments: Vec<Payment>,
    /// What was sent as proof of payments, the newest first.
    receipts: Vec<Receipt>,
    from: Issuer,
    /// Where to transfer what is due; null while the office has not said.
    bank: Option<Bank>,
}

/// Money that came in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoicePayment)]
pub struct Payment {
    id: PaymentId,
    #[schema(example = "1250.00")]
    amount: String,
    received_date: NaiveDate,
    /// For the staff, as is who recorded it.
    note: Option<String>,
    recorded_by: Option<String>,
    created_at: DateTime<Utc>,
}

/// What somebody sent as proof of a payment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceReceipt)]
pub struct Receipt {
    document: Document,
    sent_by: String,
    created_at: DateTime<Utc>,
}

/// The office as it stands on the paper.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceIssuer)]
pub struct Issuer {
    legal_name: Option<String>,
    address: Option<String>,
    tax_id: Option<String>,
}

impl InvoiceDetail {
    fn of(ctx: &Ctx, office_today: NaiveDate, detail: Detail) -> Self {
        let currency = detail.invoice.currency;
        let staff = ctx.actor.is_staff();
        let payment = |payment: invoices::Payment| Payment {
            id: payment.id,
            amount: currency.format(payment.amount_minor),
            received_date: payment.received_date,
            note: payment.note.filter(|_| staff),
            recorded_by: staff.then_some(payment.recorded_by),
            created_at: payment.created_at,
        };
        let receipt = |receipt: invoices::Receipt| Receipt {
            document: Document::of(ctx, receipt.document),
            sent_by: receipt.sent_by,
            created_at: receipt.created_at,
        };
        let settings::Billing { legal_name, address, tax_id, bank, .. } = detail.from;
        Self {
            invoice: Invoice::of(ctx, office_today, detail.invoice),
            payments: detail.payments.into_iter().map(payment).collect(),
            receipts: detail.receipts.into_iter().map(receipt).collect(),
            from: Issuer { legal_name, address, tax_id },
            bank,
        }
    }
}

async fn row(ctx: &Ctx, detail: Detail) -> Result<Versioned<InvoiceDetail>> {
    let today = settings::office_today(ctx).await?;
    Ok(Versioned { version: detail.invoice.version, view: InvoiceDetail::of(ctx, today, detail) })
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListInvoicesQuery {
    /// A number, or beginnings of words of its order's identifier, client name or email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// `-number`: so far the only order.
    order: Option<String>,
    /// 1 to 500; 50 unless told.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

impl ListInvoicesQuery {
    pub fn read(self) -> Result<(Filter, PageQuery)> {
        reject_unknown_order(self.order.as_deref(), "-number")?;
        let status = self.status.as_deref().map(str::parse).transpose();
        let status = status.map_err(|problem| ApiError::from(Error::field_with("status", problem)))?;
        let filter = Filter { q: self.q, spv_id: self.spv_id, client_id: self.client_id, status };
        Ok((filter, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// Invoices you may see, newest number first: your own, for the staff everybody's.
#[utoipa::path(get, path = "/invoices", operation_id = "invoice_list", tag = "invoices", params(ListInvoicesQuery),
    responses((status = 200, body = Page<Invoice>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListInvoicesQuery>) -> Result<JsonBody<Page<Invoice>>> {
    let (filter, page) = query.read()?;
    let found = invoices::list(&ctx, &filter, &page).await?;
    let today = settings::office_today(&ctx).await?;
    Ok(JsonBody(Page::of(found, |invoice| Invoice::of(&ctx, today, invoice))))
}

/// One invoice, with what came in and how to pay it.
#[utoipa::path(get, path = "/invoices/{id}", operation_id = "invoice_get", tag = "invoices",
    params(("id" = InvoiceId, Path)), responses((status = 200, body = InvoiceDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<InvoiceId>) -> Result<Versioned<InvoiceDetail>> {
    row(&ctx, invoices::get(&ctx, id).await?).await
}

/// One invoice on paper (PDF), in your language.
///
/// 500 `letters_without_font` names the letters that the server has no font for, and the package to install.
#[utoipa::path(get, path = "/invoices/{id}/pdf", operation_id = "invoice_pdf", tag = "invoices",
    params(("id" = InvoiceId, Path)), responses((status = 200, body = String, content_type = "application/pdf")))]
pub async fn pdf(SignedIn(ctx): SignedIn, Path(id): Path<InvoiceId>) -> Result<Response> {
    let detail = invoices::get(&ctx, id).await?;
    let office = settings::get(&ctx).await?;
    let (language, format) = match &ctx.actor {
        Actor::User(_) => {
            let me = users::me(&ctx).await?.user;
            (me.language, me.date_format)
        }
        _ => (ctx.language().to_owned(), users::DateFormat::Auto),
    };
    let name = format!("attachment; filename=\"invoice-{}.pdf\"", detail.invoice.name());
    let made = tokio::task::spawn_blocking(move || invoice_pdf::render(&detail, office.brand(), &language, format));
    let bytes = made.await.map_err(Error::internal)??;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Error::internal)?),
    ];
    Ok((headers, bytes).into_response())
}

/// Money that came in, as read off the account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPayment {
    #[schema(required, value_type = String, example = "1250.00")]
    amount: Option<String>,
    /// The amount typed a second time, by people.
    amount_again: Option<String>,
    /// The office's today unless given.
    #[schema(example = "2026-11-21")]
    received_date: Option<String>,
    /// For the staff.
    note: Option<String>,
}

/// Records a payment. Staff.
#[utoipa::path(post, path = "/invoices/{id}/payments", operation_id = "invoice_pay", tag = "invoices",
    params(("id" = InvoiceId, Path)), request_body = NewPayment, responses((status = 201, body = InvoiceDetail)))]
pub async fn pay(
    Path(id): Path<InvoiceId>,
    IfMatch(version): IfMatch,
    CreateRequest { ctx, input, .. }: CreateRequest<NewPayment>,
) -> Result<Created<InvoiceDetail>> {
    let typed = ManualPayment {
        amount: input.amount,
        amount_again: input.amount_again,
        received_date: input.received_date,
        note: input.note,
    };
    let paid = invoices::pay(&ctx, id, version, typed).await?;
    Ok(Created {
        location: format!("/rest/v1/invoices/{id}"),
        version: paid.invoice.version,
        view: InvoiceDetail::of(&ctx, settings::office_today(&ctx).await?, paid),
    })
}

/// A document of the client, uploaded before.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReceipt {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = DocumentId)]
    document_id: Option<DocumentId>,
}

/// Sends a document in as proof that an invoice was paid. The staff look at it and record what came in.
#[utoipa::path(post, path = "/invoices/{id}/receipts", operation_id = "invoice_send_receipt", tag = "invoices",
    params(("id" = InvoiceId, Path)), request_body = NewReceipt, responses((status = 201, body = InvoiceDetail)))]
pub async fn send_receipt(
    State(app): State<AppState>,
    Path(id): Path<InvoiceId>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewReceipt>,
) -> Result<Created<InvoiceDetail>> {
    app.check_request_limit(&ctx.actor)?;
    let sent = invoices::send_receipt(&ctx, id, input.document_id).await?;
    Ok(Created {
        location: format!("/rest/v1/invoices/{id}"),
        version: sent.invoice.version,
        view: InvoiceDetail::of(&ctx, settings::office_today(&ctx).await?, sent),
    })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceVoided {
    /// The client reads this.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Takes an invoice back for which nothing was paid. Staff.
#[utoipa::path(post, path = "/invoices/{id}/void", operation_id = "invoice_void", tag = "invoices",
    params(("id" = InvoiceId, Path)), request_body = InvoiceVoided, responses((status = 200, body = InvoiceDetail)))]
pub async fn void(
    SignedIn(ctx): SignedIn,
    Path(id): Path<InvoiceId>,
    IfMatch(version): IfMatch,
    Json(input): Json<InvoiceVoided>,
) -> Result<Versioned<InvoiceDetail>> {
    row(&ctx, invoices::void(&ctx, id, version, &input.reason).await?).await
}

/// What is to be paid, and how.
#[derive(Debug, Serialize, ToSchema)]
pub struct Billing {
    /// One for each currency; empty where nothing is to be paid.
    owed: Vec<Owed>,
    /// Null while the office has not said.
    bank: Option<Bank>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Owed {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
    invoices: i64,
    overdue: i64,
}

/// What you have to pay and how; for the staff, what all clients have to.
#[utoipa::path(get, path = "/billing", operation_id = "billing_get", tag = "invoices",
    responses((status = 200, body = Billing)))]
pub async fn billing(SignedIn(ctx): SignedIn) -> Result<JsonBody<Billing>> {
    let found = invoices::billing(&ctx).await?;
    let owed = |owed: invoices::Outstanding| Owed {
        currency: owed.currency,
        amount: owed.currency.format(owed.minor),
        invoices: owed.invoices,
        overdue: owed.overdue,
    };
    Ok(JsonBody(Billing { owed: found.owed.into_iter().map(owed).collect(), bank: found.bank }))
}
