//! Account changes by administrators of the auth protocol.
use super::{on_contact_changed, set_role};
use crate::{
    accounts::{
        auth::{
            Auth,
            admin::{self, Update},
        },
        users::User,
    },
    kernel::{ctx::Ctx, db::ScopedFutureExt, error::Result, ids::UserId},
};

/// Changes an account. A new password, another role and a ban end its sessions (decision 27).
/// Super admins, service tokens.
///
/// # Errors
/// Forbidden; `account_in_use` where a person sets the password or address of an account in use; NotFound; Invalid;
/// Conflict `email_taken`, `last_super_admin`, `reauthentication_needed`; RateLimited when the machine is busy.
#[tracing::instrument(level = "debug", name = "people.update_by_admin", skip_all, fields(user_id = %id))]
pub async fn update_by_admin(ctx: &Ctx, auth: &Auth, id: UserId, change: Update) -> Result<User> {
    let user = update_account(ctx, id, change).await?;
    auth.token_cache.forget_user(id);
    admin::get(ctx, id).await.or(Ok(user))
}

/// [`update_by_admin`] for a process that serves no sessions, as the command line.
///
/// # Errors
/// As [`update_by_admin`].
#[tracing::instrument(level = "debug", name = "people.update_account", skip_all, fields(user_id = %id))]
pub async fn update_account(ctx: &Ctx, id: UserId, change: Update) -> Result<User> {
    let update = &admin::validate_update(ctx, id, change).await?;
    ctx.require_recent_proof()?;
    if let Some(role) = update.new_role() {
        let to = update.fields();
        set_role(ctx, id, role, to.company_id, to.iso_id.map(Some), None).await?;
    }
    ctx.transaction(|tx| {
        async move {
            let (user, email_changed) = admin::apply_update(tx, ctx, id, update).await?;
            if email_changed {
                on_contact_changed(tx, &user).await?;
            }
            Ok(user)
        }
        .scope_boxed()
    })
    .await
}
