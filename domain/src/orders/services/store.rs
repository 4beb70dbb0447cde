//! SQL of the price list.
use super::{Service, name_key};
use crate::kernel::{
    db::{Sql, Tx, insert},
    error::Result,
    ids::ServiceId,
};

const SELECT: &str = "select id, country, name, currency, price_minor, filing_fee_minor, active, created_at, updated_at, \
                      updated_by, version from services";

/// All services by country and name.
pub async fn list(db: &mut impl Sql) -> Result<Vec<Service>> {
    db.sql_built(format!("{SELECT} order by country, name_key")).all().await
}

pub async fn count(db: &mut impl Sql) -> Result<i64> {
    db.sql("select count(*) from services").scalar().await
}

pub async fn get(db: &mut impl Sql, id: ServiceId) -> Result<Option<Service>> {
    db.sql_built(format!("{SELECT} where id = $1")).bind(id).optional().await
}

/// The service, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ServiceId) -> Result<Option<Service>> {
    tx.sql("update services set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// # Errors
/// A unique violation for a name that the country has already.
pub async fn insert(tx: &mut Tx, service: &Service) -> Result<()> {
    insert!(tx, "services", {
        id: service.id,
        country: service.country,
        name: service.name.clone(),
        name_key: name_key(service),
        currency: service.currency,
        price_minor: service.price_minor,
        filing_fee_minor: service.filing_fee_minor,
        active: service.active,
        created_at: service.created_at,
        updated_at: service.updated_at,
        updated_by: service.updated_by.clone(),
        version: service.version,
    })
    .run()
    .await?;
    Ok(())
}

/// # Errors
/// A unique violation for a name that the country has already.
pub async fn save(tx: &mut Tx, service: &Service) -> Result<()> {
    tx.sql(
        "update services set country = $2, name = $3, name_key = $4, currency = $5, price_minor = $6, \
         filing_fee_minor = $7, active = $8, updated_at = $9, updated_by = $10, version = $11 where id = $1",
    )
    .bind(service.id)
    .bind(service.country)
    .bind(service.name.clone())
    .bind(name_key(service))
    .bind(service.currency)
    .bind(service.price_minor)
    .bind(service.filing_fee_minor)
    .bind(service.active)
    .bind(service.updated_at)
    .bind(service.updated_by.clone())
    .bind(service.version)
    .run()
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: ServiceId) -> Result<()> {
    tx.sql("delete from services where id = $1").bind(id).run().await?;
    Ok(())
}
