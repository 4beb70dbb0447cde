//! Audit log of accounts and sessions for administrators of the auth protocol.
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        error::Result,
    },
    platform::activity::{self, AccountFilter, Activity},
};

/// Entries, newest first. Super admins, service tokens.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "auth.admin.audit", skip_all)]
pub async fn audit(ctx: &Ctx, query: Option<&AccountFilter>, offset: i64, limit: i64) -> Result<Vec<Activity>> {
    ctx.may(Action::View, Resource::Activity)?;
    activity::of_accounts(&mut ctx.db(), query, offset, limit).await
}
