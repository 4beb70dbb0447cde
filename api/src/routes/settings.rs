//! What the office says of itself.
use crate::{
    error::Result,
    extract::{Anyone, Json, SignedIn},
    routes::maintenance::Maintenance,
    state::App,
};
use axum::{Json as Answer, extract::State};
use domain::{
    Action, Ctx,
    access::Resource,
    auth::passwords,
    settings::{self, Billing, NeedsMfa, Pages, Representative, RequireMfa, Security},
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

const BRAND: &str = "SPV Portal";

/// Null is unset, and then shown nowhere.
#[derive(Debug, Serialize, ToSchema)]
pub struct Settings {
    brand_name: String,
    /// Demo data, and the Seed Test Data button.
    demo: bool,
    support_email: Option<String>,
    support_phone: Option<String>,
    representative: Option<Representative>,
    /// The operator's own words for pages that are not linked while empty.
    pages: Pages,
    /// Other ways to sign in than a password: `google`, `azure` (Microsoft), as far as they are configured.
    sign_in_providers: Vec<&'static str>,
    /// Whose sign-in needs a second factor.
    require_mfa: NeedsMfa,
    /// Characters of a new password.
    password_min_length: u64,
    /// While the portal is being maintained.
    maintenance: Option<Maintenance>,
    /// How long sessions last; for super admins.
    security: Option<Security>,
    /// The office as it stands on its invoices; for super admins.
    billing: Option<Billing>,
}

/// The office's settings. No sign-in needed.
#[utoipa::path(get, path = "/settings", operation_id = "settings_get", tag = "settings", security(()),
    responses((status = 200, body = Settings)))]
pub async fn get(State(app): State<App>, Anyone(ctx): Anyone) -> Result<Answer<Settings>> {
    let found = settings::get(&ctx).await?;
    Ok(Answer(Settings::of(&app, &ctx, found).await))
}

impl Settings {
    async fn of(app: &App, ctx: &Ctx, found: settings::Settings) -> Self {
        let gate = app.auth.verified.gate.look(&app.db, ctx.now()).await;
        let top = ctx.can(Action::Update, Resource::Settings);
        Self {
            password_min_length: found.security.password_min_length.unwrap_or(passwords::MIN_LENGTH as u64),
            maintenance: gate.maintenance.clone().map(Maintenance::from),
            security: top.then_some(found.security),
            brand_name: found.brand_name.unwrap_or_else(|| BRAND.to_owned()),
            demo: ctx.options.demo,
            support_email: found.support_email,
            support_phone: found.support_phone,
            representative: found.representative,
            pages: found.pages,
            sign_in_providers: app.providers.names(),
            require_mfa: found.require_mfa.filled_in(&ctx.options),
            billing: top.then_some(found.billing),
        }
    }
}

/// What is not sent stays as it is; null unsets.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    brand_name: Option<Option<String>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    support_email: Option<Option<String>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    support_phone: Option<Option<String>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Representative>)]
    representative: Option<Option<Representative>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Pages>)]
    pages: Option<Option<Pages>>,
    /// Roles whose sign-in needs a second factor. Unset: staff, but for a demonstration.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<RequireMfa>)]
    require_mfa: Option<Option<RequireMfa>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Billing>)]
    billing: Option<Option<Billing>>,
    /// How long sessions last, and how long passwords are.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Security>)]
    security: Option<Option<Security>>,
}

/// Changes the office's settings. Super admins.
#[utoipa::path(put, path = "/settings", operation_id = "settings_set", tag = "settings", request_body = SettingsChange,
    responses((status = 200, body = Settings)))]
pub async fn set(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Json(change): Json<SettingsChange>,
) -> Result<Answer<Settings>> {
    let set = settings::set(&ctx, |now| settings::Settings {
        brand_name: change.brand_name.unwrap_or(now.brand_name),
        support_email: change.support_email.unwrap_or(now.support_email),
        support_phone: change.support_phone.unwrap_or(now.support_phone),
        representative: change.representative.unwrap_or(now.representative),
        pages: change.pages.map_or(now.pages, Option::unwrap_or_default),
        require_mfa: change.require_mfa.map_or(now.require_mfa, Option::unwrap_or_default),
        billing: change.billing.map_or(now.billing, Option::unwrap_or_default),
        security: change.security.map_or(now.security, Option::unwrap_or_default),
    })
    .await?;
    // Whose second factor is due may be another now.
    app.auth.verified.clear();
    Ok(Answer(Settings::of(&app, &ctx, set).await))
}

fn sent<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
