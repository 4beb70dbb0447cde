//! Changes of a client's profile with the search index of its orders and documents.
use crate::{
    directory::clients::{self, Change, Client},
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::UserId,
    },
    orders::{documents, spvs},
};

/// Changes a client's profile. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field; Conflict `archived`; stale when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "people.update_client", skip_all, fields(user_id = %id))]
pub async fn update_client(ctx: &Ctx, id: UserId, version: Option<i64>, change: Change) -> Result<Client> {
    let change = &change;
    ctx.transaction(|tx| update_client_within(tx, ctx, id, version, change).scope_boxed()).await?;
    clients::get(ctx, id).await
}

/// [`update_client`] in the caller's transaction.
///
/// # Errors
/// As [`update_client`].
pub(crate) async fn update_client_within(
    tx: &mut Tx,
    ctx: &Ctx,
    id: UserId,
    version: Option<i64>,
    change: &Change,
) -> Result<()> {
    let (before, after) = clients::change(tx, ctx, id, version, change).await?;
    spvs::on_client_renamed(tx, &after).await?;
    if after.name() != before.name() {
        documents::on_client_renamed(tx, id).await?;
    }
    Ok(())
}
