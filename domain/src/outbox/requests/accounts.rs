//! Applications for accounts: the use case that creates the account locks the application first and approves it last, in
//! one transaction, so that two concurrent answers to one application create one account.
use super::{AccountType, Kind, Request, ResultRef, Status, event, insert, lock_open, store};
use crate::{
    kernel::{
        access::Action,
        ctx::Ctx,
        db::Tx,
        email,
        error::{Error, Result},
        i18n,
        ids::RequestId,
    },
    platform::activity,
};
use serde_json::{Map, Value};

/// A person whose sign-in through a provider found no account, with the address that the provider vouches for.
#[derive(Debug)]
pub(crate) struct Applicant {
    pub name: String,
    pub email: String,
    pub provider: String,
}

/// Sends an application for a person whose sign-in through a provider was refused, unless one of theirs is open.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn apply_for_account(tx: &mut Tx, ctx: &Ctx, from: &Applicant) -> Result<()> {
    if store::has_open(tx, Kind::Account, &from.email).await? {
        return Ok(());
    }
    let data = Map::from_iter([("provider".to_owned(), Value::from(from.provider.clone()))]);
    let message = i18n::text(i18n::LANGUAGES[0], "names", "request.by_provider", &data);
    insert(tx, ctx, &Request::new(ctx, Kind::Account, from.name.clone(), from.email.clone(), message, data)).await
}

/// Locks the application that the account about to be created answers; None without an id. `email` is that account's
/// address, as the staff may have typed another. Staff.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, `not_this_account` for a request of another kind or account type;
/// Invalid `email` that is not the applicant's.
pub(crate) async fn lock_application(
    tx: &mut Tx,
    ctx: &Ctx,
    id: Option<RequestId>,
    account: AccountType,
    email: Option<&str>,
) -> Result<Option<Request>> {
    let Some(id) = id else { return Ok(None) };
    let request = lock_open(tx, ctx, id, None, Action::Update).await?;
    // An application through a provider names no account type: it may become any but a company, whose facts are missing.
    let fits = request.account_type().map_or(account != AccountType::Company, |wanted| wanted == account);
    if request.kind != Kind::Account || !fits {
        return Err(Error::conflict("not_this_account"));
    }
    // The applicant is answered by the mail to the new account.
    if email.is_some_and(|email| email::key(email) != email::key(&request.email)) {
        return Err(Error::field("email", "not_the_applicants"));
    }
    Ok(Some(request))
}

/// Approves an application, as its account was created; nothing without one. The answer to the applicant is the mail
/// that a new account gets.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn approve_application(
    tx: &mut Tx,
    ctx: &Ctx,
    request: Option<&Request>,
    result: ResultRef,
) -> Result<()> {
    match request {
        Some(request) => approve(tx, ctx, request, result, None).await,
        None => Ok(()),
    }
}

/// Saves and logs the approval of a locked request with the row it became.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn approve(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    result: ResultRef,
    answer: Option<String>,
) -> Result<()> {
    let (made_kind, made_id, spv_id) = result.parts();
    let approved = Request {
        made_kind: Some(made_kind),
        made_id: Some(made_id),
        spv_id,
        ..request.decided(ctx, Status::Approved, answer)
    };
    store::save(tx, &approved).await?;
    activity::append(tx, ctx, event("request.approved", &approved)).await
}
