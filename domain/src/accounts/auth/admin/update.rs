//! Account changes by administrators of the auth protocol.
use super::{AdminFields, check_not_in_use, get, is_in_use};
use crate::{
    accounts::{
        auth::{
            account::merge_metadata,
            flows, links,
            passwords::{self, PasswordHash},
            security_mails, sessions,
        },
        users::{self, Status, User},
    },
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::UserId,
        validate::Validator,
    },
    outbox::mails::{self, SecurityAct},
    platform::{activity, approvals},
};
use chrono::Duration;
use serde_json::{Map, Value};

/// A change to an account; `None` keeps a field.
#[derive(Clone, Default)]
pub struct Update {
    /// Applied at once, without confirmation.
    pub email: Option<String>,
    pub password: Option<String>,
    /// Hash from another system, instead of a password.
    pub password_hash: Option<String>,
    pub confirmed: bool,
    pub data: Option<Map<String, Value>>,
    pub fields: AdminFields,
    pub ban: Option<Ban>,
}

impl std::fmt::Debug for Update {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Update(hidden)")
    }
}

/// Ban for a time from now, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ban {
    For(Duration),
    Lift,
}

impl Ban {
    /// Parses `none`, or numbers with units: `24h`, `1h30m`, `45s`.
    pub fn read(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self::Lift);
        }
        let mut milliseconds = 0.0;
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            let number: f64 = rest[..end].parse().ok()?;
            let (unit, length) = [("ms", 1.0), ("h", 3_600_000.0), ("m", 60_000.0), ("s", 1_000.0)]
                .into_iter()
                .find(|(unit, _)| rest[end..].starts_with(unit))?;
            milliseconds += number * length;
            rest = &rest[end + unit.len()..];
        }
        // A thousand years: the range of the calendar.
        let sound = !text.is_empty() && milliseconds > 0.0 && milliseconds < 3.2e13;
        sound.then(|| Self::For(Duration::milliseconds(milliseconds as i64)))
    }
}

/// A validated [`Update`] with the hash of the new password.
pub(crate) struct ValidatedUpdate {
    change: Update,
    email: Option<String>,
    /// The address differs from the present one.
    moves: bool,
    password: Option<PasswordHash>,
    new_role: Option<Role>,
}

impl ValidatedUpdate {
    /// The role to set, if the role, company or ISO changes.
    pub fn new_role(&self) -> Option<Role> {
        self.new_role
    }

    pub fn fields(&self) -> &AdminFields {
        &self.change.fields
    }
}

/// Validates a change and hashes its password before anything is changed, for `desk::people`. Super admins, service
/// tokens.
///
/// # Errors
/// Forbidden; `account_in_use` where a person sets the password or address of an account in use; NotFound; Invalid;
/// Conflict `email_taken`; RateLimited when the hash queue is full.
pub(crate) async fn validate_update(ctx: &Ctx, id: UserId, change: Update) -> Result<ValidatedUpdate> {
    ctx.may(Action::Update, Resource::Users)?;
    let user = get(ctx, id).await?;
    let mut check = Validator::new();
    let email = check.optional_email("email", change.email.as_deref());
    check.finish()?;
    let moves = email.as_deref().is_some_and(|email| users::email_key(email) != user.email_key);
    if moves || change.password.is_some() || change.password_hash.is_some() {
        check_not_in_use(&mut ctx.db(), ctx, &user).await?;
    }
    let password = match (&change.password, &change.password_hash) {
        (Some(password), _) => {
            let names = [user.first_name.as_str(), &user.last_name, &user.name()];
            passwords::validate(password, &user.email, &names, passwords::min_length(ctx).await?)
                .map_err(|problem| Error::field_with("password", problem))?;
            Some(passwords::hash(ctx, password.as_str()).await?)
        }
        (None, Some(hash)) => {
            Some(PasswordHash::imported(hash).ok_or_else(|| Error::field("password_hash", "malformed"))?)
        }
        (None, None) => None,
    };
    // Checked before the role, which is changed in a transaction of its own.
    if let Some(email) = &email
        && users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?.is_some_and(|other| other.id != id)
    {
        return Err(Error::conflict("email_taken"));
    }
    let fields = &change.fields;
    let new_role =
        fields.role()?.filter(|role| *role != user.role || fields.company_id.is_some() || fields.iso_id.is_some());
    Ok(ValidatedUpdate { email, moves, password, new_role, change })
}

