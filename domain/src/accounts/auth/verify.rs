//! What follows a click on a link, or a code typed in.
use super::{
    Auth, account,
    failures::{self, Counter},
    flows, history,
    links::{self, LinkKind, Purpose, Used},
    sessions::{self, Session},
    tokens::{self, Granted},
};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::Actor,
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
    },
};
use std::sync::Arc;

/// What a mail brought.
#[derive(Clone)]
pub enum Ticket {
    Token(String),
    Code { email: String, code: String },
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket(hidden)")
    }
}

/// What a click leads to.
#[derive(Clone, Debug)]
pub enum Came {
    Session(Box<Granted>),
    /// One address of the two has confirmed a change of address; the other is still to do so.
    Half,
    /// Back to the browser where it began, which turns the code into a session.
    Code(Back),
}

/// Never printed.
#[derive(Clone)]
pub struct Back {
    pub code: String,
    pub redirect_to: String,
}

impl std::fmt::Debug for Back {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Back(hidden)")
    }
}

/// A link or code that was consumed.
pub(crate) struct VerifiedLink {
    /// The account as it is after its address has changed.
    pub new_email: Option<User>,
    next: Step,
}

/// [`Came`], before the tokens of a session are made.
enum Step {
    Session(Box<(User, Session)>),
    Half,
    Code(Back),
}

/// Consumes a link or code from a mail, for `desk::people::verify`. The inner error keeps what was written: the count of
/// a wrong code.
///
/// # Errors
/// Unauthenticated `otp_expired`, `user_banned`; Conflict `email_taken`; TooMany; to be given to [`finish_verification`].
pub(crate) async fn verify_within(
    tx: &mut Tx,
    ctx: &Ctx,
    purpose: Purpose,
    ticket: &Ticket,
    lead_back: bool,
) -> Result<Result<VerifiedLink>> {
    let used = match ticket {
        Ticket::Token(token) => links::consume(tx, ctx, token, purpose).await?,
        Ticket::Code { email, code } => by_code(tx, ctx, email, code, purpose).await?,
    };
    let Some(used) = used else {
        if let Ticket::Token(token) = ticket
            && let Some((user, reason)) = links::spent(tx, ctx, token).await?
        {
            history::repeated(tx, ctx, &user, "otp", reason).await?;
        }
        // Committed: a wrong code is counted, a link that is good no more is recorded.
        return Ok(Err(Error::unauthenticated("otp_expired")));
    };
    if !users::is_welcome(tx, &used.user, ctx.now()).await? {
        // The link is not used up by it: only that somebody came with it is told.
        return Err(history::refuse(&used.user, "otp", "account_shut", Error::unauthenticated("user_banned")));
    }
    let Some(user) = took_effect(tx, ctx, &used).await? else {
        return Ok(Ok(VerifiedLink { new_email: None, next: Step::Half }));
    };
    let moves = matches!(used.kind, LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew);
    let new_email = moves.then(|| user.clone());
    if lead_back
        && let Some(flow) = used.flow_id
        && let Some(flow) = flows::of_link(tx, ctx, flow).await?
    {
        let code = flows::issue_code(tx, ctx, &flow, user.id, None).await?;
        let next = Step::Code(Back { code, redirect_to: flow.redirect_to });
        return Ok(Ok(VerifiedLink { new_email, next }));
    }
    let session = sessions::start(tx, ctx, &user, "otp").await?;
    Ok(Ok(VerifiedLink { new_email, next: Step::Session(Box::new((user, session))) }))
}

/// Makes the tokens of a session that [`verify_within`] has begun; records a refused one.
///
/// # Errors
/// Those of `verified`; as [`tokens::grant`].
pub(crate) async fn finish_verification(
    ctx: &Ctx,
    auth: &Auth,
    verified: Result<Result<VerifiedLink>>,
) -> Result<Came> {
    match history::record_refusal(ctx, verified).await??.next {
        Step::Session(begun) => {
            let (user, session) = *begun;
            auth.verified.forget_user(user.id);
            Ok(Came::Session(Box::new(tokens::grant(ctx, auth, user, session).await?)))
        }
        Step::Half => Ok(Came::Half),
        Step::Code(back) => Ok(Came::Code(back)),
    }
}

/// As [`links::consume_code`]. Wrong codes are counted and told of, for an address that nobody has in the same way and so
/// in about the same time; of many, the next one has to wait.
async fn by_code(tx: &mut Tx, ctx: &Ctx, email: &str, code: &str, purpose: Purpose) -> Result<Option<Used>> {
    let key = users::email_key(email);
    let counters = Counter::of_mailed_code(&key);
    failures::check(tx, ctx.now(), &counters).await?;
    let used = links::consume_code(tx, ctx, email, code, purpose).await?;
    if used.is_some() {
        failures::forget(tx, &counters).await?;
        return Ok(used);
    }
    failures::note(tx, ctx.now(), &counters).await?;
    let holder = users::store::by_email(tx, &key).await?;
    history::failed(tx, ctx, holder.as_ref(), "otp", "wrong_mailed_code").await?;
    Ok(None)
}

/// What the link itself brings about; none where it was one half of two.
async fn took_effect(tx: &mut Tx, ctx: &Ctx, used: &Used) -> Result<Option<User>> {
    let acting =
        ctx.acting_as(Actor::User(Arc::new(used.user.signed_in(crate::kernel::ids::SessionId(uuid::Uuid::nil())))));
    let mut user = used.user.clone();
    // What staff or a program chose for the account stays good beside a new one: a recovery asks for one, no more.
    let proves_another_way = match used.kind {
        LinkKind::Magiclink | LinkKind::Invite => true,
        LinkKind::Recovery => user.self_made,
        _ => false,
    };
    if user.awaits_confirmation && user.status == Status::Pending && proves_another_way {
        // Whoever signed up with it has not shown that the address is theirs; whoever has, did not choose it.
        users::store::drop_password(tx, user.id).await?;
        user.password_hash = None;
    }
    let user = users::confirm(tx, &acting, user).await?;
    match used.kind {
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            account::confirm_email(tx, &acting, user, used.kind).await
        }
        _ => Ok(Some(user)),
    }
}
