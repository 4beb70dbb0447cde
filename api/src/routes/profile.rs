//! The user's profile, places to choose from, and own activity.
use crate::{
    error::Result,
    extract::{IfMatch, Json, Query, SignedIn, clearable, empty_string_as_none},
    response::{ItemList, JsonBody, Page, Versioned},
    routes::activity::Activity,
    state::AppState,
};
use axum::extract::State;
use chrono::NaiveDate;
use domain::{
    accounts::users,
    desk::people,
    kernel::{geo, page::PageQuery},
    platform::activity,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A user's own profile.
#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    first_name: String,
    last_name: String,
    /// Read-only here: changed by `PUT /auth/v1/user`, confirmed at both addresses.
    email: String,
    phone: Option<String>,
    /// Free text.
    company: Option<String>,
    job_title: Option<String>,
    dob: Option<NaiveDate>,
    street_address: Option<String>,
    city: Option<String>,
    /// ISO 3166-2.
    #[schema(example = "US-CA")]
    state: Option<String>,
    zip_code: Option<String>,
    /// ISO 3166 alpha-2.
    #[schema(example = "US")]
    country: Option<String>,
    version: i64,
}

fn row(profile: users::Profile) -> Versioned<Profile> {
    Versioned {
        version: profile.version,
        view: Profile {
            first_name: profile.first_name,
            last_name: profile.last_name,
            email: profile.email,
            phone: profile.phone,
            company: profile.company,
            job_title: profile.job_title,
            dob: profile.dob,
            street_address: profile.street_address,
            city: profile.city,
            state: profile.state,
            zip_code: profile.zip_code,
            country: profile.country,
            version: profile.version,
        },
    }
}

/// Your own profile.
#[utoipa::path(get, path = "/me/profile", operation_id = "profile_get", tag = "me",
    responses((status = 200, body = Profile)))]
pub async fn get(SignedIn(ctx): SignedIn) -> Result<Versioned<Profile>> {
    Ok(row(users::profile(&ctx).await?))
}

/// A patch: omitted fields stay unchanged, null and empty texts clear, except names.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileChange {
    first_name: Option<String>,
    last_name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    phone: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    company: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    job_title: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    #[schema(example = "1984-05-17")]
    dob: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    street_address: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    city: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    state: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    zip_code: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    country: Option<String>,
}

/// Changes your own profile.
#[utoipa::path(patch, path = "/me/profile", operation_id = "profile_update", tag = "me", request_body = ProfileChange,
    responses((status = 200, body = Profile)))]
pub async fn update(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    IfMatch(version): IfMatch,
    Json(change): Json<ProfileChange>,
) -> Result<Versioned<Profile>> {
    let change = users::UpdateProfile {
        first_name: change.first_name,
        last_name: change.last_name,
        phone: change.phone,
        company: change.company,
        job_title: change.job_title,
        dob: change.dob,
        street_address: change.street_address,
        city: change.city,
        state: change.state,
        zip_code: change.zip_code,
        country: change.country,
    };
    let profile = people::update_profile(&ctx, version, change).await?;
    // The cached session contains the name.
    if let Some(id) = ctx.actor.user_id() {
        app.auth.token_cache.forget_user(id);
    }
    Ok(row(profile))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OwnActivityQuery {
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Your own activity log: your actions, and those of others on your account; newest first.
#[utoipa::path(get, path = "/me/activity", operation_id = "me_activity", tag = "me", params(OwnActivityQuery),
    responses((status = 200, body = Page<Activity>)))]
pub async fn log(SignedIn(ctx): SignedIn, Query(query): Query<OwnActivityQuery>) -> Result<JsonBody<Page<Activity>>> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(activity::own(&ctx, &page).await?, |row| Activity::of(&ctx, row))))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PlacesQuery {
    /// A country, to list its states. Default: the countries.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(example = "US")]
    country: Option<String>,
}

/// A country or a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct Place {
    /// ISO 3166 alpha-2, or 3166-2.
    code: &'static str,
    /// For states; clients translate country names themselves.
    name: Option<&'static str>,
}

/// All countries, or the states of one, by name.
#[utoipa::path(get, path = "/places", operation_id = "place_list", tag = "me", params(PlacesQuery),
    responses((status = 200, body = ItemList<Place>)))]
pub async fn places(SignedIn(_ctx): SignedIn, Query(query): Query<PlacesQuery>) -> Result<JsonBody<ItemList<Place>>> {
    let items = match query.country {
        None => geo::countries().iter().map(|code| Place { code, name: None }).collect(),
        Some(country) => {
            let states = geo::states(&country).into_iter();
            states.map(|state| Place { code: state.code, name: Some(state.name) }).collect()
        }
    };
    Ok(JsonBody(ItemList { items }))
}
