//! Sign-up: accounts created by their owners, where the operator has enabled it.
use super::{
    Auth, RedirectContext,
    account::merge_metadata,
    links::LinkKind,
    mail_rate_limit::{self, MailPurpose},
    mail_request, passwords,
    sessions::{self, Session},
    tokens::{self, TokenGrant},
};
use crate::{
    accounts::users::{self, MailTimestamps, NewUser, ProtocolFields, Status, User},
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        validate::{LINE, Validator},
    },
    outbox::mails::{self, Kind},
    platform::activity,
};
use serde_json::{Map, Value};

/// Input of a sign-up. The metadata gives a name and nothing else (decision 18).
#[derive(Clone, Default)]
pub struct NewAccount {
    pub email: String,
    /// None for an account that signs in with magic links.
    pub password: Option<String>,
    pub data: Map<String, Value>,
    pub redirect: RedirectContext,
}

impl std::fmt::Debug for NewAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewAccount(hidden)")
    }
}

#[derive(Clone, Debug)]
pub enum SignUpOutcome {
    /// The address is confirmed automatically.
    Session(Box<TokenGrant>),
    /// A confirmation mail is queued.
    ConfirmationSent(Box<User>),
    /// The account exists: a mail tells its owner, the response does not.
    AlreadyRegistered,
}

/// Creates a client account and mails the confirmation. Anonymous callers, where sign-up is enabled.
///
/// # Errors
/// Forbidden `signup_disabled`; Invalid `email`, `password`, `data`; Conflict `user_already_exists` (only with
/// automatic confirmation), `over_email_send_rate_limit`; RateLimited when the hash queue is full.
#[tracing::instrument(level = "debug", name = "auth.sign_up", skip_all)]
pub async fn sign_up(ctx: &Ctx, auth: &Auth, new: NewAccount) -> Result<SignUpOutcome> {
    if !ctx.options.signup {
        return Err(Error::forbidden("signup_disabled"));
    }
    let mut check = Validator::new();
    let email = check.email("email", &new.email);
    check.finish()?;
    let metadata = merge_metadata(&Map::new(), &new.data)?;
    let (first_name, last_name) = derive_names(&metadata, &email);
    let password_hash = match &new.password {
        Some(password) => {
            let own = [first_name.as_str(), &last_name];
            passwords::validate(password, &email, &own, passwords::min_length(ctx).await?)
                .map_err(|problem| Error::field_with("password", problem))?;
            // Hashed for known addresses too: constant time.
            Some(passwords::hash(ctx, password.as_str()).await?)
        }
        None => None,
    };

    let active = ctx.options.autoconfirm;
    let account = &NewUser {
        status: if active { Status::Active } else { Status::Pending },
        password_hash,
        ..NewUser::new(Role::Client, first_name, last_name, email)
    };
    let extra =
        &ProtocolFields { metadata, awaits_confirmation: !active, self_made: true, ..ProtocolFields::default() };
    let redirect = &new.redirect;
    match ctx.transaction(|tx| insert_account(tx, ctx, account, extra, redirect).scope_boxed()).await? {
        Pending::Session(begun) => {
            let (user, session) = *begun;
            Ok(SignUpOutcome::Session(Box::new(tokens::grant(ctx, auth, user, session).await?)))
        }
        Pending::Answer(answer) => Ok(answer),
    }
}

/// [`sign_up`] within its transaction.
async fn insert_account(
    tx: &mut Tx,
    ctx: &Ctx,
    account: &NewUser,
    extra: &ProtocolFields,
    redirect: &RedirectContext,
) -> Result<Pending> {
    if let Some(known) = users::store::by_email(tx, &users::email_key(&account.email)).await? {
        return handle_existing(tx, ctx, known, redirect).await.map(Pending::Answer);
    }
    let user = users::insert_with_protocol_fields(tx, ctx, account.clone(), extra.clone()).await?;
    if user.status == Status::Active {
        let session = sessions::start(tx, ctx, &user, "password").await?;
        return Ok(Pending::Session(Box::new((user, session))));
    }
    mail_rate_limit::check_cooldown_and_quota(tx, ctx, MailPurpose::Signup, &user.email).await?;
    mail_request::queue_link_mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, redirect).await?;
    let user = User { mailed: user.mailed.with(LinkKind::Signup, ctx.now()), ..user };
    Ok(Pending::Answer(SignUpOutcome::ConfirmationSent(Box::new(user))))
}

/// Outcome of a sign-up before the tokens of a session are made.
enum Pending {
    Session(Box<(User, Session)>),
    Answer(SignUpOutcome),
}

async fn handle_existing(tx: &mut Tx, ctx: &Ctx, known: User, redirect: &RedirectContext) -> Result<SignUpOutcome> {
    if ctx.options.autoconfirm {
        return Err(Error::conflict("user_already_exists"));
    }
    mail_rate_limit::check_cooldown_and_quota(tx, ctx, MailPurpose::Signup, &known.email).await?;
    let user = users::store::lock(tx, known.id).await?.ok_or(Error::NotFound("user"))?;
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        // The cooldown has started for this account too, so that responses do not differ.
        return Ok(SignUpOutcome::AlreadyRegistered);
    }
    if user.status == Status::Pending && user.awaits_confirmation {
        mail_request::queue_link_mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, redirect).await?;
        // The caller is not authenticated: the existing metadata stays hidden.
        let mailed = MailTimestamps::default().with(LinkKind::Signup, ctx.now());
        let user = User { metadata: Map::new(), app_metadata: Map::new(), mailed, ..user };
        return Ok(SignUpOutcome::ConfirmationSent(Box::new(user)));
    }
    mails::queue(tx, ctx, Kind::AlreadyRegistered, user.id, None, Map::new()).await?;
    activity::append(tx, ctx, users::event("user.link_asked", &user).with("wanted", "signup")).await?;
    Ok(SignUpOutcome::AlreadyRegistered)
}

/// First and last name from the metadata, or from the address.
pub(super) fn derive_names(said: &Map<String, Value>, email: &str) -> (String, String) {
    let text = |name: &str| {
        let mut check = Validator::new();
        let value = check.optional_line(name, said.get(name).and_then(Value::as_str), LINE);
        check.finish().ok().and(value)
    };
    if let (Some(first), last) = (text("first_name"), text("last_name")) {
        return (first, last.unwrap_or_default());
    }
    if let Some(whole) = text("full_name").or_else(|| text("name")) {
        let (first, last) = whole.split_once(' ').unwrap_or((&whole, ""));
        return (first.to_owned(), last.trim().to_owned());
    }
    (email.split('@').next().unwrap_or(email).to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_come_from_metadata_or_address() {
        let of = |said: Value| derive_names(said.as_object().expect("an object"), "maya.ortiz@example.com");
        let pair = |first: &str, last: &str| (first.to_owned(), last.to_owned());
        assert_eq!(of(json!({ "first_name": "Maya", "last_name": "Ortiz" })), pair("Maya", "Ortiz"));
        assert_eq!(of(json!({ "full_name": "Maya Ortiz Ruiz" })), pair("Maya", "Ortiz Ruiz"));
        assert_eq!(of(json!({ "first_name": "\u{7}", "name": 5 })), pair("maya.ortiz", ""));
        assert_eq!(of(json!({})), pair("maya.ortiz", ""));
    }
}
