//! Account creation by super admins: any role, with the lead protection of clients and the set-up mail.
use crate::{
    accounts::{
        auth::passwords,
        users::{self, NewUser, ProtocolFields, Status, User},
    },
    directory::{companies, leads},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, UserId},
        validate::{LINE, Validator},
    },
    outbox::mails,
    platform::approvals::{self, NewSuperAdmin},
};
use serde_json::Map;

/// Fields of an account to be created by a super admin.
#[derive(Clone, Debug, Default)]
pub struct CreateUser {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: Option<String>,
    pub address: Option<String>,
    /// Required for company admins and clients; ISO users get their ISO's.
    pub company_id: Option<CompanyId>,
    /// Required for ISO users, optional for clients.
    pub iso_id: Option<IsoId>,
    /// Set by the operator, to be changed at the first sign-in. Without one a set-up link is mailed.
    pub password: Option<String>,
    pub language: Option<String>,
}

/// Creates an account of any role. A missing role is reported with the other invalid fields. Super admins and the
/// operator, who creates the first account.
///
/// # Errors
/// Forbidden; Invalid fields; Conflict `email_taken`, `reauthentication_needed` for a super admin or with a password;
/// `approval_pending` and others of [`approvals::request`] where a super admin waits for a second one.
#[tracing::instrument(level = "debug", name = "people.create", skip_all)]
pub async fn create(ctx: &Ctx, role: impl Into<Option<Role>>, input: CreateUser) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let mut check = Validator::new();
    let role = role.into();
    if role.is_none() {
        check.reject("role", Problem::new("required"));
    }
    let first_name = check.single_line("first_name", &input.first_name, LINE);
    let last_name = check.single_line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    let address = check.optional_line("address", input.address.as_deref(), LINE);
    let language_chosen = input.language.as_deref().is_some_and(|language| !language.trim().is_empty());
    let language = match input.language.as_deref() {
        Some(asked) if language_chosen => users::validate_language(&mut check, Some(asked)),
        _ => companies::defaults(ctx, input.company_id).await?.language,
    };
    let (company_id, iso_id) = match role {
        Some(role) => users::validate_affiliation(&mut check, ctx, role, input.company_id, input.iso_id).await?,
        None => (None, None),
    };
    let password = input.password.as_deref().filter(|p| !p.is_empty());
    if let Some(password) = password {
        let names = [first_name.as_str(), &last_name, &format!("{first_name} {last_name}")];
        if let Err(problem) = passwords::validate(password, &email, &names, passwords::min_length(ctx).await?) {
            check.reject("password", problem);
        }
    }
    check.finish()?;
    let role = role.ok_or_else(|| Error::field("role", "required"))?;
    if role == Role::SuperAdmin || password.is_some() {
        ctx.require_recent_proof()?;
    }
    let password_hash = match password {
        Some(password) => Some(passwords::hash(ctx, password).await?),
        None => None,
    };

    let given = password_hash.is_some();
    let new = &NewUser {
        status: if given { Status::Active } else { Status::Pending },
        phone,
        address,
        company_id,
        iso_id,
        password_hash,
        must_change_password: given,
        language,
        ..NewUser::new(role, first_name, last_name, email)
    };
    ctx.transaction(|tx| insert_or_request(tx, ctx, new, language_chosen).scope_boxed()).await?
}

/// [`create`] within its transaction. The inner error keeps what was written: the request for a second super admin.
async fn insert_or_request(tx: &mut Tx, ctx: &Ctx, new: &NewUser, language_chosen: bool) -> Result<Result<User>> {
    if new.role == Role::SuperAdmin && approvals::is_required(tx, ctx, |_| true).await? {
        let account = NewSuperAdmin { language_chosen, ..users::super_admin_to_approve(tx, new).await? };
        return users::request_super_admin(tx, ctx, account).await.map(Err);
    }
    insert(tx, ctx, new, language_chosen).await.map(Ok)
}

/// [`create`] of an approved super admin, who sets a password by the mailed link.
///
/// # Errors
/// Conflict `email_taken`, `user_already_exists` for an id.
pub(crate) async fn create_super_admin(tx: &mut Tx, ctx: &Ctx, new: NewSuperAdmin) -> Result<()> {
    if let Some(id) = new.id
        && users::by_id(tx, id).await?.is_some()
    {
        return Err(Error::conflict("user_already_exists"));
    }
    let account = NewUser {
        phone: new.phone,
        address: new.address,
        language: new.language,
        ..NewUser::new(Role::SuperAdmin, new.first_name, new.last_name, new.email)
    };
    let fields = ProtocolFields {
        id: new.id,
        metadata: new.metadata,
        app_metadata: new.app_metadata,
        ..ProtocolFields::default()
    };
    let user = users::insert_with_protocol_fields(tx, ctx, account, fields).await?;
    if new.language_chosen {
        users::mark_language_chosen(tx, user.id).await?;
    }
    mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
    Ok(())
}

/// Inserts an account and mails its set-up link.
async fn insert(tx: &mut Tx, ctx: &Ctx, new: &NewUser, language_chosen: bool) -> Result<User> {
    if let Some(made) = idempotency::find_previous(tx, ctx).await? {
        return users::by_id(tx, UserId(made)).await?.ok_or(Error::NotFound("user"));
    }
    if new.role == Role::Client {
        leads::check_not_protected(tx, ctx, &new.email, new.phone.as_deref(), new.iso_id).await?;
    }
    let user = users::insert(tx, ctx, new.clone()).await?;
    if language_chosen {
        users::mark_language_chosen(tx, user.id).await?;
    }
    if user.password_hash.is_none() {
        mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
    }
    idempotency::store(tx, ctx, user.id.0).await?;
    Ok(user)
}
