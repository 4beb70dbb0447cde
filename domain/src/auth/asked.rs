//! Mails that anybody may ask for. The asking only notes what is wanted, so that it takes as long for a known
//! address as for an unknown one; a job looks whether there is somebody to write to.
use super::{
    flows::{self, Challenge},
    gaps::{self, Gap},
    links::LinkKind,
};
use crate::{
    access::Actor,
    activity,
    ctx::{Ctx, Origin},
    db::Tx,
    error::{Error, Result},
    mails::{self, Kind, Linked},
    queue::{self, Job},
    users::{self, Status, User},
};
use chrono::Duration;
use serde::{Deserialize, Serialize};

/// How long a flow waits for the click in a mail; the mail itself may have had to wait for a mail server.
const FLOW_LIFE: Duration = Duration::days(5);

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
    let mut tx = ctx.begin().await?;
    gaps::pause(&mut tx, ctx, gap, email).await?;
    let asked = Asked { wanted, email: email.to_owned(), way, origin: ctx.origin.clone() };
    queue::enqueue(&mut tx, &asked).await?;
    tx.commit().await
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
    let mut tx = ctx.begin().await?;
    // Before the account is locked, as whoever signs up does.
    if !gaps::left(&mut tx, ctx).await? {
        tracing::warn!(wanted = ?asked.wanted, "a mail is left out: as many as may be asked for in an hour have been");
        return Ok(());
    }
    let Some(user) = users::store::lock(&mut tx, found.id).await? else { return Ok(()) };
    if !users::is_welcome(&mut tx, &user, ctx.now()).await? {
        return Ok(());
    }
    match asked.wanted {
        Wanted::Recovery => {
            mail(&mut tx, ctx, &user, Kind::Recovery, LinkKind::Recovery, &asked.way).await?;
        }
        Wanted::Magiclink => {
            mail(&mut tx, ctx, &user, Kind::MagicLink, LinkKind::Magiclink, &asked.way).await?;
        }
        Wanted::Signup if user.status == Status::Pending && user.awaits_confirmation => {
            mail(&mut tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, &asked.way).await?;
        }
        Wanted::EmailChange if user.new_email.is_some() => {
            super::account::mail_confirmations(&mut tx, ctx, &user, &asked.way).await?;
        }
        Wanted::Signup | Wanted::EmailChange => return Ok(()),
    }
    let ctx = Ctx { origin: asked.origin.clone(), ..ctx.acting_as(Actor::Anonymous) };
    let wanted = match asked.wanted {
        Wanted::Recovery => "recovery",
        Wanted::Magiclink => "magiclink",
        Wanted::Signup => "signup",
        Wanted::EmailChange => "email_change",
    };
    activity::append(&mut tx, &ctx, users::event("user.link_asked", &user).with("wanted", wanted)).await?;
    tx.commit().await
}

/// Queues a mail with a link to the account's address, and begins the flow that the link leads back to.
///
/// # Errors
/// What the database refuses.
pub(super) async fn mail(tx: &mut Tx, ctx: &Ctx, user: &User, kind: Kind, link: LinkKind, way: &Way) -> Result<()> {
    let flow = begin(tx, ctx, user, link, way).await?;
    let linked = Linked { email: None, flow, redirect_to: way.redirect_to.clone(), new_email: None };
    mails::queue_linked(tx, ctx, kind, user.id, linked).await?;
    Ok(())
}

/// The flow of a mail, where its reader asked with PKCE.
///
/// # Errors
/// What the database refuses.
pub(super) async fn begin(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    link: LinkKind,
    way: &Way,
) -> Result<Option<crate::ids::FlowId>> {
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
    let mut tx = ctx.begin().await?;
    let user = users::store::lock(&mut tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
    if user.status == Status::Pending && user.awaits_confirmation {
        return Err(Error::conflict("email_not_confirmed"));
    }
    gaps::pause(&mut tx, ctx, Gap::Reauthentication, &user.email).await?;
    mails::queue_linked(&mut tx, ctx, Kind::Reauthentication, user.id, Linked::default()).await?;
    activity::append(&mut tx, ctx, users::event("user.link_asked", &user).with("wanted", "reauthentication")).await?;
    tx.commit().await
}
