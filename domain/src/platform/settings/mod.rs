//! Settings of the office: brand, support, pages, billing, sign-in, four eyes, mails, new orders and retention. Null is unset: not shown,
//! or the portal's default.
mod four_eyes;
mod store;
mod today;

pub use four_eyes::FourEyes;
pub(crate) use four_eyes::change_four_eyes;
pub use today::{office_today, person_today};
pub(crate) use today::{person_today_within, person_zone};

use crate::{
    kernel::{
        access::{Action, Resource, Role},
        bank_account,
        ctx::{Ctx, Options},
        db::{Db, ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        locale::{TIME_ZONE, is_zone},
        logo::{self, Logo},
        money::{self, Currency},
        validate::{LINE, MIN_PASSWORD_LENGTH, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Days, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::RangeInclusive};
use uuid::Uuid;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub brand_name: Option<String>,
    pub support_email: Option<String>,
    pub support_phone: Option<String>,
    pub representative: Option<Representative>,
    pub pages: Pages,
    pub require_mfa: RequireMfa,
    pub billing: Billing,
    pub security: Security,
    pub four_eyes: FourEyes,
    /// Sender of mails, `Name <address>`; unset: the operator's.
    pub mail_sender: Option<String>,
    /// Prefix of new identifiers; unset: `SPV-`.
    pub identifier_prefix: Option<String>,
    /// Currency of orders without one of their own or their company's.
    pub default_currency: Option<Currency>,
    /// The currencies of new orders and invoices; unset: [`Currency::USUAL`].
    pub currencies: Option<Vec<Currency>>,
    /// The office's time zone: its deadlines and invoices, and the default of new accounts and companies.
    pub default_time_zone: Option<String>,
    /// Storage quota in GB; unset: the operator's.
    pub storage_quota_gb: Option<u64>,
    pub retention: Retention,
    /// The office's logo, by its id.
    pub logo_id: Option<Uuid>,
    /// Version for optimistic locking.
    pub version: i64,
}

/// Sign-in rules beside second factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// Hours without use after which a session expires; unset: 30 days, in demo mode 90.
    #[schema(minimum = 1, maximum = 2160)]
    pub session_idle_hours: Option<u64>,
    /// Hours after which a session expires; unset: 90 days, in demo mode never.
    #[schema(minimum = 1, maximum = 8760)]
    pub session_max_hours: Option<u64>,
    /// `session_idle_hours` of employees and super admins; unset: 12 hours and no longer than that of others.
    #[schema(minimum = 1, maximum = 2160)]
    pub staff_session_idle_hours: Option<u64>,
    /// `session_max_hours` of employees and super admins; unset: 7 days and no longer than that of others.
    #[schema(minimum = 1, maximum = 8760)]
    pub staff_session_max_hours: Option<u64>,
    /// Characters of a new password; unset: 8.
    #[schema(minimum = 8, maximum = 64)]
    pub password_min_length: Option<u64>,
}

/// Session lifetimes in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SessionLimits {
    /// Hours without use after which a session expires.
    pub idle_hours: u64,
    /// Hours after which a session expires; null: never.
    pub max_hours: Option<u64>,
}

impl SessionLimits {
    const DEFAULT: Self = Self { idle_hours: 30 * 24, max_hours: Some(90 * 24) };
    const STAFF: Self = Self { idle_hours: 12, max_hours: Some(7 * 24) };
    /// Visitors of a demo come back to it.
    const DEMO: Self = Self { idle_hours: 90 * 24, max_hours: None };

    /// The latest use and the latest start of sessions that have expired.
    pub(crate) fn expired_before(self, now: DateTime<Utc>) -> (DateTime<Utc>, Option<DateTime<Utc>>) {
        let before = |hours: u64| now - Duration::hours(i64::try_from(hours).unwrap_or(i64::from(u32::MAX)));
        (before(self.idle_hours), self.max_hours.map(before))
    }

