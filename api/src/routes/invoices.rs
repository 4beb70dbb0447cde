//! Invoices, payments and receipts.
use super::{credit_notes::CreditNote, documents::Document};
use crate::{
    error::{ApiError, Result},
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, empty_string_as_none, id_list, sort_order,
    },
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
    directory::companies,
    kernel::{
        ids::{CompanyId, DocumentId, InvoiceId, PaymentId, SpvId, UserId},
        money::{self, Currency, CurrencyTotal},
        page::PageQuery,
    },
    orders::invoices::{self, Detail, Due, Filter, LineKind, ManualPayment, Status},
    platform::settings::{self, Bank},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An invoice. Amounts are decimal numbers in `currency`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Invoice {
    id: InvoiceId,
    /// Invoice number, also the payment reference.
    #[schema(example = "2026-0001")]
    number: String,
    /// Of an imported invoice: its number in the system that issued it.
    former_number: Option<String>,
    spv_id: SpvId,
    spv_identifier: String,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    /// The client's own reference of the order.
    reference: Option<String>,
    client: Client,
    billed_to: String,
    billed_address: Option<String>,
    currency: Currency,
    lines: Vec<Line>,
    /// The total without tax.
    #[schema(example = "1250.00")]
    net: String,
    #[schema(example = "250.00")]
    tax: String,
    /// Tax by rate; empty without tax.
    taxes: Vec<TaxRow>,
    /// Name of the tax, such as VAT.
    tax_name: Option<String>,
    /// Why no tax is charged, such as reverse charge.
    tax_note: Option<String>,
    /// The amounts of the lines include the tax.
    prices_include_tax: bool,
    #[schema(example = "1500.00")]
    total: String,
    /// Sum of its credit notes.
    credited: String,
    paid: String,
    /// Amount outstanding.
    due: String,
    /// What was paid beyond what the credit notes leave: the client's credit.
    credit: String,
    status: Status,
    /// Past its due date with an amount outstanding.
    overdue: bool,
    issued_date: NaiveDate,
    due_date: NaiveDate,
    /// Deposit, balance and the like; empty when all is due on the due date.
    installments: Vec<Installment>,
    /// The next payment; null when nothing is due.
    next_payment: Option<NextPayment>,
    /// Payment terms.
    terms: Option<String>,
    /// Written by the staff, beside the invoices over the order's price.
    manual: bool,
    void_reason: Option<String>,
    /// Of a void invoice: the number of the one that was raised anew in its place.
    replaced_by: Option<String>,
    version: i64,
    /// Actions allowed to the caller: `pay`, `void`, `raise`, `send_receipt`.
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
    kind: LineKind,
    #[schema(example = "1")]
    quantity: String,
    /// Negative for a discount.
    #[schema(example = "1250.00")]
    unit_price: String,
    /// Tax rate in percent.
    #[schema(example = "20")]
    tax_percent: String,
    #[schema(example = "1250.00")]
    amount: String,
}

impl Line {
    fn of(currency: Currency, line: &invoices::Line) -> Self {
        Self {
            description: line.description.clone(),
            kind: line.kind,
            quantity: money::format_thousandths(line.quantity),
            unit_price: currency.format(line.unit_price_minor),
            tax_percent: money::format_percent(line.tax_percent),
            amount: currency.format(line.amount_minor),
        }
    }
}

/// A part of an invoice with its own due date. Payments settle them in their order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceInstallment)]
pub struct Installment {
    due_date: NaiveDate,
    #[schema(example = "500.00")]
    amount: String,
    #[schema(example = "200.00")]
    paid: String,
    #[schema(example = "300.00")]
    due: String,
}

impl Installment {
    fn of(currency: Currency, state: invoices::InstallmentState) -> Self {
        Self {
            due_date: state.due_date,
            amount: currency.format(state.amount_minor),
            paid: currency.format(state.paid_minor),
            due: currency.format(state.due_minor()),
        }
    }
}

/// The next payment of an invoice: everything due by its date.
#[derive(Debug, Serialize, ToSchema)]
pub struct NextPayment {
    due_date: NaiveDate,
    #[schema(example = "500.00")]
    amount: String,
}

impl NextPayment {
    fn of(currency: Currency, next: invoices::NextPayment) -> Self {
        Self { due_date: next.due_date, amount: currency.format(next.amount_minor) }
    }
}

/// What the lines of one tax rate sum to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceTax)]
pub struct TaxRow {
    /// Tax rate in percent.
    #[schema(example = "20")]
    percent: String,
    #[schema(example = "1250.00")]
    net: String,
    #[schema(example = "250.00")]
    tax: String,
}

