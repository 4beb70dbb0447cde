//! Applications become accounts: the use case that makes one claims the request first, in the same transaction, so
//! that two who answer one application at a time make one account.
use super::{
    application::AccountType,
    decide::{decided, locked, told},
    model::{Kind, Made, Request, Status},
    store,
};
use crate::{
    accounts::users::{self, NewUser, email_key},
    kernel::{
        access::{Action, Resource, Role},
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        ids::{CompanyId, RequestId},
    },
    outbox::mails,
    platform::activity,
};
use serde_json::Map;

/// Keeps the application from others that the account about to be made answers; nothing without one. `email` is that
/// account's, where the staff may have typed another. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, `not_this_account` for a request that asks for something else;
/// Invalid `email` that is not the applicant's.
pub(crate) async fn claim(
    tx: &mut Tx,
    ctx: &Ctx,
    id: Option<RequestId>,
    account: AccountType,
    email: Option<&str>,
) -> Result<Option<Request>> {
    let Some(id) = id else { return Ok(None) };
    let request = locked(tx, ctx, id, None, Action::Update).await?;
    // Who came by a provider has not said which account it is to be: a person's, for nothing is said of a company.
    let fits = request.account_type().map_or(account != AccountType::Company, |wanted| wanted == account);
    if request.kind != Kind::Account || !fits {
        return Err(Error::conflict("not_this_account"));
    }
    // The applicant hears of it by the mail that the account gets.
    if email.is_some_and(|email| email_key(email) != email_key(&request.email)) {
        return Err(Error::field("email", "not_the_applicants"));
    }
    Ok(Some(request))
}

/// The account is made: so the application is approved. The applicant hears of it by the mail that a new account gets;
/// a company's applicant becomes its first admin.
///
/// # Errors
/// Conflict `email_taken` for a company's applicant who has an account.
pub(crate) async fn fulfil(tx: &mut Tx, ctx: &Ctx, request: Option<Request>, made: Made) -> Result<()> {
    let Some(request) = request else { return Ok(()) };
    if let Made::Company(id) = made {
        invite(tx, ctx, &request, Role::CompanyAdmin, Some(id)).await?;
    }
    approved(tx, ctx, &request, made, None).await
}

/// Makes the account of a colleague whose application this is. Super admins.
pub(super) async fn employ(tx: &mut Tx, ctx: &Ctx, request: &Request, answer: Option<String>) -> Result<()> {
    if request.account_type() != Some(AccountType::Employee) {
        return Err(Error::conflict("approved_by_account"));
    }
    ctx.may(Action::Create, Resource::Users)?;
    let user = invite(tx, ctx, request, Role::Employee, None).await?;
    approved(tx, ctx, request, Made::User(user.id), answer).await
}

async fn approved(tx: &mut Tx, ctx: &Ctx, request: &Request, made: Made, answer: Option<String>) -> Result<()> {
    let (made_kind, made_id, spv_id) = made.parts();
    let decided = Request {
        made_kind: Some(made_kind),
        made_id: Some(made_id),
        spv_id,
        ..decided(ctx, request, Status::Approved, answer)
    };
    store::save(tx, &decided).await?;
    activity::append(tx, ctx, told("request.approved", &decided)).await
}

/// An account for the applicant, with a link to set its password.
async fn invite(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    role: Role,
    company_id: Option<CompanyId>,
) -> Result<users::User> {
    let text = |field: &str| request.applied(field).unwrap_or_default().to_owned();
    let new = NewUser {
        role,
        status: users::Status::Pending,
        first_name: text("first_name"),
        last_name: text("last_name"),
        email: request.email.clone(),
        phone: request.applied("phone").map(str::to_owned),
        address: None,
        company_id,
        iso_id: None,
        password_hash: None,
        must_change_password: false,
        language: request.language.clone().unwrap_or_else(|| crate::kernel::i18n::LANGUAGES[0].to_owned()),
    };
    let user = users::insert(tx, ctx, new).await?;
    mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
    Ok(user)
}
