//! SQL of corrected holidays.
use super::Correction;
use crate::kernel::{
    db::{Sql, Tx, insert},
    error::Result,
    geo::Country,
    ids::HolidayId,
};

const LIST: &str = "select id, country, day, name, created_at, created_by from holiday_corrections where country = $1 \
                    order by day";

pub async fn list(db: &mut impl Sql, country: Country) -> Result<Vec<Correction>> {
    db.sql(LIST).bind(country).all().await
}

/// [`list`] under the advisory lock of corrections.
pub async fn lock(tx: &mut Tx, country: Country) -> Result<Vec<Correction>> {
    tx.advisory_lock("holiday_corrections".to_owned()).await?;
    tx.sql(LIST).bind(country).all().await
}

pub async fn insert(tx: &mut Tx, correction: &Correction) -> Result<()> {
    insert!(tx, "holiday_corrections", {
        id: correction.id,
        country: correction.country,
        day: correction.day,
        name: correction.name.clone(),
        created_at: correction.created_at,
        created_by: correction.created_by.clone(),
    })
    .run()
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: HolidayId) -> Result<Option<Correction>> {
    tx.sql("delete from holiday_corrections where id = $1 returning id, country, day, name, created_at, created_by")
        .bind(id)
        .optional()
        .await
}
