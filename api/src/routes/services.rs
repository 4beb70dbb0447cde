//! Price list: services by country.
use crate::{
    error::Result,
    extract::{CreateRequest, IfMatch, Json, Path, Query, SignedIn, clearable},
    response::{Created, ItemList, JsonBody, Versioned},
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    kernel::{geo::Country, ids::ServiceId, money::Currency},
    orders::services::{self, Input},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A service that the office offers.
#[derive(Debug, Serialize, ToSchema)]
pub struct Service {
    id: ServiceId,
    country: Country,
    name: String,
    currency: Currency,
    /// Our fee.
    #[schema(example = "1250.00")]
    price: String,
    /// The fee of the authority, which the office passes on.
    #[schema(example = "90.00")]
    filing_fee: String,
    /// Inactive services are not offered; clients do not see them.
    active: bool,
    updated_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `update`, `delete`.
    can: Vec<&'static str>,
}

impl Service {
    fn of(ctx: &Ctx, service: services::Service) -> Self {
        Self {
            price: service.currency.format(service.price_minor),
            filing_fee: service.currency.format(service.filing_fee_minor),
            id: service.id,
            country: service.country,
            name: service.name,
            currency: service.currency,
            active: service.active,
            updated_at: service.updated_at,
            version: service.version,
            can: services::can(ctx),
        }
    }
}

fn row(ctx: &Ctx, service: services::Service) -> Versioned<Service> {
    Versioned { version: service.version, view: Service::of(ctx, service) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ServicesQuery {
    country: Option<Country>,
}

/// The price list by country and name: all services for staff, the active ones for clients.
#[utoipa::path(get, path = "/services", operation_id = "service_list", tag = "services", params(ServicesQuery),
    responses((status = 200, body = ItemList<Service>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ServicesQuery>) -> Result<JsonBody<ItemList<Service>>> {
    let found = services::list(&ctx, query.country).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(|service| Service::of(&ctx, service)).collect() }))
}

/// One service.
#[utoipa::path(get, path = "/services/{id}", operation_id = "service_get", tag = "services",
    params(("id" = ServiceId, Path)), responses((status = 200, body = Service)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<ServiceId>) -> Result<Versioned<Service>> {
    Ok(row(&ctx, services::get(&ctx, id).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewService {
    #[schema(required, value_type = Country)]
    country: Option<String>,
    /// Unique in the country, at most 120 characters.
    #[schema(required, value_type = String, example = "Delaware LLC")]
    name: Option<String>,
    /// Default: the office's.
    currency: Option<String>,
    /// Our fee.
    #[schema(required, value_type = String, example = "1250.00")]
    price: Option<String>,
    /// The fee of the authority, which the office passes on.
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Default: true.
    active: Option<bool>,
}

/// Adds a service to the price list. Super admins.
#[utoipa::path(post, path = "/services", operation_id = "service_create", tag = "services", request_body = NewService,
    responses((status = 201, body = Service)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewService>) -> Result<Created<Service>> {
    let NewService { country, name, currency, price, filing_fee, active } = input;
    let made = services::create(&ctx, Input { country, name, currency, price, filing_fee, active }).await?;
    Ok(Created {
        location: format!("/rest/v1/services/{}", made.id),
        version: made.version,
        view: Service::of(&ctx, made),
    })
}

/// A patch: omitted fields stay unchanged; null clears the filing fee.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceChange {
    country: Option<String>,
    name: Option<String>,
    currency: Option<String>,
    #[schema(example = "1250.00")]
    price: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    active: Option<bool>,
}

/// Changes a service; orders keep their amounts. Super admins.
#[utoipa::path(patch, path = "/services/{id}", operation_id = "service_update", tag = "services",
    params(("id" = ServiceId, Path)), request_body = ServiceChange, responses((status = 200, body = Service)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ServiceId>,
    IfMatch(version): IfMatch,
    Json(input): Json<ServiceChange>,
) -> Result<Versioned<Service>> {
    let ServiceChange { country, name, currency, price, filing_fee, active } = input;
    let input = Input { country, name, currency, price, filing_fee, active };
    Ok(row(&ctx, services::update(&ctx, id, version, input).await?))
}

/// Deletes a service; orders and requests keep their amounts. Super admins.
#[utoipa::path(delete, path = "/services/{id}", operation_id = "service_delete", tag = "services",
    params(("id" = ServiceId, Path)), responses((status = 204)))]
pub async fn delete(
    SignedIn(ctx): SignedIn,
    Path(id): Path<ServiceId>,
    IfMatch(version): IfMatch,
) -> Result<StatusCode> {
    services::delete(&ctx, id, version).await?;
    Ok(StatusCode::NO_CONTENT)
}