    /// Whether a session that started and was last used then has expired.
    pub(crate) fn is_over(self, begun: DateTime<Utc>, used: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let (idle_since, begun_before) = self.expired_before(now);
        used <= idle_since || begun_before.is_some_and(|before| begun <= before)
    }
}

impl Security {
    /// Lifetimes of sessions of a role: employees and super admins are the staff.
    pub fn session_limits(self, role: Role, options: &Options) -> SessionLimits {
        let unset = if options.demo { SessionLimits::DEMO } else { SessionLimits::DEFAULT };
        let everyone = SessionLimits {
            idle_hours: self.session_idle_hours.unwrap_or(unset.idle_hours),
            max_hours: self.session_max_hours.or(unset.max_hours),
        };
        if !matches!(role, Role::Employee | Role::SuperAdmin) {
            return everyone;
        }
        let unset = if options.demo { SessionLimits::DEMO } else { SessionLimits::STAFF };
        let shorter = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        SessionLimits {
            idle_hours: self.staff_session_idle_hours.unwrap_or(everyone.idle_hours.min(unset.idle_hours)),
            max_hours: self.staff_session_max_hours.or(shorter(everyone.max_hours, unset.max_hours)),
        }
    }
}

/// Retention periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days of the activity log; unset: for ever.
    pub activity_days: Option<u64>,
}

/// Default brand name.
const DEFAULT_BRAND: &str = "SPV Portal";
/// Default prefix of new identifiers.
const DEFAULT_PREFIX: &str = "SPV-";
/// Allowed retention of the activity log: longer than that of notifications, which refer to it.
const ACTIVITY_DAYS: RangeInclusive<u64> = 190..=3_650;

impl Settings {
    /// The settings in force: unset ones with their defaults, as far as they have one. `mail_sender` is the operator's.
    #[must_use]
    pub fn filled_in(&self, options: &Options, mail_sender: &str) -> Self {
        let mfa = self.require_mfa.filled_in(options);
        let everyone = self.security.session_limits(Role::Client, options);
        let staff = self.security.session_limits(Role::Employee, options);
        Self {
            brand_name: Some(self.brand().to_owned()),
            require_mfa: RequireMfa {
                client: Some(mfa.client),
                iso: Some(mfa.iso),
                employee: Some(mfa.employee),
                company_admin: Some(mfa.company_admin),
                super_admin: Some(mfa.super_admin),
            },
            billing: Billing {
                due_days: Some(self.billing.days_to_pay()),
                tax_rounding: Some(self.billing.tax_rounding.unwrap_or_default()),
                ..self.billing.clone()
            },
            security: Security {
                session_idle_hours: Some(everyone.idle_hours),
                session_max_hours: everyone.max_hours,
                staff_session_idle_hours: Some(staff.idle_hours),
                staff_session_max_hours: staff.max_hours,
                password_min_length: self.security.password_min_length.or(Some(MIN_PASSWORD_LENGTH as u64)),
            },
            four_eyes: FourEyes { enabled: Some(self.four_eyes.is_on()), ..self.four_eyes.clone() },
            mail_sender: Some(self.mail_sender.as_deref().unwrap_or(mail_sender).to_owned()),
            identifier_prefix: Some(self.identifier_prefix().to_owned()),
            default_currency: Some(self.currency(options)),
            currencies: Some(self.offered().to_vec()),
            default_time_zone: Some(self.time_zone().to_owned()),
            storage_quota_gb: self.storage_quota(options).map(|bytes| bytes / 1_000_000_000),
            ..self.clone()
        }
    }

    pub fn brand(&self) -> &str {
        self.brand_name.as_deref().unwrap_or(DEFAULT_BRAND)
    }

    pub fn identifier_prefix(&self) -> &str {
        self.identifier_prefix.as_deref().unwrap_or(DEFAULT_PREFIX)
    }

    pub fn currency(&self, options: &Options) -> Currency {
        self.default_currency.unwrap_or(options.default_currency)
    }

    /// The currencies of new orders and invoices.
    pub fn offered(&self) -> &[Currency] {
        self.currencies.as_deref().unwrap_or(&Currency::USUAL)
    }

