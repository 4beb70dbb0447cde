//! Leads of partners.
use crate::{
    error::{ApiError, Result},
    extract::{CreateRequest, IfMatch, Json, Path, Query, SignedIn, empty_string_as_none, id_list, sort_order},
    response::{Created, JsonBody, Page, Versioned},
    routes::clients::SetUp,
    state::AppState,
};
use axum::extract::State;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx, Error,
    directory::leads::{self, Change, Filter, Input, Stage},
    kernel::{
        ids::{CompanyId, IsoId, LeadId, SpvId, UserId},
        page::PageQuery,
    },
    orders::onboarding::{self, ConversionTerms},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Lead {
    id: LeadId,
    iso_id: IsoId,
    iso_name: String,
    company_id: CompanyId,
    /// The partner's company, to which a converted client belongs.
    company_name: String,
    first_name: String,
    last_name: String,
    email: String,
    phone: Option<String>,
    organisation: Option<String>,
    note: Option<String>,
    stage: Stage,
    next_step: Option<String>,
    next_step_date: Option<NaiveDate>,
    /// Last day of protection against other partners adding the same person.
    protected_until: NaiveDate,
    /// Days until then: 0 on that day, null once it is over.
    protected_days: Option<i64>,
    /// The client and order that it was converted to.
    client_id: Option<UserId>,
    spv_id: Option<SpvId>,
    converted_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `update`, `convert`.
    can: Vec<&'static str>,
}

impl Lead {
    fn of(ctx: &Ctx, row: leads::Lead) -> Self {
        Self {
            can: leads::can(ctx, &row),
            iso_name: row.iso_name(),
            protected_days: row.protected_days(ctx.now()),
            id: row.id,
            iso_id: row.iso_id,
            company_id: row.company_id,
            company_name: row.company_name,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone: row.phone,
            organisation: row.organisation,
            note: row.note,
            stage: row.stage,
            next_step: row.next_step,
            next_step_date: row.next_step_date,
            protected_until: row.protected_until,
            client_id: row.client_id,
            spv_id: row.spv_id,
            converted_at: row.converted_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

fn row(ctx: &Ctx, lead: leads::Lead) -> Versioned<Lead> {
    Versioned { version: lead.version, view: Lead::of(ctx, lead) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListLeadsQuery {
    /// Search by word prefixes in name, email and organisation.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Stage>)]
    stage: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Only these leads: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `created_at`, `first_name` or `next_step_date`, with `-` before it for descending; default: `-created_at`. Leads
    /// without a next step come last.
    order: Option<String>,
    /// True adds the number of all leads of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ListLeadsQuery {
    pub fn read(self) -> Result<(Filter, PageQuery)> {
        let stage = self.stage.as_deref().map(str::parse).transpose();
        let stage = stage.map_err(|problem| ApiError::from(Error::field_with("stage", problem)))?;
        let order = sort_order(self.order.as_deref())?;
        let filter = Filter { q: self.q, stage, iso_id: self.iso_id, order, ids: self.ids };
        Ok((filter, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// Leads, newest first: an ISO's own, or all for staff.
#[utoipa::path(get, path = "/leads", operation_id = "lead_list", tag = "leads", params(ListLeadsQuery),
    responses((status = 200, body = Page<Lead>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListLeadsQuery>) -> Result<JsonBody<Page<Lead>>> {
    let count = query.count;
    let (filter, page) = query.read()?;
    let found = leads::list(&ctx, &filter, &page).await?;
    let page = Page::of(found, |lead| Lead::of(&ctx, lead));
    Ok(JsonBody(page.counted(count, leads::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLead {
    #[serde(default)]
    #[schema(required)]
    first_name: String,
    #[serde(default)]
    #[schema(required)]
    last_name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    phone: Option<String>,
    organisation: Option<String>,
    note: Option<String>,
    next_step: Option<String>,
    #[schema(example = "2026-12-01")]
    next_step_date: Option<String>,
}

/// Adds a lead, protected for 90 days. ISO partners. A person already taken is rejected without further details.
#[utoipa::path(post, path = "/leads", operation_id = "lead_create", tag = "leads", request_body = NewLead,
    responses((status = 201, body = Lead)))]
pub async fn create(
    State(app): State<AppState>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewLead>,
) -> Result<Created<Lead>> {
    app.check_request_limit(&ctx.actor)?;
    let typed = Input {
        first_name: input.first_name,
        last_name: input.last_name,
        email: input.email,
        phone: input.phone,
        organisation: input.organisation,
        note: input.note,
        next_step: input.next_step,
        next_step_date: input.next_step_date,
    };
    let lead = leads::create(&ctx, typed).await?;
    Ok(Created { location: format!("/rest/v1/leads/{}", lead.id), version: lead.version, view: Lead::of(&ctx, lead) })
}

/// One lead.
#[utoipa::path(get, path = "/leads/{id}", operation_id = "lead_get", tag = "leads",
    params(("id" = LeadId, Path)), responses((status = 200, body = Lead)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<LeadId>) -> Result<Versioned<Lead>> {
    Ok(row(&ctx, leads::get(&ctx, id).await?))
}

/// A patch: omitted fields stay unchanged, empty ones are cleared.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LeadChange {
    first_name: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    organisation: Option<String>,
    note: Option<String>,
    next_step: Option<String>,
    #[schema(example = "2026-12-01")]
    next_step_date: Option<String>,
    /// `new`, `contacted`, `qualified` or `lost`.
    stage: Option<String>,
}

/// Changes a lead. Its partner, and staff.
#[utoipa::path(patch, path = "/leads/{id}", operation_id = "lead_update", tag = "leads",
    params(("id" = LeadId, Path)), request_body = LeadChange, responses((status = 200, body = Lead)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<LeadId>,
    IfMatch(version): IfMatch,
    Json(input): Json<LeadChange>,
) -> Result<Versioned<Lead>> {
    let change = Change {
        first_name: input.first_name,
        last_name: input.last_name,
        email: input.email,
        phone: input.phone,
        organisation: input.organisation,
        note: input.note,
        next_step: input.next_step,
        next_step_date: input.next_step_date,
        stage: input.stage,
    };
    Ok(row(&ctx, leads::update(&ctx, id, version, change).await?))
}

/// Terms of the order that a lead is converted to; person and partner come from the lead.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LeadConverted {
    /// Default: `quick`.
    setup: Option<SetUp>,
    #[schema(required, value_type = String, example = "1250.00")]
    price: Option<String>,
    #[schema(required, value_type = String, example = "125.00")]
    commission: Option<String>,
    country: Option<String>,
    currency: Option<String>,
}

/// Converts a lead to a client with an order and the lead's partner, once. Staff.
#[utoipa::path(post, path = "/leads/{id}/convert", operation_id = "lead_convert", tag = "leads",
    params(("id" = LeadId, Path)), request_body = LeadConverted, responses((status = 200, body = Lead)))]
pub async fn convert(
    SignedIn(ctx): SignedIn,
    Path(id): Path<LeadId>,
    IfMatch(version): IfMatch,
    Json(input): Json<LeadConverted>,
) -> Result<Versioned<Lead>> {
    let terms = ConversionTerms {
        price: input.price,
        commission: input.commission,
        country: input.country,
        currency: input.currency,
    };
    Ok(row(&ctx, onboarding::convert_lead(&ctx, id, version, input.setup.unwrap_or(SetUp::Quick).into(), terms).await?))
}
