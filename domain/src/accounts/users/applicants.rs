//! Accounts for applicants, and names of the staff.
use super::{NewUser, User, insert};
use crate::{
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{Sql, Tx},
        error::Result,
        i18n::LANGUAGES,
        ids::{CompanyId, UserId},
    },
    outbox::{mails, requests::Request},
};
use serde_json::Map;

/// Creates the account of an applicant and mails a link to set its password, in the transaction that approves the
/// application.
///
/// # Errors
/// Conflict `email_taken`.
pub(crate) async fn invite_applicant(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    role: Role,
    company_id: Option<CompanyId>,
) -> Result<User> {
    let text = |field: &str| request.applied(field).unwrap_or_default().to_owned();
    let new = NewUser {
        phone: request.applied("phone").map(str::to_owned),
        company_id,
        language: request.language.clone().unwrap_or_else(|| LANGUAGES[0].to_owned()),
        ..NewUser::new(role, text("first_name"), text("last_name"), request.email.clone())
    };
    let user = insert(tx, ctx, new).await?;
    mails::queue(tx, ctx, mails::Kind::PasswordSetup, user.id, None, Map::new()).await?;
    Ok(user)
}

/// The name of an active member of the staff, to whom work can be assigned; None for any other account.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn active_staff_name(tx: &mut Tx, id: UserId) -> Result<Option<String>> {
    let row: Option<(String, String)> = tx
        .sql(
            "select first_name, last_name from users where id = $1 and role in ('employee', 'super_admin') \
             and status = 'active'",
        )
        .bind(id)
        .optional()
        .await?;
    Ok(row.map(|(first, last)| format!("{first} {last}")))
}
