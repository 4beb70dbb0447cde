//! Accounts of every role: made, changed, shut and opened again. Signing in with one is `auth`'s business.
//!
//! Clients and ISO partners have use cases of their own for what staff do with them; those call [`insert`] and
//! [`change_status`] here. What stands below under "super admins" is the office's user management.
mod me;
mod model;
pub mod store;

pub use me::{Me, me, set_preferences};
pub use model::{NewUser, Status, User, email_key};
pub use store::Filter;

use crate::{
    access::{Action, Resource, Role},
    activity::{self, Event},
    auth::{passwords, sessions},
    check::{Check, LINE},
    counts::{Changes, Count},
    ctx::Ctx,
    db::Tx,
    error::{Error, Problem, Result},
    ids::{CompanyId, IsoId, UserId},
    mails,
    page::{Page, PageQuery},
    search,
};
use serde_json::Map;

/// What times and dates are shown in until somebody chooses otherwise.
const TIME_ZONE: &str = "America/New_York";

/// Makes an account within a use case that has asked whether its actor may, and has checked the fields.
///
/// # Errors
/// Conflict `email_taken` (with `client_id` when that account is a client's); what the database refuses.
pub async fn insert(tx: &mut Tx, ctx: &Ctx, new: NewUser) -> Result<User> {
    let now = ctx.now();
    let user = User {
        id: UserId(ctx.chance.uuid()),
        email_key: email_key(&new.email),
        email: new.email.trim().to_owned(),
        role: new.role,
        status: new.status,
        first_name: new.first_name,
        last_name: new.last_name,
        phone: new.phone,
        address: new.address,
        company_id: new.company_id,
        iso_id: new.iso_id,
        password_hash: new.password_hash,
        must_change_password: new.must_change_password,
        language: new.language,
        time_zone: TIME_ZONE.to_owned(),
        last_sign_in_at: None,
        created_at: now,
        updated_at: now,
        updated_by: ctx.who(),
        version: 1,
    };
    if let Some(holder) = store::by_email(tx, &user.email_key).await? {
        return Err(email_taken(Some(&holder)));
    }
    // Of two at once, one gets past the question above and is stopped here.
    store::insert(tx, &user).await.map_err(|e| if e.is_unique_violation() { email_taken(None) } else { e })?;
    index(tx, &user).await?;
    count(tx, &user, 1).await?;
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
        keep_one_super_admin(tx, user).await?;
    }
    let changed = touched(ctx, User { status: to, ..user.clone() });
    store::save(tx, &changed).await?;
    match (user.status, to) {
        (Status::Archived, Status::Archived) => {}
        (_, Status::Archived) => count(tx, user, -1).await?,
        (Status::Archived, _) => count(tx, user, 1).await?,
        _ => {}
    }
    if matches!(to, Status::Suspended | Status::Archived) {
        sessions::end_all_of(tx, ctx, user.id).await?;
        crate::auth::links::drop_all_of(tx, ctx, user.id).await?;
    }
    Ok(changed)
}

/// The row locked for a change, or the reason why not: gone, or changed by somebody since (decision 6).
///
/// # Errors
/// NotFound; Conflict `stale`.
pub async fn lock(tx: &mut Tx, id: UserId, expected: Option<i64>) -> Result<User> {
    let user = store::lock(tx, id).await?.ok_or(Error::NotFound("user"))?;
    match expected {
        Some(version) if version != user.version => Err(Error::stale(&user.updated_by, user.updated_at)),
        _ => Ok(user),
    }
}

/// The words a client is found by; everybody else is found in user management only.
///
/// # Errors
/// What the database refuses.
pub async fn index(tx: &mut Tx, user: &User) -> Result<()> {
    let kind = if user.role == Role::Client { "client" } else { "user" };
    let phone = user.phone.as_deref().unwrap_or("");
    search::index(tx, kind, user.id.0, &[&user.first_name, &user.last_name, &user.email, phone]).await
}

// Super admins, and the operator.

/// An account as a super admin types it in.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    /// Required for company admins and clients; an ISO's comes from its ISO.
    pub company_id: Option<CompanyId>,
    /// Required for ISOs, possible for clients.
    pub iso_id: Option<IsoId>,
    /// Given by the operator, and to be changed at first sign-in. Without one a set-up link is mailed.
    pub password: Option<String>,
    pub language: Option<String>,
}

