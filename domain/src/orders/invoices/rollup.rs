//! What an invoice and its payments count for in the rollups.
use super::{Invoice, Status};
use crate::{
    kernel::{
        db::{Metric, Query, Sql, Tx},
        error::Result,
        ids::{InvoiceId, SpvId},
    },
    platform::rollups::{self, Contributions, Dimensions, Facts},
};
use chrono::NaiveDate;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(crate) struct InvoiceFacts {
    of: Dimensions,
    status: Status,
    issued_date: NaiveDate,
    total_minor: i64,
    due_minor: i64,
    /// Payments by date received. Of a change only those that it records.
    payments: Vec<(NaiveDate, i64)>,
    /// Credit notes by date of issue. Of a change only those that it issues.
    credits: Vec<(NaiveDate, i64)>,
}

impl InvoiceFacts {
    /// `of` are the dimensions of its order.
    pub(super) fn of(invoice: &Invoice, of: Dimensions, payments: Vec<(NaiveDate, i64)>) -> Self {
        Self {
            of: Dimensions { currency: invoice.currency, ..of },
            status: invoice.status,
            issued_date: invoice.issued_date,
            total_minor: invoice.total_minor,
            due_minor: invoice.due_minor(),
            payments,
            credits: Vec::new(),
        }
    }

    /// With the credit note that the change issues.
    pub(super) fn with_credit(self, issued_date: NaiveDate, minor: i64) -> Self {
        Self { credits: vec![(issued_date, minor)], ..self }
    }
}

impl Facts for InvoiceFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        if self.status != Status::Void {
            to.dated(Metric::Invoiced, self.of, self.issued_date, self.total_minor);
        }
        if self.status.is_open() {
            to.outstanding(self.of, self.due_minor);
        }
        for (date, minor) in &self.payments {
            to.dated(Metric::Paid, self.of, *date, *minor);
        }
        for (date, minor) in &self.credits {
            to.dated(Metric::Invoiced, self.of, *date, -minor);
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: InvoiceId,
    #[sqlx(flatten)]
    of: Dimensions,
    status: Status,
    issued_date: NaiveDate,
    total_minor: i64,
    paid_minor: i64,
    credited_minor: i64,
}

/// Updates the rollups for a new or a changed invoice.
pub(super) fn count_change(tx: &mut Tx, before: Option<InvoiceFacts>, after: InvoiceFacts) {
    rollups::apply(tx, before, Some(after));
}

/// Dated amounts by invoice.
type DatedAmounts = BTreeMap<InvoiceId, Vec<(NaiveDate, i64)>>;

fn by_invoice(rows: Vec<(InvoiceId, NaiveDate, i64)>) -> DatedAmounts {
    let mut found = DatedAmounts::new();
    for (invoice, date, minor) in rows {
        found.entry(invoice).or_default().push((date, minor));
    }
    found
}

/// Updates the rollups for an order's invoices, which count for its company, partner and country, before another one of them
/// is saved.
pub(crate) async fn count_moved(tx: &mut Tx, spv: SpvId, to: Dimensions) -> Result<()> {
    for before in read(tx, Some(spv)).await? {
        let of = Dimensions { currency: before.of.currency, ..to };
        let after = InvoiceFacts { of, ..before.clone() };
        rollups::apply(tx, Some(before), Some(after));
    }
    Ok(())
}

/// The facts of all invoices, with their payments and credit notes.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<InvoiceFacts>> {
    read(db, None).await
}

/// The facts of an order's invoices, or of all.
async fn read(db: &mut impl Sql, spv: Option<SpvId>) -> Result<Vec<InvoiceFacts>> {
    let condition = |column: &str| if spv.is_some() { format!(" where {column} = $1") } else { String::new() };
    let of_invoice = condition("v.spv_id");
    let received = format!(
        "select p.invoice_id, p.received_date, p.amount_minor from invoice_payments p join invoices v on v.id = p.invoice_id{of_invoice}"
    );
    let issued = format!("select invoice_id, issued_date, amount_minor from credit_notes{}", condition("spv_id"));
    let invoices = format!(
        "select v.id, s.company_id, s.iso_id, s.country, v.currency, v.status, v.issued_date, v.total_minor, \
         v.paid_minor, v.credited_minor from invoices v join spvs s on s.id = v.spv_id{of_invoice}"
    );
    let mut payments = by_invoice(of_order(db, received, spv).all().await?);
    let mut credits = by_invoice(of_order(db, issued, spv).all().await?);
    let rows: Vec<Row> = of_order(db, invoices, spv).all().await?;
    let facts = |row: Row| InvoiceFacts {
        of: row.of,
        status: row.status,
        issued_date: row.issued_date,
        total_minor: row.total_minor,
        due_minor: row.total_minor - row.credited_minor - row.paid_minor,
        payments: payments.remove(&row.id).unwrap_or_default(),
        credits: credits.remove(&row.id).unwrap_or_default(),
    };
    Ok(rows.into_iter().map(facts).collect())
}

fn of_order(db: &mut impl Sql, text: String, spv: Option<SpvId>) -> Query<'_> {
    let query = db.sql_built(text);
    match spv {
        Some(spv) => query.bind(spv),
        None => query,
    }
}
