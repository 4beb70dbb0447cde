//! Role changes by super admins.
use crate::{
    accounts::users::{self, User},
    desk::messages,
    directory::isos,
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
        validate::Validator,
    },
    orders::documents::uploads,
    platform::approvals::{self, Request},
};

/// Gives an account another role and the company or ISO that the role needs. Without `company_id` the present company
/// stays; without `iso_id` the present ISO stays as long as the role does, and `Some(None)` removes it. A person who was
/// an ISO's before, even an archived one's, becomes its person again. Sessions, unfinished uploads and unread messages of
/// the account end (decision 27). Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Invalid; Conflict `stale`, `last_super_admin`, `iso_person` for the person that an ISO signs in
/// as, `has_orders` for a client who is to become something else, `reauthentication_needed` to make or change a super admin;
/// `approval_pending` and others of [`approvals::request`] where a new super admin waits for a second one.
#[tracing::instrument(level = "debug", name = "people.set_role", skip_all, fields(user_id = %id))]
pub async fn set_role(
    ctx: &Ctx,
    id: UserId,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<Option<IsoId>>,
    expected: Option<i64>,
) -> Result<User> {
    ctx.may(Action::Update, Resource::Users)?;
    let before = users::by_id(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))?;
    if role == Role::SuperAdmin || before.role == Role::SuperAdmin {
        ctx.require_recent_proof()?;
    }
    let (company_id, iso_id) = affiliation(ctx, &before, role, company_id, iso_id).await?;
    ctx.transaction(|tx| {
        async move {
            let user = lock(tx, ctx, id, role, iso_id, expected).await?;
            let makes = role == Role::SuperAdmin && user.role != Role::SuperAdmin;
            if makes && approvals::is_required(tx, ctx, |_| true).await? {
                let request = Request::MakeSuperAdmin { version: user.version };
                return approvals::request(tx, ctx, &request, id.to_string(), user.name()).await.map(Err);
            }
            change(tx, ctx, &user, role, company_id, iso_id).await.map(Ok)
        }
        .scope_boxed()
    })
    .await?
}

/// [`set_role`] of an approved super admin.
///
/// # Errors
/// NotFound; Conflict `stale`, `iso_person`, `has_orders`.
pub(crate) async fn make_super_admin(tx: &mut Tx, ctx: &Ctx, id: UserId, version: i64) -> Result<()> {
    let user = lock(tx, ctx, id, Role::SuperAdmin, None, Some(version)).await?;
    change(tx, ctx, &user, Role::SuperAdmin, None, None).await.map(drop)
}

/// Locks an account that may get the role.
async fn lock(
    tx: &mut Tx,
    ctx: &Ctx,
    id: UserId,
    role: Role,
    iso_id: Option<IsoId>,
    expected: Option<i64>,
) -> Result<User> {
    users::lock_super_admins(tx, ctx.now()).await?;
    let user = users::lock(tx, id, expected).await?;
    let present = isos::active_iso_of_user(tx, id).await?;
    if present.is_some_and(|present| role != Role::Iso || iso_id != Some(present)) {
        return Err(Error::conflict("iso_person"));
    }
    Ok(user)
}

async fn change(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
) -> Result<User> {
    let changed = users::change_role(tx, ctx, user, role, company_id, iso_id).await?;
    uploads::end_all_of(tx, user.id).await?;
    messages::forget(tx, user.id).await?;
    Ok(changed)
}

/// The company and ISO of an account in its new role.
async fn affiliation(
    ctx: &Ctx,
    before: &User,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<Option<IsoId>>,
) -> Result<(Option<CompanyId>, Option<IsoId>)> {
    let needs_company = matches!(role, Role::Client | Role::CompanyAdmin);
    let needs_iso = matches!(role, Role::Client | Role::Iso);
    let iso_id = iso_id.unwrap_or(before.iso_id.filter(|_| needs_iso && role == before.role));
    let former = match (role, iso_id) {
        (Role::Iso, None) => isos::iso_of_user(&mut ctx.db(), before.id).await?,
        _ => None,
    };
    match former {
        Some((_, company)) if company_id.is_some_and(|named| named != company) => {
            Err(Error::field("iso_id", "required"))
        }
        Some((iso, company)) => Ok((Some(company), Some(iso))),
        None => {
            let mut check = Validator::new();
            let company_id = company_id.or(before.company_id.filter(|_| needs_company));
            let affiliation = users::validate_affiliation(&mut check, ctx, role, company_id, iso_id).await?;
            check.finish()?;
            Ok(affiliation)
        }
    }
}
