//! Corrections of an order's details while it is open, and what follows from them.
use crate::{
    kernel::{
        access::Action,
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::SpvId,
        validate::{self, LINE, Validator},
    },
    orders::{
        documents, onboarding,
        spvs::{self, Detail, Spv},
    },
    platform::activity,
};
use serde::Serialize;

/// A field left out stays, an empty text clears it.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    pub custom_identifier: Option<String>,
    pub reference: Option<String>,
    pub vehicle_name: Option<String>,
    pub purchase_amount: Option<String>,
    pub ordered_date: Option<String>,
}

/// What the activity log compares. All of it is visible to the order's client.
#[derive(Serialize)]
struct Details {
    identifier: String,
    reference: Option<String>,
    vehicle_name: Option<String>,
    purchase_amount: Option<String>,
    ordered_date: String,
}

impl From<&Spv> for Details {
    fn from(spv: &Spv) -> Self {
        Self {
            identifier: spv.identifier(),
            reference: spv.reference.clone(),
            vehicle_name: spv.vehicle_name.clone(),
            purchase_amount: spv.purchase_amount_minor.map(|minor| spv.currency.format(minor)),
            ordered_date: spv.ordered_date.to_string(),
        }
    }
}

/// Corrects an open order. A commission that is a percentage follows the purchase amount. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, `duplicate` for an identifier that the company already uses; Conflict
/// `wrong_status` once the order is closed or cancelled; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "corrections.correct", skip_all, fields(spv_id = %id))]
pub async fn correct(ctx: &Ctx, id: SpvId, version: Option<i64>, input: Correction) -> Result<Detail> {
    let input = &input;
    let done = ctx.transaction(|tx| correct_within(tx, ctx, id, version, input).scope_boxed());
    done.await.map_err(onboarding::map_duplicate)
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
) -> Result<Detail> {
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
        return Ok(Detail { spv: before, steps });
    }
    let changed = activity::Event::new("spv.updated", "spv", id.0, after.identifier())
        .of(Some(after.client_id), Some(after.company_id), after.iso_id)
        .spv(id)
        .public()
        .changed(&Details::from(&before), &Details::from(&after))?;
    let spv = spvs::save_details(tx, ctx, &before, after).await?;
    if spv.identifier() != before.identifier() {
        documents::on_order_renamed(tx, id).await?;
    }
    activity::append(tx, ctx, changed).await?;
    Ok(Detail { spv, steps })
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
    if let Some(text) = &input.purchase_amount {
        let currency = spv.currency;
        spv.purchase_amount_minor = check.optional("purchase_amount", Some(text), |text| currency.parse(text));
        spv.iso_commission_minor = spv.agreed_commission_minor();
    }
    if let Some(text) = &input.ordered_date {
        let date = check.required("ordered_date", Some(text), validate::date);
        spv.ordered_date = date.unwrap_or(spv.ordered_date);
    }
    check.finish()
}
