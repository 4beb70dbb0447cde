//! Commissions of ISO partners: ledger, overview, statements, payout runs.
use crate::{
    error::{ApiError, Result},
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, day, empty_string_as_none, id_list,
        reject_unknown_order, sort_order,
    },
    response::{Created, ItemList, JsonBody, Page, Versioned},
    routes::approvals::{Answer, Approval, done_or_waiting},
};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx, Error,
    kernel::{
        ids::{CommissionId, CompanyId, IsoId, PayoutRunId, SpvId, UserId},
        money::{self, Currency},
        page::PageQuery,
    },
    orders::commissions::{self, Filter, Kind, Period, Rule, RunDetail, RunStatus, Status},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// A row of the ledger. Amounts are decimal numbers in `currency`, negative for reversals.
#[derive(Debug, Serialize, ToSchema)]
pub struct Commission {
    id: CommissionId,
    iso_id: IsoId,
    iso_name: String,
    spv_id: SpvId,
    spv_identifier: String,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    client: CommissionClient,
    kind: Kind,
    /// The rule: a fixed amount, or `rate` percent of `base`.
    rule: Rule,
    #[schema(example = "2.5")]
    rate: Option<String>,
    #[schema(example = "50000.00")]
    base: Option<String>,
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
    status: Status,
    earned_date: NaiveDate,
    paid_date: Option<NaiveDate>,
    /// The payout run that includes it.
    #[schema(example = "PAY-2026-001")]
    run: Option<String>,
    /// Why it is void.
    reason: Option<String>,
    /// Of a difference after a correction of the order: the approved or paid commission that it adjusts.
    adjusts_id: Option<CommissionId>,
    version: i64,
    /// Actions allowed to the caller: `approve`, `void`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionClient {
    id: UserId,
    name: String,
}

impl Commission {
    fn of(ctx: &Ctx, row: commissions::Commission) -> Self {
        Self {
            can: commissions::can(ctx, &row),
            iso_name: row.iso_name(),
            spv_identifier: row.spv_identifier(),
            client: CommissionClient { id: row.client_id, name: row.client_name() },
            run: row.run(),
            rate: row.rate.map(money::format_percent),
            base: row.base_minor.map(|minor| row.currency.format(minor)),
            amount: row.currency.format(row.amount_minor),
            id: row.id,
            iso_id: row.iso_id,
            spv_id: row.spv_id,
            kind: row.kind,
            rule: row.rule,
            currency: row.currency,
            status: row.status,
            earned_date: row.earned_date,
            paid_date: row.paid_date,
            reason: row.reason,
            adjusts_id: row.adjusts_id,
            version: row.version,
            vehicle_name: row.vehicle_name,
        }
    }
}

/// Filters of the commission list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Ledger {
    /// Search by word prefixes in its order's identifier, client name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    run_id: Option<PayoutRunId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// First day on which it was earned.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day.
    #[param(example = "2026-11-30")]
    to: Option<String>,
    /// Only these rows: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `-earned_date` (default), `earned_date`, `-amount` or `amount`; by amount within each currency.
    order: Option<String>,
    /// True adds the number of all rows of the list and the sums of their amounts.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl Ledger {
    pub fn filter(&self) -> Result<Filter> {
        let status = self.status.as_deref().map(str::parse).transpose();
        Ok(Filter {
            q: self.q.clone(),
            iso_id: self.iso_id,
            spv_id: self.spv_id,
            run_id: self.run_id,
            status: status.map_err(|problem| ApiError::from(Error::field_with("status", problem)))?,
            from: day("from", self.from.as_deref())?,
            to: day("to", self.to.as_deref())?,
            order: sort_order(self.order.as_deref())?,
            ids: self.ids.clone(),
        })
    }
}

