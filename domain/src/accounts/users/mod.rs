//! User accounts of every role: created, changed, suspended, archived, restored. Sign-in is in `auth`.
//!
//! `directory` has the use cases of staff for clients and ISO partners, which call [`insert`] and [`change_status`];
//! `desk::people` has those that change more than the account.
mod affiliation;
mod applicants;
mod lifecycle;
mod list;
mod me;
mod model;
mod new_super_admin;
mod profile;
pub(crate) mod rollup;
mod send_mail;
pub(in crate::accounts) mod store;

pub(crate) use crate::kernel::locale::{TIME_ZONE, is_zone};
pub use crate::kernel::{email::key as email_key, locale::DateFormat};
pub(crate) use affiliation::validate_affiliation;
pub(crate) use applicants::{active_staff_name, invite_applicant};
pub use lifecycle::{archive, restore, suspend};
pub(crate) use lifecycle::{change_role, restore_super_admin};
pub use list::{StatusCounts, UserPage, UserQuery, UserRow, UserSort, activity_of, can, invite_again, page, row};
pub(crate) use me::validate_language;
pub use me::{Me, Preferences, me, set_preferences};
pub use model::{MailTimestamps, NewUser, ProtocolFields, Status, Theme, User};
pub(crate) use new_super_admin::{request_super_admin, super_admin_to_approve};
pub use profile::{Profile, UpdateProfile, profile};
pub(crate) use profile::{SavedProfile, require_account, save_profile, save_profile_of};
pub use send_mail::send_notification;
pub(crate) use store::{
    by_email, client_time_zones, lock as lock_row, lock_super_admins, mark_language_chosen, save_profile as set_profile,
};
pub use store::{
    get as by_id, profile as profile_of, save_password as set_password_hash, waiting_for as waiting_for_email,
};

use crate::{
    accounts::auth::{security_mails, sessions},
    kernel::{
        access::{Action, Resource, Role},
        ctx::{Ctx, DEMO_SUPER_ADMIN, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        ids::UserId,
        search::{self, Entry},
    },
    platform::{
        activity::{self, Event},
        settings,
    },
};
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::BTreeMap;

/// [`Settings::reminder_days`](settings::Settings::reminder_days) for the time zones of all clients.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn client_reminder_days(ctx: &Ctx, db: &mut impl Sql) -> Result<BTreeMap<NaiveDate, Vec<String>>> {
    let zones = client_time_zones(db).await?;
    Ok(settings::within(db).await?.reminder_days(ctx.now(), zones))
}

/// Creates an account, within a use case that has authorized the actor and validated the fields.
///
/// # Errors
/// Conflict `email_taken`, with `client_id` when the address is a client's.
pub async fn insert(tx: &mut Tx, ctx: &Ctx, new: NewUser) -> Result<User> {
    insert_with_protocol_fields(tx, ctx, new, ProtocolFields::default()).await
}

/// [`insert`] with the fields of accounts created through the auth protocol.
///
/// # Errors
/// As [`insert`].
pub async fn insert_with_protocol_fields(tx: &mut Tx, ctx: &Ctx, new: NewUser, extra: ProtocolFields) -> Result<User> {
    let now = ctx.now();
    // ISO partners and company people start with their company's time zone.
    let company = match new.company_id.filter(|_| matches!(new.role, Role::Iso | Role::CompanyAdmin)) {
        Some(id) => store::company_time_zone(tx, id).await?,
        None => None,
    };
    let time_zone = match company {
        Some(time_zone) => time_zone,
        None => crate::platform::settings::within(tx).await?.time_zone().to_owned(),
    };
    let user = User {
        id: extra.id.unwrap_or_else(|| UserId(ctx.random.uuid())),
        email_key: email_key(&new.email),
        email: new.email,
        role: new.role,
        status: new.status,
        status_before: None,
        first_name: new.first_name,
        last_name: new.last_name,
        phone: new.phone,
        address: new.address,
        company_id: new.company_id,
        iso_id: new.iso_id,
        password_hash: new.password_hash,
        must_change_password: new.must_change_password,
        password_set_by: None,
        language: new.language,
        time_zone,
        last_sign_in_at: None,
        created_at: now,
        updated_at: now,
        updated_by: ctx.actor_name(),
        version: 1,
        metadata: extra.metadata,
        app_metadata: extra.app_metadata,
        new_email: None,
        new_email_key: None,
        new_email_confirmed: None,
        banned_until: None,
        awaits_confirmation: extra.awaits_confirmation,
        self_made: extra.self_made,
        mailed: MailTimestamps::default(),
        theme: Theme::default(),
        date_format: DateFormat::default(),
    };
    if let Some(holder) = store::by_email(tx, &user.email_key).await? {
        return Err(email_taken(Some(user.role), Some(&holder)));
    }
    // The check above and the insert race: the unique index decides.
    store::insert(tx, &user)
        .await
        .map_err(|e| if e.is_unique_violation() { email_taken(Some(user.role), None) } else { e })?;
    index(tx, &user).await?;
    rollup::count_change(tx, None, (&user).into());
    activity::append(tx, ctx, event("user.created", &user).with("role", user.role.name())).await?;
    security_mails::notify_role(tx, ctx, None, &user).await?;
    Ok(user)
}