impl TaxRow {
    fn of(currency: Currency, row: invoices::TaxRow) -> Self {
        Self {
            percent: money::format_percent(row.percent),
            net: currency.format(row.net_minor),
            tax: currency.format(row.tax_minor),
        }
    }
}

impl Invoice {
    fn of(ctx: &Ctx, office_today: NaiveDate, row: invoices::Invoice) -> Self {
        let (installments, next_payment) = (row.installment_states(), row.next_payment(office_today));
        let amount = |minor: i64| row.currency.format(minor);
        Self {
            can: invoices::can(ctx, &row),
            number: row.name(),
            spv_identifier: row.spv_identifier(),
            client: Client { id: row.client_id, name: row.client_name() },
            total: amount(row.total_minor),
            credited: amount(row.credited_minor),
            credit: amount(row.credit_minor()),
            replaced_by: row.replaced_by(),
            paid: amount(row.paid_minor),
            due: amount(row.due_minor()),
            overdue: row.is_overdue(office_today),
            lines: row.lines.iter().map(|line| Line::of(row.currency, line)).collect(),
            net: amount(row.total_minor - row.tax_minor),
            tax: amount(row.tax_minor),
            taxes: row.taxes().into_iter().map(|tax| TaxRow::of(row.currency, tax)).collect(),
            tax_name: row.tax_name,
            tax_note: row.tax_note,
            prices_include_tax: row.tax_included,
            terms: row.terms,
            manual: row.manual,
            installments: installments.into_iter().map(|state| Installment::of(row.currency, state)).collect(),
            next_payment: next_payment.map(|next| NextPayment::of(row.currency, next)),
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
            vehicle_name: row.vehicle_name,
            reference: row.reference,
            former_number: row.former_number,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct InvoiceDetail {
    #[serde(flatten)]
    invoice: Invoice,
    payments: Vec<Payment>,
    /// Uploaded payment proofs, newest first.
    receipts: Vec<Receipt>,
    /// Newest first.
    credit_notes: Vec<CreditNote>,
    from: Issuer,
    /// Bank details for payment; null if the office has none configured.
    bank: Option<Bank>,
}

/// A received payment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoicePayment)]
pub struct Payment {
    id: PaymentId,
    #[schema(example = "1250.00")]
    amount: String,
    received_date: NaiveDate,
    /// Staff only, like `recorded_by`.
    note: Option<String>,
    recorded_by: Option<String>,
    created_at: DateTime<Utc>,
}

/// An uploaded payment proof.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceReceipt)]
pub struct Receipt {
    document: Document,
    sent_by: String,
    created_at: DateTime<Utc>,
}

/// The office's details as printed on the invoice.
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
            credit_notes: detail.credit_notes.into_iter().map(CreditNote::of).collect(),
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
    /// A number, or word prefixes of the order's identifier, client name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    /// Invoices of the orders of this company.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<CompanyId>)]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// Open invoices by due date.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(inline, value_type = Option<Due>)]
    due: Option<String>,
    /// Only these invoices: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `number`, `due_date`, `billed_to` or `total`, with `-` before it for descending; default: `-number`. By total
    /// within each currency.
    order: Option<String>,
    /// True adds the number of all invoices of the list and what is due on them.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ListInvoicesQuery {
    pub fn read(self) -> Result<(Filter, PageQuery)> {
        let status = self.status.as_deref().map(str::parse).transpose();
        let status = status.map_err(|problem| ApiError::from(Error::field_with("status", problem)))?;
        let due = self.due.as_deref().map(str::parse).transpose();
        let due = due.map_err(|problem| ApiError::from(Error::field_with("due", problem)))?;
        let filter = Filter {
            q: self.q,
            spv_id: self.spv_id,
            client_id: self.client_id,
            company_id: self.company_id,
            status,
            due,
            ids: self.ids,
            order: sort_order(self.order.as_deref())?,
        };
        Ok((filter, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// Invoices you may see, highest number first by default: your own, or all for staff.
#[utoipa::path(get, path = "/invoices", operation_id = "invoice_list", tag = "invoices", params(ListInvoicesQuery),
    responses((status = 200, body = Page<Invoice>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListInvoicesQuery>) -> Result<JsonBody<Page<Invoice>>> {
    let count = query.count;
    let (filter, page) = query.read()?;
    let found = invoices::list(&ctx, &filter, &page).await?;
    let today = settings::office_today(&ctx).await?;
    let page = Page::of(found, |invoice| Invoice::of(&ctx, today, invoice));
    Ok(JsonBody(page.counted(count, invoices::total(&ctx, &filter)).await?))
}

/// One invoice, with its payments and bank details.
#[utoipa::path(get, path = "/invoices/{id}", operation_id = "invoice_get", tag = "invoices",
    params(("id" = InvoiceId, Path)), responses((status = 200, body = InvoiceDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<InvoiceId>) -> Result<Versioned<InvoiceDetail>> {
    row(&ctx, invoices::get(&ctx, id).await?).await
}

/// The invoice as a PDF, in your language.
///
/// 500 `letters_without_font` lists the letters without a font on the server, and the package to install.
#[utoipa::path(get, path = "/invoices/{id}/pdf", operation_id = "invoice_pdf", tag = "invoices",
    params(("id" = InvoiceId, Path)), responses((status = 200, body = String, content_type = "application/pdf")))]
pub async fn pdf(SignedIn(ctx): SignedIn, Path(id): Path<InvoiceId>) -> Result<Response> {
    let detail = invoices::get(&ctx, id).await?;
    let name = format!("invoice-{}.pdf", detail.invoice.name());
    render_pdf(&ctx, name, move |office, language, format| invoice_pdf::render(&detail, office, language, format)).await
}

/// Renders a PDF in the reader's language and sends it under this file name.
pub(super) async fn render_pdf<F>(ctx: &Ctx, file_name: String, render: F) -> Result<Response>
where
    F: FnOnce(invoice_pdf::Office<'_>, &str, users::DateFormat) -> Result<Vec<u8>> + Send + 'static,
{
    let office = settings::get(ctx).await?;
    let (language, format) = match &ctx.actor {
        Actor::User(_) => {
            let me = users::me(ctx).await?.user;
            (me.language, me.date_format)
        }
        _ => (ctx.language().to_owned(), users::DateFormat::Auto),
    };
    let name = format!("attachment; filename=\"{file_name}\"");
    let logo = match office.logo_id {
        Some(id) => Some(companies::logo(ctx, id).await?),
        None => None,
    };
    let today = settings::office_today(ctx).await?;
    let made = tokio::task::spawn_blocking(move || {
        let issuer = invoice_pdf::Office { brand: office.brand(), logo: logo.as_ref(), today };
        render(issuer, &language, format)
    });
    let bytes = made.await.map_err(Error::internal)??;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Error::internal)?),
    ];
    Ok((headers, bytes).into_response())
}

/// A line of an invoice to issue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvoiceLine {
    #[schema(required, value_type = String, example = "Registered agent, one year")]
    description: Option<String>,
    /// Default: `fee`.
    #[schema(value_type = Option<LineKind>)]
    kind: Option<String>,
    /// Up to three decimals; default: 1.
    #[schema(example = "1")]
    quantity: Option<String>,
    /// Without a sign, also of a discount.
    #[schema(required, value_type = String, example = "150.00")]
    unit_price: Option<String>,
    /// In percent. Default: the office's rate; none for a filing fee.
    #[schema(example = "20")]
    tax_percent: Option<String>,
}

/// An invoice to issue to the client of an order.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvoice {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = SpvId)]
    spv_id: Option<SpvId>,
    /// Default: the order's.
    #[schema(value_type = Option<Currency>)]
    currency: Option<String>,
    #[serde(default)]
    #[schema(required)]
    lines: Vec<NewInvoiceLine>,
    /// The prices of the lines include the tax.
    #[serde(default)]
    prices_include_tax: bool,
    /// No tax is charged; the office's text says why.
    #[serde(default)]
    reverse_charge: bool,
    /// Default: by the office's terms.
    #[schema(example = "2026-12-05")]
    due_date: Option<String>,
    /// Payment terms; default: the office's.
    terms: Option<String>,
    /// Deposit, balance and the like, in the order of their due dates; they add up to the total.
    #[serde(default)]
    installments: Vec<NewInstallment>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInstallment {
    #[schema(required, value_type = String, example = "2026-12-05")]
    due_date: Option<String>,
    #[schema(required, value_type = String, example = "500.00")]
    amount: Option<String>,
}

impl From<NewInstallment> for invoices::NewInstallment {
    fn from(NewInstallment { due_date, amount }: NewInstallment) -> Self {
        Self { due_date, amount }
    }
}

/// The installments of an invoice.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceInstallments {
    /// In the order of their due dates; they add up to what the invoice bills. None: all is due at once.
    #[serde(default)]
    #[schema(required)]
    installments: Vec<NewInstallment>,
}

/// Divides what an open invoice bills into installments. Staff.
#[utoipa::path(put, path = "/invoices/{id}/installments", operation_id = "invoice_set_installments", tag = "invoices",
    params(("id" = InvoiceId, Path)), request_body = InvoiceInstallments, responses((status = 200, body = InvoiceDetail)))]