    /// Reads a currency that the office offers.
    ///
    /// # Errors
    /// `unknown_currency`; `currency_not_offered` with those that are `allowed`.
    pub fn parse_currency(&self, text: &str) -> Result<Currency, Problem> {
        let currency: Currency = text.parse()?;
        self.check_offered(currency)?;
        Ok(currency)
    }

    /// # Errors
    /// `currency_not_offered` with those that are `allowed`.
    pub fn check_offered(&self, currency: Currency) -> Result<(), Problem> {
        if self.offered().contains(&currency) {
            return Ok(());
        }
        let allowed: Vec<_> = self.offered().iter().map(|one| one.code()).collect();
        Err(Problem::new("currency_not_offered").with("allowed", allowed.join(", ")))
    }

    pub fn time_zone(&self) -> &str {
        self.default_time_zone.as_deref().unwrap_or(TIME_ZONE)
    }

    /// Storage quota of documents, in bytes.
    pub fn storage_quota(&self, options: &Options) -> Option<u64> {
        self.storage_quota_gb.map(|gb| gb * 1_000_000_000).or(options.storage_quota)
    }
}

/// The office's data on invoices. Only for recipients of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = OfficeBilling)]
pub struct Billing {
    pub legal_name: Option<String>,
    pub address: Option<String>,
    pub tax_id: Option<String>,
    /// Days until an invoice is due; unset: 14.
    pub due_days: Option<u64>,
    /// Printed on invoices, such as how late payments are charged.
    pub payment_terms: Option<String>,
    /// Name of the tax, such as VAT.
    pub tax_name: Option<String>,
    /// Tax rate in percent; unset: no tax. The price of an order includes it.
    #[schema(example = "20")]
    pub tax_percent: Option<String>,
    /// Tax is rounded for each line or once for each rate; unset: by line.
    pub tax_rounding: Option<TaxRounding>,
    /// Printed instead of a tax where the recipient accounts for it.
    pub reverse_charge_text: Option<String>,
    pub bank: Option<Bank>,
}

crate::kernel::text_enum! {
    /// Where the tax of an invoice is rounded to the minor unit.
    #[derive(Default)]
    pub enum TaxRounding {
        /// For each line.
        #[default]
        Line = "line",
        /// Once for each tax rate.
        Total = "total",
    }
}

/// The days to pay within, unless the office has set others.
const DEFAULT_DUE_DAYS: u64 = 14;

impl Billing {
    /// Days until an invoice is due.
    pub fn days_to_pay(&self) -> u64 {
        self.due_days.unwrap_or(DEFAULT_DUE_DAYS)
    }

    /// When an invoice of this day is due.
    pub fn due_date(&self, issued_date: NaiveDate) -> NaiveDate {
        issued_date + Days::new(self.days_to_pay())
    }

    /// The tax rate in ten-thousandths of a percent.
    pub fn tax_rate(&self) -> i64 {
        self.tax_percent.as_deref().and_then(|text| money::parse_percent(text).ok()).unwrap_or(0)
    }
}

/// The bank account for payments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bank {
    pub kind: BankKind,
    pub account_holder: String,
    pub bank_name: String,
    /// Or IBAN.
    pub account_number: String,
    /// SWIFT/BIC, or a routing number.
    pub bank_code: Option<String>,
}

crate::kernel::text_enum! {
    /// What identifies a bank account.
    #[derive(Default)]
    pub enum BankKind {
        /// IBAN and, if given, BIC.
        Iban = "iban",
        /// Account number and American routing number.
        Aba = "aba",
        /// Whatever the bank uses; not validated.
        #[default]
        Other = "other",
    }
}

/// Roles that require a second factor. Unset: staff, except in demo mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequireMfa {
    pub client: Option<bool>,
    pub iso: Option<bool>,
    pub employee: Option<bool>,
    pub company_admin: Option<bool>,
    pub super_admin: Option<bool>,
}

/// [`RequireMfa`] with defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct NeedsMfa {
    pub client: bool,
    pub iso: bool,
    pub employee: bool,
    pub company_admin: bool,
    pub super_admin: bool,
}