/// Changes the status of an account and updates the counters, within a use case that has authorized the actor and logs
/// the event. Suspending and archiving end its sessions and links (decision 27); activation releases its held mails.
/// `user` is the row as locked.
///
/// # Errors
/// Conflict `last_super_admin` (decision 18).
pub async fn change_status(tx: &mut Tx, ctx: &Ctx, user: &User, to: Status) -> Result<User> {
    if to != Status::Active {
        check_not_last_super_admin(tx, ctx, user).await?;
    }
    let status_before = match (user.status.is_shut(), to.is_shut()) {
        (_, false) => None,
        (false, true) => Some(user.status),
        (true, true) => user.status_before,
    };
    let changed = bump_version(ctx, User { status: to, status_before, ..user.clone() });
    save(tx, user, &changed).await?;
    if to.is_shut() {
        sessions::end_all_of(tx, ctx, user.id).await?;
        crate::accounts::auth::links::revoke_all_of(tx, ctx, user.id).await?;
    } else if to == Status::Active {
        crate::outbox::mails::release(tx, user.id).await?;
    }
    Ok(changed)
}

/// Removes an account that an import created, within a use case that has authorized the actor.
///
/// # Errors
/// NotFound; Conflict `stale` when `version` is not the row's; a foreign key violation if other rows refer to it.
pub(crate) async fn remove_imported(tx: &mut Tx, id: UserId, version: i64) -> Result<User> {
    let user = lock(tx, id, Some(version)).await?;
    store::remove(tx, id).await?;
    search::remove(tx, id.0).await?;
    rollup::count_removal(tx, (&user).into());
    Ok(user)
}

/// Saves an account and counts the change.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn save(tx: &mut Tx, before: &User, after: &User) -> Result<()> {
    store::save(tx, after).await?;
    rollup::count_change(tx, Some(before.into()), after.into());
    Ok(())
}

/// Changes the address of an account to a confirmed one. The caller updates what else shows or finds people by it
/// (`desk::people`). `user` is the row as locked.
///
/// # Errors
/// Conflict `email_taken`.
pub(crate) async fn change_email(tx: &mut Tx, ctx: &Ctx, user: &User, to: &str) -> Result<User> {
    let key = email_key(to);
    if let Some(holder) = store::by_email(tx, &key).await?.filter(|holder| holder.id != user.id) {
        return Err(email_taken(None, Some(&holder)));
    }
    let changed = bump_version(ctx, User { email: to.to_owned(), email_key: key, ..user.clone() });
    store::save(tx, &changed).await.map_err(|e| if e.is_unique_violation() { email_taken(None, None) } else { e })?;
    index(tx, &changed).await?;
    let event =
        event("user.email_changed", &changed).with("from", user.email.clone()).with("to", changed.email.clone());
    activity::append(tx, ctx, event).await?;
    Ok(changed)
}

/// Activates an account whose address a link has confirmed; any other account is returned unchanged. `user` is the row
/// as locked.
///
/// # Errors
/// As [`change_status`].
pub(crate) async fn confirm_address(tx: &mut Tx, ctx: &Ctx, user: User) -> Result<User> {
    if user.status != Status::Pending || !user.awaits_confirmation {
        return Ok(user);
    }
    let confirmed = change_status(tx, ctx, &User { awaits_confirmation: false, ..user }, Status::Active).await?;
    store::save_restrictions(tx, &confirmed).await?;
    activity::append(tx, ctx, event("user.confirmed", &confirmed)).await?;
    Ok(confirmed)
}

/// Locks the row for an update and checks its version (decision 6).
///
/// # Errors
/// NotFound; Conflict `stale`.
pub async fn lock(tx: &mut Tx, id: UserId, expected: Option<i64>) -> Result<User> {
    let user = store::lock(tx, id).await?.ok_or(Error::NotFound("user"))?;
    fresh(expected, user.version, &user.updated_by, user.updated_at)?;
    Ok(user)
}

