//! Settings of the office.
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, IfMatch, Json, MaybeSignedIn, SignedIn, body},
    response::{JsonBody, Versioned},
    routes::{
        approvals::{Answer, Approval, done_or_waiting},
        company_portal::logo_path,
        maintenance::Maintenance,
    },
    state::AppState,
};
use axum::{
    extract::{Request, State},
    http::StatusCode,
};
use domain::{
    Action, Ctx,
    accounts::auth::{passkeys::relying_party, passwords},
    kernel::{
        access::{Resource, Role},
        ids::MailId,
        money::Currency,
    },
    outbox::mails,
    platform::settings::{
        self, Billing, FourEyes, NeedsMfa, Pages, Representative, RequireMfa, Retention, Security, SessionLimits,
    },
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// Null if unset, then shown nowhere.
#[derive(Debug, Serialize, ToSchema)]
pub struct Settings {
    brand_name: String,
    /// Demo data, and the Seed Test Data button.
    demo: bool,
    support_email: Option<String>,
    support_phone: Option<String>,
    representative: Option<Representative>,
    /// Texts of the operator's pages; a page without text is not linked.
    pages: Pages,
    /// Sign-in providers: `google`, `azure` (Microsoft), if configured.
    sign_in_providers: Vec<&'static str>,
    /// The only origin where passkeys work; null: nowhere.
    passkey_origin: Option<String>,
    /// Roles that need a second factor.
    require_mfa: NeedsMfa,
    /// Minimum length of a new password.
    password_min_length: u64,
    /// A changed email address is confirmed at the old address too.
    secure_email_change: bool,
    /// Set during maintenance.
    maintenance: Option<Maintenance>,
    /// Session lifetimes and password rules as set. Super admins only.
    security: Option<Security>,
    /// Acts that wait for a second super admin. Super admins only.
    four_eyes: Option<FourEyes>,
    /// Session lifetimes in force. Super admins only.
    session_limits: Option<AllSessionLimits>,
    /// URL of the office's logo.
    logo: Option<String>,
    /// Default currency of orders, after their own and their company's.
    default_currency: Currency,
    /// Currencies of new orders and invoices.
    currencies: Vec<Currency>,
    /// The office's IANA time zone: deadlines, invoices and payouts use its calendar day.
    time_zone: String,
    /// The office's details as printed on invoices. Super admins only.
    billing: Option<Billing>,
    /// Runtime settings. Super admins only.
    system: Option<System>,
    /// Send it back as `If-Match` with a change.
    version: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SettingsSessionLimits)]
pub struct AllSessionLimits {
    /// Of clients, ISO partners and company admins.
    everyone: SessionLimits,
    /// Of employees and super admins.
    staff: SessionLimits,
}

/// Runtime settings. Null if unset: the operator's configuration or the default applies.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SystemSettings)]
pub struct System {
    /// Sender of mails.
    mail_sender: Option<String>,
    /// Prefix of new identifiers.
    identifier_prefix: String,
    /// The office's time zone, and the default of new accounts and companies.
    default_time_zone: String,
    storage_quota_gb: Option<u64>,
    retention: Retention,
    brand_name: Option<String>,
    /// Roles that need a second factor, if set.
    require_mfa: RequireMfa,
}

/// The office's settings. No sign-in needed.
#[utoipa::path(get, path = "/settings", operation_id = "settings_get", tag = "settings", security(()),
    responses((status = 200, body = Settings)))]
pub async fn get(State(app): State<AppState>, MaybeSignedIn(ctx): MaybeSignedIn) -> Result<JsonBody<Settings>> {
    let found = settings::get(&ctx).await?;
    Ok(JsonBody(Settings::of(&app, &ctx, found).await))
}

impl Settings {
    async fn of(app: &AppState, ctx: &Ctx, found: settings::Settings) -> Self {
        let gate = app.auth.token_cache.admission.get(&app.db, ctx.now()).await;
        let theirs = ctx.can(Action::Update, Resource::Settings);
        let system = System {
            mail_sender: found.mail_sender.clone(),
            identifier_prefix: found.identifier_prefix().to_owned(),
            default_time_zone: found.time_zone().to_owned(),
            storage_quota_gb: found.storage_quota_gb,
            retention: found.retention,
            brand_name: found.brand_name.clone(),
            require_mfa: found.require_mfa,
        };
        Self {
            default_currency: found.currency(&ctx.options),
            currencies: found.offered().to_vec(),
            time_zone: found.time_zone().to_owned(),
            password_min_length: found.security.password_min_length.unwrap_or(passwords::MIN_LENGTH as u64),
            secure_email_change: ctx.options.secure_email_change,
            maintenance: gate.maintenance.clone().map(Maintenance::from),
            security: theirs.then_some(found.security),
            four_eyes: theirs.then(|| found.four_eyes.clone()),
            session_limits: theirs.then(|| AllSessionLimits {
                everyone: found.security.session_limits(Role::Client, &ctx.options),
                staff: found.security.session_limits(Role::Employee, &ctx.options),
            }),
            brand_name: found.brand().to_owned(),
            demo: ctx.options.demo,
            support_email: found.support_email,
            support_phone: found.support_phone,
            representative: found.representative,
            pages: found.pages,
            sign_in_providers: app.providers.names(),
            passkey_origin: relying_party::check(&ctx.options.public_url)
                .ok()
                .map(|url| url.origin().ascii_serialization()),
            require_mfa: found.require_mfa.filled_in(&ctx.options),
            logo: logo_path(ctx, found.logo_id),
            billing: theirs.then_some(found.billing),
            system: theirs.then_some(system),
            version: found.version,
        }
    }
}