/// Applies all of a change but the role; the flag says whether the address has changed.
///
/// # Errors
/// Forbidden `account_in_use`; NotFound; Conflict `email_taken`, `last_super_admin`.
pub(crate) async fn apply_update(tx: &mut Tx, ctx: &Ctx, id: UserId, update: &ValidatedUpdate) -> Result<(User, bool)> {
    let ValidatedUpdate { change, email, moves, password, .. } = update;
    let app_metadata = &change.fields.app_metadata;
    users::store::lock_super_admins(tx, ctx.now()).await?;
    let mut user = users::lock(tx, id, None).await?;
    // Checked again under the lock: the owner may have signed in meanwhile.
    if *moves || password.is_some() {
        check_not_in_use(tx, ctx, &user).await?;
    }
    if change.data.is_some() || !app_metadata.is_empty() {
        user.metadata = merge_metadata(&user.metadata, change.data.as_ref().unwrap_or(&Map::new()))?;
        user.app_metadata = merge_metadata(&user.app_metadata, app_metadata)?;
        users::store::save_metadata(tx, &user).await?;
        activity::append(tx, ctx, users::event("user.updated", &user)).await?;
    }
    if change.confirmed {
        user.awaits_confirmation = user.status == Status::Pending;
        user = users::confirm_address(tx, ctx, user).await?;
    }
    let new_email = email.as_deref().filter(|email| *email != user.email);
    if let Some(email) = new_email {
        let before = user.clone();
        user = users::change_email(tx, ctx, &user, email).await?;
        if is_in_use(&before) {
            security_mails::notify_email_changed(tx, ctx, &before, &user).await?;
        }
        // Links sent to the old mailbox, and confirmations of another address, must not open the account.
        links::revoke_all_of(tx, ctx, id).await?;
        user = User { new_email: None, new_email_key: None, new_email_confirmed: None, ..user };
        users::store::save_new_email(tx, &user).await?;
    }
    if let Some(hash) = password {
        user = set_password(tx, ctx, user, hash).await?;
    }
    if let Some(ban) = change.ban {
        user = set_ban(tx, ctx, user, ban).await?;
    }
    Ok((user, new_email.is_some()))
}

/// Activates a pending account, unless its address is unconfirmed.
async fn set_password(tx: &mut Tx, ctx: &Ctx, user: User, hash: &PasswordHash) -> Result<User> {
    let must_change = matches!(ctx.actor, Actor::User(_));
    users::store::save_password(tx, user.id, hash, must_change).await?;
    users::store::save_password_set_by(tx, user.id, is_in_use(&user).then(|| ctx.actor_name())).await?;
    sessions::end_all_of(tx, ctx, user.id).await?;
    links::revoke_all_of(tx, ctx, user.id).await?;
    flows::delete_all_of(tx, user.id).await?;
    activity::append(tx, ctx, users::event("user.password_set", &user)).await?;
    if is_in_use(&user) {
        security_mails::notify(tx, ctx, SecurityAct::PasswordSet, &user).await?;
    }
    if user.awaits_confirmation {
        return Ok(user);
    }
    if user.status == Status::Pending {
        return users::change_status(tx, ctx, &user, Status::Active).await;
    }
    mails::release(tx, user.id).await?;
    if !user.status.is_shut() || user.status_after_restore() == Status::Active {
        return Ok(user);
    }
    // Stays suspended or archived; active with this password after a restore.
    let user = users::bump_version(ctx, User { status_before: Some(Status::Active), ..user });
    users::store::save(tx, &user).await?;
    Ok(user)
}

async fn set_ban(tx: &mut Tx, ctx: &Ctx, user: User, ban: Ban) -> Result<User> {
    let (until, action) = match ban {
        Ban::For(time) => {
            users::check_not_last_super_admin(tx, ctx, &user).await?;
            (Some(ctx.now() + time), "user.banned")
        }
        Ban::Lift => (None, "user.unbanned"),
    };
    // A super admin whose ban ends sooner could approve what another one asked for.
    let is_shortened =
        user.banned_until.is_some_and(|before| before > ctx.now() && until.is_none_or(|now| now < before));
    if is_shortened && user.role == Role::SuperAdmin && approvals::is_required(tx, ctx, |_| true).await? {
        return Err(Error::forbidden("super_admin_ban"));
    }
    let user = User { banned_until: until, ..user };
    users::store::save_restrictions(tx, &user).await?;
    if until.is_some() {
        sessions::end_all_of(tx, ctx, user.id).await?;
        links::revoke_all_of(tx, ctx, user.id).await?;
    }
    activity::append(tx, ctx, users::event(action, &user)).await?;
    Ok(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ban_parses_durations_with_units() {
        let minutes = |n| Some(Ban::For(Duration::minutes(n)));
        assert_eq!(Ban::read("24h"), minutes(24 * 60));
        assert_eq!(Ban::read("1h30m"), minutes(90));
        assert_eq!(Ban::read("1.5h"), minutes(90));
        assert_eq!(Ban::read("90000ms"), Some(Ban::For(Duration::seconds(90))));
        assert_eq!(Ban::read("876600h"), minutes(876_600 * 60));
        assert_eq!(Ban::read("none"), Some(Ban::Lift));
        for wrong in ["", "h", "24", "1d", "-1h", "1h 30m", "0s", "99999999999999h"] {
            assert_eq!(Ban::read(wrong), None, "{wrong}");
        }
    }
}
