//! Corrections of an order's details while it is open, and what follows from them for its invoices and commissions.
mod country;
mod parties;
mod store;

use crate::{
    kernel::{
        access::Action,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        geo::Country,
        ids::{CompanyId, IsoId, SpvId, UserId},
        money::{self, Currency},
        validate::{self, LINE, Validator},
    },
    orders::{
        commissions, documents,
        invoices::{self, FormerPrice, InvoiceChange, InvoiceableOrder},
        onboarding,
        spvs::{self, Spv},
        steps::Step,
    },
    platform::{activity, settings},
};
use serde::Serialize;
use std::{
    mem,
    sync::{Mutex, PoisonError},
};

/// A field left out stays, an empty text clears it.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    pub custom_identifier: Option<String>,
    pub reference: Option<String>,
    pub vehicle_name: Option<String>,
    pub purchase_amount: Option<String>,
    pub ordered_date: Option<String>,
    /// The fee; the invoices follow it.
    pub price: Option<String>,
    /// The fee of the authority; the invoices follow it.
    pub filing_fee: Option<String>,
    /// Amounts left out stay the same decimal numbers.
    pub currency: Option<String>,
    /// A fixed commission, which replaces a percentage.
    pub commission: Option<String>,
    /// A percentage, which replaces a fixed commission.
    pub iso_commission_percentage: Option<String>,
    /// Client, company and ISO partner belong together (decision 12). Super admins.
    pub client_id: Option<UserId>,
    pub company_id: Option<CompanyId>,
    /// Without a partner there is no commission.
    pub iso_id: Option<Option<IsoId>>,
    /// While every step is pending: the steps of its template replace the old ones.
    pub country: Option<String>,
}

/// What follows from a correction. Amounts are minor units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    Invoice(InvoiceChange),
    /// The agreed commission of the order.
    Commission {
        from: Option<i64>,
        from_currency: Currency,
        to: Option<i64>,
        currency: Currency,
    },
    /// A row for the difference to a commission that is approved or paid.
    CommissionRow {
        minor: i64,
        currency: Currency,
    },
    /// The steps of another country's template replace the old ones.
    Steps {
        removed: i64,
        added: i64,
        currency: Currency,
    },
}

/// A corrected order with its steps, and what followed from the correction.
#[derive(Clone, Debug)]
pub struct Corrected {
    pub spv: Spv,
    pub steps: Vec<Step>,
    pub consequences: Vec<Consequence>,
}

/// What the activity log compares. All of it is visible to the order's client.
#[derive(PartialEq, Serialize)]
struct Details {
    identifier: String,
    reference: Option<String>,
    vehicle_name: Option<String>,
    purchase_amount: Option<String>,
    ordered_date: String,
    price: Option<String>,
    filing_fee: Option<String>,
    currency: Currency,
    country: Country,
}

impl From<&Spv> for Details {
    fn from(spv: &Spv) -> Self {
        let amount = |minor: Option<i64>| minor.map(|minor| spv.currency.format(minor));
        Self {
            identifier: spv.identifier(),
            reference: spv.reference.clone(),
            vehicle_name: spv.vehicle_name.clone(),
            purchase_amount: amount(spv.purchase_amount_minor),
            ordered_date: spv.ordered_date.to_string(),
            price: amount(spv.price_minor),
            filing_fee: amount(spv.filing_fee_minor),
            currency: spv.currency,
            country: spv.country,
        }
    }
}

/// What the activity log compares of the commission, which the client must not see.
#[derive(PartialEq, Serialize)]
struct CommissionTerms {
    commission: Option<String>,
    iso_commission_percentage: Option<String>,
    iso_commission: Option<String>,
    currency: Currency,
}

impl From<&Spv> for CommissionTerms {
    fn from(spv: &Spv) -> Self {
        let amount = |minor: Option<i64>| minor.map(|minor| spv.currency.format(minor));
        Self {
            commission: amount(spv.commission_minor),
            iso_commission_percentage: spv.iso_commission_percentage.map(money::format_percent),
            iso_commission: amount(spv.iso_commission_minor),
            currency: spv.currency,
        }
    }
}