/// A patch: omitted fields stay unchanged, null unsets.
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
    /// Roles that need a second factor. Default: staff, none in demo mode.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<RequireMfa>)]
    require_mfa: Option<Option<RequireMfa>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Billing>)]
    billing: Option<Option<Billing>>,
    /// Session lifetimes, and the minimum length of passwords.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Security>)]
    security: Option<Option<Security>>,
    /// Once it is on, its change waits for a second super admin, and is sent alone.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<FourEyes>)]
    four_eyes: Option<Option<FourEyes>>,
    /// `Name <address>`, or an address.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    mail_sender: Option<Option<String>>,
    /// Letters and digits, at most ten.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    identifier_prefix: Option<Option<String>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Currency>)]
    default_currency: Option<Option<Currency>>,
    /// Currencies of new orders and invoices; null: USD, EUR, GBP, AED, JPY, SGD, THB.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Vec<Currency>>)]
    currencies: Option<Option<Vec<Currency>>>,
    /// IANA time zone name.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>)]
    default_time_zone: Option<Option<String>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u64>)]
    storage_quota_gb: Option<Option<u64>>,
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Retention>)]
    retention: Option<Option<Retention>>,
}

/// Changes the office's settings. A change of four eyes waits for a second super admin while it is on. Super admins.
#[utoipa::path(put, path = "/settings", operation_id = "settings_set", tag = "settings", request_body = SettingsChange,
    params(("If-Match" = String, Header, description = "The version that was seen.")),
    responses((status = 200, body = Settings), (status = 202, body = Approval)))]
pub async fn set(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    IfMatch(version): IfMatch,
    Json(change): Json<SettingsChange>,
) -> Result<Answer<Versioned<Settings>>> {
    let set = settings::set_seen(&ctx, version, |now| settings::Settings {
        brand_name: change.brand_name.unwrap_or(now.brand_name),
        support_email: change.support_email.unwrap_or(now.support_email),
        support_phone: change.support_phone.unwrap_or(now.support_phone),
        representative: change.representative.unwrap_or(now.representative),
        pages: change.pages.map_or(now.pages, Option::unwrap_or_default),
        require_mfa: change.require_mfa.map_or(now.require_mfa, Option::unwrap_or_default),
        billing: change.billing.map_or(now.billing, Option::unwrap_or_default),
        security: change.security.map_or(now.security, Option::unwrap_or_default),
        four_eyes: change.four_eyes.map_or(now.four_eyes, Option::unwrap_or_default),
        mail_sender: change.mail_sender.unwrap_or(now.mail_sender),
        identifier_prefix: change.identifier_prefix.unwrap_or(now.identifier_prefix),
        default_currency: change.default_currency.unwrap_or(now.default_currency),
        currencies: change.currencies.unwrap_or(now.currencies),
        default_time_zone: change.default_time_zone.unwrap_or(now.default_time_zone),
        storage_quota_gb: change.storage_quota_gb.unwrap_or(now.storage_quota_gb),
        retention: change.retention.map_or(now.retention, Option::unwrap_or_default),
        ..now
    })
    .await;
    let set = match done_or_waiting(&ctx, set).await? {
        Ok(set) => set,
        Err(waiting) => return Ok(waiting.into()),
    };
    // The roles that need a second factor may have changed.
    app.auth.token_cache.clear();
    Ok(Answer::Done(row(&app, &ctx, set).await))
}

async fn row(app: &AppState, ctx: &Ctx, set: settings::Settings) -> Versioned<Settings> {
    Versioned { version: set.version, view: Settings::of(app, ctx, set).await }
}

/// Uploads the office's logo: the image itself, PNG or JPEG, at most 256 kB. Super admins.
#[utoipa::path(put, path = "/settings/logo", operation_id = "settings_logo_set", tag = "settings",
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = Settings)))]
pub async fn set_logo(
    SignedIn(ctx): SignedIn,
    State(app): State<AppState>,
    request: Request,
) -> Result<Versioned<Settings>> {
    let bytes = body(request, &app).await?;
    let set = settings::set_logo(&ctx, bytes.to_vec()).await?;
    Ok(row(&app, &ctx, set).await)
}

/// Removes the office's logo. Super admins.
#[utoipa::path(delete, path = "/settings/logo", operation_id = "settings_logo_remove", tag = "settings",
    responses((status = 200, body = Settings)))]
pub async fn remove_logo(State(app): State<AppState>, SignedIn(ctx): SignedIn) -> Result<Versioned<Settings>> {
    let set = settings::remove_logo(&ctx).await?;
    Ok(row(&app, &ctx, set).await)
}

/// A queued test mail. Its outcome arrives as the event `mail.sent` or `mail.failed` of this subject.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestMail {
    id: MailId,
}

/// Sends a test mail to yourself through the regular queue. Super admins.
#[utoipa::path(post, path = "/settings/test-mail", operation_id = "settings_test_mail", tag = "settings",
    responses((status = 202, body = TestMail)))]
pub async fn test_mail(
    CreateRequest { ctx, .. }: CreateRequest<EmptyBody>,
) -> Result<(StatusCode, JsonBody<TestMail>)> {
    Ok((StatusCode::ACCEPTED, JsonBody(TestMail { id: mails::test(&ctx).await? })))
}

fn sent<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
