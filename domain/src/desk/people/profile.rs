//! Profile changes by its owner, and everything that shows the name.
use super::on_contact_changed;
use crate::{
    accounts::users::{self, Profile, UpdateProfile},
    kernel::{access::Role, ctx::Ctx, db::ScopedFutureExt, error::Result},
    orders::documents,
    platform::settings,
};

/// Changes one's own profile, and what people are shown and found by. Each account.
///
/// # Errors
/// As [`users::profile`]; Invalid per field; Conflict `stale` when `version` is not the row's.
#[tracing::instrument(level = "debug", name = "people.update_profile", skip_all)]
pub async fn update_profile(ctx: &Ctx, version: Option<i64>, change: UpdateProfile) -> Result<Profile> {
    users::require_account(ctx)?;
    let today = settings::person_today(ctx).await?;
    let change = &change;
    ctx.transaction(|tx| {
        async move {
            let saved = users::save_profile(tx, ctx, version, today, change).await?;
            on_contact_changed(tx, &saved.user).await?;
            if saved.user.role == Role::Client && saved.is_renamed() {
                documents::on_client_renamed(tx, saved.user.id).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    users::profile(ctx).await
}
