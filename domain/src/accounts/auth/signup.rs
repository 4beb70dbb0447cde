//! Accounts that people make themselves: only where the operator has switched it on.
use super::{
    Auth, Way,
    account::merged,
    asked,
    gaps::{self, Gap},
    links::LinkKind,
    passwords,
    sessions::{self, Session},
    tokens::{self, Granted},
};
use crate::{
    accounts::users::{self, Extra, Mailed, NewUser, Status, User},
    kernel::{
        access::Role,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        i18n::LANGUAGES,
        validate::{Check, LINE},
    },
    outbox::mails::{self, Kind},
    platform::activity,
};
use serde_json::{Map, Value};

/// An account as its owner wants it. What they say of themselves gives a name and nothing else (decision 18).
#[derive(Clone, Default)]
pub struct NewAccount {
    pub email: String,
    /// None for an account that is signed in to by links.
    pub password: Option<String>,
    pub data: Map<String, Value>,
    pub way: Way,
}

impl std::fmt::Debug for NewAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewAccount(hidden)")
    }
}

#[derive(Clone, Debug)]
pub enum SignedUp {
    /// The address is believed.
    Session(Box<Granted>),
    /// A mail asks for the confirmation.
    Waiting(Box<User>),
    /// There is an account already: its owner was written to, and nobody else is told.
    Known,
}

/// Makes an account of a client. Anybody, where it is switched on.
///
/// # Errors
/// Forbidden `signup_disabled`; Invalid `email`, `password`, `data`; Conflict `user_already_exists` (only where
/// addresses are believed anyway), `over_email_send_rate_limit`; TooMany when the machine is busy with sign-ins.
pub async fn sign_up(ctx: &Ctx, auth: &Auth, new: NewAccount) -> Result<SignedUp> {
    if !ctx.options.signup {
        return Err(Error::forbidden("signup_disabled"));
    }
    let mut check = Check::new();
    let email = check.email("email", &new.email);
    check.done()?;
    let metadata = merged(&Map::new(), &new.data)?;
    let (first_name, last_name) = names(&metadata, &email);
    let password_hash = match &new.password {
        Some(password) => {
            let own = [first_name.as_str(), &last_name];
            passwords::rules(password, &email, &own, passwords::shortest(ctx).await?)
                .map_err(|problem| Error::field_with("password", problem))?;
            // For a known address too: it must take as long.
            Some(passwords::hash(ctx, password.as_str()).await?)
        }
        None => None,
    };

    let open = ctx.options.autoconfirm;
    let account = &NewUser {
        role: Role::Client,
        status: if open { Status::Active } else { Status::Pending },
        first_name,
        last_name,
        email,
        phone: None,
        address: None,
        company_id: None,
        iso_id: None,
        password_hash,
        must_change_password: false,
        language: LANGUAGES[0].to_owned(),
    };
    let extra = &Extra { metadata, awaits_confirmation: !open, self_made: true, ..Extra::default() };
    let way = &new.way;
    let made = ctx.transaction(|tx| {
        async move {
            if let Some(known) = users::store::by_email(tx, &users::email_key(&account.email)).await? {
                return known_already(tx, ctx, known, way).await.map(Outcome::Answer);
            }
            let user = users::insert_with(tx, ctx, account.clone(), extra.clone()).await?;
            if open {
                let session = sessions::start(tx, ctx, &user, "password").await?;
                return Ok(Outcome::Session(Box::new((user, session))));
            }
            gaps::pass(tx, ctx, Gap::Signup, &user.email).await?;
            asked::mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, way).await?;
            let user = User { mailed: user.mailed.with(LinkKind::Signup, ctx.now()), ..user };
            Ok(Outcome::Answer(SignedUp::Waiting(Box::new(user))))
        }
        .scope_boxed()
    });
    match made.await? {
        Outcome::Session(begun) => {
            let (user, session) = *begun;
            Ok(SignedUp::Session(Box::new(tokens::grant(ctx, auth, user, session).await?)))
        }
        Outcome::Answer(answer) => Ok(answer),
    }
}

/// What a sign-up has made, before the tokens of a session are.
enum Outcome {
    Session(Box<(User, Session)>),
    Answer(SignedUp),
}

async fn known_already(tx: &mut Tx, ctx: &Ctx, known: User, way: &Way) -> Result<SignedUp> {
    if ctx.options.autoconfirm {
        return Err(Error::conflict("user_already_exists"));
    }
    gaps::pass(tx, ctx, Gap::Signup, &known.email).await?;
    let user = users::store::lock(tx, known.id).await?.ok_or(Error::NotFound("user"))?;
    if !users::is_welcome(tx, &user, ctx.now()).await? {
        // The pause counts here too: without it, such an account would be told from others.
        return Ok(SignedUp::Known);
    }
    if user.status == Status::Pending && user.awaits_confirmation {
        asked::mail(tx, ctx, &user, Kind::ConfirmSignup, LinkKind::Signup, way).await?;
        // Whoever asks is nobody yet: not even what the first one said of themselves is told.
        let mailed = Mailed::default().with(LinkKind::Signup, ctx.now());
        let user = User { metadata: Map::new(), app_metadata: Map::new(), mailed, ..user };
        return Ok(SignedUp::Waiting(Box::new(user)));
    }
    mails::queue(tx, ctx, Kind::AlreadyRegistered, user.id, None, Map::new()).await?;
    activity::append(tx, ctx, users::event("user.link_asked", &user).with("wanted", "signup")).await?;
    Ok(SignedUp::Known)
}

/// What to call somebody who made the account over the protocol; the address says it where they do not.
pub(super) fn names(said: &Map<String, Value>, email: &str) -> (String, String) {
    let text = |name: &str| {
        let mut check = Check::new();
        let value = check.optional_line(name, said.get(name).and_then(Value::as_str), LINE);
        check.done().ok().and(value)
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
    fn a_name_comes_from_what_is_said_or_from_the_address() {
        let of = |said: Value| names(said.as_object().expect("an object"), "maya.ortiz@example.com");
        let pair = |first: &str, last: &str| (first.to_owned(), last.to_owned());
        assert_eq!(of(json!({ "first_name": "Maya", "last_name": "Ortiz" })), pair("Maya", "Ortiz"));
        assert_eq!(of(json!({ "full_name": "Maya Ortiz Ruiz" })), pair("Maya", "Ortiz Ruiz"));
        assert_eq!(of(json!({ "first_name": "\u{7}", "name": 5 })), pair("maya.ortiz", ""));
        assert_eq!(of(json!({})), pair("maya.ortiz", ""));
    }
}
