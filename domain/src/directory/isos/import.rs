//! ISO partners of an import, within its transaction: without emails, also archived ones and those of archived companies.
use super::{event, insert_account, resource, store};
use crate::{
    accounts::{
        auth::sessions,
        users::{self, NewUser},
    },
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::Tx,
        error::{Error, Result},
        ids::{CompanyId, IsoId},
        search,
    },
    platform::activity,
};
use chrono::{DateTime, Utc};

/// Inserts an ISO with its account, archived since `archived_at`. Staff.
///
/// # Errors
/// Forbidden; Conflict `email_taken`.
pub(crate) async fn insert_imported(
    tx: &mut Tx,
    ctx: &Ctx,
    account: &NewUser,
    company_id: CompanyId,
    archived_at: Option<DateTime<Utc>>,
) -> Result<IsoId> {
    ctx.may(Action::Create, Resource::NewIso)?;
    let id = IsoId(ctx.random.uuid());
    let account = NewUser { company_id: Some(company_id), iso_id: Some(id), ..account.clone() };
    insert_account(tx, ctx, id, company_id, &account).await?;
    if let Some(archived_at) = archived_at {
        set_archived_by_import(tx, ctx, id, archived_at).await?;
    }
    Ok(id)
}

/// Removes an ISO that an import created, with its account, within a use case that has authorized the actor. Returns what
/// the log names.
///
/// # Errors
/// NotFound; Conflict `stale` when `version` is not the row's, `changed_since_import` when it has signed in; a foreign key
/// violation if other rows refer to it, such as clients, calls and notes.
pub(crate) async fn remove_imported(tx: &mut Tx, ctx: &Ctx, id: IsoId, version: i64) -> Result<()> {
    let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    fresh(Some(version), iso.version, &iso.updated_by, iso.updated_at)?;
    let user = users::lock(tx, iso.user_id, None).await?;
    if user.last_sign_in_at.is_some() {
        return Err(Error::conflict("changed_since_import"));
    }
    search::remove(tx, id.0).await?;
    store::remove(tx, id).await?;
    users::remove_imported(tx, user.id, user.version).await?;
    activity::append(tx, ctx, event(&iso, "iso.deleted")).await
}

/// Archives an ISO as of `archived_at`, which ends its sessions, or corrects the time of an archived one. Staff.
///
/// # Errors
/// NotFound; Forbidden.
pub(crate) async fn set_archived_by_import(
    tx: &mut Tx,
    ctx: &Ctx,
    id: IsoId,
    archived_at: DateTime<Utc>,
) -> Result<()> {
    let iso = store::lock(tx, id).await?.ok_or(Error::NotFound("iso"))?;
    ctx.may(Action::Archive, resource(&iso))?;
    store::set_archived(tx, id, Some(archived_at), ctx.now(), &ctx.actor_name()).await?;
    if iso.archived_at.is_some() {
        return Ok(());
    }
    sessions::end_all_of_iso(tx, ctx, id).await?;
    activity::append(tx, ctx, event(&iso, "iso.archived")).await
}