impl RequireMfa {
    pub fn filled_in(self, options: &Options) -> NeedsMfa {
        let unset = |role: Role| match &options.require_mfa {
            Some(roles) => roles.contains(&role),
            None => !options.demo && matches!(role, Role::Employee | Role::SuperAdmin),
        };
        NeedsMfa {
            client: self.client.unwrap_or_else(|| unset(Role::Client)),
            iso: self.iso.unwrap_or_else(|| unset(Role::Iso)),
            employee: self.employee.unwrap_or_else(|| unset(Role::Employee)),
            company_admin: self.company_admin.unwrap_or_else(|| unset(Role::CompanyAdmin)),
            super_admin: self.super_admin.unwrap_or_else(|| unset(Role::SuperAdmin)),
        }
    }
}

impl NeedsMfa {
    pub fn of(self, role: Role) -> bool {
        match role {
            Role::Client => self.client,
            Role::Iso => self.iso,
            Role::Employee => self.employee,
            Role::CompanyAdmin => self.company_admin,
            Role::SuperAdmin => self.super_admin,
        }
    }
}

/// The account representative, shown in "Need Help".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Representative {
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
}

/// Texts of public pages, which are not linked while empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pages {
    pub pricing: Option<String>,
    pub careers: Option<String>,
    pub privacy: Option<String>,
}

/// The settings. Public.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "settings.get", skip_all)]
pub async fn get(ctx: &Ctx) -> Result<Settings> {
    Ok(store::get(&mut ctx.db()).await?.unwrap_or_default())
}

/// The roles that require a second factor.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn require_mfa(db: &mut Db, options: &Options) -> Result<NeedsMfa> {
    Ok(store::get(db).await?.unwrap_or_default().require_mfa.filled_in(options))
}

/// Storage quota of documents in bytes, if there is one.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn storage_quota(db: &mut impl Sql, options: &Options) -> Result<Option<u64>> {
    Ok(store::get(db).await?.unwrap_or_default().storage_quota(options))
}

/// Sign-in rules. Read in the transaction that locks the session: many concurrent refreshes must not each need a second
/// connection.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn security(db: &mut impl Sql) -> Result<Security> {
    Ok(store::get(db).await?.unwrap_or_default().security)
}

/// The default currency. Public.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "settings.currency", skip_all)]
pub async fn currency(ctx: &Ctx) -> Result<Currency> {
    Ok(get(ctx).await?.currency(&ctx.options))
}

/// [`get`] on a given connection or transaction.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn within(db: &mut impl Sql) -> Result<Settings> {
    Ok(store::get(db).await?.unwrap_or_default())
}

/// Changes the settings: `change` maps the present ones, which are locked. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `reauthentication_needed` for the sign-in rules and four eyes; as
/// [`four_eyes`](FourEyes): Conflict `two_super_admins_required`, `approval_pending` and others where they wait.
#[tracing::instrument(level = "debug", name = "settings.set", skip_all)]
pub async fn set(ctx: &Ctx, change: impl FnOnce(Settings) -> Settings + Clone + Send + Sync) -> Result<Settings> {
    set_seen(ctx, None, change).await
}

/// [`set`] with an optimistic lock on `version`.
///
/// # Errors
/// As [`set`]; Conflict `stale` when they were changed since.
#[tracing::instrument(level = "debug", name = "settings.set_seen", skip_all)]
pub async fn set_seen(
    ctx: &Ctx,
    version: Option<i64>,
    change: impl FnOnce(Settings) -> Settings + Clone + Send + Sync,
) -> Result<Settings> {
    ctx.may(Action::Update, Resource::Settings)?;
    let change = &change;
    ctx.transaction(|tx| {
        async move {
            let old = store::lock(tx).await?.unwrap_or_default();
            if version.is_some_and(|seen| seen != old.version)
                && let Some((by, at)) = store::changed(tx).await?
            {
                return Err(Error::stale(&by, at));
            }
            let new = validate(change.clone()(old.clone()), &old, &ctx.options)?;
            if new.require_mfa != old.require_mfa || new.security != old.security || new.four_eyes != old.four_eyes {
                ctx.require_recent_proof()?;
            }
            if let Some(waits) = four_eyes::check_change(tx, ctx, &old, &new).await? {
                return Ok(Err(waits));
            }
            write(tx, ctx, &old, &new).await?;
            Ok(Ok(new))
        }
        .scope_boxed()
    })
    .await?
}

