//! Accounts of the demo office whose password is public: which of them can sign in, and their end after demo mode.
use crate::{
    accounts::{
        auth::passwords::{self, PasswordCheck},
        users::{self, User},
    },
    kernel::{
        ctx::{Ctx, DEMO_SUPER_ADMIN},
        error::{Error, Result},
    },
};

/// Addresses of the demo accounts that the documentation names.
pub const EMAILS: [&str; 5] =
    ["client@example.com", "employee@example.com", DEMO_SUPER_ADMIN, "company@example.com", "iso@example.com"];

/// Addresses of the demo accounts that can sign in with the public password. Empty outside demo mode, as sign-in refuses
/// them then.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "demo_accounts.list_open", skip_all)]
pub async fn list_open(ctx: &Ctx) -> Result<Vec<String>> {
    if !ctx.options.demo {
        return Ok(Vec::new());
    }
    Ok(with_demo_password(ctx).await?.into_iter().map(|user| user.email).collect())
}

/// Ends the sessions of the demo accounts when the server starts without demo mode. Returns their addresses.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "demo_accounts.sign_out_all", skip_all)]
pub async fn sign_out_all(ctx: &Ctx) -> Result<Vec<String>> {
    let mut emails = Vec::new();
    for user in with_demo_password(ctx).await? {
        users::sign_out(ctx, user.id).await?;
        emails.push(user.email);
    }
    Ok(emails)
}

async fn with_demo_password(ctx: &Ctx) -> Result<Vec<User>> {
    let mut open = Vec::new();
    for email in EMAILS {
        let Some(user) = find(ctx, email).await? else { continue };
        let active = matches!(user.status, users::Status::Active | users::Status::Pending);
        if active
            && passwords::verify(user.password_hash.as_ref(), &ctx.options.demo_password).await?
                != PasswordCheck::Invalid
        {
            open.push(user);
        }
    }
    Ok(open)
}

/// The account with this address, if there is one.
pub(super) async fn find(ctx: &Ctx, email: &str) -> Result<Option<User>> {
    match users::find(ctx, email).await {
        Ok(user) => Ok(Some(user)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(e) => Err(e),
    }
}
