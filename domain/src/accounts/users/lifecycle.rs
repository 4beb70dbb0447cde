//! Lifecycle of an account: role, suspended, archived, restored. Super admins and the operator.
use super::{Status, User, bump_version, change_status, check_not_last_super_admin, event, index, lock, save, store};
use crate::{
    accounts::auth::{security_mails, sessions},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
    },
    outbox::notifications,
    platform::{
        activity,
        approvals::{self, Request},
    },
};

/// Changes the role of an account and what it belongs to, within a use case that has checked both: counters, search
/// index, notifications, and the end of its sessions (session rules, decision 27). `user` is the row as locked.
///
/// # Errors
/// Conflict `last_super_admin` (decision 18), `has_orders` for a client who is to become something else.
pub(crate) async fn change_role(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
) -> Result<User> {
    if role != Role::SuperAdmin {
        check_not_last_super_admin(tx, ctx, user).await?;
    }
    // Orders and invoices are read through their client.
    if user.role == Role::Client && role != Role::Client && store::has_orders(tx, user.id).await? {
        return Err(Error::conflict("has_orders"));
    }
    let changed = bump_version(ctx, User { role, company_id, iso_id, ..user.clone() });
    save(tx, user, &changed).await?;
    index(tx, &changed).await?;
    sessions::end_all_of(tx, ctx, user.id).await?;
    notifications::delete_for_user(tx, user.id).await?;
    let event = event("user.role_changed", &changed).with("from", user.role.name()).with("to", role.name());
    activity::append(tx, ctx, event.changed(user, &changed)?).await?;
    security_mails::notify_role(tx, ctx, Some(user.role), &changed).await?;
    Ok(changed)
}

/// Suspends an account until it is restored. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`, `archived`, `reauthentication_needed` for a super admin.
#[tracing::instrument(level = "debug", name = "users.suspend", skip_all, fields(user_id = %id))]
pub async fn suspend(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    transition(ctx, id, expected, "user.suspended", |user| match user.status {
        Status::Archived => Err(Error::conflict("archived")),
        Status::Suspended => Ok(None),
        _ => Ok(Some(Status::Suspended)),
    })
    .await
}

/// Restores a suspended or archived account to its former status. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `reauthentication_needed` for a super admin; `approval_pending` and others of
/// [`approvals::request`] where a super admin waits for a second one.
#[tracing::instrument(level = "debug", name = "users.restore", skip_all, fields(user_id = %id))]
pub async fn restore(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    ctx.transaction(|tx| {
        async move {
            store::lock_super_admins(tx, ctx.now()).await?;
            let user = lock(tx, id, expected).await?;
            if !user.status.is_shut() {
                return Ok(Ok(user));
            }
            if user.role == Role::SuperAdmin {
                ctx.require_recent_proof()?;
                if approvals::is_required(tx, ctx, |_| true).await? {
                    let request = Request::RestoreSuperAdmin { version: user.version };
                    return approvals::request(tx, ctx, &request, id.to_string(), user.name()).await.map(Err);
                }
            }
            let to = user.status_after_restore();
            move_to(tx, ctx, &user, to, "user.restored").await.map(Ok)
        }
        .scope_boxed()
    })
    .await?
}

/// [`restore`] of an approved super admin.
///
/// # Errors
/// NotFound; Conflict `stale`.
pub(crate) async fn restore_super_admin(tx: &mut Tx, ctx: &Ctx, id: UserId, version: i64) -> Result<()> {
    store::lock_super_admins(tx, ctx.now()).await?;
    let user = lock(tx, id, Some(version)).await?;
    let to = user.status_after_restore();
    move_to(tx, ctx, &user, to, "user.restored").await.map(drop)
}

async fn move_to(tx: &mut Tx, ctx: &Ctx, user: &User, to: Status, action: &'static str) -> Result<User> {
    let changed = change_status(tx, ctx, user, to).await?;
    let event = event(action, &changed).with("from", user.status.name()).with("to", to.name());
    activity::append(tx, ctx, event).await?;
    Ok(changed)
}

/// Archives an account: hidden from lists, no sign-in. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`, `reauthentication_needed` for a super admin.
#[tracing::instrument(level = "debug", name = "users.archive", skip_all, fields(user_id = %id))]
pub async fn archive(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Archive, Resource::Users)?;
    transition(ctx, id, expected, "user.archived", |user| {
        Ok((user.status != Status::Archived).then_some(Status::Archived))
    })
    .await
}

/// Locks the account and moves it to the status that `decide` returns; unchanged for `None`.
async fn transition(
    ctx: &Ctx,
    id: UserId,
    expected: Option<i64>,
    action: &'static str,
    decide: impl Fn(&User) -> Result<Option<Status>> + Send + Sync,
) -> Result<User> {
    let decide = &decide;
    ctx.transaction(|tx| {
        async move {
            store::lock_super_admins(tx, ctx.now()).await?;
            let user = lock(tx, id, expected).await?;
            let Some(to) = decide(&user)? else { return Ok(user) };
            if user.role == Role::SuperAdmin {
                ctx.require_recent_proof()?;
            }
            move_to(tx, ctx, &user, to, action).await
        }
        .scope_boxed()
    })
    .await
}
