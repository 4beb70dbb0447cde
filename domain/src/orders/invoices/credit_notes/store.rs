//! SQL of credit notes.
use super::CreditNote;
use crate::kernel::{
    access::Scope,
    db::{Db, Row, Sql, Tx, const_concat, insert},
    error::Result,
    ids::{CreditNoteId, InvoiceId, SpvId, UserId},
    page::Conditions,
};
use std::collections::HashMap;

const SELECT_WITH_NAMES: &str = const_concat!(
    "select ",
    CreditNote::LIST,
    " from credit_notes d join invoices v on v.id = d.invoice_id join spvs s on s.id = d.spv_id \
     join users c on c.id = d.client_id"
);

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub invoice_id: Option<InvoiceId>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
}

/// The next number of a year. The year's row stays locked until the transaction ends, so that a rollback leaves no gap.
pub async fn next_number(tx: &mut Tx, year: i64) -> Result<i64> {
    tx.sql(
        "insert into credit_note_numbers (year, last) values ($1, 1) \
         on conflict (year) do update set last = credit_note_numbers.last + 1 returning last",
    )
    .bind(year)
    .scalar()
    .await
}

pub async fn insert(tx: &mut Tx, note: &CreditNote) -> Result<()> {
    insert!(tx, "credit_notes", note).run().await?;
    Ok(())
}

pub async fn get(db: &mut Db, id: CreditNoteId) -> Result<Option<CreditNote>> {
    const SQL: &str = const_concat!(SELECT_WITH_NAMES, " where d.id = $1");
    db.sql(SQL).bind(id).optional().await
}

pub async fn by_number(db: &mut Db, year: i64, number: i64) -> Result<Option<CreditNoteId>> {
    let sql = "select id from credit_notes where year = $1 and number = $2";
    let row: Option<(CreditNoteId,)> = db.sql(sql).bind(year).bind(number).optional().await?;
    Ok(row.map(|(id,)| id))
}

/// The filing fee within the credit notes of each invoice of an order.
pub async fn filing_fees(tx: &mut Tx, spv: SpvId) -> Result<HashMap<InvoiceId, i64>> {
    let rows: Vec<(InvoiceId, i64)> = tx
        .sql(
            "select invoice_id, cast(sum(filing_fee_minor) as bigint) from credit_notes where spv_id = $1 \
             group by invoice_id",
        )
        .bind(spv)
        .all()
        .await?;
    Ok(rows.into_iter().collect())
}

/// Rows before a number, newest first.
pub async fn list(
    db: &mut Db,
    scope: Scope,
    filter: &Filter,
    before: Option<(i64, i64)>,
    limit: usize,
) -> Result<Vec<CreditNote>> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("d.client_id"));
    all.and_id("d.client_id", filter.client_id.map(|id| id.0));
    all.and_id("d.spv_id", filter.spv_id.map(|id| id.0));
    all.and_id("d.invoice_id", filter.invoice_id.map(|id| id.0));
    if let Some((year, number)) = before {
        all.and(format!("(d.year, d.number) < ({year}, {number})"));
    }
    let sql = format!("{SELECT_WITH_NAMES} where {} order by d.year desc, d.number desc limit {limit}", all.sql());
    all.bind(db.sql_built(sql)).all().await
}
