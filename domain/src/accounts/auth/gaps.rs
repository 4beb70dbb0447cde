//! The pause between two mails to one address, and how many mails all may ask for together. The pause is kept for every
//! address alike, so that the answer does not tell whether there is an account. A mail is counted for all where it is
//! queued: nobody uses theirs up with addresses that are nobody's.
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

/// The row of all mails together; no hash is like it.
const QUOTA: &str = "all";
const HOUR: Duration = Duration::hours(1);
/// Mails that the admins of one company may have sent to addresses of their choice, in an hour.
const INVITATIONS: i32 = 30;

/// What a mail is asked for. A new password and a link to sign in share a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    SignIn,
    Signup,
    EmailChange,
    Reauthentication,
    /// Of a company, to somebody of its own.
    Invitation,
}

impl Gap {
    fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Signup => "signup",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
            Self::Invitation => "invitation",
        }
    }
}

/// Notes that a mail is asked for, and counts it: for what queues one whoever it is that has the address.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` until the pause is over, or until the office has mails left.
pub(super) async fn pass(tx: &mut Tx, ctx: &Ctx, gap: Gap, email: &str) -> Result<()> {
    pause(tx, ctx, gap, email).await?;
    quota(tx, ctx).await
}

/// Notes that a mail is asked for by somebody who is signed in: it takes nothing of what visitors share.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` until the pause is over.
pub(crate) async fn pause(tx: &mut Tx, ctx: &Ctx, gap: Gap, email: &str) -> Result<()> {
    let pause = Duration::seconds(ctx.options.mail_gap_seconds);
    let key = secret::token_hash(&format!("{} {}", gap.name(), users::email_key(email)));
    let now = ctx.now();
    if store::ask(tx, &key, now, now - pause).await? {
        return Ok(());
    }
    Err(too_many(store::asked_at(tx, &key).await? + pause - now))
}

/// Counts one mail that a company has sent to somebody of its choice, whoever of its admins asks: they could invite each
/// other to ask for more. The staff send as many as they like.
///
/// # Errors
/// Conflict `over_email_send_rate_limit` with the `seconds` until the company has mails left.
pub(crate) async fn of_company(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<()> {
    if ctx.actor.is_staff() {
        return Ok(());
    }
    spend(tx, ctx, &format!("company {company}"), INVITATIONS).await
}

/// Counts the mail that is about to be queued for a visitor; false when the office has none left.
///
/// # Errors
/// What the database refuses.
pub(super) async fn left(tx: &mut Tx, ctx: &Ctx) -> Result<bool> {
    match quota(tx, ctx).await {
        Err(Error::Conflict(_)) => Ok(false),
        counted => counted.map(|()| true),
    }
}

/// Counts one mail of the whole office's. Where addresses are believed anyway, it is a test that asks.
async fn quota(tx: &mut Tx, ctx: &Ctx) -> Result<()> {
    let most = ctx.options.mails_per_hour;
    if most <= 0 || ctx.options.autoconfirm {
        return Ok(());
    }
    spend(tx, ctx, QUOTA, most).await
}

/// Counts one mail of so many an hour, which this table keeps as the time until which the hour's mails are used up.
async fn spend(tx: &mut Tx, ctx: &Ctx, key: &str, most: i32) -> Result<()> {
    let now = ctx.now();
    let used_until = store::lock(tx, key, now).await?.max(now) + HOUR / most;
    if used_until > now + HOUR {
        return Err(too_many(used_until - HOUR - now));
    }
    store::note(tx, key, used_until).await
}

fn too_many(wait: Duration) -> Error {
    let seconds = (wait.num_milliseconds() + 999) / 1_000;
    Error::Conflict(Problem::new("over_email_send_rate_limit").with("seconds", seconds.max(1)))
}

/// Forgets what was asked for before `before`; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx, before: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| store::forget(tx, before).scope_boxed()).await
}