/// Corrects an open order. Its invoices follow the price and the client, its commission follows price and purchase amount, and
/// its steps follow the country. Staff; client, company and ISO partner: super admins.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, `duplicate` for an identifier that the company already uses; Conflict
/// `wrong_status` once the order is closed or cancelled, `currency_has_payments` and `currency_has_commission` for another
/// currency, those of [`parties`] and [`country`]; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "corrections.correct", skip_all, fields(spv_id = %id))]
pub async fn correct(ctx: &Ctx, id: SpvId, version: Option<i64>, input: Correction) -> Result<Corrected> {
    let input = &input;
    let done = ctx.transaction(|tx| correct_within(tx, ctx, id, version, input).scope_boxed());
    done.await.map_err(onboarding::map_duplicate)
}

/// What [`correct`] would answer: the same transaction, rolled back. Numbers of invoices and credit notes are those that are
/// next now.
///
/// # Errors
/// As [`correct`].
#[tracing::instrument(level = "debug", name = "corrections.preview", skip_all, fields(spv_id = %id))]
pub async fn preview(ctx: &Ctx, id: SpvId, version: Option<i64>, input: Correction) -> Result<Corrected> {
    const PREVIEW: &str = "preview";
    let (input, corrected) = (&input, &Mutex::new(None));
    let done = ctx.transaction(|tx| {
        async move {
            let found = correct_within(tx, ctx, id, version, input).await?;
            *corrected.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            // An error rolls back.
            Err::<(), _>(Error::conflict(PREVIEW))
        }
        .scope_boxed()
    });
    match done.await {
        Err(Error::Conflict(problem)) if problem.code == PREVIEW => {}
        Err(error) => return Err(onboarding::map_duplicate(error)),
        Ok(()) => {}
    }
    let found = corrected.lock().unwrap_or_else(PoisonError::into_inner).take();
    found.ok_or_else(|| Error::internal("a preview without a result"))
}

