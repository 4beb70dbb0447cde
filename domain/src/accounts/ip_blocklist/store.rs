//! SQL of the IP blocklist.
use super::Block;
use crate::kernel::{
    db::{Sql, Tx, insert},
    error::Result,
    ids::BlockId,
};

const LIST: &str =
    "select id, network, reason, created_at, created_by from address_blocks order by created_at desc, id desc";

pub async fn list(db: &mut impl Sql) -> Result<Vec<Block>> {
    db.sql(LIST).all().await
}

/// [`list`] under the advisory lock of additions.
pub async fn lock(tx: &mut Tx) -> Result<Vec<Block>> {
    tx.advisory_lock("address_blocks".to_owned()).await?;
    tx.sql(LIST).all().await
}

pub async fn insert(tx: &mut Tx, block: &Block) -> Result<()> {
    insert!(tx, "address_blocks", {
        id: block.id,
        network: block.network.clone(),
        reason: block.reason.clone(),
        created_at: block.created_at,
        created_by: block.created_by.clone(),
    })
    .run()
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: BlockId) -> Result<Option<Block>> {
    tx.sql("delete from address_blocks where id = $1 returning id, network, reason, created_at, created_by")
        .bind(id)
        .optional()
        .await
}
