//! Signing in, staying signed in, and getting out: passwords, one-time links, sessions and their tokens.
//!
//! Whose account it is, and whether it is open, is `users`' business; the wire protocol is the API's.
pub mod asked;
pub mod device;
pub mod factors;
pub mod failures;
pub mod flows;
pub mod gaps;
pub mod history;
pub mod identities;
pub mod impersonation;
pub mod keys;
pub mod links;
pub mod passwords;
pub mod recovery_codes;
pub mod sessions;
mod store;
pub mod tokens;

mod account;
mod again;
mod entry;
mod reauthentication;
mod signup;
mod verify;

pub mod admin;

pub use account::{Change, update_user};
pub(crate) use again::ask_again;
pub use asked::{Wanted, Way, ask, otp, reauthenticate};
pub use entry::{is_at_home, refresh, session_owner, sign_in};
pub use keys::Keys;
pub use links::Purpose;
pub use reauthentication::{Credential, prove};
pub use sessions::{Which, sign_out};
pub use signup::{NewAccount, SignedUp, sign_up};
pub use tokens::{Granted, Verified, authenticate};
pub use verify::{Back, Came, Ticket, verify};

use self::{factors::Factor, identities::Identity};
use crate::{
    accounts::users::User,
    kernel::{ctx::Ctx, error::Result, ids::UserId, secret},
};
use std::sync::Arc;

/// An account with what belongs to it.
#[derive(Clone, Debug)]
pub struct Account {
    pub user: User,
    pub factors: Vec<Factor>,
    pub identities: Vec<Identity>,
}

/// The account of `user`, who was read by a use case that asked whether its actor may.
///
/// # Errors
/// What the database refuses.
pub async fn whole(ctx: &Ctx, user: User) -> Result<Account> {
    let belongings = store::belongings(&mut ctx.db(), user.id).await?;
    Ok(belongings.of(user, ctx.now()))
}

/// The accounts of `users`, as [`whole`], in their order: with two questions for all of them.
///
/// # Errors
/// What the database refuses.
pub async fn whole_of_many(ctx: &Ctx, users: Vec<User>) -> Result<Vec<Account>> {
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let mut factors = factors::of_many(&mut ctx.db(), ctx.now(), &ids).await?;
    let mut identities = identities::of_many(&mut ctx.db(), &ids).await?;
    Ok(users
        .into_iter()
        .map(|user| Account {
            factors: factors.remove(&user.id).unwrap_or_default(),
            identities: identities.remove(&user.id).unwrap_or_default(),
            user,
        })
        .collect())
}

/// What sign-in needs beside a context: the signing keys, and the memories of tokens found good and of passwords found
/// weak. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Auth {
    pub keys: Arc<Keys>,
    pub verified: Arc<Verified>,
    weaknesses: Arc<entry::Weaknesses>,
}

impl Auth {
    pub fn new(keys: Keys) -> Self {
        Self { keys: Arc::new(keys), verified: Arc::default(), weaknesses: Arc::default() }
    }
}
