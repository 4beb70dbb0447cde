//! Accounts of every role: made, changed, shut and opened again. Signing in with one is `auth`'s business.
//!
//! Clients and ISO partners have use cases of their own for what staff do with them; those call [`insert`] and
//! [`change_status`] here.
mod applicants;
mod create;
mod directory;
mod me;
mod model;
mod profile;
mod send_mail;
mod standing;
pub mod store;

pub(crate) use crate::kernel::locale::{TIME_ZONE, is_zone};
pub use crate::kernel::{email::key as email_key, locale::DateFormat};
pub(crate) use applicants::{active_staff_name, invite_applicant};
pub use create::{Input, create};
pub(crate) use create::{belongs, language};
pub use directory::{Counted, Listing, Order, Row, Wanted, activity_of, can, invite_again, listing, row};
pub use me::{Me, Preferences, me, set_preferences};
pub use model::{Extra, Mailed, NewUser, Status, Theme, User};
pub use profile::{Change as ProfileChange, Profile, get as profile, update as update_profile};
pub use send_mail::send_notification;
pub use standing::{archive, restore, set_role, suspend};
pub use store::Filter;
pub(crate) use store::{by_email, client_zones};

use crate::{
    accounts::auth::sessions,
    directory::companies,
    kernel::{
        access::{Action, Resource, Role},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        ids::UserId,
        page::{Page, PageQuery},
        search::{self, Entry},
    },
    platform::{
        activity::{self, Event},
        rollups::{
            Counter, CounterDeltas,
            dated::{self, Metric},
        },
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
    let zones = client_zones(db).await?;
    Ok(settings::within(db).await?.reminder_days(ctx.now(), zones))
}

/// Makes an account within a use case that has asked whether its actor may, and has checked the fields.
///
/// # Errors
/// Conflict `email_taken` (with `client_id` when that account is a client's); what the database refuses.
pub async fn insert(tx: &mut Tx, ctx: &Ctx, new: NewUser) -> Result<User> {
    insert_with(tx, ctx, new, Extra::default()).await
}

/// [`insert`] for an account made over the protocol.
///
/// # Errors
/// As [`insert`].
pub async fn insert_with(tx: &mut Tx, ctx: &Ctx, new: NewUser, extra: Extra) -> Result<User> {
    let now = ctx.now();
    // Partners and a company's own people begin with its clock.
    let company = match new.company_id.filter(|_| matches!(new.role, Role::Iso | Role::CompanyAdmin)) {
        Some(id) => companies::by_id(tx, id).await?,
        None => None,
    };
    let time_zone = match company {
        Some(company) => company.time_zone,
        None => crate::platform::settings::within(tx).await?.time_zone().to_owned(),
    };
    let user = User {
        id: extra.id.unwrap_or_else(|| UserId(ctx.chance.uuid())),
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
        language: new.language,
        time_zone,
        last_sign_in_at: None,
        created_at: now,
        updated_at: now,
        updated_by: ctx.who(),
        version: 1,
        metadata: extra.metadata,
        app_metadata: extra.app_metadata,
        new_email: None,
        new_email_key: None,
        new_email_confirmed: None,
        banned_until: None,
        awaits_confirmation: extra.awaits_confirmation,
        self_made: extra.self_made,
        mailed: Mailed::default(),
        theme: Theme::default(),
        date_format: DateFormat::default(),
    };
    if let Some(holder) = store::by_email(tx, &user.email_key).await? {
        return Err(email_taken(Some(user.role), Some(&holder)));
    }
    // Of two at once, one gets past the question above and is stopped here.
    store::insert(tx, &user)
        .await
        .map_err(|e| if e.is_unique_violation() { email_taken(Some(user.role), None) } else { e })?;
    index(tx, &user).await?;
    count(tx, &user, 1).await?;
    count_brought(tx, &user, 1);
    activity::append(tx, ctx, event("user.created", &user).with("role", user.role.name())).await?;
    Ok(user)
}

/// Moves an account to another status within a use case that has asked and tells of it itself: counters, and the
/// end of its sessions and links unless it opens again (decision 27). `user` is the row as locked.
///
/// # Errors
/// Conflict `last_super_admin` (decision 18); what the database refuses.
pub async fn change_status(tx: &mut Tx, ctx: &Ctx, user: &User, to: Status) -> Result<User> {
    if to != Status::Active {
        keep_one_super_admin(tx, ctx, user).await?;
    }
    let status_before = match (user.status.is_shut(), to.is_shut()) {
        (_, false) => None,
        (false, true) => Some(user.status),
        (true, true) => user.status_before,
    };
    let changed = touched(ctx, User { status: to, status_before, ..user.clone() });
    store::save(tx, &changed).await?;
    match (user.status, to) {
        (Status::Archived, Status::Archived) => {}
        (_, Status::Archived) => count(tx, user, -1).await?,
        (Status::Archived, _) => count(tx, user, 1).await?,
        _ => {}
    }
    count_brought(tx, user, -1);
    count_brought(tx, &changed, 1);
    if to.is_shut() {
        sessions::end_all_of(tx, ctx, user.id).await?;
        crate::accounts::auth::links::drop_all_of(tx, ctx, user.id).await?;
    } else if to == Status::Active {
        crate::outbox::mails::release(tx, user.id).await?;
    }
    Ok(changed)
}

/// Gives an account another address that was shown to be its owner's, and everything that knows people by it. `user`
/// is the row as locked.
///
/// # Errors
/// Conflict `email_taken`; what the database refuses.
pub(crate) async fn change_email(tx: &mut Tx, ctx: &Ctx, user: &User, to: &str) -> Result<User> {
    let key = email_key(to);
    if let Some(holder) = store::by_email(tx, &key).await?.filter(|holder| holder.id != user.id) {
        return Err(email_taken(None, Some(&holder)));
    }
    let changed = touched(ctx, User { email: to.to_owned(), email_key: key, ..user.clone() });
    store::save(tx, &changed).await.map_err(|e| if e.is_unique_violation() { email_taken(None, None) } else { e })?;
    match changed.role {
        // Their orders are found by it, too.
        Role::Client => crate::desk::people::reindex_client(tx, user.id).await?,
        Role::Iso => {
            crate::directory::isos::save_email(tx, user.id, &changed.email).await?;
            crate::directory::isos::on_user_renamed(tx, &changed).await?;
        }
        _ => index(tx, &changed).await?,
    }
    let told = event("user.email_changed", &changed).with("from", user.email.clone()).with("to", changed.email.clone());
    activity::append(tx, ctx, told).await?;
    Ok(changed)
}

/// Opens an account of the protocol whose address a link has confirmed; any other stays as it is. `user` is the row
/// as locked.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn confirm(tx: &mut Tx, ctx: &Ctx, user: User) -> Result<User> {
    if user.status != Status::Pending || !user.awaits_confirmation {
        return Ok(user);
    }
    let confirmed = change_status(tx, ctx, &User { awaits_confirmation: false, ..user }, Status::Active).await?;
    store::save_bars(tx, &confirmed).await?;
    activity::append(tx, ctx, event("user.confirmed", &confirmed)).await?;
    Ok(confirmed)
}

