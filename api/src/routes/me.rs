//! The signed-in user.
use crate::{
    error::Result,
    extract::{Json, Query, SignedIn},
    response::{JsonBody, Page},
    state::AppState,
};
use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    Action, Actor, Ctx,
    accounts::{
        auth::{device, sign_in_history},
        users::{self, DateFormat, Preferences, Theme},
    },
    desk::requests::Kind,
    kernel::{
        access::{self, Resource, Role},
        ids::{ActivityId, UserId},
        page::PageQuery,
    },
    platform::activity::Activity,
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
    /// IANA time zone name.
    time_zone: String,
    theme: Theme,
    date_format: DateFormat,
    company: Option<Named>,
    iso: Option<Named>,
    /// True while the password was set by another person.
    must_change_password: bool,
    /// True until a password is set: the account was created by staff and is not set up yet.
    first_password: bool,
    mfa: Mfa,
    /// Set while a super admin impersonates this user.
    impersonation: Option<MeImpersonation>,
    /// Actions allowed to the caller beside those of rows: `create_client`, `create_company`, `create_iso`,
    /// `create_spv`, `seed`, `view_revenue`, `view_jobs`.
    can: Vec<&'static str>,
    /// Kinds of requests that the caller may send to the office.
    request_kinds: &'static [Kind],
}

/// The second factor. While it is due, everything but this route, the settings and signing in is refused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MeMfa)]
pub struct Mfa {
    /// Required by the office for this role.
    required: bool,
    enrolled: bool,
    /// Of this session: `aal2` after the second factor.
    #[schema(value_type = Aal)]
    aal: &'static str,
    #[schema(value_type = Option<Due>)]
    due: Option<&'static str>,
}

/// The impersonator, and the end of the impersonation.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeImpersonation {
    by: String,
    until: DateTime<Utc>,
}

/// Authenticator assurance level of a session.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only described")]
enum Aal {
    Aal1,
    Aal2,
}

/// Required before anything else: verify the second factor, or enrol one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only described")]
enum Due {
    Challenge,
    Enrol,
}

/// A row's id and name.
#[derive(Debug, Serialize, ToSchema)]
pub struct Named {
    pub id: Uuid,
    pub name: String,
}

/// Supported languages.
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
        let mfa = match &ctx.actor {
            Actor::User(who) => who.mfa,
            _ => access::Mfa::default(),
        };
        Self {
            id: user.id,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            role: user.role,
            status: user.status,
            language: user.language,
            time_zone: user.time_zone,
            theme: user.theme,
            date_format: user.date_format,
            company: me.company.map(|(id, name)| Named { id: id.0, name }),
            iso: me.iso.map(|(id, name)| Named { id: id.0, name }),
            must_change_password: user.must_change_password && ctx.actor.impersonator().is_none(),
            first_password: user.status == users::Status::Pending || user.password_hash.is_none(),
            impersonation: ctx.actor.impersonator().map(|by| MeImpersonation { by: by.name.clone(), until: by.until }),
            mfa: Mfa {
                required: mfa.required,
                enrolled: mfa.enrolled,
                aal: mfa.aal(),
                due: mfa.pending().map(|due| match due {
                    access::PendingRequirement::Challenge => "challenge",
                    access::PendingRequirement::Enrol => "enrol",
                }),
            },
            can: can(ctx),
            request_kinds: Kind::of(&ctx.actor),
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

/// The signed-in user, and allowed actions.
#[utoipa::path(get, path = "/me", operation_id = "me_get", tag = "me", responses((status = 200, body = Me)))]
pub async fn get(SignedIn(ctx): SignedIn) -> Result<JsonBody<Me>> {
    Ok(JsonBody(Me::of(&ctx, users::me(&ctx).await?)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeChange {
    #[schema(value_type = Option<Language>)]
    language: Option<String>,
    /// IANA time zone name.
    #[schema(example = "Europe/Madrid")]
    time_zone: Option<String>,
    theme: Option<Theme>,
    date_format: Option<DateFormat>,
}

/// Sets display preferences: language, time zone, colours, dates.
#[utoipa::path(patch, path = "/me", operation_id = "me_update", tag = "me", request_body = MeChange,
    responses((status = 200, body = Me)))]
pub async fn update(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Json(change): Json<MeChange>,
) -> Result<JsonBody<Me>> {
    let preferences = Preferences {
        language: change.language,
        time_zone: change.time_zone,
        theme: change.theme,
        date_format: change.date_format,
    };
    let user = users::set_preferences(&ctx, preferences).await?;
    // The cached session contains the language and time zone.
    app.auth.token_cache.forget_user(user.id);
    Ok(JsonBody(Me::of(&ctx, users::me(&ctx).await?)))
}

/// A sign-in event of your own: begun, refused or ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignIn {
    id: ActivityId,
    at: DateTime<Utc>,
    #[schema(value_type = Outcome)]
    outcome: &'static str,
    /// `password`, `totp`, `otp` …
    method: Option<String>,
    /// Reason of the failure or the end.
    reason: Option<String>,
    address: Option<String>,
    user_agent: Option<String>,
    #[schema(example = "Chrome on Linux")]
    device: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignInOutcome)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only described")]
enum Outcome {
    Succeeded,
    Failed,
    Ended,
}

impl SignIn {
    pub fn of(row: Activity, language: &str) -> Self {
        let text = |name: &str| row.data.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        Self {
            outcome: match row.action.as_str() {
                "session.started" => "succeeded",
                "session.ended" => "ended",
                _ => "failed",
            },
            // The provider's name says more than the method `provider`.
            method: text("provider").or_else(|| text("method")),
            reason: text("reason"),
            device: device::name(language, row.user_agent.as_deref()),
            id: row.id,
            at: row.at,
            address: row.address,
            user_agent: row.user_agent,
        }
    }
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SignInQuery {
    #[serde(default, deserialize_with = "crate::extract::empty_string_as_none")]
    #[param(minimum = 1, maximum = 500, value_type = Option<u32>)]
    limit: Option<u32>,
    cursor: Option<String>,
}

/// Your own sign-ins, newest first.
#[utoipa::path(get, path = "/me/sign-ins", operation_id = "me_sign_ins", tag = "me", params(SignInQuery),
    responses((status = 200, body = Page<SignIn>)))]
pub async fn sign_ins(SignedIn(ctx): SignedIn, Query(query): Query<SignInQuery>) -> Result<JsonBody<Page<SignIn>>> {
    let page = sign_in_history::list(&ctx, &PageQuery { limit: query.limit, cursor: query.cursor }).await?;
    Ok(JsonBody(Page::of(page, |row| SignIn::of(row, ctx.language()))))
}
