//! Changes of the signed-in user to their own credentials: password, address, metadata.
mod email;

use email::request_change as request_email_change;
pub(super) use email::{
    cancel_change as cancel_email_change, confirm_change as confirm_email_change, mail_confirmations,
};

use super::{
    Auth, RedirectContext, flows, links,
    login_throttle::{self, ThrottleKey},
    passwords::{self, PasswordCheck, PasswordHash},
    security_mails,
    sessions::{self, Session},
    sign_in_history, store,
};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::{Actor, PendingRequirement, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        text::nfc,
    },
    outbox::mails::{self, SecurityAct},
    platform::activity,
};
use chrono::{DateTime, Duration};
use serde_json::{Map, Value};

/// A session started by a link or code may set a password without the old one for this time.
const REAUTH_WINDOW: Duration = Duration::minutes(15);
/// Older sessions must reauthenticate to set a password.
const SESSION_MAX_AGE_FOR_PASSWORD: Duration = Duration::hours(24);
/// Largest `user_metadata`.
const MAX_METADATA_BYTES: usize = 16 << 10;

/// A change to one's own account; `None` keeps a field.
#[derive(Clone, Default)]
pub struct UpdateAccount {
    pub password: Option<String>,
    /// Must be correct when given.
    pub current_password: Option<String>,
    /// The code of [`super::reauthenticate`].
    pub nonce: Option<String>,
    /// New address, to be confirmed by mail; the present address cancels a pending change.
    pub email: Option<String>,
    /// Merged key by key; null deletes a key.
    pub data: Option<Map<String, Value>>,
    /// Context of the confirmation mails of a new address.
    pub redirect: RedirectContext,
}

impl std::fmt::Debug for UpdateAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UpdateAccount(hidden)")
    }
}

/// Changes one's own account. A new password activates the account and ends its other sessions and all its links
/// (decisions 20 and 27); a new address is pending until both addresses have confirmed it.
///
/// # Errors
/// Unauthenticated for anonymous actors; Forbidden `insufficient_aal` while a second factor is due; Invalid `password`
/// (`weak_password`, `too_long`), `data` (`too_large`, `control_characters`); Conflict `same_password`,
/// `current_password_required`, `current_password_invalid`, `reauthentication_needed`, `reauthentication_not_valid`,
/// `email_taken`, `over_email_send_rate_limit`; RateLimited when throttled or the hash queue is full.
#[tracing::instrument(level = "debug", name = "auth.update_user", skip_all)]
pub async fn update_user(ctx: &Ctx, auth: &Auth, change: &UpdateAccount) -> Result<User> {
    let Actor::User(me) = &ctx.actor else { return Err(Error::unauthenticated("no_authorization")) };
    let gone = || Error::unauthenticated("user_not_found");
    if (change.password.is_some() || change.email.is_some()) && me.mfa.pending() == Some(PendingRequirement::Challenge)
    {
        return Err(Error::forbidden("insufficient_aal"));
    }
    let user = users::store::get(&mut ctx.db(), me.id).await?.ok_or_else(gone)?;
    let password = match &change.password {
        Some(password) => {
            let session = store::session(&mut ctx.db(), me.session_id).await?;
            Some(validate_new_password(ctx, &user, session.as_ref(), change, password).await?)
        }
        None => None,
    };

    let known = user.password_hash.as_ref();
    let new = password.as_ref().map(Option::as_ref);
    let changed = ctx.transaction(|tx| update_within(tx, ctx, me, change, known, new).scope_boxed()).await??;
    if matches!(new, Some(Some(_))) {
        auth.token_cache.forget_user(me.id);
    }
    Ok(changed)
}

