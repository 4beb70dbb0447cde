//! Accounts made by an administrator of the protocol.
use super::Standing;
use crate::{
    accounts::{
        auth::{
            Way,
            account::merged,
            asked,
            links::LinkKind,
            passwords::{self, PasswordHash},
            signup::names,
        },
        users::{self, Extra, NewUser, Status, User},
    },
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        i18n::LANGUAGES,
        ids::UserId,
        validate::Check,
    },
    outbox::mails::Kind,
    platform::activity,
};
use serde_json::{Map, Value};

/// An account to be made. Without a confirmed address it waits for a link to be used.
#[derive(Clone, Default)]
pub struct New {
    pub id: Option<UserId>,
    pub email: String,
    pub password: Option<String>,
    /// A hash from elsewhere, in place of a password.
    pub password_hash: Option<String>,
    pub confirmed: bool,
    pub data: Map<String, Value>,
    pub standing: Standing,
}

impl std::fmt::Debug for New {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("New(hidden)")
    }
}

/// Makes an account and mails nobody. Super admins, service tokens.
///
/// # Errors
/// Forbidden; Invalid; Conflict `email_taken`, `user_already_exists` for an id; TooMany when the machine is busy.
pub async fn create(ctx: &Ctx, new: New) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let ready = &ready(ctx, new).await?;
    ctx.transaction(|tx| insert(tx, ctx, ready).scope_boxed()).await
}

/// Makes an account of a client, or takes the one that is still to be confirmed, and mails the invitation.
/// Super admins, service tokens.
///
/// # Errors
/// Forbidden; Invalid `email`; Conflict `email_taken` for an account that is in use.
pub async fn invite(ctx: &Ctx, email: &str, data: Map<String, Value>, redirect_to: Option<String>) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let ready = &ready(ctx, New { email: email.to_owned(), data, ..New::default() }).await?;
    let way = &Way { redirect_to, challenge: None };
    let user = ctx
        .transaction(|tx| {
            async move {
                let user = waiting_or_new(tx, ctx, ready).await?;
                asked::mail(tx, ctx, &user, Kind::Invite, LinkKind::Invite, way).await?;
                activity::append(tx, ctx, users::event("user.invited", &user)).await?;
                Ok(user)
            }
            .scope_boxed()
        })
        .await?;
    Ok(User { mailed: user.mailed.with(LinkKind::Invite, ctx.now()), ..user })
}

/// An account whose fields are checked.
pub(super) struct Ready {
    id: Option<UserId>,
    account: NewUser,
    extra: Extra,
}

/// Checks an account, and hashes its password, before a transaction begins.
///
/// # Errors
/// Invalid; TooMany.
pub(super) async fn ready(ctx: &Ctx, new: New) -> Result<Ready> {
    let mut check = Check::new();
    let email = check.email("email", &new.email);
    check.done()?;
    let metadata = merged(&Map::new(), &new.data)?;
    let (first_name, last_name) = names(&metadata, &email);
    let password_hash = match (&new.password, &new.password_hash) {
        (Some(password), _) => {
            let own = [first_name.as_str(), &last_name];
            passwords::rules(password, &email, &own, passwords::shortest(ctx).await?)
                .map_err(|problem| Error::field_with("password", problem))?;
            Some(passwords::hash(ctx, password.as_str()).await?)
        }
        (None, Some(hash)) => {
            Some(PasswordHash::imported(hash).ok_or_else(|| Error::field("password_hash", "malformed"))?)
        }
        (None, None) => None,
    };
    let role = new.standing.role()?.unwrap_or(Role::Client);
    let (company_id, iso_id) = if role == Role::Client && new.standing.company_id.is_none() {
        // A client without a company: what somebody is who came over the protocol.
        (None, None)
    } else {
        let mut check = Check::new();
        let belongs = users::belongs(&mut check, ctx, role, new.standing.company_id, new.standing.iso_id).await?;
        check.done()?;
        belongs
    };
    // A person who chooses another's password is not to know it for long (decision 20); a program brings accounts over.
    let must_change_password = new.password.is_some() && matches!(ctx.actor, Actor::User(_));
    let account = NewUser {
        role,
        status: if new.confirmed { Status::Active } else { Status::Pending },
        first_name,
        last_name,
        email,
        phone: None,
        address: None,
        company_id,
        iso_id,
        password_hash,
        must_change_password,
        language: LANGUAGES[0].to_owned(),
    };
    let app_metadata = merged(&Map::new(), &new.standing.noted)?;
    let extra = Extra { id: new.id, metadata, app_metadata, awaits_confirmation: !new.confirmed, self_made: false };
    Ok(Ready { id: new.id, account, extra })
}

pub(super) async fn insert(tx: &mut Tx, ctx: &Ctx, ready: &Ready) -> Result<User> {
    if let Some(id) = ready.id
        && users::store::get(tx, id).await?.is_some()
    {
        return Err(Error::conflict("user_already_exists"));
    }
    users::insert_with(tx, ctx, ready.account.clone(), ready.extra.clone()).await
}

/// The account of this address that is still to be confirmed, or a new one.
///
/// # Errors
/// Conflict `email_taken` for an account that is in use.
pub(super) async fn waiting_or_new(tx: &mut Tx, ctx: &Ctx, ready: &Ready) -> Result<User> {
    let known = users::store::by_email(tx, &users::email_key(&ready.account.email)).await?;
    match known {
        Some(known) if known.status == Status::Pending => {
            users::store::lock(tx, known.id).await?.ok_or(Error::NotFound("user"))
        }
        _ => insert(tx, ctx, ready).await,
    }
}