/// Validates new settings; logo and version come from the present ones.
///
/// # Errors
/// Invalid per field.
fn validate(new: Settings, old: &Settings, options: &Options) -> Result<Settings> {
    let mut check = Validator::new();
    let currency = new.currency(options);
    let settings = Settings {
        brand_name: check.optional_line("brand_name", new.brand_name.as_deref(), 60),
        support_email: check.optional_email("support_email", new.support_email.as_deref()),
        support_phone: check.phone("support_phone", new.support_phone.as_deref()),
        representative: new.representative.map(|person| Representative {
            name: check.single_line("representative.name", &person.name, LINE),
            email: check.email("representative.email", &person.email),
            phone: check.phone("representative.phone", person.phone.as_deref()),
        }),
        pages: Pages {
            pricing: check.optional_text("pages.pricing", new.pages.pricing.as_deref()),
            careers: check.optional_text("pages.careers", new.pages.careers.as_deref()),
            privacy: check.optional_text("pages.privacy", new.pages.privacy.as_deref()),
        },
        require_mfa: new.require_mfa,
        billing: validate_billing(&mut check, new.billing),
        security: validate_security(&mut check, new.security),
        four_eyes: four_eyes::validate(&mut check, new.four_eyes, currency),
        mail_sender: check.optional("mail_sender", new.mail_sender.as_deref(), sender),
        identifier_prefix: check.optional("identifier_prefix", new.identifier_prefix.as_deref(), prefix),
        default_currency: new.default_currency,
        currencies: new.currencies.map(|mut chosen| {
            let mut seen = BTreeSet::new();
            chosen.retain(|currency| seen.insert(*currency));
            chosen
        }),
        default_time_zone: check.optional("default_time_zone", new.default_time_zone.as_deref(), zone),
        storage_quota_gb: new.storage_quota_gb.and_then(|gb| check.range("storage_quota_gb", gb, 1..=1_000_000)),
        retention: Retention {
            activity_days: new
                .retention
                .activity_days
                .and_then(|days| check.range("retention.activity_days", days, ACTIVITY_DAYS)),
        },
        logo_id: old.logo_id,
        version: old.version + 1,
    };
    if settings.offered().is_empty() {
        check.reject("currencies", Problem::new("required"));
    }
    if let Some(Err(problem)) = settings.default_currency.map(|currency| settings.check_offered(currency)) {
        check.reject("default_currency", problem);
    }
    check.finish()?;
    Ok(settings)
}

fn validate_security(check: &mut Validator, new: Security) -> Security {
    let mut within = |field, value: Option<u64>, limits| value.and_then(|value| check.range(field, value, limits));
    Security {
        session_idle_hours: within("security.session_idle_hours", new.session_idle_hours, 1..=90 * 24),
        session_max_hours: within("security.session_max_hours", new.session_max_hours, 1..=365 * 24),
        staff_session_idle_hours: within(
            "security.staff_session_idle_hours",
            new.staff_session_idle_hours,
            1..=90 * 24,
        ),
        staff_session_max_hours: within("security.staff_session_max_hours", new.staff_session_max_hours, 1..=365 * 24),
        password_min_length: within(
            "security.password_min_length",
            new.password_min_length,
            MIN_PASSWORD_LENGTH as u64..=64,
        ),
    }
}

/// Stores the settings and logs the changed fields.
async fn write(tx: &mut Tx, ctx: &Ctx, old: &Settings, new: &Settings) -> Result<()> {
    store::set(tx, new, ctx.now(), &ctx.actor_name()).await?;
    let event = Event::new("settings.updated", "settings", Uuid::nil(), "Settings").changed(old, new)?;
    activity::append(tx, ctx, event).await
}

