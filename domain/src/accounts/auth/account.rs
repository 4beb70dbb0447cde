//! What people change about their own sign-in: the password, the address, what they say of themselves.
mod email;

use email::take_back as take_back_email;
pub(super) use email::{confirm as confirm_email, mail_confirmations, want as want_email};

use super::{
    Auth, Way,
    failures::{self, Counter},
    flows, history, links,
    passwords::{self, PasswordHash, Verdict},
    sessions::{self, Session},
    store,
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
    outbox::mails,
    platform::activity,
};
use chrono::Duration;
use serde_json::{Map, Value};

/// A session begun by a link or code may set a password for so long without the old one: that is what the link was for.
const FRESH: Duration = Duration::minutes(15);
/// A session older than this is asked to prove who sits there.
const OLD: Duration = Duration::hours(24);
/// Bytes that people may say of themselves.
const METADATA: usize = 16 << 10;

/// Nothing given, nothing changed.
#[derive(Clone, Default)]
pub struct Change {
    pub password: Option<String>,
    /// Where it is given it must be right.
    pub current_password: Option<String>,
    /// The code of [`super::reauthenticate`].
    pub nonce: Option<String>,
    /// An address that is to be confirmed by mail; the present one takes a wanted one back.
    pub email: Option<String>,
    /// Merged key by key; null deletes a key.
    pub data: Option<Map<String, Value>>,
    /// What came with a new address.
    pub way: Way,
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Change(hidden)")
    }
}

/// Changes one's own account. A new password makes it active and ends every other session and every link of it
/// (decisions 20 and 27); a new address waits until it is confirmed at both addresses.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden `insufficient_aal` while a second factor is to be shown; Invalid `password` (`weak_password`, `too_long`), `data` (`too_large`,
/// `control_characters`); Conflict `same_password`, `current_password_required`, `current_password_invalid`,
/// `reauthentication_needed`, `reauthentication_not_valid`, `email_taken`, `over_email_send_rate_limit`; TooMany when
/// the machine is busy with sign-ins.
pub async fn update_user(ctx: &Ctx, auth: &Auth, change: &Change) -> Result<User> {
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
            Some(new_password(ctx, &user, session.as_ref(), change, password).await?)
        }
        None => None,
    };

    let known = user.password_hash.as_ref();
    let new = password.as_ref().map(Option::as_ref);
    let changed = ctx.transaction(|tx| change_in(tx, ctx, me, change, known, new).scope_boxed()).await??;
    if matches!(new, Some(Some(_))) {
        auth.verified.forget_user(me.id);
    }
    Ok(changed)
}

/// [`update_user`] within its transaction. `password` is the hash of a new password, `Some(None)` where it equals the
/// present one; `known` is the hash it was compared with. The inner error keeps what was written: the count of a wrong
/// code.
async fn change_in(
    tx: &mut Tx,
    ctx: &Ctx,
    me: &SignedIn,
    change: &Change,
    known: Option<&PasswordHash>,
    password: Option<Option<&PasswordHash>>,
) -> Result<Result<User>> {
    let gone = || Error::unauthenticated("user_not_found");
    let mut user = users::store::lock(tx, me.id).await?.ok_or_else(gone)?;
    if !users::is_welcome(tx, &user, ctx.now()).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    // While the passwords were compared, somebody else may have changed this one and ended this session.
    if store::session(tx, me.session_id).await?.is_none_or(|session| session.ended_at.is_some()) {
        return Err(Error::unauthenticated("session_not_found"));
    }
    if password.is_some() && user.password_hash.as_ref() != known {
        return Err(Error::conflict("current_password_invalid"));
    }
    let metadata = change.data.as_ref().map(|data| merged(&user.metadata, data)).transpose()?;
    if password.is_some()
        && let Some(nonce) = &change.nonce
    {
        let counters = Counter::of_session("nonce", user.id, &ctx.origin);
        failures::check(tx, ctx.now(), &counters).await?;
        if !links::consume_nonce(tx, ctx, &user, nonce).await? {
            failures::note(tx, ctx.now(), &counters).await?;
            history::failed(tx, ctx, Some(&user), "otp", "wrong_mailed_code").await?;
            return Ok(Err(Error::conflict("reauthentication_not_valid")));
        }
        failures::forget(tx, &counters).await?;
    }
    // Told only to somebody who has shown who they are: it confirms a guess.
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
        user = with_password(tx, ctx, &user, hash, me.session_id).await?;
    }
    if let Some(email) = &change.email {
        user = if users::email_key(email) == user.email_key {
            take_back_email(tx, ctx, user).await?
        } else {
            want_email(tx, ctx, user, email, &change.way).await?
        };
    }
    Ok(Ok(user))
}

