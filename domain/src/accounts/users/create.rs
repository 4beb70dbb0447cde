//! A new account of any role, and what it must belong to.
use super::{NewUser, Status, User, insert, store};
use crate::{
    accounts::auth::passwords,
    directory::{companies, isos, leads},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, UserId},
        validate::{Check, LINE},
    },
    outbox::mails,
};
use serde_json::Map;

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

/// Makes an account of any role; none is refused together with whatever else is wrong. Super admins and the operator, who
/// makes the first account of an empty portal.
///
/// # Errors
/// Forbidden; Invalid fields; Conflict `email_taken`.
pub async fn create(ctx: &Ctx, role: impl Into<Option<Role>>, input: Input) -> Result<User> {
    ctx.may(Action::Create, Resource::Users)?;
    let mut check = Check::new();
    let role = role.into();
    if role.is_none() {
        check.refuse("role", Problem::new("required"));
    }
    let first_name = check.line("first_name", &input.first_name, LINE);
    let last_name = check.line("last_name", &input.last_name, LINE);
    let email = check.email("email", &input.email);
    let phone = check.phone("phone", input.phone.as_deref());
    let address = check.optional_line("address", input.address.as_deref(), LINE);
    let language_chosen = input.language.as_deref().is_some_and(|language| !language.trim().is_empty());
    let language = match input.language.as_deref() {
        Some(asked) if language_chosen => language(&mut check, Some(asked)),
        _ => companies::defaults(ctx, input.company_id).await?.language,
    };
    let (company_id, iso_id) = match role {
        Some(role) => belongs(&mut check, ctx, role, input.company_id, input.iso_id).await?,
        None => (None, None),
    };
    let password = input.password.as_deref().filter(|p| !p.is_empty());
    if let Some(password) = password {
        let names = [first_name.as_str(), &last_name, &format!("{first_name} {last_name}")];
        if let Err(problem) = passwords::rules(password, &email, &names, passwords::shortest(ctx).await?) {
            check.refuse("password", problem);
        }
    }
    check.done()?;
    let role = role.ok_or_else(|| Error::field("role", "required"))?;
    let password_hash = match password {
        Some(password) => Some(passwords::hash(ctx, password).await?),
        None => None,
    };

    let given = password_hash.is_some();
    let new = &NewUser {
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
    ctx.transaction(|tx| {
        async move {
            if let Some(made) = idempotency::made_before(tx, ctx).await? {
                return store::get(tx, UserId(made)).await?.ok_or(Error::NotFound("user"));
            }
            if role == Role::Client {
                leads::check_not_protected(tx, ctx, &new.email, new.phone.as_deref(), iso_id).await?;
            }
            let user = insert(tx, ctx, new.clone()).await?;
            if language_chosen {
                store::language_chosen(tx, user.id).await?;
            }
            if !given {
                mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
            }
            idempotency::remember(tx, ctx, user.id.0).await?;
            Ok(user)
        }
        .scope_boxed()
    })
    .await
}

pub(crate) fn language(check: &mut Check, asked: Option<&str>) -> String {
    use crate::kernel::i18n::LANGUAGES;
    let language = asked.map(str::trim).filter(|l| !l.is_empty()).unwrap_or(LANGUAGES[0]);
    if !LANGUAGES.contains(&language) {
        check.refuse("language", Problem::new("unknown").with("allowed", LANGUAGES.join(", ")));
    }
    language.to_owned()
}

/// The company and ISO that a role needs, and none that it has no use for.
pub(crate) async fn belongs(
    check: &mut Check,
    ctx: &Ctx,
    role: Role,
    company_id: Option<CompanyId>,
    iso_id: Option<IsoId>,
) -> Result<(Option<CompanyId>, Option<IsoId>)> {
    let mut db = ctx.db();
    let iso_company = match iso_id {
        Some(id) => isos::company(&mut db, id).await?,
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
        Some(id) if !companies::is_open(&mut db, id).await? => check.refuse("company_id", Problem::new("archived")),
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
