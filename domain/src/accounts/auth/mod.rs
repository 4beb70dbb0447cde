//! Authentication: passwords, one-time links, provider sign-in, passkeys, second factors, sessions and their tokens.
//!
//! Accounts and their status are in `users`; the wire protocol is in the API.
pub mod device;
pub mod factors;
pub mod flows;
pub mod identities;
pub mod impersonation;
pub mod keys;
pub mod links;
pub mod login_throttle;
pub mod mail_rate_limit;
pub mod mail_request;
pub mod passkeys;
pub mod passwords;
pub mod recovery_codes;
pub mod sessions;
pub mod sign_in_history;
mod store;
pub mod tokens;

mod account;
mod reauthentication;
mod revalidate;
mod secure_account;
pub(in crate::accounts) mod security_mails;
mod sign_in;
mod signup;
mod verify;

pub mod admin;

pub use account::{UpdateAccount, update_user};
pub use keys::Keys;
pub use links::Purpose;
pub use mail_request::{MailRequestKind, RedirectContext, otp, reauthenticate, request_mail};
pub use reauthentication::{Credential, reauthenticate_with};
pub(crate) use revalidate::revalidate_session;
pub(crate) use secure_account::secure;
pub use sessions::{SignOutScope, sign_out};
pub use sign_in::{is_known_location, refresh, session_owner, sign_in};
pub use signup::{NewAccount, SignUpOutcome, sign_up};
pub use tokens::{TokenCache, TokenGrant, authenticate};
pub use verify::{CodeRedirect, VerificationInput, VerifyOutcome};
pub(crate) use verify::{finish_verification, verify_within};

use self::{factors::Factor, identities::Identity};
use crate::{
    accounts::users::User,
    kernel::{ctx::Ctx, error::Result, ids::UserId, secret},
};
use std::sync::Arc;

/// An account with its factors and identities.
#[derive(Clone, Debug)]
pub struct Account {
    pub user: User,
    pub factors: Vec<Factor>,
    pub identities: Vec<Identity>,
}

/// Loads the factors and identities of an account that the caller may read.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.load_account", skip_all)]
pub async fn load_account(ctx: &Ctx, user: User) -> Result<Account> {
    let extras = store::load_extras(&mut ctx.db(), user.id).await?;
    Ok(extras.into_account(user, ctx.now()))
}

/// [`load_account`] for several accounts, in their order, with two queries.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.load_accounts", skip_all)]
pub async fn load_accounts(ctx: &Ctx, users: Vec<User>) -> Result<Vec<Account>> {
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let mut factors = factors::load_many(&mut ctx.db(), ctx.now(), &ids).await?;
    let mut identities = identities::load_many(&mut ctx.db(), &ids).await?;
    Ok(users
        .into_iter()
        .map(|user| Account {
            factors: factors.remove(&user.id).unwrap_or_default(),
            identities: identities.remove(&user.id).unwrap_or_default(),
            user,
        })
        .collect())
}

/// State of authentication in one process: signing keys, the cache of verified tokens and the cache of weak passwords.
/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Auth {
    pub keys: Arc<Keys>,
    pub token_cache: Arc<TokenCache>,
    weak_passwords: Arc<sign_in::WeakPasswordCache>,
}

impl Auth {
    pub fn new(keys: Keys) -> Self {
        Self { keys: Arc::new(keys), token_cache: Arc::default(), weak_passwords: Arc::default() }
    }
}
