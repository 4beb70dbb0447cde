//! Verification of mailed links and codes.
use super::{
    Auth, account, flows,
    links::{self, ConsumedLink, LinkKind, Purpose},
    login_throttle::{self, ThrottleKey},
    sessions::{self, Session},
    sign_in_history,
    tokens::{self, TokenGrant},
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

/// Token of a link, or address and code.
#[derive(Clone)]
pub enum VerificationInput {
    Token(String),
    Code { email: String, code: String },
}

impl std::fmt::Debug for VerificationInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerificationInput(hidden)")
    }
}

/// Outcome of a verification.
#[derive(Clone, Debug)]
pub enum VerifyOutcome {
    Session(Box<TokenGrant>),
    /// One of the two confirmations of a new address; the other is outstanding.
    FirstConfirmation,
    /// Redirect to the browser that started the flow, which exchanges the code.
    Code(CodeRedirect),
}

/// Debug output is hidden.
#[derive(Clone)]
pub struct CodeRedirect {
    pub code: String,
    pub redirect_to: String,
}

impl std::fmt::Debug for CodeRedirect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CodeRedirect(hidden)")
    }
}

/// A link or code that was consumed.
pub(crate) struct VerifiedLink {
    /// The account after a change of its address.
    pub new_email: Option<User>,
    next: NextStep,
}

/// [`VerifyOutcome`] before the tokens of a session are made.
enum NextStep {
    Session(Box<(User, Session)>),
    FirstConfirmation,
    Code(CodeRedirect),
}

/// Consumes a link or code from a mail, for `desk::people::verify`. The inner error keeps what was written: the count of
/// a wrong code.
///
/// # Errors
/// Unauthenticated `otp_expired`, `user_banned`; Conflict `email_taken`; RateLimited; to be given to [`finish_verification`].
pub(crate) async fn verify_within(
    tx: &mut Tx,
    ctx: &Ctx,
    purpose: Purpose,
    input: &VerificationInput,
    redirect_with_code: bool,
) -> Result<Result<VerifiedLink>> {
    let used = match input {
        VerificationInput::Token(token) => links::consume(tx, ctx, token, purpose).await?,
        VerificationInput::Code { email, code } => consume_code(tx, ctx, email, code, purpose).await?,
    };
    let Some(used) = used else {
        if let VerificationInput::Token(token) = input
            && let Some((user, reason)) = links::find_consumed(tx, ctx, token).await?
        {
            sign_in_history::record_sampled(tx, ctx, &user, "otp", reason).await?;
        }
        // Committed: a wrong code is counted, an outdated link recorded.
        return Ok(Err(Error::unauthenticated("otp_expired")));
    };
    if !users::can_sign_in(tx, &used.user, ctx.now()).await? {
        // The link stays valid; only the refusal is recorded.
        return Err(sign_in_history::refuse(&used.user, "otp", "account_shut", Error::unauthenticated("user_banned")));
    }
    let Some(user) = apply_link(tx, ctx, &used).await? else {
        return Ok(Ok(VerifiedLink { new_email: None, next: NextStep::FirstConfirmation }));
    };
    let moves = matches!(used.kind, LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew);
    let new_email = moves.then(|| user.clone());
    if redirect_with_code
        && let Some(flow) = used.flow_id
        && let Some(flow) = flows::lock_of_link(tx, ctx, flow).await?
    {
        let code = flows::issue_code(tx, ctx, &flow, user.id, None).await?;
        let next = NextStep::Code(CodeRedirect { code, redirect_to: flow.redirect_to });
        return Ok(Ok(VerifiedLink { new_email, next }));
    }
    let session = sessions::start_by(tx, ctx, &user, "otp", used.issued_by).await?;
    Ok(Ok(VerifiedLink { new_email, next: NextStep::Session(Box::new((user, session))) }))
}

/// Makes the tokens of a session that [`verify_within`] has started; records a refusal.
///
/// # Errors
/// Those of `verified`; as [`tokens::grant`].
pub(crate) async fn finish_verification(
    ctx: &Ctx,
    auth: &Auth,
    verified: Result<Result<VerifiedLink>>,
) -> Result<VerifyOutcome> {
    match sign_in_history::record_refusal(ctx, verified).await??.next {
        NextStep::Session(begun) => {
            let (user, session) = *begun;
            auth.token_cache.forget_user(user.id);
            Ok(VerifyOutcome::Session(Box::new(tokens::grant(ctx, auth, user, session).await?)))
        }
        NextStep::FirstConfirmation => Ok(VerifyOutcome::FirstConfirmation),
        NextStep::Code(back) => Ok(VerifyOutcome::Code(back)),
    }
}

/// [`links::consume_code`] with throttling. Wrong codes are counted and logged for unknown addresses too, in about the
/// same time.
async fn consume_code(
    tx: &mut Tx,
    ctx: &Ctx,
    email: &str,
    code: &str,
    purpose: Purpose,
) -> Result<Option<ConsumedLink>> {
    let key = users::email_key(email);
    let keys = ThrottleKey::for_mailed_code(&key);
    login_throttle::check_locked(tx, ctx.now(), &keys).await?;
    let used = links::consume_code(tx, ctx, email, code, purpose).await?;
    if used.is_some() {
        login_throttle::reset(tx, &keys).await?;
        return Ok(used);
    }
    login_throttle::record_failure(tx, ctx.now(), &keys).await?;
    let holder = users::store::by_email(tx, &key).await?;
    sign_in_history::record_failure(tx, ctx, holder.as_ref(), "otp", "wrong_mailed_code").await?;
    Ok(None)
}

/// Applies the effect of a link to the account; none after the first of two confirmations.
async fn apply_link(tx: &mut Tx, ctx: &Ctx, used: &ConsumedLink) -> Result<Option<User>> {
    let owner_ctx =
        ctx.acting_as(Actor::User(Arc::new(used.user.signed_in(crate::kernel::ids::SessionId(uuid::Uuid::nil())))));
    let mut user = used.user.clone();
    // A recovery keeps a password that staff or a program has set.
    let proves_another_way = match used.kind {
        LinkKind::Magiclink | LinkKind::Invite => true,
        LinkKind::Recovery => user.self_made,
        _ => false,
    };
    if user.awaits_confirmation && user.status == Status::Pending && proves_another_way {
        // The password of a sign-up was chosen before the address was confirmed, possibly by someone else.
        users::store::clear_password(tx, user.id).await?;
        user.password_hash = None;
    }
    let user = users::confirm_address(tx, &owner_ctx, user).await?;
    match used.kind {
        LinkKind::EmailChangeCurrent | LinkKind::EmailChangeNew => {
            account::confirm_email_change(tx, &owner_ctx, user, used.kind).await
        }
        _ => Ok(Some(user)),
    }
}
