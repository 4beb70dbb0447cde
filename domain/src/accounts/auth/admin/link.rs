//! A link as a mail would bring it, given to an administrator instead.
use super::{
    create::{New, ready, waiting_or_new},
    may_open,
};
use crate::{
    accounts::{
        auth::links::{self, LinkKind, Made},
        users::{self, Status, User},
    },
    kernel::{
        access::{Action as Doing, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        validate::Check,
    },
    platform::activity,
};
use serde_json::{Map, Value};

/// What the link is to bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Signup,
    Invite,
    Magiclink,
    Recovery,
    EmailChangeCurrent,
    EmailChangeNew,
}

impl Action {
    pub fn read(text: &str) -> Option<Self> {
        Some(match text {
            "signup" => Self::Signup,
            "invite" => Self::Invite,
            "magiclink" => Self::Magiclink,
            "recovery" => Self::Recovery,
            "email_change_current" => Self::EmailChangeCurrent,
            "email_change_new" => Self::EmailChangeNew,
            _ => return None,
        })
    }

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
pub struct LinkMade {
    pub user: User,
    pub link: Made,
}

/// Makes a link without mailing it; for the first three of the actions the account too, where there is none.
/// Super admins, service tokens.
///
/// # Errors
/// Forbidden; `account_in_use` for people; NotFound; Invalid; Conflict `email_taken` for an account that is in use.
pub async fn make_link(
    ctx: &Ctx,
    action: Action,
    email: &str,
    password: Option<String>,
    new_email: Option<&str>,
    data: Map<String, Value>,
) -> Result<LinkMade> {
    ctx.may(Doing::Create, Resource::Users)?;
    let known = users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?;
    let makes = matches!(action, Action::Signup | Action::Invite | Action::Magiclink) && known.is_none();
    let new = match makes {
        true => Some(ready(ctx, New { email: email.to_owned(), password, data, ..New::default() }).await?),
        false => None,
    };
    let (new, known) = (&new, &known);
    ctx.transaction(|tx| {
        async move {
            let user = match (new, known) {
                (Some(new), _) => waiting_or_new(tx, ctx, new).await?,
                (None, Some(known)) => users::lock(tx, known.id, None).await?,
                (None, None) => return Err(Error::NotFound("user")),
            };
            if matches!(action, Action::Signup | Action::Invite) && user.status != Status::Pending {
                return Err(Error::conflict("email_taken"));
            }
            if !users::is_welcome(tx, &user, ctx.now()).await? {
                return Err(Error::NotFound("user"));
            }
            may_open(ctx, &user)?;
            let (user, to) = match action {
                Action::EmailChangeCurrent | Action::EmailChangeNew => {
                    let user = waiting_for(tx, ctx, user, new_email).await?;
                    let to = match action {
                        Action::EmailChangeNew => user.new_email.clone().unwrap_or_default(),
                        _ => user.email.clone(),
                    };
                    (user, to)
                }
                _ => (user.clone(), user.email),
            };
            let link = links::make(tx, ctx, user.id, &to, action.kind()).await?;
            let told = users::event("user.link_made", &user).with("kind", action.kind().name());
            activity::append(tx, ctx, told).await?;
            Ok(LinkMade { user, link })
        }
        .scope_boxed()
    })
    .await
}

/// The account, waiting for this new address; the same one may be named twice, once for each confirmation.
async fn waiting_for(tx: &mut Tx, ctx: &Ctx, user: User, new_email: Option<&str>) -> Result<User> {
    let mut check = Check::new();
    let email = check.email("new_email", new_email.unwrap_or(""));
    check.done()?;
    let key = users::email_key(&email);
    if user.new_email_key.as_ref() == Some(&key) {
        return Ok(user);
    }
    if users::store::by_email(tx, &key).await?.is_some() {
        return Err(Error::conflict("email_taken"));
    }
    links::drop_email_changes_of(tx, ctx, user.id).await?;
    let user = User { new_email: Some(email), new_email_key: Some(key), new_email_confirmed: None, ..user };
    users::store::save_new_email(tx, &user).await?;
    Ok(user)
}