/// Makes an account of any role. Super admins and the operator, who makes the first account of an empty portal.
///
/// # Errors
/// Forbidden; Invalid fields; Conflict `email_taken`.
pub async fn create(ctx: &Ctx, role: Role, input: Input) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let mut check = Check::new();
    let first_name = check.line("first_name", &input.first_name, LINE);
    let last_name = check.line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.optional_line("phone", input.phone.as_deref(), LINE);
    let address = check.optional_line("address", input.address.as_deref(), LINE);
    let language = language(&mut check, input.language.as_deref());
    let (company_id, iso_id) = belongs(&mut check, ctx, role, input.company_id, input.iso_id).await?;
    let password = input.password.as_deref().filter(|p| !p.is_empty());
    if let Some(password) = password {
        let names = [first_name.as_str(), &last_name, &format!("{first_name} {last_name}")];
        if let Err(problem) = passwords::rules(password, &email, &names) {
            check.refuse("password", problem);
        }
    }
    check.done()?;
    let password_hash = match password {
        Some(password) => Some(passwords::hash(ctx, password).await?),
        None => None,
    };

    let mut tx = ctx.begin().await?;
    let given = password_hash.is_some();
    let new = NewUser {
        role,
        status: if given { Status::Active } else { Status::Pending },
        first_name,
        last_name,
        email,
        phone,
        address,
        company_id,
        iso_id,
        password_hash,
        must_change_password: given,
        language,
    };
    let user = insert(&mut tx, ctx, new).await?;
    if !given {
        mails::queue(&mut tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
    }
    tx.commit().await?;
    Ok(user)
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

/// Gives an account another role and, with it, the company or ISO that the role needs (the present one stays
/// where none is named). Its sessions end (decision 27). Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Invalid; Conflict `stale`, `last_super_admin`.
pub async fn set_role(
    ctx: &Ctx,
    id: UserId,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
    expected: Option<i64>,
) -> Result<User> {
    ctx.may(Action::Update, Resource::Users)?;
    let before = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))?;
    let needs_company = matches!(role, Role::Client | Role::CompanyAdmin);
    let needs_iso = matches!(role, Role::Client | Role::Iso);
    let mut check = Check::new();
    let (company_id, iso_id) = belongs(
        &mut check,
        ctx,
        role,
        company_id.or(before.company_id.filter(|_| needs_company)),
        iso_id.or(before.iso_id.filter(|_| needs_iso)),
    )
    .await?;
    check.done()?;

    let mut tx = ctx.begin().await?;
    store::lock_super_admins(&mut tx).await?;
    let user = lock(&mut tx, id, expected).await?;
    if role != Role::SuperAdmin {
        keep_one_super_admin(&mut tx, &user).await?;
    }
    let changed = touched(ctx, User { role, company_id, iso_id, ..user.clone() });
    store::save(&mut tx, &changed).await?;
    if (user.role == Role::Client) != (role == Role::Client) {
        index(&mut tx, &changed).await?;
        if user.status != Status::Archived {
            count(&mut tx, &user, -1).await?;
            count(&mut tx, &changed, 1).await?;
        }
    }
    sessions::end_all_of(&mut tx, ctx, id).await?;
    let told = event("user.role_changed", &changed).with("from", user.role.name()).with("to", role.name());
    activity::append(&mut tx, ctx, told).await?;
    tx.commit().await?;
    Ok(changed)
}

/// Shuts an account until it is restored. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`, `archived`.
pub async fn suspend(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    turn(ctx, id, expected, "user.suspended", |user| match user.status {
        Status::Archived => Err(Error::conflict("archived")),
        Status::Suspended => Ok(None),
        _ => Ok(Some(Status::Suspended)),
    })
    .await
}

/// Opens a suspended or archived account again. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`.
pub async fn restore(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Suspend, Resource::Users)?;
    turn(ctx, id, expected, "user.restored", |user| {
        Ok(matches!(user.status, Status::Suspended | Status::Archived).then(|| user.restored()))
    })
    .await
}

/// Hides an account and shuts it. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `stale`, `last_super_admin`.
pub async fn archive(ctx: &Ctx, id: UserId, expected: Option<i64>) -> Result<User> {
    ctx.may(Action::Archive, Resource::Users)?;
    turn(ctx, id, expected, "user.archived", |user| Ok((user.status != Status::Archived).then_some(Status::Archived)))
        .await
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
    let mut tx = ctx.begin().await?;
    lock(&mut tx, id, None).await?;
    let ended = sessions::end_all_of(&mut tx, ctx, id).await?;
    tx.commit().await?;
    Ok(ended)
}

