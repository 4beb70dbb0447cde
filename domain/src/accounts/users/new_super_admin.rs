//! New super admins that wait for a second one.
use super::{NewUser, email_key, email_taken, store};
use crate::{
    kernel::{
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
    },
    platform::approvals::{self, NewSuperAdmin, Request},
};

/// The account to ask for. It has no password: a hash is a secret, and its owner sets one.
///
/// # Errors
/// Conflict `email_taken`; Invalid `password` where one is given.
pub(crate) async fn super_admin_to_approve(tx: &mut Tx, new: &NewUser) -> Result<NewSuperAdmin> {
    if new.password_hash.is_some() {
        return Err(Error::field("password", "not_allowed"));
    }
    if let Some(holder) = store::by_email(tx, &email_key(&new.email)).await? {
        return Err(email_taken(Some(new.role), Some(&holder)));
    }
    Ok(NewSuperAdmin {
        first_name: new.first_name.clone(),
        last_name: new.last_name.clone(),
        email: new.email.clone(),
        phone: new.phone.clone(),
        address: new.address.clone(),
        language: new.language.clone(),
        ..NewSuperAdmin::default()
    })
}

/// Asks a second super admin, in the transaction that would have created the account.
///
/// # Errors
/// As [`approvals::request`].
pub(crate) async fn request_super_admin(tx: &mut Tx, ctx: &Ctx, account: NewSuperAdmin) -> Result<Error> {
    let (target, subject) = (email_key(&account.email), account.name());
    approvals::request(tx, ctx, &Request::CreateSuperAdmin(account), target, subject).await
}
