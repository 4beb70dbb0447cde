//! Installments of an invoice, such as deposit and balance, each with its due date. Payments settle them in their order.
use super::{Detail, Invoice, bump_version, event, get, lock, save, store};
use crate::{
    kernel::{
        access::Action,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Problem, Result},
        ids::InvoiceId,
        money::Currency,
        validate::{self, Validator},
    },
    platform::{activity, settings},
};
use chrono::NaiveDate;
use serde::Deserialize;

/// The installments that an invoice may have.
const MAX_INSTALLMENTS: usize = 36;

/// An agreed installment; the amount is in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Installment {
    pub due_date: NaiveDate,
    pub amount_minor: i64,
}

/// An installment after payments and credit notes. Amounts are minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallmentState {
    pub due_date: NaiveDate,
    /// What it bills; credit notes lower the last ones first.
    pub amount_minor: i64,
    pub paid_minor: i64,
}

impl InstallmentState {
    pub fn due_minor(&self) -> i64 {
        self.amount_minor - self.paid_minor
    }
}

/// The next payment of an invoice: all of it, or the installments that are due by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextPayment {
    pub due_date: NaiveDate,
    pub amount_minor: i64,
}

/// The form of an installment.
#[derive(Clone, Debug, Default)]
pub struct NewInstallment {
    pub due_date: Option<String>,
    pub amount: Option<String>,
}

impl Invoice {
    /// Its installments with what is paid of each; empty for an invoice that is due at once.
    pub fn installment_states(&self) -> Vec<InstallmentState> {
        let (mut billed_minor, mut paid_minor) = (self.billed_minor(), self.paid_minor);
        let mut state = |installment: &Installment| {
            let amount_minor = installment.amount_minor.min(billed_minor);
            let paid = amount_minor.min(paid_minor);
            billed_minor -= amount_minor;
            paid_minor -= paid;
            InstallmentState { due_date: installment.due_date, amount_minor, paid_minor: paid }
        };
        self.installments.iter().map(&mut state).collect()
    }

    /// The next payment; None where nothing is due.
    pub fn next_payment(&self, today: NaiveDate) -> Option<NextPayment> {
        if self.due_minor() == 0 {
            return None;
        }
        let open: Vec<_> = self.installment_states().into_iter().filter(|state| state.due_minor() > 0).collect();
        let Some(first) = open.first() else {
            return Some(NextPayment { due_date: self.due_date, amount_minor: self.due_minor() });
        };
        let until = first.due_date.max(today);
        let amount_minor = open.iter().filter(|state| state.due_date <= until).map(InstallmentState::due_minor).sum();
        Some(NextPayment { due_date: first.due_date, amount_minor })
    }

    /// With the due date of the earliest installment that is not paid.
    pub(super) fn with_next_due_date(self) -> Self {
        let next = self.installment_states().into_iter().find(|state| state.due_minor() > 0);
        let due_date = next.or_else(|| self.installment_states().pop()).map_or(self.due_date, |state| state.due_date);
        Self { due_date, ..self }
    }
}

/// Reads installments over a total; none where the form has none.
pub(super) fn read(
    check: &mut Validator,
    new: &[NewInstallment],
    (total_minor, currency): (i64, Currency),
    earliest: NaiveDate,
) -> Vec<Installment> {
    if new.len() > MAX_INSTALLMENTS {
        check.reject("installments", Problem::new("too_many").with("max", MAX_INSTALLMENTS));
        return Vec::new();
    }
    let mut found: Vec<Installment> = Vec::new();
    for (n, installment) in new.iter().enumerate() {
        let field = |name: &str| format!("installments.{n}.{name}");
        let date = check.required(&field("due_date"), installment.due_date.as_deref(), validate::date);
        if let Some(date) = date {
            if date < earliest {
                check.reject(&field("due_date"), Problem::new("before_issue"));
            } else if found.last().is_some_and(|last| date <= last.due_date) {
                check.reject(&field("due_date"), Problem::new("not_after_previous"));
            }
        }
        let amount = check.required(&field("amount"), installment.amount.as_deref(), |text| currency.parse(text));
        if amount == Some(0) {
            check.reject(&field("amount"), Problem::new("not_positive"));
        }
        if let (Some(due_date), Some(amount_minor)) = (date, amount) {
            found.push(Installment { due_date, amount_minor });
        }
    }
    let sum: i64 = found.iter().map(|installment| installment.amount_minor).sum();
    if found.len() == new.len() && !found.is_empty() && sum != total_minor {
        let amount = |minor| format!("{} {}", currency.format(minor), currency.code());
        let problem = Problem::new("installments_differ").with("sum", amount(sum)).with("total", amount(total_minor));
        check.reject("installments", problem);
    }
    found
}

