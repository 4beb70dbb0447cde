//! Price list: the services that the office offers by country, with our price and the filing fee. Orders copy the amounts, so
//! that a later change leaves them as they were.
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql},
        error::{Error, Problem, Result},
        idempotency,
        ids::ServiceId,
        money::Currency,
        text::unique_key,
        validate::Validator,
    },
    orders::spvs::Country,
    platform::{
        activity::{self, Event},
        settings::{self, Settings},
    },
};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// Length of a service's name.
const MAX_NAME_LENGTH: usize = 120;
/// Services in the price list; all are read at once.
const MAX_SERVICES: usize = 500;

/// A service of the price list. Amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Service {
    pub id: ServiceId,
    pub country: Country,
    pub name: String,
    pub currency: Currency,
    /// Our fee.
    pub price_minor: i64,
    /// The fee of the authority, which the office passes on; 0 for none.
    pub filing_fee_minor: i64,
    /// Inactive services are not offered.
    pub active: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
}

/// The form of a service. A field left out keeps its value; a new service needs country, name and price.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub country: Option<String>,
    pub name: Option<String>,
    /// The office's default unless given.
    pub currency: Option<String>,
    pub price: Option<String>,
    pub filing_fee: Option<String>,
    pub active: Option<bool>,
}

/// What the activity log compares.
#[derive(PartialEq, Serialize)]
struct Logged<'a> {
    country: Country,
    name: &'a str,
    currency: Currency,
    price: String,
    filing_fee: String,
    active: bool,
}

impl Service {
    fn logged(&self) -> Logged<'_> {
        Logged {
            country: self.country,
            name: &self.name,
            currency: self.currency,
            price: self.currency.format(self.price_minor),
            filing_fee: self.currency.format(self.filing_fee_minor),
            active: self.active,
        }
    }

    fn event(&self, action: &'static str) -> Event {
        Event::new(action, "service", self.id.0, self.name.clone()).with("country", self.country.code())
    }
}

/// The price list by country and name: all services for staff, the active ones for clients.
///
/// # Errors
/// Forbidden for ISO partners and companies.
#[tracing::instrument(level = "debug", name = "services.list", skip_all)]
pub async fn list(ctx: &Ctx, country: Option<Country>) -> Result<Vec<Service>> {
    ctx.may(Action::View, Resource::Services)?;
    let mut found = store::list(&mut ctx.db()).await?;
    found.retain(|service| country.is_none_or(|country| service.country == country) && is_visible(ctx, service));
    Ok(found)
}

/// The services of [`list`] whose name has each word of a search, or a word that begins with it.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "services.named", skip_all)]
pub async fn named(ctx: &Ctx, q: &str) -> Result<Vec<Service>> {
    let wanted = unique_key(q);
    let mut found = list(ctx, None).await?;
    found.retain(|service| {
        let name = unique_key(&service.name);
        let begins = |typed: &str| name.split_whitespace().any(|word| word.starts_with(typed));
        !wanted.trim().is_empty() && wanted.split_whitespace().all(begins)
    });
    Ok(found)
}

/// A service. Staff; clients an active one.
///
/// # Errors
/// Forbidden for ISO partners and companies; NotFound.
#[tracing::instrument(level = "debug", name = "services.get", skip_all, fields(service_id = %id))]
pub async fn get(ctx: &Ctx, id: ServiceId) -> Result<Service> {
    ctx.may(Action::View, Resource::Services)?;
    let found = store::get(&mut ctx.db(), id).await?;
    found.filter(|service| is_visible(ctx, service)).ok_or(Error::NotFound("service"))
}

fn is_visible(ctx: &Ctx, service: &Service) -> bool {
    service.active || ctx.actor.is_staff()
}

/// An active service, as the form of an order request chooses it.
///
/// # Errors
/// Database errors.
pub(crate) async fn offered(db: &mut impl Sql, id: ServiceId) -> Result<Option<Service>> {
    Ok(store::get(db, id).await?.filter(|service| service.active))
}

/// Adds a service. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field, `duplicate` for a name that the country has already; Conflict `too_many_services`.
#[tracing::instrument(level = "debug", name = "services.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Service> {
    ctx.may(Action::Update, Resource::Services)?;
    let office = settings::get(ctx).await?;
    let now = ctx.now();
    let blank = Service {
        id: ServiceId(ctx.random.uuid()),
        country: Country::default(),
        name: String::new(),
        currency: office.currency(&ctx.options),
        price_minor: 0,
        filing_fee_minor: 0,
        active: true,
        created_at: now,
        updated_at: now,
        updated_by: ctx.actor_name(),
        version: 1,
    };
    let country = Some(input.country.unwrap_or_default());
    let (name, price) = (Some(input.name.unwrap_or_default()), Some(input.price.unwrap_or_default()));
    let new = &apply(&office, blank.currency, &Input { country, name, price, ..input }, blank)?;
    ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return store::lock(tx, ServiceId(id)).await?.ok_or(Error::NotFound("service"));
            }
            if store::count(tx).await? >= MAX_SERVICES as i64 {
                return Err(Error::Conflict(Problem::new("too_many_services").with("max", MAX_SERVICES)));
            }
            store::insert(tx, new).await.map_err(map_duplicate)?;
            activity::append(tx, ctx, new.event("service.added")).await?;
            idempotency::store(tx, ctx, new.id.0).await?;
            Ok(new.clone())
        }
        .scope_boxed()
    })
    .await
}

