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
        db::{ScopedFutureExt, Tx},
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

/// Uses up a link or code from a mail and begins a session with it. With `lead_back` a link whose flow is PKCE
/// gives a code for the browser where it began, and no session. Anybody who has the link may.
///
/// # Errors
/// Unauthenticated `otp_expired` for what is unknown, wrong, used or too old alike; `user_banned`; Conflict
/// `email_taken` where a new address belongs to somebody else by now; TooMany after many wrong codes.
pub async fn verify(ctx: &Ctx, auth: &Auth, purpose: Purpose, ticket: &Ticket, lead_back: bool) -> Result<Came> {
    let taken = ctx.transaction(|tx| take(tx, ctx, purpose, ticket, lead_back).scope_boxed()).await;
    match history::record_refusal(ctx, taken).await?? {
        Step::Session(begun) => {
            let (user, session) = *begun;
            auth.verified.forget_user(user.id);
            Ok(Came::Session(Box::new(tokens::grant(ctx, auth, user, session).await?)))
        }
        Step::Half => Ok(Came::Half),
        Step::Code(back) => Ok(Came::Code(back)),
    }
}

/// [`Came`], before the tokens of a session are made.
enum Step {
    Session(Box<(User, Session)>),
    Half,
    Code(Back),
}

/// [`verify`] within its transaction. The inner error keeps what was written: the count of a wrong code.
async fn take(tx: &mut Tx, ctx: &Ctx, purpose: Purpose, ticket: &Ticket, lead_back: bool) -> Result<Result<Step>> {
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
        return Ok(Ok(Step::Half));
    };
    if lead_back
        && let Some(flow) = used.flow_id
        && let Some(flow) = flows::of_link(tx, ctx, flow).await?
    {
        let code = flows::issue_code(tx, ctx, &flow, user.id, None).await?;
        return Ok(Ok(Step::Code(Back { code, redirect_to: flow.redirect_to })));
    }
    let session = sessions::start(tx, ctx, &user, "otp").await?;
    Ok(Ok(Step::Session(Box::new((user, session)))))
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