/// Sets the office's logo. Super admins.
///
/// # Errors
/// Forbidden; Invalid `logo` for other formats than PNG and JPEG, or too large.
#[tracing::instrument(level = "debug", name = "settings.set_logo", skip_all)]
pub async fn set_logo(ctx: &Ctx, bytes: Vec<u8>) -> Result<Settings> {
    ctx.may(Action::Update, Resource::Settings)?;
    let media_type = logo::media_type(&bytes).map_err(|problem| Error::field_with("logo", problem))?;
    replace_logo(ctx, Some((media_type, bytes))).await
}

/// Removes the office's logo. Super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "settings.remove_logo", skip_all)]
pub async fn remove_logo(ctx: &Ctx) -> Result<Settings> {
    ctx.may(Action::Update, Resource::Settings)?;
    replace_logo(ctx, None).await
}

async fn replace_logo(ctx: &Ctx, picture: Option<(&'static str, Vec<u8>)>) -> Result<Settings> {
    let picture = &picture;
    ctx.transaction(|tx| {
        async move {
            let old = store::lock(tx).await?.unwrap_or_default();
            let logo_id = picture.is_some().then(|| ctx.random.uuid());
            store::drop_logos(tx).await?;
            if let (Some(id), Some((media_type, bytes))) = (logo_id, picture) {
                store::insert_logo(tx, id, media_type, bytes.clone(), ctx.now()).await?;
            }
            let new = Settings { logo_id, version: old.version + 1, ..old.clone() };
            write(tx, ctx, &old, &new).await?;
            Ok(new)
        }
        .scope_boxed()
    })
    .await
}

/// The office's logo, if it is the one with this id.
pub(crate) async fn logo(db: &mut impl Sql, id: Uuid) -> Result<Option<Logo>> {
    store::logo(db, id).await
}

/// `Name <address>`, or an address alone.
fn sender(text: &str) -> Result<String, Problem> {
    let mut check = Validator::new();
    let text = check.single_line("sender", text, LINE);
    let (name, address) = match text.rsplit_once('<') {
        None => (None, text.as_str()),
        Some((name, rest)) => (Some(name.trim()), rest.strip_suffix('>').unwrap_or("")),
    };
    let address = check.email("sender", address);
    check.finish().map_err(|_| Problem::new("invalid_sender"))?;
    match name {
        None => Ok(address),
        Some("") => Err(Problem::new("invalid_sender")),
        Some(name) => Ok(format!("{name} <{address}>")),
    }
}

/// A prefix of letters and digits in capitals, ending with a hyphen.
fn prefix(text: &str) -> Result<String, Problem> {
    let word = text.strip_suffix('-').unwrap_or(text);
    if word.is_empty() || word.len() > 10 || !word.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(Problem::new("invalid_prefix"));
    }
    Ok(format!("{}-", word.to_ascii_uppercase()))
}

fn zone(text: &str) -> Result<String, Problem> {
    if is_zone(text) { Ok(text.to_owned()) } else { Err(Problem::new("invalid_time_zone")) }
}

fn validate_billing(check: &mut Validator, new: Billing) -> Billing {
    Billing {
        legal_name: check.optional_line("billing.legal_name", new.legal_name.as_deref(), LINE),
        address: check.optional_text("billing.address", new.address.as_deref()),
        tax_id: check.optional_line("billing.tax_id", new.tax_id.as_deref(), 40),
        due_days: new.due_days.and_then(|days| check.range("billing.due_days", days, 0..=365)),
        payment_terms: check.optional_text("billing.payment_terms", new.payment_terms.as_deref()),
        tax_name: check.optional_line("billing.tax_name", new.tax_name.as_deref(), 40),
        tax_percent: check
            .optional("billing.tax_percent", new.tax_percent.as_deref(), money::parse_percent)
            .map(money::format_percent),
        tax_rounding: new.tax_rounding,
        reverse_charge_text: check.optional_text("billing.reverse_charge_text", new.reverse_charge_text.as_deref()),
        bank: new.bank.map(|bank| validate_bank(check, &bank)),
    }
}