/// One change of status, or none when it stands there already.
async fn turn(
    ctx: &Ctx,
    id: UserId,
    expected: Option<i64>,
    action: &'static str,
    decide: impl FnOnce(&User) -> Result<Option<Status>>,
) -> Result<User> {
    let mut tx = ctx.begin().await?;
    store::lock_super_admins(&mut tx).await?;
    let user = lock(&mut tx, id, expected).await?;
    let Some(to) = decide(&user)? else { return Ok(user) };
    let changed = change_status(&mut tx, ctx, &user, to).await?;
    activity::append(&mut tx, ctx, event(action, &changed)).await?;
    tx.commit().await?;
    Ok(changed)
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

async fn keep_one_super_admin(tx: &mut Tx, user: &User) -> Result<()> {
    if user.role != Role::SuperAdmin || user.status != Status::Active {
        return Ok(());
    }
    let others = store::lock_super_admins(tx).await?.into_iter().any(|id| id != user.id);
    if others { Ok(()) } else { Err(Error::conflict("last_super_admin")) }
}

async fn count(tx: &mut Tx, user: &User, by: i64) -> Result<()> {
    let mut changes = Changes::default();
    changes.add(Count::Users, by);
    if user.role == Role::Client {
        changes.add(Count::Clients, by);
    }
    changes.write(tx, user.id.0.as_bytes()[0]).await
}

fn email_taken(holder: Option<&User>) -> Error {
    let problem = Problem::new("email_taken");
    Error::Conflict(match holder {
        Some(user) if user.role == Role::Client => problem.with("client_id", user.id.to_string()),
        _ => problem,
    })
}

fn language(check: &mut Check, asked: Option<&str>) -> String {
    use crate::catalogue::LANGUAGES;
    let language = asked.map(str::trim).filter(|l| !l.is_empty()).unwrap_or(LANGUAGES[0]);
    if !LANGUAGES.contains(&language) {
        check.refuse("language", Problem::new("unknown").with("allowed", LANGUAGES.join(", ")));
    }
    language.to_owned()
}

/// The company and ISO that a role needs, and none that it has no use for.
async fn belongs(
    check: &mut Check,
    ctx: &Ctx,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
) -> Result<(Option<CompanyId>, Option<IsoId>)> {
    let mut db = ctx.db();
    let iso_company = match iso_id {
        Some(id) => store::iso_company(&mut db, id).await?,
        None => None,
    };
    match role {
        Role::Employee | Role::SuperAdmin => {
            for (field, given) in [("company_id", company_id.is_some()), ("iso_id", iso_id.is_some())] {
                if given {
                    check.refuse(field, Problem::new("not_allowed"));
                }
            }
            return Ok((None, None));
        }
        Role::Iso => {
            match (iso_id, iso_company) {
                (None, _) => check.refuse("iso_id", Problem::new("required")),
                (Some(_), None) => check.refuse("iso_id", Problem::new("archived")),
                (Some(_), Some(company)) if company_id.is_some_and(|id| id != company) => {
                    check.refuse("iso_id", Problem::new("not_in_company"));
                }
                _ => {}
            }
            return Ok((iso_company, iso_id));
        }
        Role::CompanyAdmin | Role::Client => {}
    }
    match company_id {
        None => check.refuse("company_id", Problem::new("required")),
        Some(id) if !store::company_is_open(&mut db, id).await? => check.refuse("company_id", Problem::new("archived")),
        Some(_) => {}
    }
    if role == Role::CompanyAdmin {
        if iso_id.is_some() {
            check.refuse("iso_id", Problem::new("not_allowed"));
        }
        return Ok((company_id, None));
    }
    match iso_company {
        None if iso_id.is_some() => check.refuse("iso_id", Problem::new("archived")),
        Some(company) if Some(company) != company_id => check.refuse("iso_id", Problem::new("not_in_company")),
        _ => {}
    }
    Ok((company_id, iso_id))
}

/// Whether a session of this user may be used at all: not suspended, not archived, nor in an archived company
/// or ISO (decision 26).
///
/// # Errors
/// What the database refuses.
pub(crate) async fn is_welcome(db: &mut impl crate::db::Sql, user: &User) -> Result<bool> {
    Ok(matches!(user.status, Status::Pending | Status::Active) && !store::is_shut_out(db, user).await?)
}