/// [`update_user`] within its transaction. `password` is the hash of a new password, `Some(None)` when it equals the
/// present one; `known` is the hash it was compared with. The inner error keeps what was written: the count of a wrong
/// code.
async fn update_within(
    tx: &mut Tx,
    ctx: &Ctx,
    me: &SignedIn,
    change: &UpdateAccount,
    known: Option<&PasswordHash>,
    password: Option<Option<&PasswordHash>>,
) -> Result<Result<User>> {
    let gone = || Error::unauthenticated("user_not_found");
    let mut user = users::store::lock(tx, me.id).await?.ok_or_else(gone)?;
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    // The session may have been ended by another change while the passwords were compared.
    if store::session(tx, me.session_id).await?.is_none_or(|session| session.ended_at.is_some()) {
        return Err(Error::unauthenticated("session_not_found"));
    }
    if password.is_some() && user.password_hash.as_ref() != known {
        return Err(Error::conflict("current_password_invalid"));
    }
    let metadata = change.data.as_ref().map(|data| merge_metadata(&user.metadata, data)).transpose()?;
    let changes_email = change.email.as_deref().is_some_and(|email| users::email_key(email) != user.email_key);
    // Checked with the new password.
    let has_typed_password = password.is_some() && change.current_password.is_some();
    if changes_email && change.nonce.is_none() && !has_typed_password {
        sessions::require_recent_reauthentication(tx, ctx, me).await?;
    }
    if (password.is_some() || changes_email)
        && let Some(nonce) = &change.nonce
    {
        let keys = ThrottleKey::for_session("nonce", user.id, &ctx.origin);
        login_throttle::check_locked(tx, ctx.now(), &keys).await?;
        if !links::consume_nonce(tx, ctx, &user, nonce).await? {
            login_throttle::record_failure(tx, ctx.now(), &keys).await?;
            sign_in_history::record_failure(tx, ctx, Some(&user), "otp", "wrong_mailed_code").await?;
            return Ok(Err(Error::conflict("reauthentication_not_valid")));
        }
        login_throttle::reset(tx, &keys).await?;
    }
    // Only after the proof: the error confirms a guess.
    if matches!(password, Some(None)) {
        return Err(Error::conflict("same_password"));
    }
    let password = password.flatten();
    if let Some(metadata) = metadata {
        user.metadata = metadata;
        users::store::save_metadata(tx, &user).await?;
        activity::append(tx, ctx, users::event("user.updated", &user)).await?;
    }
    if let Some(hash) = password {
        user = set_password(tx, ctx, &user, hash, me).await?;
    }
    if let Some(email) = &change.email {
        user = if changes_email {
            request_email_change(tx, ctx, user, email, &change.redirect).await?
        } else {
            cancel_email_change(tx, ctx, user).await?
        };
    }
    Ok(Ok(user))
}

/// Validates and hashes a new password; none when it equals the present one.
async fn validate_new_password(
    ctx: &Ctx,
    user: &User,
    session: Option<&Session>,
    change: &UpdateAccount,
    password: &str,
) -> Result<Option<PasswordHash>> {
    let names = [user.first_name.as_str(), &user.last_name, &user.name()];
    passwords::validate(password, &user.email, &names, passwords::min_length(ctx).await?)
        .map_err(|problem| Error::field_with("password", problem))?;
    match &change.current_password {
        Some(current) => {
            let keys = &ThrottleKey::for_session("password", user.id, &ctx.origin);
            login_throttle::check(&mut ctx.db(), ctx.now(), keys).await?;
            let wrong = passwords::verify(user.password_hash.as_ref(), current).await? == PasswordCheck::Invalid;
            ctx.transaction(|tx| {
                async move {
                    login_throttle::check_locked(tx, ctx.now(), keys).await?;
                    if wrong {
                        login_throttle::record_failure(tx, ctx.now(), keys).await?;
                        sign_in_history::record_failure(tx, ctx, Some(user), "password", "wrong_current_password")
                            .await?;
                        return Ok(Err(Error::conflict("current_password_invalid")));
                    }
                    login_throttle::reset(tx, keys).await?;
                    Ok(Ok(()))
                }
                .scope_boxed()
            })
            .await??;
        }
        // Throttled before any password is compared: the time would tell.
        None if change.nonce.is_some() => {
            let keys = ThrottleKey::for_session("nonce", user.id, &ctx.origin);
            login_throttle::check(&mut ctx.db(), ctx.now(), &keys).await?;
        }
        None => check_recent_authentication(ctx, user, session)?,
    }
    let same = user.password_hash.is_some()
        && passwords::verify(user.password_hash.as_ref(), password).await? != PasswordCheck::Invalid;
    // Hashed in either case: constant time.
    let hash = passwords::hash(ctx, password).await?;
    Ok((!same).then_some(hash))
}

