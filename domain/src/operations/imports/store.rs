//! SQL of imports.
use crate::kernel::{
    db::{Db, Sql, Tx},
    error::Result,
    ids::{CompanyId, SpvId},
    text::unique_key,
};
use chrono::NaiveDate;
use uuid::Uuid;

/// Finds the company's order with this identifier and returns its spelling. An order without an identifier is exported
/// under its order number (decision 7).
pub async fn find_existing(db: &mut Db, company: CompanyId, identifier: &str) -> Result<Option<String>> {
    let key = unique_key(identifier);
    let (low, high) = id_range(&key).unzip();
    let found: Option<(Option<String>,)> = db
        .sql(
            "select custom_identifier from spvs where company_id = $1 and custom_identifier_key = $2 \
             union all select custom_identifier from spvs where company_id = $1 and custom_identifier_key is null \
             and id >= $3 and id <= $4 limit 1",
        )
        .bind(company)
        .bind(key)
        .bind(low)
        .bind(high)
        .optional()
        .await?;
    Ok(found.map(|(own,)| own.unwrap_or_else(|| identifier.to_owned())))
}

/// Marks due dates until `soon` as already reminded, so that an import sends no reminders for what was overdue or
/// nearly so. What becomes overdue later is reminded.
pub async fn suppress_reminders(tx: &mut Tx, order: SpvId, today: NaiveDate, soon: NaiveDate) -> Result<()> {
    for table in ["spv_steps", "document_requests"] {
        let sql = format!(
            "update {table} set warned_date = $2, reminded_date = case when due_date < $2 then $2 end \
             where spv_id = $1 and due_date <= $3"
        );
        tx.sql_built(sql).bind(order).bind(today).bind(soon).run().await?;
    }
    Ok(())
}

/// Range of ids with this order number.
fn id_range(key: &str) -> Option<(Uuid, Uuid)> {
    let digits = key.strip_prefix("spv-")?;
    if digits.len() != 8 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((format!("{digits:0<32}").parse().ok()?, format!("{digits:f<32}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_number_has_eight_hex_digits() {
        let (low, high) = id_range("spv-1a2b3c4d").expect("a number");
        assert_eq!(low.to_string(), "1a2b3c4d-0000-0000-0000-000000000000");
        assert_eq!(high.to_string(), "1a2b3c4d-ffff-ffff-ffff-ffffffffffff");
        for other in ["spv-20261121120000", "spv-2026-001", "1a2b3c4d", "spv-", "spv-1a2b3c4é"] {
            assert_eq!(id_range(other), None, "{other}");
        }
    }
}
