//! Rate limits of authentication mails: a cooldown per address and purpose, and hourly quotas of the installation and
//! of each company.
//!
//! The cooldown also applies to unknown addresses, so that responses do not reveal accounts. The quota counts queued
//! mails only: requests for unknown addresses do not use it up.
mod store;

use super::secret;
use crate::{
    accounts::users,
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::CompanyId,
    },
};
use chrono::{DateTime, Duration, Utc};

/// Key of the installation's quota; equals no hash.
const GLOBAL_QUOTA_KEY: &str = "all";
const HOUR: Duration = Duration::hours(1);
/// Invitations that the admins of one company may send in an hour.
const MAX_INVITES_PER_HOUR: i32 = 30;

crate::kernel::text_enum! {
    /// Purpose of a mail: key of its cooldown. Recovery and magic links share one.
    pub(crate) enum MailPurpose {
        SignIn = "sign_in",
        Signup = "signup",
        EmailChange = "email_change",
        Reauthentication = "reauthentication",
        /// Invitation by a company to its own people.
        Invitation = "invitation",
    }
}

/// Checks and starts the cooldown, and takes a mail from the hourly quota. For mails that are queued whether the
/// address is known or not.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` left.
pub(super) async fn check_cooldown_and_quota(tx: &mut Tx, ctx: &Ctx, purpose: MailPurpose, email: &str) -> Result<()> {
    check_cooldown(tx, ctx, purpose, email).await?;
    check_hourly_quota(tx, ctx).await
}

/// Checks and starts the cooldown. Mails requested by signed-in users take nothing from the quota of visitors.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` left.
pub(crate) async fn check_cooldown(tx: &mut Tx, ctx: &Ctx, purpose: MailPurpose, email: &str) -> Result<()> {
    let cooldown = Duration::seconds(ctx.options.mail_gap_seconds);
    let key = secret::token_hash(&format!("{} {}", purpose.name(), users::email_key(email)));
    let now = ctx.now();
    if store::try_record(tx, &key, now, now - cooldown).await? {
        return Ok(());
    }
    Err(rate_limited(store::last_recorded_at(tx, &key).await? + cooldown - now))
}

/// Takes an invitation from the company's hourly quota, shared by its admins: they could invite each other for more.
/// Unlimited for staff.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` left.
pub(crate) async fn check_company_invite_quota(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<()> {
    if ctx.actor.is_staff() {
        return Ok(());
    }
    take_token(tx, ctx, &format!("company {company}"), MAX_INVITES_PER_HOUR).await
}

/// Takes a mail from the hourly quota; false when it is exhausted.
///
/// # Errors
/// Database errors.
pub(super) async fn try_take_token(tx: &mut Tx, ctx: &Ctx) -> Result<bool> {
    match check_hourly_quota(tx, ctx).await {
        Err(Error::Conflict(_)) => Ok(false),
        taken => taken.map(|()| true),
    }
}

/// Takes a mail from the hourly quota of the installation. Unlimited where addresses are confirmed automatically, as in
/// tests.
async fn check_hourly_quota(tx: &mut Tx, ctx: &Ctx) -> Result<()> {
    let max_per_hour = ctx.options.mails_per_hour;
    if max_per_hour <= 0 || ctx.options.autoconfirm {
        return Ok(());
    }
    take_token(tx, ctx, GLOBAL_QUOTA_KEY, max_per_hour).await
}

/// Token bucket (generic cell rate algorithm): the row holds the time until which the hour's mails are used.
async fn take_token(tx: &mut Tx, ctx: &Ctx, key: &str, max_per_hour: i32) -> Result<()> {
    let now = ctx.now();
    let used_until = store::lock_or_insert(tx, key, now).await?.max(now) + HOUR / max_per_hour;
    if used_until > now + HOUR {
        return Err(rate_limited(used_until - HOUR - now));
    }
    store::set(tx, key, used_until).await
}

fn rate_limited(wait: Duration) -> Error {
    let seconds = (wait.num_milliseconds() + 999) / 1_000;
    Error::Conflict(Problem::new("over_email_send_rate_limit").with("seconds", seconds.max(1)))
}

/// Deletes limits recorded before `before` and returns their number. Scheduled.
///
/// # Errors
/// Database errors.
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| store::delete_before(tx, before).scope_boxed()).await
}
