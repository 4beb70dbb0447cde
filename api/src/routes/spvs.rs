//! Orders.
use super::consequences::Consequence;
use crate::{
    error::{ApiError, Result},
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, clearable, day, empty_string_as_none, id_list,
        patch_field, sort_order,
    },
    response::{self, Created, ItemList, JsonBody, Page, Versioned},
    routes::steps::{Progress, Step},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    accounts::users,
    kernel::{
        ids::{CompanyId, IsoId, SpvId, StepId, UserId},
        money::{self, Currency},
        page::PageQuery,
    },
    orders::{
        corrections, onboarding,
        spvs::{self, Country, Detail, Filter, IsoFilter, Status},
        steps, templates,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An order. Amounts are decimal numbers in `currency`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Spv {
    id: SpvId,
    /// The first eight characters of the id.
    order_number: String,
    /// Display name: the custom identifier, else `SPV-` and the order number.
    identifier: String,
    custom_identifier: Option<String>,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    /// The client's own reference, on invoices.
    reference: Option<String>,
    client_id: UserId,
    client_name: String,
    client_email: String,
    client_status: users::Status,
    company_id: CompanyId,
    company_name: String,
    iso_id: Option<IsoId>,
    iso_name: Option<String>,
    country: Country,
    currency: Currency,
    /// Our fee.
    #[schema(example = "1250.00")]
    price: Option<String>,
    /// Fee of the authority, which the office passes on.
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Null for clients, like the next two.
    commission: Option<String>,
    /// What the vehicle is to buy.
    purchase_amount: Option<String>,
    /// The purchase amount, else the price.
    amount: Option<String>,
    #[schema(example = "2.5")]
    iso_commission_percentage: Option<String>,
    /// The exact commission of the ISO.
    iso_commission: Option<String>,
    status: Status,
    status_reason: Option<String>,
    #[serde(serialize_with = "response::day")]
    ordered_date: NaiveDate,
    #[serde(serialize_with = "response::instant")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "response::maybe_instant")]
    closed_at: Option<DateTime<Utc>>,
    progress: Progress,
    current_step: Option<String>,
    version: i64,
    /// Actions allowed to the caller: `start`, `hold`, `resume`, `cancel`, `reopen`, `update`, `reassign`, `update_steps`,
    /// `upload`.
    can: Vec<&'static str>,
}

impl Spv {
    pub fn of(ctx: &Ctx, row: spvs::Spv) -> Self {
        let amount = |minor: Option<i64>| minor.map(|minor| row.currency.format(minor));
        let earned = ctx.actor.sees_commission();
        Self {
            can: spvs::can(ctx, &row),
            order_number: row.order_number(),
            identifier: row.identifier(),
            client_name: row.client_name(),
            iso_name: row.iso_name(),
            price: amount(row.price_minor),
            filing_fee: amount(row.filing_fee_minor),
            commission: amount(row.commission_minor.filter(|_| earned)),
            purchase_amount: amount(row.purchase_amount_minor),
            amount: amount(row.amount_minor()),
            iso_commission_percentage: row.iso_commission_percentage.filter(|_| earned).map(money::format_percent),
            iso_commission: amount(row.iso_commission_minor.filter(|_| earned)),
            progress: Progress::of(&row),
            id: row.id,
            custom_identifier: row.custom_identifier,
            vehicle_name: row.vehicle_name,
            reference: row.reference,
            client_id: row.client_id,
            client_email: row.client_email,
            client_status: row.client_status,
            company_id: row.company_id,
            company_name: row.company_name,
            iso_id: row.iso_id,
            country: row.country,
            currency: row.currency,
            status: row.status,
            status_reason: row.status_reason,
            ordered_date: row.ordered_date,
            created_at: row.created_at,
            closed_at: row.closed_at,
            current_step: row.current_step.map(|name| templates::shown(ctx, &name)),
            version: row.version,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SpvDetail {
    #[serde(flatten)]
    spv: Spv,
    steps: Vec<Step>,
}

impl SpvDetail {
    fn of(ctx: &Ctx, detail: Detail) -> Self {
        let steps = detail.steps.into_iter().map(|step| Step::of(ctx, &detail.spv, step)).collect();
        Self { spv: Spv::of(ctx, detail.spv), steps }
    }
}

/// A corrected order, and what followed from the correction.
#[derive(Debug, Serialize, ToSchema)]
pub struct CorrectedSpv {
    #[serde(flatten)]
    spv: SpvDetail,
    consequences: Vec<Consequence>,
}

impl CorrectedSpv {
    fn of(ctx: &Ctx, corrected: corrections::Corrected) -> Self {
        let corrections::Corrected { spv, steps, consequences } = corrected;
        Self {
            spv: SpvDetail::of(ctx, Detail { spv, steps }),
            consequences: consequences.into_iter().map(Consequence::of).collect(),
        }
    }
}

/// The order as a correction would leave it, and what would follow from it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpvPreview {
    spv: SpvDetail,
    consequences: Vec<Consequence>,
}

fn row(ctx: &Ctx, detail: Detail) -> Versioned<SpvDetail> {
    Versioned { version: detail.spv.version, view: SpvDetail::of(ctx, detail) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListSpvsQuery {
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
    /// `ordered_date`, `amount` or `vehicle_name`, with `-` before it for descending; default: `-ordered_date`. By amount
    /// within each currency.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    order: Option<String>,
    /// True adds the number of all orders of the list and the sums of their amounts.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// # Errors
/// Invalid `status`; a malformed ISO's id.
pub fn filter(
    q: Option<String>,
    (status, open): (Option<&str>, bool),
    company_id: Option<CompanyId>,
    iso_id: Option<&str>,
    client_id: Option<UserId>,
) -> Result<Filter> {
    let iso = match iso_id {
        None => None,
        Some("none") => Some(IsoFilter::None),
        Some(id) => Some(IsoFilter::One(id.parse().map_err(|_| ApiError::malformed("iso_id"))?)),
    };
    let status = match status {
        None => None,
        Some(name) => Some(name.parse().map_err(|problem| domain::Error::field_with("status", problem))?),
    };
    Ok(Filter { q, status, open, company_id, iso, client_id, ..Filter::default() })
}

/// # Errors
/// Invalid `country`, `from`, `to`, `order`.
pub fn narrowed(
    filter: Filter,
    country: Option<&str>,
    (from, to): (Option<&str>, Option<&str>),
    order: Option<&str>,
    ids: Option<Vec<Uuid>>,
) -> Result<Filter> {
    let country = country.map(str::parse::<Country>).transpose();
    let country = country.map_err(|problem| domain::Error::field_with("country", problem))?;
    Ok(Filter { country, from: day("from", from)?, to: day("to", to)?, order: sort_order(order)?, ids, ..filter })
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepIds {
    #[serde(default)]
    #[schema(required)]
    ids: Vec<StepId>,
}

/// Completes several steps of an order, all of them or none.
#[utoipa::path(post, path = "/spvs/{id}/steps/complete", operation_id = "step_complete", tag = "steps",
    params(("id" = SpvId, Path)), request_body = StepIds, responses((status = 200, body = SpvDetail)))]
pub async fn complete_steps(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(StepIds { ids }): Json<StepIds>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, steps::complete(&ctx, id, version, &ids).await?))
}

/// Reorders the steps of an order; `ids` names each of them once.
#[utoipa::path(post, path = "/spvs/{id}/steps/order", operation_id = "step_order", tag = "steps",
    params(("id" = SpvId, Path)), request_body = StepIds, responses((status = 200, body = SpvDetail)))]
pub async fn order_steps(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(StepIds { ids }): Json<StepIds>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, steps::reorder(&ctx, id, version, &ids).await?))
}

