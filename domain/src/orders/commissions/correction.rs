//! The ledger after a correction of an order that has earned a commission and was reopened.
//!
//! Its pending row follows the corrected commission. Beside approved and paid rows a row for the difference is added, which
//! names the first of them.
use super::{Commission, CommissionFacts, Status, insert_row, model::Terms, rollup, store};
use crate::{
    kernel::{ctx::Ctx, db::Tx, error::Result, i18n},
    orders::spvs::Spv,
    platform::rollups::Dimensions,
};
use serde_json::Map;

/// The ledger of an order before and after a correction, void rows included, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LedgerChange {
    pub before_minor: i64,
    pub after_minor: i64,
    /// The row for the difference, if one was added.
    pub difference_minor: Option<i64>,
}

/// Makes the ledger follow an order's corrected commission, in the transaction of the correction; the order's row is locked.
/// An order that has earned nothing, or whose commission was taken back, has no row to correct.
///
/// # Errors
/// Conflict `conflict` where a row is approved meanwhile.
pub(crate) async fn sync_with_correction(tx: &mut Tx, ctx: &Ctx, before: &Spv, after: &Spv) -> Result<LedgerChange> {
    let rows = store::of_order(tx, before.id).await?;
    let sum = |of: &dyn Fn(&Commission) -> bool| -> i64 {
        rows.iter().filter(|row| of(row)).map(|row| row.amount_minor).sum()
    };
    let (earned, voided) = (sum(&|row| row.status != Status::Void), sum(&|row| row.status == Status::Void));
    let before_minor = earned + voided;
    let unchanged = LedgerChange { before_minor, after_minor: before_minor, difference_minor: None };
    let is_same = (before.iso_commission_minor, before.currency) == (after.iso_commission_minor, after.currency);
    if earned == 0 || is_same {
        return Ok(unchanged);
    }
    let wanted = after.iso_commission_minor.unwrap_or(0);
    if before.currency != after.currency {
        // All rows are pending: the first takes the commission in the new currency.
        for (n, row) in rows.iter().enumerate() {
            correct_row(tx, ctx, row, after, if n == 0 { wanted } else { 0 }).await?;
        }
        return Ok(LedgerChange { after_minor: wanted, ..unchanged });
    }
    let difference = match wanted - earned {
        // A voided amount is never earned again, as when an order closes.
        missing @ 1.. => (missing - voided).max(0),
        missing => missing,
    };
    if difference == 0 {
        return Ok(unchanged);
    }
    let after_minor = before_minor + difference;
    if let Some(row) = rows.iter().rev().find(|row| row.status == Status::Pending) {
        correct_row(tx, ctx, row, after, row.amount_minor + difference).await?;
        return Ok(LedgerChange { after_minor, ..unchanged });
    }
    let Some(first) = rows.iter().find(|row| row.status != Status::Void) else { return Ok(unchanged) };
    insert_row(tx, ctx, after, first.iso_id, difference, Some(first.id)).await?;
    Ok(LedgerChange { after_minor, difference_minor: Some(difference), ..unchanged })
}

/// Sets the amount of a pending row; one of nothing is void.
async fn correct_row(tx: &mut Tx, ctx: &Ctx, before: &Commission, spv: &Spv, amount_minor: i64) -> Result<()> {
    let Terms { kind, rule, rate, base_minor } = Terms::of(spv, amount_minor);
    let (status, reason) = if amount_minor == 0 {
        let language = store::language_of_iso(tx, before.iso_id).await?;
        (Status::Void, Some(i18n::text(&language, "names", "void_reason.commission_corrected", &Map::new())))
    } else {
        (Status::Pending, None)
    };
    let after = Commission {
        kind,
        rule,
        rate,
        base_minor,
        currency: spv.currency,
        amount_minor,
        status,
        reason,
        updated_at: ctx.now(),
        updated_by: ctx.actor_name(),
        version: before.version + 1,
        ..before.clone()
    };
    store::save_pending(tx, &after).await?;
    let facts = |row: &Commission| CommissionFacts {
        of: Dimensions { company: row.company_id, iso: Some(row.iso_id), country: spv.country, currency: row.currency },
        status: row.status,
        earned_date: row.earned_date,
        amount_minor: row.amount_minor,
    };
    rollup::count_change(tx, Some(facts(before)), facts(&after));
    Ok(())
}
