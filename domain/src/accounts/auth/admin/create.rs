//! Account creation and invitation by administrators of the auth protocol.
use super::AdminFields;
use crate::{
    accounts::{
        auth::{
            RedirectContext,
            account::merge_metadata,
            links::LinkKind,
            mail_request,
            passwords::{self, PasswordHash},
            signup::derive_names,
        },
        users::{self, NewUser, ProtocolFields, Status, User},
    },
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::UserId,
        validate::Validator,
    },
    outbox::mails::Kind,
    platform::{
        activity,
        approvals::{self, NewSuperAdmin},
    },
};
use serde_json::{Map, Value};

/// An account to be created; unless `confirmed` it waits for a link.
#[derive(Clone, Default)]
pub struct CreateAccount {
    pub id: Option<UserId>,
    pub email: String,
    pub password: Option<String>,
    /// Hash from another system, instead of a password.
    pub password_hash: Option<String>,
    pub confirmed: bool,
    pub data: Map<String, Value>,
    pub fields: AdminFields,
}

impl std::fmt::Debug for CreateAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CreateAccount(hidden)")
    }
}

/// Creates an account without a mail. Super admins, service tokens.
///
/// # Errors
/// Forbidden; Invalid; Conflict `email_taken`, `user_already_exists` for an id, `reauthentication_needed`; RateLimited when
/// the hash queue is full; `approval_pending` and others of [`approvals::request`] where a super admin waits for a second one.
#[tracing::instrument(level = "debug", name = "auth.admin.create", skip_all)]
pub async fn create(ctx: &Ctx, new: CreateAccount) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    ctx.require_recent_proof()?;
    let validated = &validate(ctx, new).await?;
    ctx.transaction(|tx| {
        async move {
            let account = &validated.account;
            if account.role == Role::SuperAdmin && approvals::is_required(tx, ctx, |_| true).await? {
                let ProtocolFields { id, metadata, app_metadata, .. } = validated.extra.clone();
                let account = users::super_admin_to_approve(tx, account).await?;
                let account = NewSuperAdmin { id, metadata, app_metadata, ..account };
                return users::request_super_admin(tx, ctx, account).await.map(Err);
            }
            insert(tx, ctx, validated).await.map(Ok)
        }
        .scope_boxed()
    })
    .await?
}

/// Creates a client account, or takes a pending one, and mails an invitation. Super admins, service tokens.
///
/// # Errors
/// Forbidden; Invalid `email`; Conflict `email_taken` for an account that is in use.
#[tracing::instrument(level = "debug", name = "auth.admin.invite", skip_all)]
pub async fn invite(ctx: &Ctx, email: &str, data: Map<String, Value>, redirect_to: Option<String>) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let validated = &validate(ctx, CreateAccount { email: email.to_owned(), data, ..CreateAccount::default() }).await?;
    let redirect = &RedirectContext { redirect_to, challenge: None };
    let user = ctx
        .transaction(|tx| {
            async move {
                let user = find_pending_or_create(tx, ctx, validated).await?;
                mail_request::queue_link_mail(tx, ctx, &user, Kind::Invite, LinkKind::Invite, redirect).await?;
                activity::append(tx, ctx, users::event("user.invited", &user)).await?;
                Ok(user)
            }
            .scope_boxed()
        })
        .await?;
    Ok(User { mailed: user.mailed.with(LinkKind::Invite, ctx.now()), ..user })
}

/// Validated input with the password's hash.
pub(super) struct ValidatedUser {
    id: Option<UserId>,
    account: NewUser,
    extra: ProtocolFields,
}

/// Validates the input and hashes the password, before a transaction.
///
/// # Errors
/// Invalid; RateLimited.
pub(super) async fn validate(ctx: &Ctx, new: CreateAccount) -> Result<ValidatedUser> {
    let mut check = Validator::new();
    let email = check.email("email", &new.email);
    check.finish()?;
    let metadata = merge_metadata(&Map::new(), &new.data)?;
    let (first_name, last_name) = derive_names(&metadata, &email);
    let password_hash = match (&new.password, &new.password_hash) {
        (Some(password), _) => {
            let own = [first_name.as_str(), &last_name];
            passwords::validate(password, &email, &own, passwords::min_length(ctx).await?)
                .map_err(|problem| Error::field_with("password", problem))?;
            Some(passwords::hash(ctx, password.as_str()).await?)
        }
        (None, Some(hash)) => {
            Some(PasswordHash::imported(hash).ok_or_else(|| Error::field("password_hash", "malformed"))?)
        }
        (None, None) => None,
    };
    let role = new.fields.role()?.unwrap_or(Role::Client);
    let (company_id, iso_id) = if role == Role::Client && new.fields.company_id.is_none() {
        // Accounts of the auth protocol may have no company.
        (None, None)
    } else {
        let mut check = Validator::new();
        let belongs =
            users::validate_affiliation(&mut check, ctx, role, new.fields.company_id, new.fields.iso_id).await?;
        check.finish()?;
        belongs
    };
    // A password chosen by a person must be changed (decision 20); programs import existing ones.
    let must_change_password = new.password.is_some() && matches!(ctx.actor, Actor::User(_));
    let account = NewUser {
        status: if new.confirmed { Status::Active } else { Status::Pending },
        company_id,
        iso_id,
        password_hash,
        must_change_password,
        ..NewUser::new(role, first_name, last_name, email)
    };
    let app_metadata = merge_metadata(&Map::new(), &new.fields.app_metadata)?;
    let extra =
        ProtocolFields { id: new.id, metadata, app_metadata, awaits_confirmation: !new.confirmed, self_made: false };
    Ok(ValidatedUser { id: new.id, account, extra })
}

pub(super) async fn insert(tx: &mut Tx, ctx: &Ctx, validated: &ValidatedUser) -> Result<User> {
    if let Some(id) = validated.id
        && users::store::get(tx, id).await?.is_some()
    {
        return Err(Error::conflict("user_already_exists"));
    }
    users::insert_with_protocol_fields(tx, ctx, validated.account.clone(), validated.extra.clone()).await
}

/// The pending account of this address, or a new one.
///
/// # Errors
/// Conflict `email_taken` for an account that is in use.
pub(super) async fn find_pending_or_create(tx: &mut Tx, ctx: &Ctx, validated: &ValidatedUser) -> Result<User> {
    let known = users::store::by_email(tx, &users::email_key(&validated.account.email)).await?;
    match known {
        Some(known) if known.status == Status::Pending => {
            users::store::lock(tx, known.id).await?.ok_or(Error::NotFound("user"))
        }
        _ => insert(tx, ctx, validated).await,
    }
}