/// [`correct`] in the caller's transaction.
///
/// # Errors
/// As [`correct`], with a unique violation for a duplicate identifier.
pub(crate) async fn correct_within(
    tx: &mut Tx,
    ctx: &Ctx,
    id: SpvId,
    version: Option<i64>,
    input: &Correction,
) -> Result<Corrected> {
    spvs::lock(tx, id).await?;
    let (before, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    ctx.may(Action::Update, spvs::resource(&before))?;
    let mut after = before.clone();
    apply(input, &mut after)?;
    fresh(version, before.version, &before.updated_by, before.updated_at)?;
    if !before.status.is_open() {
        return Err(Error::wrong_status(before.status));
    }
    if after == before {
        return Ok(Corrected { spv: before, steps, consequences: Vec::new() });
    }
    if after.currency != before.currency {
        let office = settings::within(tx).await?;
        office.check_offered(after.currency).map_err(|problem| Error::field_with("currency", problem))?;
        check_currency(tx, &before).await?;
    }
    if parties::is_changed(&before, &after) || after.country != before.country {
        // Payments and reviews of commissions wait: they count for the dimensions that they find.
        invoices::lock_of_order(tx, id).await?;
        commissions::lock_of_order(tx, id).await?;
    }
    if parties::is_changed(&before, &after) {
        parties::change(tx, ctx, &before, &mut after).await?;
    }
    if after.country != before.country {
        country::change(tx, ctx, &before, &steps, &mut after).await?;
    }
    if after.dimensions() != before.dimensions() {
        invoices::count_moved(tx, id, after.dimensions()).await?;
        commissions::count_moved(tx, id, after.dimensions()).await?;
    }
    let (after, difference) = spvs::save_details(tx, ctx, &before, after).await?;
    if after.identifier() != before.identifier() {
        documents::on_order_renamed(tx, id).await?;
    }
    // With the names of new parties and the new steps.
    let (spv, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    log(tx, ctx, &before, &spv).await?;
    let mut consequences = commission_consequences(&before, &after, difference);
    if after.country != before.country {
        consequences.push(Consequence::Steps {
            removed: before.steps_total,
            added: after.steps_total,
            currency: after.currency,
        });
    }
    let is_billed_anew = is_billed_anew(tx, &before, &after).await?;
    if is_price_changed(&before, &after) || is_billed_anew {
        consequences.extend(follow_price(tx, ctx, &before, &after, is_billed_anew).await?);
    }
    Ok(Corrected { spv, steps, consequences })
}

/// Refuses another currency once money in the present one has moved.
async fn check_currency(tx: &mut Tx, spv: &Spv) -> Result<()> {
    let refuse = |code| Err(Error::Conflict(Problem::new(code).with("currency", spv.currency.code())));
    if invoices::has_payments(tx, spv.id).await? {
        return refuse("currency_has_payments");
    }
    if commissions::has_settled(tx, spv.id).await? {
        return refuse("currency_has_commission");
    }
    Ok(())
}

fn is_price_changed(before: &Spv, after: &Spv) -> bool {
    let price = |spv: &Spv| (spv.price_minor.unwrap_or(0), spv.filing_fee_minor.unwrap_or(0), spv.currency);
    price(before) != price(after)
}

/// Whether the unpaid invoices say something that is wrong now: another currency, client or country.
async fn is_billed_anew(tx: &mut Tx, before: &Spv, after: &Spv) -> Result<bool> {
    let billed = |spv: &Spv| (spv.currency, spv.client_id);
    if billed(before) != billed(after) {
        return Ok(true);
    }
    Ok(before.country != after.country && !invoices::has_payments(tx, after.id).await?)
}

async fn follow_price(tx: &mut Tx, ctx: &Ctx, before: &Spv, spv: &Spv, billed_anew: bool) -> Result<Vec<Consequence>> {
    let identifier = spv.identifier();
    let order = InvoiceableOrder::of(spv, &identifier);
    let former = FormerPrice { minor: before.billable_minor().unwrap_or(0), billed_anew };
    let changes = invoices::follow_price(tx, ctx, order, former).await?;
    Ok(changes.into_iter().map(Consequence::Invoice).collect())
}

fn commission_consequences(before: &Spv, after: &Spv, difference: Option<i64>) -> Vec<Consequence> {
    let mut found = Vec::new();
    let (from, to) = (before.iso_commission_minor, after.iso_commission_minor);
    if (from, before.currency) != (to, after.currency) && (from.is_some() || to.is_some()) {
        let (from_currency, currency) = (before.currency, after.currency);
        found.push(Consequence::Commission { from, from_currency, to, currency });
    }
    found.extend(difference.map(|minor| Consequence::CommissionRow { minor, currency: after.currency }));
    found
}

/// Logs what changed: for all who may see the order, the price for its client's notification, and the commission without the
/// client.
async fn log(tx: &mut Tx, ctx: &Ctx, before: &Spv, after: &Spv) -> Result<()> {
    let event = |action| activity::Event::new(action, "spv", after.id.0, after.identifier()).spv(after.id).public();
    let all = |event: activity::Event| event.of(Some(after.client_id), Some(after.company_id), after.iso_id);
    let details = (Details::from(before), Details::from(after));
    if details.0 != details.1 {
        // New parties must not learn what the order was before them.
        let updated = if parties::is_changed(before, after) {
            activity::Event::new("spv.updated", "spv", after.id.0, after.identifier()).spv(after.id)
        } else {
            all(event("spv.updated"))
        };
        activity::append(tx, ctx, updated.changed(&details.0, &details.1)?).await?;
    }
    if is_price_changed(before, after) {
        activity::append(tx, ctx, all(event("spv.price_corrected"))).await?;
    }
    if parties::is_changed(before, after) {
        parties::log(tx, ctx, before, after).await?;
    }
    let terms = (CommissionTerms::from(before), CommissionTerms::from(after));
    // A new partner must not learn of the former one's terms.
    if terms.0 != terms.1 && after.iso_id.is_some() && after.iso_id == before.iso_id {
        let event = event("commission.corrected").of(None, Some(after.company_id), after.iso_id);
        activity::append(tx, ctx, event.changed(&terms.0, &terms.1)?).await?;
    }
    Ok(())
}

/// Sets the fields of a correction.
///
/// # Errors
/// Invalid per field.
fn apply(input: &Correction, spv: &mut Spv) -> Result<()> {
    let mut check = Validator::new();
    if let Some(text) = &input.custom_identifier {
        spv.custom_identifier = check.optional_line("custom_identifier", Some(text), spvs::MAX_IDENTIFIER_LENGTH);
    }
    if let Some(text) = &input.reference {
        spv.reference = check.optional_line("reference", Some(text), spvs::MAX_IDENTIFIER_LENGTH);
    }
    if let Some(text) = &input.vehicle_name {
        spv.vehicle_name = check.optional_line("vehicle_name", Some(text), LINE);
    }
    spv.client_id = input.client_id.unwrap_or(spv.client_id);
    spv.company_id = input.company_id.unwrap_or(spv.company_id);
    if let Some(iso) = input.iso_id {
        spv.iso_id = iso;
        if iso.is_none() {
            (spv.commission_minor, spv.iso_commission_percentage, spv.iso_commission_minor) = (None, None, None);
        }
    }
    if let Some(text) = &input.country {
        spv.country = check.required("country", Some(text), str::parse).unwrap_or(spv.country);
    }
    apply_amounts(&mut check, input, spv);
    if let Some(text) = &input.ordered_date {
        let date = check.required("ordered_date", Some(text), validate::date);
        spv.ordered_date = date.unwrap_or(spv.ordered_date);
    }
    check.finish()
}

/// Sets currency, amounts and commission, by the rules of a new order (decision 15).
fn apply_amounts(check: &mut Validator, input: &Correction, spv: &mut Spv) {
    const PERCENT: &str = "iso_commission_percentage";
    let mut currency = spv.currency;
    if let Some(text) = &input.currency {
        currency = check.required("currency", Some(text), str::parse).unwrap_or(currency);
    }
    let former = mem::replace(&mut spv.currency, currency);
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    for (field, given) in [("commission", &input.commission), (PERCENT, &input.iso_commission_percentage)] {
        if is_given(given) && spv.iso_id.is_none() {
            check.reject(field, Problem::new("needs_iso"));
        }
    }
    if is_given(&input.commission) && is_given(&input.iso_commission_percentage) {
        check.reject(PERCENT, Problem::new("not_allowed"));
    }
    if let Some(text) = &input.iso_commission_percentage {
        spv.iso_commission_percentage = check.optional(PERCENT, Some(text), money::parse_percent);
        spv.commission_minor = spv.commission_minor.filter(|_| !is_given(&input.iso_commission_percentage));
    }
    for (field, text, stored) in [
        ("purchase_amount", &input.purchase_amount, &mut spv.purchase_amount_minor),
        ("price", &input.price, &mut spv.price_minor),
        ("filing_fee", &input.filing_fee, &mut spv.filing_fee_minor),
        ("commission", &input.commission, &mut spv.commission_minor),
    ] {
        *stored = match (text, *stored) {
            (Some(text), _) => check.optional(field, Some(text), |text| currency.parse(text)),
            (None, Some(minor)) => check.read(field, currency.restate(former, minor)),
            (None, None) => None,
        };
    }
    spv.filing_fee_minor = spv.filing_fee_minor.filter(|minor| *minor > 0);
    if spv.filing_fee_minor.is_some() && spv.price_minor.is_none() {
        check.reject("filing_fee", Problem::new("needs_price"));
    }
    if is_given(&input.commission) {
        spv.iso_commission_percentage = None;
    }
    let money =
        [&input.purchase_amount, &input.price, &input.currency, &input.commission, &input.iso_commission_percentage];
    if money.into_iter().any(Option::is_some) {
        spv.iso_commission_minor = spv.agreed_commission_minor();
    }
}