/// Rows of the ledger, by default newest first by the day earned: an ISO's own, those of a company's partners, or all for staff.
#[utoipa::path(get, path = "/commissions", operation_id = "commission_list", tag = "commissions", params(Ledger),
    responses((status = 200, body = Page<Commission>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<Ledger>) -> Result<JsonBody<Page<Commission>>> {
    let filter = query.filter()?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = commissions::list(&ctx, &filter, &page).await?;
    let page = Page::of(found, |row| Commission::of(&ctx, row));
    Ok(JsonBody(page.counted(query.count, commissions::total(&ctx, &filter)).await?))
}

/// One row of the ledger.
#[utoipa::path(get, path = "/commissions/{id}", operation_id = "commission_get", tag = "commissions",
    params(("id" = CommissionId, Path)), responses((status = 200, body = Commission)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<CommissionId>) -> Result<Versioned<Commission>> {
    Ok(row(&ctx, commissions::get(&ctx, id).await?))
}

fn row(ctx: &Ctx, found: commissions::Commission) -> Versioned<Commission> {
    Versioned { version: found.version, view: Commission::of(ctx, found) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OverviewQuery {
    /// ISO partner. Default: an ISO's own, for others all they may see.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// `this_month`, `last_month` or `this_year`; default: `this_month`.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    period: Option<String>,
}

/// What a partner earned in a period.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionOverview {
    from: NaiveDate,
    to: NaiveDate,
    /// Nothing was ever paid, so `paid` and `pending` are a projected split of the total.
    projected: bool,
    /// Currency of the figures: the company's, else the office's. `others` has every other currency with commissions.
    currency: Currency,
    #[schema(example = "1250.00")]
    total: String,
    paid: String,
    /// Earned and not yet paid.
    pending: String,
    /// Approved for the next payout run.
    next_payment: String,
    others: Vec<CommissionCards>,
    /// Projected commissions of open orders; not part of any other figure.
    expected: Vec<CommissionExpected>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionCards {
    currency: Currency,
    #[schema(example = "1250.00")]
    total: String,
    paid: String,
    pending: String,
    next_payment: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionExpected {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
}

/// One partner's commissions in a period, by status.
#[utoipa::path(get, path = "/commissions/overview", operation_id = "commission_overview", tag = "commissions",
    params(OverviewQuery), responses((status = 200, body = CommissionOverview)))]
pub async fn overview(
    SignedIn(ctx): SignedIn,
    Query(query): Query<OverviewQuery>,
) -> Result<JsonBody<CommissionOverview>> {
    let period = query.period.as_deref().map(str::parse).transpose();
    let period = period.map_err(|problem| ApiError::from(Error::field_with("period", problem)))?.unwrap_or_default();
    let found = commissions::overview(&ctx, query.iso_id, period).await?;
    let cards = |cards: &commissions::OverviewCards| CommissionCards {
        currency: cards.currency,
        total: cards.currency.format(cards.total_minor),
        paid: cards.currency.format(cards.paid_minor),
        pending: cards.currency.format(cards.pending_minor),
        next_payment: cards.currency.format(cards.next_minor),
    };
    let currency = found.currency;
    let zero = commissions::OverviewCards { currency, total_minor: 0, paid_minor: 0, pending_minor: 0, next_minor: 0 };
    let own = cards(found.cards.iter().find(|cards| cards.currency == currency).unwrap_or(&zero));
    Ok(JsonBody(CommissionOverview {
        from: found.from,
        to: found.to,
        projected: found.projected,
        currency,
        total: own.total,
        paid: own.paid,
        pending: own.pending,
        next_payment: own.next_payment,
        others: found.cards.iter().filter(|cards| cards.currency != currency).map(cards).collect(),
        expected: found
            .expected
            .into_iter()
            .map(|(currency, minor)| CommissionExpected { currency, amount: currency.format(minor) })
            .collect(),
    }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct StatementQuery {
    /// ISO partner. Default: an ISO's own, for others all they may see.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Default: the first day of this month.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Default: the last day of this month.
    #[param(example = "2026-11-30")]
    to: Option<String>,
}

/// All commissions earned between two days.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionStatement {
    /// The partner, if it is one partner's statement.
    iso_id: Option<IsoId>,
    iso_name: Option<String>,
    company_name: Option<String>,
    from: NaiveDate,
    to: NaiveDate,
    /// Oldest first.
    items: Vec<Commission>,
    /// One per currency, without void rows.
    sums: Vec<CommissionSums>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CommissionSums {
    currency: Currency,
    #[schema(example = "1250.00")]
    total: String,
    pending: String,
    approved: String,
    paid: String,
}

/// A partner's statement.
#[utoipa::path(get, path = "/commissions/statement", operation_id = "commission_statement", tag = "commissions",
    params(StatementQuery), responses((status = 200, body = CommissionStatement)))]
pub async fn statement(
    SignedIn(ctx): SignedIn,
    Query(query): Query<StatementQuery>,
) -> Result<JsonBody<CommissionStatement>> {
    let (from, to) = match (day("from", query.from.as_deref())?, day("to", query.to.as_deref())?) {
        (Some(from), Some(to)) => (from, to),
        (from, to) => {
            let month = commissions::days(&ctx, query.iso_id, Period::ThisMonth).await?;
            (from.unwrap_or(month.0), to.unwrap_or(month.1))
        }
    };
    let found = commissions::statement(&ctx, query.iso_id, from, to).await?;
    let sums = |sums: commissions::Totals| CommissionSums {
        currency: sums.currency,
        total: sums.currency.format(sums.total_minor()),
        pending: sums.currency.format(sums.pending_minor),
        approved: sums.currency.format(sums.approved_minor),
        paid: sums.currency.format(sums.paid_minor),
    };
    Ok(JsonBody(CommissionStatement {
        iso_id: found.iso.as_ref().map(|iso| iso.id),
        iso_name: found.iso.as_ref().map(domain::directory::isos::Iso::name),
        company_name: found.iso.map(|iso| iso.company_name),
        from: found.from,
        to: found.to,
        items: found.rows.into_iter().map(|row| Commission::of(&ctx, row)).collect(),
        sums: found.sums.into_iter().map(sums).collect(),
    }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommissionsApproved {
    /// 1 to 200 rows; all are approved, or none.
    #[serde(default)]
    #[schema(required)]
    ids: Vec<CommissionId>,
}

/// Approves rows for the next payout run. Staff.
#[utoipa::path(post, path = "/commissions/approve", operation_id = "commission_approve", tag = "commissions",
    request_body = CommissionsApproved, responses((status = 200, body = ItemList<Commission>)))]
pub async fn approve(
    SignedIn(ctx): SignedIn,
    Json(input): Json<CommissionsApproved>,
) -> Result<JsonBody<ItemList<Commission>>> {
    let found = commissions::approve(&ctx, &input.ids).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(|row| Commission::of(&ctx, row)).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommissionVoided {
    /// Shown to the partner.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Voids a row: it is removed from all totals. Staff.
#[utoipa::path(post, path = "/commissions/{id}/void", operation_id = "commission_void", tag = "commissions",
    params(("id" = CommissionId, Path)), request_body = CommissionVoided, responses((status = 200, body = Commission)))]
pub async fn void(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CommissionId>,
    IfMatch(version): IfMatch,
    Json(input): Json<CommissionVoided>,
) -> Result<Versioned<Commission>> {
    Ok(row(&ctx, commissions::void(&ctx, id, version, &input.reason).await?))
}

/// A payout run, with one transfer per partner and currency.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoutRun {
    id: PayoutRunId,
    #[schema(example = "PAY-2026-001")]
    name: String,
    status: RunStatus,
    created_at: DateTime<Utc>,
    created_by: String,
    paid_date: Option<NaiveDate>,
    payouts: Vec<Payout>,
    /// Whether its payment waits for the approval of a super admin.
    awaits_approval: bool,
    version: i64,
    /// Actions allowed to the caller: `bank`, `pay`, `discard`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Payout {
    iso_id: IsoId,
    iso_name: String,
    company_id: CompanyId,
    company_name: String,
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
    /// Rows of the ledger in this run.
    entries: i64,
}

impl PayoutRun {
    fn of(ctx: &Ctx, detail: RunDetail) -> Self {
        let can = commissions::can_run(ctx, &detail);
        let run = detail.run;
        let payout = |payout: commissions::Payout| Payout {
            iso_id: payout.iso_id,
            iso_name: payout.iso_name(),
            company_id: payout.company_id,
            currency: payout.currency,
            amount: payout.currency.format(payout.amount_minor),
            entries: payout.entries,
            company_name: payout.company_name,
        };
        Self {
            can,
            name: run.name(),
            id: run.id,
            status: run.status,
            created_at: run.created_at,
            created_by: run.created_by,
            paid_date: run.paid_date,
            payouts: detail.payouts.into_iter().map(payout).collect(),
            awaits_approval: detail.awaits_approval,
            version: run.version,
        }
    }
}

fn run_row(ctx: &Ctx, detail: RunDetail) -> Versioned<PayoutRun> {
    Versioned { version: detail.run.version, view: PayoutRun::of(ctx, detail) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRunsQuery {
    /// Sort order; only `-number` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Payout runs, newest first. Staff.
#[utoipa::path(get, path = "/payout-runs", operation_id = "payout_run_list", tag = "commissions", params(ListRunsQuery),
    responses((status = 200, body = Page<PayoutRun>)))]
pub async fn runs(SignedIn(ctx): SignedIn, Query(query): Query<ListRunsQuery>) -> Result<JsonBody<Page<PayoutRun>>> {
    reject_unknown_order(query.order.as_deref(), "-number")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = commissions::runs(&ctx, &page).await?;
    Ok(JsonBody(Page::of(found, |run| PayoutRun::of(&ctx, run))))
}

/// What the next payout run transfers to one partner in one currency.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayoutPreview {
    iso_id: IsoId,
    iso_name: String,
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
    /// Rows of the ledger that it pays.
    entries: i64,
}

/// What a payout run opened now would transfer. Staff.
#[utoipa::path(get, path = "/payout-runs/preview", operation_id = "payout_run_preview", tag = "commissions",
    responses((status = 200, body = ItemList<PayoutPreview>)))]
pub async fn preview_run(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<PayoutPreview>>> {
    let items = commissions::preview(&ctx).await?.into_iter().map(|row| PayoutPreview {
        iso_name: row.iso_name(),
        iso_id: row.iso_id,
        currency: row.currency,
        amount: row.currency.format(row.amount_minor),
        entries: row.entries,
    });
    Ok(JsonBody(ItemList { items: items.collect() }))
}

/// Creates a payout run of all approved rows. Staff.
#[utoipa::path(post, path = "/payout-runs", operation_id = "payout_run_open", tag = "commissions",
    request_body = EmptyBody, responses((status = 201, body = PayoutRun)))]
