//! Accounts as administrators of the protocol see them: service tokens and super admins. The rules of accounts are
//! `users`' and stay as they are: a deleted account is archived, and the last super admin stays.
mod audit;
mod create;
mod link;
mod update;

pub use crate::platform::activity::AccountFilter as Query;
pub use audit::audit;
pub use create::{New, create, invite};
pub use link::{Action, LinkMade, make_link};
pub use update::{Ban, Update, update};

use super::{Auth, tokens};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::{Action as Doing, Actor, Resource, Role},
        ctx::{Ctx, Options},
        db::Db,
        error::{Error, Result},
        ids::{CompanyId, IsoId, UserId},
    },
    platform::rollups::{self, Counter},
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What an administrator says of an account beside what its owner says.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub role: Option<String>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    /// Whatever else is to be noted; null deletes a key.
    pub noted: Map<String, Value>,
}

impl Standing {
    fn role(&self) -> Result<Option<Role>> {
        let role = self.role.as_deref().map(str::parse::<Role>).transpose();
        role.map_err(|problem| Error::field_with("app_metadata.role", problem))
    }
}

/// What is read of an administrator's token.
#[derive(Deserialize)]
struct Presented {
    role: Option<String>,
    aud: Option<Value>,
    #[serde(flatten)]
    registered: tokens::Registered,
    session_id: Option<String>,
}

/// Who sends this token to a route of administrators: a program with a service token, which any of our keys may have
/// signed and which need not expire, or a person with a session.
///
/// # Errors
/// Unauthenticated as [`super::authenticate`].
pub async fn authenticate(auth: &Auth, db: &Db, options: &Options, now: DateTime<Utc>, bearer: &str) -> Result<Actor> {
    let bad = || Error::unauthenticated("bad_jwt");
    let claims: Presented = auth.keys.verify(bearer).ok_or_else(bad)?;
    let service = matches!(claims.role.as_deref(), Some("service_role" | "supabase_admin"));
    if !service || claims.session_id.is_some() {
        return Ok(Actor::User(super::authenticate(auth, db, options, now, bearer).await?));
    }
    // Who signs with the shared secret may sign for others, too: what names an audience is for that one.
    let ours = claims.aud.is_none_or(|aud| match aud {
        Value::Array(several) => several.iter().any(|one| one == tokens::AUDIENCE),
        one => one == tokens::AUDIENCE,
    });
    if !ours || !claims.registered.hold(options, now) {
        return Err(bad());
    }
    Ok(Actor::Service)
}

/// A page of accounts that are not archived, newest first unless the oldest are wanted first, and how many there are.
/// Super admins, service tokens.
///
/// # Errors
/// Forbidden.
pub async fn list(ctx: &Ctx, q: Option<&str>, oldest_first: bool, offset: i64, limit: i64) -> Result<(Vec<User>, i64)> {
    ctx.may(Doing::View, Resource::Users)?;
    let found = users::store::page(&mut ctx.db(), q, oldest_first, offset, limit).await?;
    let all = match q {
        Some(q) => users::store::count_found(&mut ctx.db(), q).await?,
        None => rollups::all(&mut ctx.db()).await?.get(&Counter::Users.name()).copied().unwrap_or(0),
    };
    Ok((found, all))
}

/// A link to sign in to an account in use, its password and its address are for service tokens and the operator alone:
/// what a person did under it afterwards would bear the owner's name. An account that nobody has signed in to yet has no
/// such owner.
///
/// # Errors
/// Forbidden `account_in_use` for people.
fn may_open(ctx: &Ctx, user: &User) -> Result<()> {
    let status = if user.status.is_shut() { user.restored() } else { user.status };
    let in_use = status != Status::Pending || user.last_sign_in_at.is_some();
    match ctx.actor {
        Actor::User(_) if in_use => Err(Error::forbidden("account_in_use")),
        _ => Ok(()),
    }
}

/// An account that is not archived. Super admins, service tokens.
///
/// # Errors
/// Forbidden; NotFound.
pub async fn get(ctx: &Ctx, id: UserId) -> Result<User> {
    ctx.may(Doing::View, Resource::Users)?;
    let user = users::store::get(&mut ctx.db(), id).await?;
    user.filter(|user| user.status != Status::Archived).ok_or(Error::NotFound("user"))
}

/// Archives an account: what was done under it stays readable, and it can be restored (decision 26).
/// Super admins, service tokens.
///
/// # Errors
/// Forbidden; NotFound; Conflict `last_super_admin`.
pub async fn delete(ctx: &Ctx, id: UserId) -> Result<()> {
    get(ctx, id).await?;
    users::archive(ctx, id, None).await?;
    Ok(())
}
