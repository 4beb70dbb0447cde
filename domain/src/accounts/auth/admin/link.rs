//! Links generated for an administrator instead of a mail.
use super::{
    check_not_in_use,
    create::{CreateAccount, find_pending_or_create, validate},
    is_in_use,
};
use crate::{
    accounts::{
        auth::{
            links::{self, IssuedLink, LinkContext, LinkKind},
            security_mails,
        },
        users::{self, Status, User},
    },
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        validate::Validator,
    },
    outbox::mails::SecurityAct,
    platform::activity,
};
use serde_json::{Map, Value};

crate::kernel::text_enum! {
    /// Purpose of the link.
    pub enum LinkAction {
        Signup = "signup",
        Invite = "invite",
        Magiclink = "magiclink",
        Recovery = "recovery",
        EmailChangeCurrent = "email_change_current",
        EmailChangeNew = "email_change_new",
    }
}

impl LinkAction {
    pub fn kind(self) -> LinkKind {
        match self {
            Self::Signup => LinkKind::Signup,
            Self::Invite => LinkKind::Invite,
            Self::Magiclink => LinkKind::Magiclink,
            Self::Recovery => LinkKind::Recovery,
            Self::EmailChangeCurrent => LinkKind::EmailChangeCurrent,
            Self::EmailChangeNew => LinkKind::EmailChangeNew,
        }
    }
}

#[derive(Clone, Debug)]
pub struct GeneratedLink {
    pub user: User,
    pub link: IssuedLink,
}

/// Generates a link without a mail; for a sign-up, invitation or magic link also the account, if there is none. Super
/// admins, service tokens.
///
/// # Errors
/// Forbidden; `account_in_use` for people; NotFound; Invalid; Conflict `email_taken` for an account that is in use,
/// `reauthentication_needed`.
#[tracing::instrument(level = "debug", name = "auth.admin.generate_link", skip_all)]
pub async fn generate_link(
    ctx: &Ctx,
    action: LinkAction,
    email: &str,
    password: Option<String>,
    new_email: Option<&str>,
    data: Map<String, Value>,
) -> Result<GeneratedLink> {
    ctx.may(Action::Create, Resource::Users)?;
    ctx.require_recent_proof()?;
    let known = users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?;
    let makes = matches!(action, LinkAction::Signup | LinkAction::Invite | LinkAction::Magiclink) && known.is_none();
    let new = match makes {
        true => Some(
            validate(ctx, CreateAccount { email: email.to_owned(), password, data, ..CreateAccount::default() })
                .await?,
        ),
        false => None,
    };
    let (new, known) = (&new, &known);
    ctx.transaction(|tx| {
        async move {
            let user = match (new, known) {
                (Some(new), _) => find_pending_or_create(tx, ctx, new).await?,
                (None, Some(known)) => users::lock(tx, known.id, None).await?,
                (None, None) => return Err(Error::NotFound("user")),
            };
            if matches!(action, LinkAction::Signup | LinkAction::Invite) && user.status != Status::Pending {
                return Err(Error::conflict("email_taken"));
            }
            if !users::can_sign_in(tx, &user, ctx.now()).await? {
                return Err(Error::NotFound("user"));
            }
            check_not_in_use(tx, ctx, &user).await?;
            let (user, to) = match action {
                LinkAction::EmailChangeCurrent | LinkAction::EmailChangeNew => {
                    let user = waiting_for(tx, ctx, user, new_email).await?;
                    let to = match action {
                        LinkAction::EmailChangeNew => user.new_email.clone().unwrap_or_default(),
                        _ => user.email.clone(),
                    };
                    (user, to)
                }
                _ => (user.clone(), user.email),
            };
            let issued_by = is_in_use(&user).then(|| ctx.actor_name());
            let context = LinkContext { issued_by, ..LinkContext::default() };
            let link = links::issue_with(tx, ctx, user.id, &to, action.kind(), context).await?;
            let event = users::event("user.link_made", &user).with("kind", action.kind().name());
            activity::append(tx, ctx, event).await?;
            if is_in_use(&user) {
                security_mails::notify(tx, ctx, SecurityAct::LinkMade, &user).await?;
            }
            Ok(GeneratedLink { user, link })
        }
        .scope_boxed()
    })
    .await
}

/// Sets the pending new address, unless it is already: two links are generated, one per confirmation.
async fn waiting_for(tx: &mut Tx, ctx: &Ctx, user: User, new_email: Option<&str>) -> Result<User> {
    let mut check = Validator::new();
    let email = check.email("new_email", new_email.unwrap_or(""));
    check.finish()?;
    let key = users::email_key(&email);
    if user.new_email_key.as_ref() == Some(&key) {
        return Ok(user);
    }
    if users::store::by_email(tx, &key).await?.is_some() {
        return Err(Error::conflict("email_taken"));
    }
    links::revoke_email_changes_of(tx, ctx, user.id).await?;
    let user = User { new_email: Some(email), new_email_key: Some(key), new_email_confirmed: None, ..user };
    users::store::save_new_email(tx, &user).await?;
    Ok(user)
}
