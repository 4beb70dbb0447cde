//! Public holidays, by which business days are counted.
use crate::{
    error::Result,
    extract::{CreateRequest, Path, Query, SignedIn},
    response::{Created, ItemList, JsonBody},
};
use axum::http::StatusCode;
use chrono::NaiveDate;
use domain::{
    kernel::{geo::Country, ids::HolidayId},
    platform::holidays,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A public holiday, or a day that a super admin corrected.
#[derive(Debug, Serialize, ToSchema)]
pub struct Holiday {
    country: Country,
    day: NaiveDate,
    /// Null for a day that a correction made a business day.
    #[schema(example = "Thanksgiving Day")]
    name: Option<String>,
    /// By a moon calendar, and not announced yet.
    estimate: bool,
    /// The correction, if it is one.
    correction_id: Option<HolidayId>,
}

impl From<holidays::Holiday> for Holiday {
    fn from(holiday: holidays::Holiday) -> Self {
        Self {
            country: holiday.country,
            day: holiday.day,
            name: holiday.name,
            estimate: holiday.is_estimate,
            correction_id: holiday.correction,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HolidaysQuery {
    country: Country,
}

/// Public holidays of a country for ten years, by day, with the corrected days.
#[utoipa::path(get, path = "/holidays", operation_id = "holiday_list", tag = "settings", params(HolidaysQuery),
    responses((status = 200, body = ItemList<Holiday>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<HolidaysQuery>) -> Result<JsonBody<ItemList<Holiday>>> {
    let found = holidays::list(&ctx, query.country).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(Holiday::from).collect() }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewHoliday {
    #[serde(default)]
    #[schema(required, value_type = Country)]
    country: String,
    #[serde(default)]
    #[schema(required, example = "2027-03-09")]
    day: String,
    /// Without one the day becomes a business day.
    name: Option<String>,
}

/// Makes a day a public holiday, or without a name a business day. Due dates that exist stay. Super admins.
#[utoipa::path(post, path = "/holidays", operation_id = "holiday_create", tag = "settings", request_body = NewHoliday,
    responses((status = 201, body = Holiday)))]
pub async fn create(CreateRequest { ctx, input, .. }: CreateRequest<NewHoliday>) -> Result<Created<Holiday>> {
    let made = holidays::correct(&ctx, &input.country, &input.day, input.name.as_deref()).await?;
    let view = Holiday {
        country: made.country,
        day: made.day,
        name: made.name,
        estimate: false,
        correction_id: Some(made.id),
    };
    Ok(Created { location: format!("/rest/v1/holidays/{}", made.id), version: 1, view })
}

/// Takes the correction of a day back. Super admins.
#[utoipa::path(delete, path = "/holidays/{id}", operation_id = "holiday_delete", tag = "settings",
    params(("id" = HolidayId, Path)), responses((status = 204)))]
pub async fn delete(SignedIn(ctx): SignedIn, Path(id): Path<HolidayId>) -> Result<StatusCode> {
    holidays::restore(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
