//! Reauthentication: the person of a running session proves once more who they are, by password or by the code of a mail
//! ([`super::reauthenticate`]). A second factor is a proof as well ([`super::factors::verify`]). What is asked for it:
//! [`sessions::REAUTHENTICATION_TTL`].
use super::{
    Auth, Granted, factors,
    failures::{self, Counter},
    history, links,
    passwords::{self, Verdict},
    sessions, tokens,
};
use crate::kernel::{
    ctx::Ctx,
    db::ScopedFutureExt,
    error::{Error, Result},
};

/// What is shown as proof. Never printed.
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

/// Notes the proof in the session, and makes an access token that says so. The signed-in user.
///
/// # Errors
/// Unauthenticated; Conflict `current_password_invalid`, `reauthentication_not_valid`; TooMany after several wrong ones.
pub async fn prove(ctx: &Ctx, auth: &Auth, credential: &Credential) -> Result<Granted> {
    let me = factors::me(ctx)?;
    let (kind, method) = match credential {
        Credential::Password(_) => ("password", "password"),
        Credential::MailedCode(_) => ("nonce", "otp"),
    };
    let counters = &Counter::of_session(kind, me.id, &ctx.origin);
    // Asked before the slow comparison as well: how long that takes would tell.
    failures::peek(&mut ctx.db(), ctx.now(), counters).await?;
    let known = match credential {
        Credential::Password(password) => {
            let gone = || Error::unauthenticated("user_not_found");
            let user = crate::accounts::users::store::get(&mut ctx.db(), me.id).await?.ok_or_else(gone)?;
            let right = passwords::verify(user.password_hash.as_ref(), password).await? != Verdict::Wrong;
            right.then_some(user.password_hash)
        }
        Credential::MailedCode(_) => None,
    };

    let known = known.as_ref();
    let proved = ctx.transaction(|tx| {
        async move {
            let user = factors::lock_me(tx, me.id).await?;
            failures::check(tx, ctx.now(), counters).await?;
            let (right, reason, refusal) = match credential {
                // While it was compared, somebody else may have changed it.
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
                failures::note(tx, ctx.now(), counters).await?;
                history::failed(tx, ctx, Some(&user), method, reason).await?;
                return Ok(Err(Error::conflict(refusal)));
            }
            failures::forget(tx, counters).await?;
            let session = sessions::reauthenticated(tx, ctx, &user, me.session_id, method).await?;
            Ok(Ok((user, session)))
        }
        .scope_boxed()
    });
    let (user, session) = proved.await??;
    tokens::grant(ctx, auth, user, session).await
}