pub async fn set_installments(
    SignedIn(ctx): SignedIn,
    Path(id): Path<InvoiceId>,
    IfMatch(version): IfMatch,
    Json(input): Json<InvoiceInstallments>,
) -> Result<Versioned<InvoiceDetail>> {
    let installments = input.installments.into_iter().map(Into::into).collect();
    row(&ctx, invoices::set_installments(&ctx, id, version, installments).await?).await
}

impl From<NewInvoice> for invoices::NewInvoice {
    fn from(new: NewInvoice) -> Self {
        let line = |line: NewInvoiceLine| invoices::NewLine {
            description: line.description,
            kind: line.kind,
            quantity: line.quantity,
            unit_price: line.unit_price,
            tax_percent: line.tax_percent,
        };
        Self {
            spv_id: new.spv_id,
            currency: new.currency,
            lines: new.lines.into_iter().map(line).collect(),
            prices_include_tax: new.prices_include_tax,
            reverse_charge: new.reverse_charge,
            due_date: new.due_date,
            terms: new.terms,
            installments: new.installments.into_iter().map(Into::into).collect(),
        }
    }
}

/// Issues an invoice over lines, beside the invoices over the order's price. Staff.
#[utoipa::path(post, path = "/invoices", operation_id = "invoice_create", tag = "invoices", request_body = NewInvoice,
    responses((status = 201, body = InvoiceDetail)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewInvoice>) -> Result<Created<InvoiceDetail>> {
    let issued = invoices::create(&ctx, input.into()).await?;
    Ok(Created {
        location: format!("/rest/v1/invoices/{}", issued.invoice.id),
        version: issued.invoice.version,
        view: InvoiceDetail::of(&ctx, settings::office_today(&ctx).await?, issued),
    })
}

