//! Authentication mails that anonymous callers may request. The request only enqueues a job, so that it takes as long for an
//! unknown address as for a known one; the job looks the account up and sends the mail.
use super::{
    flows::{self, Challenge},
    links::LinkKind,
    mail_rate_limit::{self, MailPurpose},
};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::Actor,
        ctx::{Ctx, Origin},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::{FlowId, UserId},
    },
    outbox::mails::{self, Kind, LinkParams},
    platform::{
        activity,
        queue::{self, Job},
    },
};
use chrono::Duration;
use serde::{Deserialize, Serialize};

/// Lifetime of a flow that waits for the click in a mail, including the mail's own retries.
const FLOW_TTL: Duration = Duration::days(5);

/// No account waits for the mail. Internal code that rolls the transaction back.
const NOT_DUE: &str = "mail_not_due";

crate::kernel::text_enum! {
    pub enum MailRequestKind {
        Recovery = "recovery",
        Magiclink = "magiclink",
        /// Confirmation of a sign-up, again.
        Signup = "signup",
        /// Confirmations of a new address, again.
        EmailChange = "email_change",
    }
}

/// Redirect target and PKCE challenge that came with a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RedirectContext {
    /// Validated redirect target after the click; none for the portal's own page.
    pub redirect_to: Option<String>,
    pub challenge: Option<Challenge>,
}

/// Job: sends a requested mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SendAuthMailJob {
    #[serde(rename = "wanted")]
    pub kind: MailRequestKind,
    pub email: String,
    #[serde(rename = "way")]
    pub redirect: RedirectContext,
    pub origin: Origin,
}

impl Job for SendAuthMailJob {
    const NAME: &'static str = "auth.mail_asked";
}