pub async fn open_run(CreateRequest { ctx, .. }: CreateRequest<EmptyBody>) -> Result<Created<PayoutRun>> {
    let made = commissions::open(&ctx).await?;
    Ok(Created {
        location: format!("/rest/v1/payout-runs/{}", made.run.id),
        version: made.run.version,
        view: PayoutRun::of(&ctx, made),
    })
}

/// One payout run. Staff.
#[utoipa::path(get, path = "/payout-runs/{id}", operation_id = "payout_run_get", tag = "commissions",
    params(("id" = PayoutRunId, Path)), responses((status = 200, body = PayoutRun)))]
pub async fn run(SignedIn(ctx): SignedIn, Path(id): Path<PayoutRunId>) -> Result<Versioned<PayoutRun>> {
    Ok(run_row(&ctx, commissions::run(&ctx, id).await?))
}

/// The transfers of a run as CSV, for the bank. Staff.
#[utoipa::path(get, path = "/payout-runs/{id}/csv", operation_id = "payout_run_csv", tag = "commissions",
    params(("id" = PayoutRunId, Path)), responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn bank(SignedIn(ctx): SignedIn, Path(id): Path<PayoutRunId>) -> Result<Response> {
    // For spreadsheets, not in a bank's format; Excel needs the byte order mark to read UTF-8.
    let text = format!("\u{feff}{}", commissions::bank(&ctx, id).await?);
    let name = format!("attachment; filename=\"payouts-{}.csv\"", &id.to_string()[..8]);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Error::internal)?),
    ];
    Ok((headers, text).into_response())
}