/// The sums of an invoice that is not issued yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvoicePreview {
    currency: Currency,
    lines: Vec<Line>,
    net: String,
    tax: String,
    /// By rate.
    taxes: Vec<TaxRow>,
    tax_name: Option<String>,
    tax_note: Option<String>,
    total: String,
    due_date: NaiveDate,
}

/// What an invoice over these lines would sum to; nothing is saved. Staff.
#[utoipa::path(post, path = "/invoices/preview", operation_id = "invoice_preview", tag = "invoices",
    request_body = NewInvoice, responses((status = 200, body = InvoicePreview)))]
pub async fn preview(SignedIn(ctx): SignedIn, Json(input): Json<NewInvoice>) -> Result<JsonBody<InvoicePreview>> {
    let invoices::Preview { currency, lines, tax, totals, due_date } = invoices::preview(&ctx, input.into()).await?;
    Ok(JsonBody(InvoicePreview {
        currency,
        lines: lines.iter().map(|line| Line::of(currency, line)).collect(),
        net: currency.format(totals.net_minor()),
        tax: currency.format(totals.tax_minor),
        total: currency.format(totals.total_minor),
        taxes: totals.taxes.into_iter().map(|row| TaxRow::of(currency, row)).collect(),
        tax_name: tax.name,
        tax_note: tax.note,
        due_date,
    }))
}

/// A received payment, as on the bank statement.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPayment {
    #[schema(required, value_type = String, example = "1250.00")]
    amount: Option<String>,
    /// The amount typed a second time; required for people.
    amount_again: Option<String>,
    /// Default: today in the office's time zone.
    #[schema(example = "2026-11-21")]
    received_date: Option<String>,
    /// Staff only.
    note: Option<String>,
    /// The client paid more than is due: the rest becomes the client's credit. Otherwise it is refused.
    #[serde(default)]
    keep_excess: bool,
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
        keep_excess: input.keep_excess,
    };
    let paid = invoices::pay(&ctx, id, version, typed).await?;
    Ok(Created {
        location: format!("/rest/v1/invoices/{id}"),
        version: paid.invoice.version,
        view: InvoiceDetail::of(&ctx, settings::office_today(&ctx).await?, paid),
    })
}