/// Orders you may see, by default newest first by ordered date.
#[utoipa::path(get, path = "/spvs", operation_id = "spv_list", tag = "spvs", params(ListSpvsQuery),
    responses((status = 200, body = Page<Spv>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListSpvsQuery>) -> Result<JsonBody<Page<Spv>>> {
    let ListSpvsQuery {
        q,
        status,
        open,
        company_id,
        iso_id,
        client_id,
        country,
        from,
        to,
        ids,
        order,
        count,
        limit,
        cursor,
    } = query;
    let filter = filter(q, (status.as_deref(), open), company_id, iso_id.as_deref(), client_id)?;
    let days = (from.as_deref(), to.as_deref());
    let filter = narrowed(filter, country.as_deref(), days, order.as_deref(), ids)?;
    let found = spvs::list(&ctx, &filter, &PageQuery { limit, cursor }).await?;
    let page = Page::of(found, |spv| Spv::of(&ctx, spv));
    Ok(JsonBody(page.counted(count, spvs::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSpv {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = UserId)]
    client_id: Option<UserId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Unique in the company; default: generated from the time.
    custom_identifier: Option<String>,
    /// The name of the company that the order forms, at most 200 characters.
    vehicle_name: Option<String>,
    /// The client's own reference, at most 64 characters.
    reference: Option<String>,
    #[schema(required, value_type = String, example = "250000.00")]
    purchase_amount: Option<String>,
    currency: Option<String>,
    /// Our fee; an invoice is issued for it.
    #[schema(example = "1250.00")]
    price: Option<String>,
    /// Fee of the authority, a line of its own on the invoice; only with a price.
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Only with an ISO; up to four decimals.
    #[schema(example = "2.5")]
    iso_commission_percentage: Option<String>,
    /// Country of formation; default: US.
    country: Option<String>,
    /// Default: today in your time zone.
    #[schema(example = "2026-11-21")]
    ordered_date: Option<String>,
}

/// Creates a pending order with the steps of its country.
#[utoipa::path(post, path = "/spvs", operation_id = "spv_create", tag = "spvs", request_body = NewSpv,
    responses((status = 201, body = SpvDetail)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewSpv>) -> Result<Created<SpvDetail>> {
    let input = onboarding::OrderInput {
        client_id: input.client_id,
        company_id: input.company_id,
        iso_id: input.iso_id,
        custom_identifier: input.custom_identifier,
        vehicle_name: input.vehicle_name,
        reference: input.reference,
        purchase_amount: input.purchase_amount,
        currency: input.currency,
        price: input.price,
        filing_fee: input.filing_fee,
        iso_commission_percentage: input.iso_commission_percentage,
        country: input.country,
        ordered_date: input.ordered_date,
    };
    let made = onboarding::create_order(&ctx, input).await?;
    Ok(Created {
        location: format!("/rest/v1/spvs/{}", made.spv.id),
        version: made.spv.version,
        view: SpvDetail::of(&ctx, made),
    })
}

/// One order with its steps.
#[utoipa::path(get, path = "/spvs/{id}", operation_id = "spv_get", tag = "spvs", params(("id" = SpvId, Path)),
    responses((status = 200, body = SpvDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<SpvId>) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::get(&ctx, id).await?))
}

/// A patch: omitted fields stay unchanged, null clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SpvChange {
    /// Unique in the company.
    #[serde(default, deserialize_with = "clearable")]
    custom_identifier: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    reference: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    vehicle_name: Option<String>,
    /// A commission that is a percentage follows it.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "250000.00")]
    purchase_amount: Option<String>,
    #[schema(example = "2026-11-21")]
    ordered_date: Option<String>,
    /// Our fee. Its invoices follow: unpaid ones are voided and raised anew, paid ones credited or followed by a further one.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "1250.00")]
    price: Option<String>,
    /// Fee of the authority; its invoices follow, too.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Only while nothing is paid and no commission settled; amounts that are left out stay the same decimal numbers.
    #[schema(example = "USD")]
    currency: Option<String>,
    /// A fixed commission, only with an ISO; replaces a percentage.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "500.00")]
    commission: Option<String>,
    /// Only with an ISO; up to four decimals; replaces a fixed commission.
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "2.5")]
    iso_commission_percentage: Option<String>,
    /// Belongs to the company, as the ISO does. Super admins.
    client_id: Option<UserId>,
    /// Super admins.
    company_id: Option<CompanyId>,
    /// Null: without an ISO and its commission. Super admins.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<IsoId>)]
    iso_id: Option<Option<IsoId>>,
    /// While every step is pending: the steps of the country's template replace the old ones.
    #[schema(example = "JP")]
    country: Option<String>,
}

