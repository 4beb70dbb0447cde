//! A company's settings, which its admins change: details, contact, tax number, language, time zone, currency and logo.
use super::{Company, portal, store, tax};
use crate::{
    accounts::users,
    kernel::{
        clock,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql},
        error::{Error, Problem, Result},
        geo,
        i18n::LANGUAGES,
        ids::CompanyId,
        logo,
        money::Currency,
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::NaiveDate;

/// The form of the settings. A field left out stays; an empty one is cleared where it is optional.
#[derive(Clone, Debug, Default)]
pub struct SettingsInput {
    pub name: Option<String>,
    pub legal_name: Option<String>,
    pub tax_id: Option<String>,
    pub country: Option<String>,
    pub industry: Option<String>,
    pub size: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub website: Option<String>,
    pub address: Option<String>,
    pub time_zone: Option<String>,
    pub language: Option<String>,
    pub currency: Option<String>,
}

/// Changes a company's settings. Its admins, and the super admin who has picked it.
///
/// # Errors
/// As [`portal`]; Invalid per field; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "companies.set", skip_all, fields(company_id = %id))]
pub async fn set(ctx: &Ctx, id: CompanyId, version: Option<i64>, input: SettingsInput) -> Result<Company> {
    portal(ctx, Some(id)).await?;
    let input = &input;
    ctx.transaction(|tx| {
        async move {
            let mut company = store::lock(tx, id).await?.ok_or(Error::NotFound("company"))?;
            fresh(version, company.version, &company.updated_by, company.updated_at)?;
            let before = company.clone();
            input.clone().apply(&mut company)?;
            if let Some(currency) = company.currency.filter(|_| company.currency != before.currency) {
                let office = crate::platform::settings::within(tx).await?;
                office.check_offered(currency).map_err(|problem| Error::field_with("currency", problem))?;
            }
            company.version += 1;
            company.updated_at = ctx.now();
            company.updated_by = ctx.actor_name();
            store::save(tx, &company).await?;
            store::save_settings(tx, &company).await?;
            super::index(tx, &company).await?;
            let event = event(&company, "company.settings_changed").changed(&before, &company)?;
            activity::append(tx, ctx, event).await?;
            Ok(company)
        }
        .scope_boxed()
    })
    .await
}

/// Sets the company's logo. Those who may change its settings.
///
/// # Errors
/// As [`portal`]; Invalid `logo` for a file that is no PNG or JPEG, or too large.
#[tracing::instrument(level = "debug", name = "companies.set_logo", skip_all, fields(company_id = %id))]
pub async fn set_logo(ctx: &Ctx, id: CompanyId, bytes: Vec<u8>) -> Result<Company> {
    let company = portal(ctx, Some(id)).await?;
    let media_type = logo::media_type(&bytes).map_err(|problem| Error::field_with("logo", problem))?;
    replace_logo(ctx, company, Some((media_type, bytes))).await
}

/// Removes the logo. Those who may change the settings.
///
/// # Errors
/// As [`portal`].
#[tracing::instrument(level = "debug", name = "companies.remove_logo", skip_all, fields(company_id = %id))]
pub async fn remove_logo(ctx: &Ctx, id: CompanyId) -> Result<Company> {
    let company = portal(ctx, Some(id)).await?;
    replace_logo(ctx, company, None).await
}

async fn replace_logo(ctx: &Ctx, company: Company, new: Option<(&'static str, Vec<u8>)>) -> Result<Company> {
    let (id, new) = (company.id, &new);
    ctx.transaction(|tx| {
        async move {
            let mut company = store::lock(tx, id).await?.ok_or(Error::NotFound("company"))?;
            company.logo_id = new.is_some().then(|| ctx.random.uuid());
            company.version += 1;
            company.updated_at = ctx.now();
            company.updated_by = ctx.actor_name();
            store::save(tx, &company).await?;
            store::save_settings(tx, &company).await?;
            store::delete_logo(tx, company.id).await?;
            if let Some((media_type, bytes)) = new
                && let Some(logo) = company.logo_id
            {
                store::insert_logo(tx, logo, company.id, media_type, bytes.clone(), ctx.now()).await?;
            }
            activity::append(tx, ctx, event(&company, "company.logo_changed")).await?;
            Ok(company)
        }
        .scope_boxed()
    })
    .await
}

/// The defaults of a company's new orders and accounts.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    /// With the currencies that it offers.
    pub office: crate::platform::settings::Settings,
    pub currency: Currency,
    pub language: String,
    /// Today in the company's time zone.
    pub today: NaiveDate,
}

/// The defaults of a company; the office's without one, and for an unknown one, which inserting a row refuses.
pub(crate) async fn defaults(ctx: &Ctx, company: Option<CompanyId>) -> Result<Defaults> {
    defaults_within(&mut ctx.db(), ctx, company).await
}

/// [`defaults`] on the caller's connection: a second one within a transaction could wait for the first.
pub(crate) async fn defaults_within(db: &mut impl Sql, ctx: &Ctx, company: Option<CompanyId>) -> Result<Defaults> {
    let found = match company {
        Some(id) => store::get(db, id).await?,
        None => None,
    };
    let office = crate::platform::settings::within(db).await?;
    Ok(Defaults {
        office: office.clone(),
        currency: found.as_ref().and_then(|company| company.currency).unwrap_or(office.currency(&ctx.options)),
        today: match &found {
            Some(company) => company.today(ctx.now()),
            None => clock::day(ctx.now(), office.time_zone()),
        },
        language: found.map_or_else(|| LANGUAGES[0].to_owned(), |company| company.language),
    })
}

fn event(company: &Company, action: &'static str) -> Event {
    Event::new(action, "company", company.id.0, company.name.clone()).of(None, Some(company.id), None).public()
}

impl SettingsInput {
    pub(super) fn apply(self, company: &mut Company) -> Result<()> {
        let mut check = Validator::new();
        if let Some(name) = &self.name {
            company.name = check.single_line("name", name, LINE);
        }
        if let Some(name) = &self.legal_name {
            company.business_name = check.single_line("legal_name", name, LINE);
        }
        if let Some(country) = check.optional("country", self.country.as_deref(), geo::country) {
            company.country = country;
        }
        if self.industry.is_some() {
            company.industry = check.optional("industry", self.industry.as_deref(), str::parse);
        }
        if self.size.is_some() {
            company.size = check.optional("size", self.size.as_deref(), str::parse);
        }
        if self.email.is_some() {
            company.email = check.optional_email("email", self.email.as_deref());
        }
        if self.phone.is_some() {
            company.phone = check.phone("phone", self.phone.as_deref());
        }
        if self.website.is_some() {
            company.website = check.optional_https("website", self.website.as_deref());
        }
        if self.address.is_some() {
            company.address = check.optional_text("address", self.address.as_deref());
        }
        if let Some(zone) = self.time_zone.as_deref() {
            if users::is_zone(zone) {
                zone.clone_into(&mut company.time_zone);
            } else {
                check.reject("time_zone", Problem::new("invalid_time_zone"));
            }
        }
        if self.language.is_some() {
            company.language = users::validate_language(&mut check, self.language.as_deref());
        }
        if self.currency.is_some() {
            company.currency = check.optional("currency", self.currency.as_deref(), str::parse);
        }
        // Validated also where only the country changes.
        let tax_id = self.tax_id.or_else(|| company.tax_id.clone());
        let country = company.country.clone();
        company.tax_id = check.optional("tax_id", tax_id.as_deref(), |text| tax::validate_id(&country, text));
        check.finish()
    }
}