fn validate_bank(check: &mut Validator, bank: &Bank) -> Bank {
    const NUMBER: &str = "billing.bank.account_number";
    const CODE: &str = "billing.bank.bank_code";
    let (number, code) = (bank.account_number.as_str(), bank.bank_code.as_deref());
    let (account_number, bank_code) = match bank.kind {
        BankKind::Iban => (
            check.required(NUMBER, Some(number), bank_account::parse_iban).unwrap_or_default(),
            check.optional(CODE, code, bank_account::parse_bic),
        ),
        BankKind::Aba => (
            check.required(NUMBER, Some(number), bank_account::parse_account_number).unwrap_or_default(),
            check.required(CODE, code, bank_account::parse_routing_number),
        ),
        BankKind::Other => (check.single_line(NUMBER, number, 60), check.optional_line(CODE, code, 40)),
    };
    Bank {
        kind: bank.kind,
        account_holder: check.single_line("billing.bank.account_holder", &bank.account_holder, LINE),
        bank_name: check.single_line("billing.bank.bank_name", &bank.bank_name, LINE),
        account_number,
        bank_code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staff_sessions_are_shorter_except_in_demo_mode() {
        let limits = |security: Security, role, demo| {
            let found = security.session_limits(role, &Options { demo, ..Options::default() });
            (found.idle_hours, found.max_hours)
        };
        let unset = Security::default();
        assert_eq!(limits(unset, Role::Client, false), (720, Some(2160)));
        for staff in [Role::Employee, Role::SuperAdmin] {
            assert_eq!(limits(unset, staff, false), (12, Some(168)));
        }
        assert_eq!(limits(unset, Role::Employee, true), (2160, None));
        let strict = Security { session_idle_hours: Some(8), session_max_hours: Some(24), ..unset };
        assert_eq!(limits(strict, Role::Client, true), (8, Some(24)));
        assert_eq!(limits(strict, Role::Employee, false), (8, Some(24)), "not longer than those of clients");
        let own = Security { staff_session_idle_hours: Some(48), staff_session_max_hours: Some(720), ..strict };
        assert_eq!(limits(own, Role::Employee, true), (48, Some(720)));
    }

    #[test]
    fn session_is_over_after_either_limit() {
        let limits = SessionLimits { idle_hours: 2, max_hours: Some(5) };
        let now = DateTime::from_timestamp(1_000_000, 0).expect("in range");
        let ago = |minutes| now - Duration::minutes(minutes);
        assert!(!limits.is_over(ago(299), ago(119), now));
        assert!(limits.is_over(ago(299), ago(120), now) && limits.is_over(ago(300), ago(0), now));
        let endless = SessionLimits { max_hours: None, ..limits };
        assert!(!endless.is_over(ago(100_000), ago(119), now));
    }

    #[test]
    fn senders_are_addresses_with_or_without_a_name() {
        for good in ["office@example.com", "Northern Formations <office@example.com>", "Acme, Inc. <a@example.com>"] {
            assert_eq!(sender(good).as_deref(), Ok(good));
        }
        for bad in [
            "Northern",
            "<office@example.com>",
            "Northern <office>",
            "Northern <a@example.com> x",
            "a\r\nBcc: b@example.com",
        ] {
            assert_eq!(sender(bad).map_err(|problem| problem.code), Err("invalid_sender"), "{bad}");
        }
    }

    #[test]
    fn prefixes_end_with_a_hyphen_and_are_in_capitals() {
        assert_eq!(prefix("nf").as_deref(), Ok("NF-"));
        assert_eq!(prefix("SPV-").as_deref(), Ok("SPV-"));
        for bad in ["-", "a b", "ÄB", "ABCDEFGHIJK"] {
            assert_eq!(prefix(bad).map_err(|problem| problem.code), Err("invalid_prefix"), "{bad}");
        }
    }
}
