//! The ways in: a password, a refresh token.
use super::{
    Auth,
    failures::{self, Counter},
    history,
    keys::NotOurs,
    passwords::{self, Verdict},
    sessions,
    tokens::{self, Granted},
};
use crate::{
    ctx::Ctx,
    db::Tx,
    error::{Error, Problem, Result},
    ids::UserId,
    users::{self, Status, User},
};
use chrono::Duration;
use tokio::task::spawn_blocking;

/// Somebody who was noted so lately is not noted again.
const HERE: Duration = Duration::minutes(5);

/// Begins a session with a password. Anybody may try.
///
/// # Errors
/// Unauthenticated `invalid_credentials`, the same answer in the same time for an unknown address and a wrong
/// password (decision 24), also for an account that has no password yet; `user_banned` for a shut account and
/// Conflict `email_not_confirmed` for an address that is still to be confirmed, only after the right password. TooMany
/// after several failures, and when the machine is busy with other sign-ins.
pub async fn sign_in(ctx: &Ctx, auth: &Auth, email: &str, password: &str) -> Result<Granted> {
    let counters = Counter::sign_in(&users::email_key(email), &ctx.origin);
    if failures::check(&mut ctx.db(), ctx.now(), &counters).await.is_err() {
        in_turn(ctx.begin().await?, ctx, &counters).await?;
    }
    let found = users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?;
    let kept = found.as_ref().and_then(|user| user.password_hash.as_ref());
    let verdict = passwords::verify(kept, password).await?;
    let (Some(found), Verdict::Right | Verdict::RightButOld) = (&found, verdict) else {
        return Err(refused(ctx, &counters, found.as_ref()).await?);
    };
    let stronger = match verdict {
        Verdict::RightButOld => Some(passwords::hash(ctx, password).await?),
        _ => None,
    };
    let weak = weakness(ctx, found, password).await?;

    let mut tx = ctx.begin().await?;
    let user = users::store::lock(&mut tx, found.id).await?;
    // Changed since it was compared: the old password is worth nothing any more.
    let usable = |user: &User| user.status != Status::Pending || user.awaits_confirmation;
    let unchanged = |user: &User| user.password_hash == found.password_hash && usable(user);
    let Some(user) = user.filter(unchanged) else {
        drop(tx);
        return Err(refused(ctx, &counters, Some(found)).await?);
    };
    // Of many guesses at once, those after the first few learn nothing.
    let mut tx = in_turn(tx, ctx, &counters).await?;
    failures::forget(&mut tx, &counters).await?;
    if !users::is_welcome(&mut tx, &user, ctx.now()).await? {
        history::failed(&mut tx, ctx, Some(&user), "password", "account_shut").await?;
        tx.commit().await?;
        return Err(Error::unauthenticated("user_banned"));
    }
    if user.status == Status::Pending {
        return Err(Error::conflict("email_not_confirmed"));
    }
    if let Some(hash) = stronger {
        users::store::save_password(&mut tx, user.id, &hash, user.must_change_password).await?;
    }
    let session = sessions::start(&mut tx, ctx, &user, "password").await?;
    tx.commit().await?;
    Ok(Granted { weak, ..tokens::grant(ctx, auth, user, session).await? })
}

/// What today's rules have against a password that is right all the same.
async fn weakness(ctx: &Ctx, user: &User, password: &str) -> Result<Option<Problem>> {
    let shortest = passwords::shortest(ctx).await?;
    let (user, password) = (user.clone(), password.to_owned());
    // To look for how it could be guessed takes a moment of the processor.
    let looking = spawn_blocking(move || {
        let names = [user.first_name.as_str(), &user.last_name, &user.name()];
        passwords::rules(&password, &user.email, &names, shortest).err()
    });
    let refused = looking.await.map_err(Error::internal)?;
    Ok(refused.filter(|problem| problem.code == "weak_password"))
}

/// Gives the transaction back to whoever need not wait. Who has to is counted where they come from, so that guessing at
/// one account is made out as the storm that it is; neither does the log hear of it nor does the wait grow.
async fn in_turn(mut tx: Tx, ctx: &Ctx, counters: &[Counter]) -> Result<Tx> {
    match failures::check(&mut tx, ctx.now(), counters).await {
        Err(wait @ Error::TooMany(_)) => {
            failures::note_place(&mut tx, ctx, 1).await?;
            tx.commit().await?;
            Err(wait)
        }
        other => other.map(|()| tx),
    }
}

/// Counts a failed sign-in and tells of it; gives the answer, which is the same whether there is such an account or
/// not.
async fn refused(ctx: &Ctx, counters: &[Counter], user: Option<&User>) -> Result<Error> {
    let mut tx = in_turn(ctx.begin().await?, ctx, counters).await?;
    failures::note(&mut tx, ctx.now(), counters).await?;
    history::failed(&mut tx, ctx, user, "password", "wrong_password").await?;
    tx.commit().await?;
    Ok(Error::unauthenticated("invalid_credentials"))
}

/// Whose session a refresh token is of, for whoever counts before anything is held; none where it has ended, so that
/// nobody who once had one is counted for its owner.
///
/// # Errors
/// What the database refuses.
pub async fn session_owner(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Option<UserId>> {
    let Ok((id, _)) = auth.keys.read_refresh_token(token) else { return Ok(None) };
    Ok(sessions::live(&mut ctx.db(), id).await?.map(|session| session.user_id))
}

/// Goes on with a session. Anybody with its refresh token may.
///
/// # Errors
/// Unauthenticated `refresh_token_not_valid` for what is no refresh token, and as `sessions::refresh` says.
pub async fn refresh(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Granted> {
    let (id, counter) = auth.keys.read_refresh_token(token).map_err(|why| {
        Error::unauthenticated(match why {
            NotOurs::Malformed => "refresh_token_not_valid",
            NotOurs::Forged => "refresh_token_not_found",
        })
    })?;
    match sessions::refresh(ctx, id, counter).await {
        Ok((user, session, reused)) => {
            if !reused {
                here(ctx, user.id).await;
            }
            let granted = tokens::grant(ctx, auth, user, session).await?;
            Ok(Granted { reused, ..granted })
        }
        Err(e) => {
            // Where this use has ended the session, its access tokens end here and now.
            let ends = |code: &str| code == "refresh_token_already_used" || code == "refresh_session_expired";
            if matches!(&e, Error::Unauthenticated(problem) if ends(problem.code)) {
                auth.verified.forget_sessions(&[id]);
            }
            Err(e)
        }
    }
}

/// Notes that somebody is here. In a transaction of its own: a refresh holds the session, and whoever shuts an account
/// takes the account first. Nobody is turned away because it could not be noted.
async fn here(ctx: &Ctx, id: UserId) {
    let noted = async {
        let mut tx = ctx.begin().await?;
        users::store::seen(&mut tx, id, ctx.now(), ctx.now() - HERE).await?;
        tx.commit().await
    };
    if let Err(error) = noted.await {
        tracing::debug!(%error, "that somebody is here was not noted");
    }
}
