//! What the office says of itself: brand, support, the representative's card, its own pages. Null is unset and
//! then not shown anywhere.
mod store;

use crate::{
    access::{Action, Resource, Role},
    activity::{self, Event},
    auth::passwords,
    check::{Check, LINE},
    ctx::{Ctx, Options},
    db::{Db, Sql},
    error::{Problem, Result},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

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
}

/// What the office wants of sign-in beside second factors. What is unset is as the portal has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// Hours without use after which a session is over; 90 days unless told.
    #[schema(minimum = 1, maximum = 2160)]
    pub session_idle_hours: Option<u64>,
    /// Hours after which a session is over however much it is used; never unless told.
    #[schema(minimum = 1, maximum = 8760)]
    pub session_max_hours: Option<u64>,
    /// Characters of a new password; 8 unless told.
    #[schema(minimum = 8, maximum = 64)]
    pub password_min_length: Option<u64>,
}

impl Security {
    /// Whether a session of this age, and unused since, is over.
    pub(crate) fn is_over(self, begun: DateTime<Utc>, used: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let longer = |since: DateTime<Utc>, hours: Option<u64>| {
            hours
                .and_then(|hours| i64::try_from(hours).ok())
                .is_some_and(|hours| (now - since).num_seconds() >= hours * 3600)
        };
        longer(used, self.session_idle_hours) || longer(begun, self.session_max_hours)
    }
}

/// The office as it stands on its invoices. Not public: for whoever has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Billing {
    pub legal_name: Option<String>,
    pub address: Option<String>,
    pub tax_id: Option<String>,
    /// Days to pay in; 14 unless told.
    pub due_days: Option<u64>,
    pub bank: Option<Bank>,
}

/// Where clients transfer what they owe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bank {
    pub account_holder: String,
    pub bank_name: String,
    /// Or IBAN.
    pub account_number: String,
    /// SWIFT/BIC, or a routing number.
    pub bank_code: Option<String>,
}

/// Roles that need a second factor. Unset: staff do, but for a demonstration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequireMfa {
    pub client: Option<bool>,
    pub iso: Option<bool>,
    pub employee: Option<bool>,
    pub company_admin: Option<bool>,
    pub super_admin: Option<bool>,
}

/// As [`RequireMfa`], with what is unset filled in.
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

/// The operator's own words for pages that are not linked while empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pages {
    pub pricing: Option<String>,
    pub careers: Option<String>,
    pub privacy: Option<String>,
}

/// The office's settings. Public.
///
/// # Errors
/// What the database refuses.
pub async fn get(ctx: &Ctx) -> Result<Settings> {
    Ok(store::get(&mut ctx.db()).await?.unwrap_or_default())
}

/// Which roles need a second factor.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn require_mfa(db: &mut Db, options: &Options) -> Result<NeedsMfa> {
    Ok(store::get(db).await?.unwrap_or_default().require_mfa.filled_in(options))
}

/// How long sessions last. Read where the session is locked, in the same transaction: many refreshes at once must not
/// wait for each other's connections.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn security(db: &mut impl Sql) -> Result<Security> {
    Ok(store::get(db).await?.unwrap_or_default().security)
}

/// Changes the office's settings: `change` makes the new ones of those there are, and nobody else's change comes in
/// between. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field.
pub async fn set(ctx: &Ctx, change: impl FnOnce(Settings) -> Settings) -> Result<Settings> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut tx = ctx.begin().await?;
    let new = change(store::lock(&mut tx).await?.unwrap_or_default());
    let mut check = Check::new();
    let checked = Settings {
        brand_name: check.optional_line("brand_name", new.brand_name.as_deref(), 60),
        support_email: check.optional_email("support_email", new.support_email.as_deref()),
        support_phone: check.optional_line("support_phone", new.support_phone.as_deref(), 40),
        representative: new.representative.map(|person| Representative {
            name: check.line("representative.name", &person.name, LINE),
            email: check.email("representative.email", &person.email),
            phone: check.optional_line("representative.phone", person.phone.as_deref(), 40),
        }),
        pages: Pages {
            pricing: check.optional_text("pages.pricing", new.pages.pricing.as_deref()),
            careers: check.optional_text("pages.careers", new.pages.careers.as_deref()),
            privacy: check.optional_text("pages.privacy", new.pages.privacy.as_deref()),
        },
        require_mfa: new.require_mfa,
        billing: checked_billing(&mut check, new.billing),
        security: checked_security(&mut check, new.security),
    };
    check.done()?;
    store::set(&mut tx, &checked, ctx.now(), &ctx.who()).await?;
    activity::append(&mut tx, ctx, Event::new("settings.updated", "settings", uuid::Uuid::nil(), "Settings")).await?;
    tx.commit().await?;
    Ok(checked)
}

fn checked_security(check: &mut Check, new: Security) -> Security {
    for (field, value, min, max) in [
        ("security.session_idle_hours", new.session_idle_hours, 1, 90 * 24),
        ("security.session_max_hours", new.session_max_hours, 1, 365 * 24),
        ("security.password_min_length", new.password_min_length, passwords::MIN_LENGTH as u64, 64),
    ] {
        if value.is_some_and(|value| !(min..=max).contains(&value)) {
            check.refuse(field, Problem::new("out_of_range").with("min", min).with("max", max));
        }
    }
    new
}

fn checked_billing(check: &mut Check, new: Billing) -> Billing {
    if new.due_days.is_some_and(|days| days > 365) {
        check.refuse("billing.due_days", Problem::new("out_of_range").with("min", 0).with("max", 365));
    }
    Billing {
        legal_name: check.optional_line("billing.legal_name", new.legal_name.as_deref(), LINE),
        address: check.optional_text("billing.address", new.address.as_deref()),
        tax_id: check.optional_line("billing.tax_id", new.tax_id.as_deref(), 40),
        due_days: new.due_days,
        bank: new.bank.map(|bank| Bank {
            account_holder: check.line("billing.bank.account_holder", &bank.account_holder, LINE),
            bank_name: check.line("billing.bank.bank_name", &bank.bank_name, LINE),
            account_number: check.line("billing.bank.account_number", &bank.account_number, 60),
            bank_code: check.optional_line("billing.bank.bank_code", bank.bank_code.as_deref(), 40),
        }),
    }
}