impl From<SpvChange> for corrections::Correction {
    fn from(change: SpvChange) -> Self {
        Self {
            custom_identifier: change.custom_identifier,
            reference: change.reference,
            vehicle_name: change.vehicle_name,
            purchase_amount: change.purchase_amount,
            ordered_date: change.ordered_date,
            price: change.price,
            filing_fee: change.filing_fee,
            currency: change.currency,
            commission: change.commission,
            iso_commission_percentage: change.iso_commission_percentage,
            client_id: change.client_id,
            company_id: change.company_id,
            iso_id: change.iso_id,
            country: change.country,
        }
    }
}

/// Corrects an open order; its invoices, commissions and steps follow. `POST …/preview` shows what will follow. Staff;
/// client, company and ISO: super admins.
#[utoipa::path(patch, path = "/spvs/{id}", operation_id = "spv_update", tag = "spvs", params(("id" = SpvId, Path)),
    request_body = SpvChange, responses((status = 200, body = CorrectedSpv)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(change): Json<SpvChange>,
) -> Result<Versioned<CorrectedSpv>> {
    let corrected = corrections::correct(&ctx, id, version, change.into()).await?;
    Ok(Versioned { version: corrected.spv.version, view: CorrectedSpv::of(&ctx, corrected) })
}

/// What a correction of an open order would change, and what would follow from it; nothing is saved. Staff.
///
/// Numbers of invoices and credit notes are those that are next now.
#[utoipa::path(post, path = "/spvs/{id}/preview", operation_id = "spv_preview", tag = "spvs",
    params(("id" = SpvId, Path)), request_body = SpvChange, responses((status = 200, body = SpvPreview)))]
