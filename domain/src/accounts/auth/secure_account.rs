//! Securing an account after "This wasn't me": sessions, links and password end, and what an intruder may have added goes.
use super::{account, factors, flows, identities, links, sessions};
use crate::{
    accounts::users::{self, User},
    kernel::{ctx::Ctx, db::Tx, error::Result},
    outbox::mails::{self, Kind},
    platform::activity,
};
use serde_json::Map;

/// Ends every session, link and pending change of address of an account and removes its password, and the second factors,
/// recovery codes and identities added within the lifetime of the link: an intruder may have added them before the act that
/// the owner denies. `mails_link` mails a link to choose a new password. `user` is the row as locked, and `ctx` acts as its
/// owner.
///
/// # Errors
/// Database errors.
pub(crate) async fn secure(tx: &mut Tx, ctx: &Ctx, user: User, mails_link: bool) -> Result<User> {
    let since = ctx.now() - mails::secure_links::TTL;
    factors::remove_added_since(tx, ctx, &user, since - factors::UNVERIFIED_TTL).await?;
    identities::remove_added_since(tx, ctx, &user, since).await?;
    let user = account::cancel_email_change(tx, ctx, user).await?;
    sessions::end_all_of(tx, ctx, user.id).await?;
    links::revoke_all_of(tx, ctx, user.id).await?;
    flows::delete_all_of(tx, user.id).await?;
    users::store::clear_password(tx, user.id).await?;
    activity::append(tx, ctx, users::event("user.secured", &user)).await?;
    if mails_link {
        let data = Map::from_iter([("context".to_owned(), "secured".into())]);
        mails::queue(tx, ctx, Kind::Recovery, user.id, None, data).await?;
    }
    Ok(User { password_hash: None, must_change_password: false, ..user })
}
