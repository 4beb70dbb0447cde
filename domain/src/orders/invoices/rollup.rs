//! What an invoice and its payments count for in the rollups.
use super::{Invoice, Status};
use crate::{
    kernel::{
        db::{Metric, Sql, Tx},
        error::Result,
        ids::InvoiceId,
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

/// The facts of all invoices, with their payments and credit notes.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<InvoiceFacts>> {
    let received = db.sql("select invoice_id, received_date, amount_minor from invoice_payments").all().await?;
    let issued = db.sql("select invoice_id, issued_date, amount_minor from credit_notes").all().await?;
    let (mut payments, mut credits) = (by_invoice(received), by_invoice(issued));
    let rows: Vec<Row> = db
        .sql(
            "select v.id, s.company_id, s.iso_id, s.country, v.currency, v.status, v.issued_date, v.total_minor, \
             v.paid_minor, v.credited_minor from invoices v join spvs s on s.id = v.spv_id",
        )
        .all()
        .await?;
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
