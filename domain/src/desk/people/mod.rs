//! Life of the people with an account, where it reaches beyond the account: creation, role, name and address.
//!
//! `accounts` changes the account itself; the use cases here run it in one transaction with what depends on it in
//! `directory`, `orders` and `desk`. What concerns the account alone (suspend, archive, restore) is in `accounts::users`.
mod admin;
mod client;
mod create;
mod profile;
mod role;
mod secure_account;
mod sign_in;

pub use admin::{update_account, update_by_admin};
pub use client::update_client;
pub(crate) use client::update_client_within;
pub(crate) use create::create_super_admin;
pub use create::{CreateUser, create};
pub(crate) use profile::correct_profile_within;
pub use profile::{correct_profile, update_profile};
pub(crate) use role::make_super_admin;
pub use role::set_role;
pub use secure_account::secure_account;
pub use sign_in::{sign_in_with_provider, verify};

use crate::{
    accounts::users::User,
    directory::{clients, isos},
    kernel::{access::Role, db::Tx, error::Result},
    orders::spvs,
};

/// Updates what shows or finds people by their name and address, after either has changed: the orders of a client, the
/// row of an ISO. The search entry of the account is up to date already.
///
/// # Errors
/// Database errors.
async fn on_contact_changed(tx: &mut Tx, user: &User) -> Result<()> {
    match user.role {
        Role::Client => {
            let client = clients::reindex(tx, user.id).await?;
            spvs::on_client_renamed(tx, &client).await
        }
        Role::Iso => isos::on_user_renamed(tx, user).await,
        _ => Ok(()),
    }
}