/// Checks that the session is recent enough to set a password without a further proof.
fn check_recent_authentication(ctx: &Ctx, user: &User, session: Option<&Session>) -> Result<()> {
    let old = session.is_none_or(|session| ctx.now() - session.created_at > SESSION_MAX_AGE_FOR_PASSWORD);
    let fresh = session.is_some_and(|session| {
        let first = session.amr.first();
        let by_mail = first.is_some_and(|proof| proof.method != "password" && proof.method != "oauth");
        // A temporary password was typed just now.
        (by_mail || user.must_change_password) && ctx.now() - session.created_at <= REAUTH_WINDOW
    });
    if fresh || (user.password_hash.is_none() && !old) {
        return Ok(());
    }
    Err(Error::conflict(if old { "reauthentication_needed" } else { "current_password_required" }))
}

/// Whether an account is being set up: it is pending, or has no password and never had another session. A mail about the
/// password would be no news.
async fn is_being_set_up(tx: &mut Tx, user: &User) -> Result<bool> {
    if user.status == Status::Pending {
        return Ok(true);
    }
    Ok(user.password_hash.is_none() && store::recent_sources(tx, user.id, DateTime::UNIX_EPOCH, 2).await?.len() < 2)
}

async fn set_password(tx: &mut Tx, ctx: &Ctx, user: &User, hash: &PasswordHash, me: &SignedIn) -> Result<User> {
    let changed = users::bump_version(
        ctx,
        User {
            status: Status::Active,
            must_change_password: false,
            awaits_confirmation: false,
            password_hash: Some(hash.clone()),
            ..user.clone()
        },
    );
    users::save(tx, user, &changed).await?;
    users::store::save_restrictions(tx, &changed).await?;
    users::store::save_password(tx, user.id, hash, false).await?;
    // In a session begun by an administrator it is the administrator's password.
    users::store::save_password_set_by(tx, user.id, me.begun_by.clone()).await?;
    sessions::end_others_of(tx, ctx, user.id, me.session_id).await?;
    links::revoke_all_of(tx, ctx, user.id).await?;
    flows::delete_all_of(tx, user.id).await?;
    let event = users::event("user.password_changed", &changed).with("from", user.status.name()).with("to", "active");
    activity::append(tx, ctx, event).await?;
    if !is_being_set_up(tx, user).await? {
        security_mails::notify(tx, ctx, SecurityAct::PasswordChanged, &changed).await?;
    }
    mails::release(tx, user.id).await?;
    Ok(changed)
}

/// Merges a change into metadata.
///
/// # Errors
/// Invalid `data` (`too_large`, `control_characters`).
pub(super) fn merge_metadata(old: &Map<String, Value>, change: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut new = old.clone();
    for (name, value) in change {
        match value {
            Value::Null => new.remove(name),
            value => new.insert(nfc(name), normalize_text(value)),
        };
    }
    let text = Value::Object(new.clone()).to_string();
    if text.len() > MAX_METADATA_BYTES {
        return Err(Error::field("data", "too_large"));
    }
    // PostgreSQL rejects NUL in JSON.
    if text.contains("\\u0000") {
        return Err(Error::field("data", "control_characters"));
    }
    Ok(new)
}

/// The value with every text in NFC.
fn normalize_text(value: &Value) -> Value {
    match value {
        Value::String(text) => nfc(text).into(),
        Value::Array(values) => values.iter().map(normalize_text).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (nfc(name), normalize_text(value))).collect(),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn metadata_is_merged_and_null_deletes_keys() {
        let old = map(json!({ "a": 1, "b": { "c": 2 } }));
        let new = merge_metadata(&old, &map(json!({ "a": null, "b": { "d": 3 }, "e": "x" }))).expect("is small");
        assert_eq!(Value::Object(new), json!({ "b": { "d": 3 }, "e": "x" }));
        assert!(merge_metadata(&old, &map(json!({ "x": "y".repeat(MAX_METADATA_BYTES) }))).is_err());
        assert!(merge_metadata(&old, &map(json!({ "x": "a\u{0}b" }))).is_err());
        let new = merge_metadata(
            &old,
            &map(json!({ "b": null, "a": null, "names": ["Zoe\u{308}", { "e\u{301}": "e\u{301}" }] })),
        );
        assert_eq!(Value::Object(new.expect("is small")), json!({ "names": ["Zoë", { "é": "é" }] }));
    }
}