/// A document of the client, already uploaded.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReceipt {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = DocumentId)]
    document_id: Option<DocumentId>,
}

/// Submits a document as proof of payment. Staff review it and record the payment.
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
    /// Shown to the client.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Voids an invoice without payments. Staff.
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

/// Raises a void invoice again under the next number, for as much of it as the order's other invoices leave of its price.
/// Staff.
#[utoipa::path(post, path = "/invoices/{id}/raise", operation_id = "invoice_raise", tag = "invoices",
    params(("id" = InvoiceId, Path)), request_body = EmptyBody, responses((status = 201, body = InvoiceDetail)))]
pub async fn raise(
    Path(id): Path<InvoiceId>,
    IfMatch(version): IfMatch,
    CreateRequest { ctx, .. }: CreateRequest<EmptyBody>,
) -> Result<Created<InvoiceDetail>> {
    let raised = invoices::raise(&ctx, id, version).await?;
    Ok(Created {
        location: format!("/rest/v1/invoices/{}", raised.invoice.id),
        version: raised.invoice.version,
        view: InvoiceDetail::of(&ctx, settings::office_today(&ctx).await?, raised),
    })
}

/// Outstanding amounts, and bank details.
#[derive(Debug, Serialize, ToSchema)]
pub struct Billing {
    /// One per currency; empty when nothing is outstanding.
    owed: Vec<Owed>,
    /// Credit: what was paid beyond what credit notes left of the invoices; not offset against what is owed.
    credit: Vec<Credit>,
    /// What you are to pay next, by due date; empty for staff.
    payments: Vec<Payable>,
    /// Null if the office has none configured.
    bank: Option<Bank>,
}

/// The next payment of an invoice.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoicePayable)]
pub struct Payable {
    invoice_id: InvoiceId,
    /// Invoice number, also the payment reference.
    number: String,
    spv_identifier: String,
    currency: Currency,
    #[schema(example = "500.00")]
    amount: String,
    due_date: NaiveDate,
    overdue: bool,
}

/// Credit in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoiceCredit)]
pub struct Credit {
    currency: Currency,
    #[schema(example = "250.00")]
    amount: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Owed {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
    invoices: i64,
    overdue: i64,
    aging: Aging,
}

/// Outstanding amounts by days past the due date.
#[derive(Debug, Serialize, ToSchema)]
pub struct Aging {
    #[schema(example = "1250.00")]
    not_due: String,
    /// 1 to 30 days.
    overdue_30: String,
    /// 31 to 60 days.
    overdue_60: String,
    /// 61 to 90 days.
    overdue_90: String,
    /// More than 90 days.
    overdue_older: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BillingQuery {
    /// Of one client only.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
}

/// What you owe, your credit and the bank details; for staff, those of all clients or of one.
#[utoipa::path(get, path = "/billing", operation_id = "billing_get", tag = "invoices", params(BillingQuery),
    responses((status = 200, body = Billing)))]
pub async fn billing(SignedIn(ctx): SignedIn, Query(query): Query<BillingQuery>) -> Result<JsonBody<Billing>> {
    let found = invoices::billing(&ctx, query.client_id).await?;
    let owed = |owed: invoices::Outstanding| Owed {
        currency: owed.currency,
        amount: owed.currency.format(owed.minor),
        invoices: owed.invoices,
        overdue: owed.overdue,
        aging: Aging {
            not_due: owed.currency.format(owed.aging.not_due),
            overdue_30: owed.currency.format(owed.aging.overdue_30),
            overdue_60: owed.currency.format(owed.aging.overdue_60),
            overdue_90: owed.currency.format(owed.aging.overdue_90),
            overdue_older: owed.currency.format(owed.aging.overdue_older),
        },
    };
    let today = settings::office_today(&ctx).await?;
    let payable = |(invoice, next): (invoices::Invoice, invoices::NextPayment)| Payable {
        number: invoice.name(),
        spv_identifier: invoice.spv_identifier(),
        invoice_id: invoice.id,
        currency: invoice.currency,
        amount: invoice.currency.format(next.amount_minor),
        due_date: next.due_date,
        overdue: next.due_date < today,
    };
    let credit =
        |credit: CurrencyTotal| Credit { currency: credit.currency, amount: credit.currency.format(credit.minor) };
    Ok(JsonBody(Billing {
        owed: found.owed.into_iter().map(owed).collect(),
        credit: found.credit.into_iter().map(credit).collect(),
        payments: found.payments.into_iter().map(payable).collect(),
        bank: found.bank,
    }))
}