/// Changes a service; orders keep their amounts. Super admins.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, `duplicate` for a name that the country has already; stale when `version` is not
/// the row's.
#[tracing::instrument(level = "debug", name = "services.update", skip_all, fields(service_id = %id))]
pub async fn update(ctx: &Ctx, id: ServiceId, version: Option<i64>, input: Input) -> Result<Service> {
    ctx.may(Action::Update, Resource::Services)?;
    let office = settings::get(ctx).await?;
    let (office, default_currency, input) = (&office, office.currency(&ctx.options), &input);
    ctx.transaction(|tx| {
        async move {
            let before = store::lock(tx, id).await?.ok_or(Error::NotFound("service"))?;
            fresh(version, before.version, &before.updated_by, before.updated_at)?;
            let after = apply(office, default_currency, input, before.clone())?;
            if after == before {
                return Ok(before);
            }
            let (updated_at, updated_by) = (ctx.now(), ctx.actor_name());
            let after = Service { updated_at, updated_by, version: before.version + 1, ..after };
            store::save(tx, &after).await.map_err(map_duplicate)?;
            let event = after.event("service.updated").changed(&before.logged(), &after.logged())?;
            activity::append(tx, ctx, event).await?;
            Ok(after)
        }
        .scope_boxed()
    })
    .await
}

/// Deletes a service; orders and requests keep their amounts. Super admins.
///
/// # Errors
/// NotFound; Forbidden; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "services.delete", skip_all, fields(service_id = %id))]
pub async fn delete(ctx: &Ctx, id: ServiceId, version: Option<i64>) -> Result<()> {
    ctx.may(Action::Update, Resource::Services)?;
    ctx.transaction(|tx| {
        async move {
            let service = store::lock(tx, id).await?.ok_or(Error::NotFound("service"))?;
            fresh(version, service.version, &service.updated_by, service.updated_at)?;
            store::delete(tx, id).await?;
            activity::append(tx, ctx, service.event("service.removed")).await
        }
        .scope_boxed()
    })
    .await
}

/// Sets the fields of a form.
fn apply(office: &Settings, default_currency: Currency, input: &Input, mut service: Service) -> Result<Service> {
    let mut check = Validator::new();
    if let Some(text) = &input.country {
        service.country = check.required("country", Some(text), str::parse).unwrap_or(service.country);
    }
    if let Some(text) = &input.name {
        service.name = check.single_line("name", text, MAX_NAME_LENGTH);
    }
    let former = service.currency;
    if let Some(text) = input.currency.as_deref() {
        // One that is not offered any more stays.
        let read = |text: &str| match text.parse() {
            Ok(currency) if currency == former => Ok(currency),
            _ => office.parse_currency(text),
        };
        let currency = check.optional("currency", Some(text), read);
        service.currency = currency.unwrap_or(default_currency);
    }
    let currency = service.currency;
    let kept = |minor| currency.restate(former, minor);
    service.price_minor = match input.price.as_deref() {
        Some(text) => check.required("price", Some(text), |text| currency.parse(text)),
        None => check.read("price", kept(service.price_minor)),
    }
    .unwrap_or_default();
    service.filing_fee_minor = match input.filing_fee.as_deref() {
        Some(text) => check.optional("filing_fee", Some(text), |text| currency.parse(text)),
        None => check.read("filing_fee", kept(service.filing_fee_minor)),
    }
    .unwrap_or_default();
    service.active = input.active.unwrap_or(service.active);
    check.finish()?;
    Ok(service)
}

/// Turns a unique violation, which is the name's, into a field error.
fn map_duplicate(error: Error) -> Error {
    if error.is_unique_violation() { Error::field("name", "duplicate") } else { error }
}

/// The actions that the actor may take on the price list: their buttons.
pub fn can(ctx: &Ctx) -> Vec<&'static str> {
    if ctx.can(Action::Update, Resource::Services) { vec!["update", "delete"] } else { Vec::new() }
}

/// Key by which names are unique in a country.
fn name_key(service: &Service) -> String {
    unique_key(&service.name)
}
