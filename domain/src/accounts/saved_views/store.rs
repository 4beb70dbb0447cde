//! SQL of saved views. A read has the person's id as a condition.
use super::model::{Input, List, SavedView};
use crate::kernel::{
    db::{Sql, Tx},
    error::Result,
    ids::{SavedViewId, UserId},
};
use chrono::{DateTime, Utc};

pub async fn list(db: &mut impl Sql, owner: UserId, list: List) -> Result<Vec<SavedView>> {
    db.sql(
        "select id, list, name, query, position, version from saved_views where user_id = $1 and list = $2 \
         order by position, id",
    )
    .bind(owner)
    .bind(list)
    .all()
    .await
}

pub async fn get(db: &mut impl Sql, id: SavedViewId, owner: UserId) -> Result<Option<SavedView>> {
    db.sql("select id, list, name, query, position, version from saved_views where id = $1 and user_id = $2")
        .bind(id)
        .bind(owner)
        .optional()
        .await
}

/// Locks a person's views until the transaction ends, so that positions stay without gaps.
pub async fn lock(tx: &mut Tx, owner: UserId) -> Result<()> {
    tx.advisory_lock(format!("saved_views:{owner}")).await
}

pub async fn insert(
    tx: &mut Tx,
    id: SavedViewId,
    owner: UserId,
    view: &Input,
    position: i64,
    at: DateTime<Utc>,
) -> Result<()> {
    tx.sql(
        "insert into saved_views (id, user_id, list, name, query, position, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $7)",
    )
    .bind(id)
    .bind(owner)
    .bind(view.list)
    .bind(view.name.clone())
    .bind(view.query.clone())
    .bind(position)
    .bind(at)
    .run()
    .await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, id: SavedViewId, name: &str, query: &str, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update saved_views set name = $2, query = $3, updated_at = $4, version = version + 1 where id = $1")
        .bind(id)
        .bind(name.to_owned())
        .bind(query.to_owned())
        .bind(at)
        .run()
        .await?;
    Ok(())
}

pub async fn set_position(tx: &mut Tx, id: SavedViewId, position: i64) -> Result<()> {
    tx.sql("update saved_views set position = $2 where id = $1").bind(id).bind(position).run().await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: SavedViewId) -> Result<()> {
    tx.sql("delete from saved_views where id = $1").bind(id).run().await?;
    Ok(())
}