/// The hash of a new password that may be set; none where it is the one there is.
async fn new_password(
    ctx: &Ctx,
    user: &User,
    session: Option<&Session>,
    change: &Change,
    password: &str,
) -> Result<Option<PasswordHash>> {
    let names = [user.first_name.as_str(), &user.last_name, &user.name()];
    passwords::rules(password, &user.email, &names, passwords::shortest(ctx).await?)
        .map_err(|problem| Error::field_with("password", problem))?;
    match &change.current_password {
        Some(current) => {
            let counters = &Counter::of_session("password", user.id, &ctx.origin);
            failures::peek(&mut ctx.db(), ctx.now(), counters).await?;
            let wrong = passwords::verify(user.password_hash.as_ref(), current).await? == Verdict::Wrong;
            ctx.transaction(|tx| {
                async move {
                    failures::check(tx, ctx.now(), counters).await?;
                    if wrong {
                        failures::note(tx, ctx.now(), counters).await?;
                        history::failed(tx, ctx, Some(user), "password", "wrong_current_password").await?;
                        return Ok(Err(Error::conflict("current_password_invalid")));
                    }
                    failures::forget(tx, counters).await?;
                    Ok(Ok(()))
                }
                .scope_boxed()
            })
            .await??;
        }
        // Too many wrong codes are refused before any password is compared: how long that takes would tell.
        None if change.nonce.is_some() => {
            let counters = Counter::of_session("nonce", user.id, &ctx.origin);
            failures::peek(&mut ctx.db(), ctx.now(), &counters).await?;
        }
        None => proven(ctx, user, session)?,
    }
    let same = user.password_hash.is_some()
        && passwords::verify(user.password_hash.as_ref(), password).await? != Verdict::Wrong;
    // Hashed in either case: half the time for the right guess would be an answer.
    let hash = passwords::hash(ctx, password).await?;
    Ok((!same).then_some(hash))
}

/// Whether the session itself shows well enough who sits there.
fn proven(ctx: &Ctx, user: &User, session: Option<&Session>) -> Result<()> {
    let old = session.is_none_or(|session| ctx.now() - session.created_at > OLD);
    let fresh = session.is_some_and(|session| {
        let first = session.amr.first();
        let by_mail = first.is_some_and(|proof| proof.method != "password" && proof.method != "oauth");
        // Whoever was given a password has just typed it in.
        (by_mail || user.must_change_password) && ctx.now() - session.created_at <= FRESH
    });
    if fresh || (user.password_hash.is_none() && !old) {
        return Ok(());
    }
    Err(Error::conflict(if old { "reauthentication_needed" } else { "current_password_required" }))
}

async fn with_password(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    hash: &PasswordHash,
    keep: crate::kernel::ids::SessionId,
) -> Result<User> {
    let changed = users::touched(
        ctx,
        User {
            status: Status::Active,
            must_change_password: false,
            awaits_confirmation: false,
            password_hash: Some(hash.clone()),
            ..user.clone()
        },
    );
    users::store::save(tx, &changed).await?;
    users::count_brought(tx, user, -1);
    users::count_brought(tx, &changed, 1);
    users::store::save_bars(tx, &changed).await?;
    users::store::save_password(tx, user.id, hash, false).await?;
    sessions::end_others_of(tx, ctx, user.id, keep).await?;
    links::drop_all_of(tx, ctx, user.id).await?;
    flows::drop_all_of(tx, user.id).await?;
    let told = users::event("user.password_changed", &changed).with("from", user.status.name()).with("to", "active");
    activity::append(tx, ctx, told).await?;
    mails::release(tx, user.id).await?;
    Ok(changed)
}

/// What somebody says of themselves after a change.
///
/// # Errors
/// Invalid `data` (`too_large`, `control_characters`).
pub(super) fn merged(old: &Map<String, Value>, change: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut new = old.clone();
    for (name, value) in change {
        match value {
            Value::Null => new.remove(name),
            value => new.insert(nfc(name), composed(value)),
        };
    }
    let text = Value::Object(new.clone()).to_string();
    if text.len() > METADATA {
        return Err(Error::field("data", "too_large"));
    }
    // PostgreSQL keeps no such character.
    if text.contains("\\u0000") {
        return Err(Error::field("data", "control_characters"));
    }
    Ok(new)
}

/// The same with every text in NFC.
fn composed(value: &Value) -> Value {
    match value {
        Value::String(text) => nfc(text).into(),
        Value::Array(values) => values.iter().map(composed).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (nfc(name), composed(value))).collect(),
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
    fn what_is_said_is_merged_and_null_deletes() {
        let old = map(json!({ "a": 1, "b": { "c": 2 } }));
        let new = merged(&old, &map(json!({ "a": null, "b": { "d": 3 }, "e": "x" }))).expect("is small");
        assert_eq!(Value::Object(new), json!({ "b": { "d": 3 }, "e": "x" }));
        assert!(merged(&old, &map(json!({ "x": "y".repeat(METADATA) }))).is_err());
        assert!(merged(&old, &map(json!({ "x": "a\u{0}b" }))).is_err());
        let new =
            merged(&old, &map(json!({ "b": null, "a": null, "names": ["Zoe\u{308}", { "e\u{301}": "e\u{301}" }] })));
        assert_eq!(Value::Object(new.expect("is small")), json!({ "names": ["Zoë", { "é": "é" }] }));
    }
}
