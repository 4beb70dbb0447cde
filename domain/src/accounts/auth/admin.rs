//! Account administration in the auth protocol, by service tokens and super admins. The rules of `users` apply:
//! deleting archives, and the last super admin stays.
mod audit;
mod create;
mod link;
mod update;

pub use crate::platform::activity::AccountFilter as AuditQuery;
pub use audit::audit;
pub use create::{CreateAccount, create, invite};
pub use link::{GeneratedLink, LinkAction, generate_link};
pub use update::{Ban, Update};
pub(crate) use update::{apply_update, validate_update};

use super::{Auth, tokens};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::{Ctx, Options},
        db::{Db, Sql},
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
    },
    platform::{
        rollups::{self, Counter},
        settings,
    },
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The part of `app_metadata` that has a meaning here, and the rest.
#[derive(Clone, Debug, Default)]
pub struct AdminFields {
    pub role: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    /// Other keys; null deletes one.
    pub app_metadata: Map<String, Value>,
}

impl AdminFields {
    fn role(&self) -> Result<Option<Role>> {
        let role = self.role.as_deref().map(str::parse::<Role>).transpose();
        role.map_err(|problem| Error::field_with("app_metadata.role", problem))
    }
}

/// Claims read from an administrator's token.
#[derive(Deserialize)]
struct AdminTokenClaims {
    role: Option<String>,
    aud: Option<Value>,
    #[serde(flatten)]
    registered: tokens::RegisteredClaims,
    session_id: Option<String>,
}

/// Authenticates a token on an administrator's route: a service token, signed by any key and possibly without expiry,
/// or a user's access token.
///
/// # Errors
/// Unauthenticated as [`super::authenticate`].
pub async fn authenticate(auth: &Auth, db: &Db, options: &Options, now: DateTime<Utc>, bearer: &str) -> Result<Actor> {
    let bad = || Error::unauthenticated("bad_jwt");
    let claims: AdminTokenClaims = auth.keys.verify(bearer).ok_or_else(bad)?;
    let service = matches!(claims.role.as_deref(), Some("service_role" | "supabase_admin"));
    if !service || claims.session_id.is_some() {
        return Ok(Actor::User(super::authenticate(auth, db, options, now, bearer).await?));
    }
    // The shared secret may sign for other audiences.
    let ours = claims.aud.is_none_or(|aud| match aud {
        Value::Array(several) => several.iter().any(|one| one == tokens::AUDIENCE),
        one => one == tokens::AUDIENCE,
    });
    if !ours || !claims.registered.are_valid(options, now) {
        return Err(bad());
    }
    Ok(Actor::Service)
}

/// A page of accounts that are not archived, newest first unless `oldest_first`, and their number. Super admins,
/// service tokens.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "auth.admin.list", skip_all)]
pub async fn list(ctx: &Ctx, q: Option<&str>, oldest_first: bool, offset: i64, limit: i64) -> Result<(Vec<User>, i64)> {
    ctx.may(Action::View, Resource::Users)?;
    let found = users::store::page(&mut ctx.db(), q, oldest_first, offset, limit).await?;
    let all = match q {
        Some(q) => users::store::count_found(&mut ctx.db(), q).await?,
        None => rollups::all(&mut ctx.db()).await?.get(&Counter::Users.name()).copied().unwrap_or(0),
    };
    Ok((found, all))
}

/// Sign-in links, password and address of an account in use are reserved to service tokens and the operator: a person
/// could act in the owner's name. So are those of a super admin who has not signed in yet, where four eyes is on: a person
/// could approve their own acts.
///
/// # Errors
/// Forbidden `account_in_use`, `super_admin_sets_up_alone` for people.
async fn check_not_in_use(db: &mut impl Sql, ctx: &Ctx, user: &User) -> Result<()> {
    if !matches!(ctx.actor, Actor::User(_)) {
        return Ok(());
    }
    if is_in_use(user) {
        return Err(Error::forbidden("account_in_use"));
    }
    if user.role == Role::SuperAdmin && settings::within(db).await?.four_eyes.is_on() {
        return Err(Error::forbidden("super_admin_sets_up_alone"));
    }
    Ok(())
}

/// Whether the owner of an account has set it up or signed in.
fn is_in_use(user: &User) -> bool {
    let status = if user.status.is_shut() { user.status_after_restore() } else { user.status };
    status != Status::Pending || user.last_sign_in_at.is_some()
}

/// An account that is not archived. Super admins, service tokens.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "auth.admin.get", skip_all, fields(user_id = %id))]
pub async fn get(ctx: &Ctx, id: UserId) -> Result<User> {
    ctx.may(Action::View, Resource::Users)?;
    let user = users::store::get(&mut ctx.db(), id).await?;
    user.filter(|user| user.status != Status::Archived).ok_or(Error::NotFound("user"))
}

/// Archives an account: its data stays readable and it can be restored (decision 26). Super admins, service tokens.
///
/// # Errors
/// Forbidden; NotFound; Conflict `last_super_admin`.
#[tracing::instrument(level = "debug", name = "auth.admin.delete", skip_all, fields(user_id = %id))]
pub async fn delete(ctx: &Ctx, id: UserId) -> Result<()> {
    get(ctx, id).await?;
    users::archive(ctx, id, None).await?;
    Ok(())
}
