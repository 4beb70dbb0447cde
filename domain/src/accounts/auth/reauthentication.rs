//! Reauthentication of a session by password or mailed code ([`super::reauthenticate`]); a second factor counts too
//! ([`super::factors::verify`]). Valid for [`crate::kernel::ctx::PROOF_MAX_AGE`].
use super::{
    Auth, TokenGrant, factors, links,
    login_throttle::{self, ThrottleKey},
    passwords::{self, PasswordCheck},
    sessions, sign_in_history, tokens,
};
use crate::kernel::{
    ctx::Ctx,
    db::ScopedFutureExt,
    error::{Error, Result},
};

/// A credential to reauthenticate with. Debug output is hidden.
#[derive(Clone)]
pub enum Credential {
    Password(String),
    MailedCode(String),
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(hidden)")
    }
}

/// Records the reauthentication in the session and issues an access token with it. The signed-in user.
///
/// # Errors
/// Unauthenticated; Conflict `current_password_invalid`, `reauthentication_not_valid`; RateLimited when throttled.
#[tracing::instrument(level = "debug", name = "auth.reauthenticate_with", skip_all)]
pub async fn reauthenticate_with(ctx: &Ctx, auth: &Auth, credential: &Credential) -> Result<TokenGrant> {
    let me = factors::require_signed_in(ctx)?;
    let (kind, method) = match credential {
        Credential::Password(_) => ("password", "password"),
        Credential::MailedCode(_) => ("nonce", "otp"),
    };
    let keys = &ThrottleKey::for_session(kind, me.id, &ctx.origin);
    // Throttled before the slow comparison: the time would tell.
    login_throttle::check(&mut ctx.db(), ctx.now(), keys).await?;
    let known = match credential {
        Credential::Password(password) => {
            let gone = || Error::unauthenticated("user_not_found");
            let user = crate::accounts::users::by_id(&mut ctx.db(), me.id).await?.ok_or_else(gone)?;
            let right = passwords::verify(user.password_hash.as_ref(), password).await? != PasswordCheck::Invalid;
            right.then_some(user.password_hash)
        }
        Credential::MailedCode(_) => None,
    };

    let known = known.as_ref();
    let proved = ctx.transaction(|tx| {
        async move {
            let user = factors::lock_signed_in(tx, me.id).await?;
            login_throttle::check_locked(tx, ctx.now(), keys).await?;
            let (right, reason, refusal) = match credential {
                // The hash may have changed during the comparison.
                Credential::Password(_) => (
                    user.password_hash.is_some() && known == Some(&user.password_hash),
                    "wrong_current_password",
                    "current_password_invalid",
                ),
                Credential::MailedCode(code) => (
                    links::consume_nonce(tx, ctx, &user, code).await?,
                    "wrong_mailed_code",
                    "reauthentication_not_valid",
                ),
            };
            if !right {
                login_throttle::record_failure(tx, ctx.now(), keys).await?;
                sign_in_history::record_failure(tx, ctx, Some(&user), method, reason).await?;
                return Ok(Err(Error::conflict(refusal)));
            }
            login_throttle::reset(tx, keys).await?;
            let session = sessions::record_reauthentication(tx, ctx, &user, me.session_id, method).await?;
            Ok(Ok((user, session)))
        }
        .scope_boxed()
    });
    let (user, session) = proved.await??;
    tokens::grant(ctx, auth, user, session).await
}
