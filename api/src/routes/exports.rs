//! CSV exports of lists.
use crate::{
    error::Result,
    extract::{Query, SignedIn, empty_name_as_none, empty_string_as_none, id_list, sort_order},
    routes::{calls, commissions::Ledger, credit_notes, documents, invoices, leads, requests, spvs},
};
use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::{
    Ctx,
    accounts::users::Status,
    directory::{clients, companies, isos},
    kernel::ids::{CompanyId, IsoId, SpvId, UserId},
    orders::invoices::PaymentFilter,
    platform::settings,
    reporting::exports::{self, CsvPage, Table},
};
use futures::{StreamExt, stream};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Clients {
    /// Search by word prefixes in name, email and phone.
    q: Option<String>,
    /// `pending`, `active`, `suspended` or `archived`; default: all but archived ones.
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<String>)]
    status: Option<Status>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Only these clients: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// As of the list.
    order: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Companies {
    /// Search by word prefixes in names and email.
    q: Option<String>,
    /// True exports archived ones instead.
    #[serde(default)]
    archived: bool,
    /// Only these companies: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// As of the list.
    order: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Isos {
    /// Search by word prefixes in name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// True exports archived ones instead.
    #[serde(default)]
    archived: bool,
    /// Only these partners: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// As of the list.
    order: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Spvs {
    /// Search by word prefixes in identifier, order number, client name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    status: Option<String>,
    /// True leaves out closed and cancelled orders.
    #[serde(default)]
    open: bool,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// An ISO's id, or `none` for orders without one.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    country: Option<String>,
    /// First ordered date.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last ordered date.
    #[param(example = "2026-11-30")]
    to: Option<String>,
    /// Only these orders: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// As of the list.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    order: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Payments {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
}

/// Every client you may see, as CSV.
#[utoipa::path(get, path = "/clients.csv", operation_id = "client_export", tag = "clients", params(Clients),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn clients(SignedIn(ctx): SignedIn, Query(query): Query<Clients>) -> Result<Response> {
    let Clients { q, status, company_id, iso_id, ids, order } = query;
    let order = sort_order(order.as_deref())?;
    answer(ctx, Table::Clients(clients::Filter { q, status, company_id, iso_id, ids, order })).await
}

/// Every company you may see, as CSV.
#[utoipa::path(get, path = "/companies.csv", operation_id = "company_export", tag = "companies", params(Companies),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn companies(SignedIn(ctx): SignedIn, Query(query): Query<Companies>) -> Result<Response> {
    let Companies { q, archived, ids, order } = query;
    let order = sort_order(order.as_deref())?;
    answer(ctx, Table::Companies(companies::Filter { q, archived, order, ids })).await
}

/// Every ISO partner you may see, as CSV.
#[utoipa::path(get, path = "/isos.csv", operation_id = "iso_export", tag = "isos", params(Isos),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn isos(SignedIn(ctx): SignedIn, Query(query): Query<Isos>) -> Result<Response> {
    let Isos { q, company_id, archived, ids, order } = query;
    let order = sort_order(order.as_deref())?;
    answer(ctx, Table::Isos(isos::Filter { q, company_id, archived, order, ids })).await
}

/// Every order you may see, as CSV. Amounts are decimal numbers in `currency`.
#[utoipa::path(get, path = "/spvs.csv", operation_id = "spv_export", tag = "spvs", params(Spvs),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn spvs(SignedIn(ctx): SignedIn, Query(query): Query<Spvs>) -> Result<Response> {
    let Spvs { q, status, open, company_id, iso_id, client_id, country, from, to, ids, order } = query;
    let filter = spvs::filter(q, (status.as_deref(), open), company_id, iso_id.as_deref(), client_id)?;
    let days = (from.as_deref(), to.as_deref());
    answer(ctx, Table::Spvs(spvs::narrowed(filter, country.as_deref(), days, order.as_deref(), ids)?)).await
}

/// All requests that match the filter, as CSV: all for staff, your own otherwise.
#[utoipa::path(get, path = "/requests.csv", operation_id = "request_export", tag = "requests", params(requests::ListRequestsQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn requests(SignedIn(ctx): SignedIn, Query(query): Query<requests::ListRequestsQuery>) -> Result<Response> {
    answer(ctx, Table::Requests(query.read()?.0)).await
}

/// Every invoice you may see, as CSV. Amounts are decimal numbers in `currency`.
#[utoipa::path(get, path = "/invoices.csv", operation_id = "invoice_export", tag = "invoices", params(invoices::ListInvoicesQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn invoices(SignedIn(ctx): SignedIn, Query(query): Query<invoices::ListInvoicesQuery>) -> Result<Response> {
    answer(ctx, Table::Invoices(query.read()?.0)).await
}