pub async fn preview(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(change): Json<SpvChange>,
) -> Result<JsonBody<SpvPreview>> {
    let corrected = corrections::preview(&ctx, id, version, change.into()).await?;
    let CorrectedSpv { spv, consequences } = CorrectedSpv::of(&ctx, corrected);
    Ok(JsonBody(SpvPreview { spv, consequences }))
}

/// The steps of one order, in order.
#[utoipa::path(get, path = "/spvs/{id}/steps", operation_id = "step_list", tag = "spvs", params(("id" = SpvId, Path)),
    responses((status = 200, body = ItemList<Step>)))]
pub async fn steps(SignedIn(ctx): SignedIn, Path(id): Path<SpvId>) -> Result<JsonBody<ItemList<Step>>> {
    let detail = SpvDetail::of(&ctx, spvs::get(&ctx, id).await?);
    Ok(JsonBody(ItemList { items: detail.steps }))
}

/// Start Processing.
#[utoipa::path(post, path = "/spvs/{id}/start", operation_id = "spv_start", tag = "spvs", params(("id" = SpvId, Path)),
    request_body = EmptyBody, responses((status = 200, body = SpvDetail)))]
pub async fn start(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::start(&ctx, id, version).await?))
}

/// Resumes an order that is on hold, in its previous status.
#[utoipa::path(post, path = "/spvs/{id}/resume", operation_id = "spv_resume", tag = "spvs",
    params(("id" = SpvId, Path)), request_body = EmptyBody, responses((status = 200, body = SpvDetail)))]
pub async fn resume(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::resume(&ctx, id, version).await?))
}

/// Reason, shown to the client.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    #[serde(default)]
    #[schema(required)]
    pub reason: String,
}

/// Puts an open order on hold.
#[utoipa::path(post, path = "/spvs/{id}/hold", operation_id = "spv_hold", tag = "spvs", params(("id" = SpvId, Path)),
    request_body = Reason, responses((status = 200, body = SpvDetail)))]
pub async fn hold(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(Reason { reason }): Json<Reason>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::hold(&ctx, id, version, &reason).await?))
}

/// Cancels an open order.
#[utoipa::path(post, path = "/spvs/{id}/cancel", operation_id = "spv_cancel", tag = "spvs",
    params(("id" = SpvId, Path)), request_body = Reason, responses((status = 200, body = SpvDetail)))]
pub async fn cancel(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(Reason { reason }): Json<Reason>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::cancel(&ctx, id, version, &reason).await?))
}

/// Reopens a closed order to processing, a cancelled one to its previous status.
#[utoipa::path(post, path = "/spvs/{id}/reopen", operation_id = "spv_reopen", tag = "spvs",
    params(("id" = SpvId, Path)), request_body = Reason, responses((status = 200, body = SpvDetail)))]
pub async fn reopen(
    SignedIn(ctx): SignedIn,
    Path(id): Path<SpvId>,
    IfMatch(version): IfMatch,
    Json(Reason { reason }): Json<Reason>,
) -> Result<Versioned<SpvDetail>> {
    Ok(row(&ctx, spvs::reopen(&ctx, id, version, &reason).await?))
}