/// The transfers of a run in euros as SEPA credit transfers (ISO 20022 pain.001), for banks that import it. Staff.
#[utoipa::path(get, path = "/payout-runs/{id}/sepa", operation_id = "payout_run_sepa", tag = "commissions",
    params(("id" = PayoutRunId, Path)), responses((status = 200, content_type = "application/xml", body = String)))]
pub async fn sepa(SignedIn(ctx): SignedIn, Path(id): Path<PayoutRunId>) -> Result<Response> {
    let text = commissions::sepa(&ctx, id).await?;
    let name = format!("attachment; filename=\"payouts-{}.xml\"", &id.to_string()[..8]);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/xml")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Error::internal)?),
    ];
    Ok((headers, text).into_response())
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayoutRunPaid {
    /// Default: today in the office's time zone.
    #[schema(example = "2026-11-21")]
    paid_date: Option<String>,
}

/// Marks the transfers of a run as paid; above the limit of four eyes it waits for a second super admin. Staff.
#[utoipa::path(post, path = "/payout-runs/{id}/pay", operation_id = "payout_run_pay", tag = "commissions",
    params(("id" = PayoutRunId, Path)), request_body = PayoutRunPaid,
    responses((status = 200, body = PayoutRun), (status = 202, body = Approval)))]
pub async fn pay_run(
    SignedIn(ctx): SignedIn,
    Path(id): Path<PayoutRunId>,
    IfMatch(version): IfMatch,
    Json(input): Json<PayoutRunPaid>,
) -> Result<Answer<Versioned<PayoutRun>>> {
    let paid = commissions::pay(&ctx, id, version, input.paid_date.as_deref()).await;
    Ok(match done_or_waiting(&ctx, paid).await? {
        Ok(run) => Answer::Done(run_row(&ctx, run)),
        Err(waiting) => waiting.into(),
    })
}

/// Discards a run that is not paid yet. Staff.
#[utoipa::path(post, path = "/payout-runs/{id}/discard", operation_id = "payout_run_discard", tag = "commissions",
    params(("id" = PayoutRunId, Path)), request_body = EmptyBody, responses((status = 200, body = PayoutRun)))]
pub async fn discard_run(
    SignedIn(ctx): SignedIn,
    Path(id): Path<PayoutRunId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<PayoutRun>> {
    Ok(run_row(&ctx, commissions::discard(&ctx, id, version).await?))
}
