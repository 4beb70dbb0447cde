//! The caller.
use crate::{
    error::Result,
    extract::{Json, SignedIn},
};
use axum::Json as Answer;
use domain::{
    Action, Ctx,
    access::{Resource, Role},
    ids::UserId,
    users,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    id: UserId,
    email: String,
    first_name: String,
    last_name: String,
    role: Role,
    status: users::Status,
    #[schema(value_type = Language)]
    language: String,
    /// IANA name.
    time_zone: String,
    company: Option<Named>,
    iso: Option<Named>,
    /// True while the password is one that somebody else chose.
    must_change_password: bool,
    /// What the caller may do beside what rows say of themselves: `create_client`, `create_company`,
    /// `create_iso`, `create_spv`, `seed`, `view_revenue`, `view_jobs`.
    can: Vec<&'static str>,
}

/// A row by its name.
#[derive(Debug, Serialize, ToSchema)]
pub struct Named {
    pub id: Uuid,
    pub name: String,
}

/// The languages people may choose.
#[derive(Debug, Serialize, ToSchema)]
#[expect(dead_code, reason = "only described")]
enum Language {
    #[serde(rename = "en-US")]
    AmericanEnglish,
    #[serde(rename = "en-GB")]
    BritishEnglish,
    #[serde(rename = "es")]
    Spanish,
}

impl Me {
    fn of(ctx: &Ctx, me: users::Me) -> Self {
        let user = me.user;
        Self {
            id: user.id,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            role: user.role,
            status: user.status,
            language: user.language,
            time_zone: user.time_zone,
            company: me.company.map(|(id, name)| Named { id: id.0, name }),
            iso: me.iso.map(|(id, name)| Named { id: id.0, name }),
            must_change_password: user.must_change_password,
            can: can(ctx),
        }
    }
}

fn can(ctx: &Ctx) -> Vec<&'static str> {
    let demo = ctx.options.demo;
    [
        ("create_client", Action::Create, Resource::NewClient, true),
        ("create_company", Action::Create, Resource::NewCompany, true),
        ("create_iso", Action::Create, Resource::NewIso, true),
        ("create_spv", Action::Create, Resource::NewSpv, true),
        ("seed", Action::Seed, Resource::TestData, demo),
        ("view_revenue", Action::View, Resource::Revenue, true),
        ("view_jobs", Action::View, Resource::Jobs, true),
    ]
    .into_iter()
    .filter(|(_, action, resource, fits)| *fits && ctx.can(*action, *resource))
    .map(|(name, ..)| name)
    .collect()
}

/// Who you are, and what you may do.
#[utoipa::path(get, path = "/me", operation_id = "me_get", tag = "me", responses((status = 200, body = Me)))]
pub async fn get(SignedIn(ctx): SignedIn) -> Result<Answer<Me>> {
    Ok(Answer(Me::of(&ctx, users::me(&ctx).await?)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeChange {
    #[schema(value_type = Option<Language>)]
    language: Option<String>,
    /// IANA name.
    #[schema(example = "Europe/Madrid")]
    time_zone: Option<String>,
}

/// Chooses your language and time zone.
#[utoipa::path(patch, path = "/me", operation_id = "me_update", tag = "me", request_body = MeChange,
    responses((status = 200, body = Me)))]
pub async fn update(SignedIn(ctx): SignedIn, Json(change): Json<MeChange>) -> Result<Answer<Me>> {
    users::set_preferences(&ctx, change.language.as_deref(), change.time_zone.as_deref()).await?;
    Ok(Answer(Me::of(&ctx, users::me(&ctx).await?)))
}
