//! What an account is and whether it is open: role, suspended, archived. Super admins and the operator.
use super::{
    Status, User, change_status, count, count_brought, create::belongs, event, index, keep_one_super_admin, lock,
    store, touched,
};
use crate::{
    accounts::auth::sessions,
    desk::messages,
    directory::isos,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
        validate::Check,
    },
    orders::documents::uploads,
    outbox::notifications,
    platform::activity,
};

/// Gives an account another role and, with it, the company or ISO that the role needs. The present company stays
/// where none is named, the present ISO as long as the role stays; `Some(None)` takes the ISO away. Who was the person of
/// an ISO once, archived by now, becomes it again where none is named. Its sessions end (decision 27), and what it has on
/// the way with them. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Invalid; Conflict `stale`, `last_super_admin`, `iso_person` for whom an ISO signs in as,
/// `has_orders` for a client who is to be none.
pub async fn set_role(
    ctx: &Ctx,
    id: UserId,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<Option<IsoId>>,
    expected: Option<i64>,
) -> Result<User> {
    ctx.may(Action::Update, Resource::Users)?;
    let before = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))?;
    let needs_company = matches!(role, Role::Client | Role::CompanyAdmin);
    let needs_iso = matches!(role, Role::Client | Role::Iso);
    let iso_id = iso_id.unwrap_or(before.iso_id.filter(|_| needs_iso && role == before.role));
    let once = match (role, iso_id) {
        (Role::Iso, None) => isos::once_of_person(&mut ctx.db(), id).await?,
        _ => None,
    };
    let (company_id, iso_id) = match once {
        Some((_, company)) if company_id.is_some_and(|named| named != company) => {
            return Err(Error::field("iso_id", "required"));
        }
        Some((iso, company)) => (Some(company), Some(iso)),
        None => {
            let mut check = Check::new();
            let company_id = company_id.or(before.company_id.filter(|_| needs_company));
            let place = belongs(&mut check, ctx, role, company_id, iso_id).await?;
            check.done()?;
            place
        }
    };

    ctx.transaction(|tx| {
        async move {
            store::lock_super_admins(tx, ctx.now()).await?;
            let user = lock(tx, id, expected).await?;
            if role != Role::SuperAdmin {
                keep_one_super_admin(tx, ctx, &user).await?;
            }
            let theirs = isos::of_person(tx, id).await?;
            if theirs.is_some_and(|theirs| role != Role::Iso || iso_id != Some(theirs)) {
                return Err(Error::conflict("iso_person"));
            }
            // Their orders and invoices are found by way of the client, who would be gone.
            if user.role == Role::Client && role != Role::Client && store::has_orders(tx, id).await? {
                return Err(Error::conflict("has_orders"));
            }
            let changed = touched(ctx, User { role, company_id, iso_id, ..user.clone() });
            store::save(tx, &changed).await?;
            count_brought(tx, &user, -1);
            count_brought(tx, &changed, 1);
            index(tx, &changed).await?;
            let counted = user.status != Status::Archived;
            if counted && (user.role == Role::Client) != (role == Role::Client) {
                count(tx, &user, -1).await?;
                count(tx, &changed, 1).await?;
            }
            sessions::end_all_of(tx, ctx, id).await?;
            uploads::end_all_of(tx, id).await?;
            notifications::delete_for_user(tx, id).await?;
            messages::forget(tx, id).await?;
            let told = event("user.role_changed", &changed).with("from", user.role.name()).with("to", role.name());
            let told = told.changed(&user, &changed)?;
            activity::append(tx, ctx, told).await?;
            Ok(changed)
        }
        .scope_boxed()
    })
    .await
}

/// Shuts an account until it is restored. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`, `archived`.
pub async fn suspend(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    turn(ctx, id, expected, "user.suspended", |user| match user.status {
        Status::Archived => Err(Error::conflict("archived")),
        Status::Suspended => Ok(None),
        _ => Ok(Some(Status::Suspended)),
    })
    .await
}

/// Opens a suspended or archived account again. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`.
pub async fn restore(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    turn(ctx, id, expected, "user.restored", |user| {
        Ok(matches!(user.status, Status::Suspended | Status::Archived).then(|| user.restored()))
    })
    .await
}

/// Hides an account and shuts it. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`.
pub async fn archive(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Archive, Resource::Users)?;
    turn(ctx, id, expected, "user.archived", |user| Ok((user.status != Status::Archived).then_some(Status::Archived)))
        .await
}

/// One change of status, or none when it stands there already.
async fn turn(
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
            let changed = change_status(tx, ctx, &user, to).await?;
            let told = event(action, &changed).with("from", user.status.name()).with("to", to.name());
            activity::append(tx, ctx, told).await?;
            Ok(changed)
        }
        .scope_boxed()
    })
    .await
}