/// Requests a mail. Anonymous callers may; the response and its time are the same for known and unknown addresses.
///
/// # Errors
/// Conflict `over_email_send_rate_limit`, also for unknown addresses.
pub async fn request_mail(ctx: &Ctx, kind: MailRequestKind, email: &str, redirect: RedirectContext) -> Result<()> {
    let purpose = match kind {
        MailRequestKind::Recovery | MailRequestKind::Magiclink => MailPurpose::SignIn,
        MailRequestKind::Signup => MailPurpose::Signup,
        MailRequestKind::EmailChange => MailPurpose::EmailChange,
    };
    let job = &SendAuthMailJob { kind, email: email.to_owned(), redirect, origin: ctx.origin.clone() };
    ctx.transaction(|tx| {
        async move {
            mail_rate_limit::check_cooldown(tx, ctx, purpose, email).await?;
            queue::enqueue(tx, job).await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Requests a magic link. With `tell` the result says whether the account exists, otherwise it is always true. Anybody
/// may.
///
/// # Errors
/// Conflict `over_email_send_rate_limit`.
pub async fn otp(ctx: &Ctx, email: &str, redirect: RedirectContext, tell: bool) -> Result<bool> {
    if tell && users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?.is_none() {
        return Ok(false);
    }
    request_mail(ctx, MailRequestKind::Magiclink, email, redirect).await.map(|()| true)
}

/// Handles the job: queues the mail if there is an open account that waits for it and the hourly quota is not
/// exhausted.
///
/// # Errors
/// Database errors.
pub async fn handle_mail_request(ctx: &Ctx, job: &SendAuthMailJob) -> Result<()> {
    let Some(found) = users::store::by_email(&mut ctx.db(), &users::email_key(&job.email)).await? else {
        return Ok(());
    };
    let queued = ctx.transaction(|tx| handle_within(tx, ctx, found.id, job).scope_boxed()).await;
    match queued {
        Ok(true) => Ok(()),
        Ok(false) => {
            tracing::warn!(kind = ?job.kind, "dropped an authentication mail: hourly quota exhausted");
            Ok(())
        }
        Err(Error::Conflict(problem)) if problem.code == NOT_DUE => Ok(()),
        Err(e) => Err(e),
    }
}

/// [`handle_mail_request`] within its transaction; false when the quota is exhausted.
///
/// # Errors
/// Conflict [`NOT_DUE`] when nothing is mailed: the rollback returns the mail to the quota.
async fn handle_within(tx: &mut Tx, ctx: &Ctx, found: UserId, job: &SendAuthMailJob) -> Result<bool> {
    // Lock order: the quota before the account, as in sign-up.
    if !mail_rate_limit::try_take_token(tx, ctx).await? {
        return Ok(false);
    }
    let Some(user) = users::store::lock(tx, found).await? else { return Err(Error::conflict(NOT_DUE)) };
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        return Err(Error::conflict(NOT_DUE));
    }
    match job.kind {
        MailRequestKind::Recovery => {
            queue_link_mail(tx, ctx, &user, Kind::Recovery, LinkKind::Recovery, &job.redirect).await?;
        }
        MailRequestKind::Magiclink => {
            queue_link_mail(tx, ctx, &user, Kind::MagicLink, LinkKind::Magiclink, &job.redirect).await?;
        }
        MailRequestKind::Signup if user.status == Status::Pending && user.awaits_confirmation => {
            queue_link_mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, &job.redirect).await?;
        }
        MailRequestKind::EmailChange if user.new_email.is_some() => {
            super::account::mail_confirmations(tx, ctx, &user, &job.redirect).await?;
        }
        MailRequestKind::Signup | MailRequestKind::EmailChange => return Err(Error::conflict(NOT_DUE)),
    }
    let ctx = Ctx { origin: job.origin.clone(), ..ctx.acting_as(Actor::Anonymous) };
    let wanted = match job.kind {
        MailRequestKind::Recovery => "recovery",
        MailRequestKind::Magiclink => "magiclink",
        MailRequestKind::Signup => "signup",
        MailRequestKind::EmailChange => "email_change",
    };
    activity::append(tx, &ctx, users::event("user.link_asked", &user).with("wanted", wanted)).await?;
    Ok(true)
}

/// Queues a mail with a link to the account's address, and creates the flow of the link.
///
/// # Errors
/// Database errors.
pub(super) async fn queue_link_mail(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    kind: Kind,
    link: LinkKind,
    redirect: &RedirectContext,
) -> Result<()> {
    let flow = create_flow(tx, ctx, user, link, redirect).await?;
    let linked = LinkParams { email: None, flow, redirect_to: redirect.redirect_to.clone(), new_email: None };
    mails::queue_linked(tx, ctx, kind, user.id, linked).await?;
    Ok(())
}

/// Creates the flow of a mail when the request had a PKCE challenge.
///
/// # Errors
/// Database errors.
pub(super) async fn create_flow(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    link: LinkKind,
    redirect: &RedirectContext,
) -> Result<Option<FlowId>> {
    let Some(challenge) = redirect.challenge.clone() else { return Ok(None) };
    let new = flows::CreateFlow {
        method: link.method(),
        user_id: Some(user.id),
        challenge: Some(challenge),
        redirect_to: redirect.redirect_to.clone().unwrap_or_else(|| ctx.options.public_url.clone()),
        ttl: Some(FLOW_TTL),
        ..flows::CreateFlow::default()
    };
    Ok(Some(flows::create(tx, ctx, new).await?.id))
}

/// Mails the signed-in user a reauthentication code.
///
/// # Errors
/// Unauthenticated for anonymous actors; Conflict `email_not_confirmed`, `over_email_send_rate_limit`.
pub async fn reauthenticate(ctx: &Ctx) -> Result<()> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("no_authorization"))?;
    ctx.transaction(|tx| {
        async move {
            let user = users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
            if user.status == Status::Pending && user.awaits_confirmation {
                return Err(Error::conflict("email_not_confirmed"));
            }
            mail_rate_limit::check_cooldown(tx, ctx, MailPurpose::Reauthentication, &user.email).await?;
            mails::queue_linked(tx, ctx, Kind::Reauthentication, user.id, LinkParams::default()).await?;
            activity::append(tx, ctx, users::event("user.link_asked", &user).with("wanted", "reauthentication")).await
        }
        .scope_boxed()
    })
    .await
}