/// Every credit note you may see, as CSV. Amounts are decimal numbers in `currency`.
#[utoipa::path(get, path = "/credit-notes.csv", operation_id = "credit_note_export", tag = "invoices",
    params(credit_notes::ListCreditNotesQuery), responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn credit_notes(
    SignedIn(ctx): SignedIn,
    Query(query): Query<credit_notes::ListCreditNotesQuery>,
) -> Result<Response> {
    answer(ctx, Table::CreditNotes(query.read().0)).await
}

/// Every payment of the invoices you may see, as CSV, the oldest first. Amounts are decimal numbers in `currency`.
#[utoipa::path(get, path = "/payments.csv", operation_id = "payment_export", tag = "invoices", params(Payments),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn payments(SignedIn(ctx): SignedIn, Query(query): Query<Payments>) -> Result<Response> {
    let Payments { client_id, spv_id } = query;
    answer(ctx, Table::Payments(PaymentFilter { spv_id, client_id })).await
}

/// The price list, as CSV: all services for staff, the active ones for clients. Amounts are decimal numbers in `currency`.
#[utoipa::path(get, path = "/services.csv", operation_id = "service_export", tag = "services",
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn services(SignedIn(ctx): SignedIn) -> Result<Response> {
    answer(ctx, Table::Services).await
}

/// Every document you may see, as CSV, with its newest version.
#[utoipa::path(get, path = "/documents.csv", operation_id = "document_export", tag = "documents",
    params(documents::ListDocumentsQuery), responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn documents(
    SignedIn(ctx): SignedIn,
    Query(query): Query<documents::ListDocumentsQuery>,
) -> Result<Response> {
    answer(ctx, Table::Documents(query.read()?.0)).await
}

/// All leads that match the filter, as CSV: an ISO's own, or all for staff.
#[utoipa::path(get, path = "/leads.csv", operation_id = "lead_export", tag = "leads", params(leads::ListLeadsQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn leads(SignedIn(ctx): SignedIn, Query(query): Query<leads::ListLeadsQuery>) -> Result<Response> {
    answer(ctx, Table::Leads(query.read()?.0)).await
}

/// All calls that match the filter, as CSV: an ISO's own, or all for staff.
#[utoipa::path(get, path = "/calls.csv", operation_id = "call_export", tag = "calls", params(calls::ListCallsQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn calls(SignedIn(ctx): SignedIn, Query(query): Query<calls::ListCallsQuery>) -> Result<Response> {
    answer(ctx, Table::Calls(query.read()?.0)).await
}

/// All tasks assigned to you, as CSV, by due date.
#[utoipa::path(get, path = "/tasks.csv", operation_id = "task_export", tag = "tasks",
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn tasks(SignedIn(ctx): SignedIn) -> Result<Response> {
    answer(ctx, Table::Tasks).await
}

/// Rows of the ledger you may see, as CSV: the same rows as the list, with the sums of the statement.
#[utoipa::path(get, path = "/commissions.csv", operation_id = "commission_export", tag = "commissions", params(Ledger),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn commissions(SignedIn(ctx): SignedIn, Query(query): Query<Ledger>) -> Result<Response> {
    answer(ctx, Table::Commissions(query.filter()?)).await
}

/// A complete file with a generated name.
pub(super) fn file(name: &str, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], body.into()).into_response();
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    response
}

/// Streams the file. The first page is read before the response begins, so that errors have a status; a later error
/// aborts the response, so that a truncated file is noticed.
pub(super) async fn answer(ctx: Ctx, table: Table) -> Result<Response> {
    let first = exports::first_page(&ctx, &table).await?;
    let name = format!("{}-{}.csv", table.name(), settings::person_today(&ctx).await?);
    Ok(streamed(&name, first, move |cursor| {
        let (ctx, table) = (ctx.clone(), table.clone());
        async move { exports::next_page(&ctx, &table, Some(cursor)).await }
    }))
}

/// A CSV file whose first page is read; the others are read while it is sent.
pub(super) fn streamed<F, M>(name: &str, mut first: CsvPage, more: M) -> Response
where
    M: Fn(String) -> F + Send + Sync + 'static,
    F: Future<Output = domain::Result<CsvPage>> + Send + 'static,
{
    // Byte order mark: without it Excel does not read UTF-8.
    first.text.insert(0, '\u{feff}');
    let parts = stream::unfold(Some((Next::Has(first), more)), move |next| async move {
        let (next, more) = next?;
        match next.part(&more).await {
            Ok(part) => Some((Ok(part.text), part.next_cursor.map(|cursor| (Next::Asks(cursor), more)))),
            Err(error) => Some((Err(std::io::Error::other(format!("{error:?}"))), None)),
        }
    });
    // The compressor polls once more after the end.
    file(name, "text/csv; charset=utf-8", Body::from_stream(parts.fuse()))
}

enum Next {
    Has(CsvPage),
    Asks(String),
}

impl Next {
    async fn part<F: Future<Output = domain::Result<CsvPage>>>(
        self,
        more: &impl Fn(String) -> F,
    ) -> domain::Result<CsvPage> {
        match self {
            Self::Has(part) => Ok(part),
            Self::Asks(cursor) => more(cursor).await,
        }
    }
}
