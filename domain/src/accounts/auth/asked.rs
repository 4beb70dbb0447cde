//! Mails that anybody may ask for. The asking only notes what is wanted, so that it takes as long for a known
//! address as for an unknown one; a job looks whether there is somebody to write to.
use super::{
    flows::{self, Challenge},
    gaps::{self, Gap},
    links::LinkKind,
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

/// How long a flow waits for the click in a mail; the mail itself may have had to wait for a mail server.
const FLOW_LIFE: Duration = Duration::days(5);

/// The account is gone, shut, or does not wait for the mail. Never leaves this module.
const NOT_DUE: &str = "mail_not_due";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    Recovery,
    Magiclink,
    /// The confirmation of a new account once more.
    Signup,
    /// The confirmations of a new address once more.
    EmailChange,
}

/// What came with the question.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Way {
    /// Where to go after the click, checked; none for our own page.
    pub redirect_to: Option<String>,
    pub challenge: Option<Challenge>,
}

/// The job: look who it is, and write.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    pub wanted: Wanted,
    pub email: String,
    pub way: Way,
    pub origin: Origin,
}

impl Job for Asked {
    const NAME: &'static str = "auth.mail_asked";
}

/// Asks for a mail. Anybody may; the answer and its time are the same whether there is an account or not.
///
/// # Errors
/// Conflict `over_email_send_rate_limit`, for every address alike.
pub async fn ask(ctx: &Ctx, wanted: Wanted, email: &str, way: Way) -> Result<()> {
    let gap = match wanted {
        Wanted::Recovery | Wanted::Magiclink => Gap::SignIn,
        Wanted::Signup => Gap::Signup,
        Wanted::EmailChange => Gap::EmailChange,
    };
    let asked = &Asked { wanted, email: email.to_owned(), way, origin: ctx.origin.clone() };
    ctx.transaction(|tx| {
        async move {
            gaps::pause(tx, ctx, gap, email).await?;
            queue::enqueue(tx, asked).await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Mails a link to sign in to an account that exists; says whether there is one, unless it is to be told to nobody.
/// Anybody may ask.
///
/// # Errors
/// Conflict `over_email_send_rate_limit`.
pub async fn otp(ctx: &Ctx, email: &str, way: Way, tell: bool) -> Result<bool> {
    if tell && users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?.is_none() {
        return Ok(false);
    }
    ask(ctx, Wanted::Magiclink, email, way).await.map(|()| true)
}

/// Does what was asked for, if there is an open account that it makes sense for and the office has a mail left. The job's
/// work.
///
/// # Errors
/// What the database refuses.
pub async fn answer(ctx: &Ctx, asked: &Asked) -> Result<()> {
    let Some(found) = users::store::by_email(&mut ctx.db(), &users::email_key(&asked.email)).await? else {
        return Ok(());
    };
    let queued = ctx.transaction(|tx| answer_in(tx, ctx, found.id, asked).scope_boxed()).await;
    match queued {
        Ok(true) => Ok(()),
        Ok(false) => {
            tracing::warn!(wanted = ?asked.wanted, "a mail is left out: as many as may be asked for in an hour have been");
            Ok(())
        }
        Err(Error::Conflict(problem)) if problem.code == NOT_DUE => Ok(()),
        Err(e) => Err(e),
    }
}

/// [`answer`] within its transaction; false where the office has no mail left.
///
/// # Errors
/// Conflict [`NOT_DUE`] where nothing is mailed: the rollback gives the mail back to the quota.
async fn answer_in(tx: &mut Tx, ctx: &Ctx, found: UserId, asked: &Asked) -> Result<bool> {
    // Before the account is locked, as whoever signs up does.
    if !gaps::left(tx, ctx).await? {
        return Ok(false);
    }
    let Some(user) = users::store::lock(tx, found).await? else { return Err(Error::conflict(NOT_DUE)) };
    if !users::is_welcome(tx, &user, ctx.now()).await? {
        return Err(Error::conflict(NOT_DUE));
    }
    match asked.wanted {
        Wanted::Recovery => {
            mail(tx, ctx, &user, Kind::Recovery, LinkKind::Recovery, &asked.way).await?;
        }
        Wanted::Magiclink => {
            mail(tx, ctx, &user, Kind::MagicLink, LinkKind::Magiclink, &asked.way).await?;
        }
        Wanted::Signup if user.status == Status::Pending && user.awaits_confirmation => {
            mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, &asked.way).await?;
        }
        Wanted::EmailChange if user.new_email.is_some() => {
            super::account::mail_confirmations(tx, ctx, &user, &asked.way).await?;
        }
        Wanted::Signup | Wanted::EmailChange => return Err(Error::conflict(NOT_DUE)),
    }
    let ctx = Ctx { origin: asked.origin.clone(), ..ctx.acting_as(Actor::Anonymous) };
    let wanted = match asked.wanted {
        Wanted::Recovery => "recovery",
        Wanted::Magiclink => "magiclink",
        Wanted::Signup => "signup",
        Wanted::EmailChange => "email_change",
    };
    activity::append(tx, &ctx, users::event("user.link_asked", &user).with("wanted", wanted)).await?;
    Ok(true)
}

/// Queues a mail with a link to the account's address, and begins the flow that the link leads back to.
///
/// # Errors
/// What the database refuses.
pub(super) async fn mail(tx: &mut Tx, ctx: &Ctx, user: &User, kind: Kind, link: LinkKind, way: &Way) -> Result<()> {
    let flow = begin(tx, ctx, user, link, way).await?;
    let linked = LinkParams { email: None, flow, redirect_to: way.redirect_to.clone(), new_email: None };
    mails::queue_linked(tx, ctx, kind, user.id, linked).await?;
    Ok(())
}

/// The flow of a mail, where its reader asked with PKCE.
///
/// # Errors
/// What the database refuses.
pub(super) async fn begin(tx: &mut Tx, ctx: &Ctx, user: &User, link: LinkKind, way: &Way) -> Result<Option<FlowId>> {
    let Some(challenge) = way.challenge.clone() else { return Ok(None) };
    let new = flows::New {
        method: link.method(),
        user_id: Some(user.id),
        challenge: Some(challenge),
        redirect_to: way.redirect_to.clone().unwrap_or_else(|| ctx.options.public_url.clone()),
        life: Some(FLOW_LIFE),
        ..flows::New::default()
    };
    Ok(Some(flows::begin(tx, ctx, new).await?.id))
}

/// Mails the signed-in user a code that proves once more who sits there.
///
/// # Errors
/// Unauthenticated for nobody; Conflict `email_not_confirmed`, `over_email_send_rate_limit`.
pub async fn reauthenticate(ctx: &Ctx) -> Result<()> {
    let id = ctx.actor.user_id().ok_or(Error::unauthenticated("no_authorization"))?;
    ctx.transaction(|tx| {
        async move {
            let user = users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
            if user.status == Status::Pending && user.awaits_confirmation {
                return Err(Error::conflict("email_not_confirmed"));
            }
            gaps::pause(tx, ctx, Gap::Reauthentication, &user.email).await?;
            mails::queue_linked(tx, ctx, Kind::Reauthentication, user.id, LinkParams::default()).await?;
            activity::append(tx, ctx, users::event("user.link_asked", &user).with("wanted", "reauthentication")).await
        }
        .scope_boxed()
    })
    .await
}