/// Divides what an open invoice bills into installments, or none: then all is due by the office's terms. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, `installments_differ` for a plan that does not add up; Conflict `invoice_settled`;
/// stale.
#[tracing::instrument(level = "debug", name = "invoices.set_installments", skip_all, fields(invoice_id = %id))]
pub async fn set_installments(
    ctx: &Ctx,
    id: InvoiceId,
    version: Option<i64>,
    new: Vec<NewInstallment>,
) -> Result<Detail> {
    let new = &new;
    ctx.transaction(|tx| {
        async move {
            let before = lock(tx, ctx, id, version, Action::Update).await?;
            let mut check = Validator::new();
            let total = (before.billed_minor(), before.currency);
            let installments = read(&mut check, new, total, before.issued_date);
            check.finish()?;
            before.check_open()?;
            let terms = settings::within(tx).await?.billing;
            let due_date = if installments.is_empty() && !before.installments.is_empty() {
                terms.due_date(before.issued_date)
            } else {
                before.due_date
            };
            let after = Invoice { installments, due_date, ..before.clone() };
            let after = bump_version(ctx, after.with_next_due_date());
            store::replace_installments(tx, &after).await?;
            save(tx, &before, &after, Vec::new()).await?;
            let planned = event("invoice.planned", &after).with("due_date", after.due_date.to_string());
            activity::append(tx, ctx, planned).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::invoices::{Status, model::tests::invoice};
    use proptest::prelude::*;

    fn day(n: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 12, n).unwrap()
    }

    fn divided(amounts: &[i64]) -> Invoice {
        let installment =
            |(n, amount): (usize, &i64)| Installment { due_date: day(n as u32 + 1), amount_minor: *amount };
        let installments = amounts.iter().enumerate().map(installment).collect();
        Invoice { installments, ..invoice(amounts.iter().sum()) }
    }

    #[test]
    fn payments_settle_installments_in_order_and_credit_notes_the_last_first() {
        let plan = divided(&[300, 700]);
        let next = |of: &Invoice, today| of.next_payment(day(today)).map(|next| (next.due_date, next.amount_minor));
        assert_eq!(next(&plan, 1), Some((day(1), 300)));
        assert_eq!(next(&plan, 2), Some((day(1), 1_000)), "both are due");
        let part = plan.paid(100, false).unwrap();
        assert_eq!(next(&part, 1), Some((day(1), 200)));
        let deposit = part.paid(200, false).unwrap();
        assert_eq!(next(&deposit, 1), Some((day(2), 700)));
        assert_eq!(deposit.with_next_due_date().due_date, day(2));
        let credited = part.credited(800).unwrap();
        let states: Vec<_> =
            credited.installment_states().iter().map(|state| (state.amount_minor, state.paid_minor)).collect();
        assert_eq!(states, [(200, 100), (0, 0)]);
        let paid = credited.paid(100, false).unwrap();
        assert_eq!((paid.status, next(&paid, 1)), (Status::Paid, None));
    }

    proptest! {
        #[test]
        fn installments_add_up_to_what_is_billed_and_due(
            amounts in prop::collection::vec(1_i64..10_000, 1..6), paid in 0_i64..20_000, credited in 0_i64..20_000,
        ) {
            let mut plan = divided(&amounts);
            if paid > 0 {
                plan = plan.paid(paid, true).unwrap();
                let credited = credited.min(plan.billed_minor());
                if credited > 0 {
                    plan = plan.credited(credited).unwrap();
                }
            }
            let states = plan.installment_states();
            prop_assert_eq!(states.iter().map(|state| state.amount_minor).sum::<i64>(), plan.billed_minor());
            prop_assert_eq!(states.iter().map(InstallmentState::due_minor).sum::<i64>(), plan.due_minor());
            prop_assert_eq!(plan.paid_minor, plan.billed_minor() - plan.due_minor() + plan.credit_minor());
            let all = plan.next_payment(day(31)).map_or(0, |next| next.amount_minor);
            prop_assert_eq!(all, plan.due_minor());
        }
    }
}