/// The row locked for a change, or the reason why not: gone, or changed by somebody since (decision 6).
///
/// # Errors
/// NotFound; Conflict `stale`.
pub async fn lock(tx: &mut Tx, id: UserId, expected: Option<i64>) -> Result<User> {
    let user = store::lock(tx, id).await?.ok_or(Error::NotFound("user"))?;
    fresh(expected, user.version, &user.updated_by, user.updated_at)?;
    Ok(user)
}

/// The words a client is found by; everybody else is found in user management only.
///
/// # Errors
/// What the database refuses.
pub async fn index(tx: &mut Tx, user: &User) -> Result<()> {
    let kind = if user.role == Role::Client { "client" } else { "user" };
    let texts = [&user.first_name, &user.last_name, &user.email].into_iter().chain(&user.phone);
    let texts = texts.map(String::as_str).collect();
    let (company, iso) = (user.company_id, user.iso_id);
    search::index(tx, Entry { kind, subject: user.id.0, company, iso, texts }).await
}

/// # Errors
/// NotFound; Forbidden for all but super admins, the operator and the user.
pub async fn get(ctx: &Ctx, id: UserId) -> Result<User> {
    if ctx.actor.user_id() != Some(id) {
        ctx.may(Action::View, Resource::Users)?;
    }
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))
}

