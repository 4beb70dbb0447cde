//! SQL of imports.
use crate::kernel::{
    db::{Db, Sql, Tx},
    error::Result,
    ids::{CompanyId, SpvId},
    text::unique_key,
};
use chrono::NaiveDate;
use uuid::Uuid;

/// The company's order with this identifier, as it is spelled there. An order without an identifier of its own is shown,
/// and exported, by its order number (decision 7).
pub async fn existing(db: &mut Db, company: CompanyId, identifier: &str) -> Result<Option<String>> {
    let key = unique_key(identifier);
    let (low, high) = numbered(&key).unzip();
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

/// Marks what is due until `soon` as told of: nobody is reminded of what was late, or nearly, when it came in. What is not
/// late yet is told of when it is.
pub async fn hush(tx: &mut Tx, order: SpvId, today: NaiveDate, soon: NaiveDate) -> Result<()> {
    for table in ["spv_steps", "document_requests"] {
        let sql = format!(
            "update {table} set warned_date = $2, reminded_date = case when due_date < $2 then $2 end \
             where spv_id = $1 and due_date <= $3"
        );
        tx.sql_built(sql).bind(order).bind(today).bind(soon).run().await?;
    }
    Ok(())
}

/// The ids that an order number stands for.
fn numbered(key: &str) -> Option<(Uuid, Uuid)> {
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
    fn an_order_number_has_eight_digits() {
        let (low, high) = numbered("spv-1a2b3c4d").expect("a number");
        assert_eq!(low.to_string(), "1a2b3c4d-0000-0000-0000-000000000000");
        assert_eq!(high.to_string(), "1a2b3c4d-ffff-ffff-ffff-ffffffffffff");
        for other in ["spv-20261121120000", "spv-2026-001", "1a2b3c4d", "spv-", "spv-1a2b3c4é"] {
            assert_eq!(numbered(other), None, "{other}");
        }
    }
}