/// Updates the search entry of an account: clients are found in the global search, others in user management only.
///
/// # Errors
/// Database errors.
pub async fn index(tx: &mut Tx, user: &User) -> Result<()> {
    let kind = if user.role == Role::Client { "client" } else { "user" };
    let texts = [&user.first_name, &user.last_name, &user.email].into_iter().chain(&user.phone);
    let texts = texts.map(String::as_str).collect();
    let (company, iso) = (user.company_id, user.iso_id);
    search::index(tx, Entry { kind, subject: user.id.0, company, iso, texts }).await
}

/// An account. Its user, super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "users.get", skip_all, fields(user_id = %id))]
pub async fn get(ctx: &Ctx, id: UserId) -> Result<User> {
    if ctx.actor.user_id() != Some(id) {
        ctx.may(Action::View, Resource::Users)?;
    }
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))
}

/// The account with this address, for commands. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "users.find", skip_all)]
pub async fn find(ctx: &Ctx, email: &str) -> Result<User> {
    ctx.may(Action::View, Resource::Users)?;
    store::by_email(&mut ctx.db(), &email_key(email)).await?.ok_or(Error::NotFound("user"))
}

/// Active sessions of an account, newest first. Its user, super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "users.sessions", skip_all, fields(user_id = %id))]
pub async fn sessions(ctx: &Ctx, id: UserId) -> Result<Vec<sessions::Session>> {
    let user = get(ctx, id).await?;
    sessions::list(ctx, user.id).await
}

/// Ends every session of an account and returns their number. Its user, super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "users.sign_out", skip_all, fields(user_id = %id))]
pub async fn sign_out(ctx: &Ctx, id: UserId) -> Result<u64> {
    if ctx.actor.user_id() != Some(id) {
        ctx.may(Action::Update, Resource::Users)?;
    }
    ctx.transaction(|tx| {
        async move {
            lock(tx, id, None).await?;
            sessions::end_all_of(tx, ctx, id).await
        }
        .scope_boxed()
    })
    .await
}

/// An activity event about an account, with its client, company and ISO.
pub(crate) fn event(action: &'static str, user: &User) -> Event {
    let client = (user.role == Role::Client).then_some(user.id);
    Event::new(action, "user", user.id.0, user.name()).of(client, user.company_id, user.iso_id)
}

/// The row after a change by this actor.
pub(crate) fn bump_version(ctx: &Ctx, user: User) -> User {
    User { updated_at: ctx.now(), updated_by: ctx.actor_name(), version: user.version + 1, ..user }
}

/// Refuses to demote, shut or ban the last super admin (decision 18). An active one is replaced by another active one only,
/// a pending one, the first of a new office, by a pending one as well.
pub(crate) async fn check_not_last_super_admin(tx: &mut Tx, ctx: &Ctx, user: &User) -> Result<()> {
    let banned = user.banned_until.is_some_and(|until| until > ctx.now());
    if user.role != Role::SuperAdmin || user.status.is_shut() || banned {
        return Ok(());
    }
    let can_sign_in = |email: &str| ctx.options.demo || email != DEMO_SUPER_ADMIN;
    let replaces = |status: Status| status == Status::Active || user.status == Status::Pending;
    let found = store::lock_super_admins(tx, ctx.now()).await?;
    let others = found.iter().any(|of| of.id != user.id && can_sign_in(&of.email) && replaces(of.status));
    if others { Ok(()) } else { Err(Error::conflict("last_super_admin")) }
}

/// `client_id` lets staff who add an existing client create an order for it instead.
fn email_taken(new: Option<Role>, holder: Option<&User>) -> Error {
    let problem = Problem::new("email_taken");
    let Some(client) = holder.filter(|holder| holder.role == Role::Client) else { return Error::Conflict(problem) };
    let problem = problem.with("client_id", client.id.to_string());
    Error::Conflict(if new == Some(Role::Client) { problem.with("context", "client") } else { problem })
}

/// Whether the user may sign in and use sessions: not suspended, archived or banned, nor in an archived company or ISO
/// (decision 26).
///
/// # Errors
/// Database errors.
pub(crate) async fn can_sign_in(db: &mut impl crate::kernel::db::Sql, user: &User, now: DateTime<Utc>) -> Result<bool> {
    Ok(is_open(user, now) && !store::is_shut_out(db, user).await?)
}

/// Whether the account itself is active or pending and not banned, whatever its company or ISO.
pub(crate) fn is_open(user: &User, now: DateTime<Utc>) -> bool {
    let banned = user.banned_until.is_some_and(|until| until > now);
    matches!(user.status, Status::Pending | Status::Active) && !banned
}