/// The account with this address, for commands that name people by address. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
pub async fn find(ctx: &Ctx, email: &str) -> Result<User> {
    ctx.may(Action::View, Resource::Users)?;
    store::by_email(&mut ctx.db(), &email_key(email)).await?.ok_or(Error::NotFound("user"))
}

/// Accounts, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<User>> {
    ctx.may(Action::View, Resource::Users)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), filter, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |user| (user.created_at, user.id)))
}

/// The live sessions of an account, newest first. The user, super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
pub async fn sessions(ctx: &Ctx, id: UserId) -> Result<Vec<sessions::Session>> {
    let user = get(ctx, id).await?;
    sessions::list(ctx, user.id).await
}

/// Ends every session of an account; says how many. The user, super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
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

/// An event about an account, with whose it is.
pub(crate) fn event(action: &'static str, user: &User) -> Event {
    let client = (user.role == Role::Client).then_some(user.id);
    Event::new(action, "user", user.id.0, user.name()).of(client, user.company_id, user.iso_id)
}

/// The row as it stands after a change by this actor.
pub(crate) fn touched(ctx: &Ctx, user: User) -> User {
    User { updated_at: ctx.now(), updated_by: ctx.who(), version: user.version + 1, ..user }
}

pub(crate) async fn keep_one_super_admin(tx: &mut Tx, ctx: &Ctx, user: &User) -> Result<()> {
    let banned = user.banned_until.is_some_and(|until| until > ctx.now());
    if user.role != Role::SuperAdmin || user.status != Status::Active || banned {
        return Ok(());
    }
    let others = store::lock_super_admins(tx, ctx.now()).await?.into_iter().any(|id| id != user.id);
    if others { Ok(()) } else { Err(Error::conflict("last_super_admin")) }
}

async fn count(tx: &mut Tx, user: &User, by: i64) -> Result<()> {
    let mut changes = CounterDeltas::default();
    changes.add(Counter::Users, by);
    if user.role == Role::Client {
        changes.add(Counter::Clients, by);
    }
    changes.write(tx).await
}

/// A client of a partner who has come to be as they are (`by` 1), or are so no more (-1).
pub(crate) fn count_brought(tx: &mut Tx, user: &User, by: i64) {
    let counts = user.role == Role::Client && matches!(user.status, Status::Active | Status::Pending);
    if let Some(iso) = user.iso_id.filter(|_| counts) {
        dated::add_partner_count(tx, iso, Metric::Clients, by);
    }
}

/// Whoever was to be made a client, and is one, is given another order.
fn email_taken(new: Option<Role>, holder: Option<&User>) -> Error {
    let problem = Problem::new("email_taken");
    let Some(client) = holder.filter(|holder| holder.role == Role::Client) else { return Error::Conflict(problem) };
    let problem = problem.with("client_id", client.id.to_string());
    Error::Conflict(if new == Some(Role::Client) { problem.with("context", "client") } else { problem })
}

/// Whether a session of this user may be used at all: not suspended, not archived, not banned for now, nor in an
/// archived company or ISO (decision 26).
///
/// # Errors
/// What the database refuses.
pub(crate) async fn is_welcome(db: &mut impl crate::kernel::db::Sql, user: &User, now: DateTime<Utc>) -> Result<bool> {
    Ok(is_open(user, now) && !store::is_shut_out(db, user).await?)
}

/// Whether the account itself is open, whatever it belongs to.
pub(crate) fn is_open(user: &User, now: DateTime<Utc>) -> bool {
    let banned = user.banned_until.is_some_and(|until| until > now);
    matches!(user.status, Status::Pending | Status::Active) && !banned
}
