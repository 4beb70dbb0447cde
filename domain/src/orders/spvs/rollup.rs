//! What an order counts for in the rollups.
use super::{InsertOrder, Spv, Status};
use crate::{
    kernel::{
        db::{Metric, Sql, Tx},
        error::Result,
        ids::UserId,
    },
    platform::rollups::{self, Contributions, Counter, Dimensions, Facts},
};
use chrono::NaiveDate;

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct OrderFacts {
    #[sqlx(flatten)]
    of: Dimensions,
    client_id: UserId,
    status: Status,
    ordered_date: NaiveDate,
    price_minor: Option<i64>,
    purchase_amount_minor: Option<i64>,
    iso_commission_minor: Option<i64>,
    steps_pending: i64,
    /// The total of the order's rows in the ledger of commissions, void ones included. Matters where a change opens or closes
    /// the order; in any other it is the same before and after.
    ledger_minor: i64,
}

impl OrderFacts {
    pub(super) fn of(spv: &Spv, ledger_minor: i64) -> Self {
        Self {
            of: spv.dimensions(),
            client_id: spv.client_id,
            status: spv.status,
            ordered_date: spv.ordered_date,
            price_minor: spv.price_minor,
            purchase_amount_minor: spv.purchase_amount_minor,
            iso_commission_minor: spv.iso_commission_minor,
            steps_pending: spv.steps_pending,
            ledger_minor,
        }
    }
}

impl From<&InsertOrder<'_>> for OrderFacts {
    fn from(row: &InsertOrder<'_>) -> Self {
        Self {
            of: row.order.dimensions(),
            client_id: row.order.client_id,
            status: row.order.status,
            ordered_date: row.order.ordered_date,
            price_minor: row.order.price_minor,
            purchase_amount_minor: row.order.purchase_amount_minor,
            iso_commission_minor: row.iso_commission_minor,
            steps_pending: row.steps,
            ledger_minor: 0,
        }
    }
}

impl Facts for OrderFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        // Price and purchase amount, decision 14.
        let amount = self.purchase_amount_minor.or(self.price_minor).unwrap_or(0);
        let cancelled = self.status == Status::Cancelled;
        to.company_order(self.of, self.client_id, cancelled, amount);
        if !cancelled {
            to.dated(Metric::Ordered, self.of, self.ordered_date, amount);
        }
        if self.status == Status::Active {
            to.counter(Counter::ActiveSpvs, 1);
            to.counter(Counter::Revenue(self.of.currency), self.price_minor.unwrap_or(0));
        }
        if self.status.is_open() {
            to.counter(Counter::PendingReviews, self.steps_pending);
        }
        let Some(iso) = self.of.iso else { return };
        if self.status == Status::Closed {
            to.partner(iso, Metric::Closed);
        }
        if self.status.is_open() {
            // Without amounts that the ledger has already, as of a reopened order, and without voided ones.
            let left = (self.iso_commission_minor.unwrap_or(0) - self.ledger_minor).max(0);
            to.expected_commission(iso, self.of.company, self.of.currency, left);
        }
    }
}

/// Updates the rollups for a new or a changed order.
pub(super) fn count_change(tx: &mut Tx, before: Option<OrderFacts>, after: OrderFacts) {
    rollups::apply(tx, before, Some(after));
}

/// Updates the rollups for a removed order.
pub(super) fn count_removal(tx: &mut Tx, before: OrderFacts) {
    rollups::apply(tx, Some(before), None);
}

/// The facts of all orders.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<OrderFacts>> {
    db.sql(
        "select s.company_id, s.iso_id, s.country, s.currency, s.client_id, s.status, s.ordered_date, s.price_minor, \
         s.purchase_amount_minor, s.iso_commission_minor, \
         (select count(*) from spv_steps t where t.spv_id = s.id and t.status = 'pending') as steps_pending, \
         (select cast(coalesce(sum(e.amount_minor), 0) as bigint) from commissions e where e.spv_id = s.id) as ledger_minor \
         from spvs s",
    )
    .all()
    .await
}
