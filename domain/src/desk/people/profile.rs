//! Profile changes by its owner, and everything that shows the name.
use super::on_contact_changed;
use crate::{
    accounts::users::{self, Profile, SavedProfile, UpdateProfile, User},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::UserId,
    },
    orders::documents,
    platform::settings,
};
use chrono::NaiveDate;

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
            show_contact(tx, &saved).await
        }
        .scope_boxed()
    })
    .await?;
    users::profile(ctx).await
}

/// Changes the profile of an account. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound; Invalid per field.
#[tracing::instrument(level = "debug", name = "people.correct_profile", skip_all, fields(user_id = %id))]
pub async fn correct_profile(ctx: &Ctx, id: UserId, change: UpdateProfile) -> Result<User> {
    let today = settings::person_today(ctx).await?;
    let change = &change;
    ctx.transaction(|tx| correct_profile_within(tx, ctx, id, today, change).scope_boxed()).await?;
    users::get(ctx, id).await
}

/// [`correct_profile`] in the caller's transaction.
///
/// # Errors
/// As [`correct_profile`].
pub(crate) async fn correct_profile_within(
    tx: &mut Tx,
    ctx: &Ctx,
    id: UserId,
    today: NaiveDate,
    change: &UpdateProfile,
) -> Result<()> {
    ctx.may(Action::Update, Resource::Users)?;
    let saved = users::save_profile_of(tx, ctx, id, None, today, change).await?;
    show_contact(tx, &saved).await
}

/// Updates what shows the name and the phone.
async fn show_contact(tx: &mut Tx, saved: &SavedProfile) -> Result<()> {
    on_contact_changed(tx, &saved.user).await?;
    if saved.user.role == Role::Client && saved.is_renamed() {
        documents::on_client_renamed(tx, saved.user.id).await?;
    }
    Ok(())
}
