//! Attacks on sign-in and accounts: races, guessing, pre-registration. On both databases.
use chrono::Duration;
use domain::{
    Ctx, Error,
    accounts::{
        auth::{
            self, Auth, Keys, MailRequestKind, NewAccount, Purpose, RedirectContext, SignOutScope, SignUpOutcome,
            TokenGrant, UpdateAccount, VerificationInput, VerifyOutcome, factors,
            links::{self, LinkKind},
            mail_request, passwords, sessions,
        },
        mail_delivery,
        users::{self, User},
    },
    desk::people,
    kernel::{access::Role, db::Sql, page::PageQuery},
    outbox::mails,
    testing::{World, on_both},
};
use std::sync::Arc;
use totp_rs::{Builder, Secret};

const PASSWORD: &str = "correct horse battery";
const OTHER: &str = "another good one";

fn node() -> Auth {
    Auth::new(Keys::for_tests())
}

async fn user_with_password(world: &World, role: Role, first: &str) -> User {
    let user = world.user(role, first, None, None).await;
    let hash = passwords::hash(&world.operator(), PASSWORD).await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    users::set_password_hash(&mut tx, user.id, &hash, false).await.unwrap();
    tx.commit().await.unwrap();
    user
}

async fn sign_in(world: &World, auth: &Auth, email: &str, password: &str) -> Result<TokenGrant, Error> {
    auth::sign_in(&world.anonymous(), auth, email, password).await
}

/// The context of an access token, as a request holds it.
async fn ctx_of_token(world: &World, auth: &Auth, granted: &TokenGrant) -> Ctx {
    let who = auth::authenticate(auth, &world.db, &world.options, world.clock.now(), &granted.access_token).await;
    world.as_actor(domain::Actor::User(who.unwrap()))
}

async fn is_authenticated(world: &World, granted: &TokenGrant) -> bool {
    auth::authenticate(&node(), &world.db, &world.options, world.clock.now(), &granted.access_token).await.is_ok()
}

fn change(password: &str, current: Option<&str>) -> UpdateAccount {
    UpdateAccount {
        password: Some(password.to_owned()),
        current_password: current.map(str::to_owned),
        ..UpdateAccount::default()
    }
}

#[track_caller]
fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    match result.expect_err("is refused") {
        Error::Unauthenticated(p) | Error::Conflict(p) | Error::Forbidden(p) => p.code,
        Error::RateLimited(_) => "too_many",
        other => panic!("{other:?}"),
    }
}

async fn failure_reasons(world: &World) -> Vec<String> {
    let rows: Vec<(String,)> = world
        .db
        .clone()
        .sql("select cast(data as text) from activity where action = 'sign_in.failed' order by at, id")
        .all()
        .await
        .unwrap();
    rows.into_iter()
        .map(|(data,)| serde_json::from_str::<serde_json::Value>(&data).unwrap()["reason"].as_str().unwrap().to_owned())
        .collect()
}

/// An authenticator app.
struct Phone {
    id: domain::kernel::ids::FactorId,
    secret: String,
}

impl Phone {
    async fn enrolled(ctx: &Ctx, auth: &Auth, name: &str) -> Result<Self, Error> {
        let made = factors::enroll(ctx, auth, Some(name), None).await?;
        Ok(Self { id: made.factor.id, secret: made.secret })
    }

    fn code(&self, ctx: &Ctx) -> String {
        let totp = Builder::new().with_secret(Secret::try_from_base32(&self.secret).unwrap()).build().unwrap();
        totp.generate(u64::try_from(ctx.now().timestamp()).unwrap()).to_string()
    }

    async fn prove(&self, ctx: &Ctx, auth: &Auth) -> Result<TokenGrant, Error> {
        let challenge = factors::challenge(ctx, self.id).await?;
        factors::verify(ctx, auth, self.id, challenge.id, &self.code(ctx)).await
    }
}

#[tokio::test]
async fn ended_session_cannot_set_a_password() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = ctx_of_token(&world, &auth, &granted).await;
        sessions::end(&world.operator(), granted.session.id).await.unwrap();
        assert_eq!(code(auth::update_user(&thief, &auth, &change(OTHER, Some(PASSWORD))).await), "session_not_found");
        sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn concurrent_password_changes_succeed_once() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let me = ctx_of_token(&world, &auth, &granted).await;
        let new_passwords: Vec<String> = (0..4).map(|n| format!("another good one, number {n}")).collect();
        let changes = new_passwords.iter().map(|new| {
            let (me, auth, change) = (me.clone(), auth.clone(), change(new, Some(PASSWORD)));
            async move { auth::update_user(&me, &auth, &change).await }
        });
        let done = futures::future::join_all(changes).await;
        let winners: Vec<_> =
            new_passwords.iter().zip(&done).filter(|(_, done)| done.is_ok()).map(|(new, _)| new).collect();
        assert_eq!(winners.len(), 1, "{done:?}");
        for refused in done.into_iter().filter(Result::is_err) {
            assert_eq!(code(refused), "current_password_invalid");
        }
        sign_in(&world, &auth, "maya@example.com", winners[0]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn current_password_guesses_in_a_session_are_throttled() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = ctx_of_token(&world, &auth, &granted).await;
        // `same_password` would confirm a guess.
        assert_eq!(code(auth::update_user(&thief, &auth, &change(PASSWORD, None)).await), "current_password_required");
        let nonce = UpdateAccount { nonce: Some("000000".to_owned()), ..change(PASSWORD, None) };
        assert_eq!(code(auth::update_user(&thief, &auth, &nonce).await), "reauthentication_not_valid");
        for _ in 0..5 {
            let guess = change(PASSWORD, Some("guess guess guess"));
            assert_eq!(code(auth::update_user(&thief, &auth, &guess).await), "current_password_invalid");
        }
        let right = change(OTHER, Some(PASSWORD));
        assert_eq!(code(auth::update_user(&thief, &auth, &right).await), "too_many");
        let logged = failure_reasons(&world).await;
        assert_eq!(logged.iter().filter(|reason| *reason == "wrong_current_password").count(), 5);
        assert_eq!(logged.iter().filter(|reason| *reason == "wrong_mailed_code").count(), 1);
        world.clock.advance(Duration::seconds(1));
        auth::update_user(&thief, &auth, &right).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn second_authenticator_needs_aal2() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let stolen = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        // Both requests started before there was a factor.
        let (owner, thief) = (ctx_of_token(&world, &auth, &granted).await, ctx_of_token(&world, &auth, &stolen).await);
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        let theirs = Phone::enrolled(&thief, &auth, "Theirs").await.unwrap();
        let raised = phone.prove(&owner, &auth).await.unwrap();
        assert_eq!(
            code(theirs.prove(&thief, &auth).await.map(drop)),
            "mfa_factor_not_found",
            "removed with the first factor"
        );
        assert_eq!(code(Phone::enrolled(&thief, &auth, "Again").await.map(|_| ())), "insufficient_aal");
        assert!(is_authenticated(&world, &raised).await && !is_authenticated(&world, &stolen).await);
    })
    .await;
}

#[tokio::test]
async fn other_sessions_are_ended_at_aal2_only() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let owner = ctx_of_token(&world, &auth, &granted).await;
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        let raised = phone.prove(&owner, &auth).await.unwrap();
        let thief = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief_ctx = ctx_of_token(&world, &auth, &thief).await;
        // Not even in part.
        for which in [SignOutScope::Others, SignOutScope::Global] {
            assert_eq!(code(auth::sign_out(&thief_ctx, &auth, which).await), "insufficient_aal", "{which:?}");
            assert!(is_authenticated(&world, &raised).await && is_authenticated(&world, &thief).await);
        }
        auth::sign_out(&thief_ctx, &auth, SignOutScope::Local).await.unwrap();
        assert!(is_authenticated(&world, &raised).await && !is_authenticated(&world, &thief).await);
    })
    .await;
}

/// The attacker knows the password and fails codes in one network; the owner is in another.
#[tokio::test]
async fn wrong_codes_from_one_network_do_not_block_the_owner() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let at = |ctx: &Ctx, address: &str| Ctx {
            origin: domain::Origin { address: Some(address.to_owned()), user_agent: None },
            ..ctx.clone()
        };
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let owner = at(&ctx_of_token(&world, &auth, &granted).await, "192.0.2.1");
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        phone.prove(&owner, &auth).await.unwrap();
        world.clock.advance(Duration::minutes(1));
        let thief = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = at(&ctx_of_token(&world, &auth, &thief).await, "198.51.100.1");
        let challenge = factors::challenge(&thief, phone.id).await.unwrap();
        let mut answers = Vec::new();
        for _ in 0..7 {
            answers.push(code(factors::verify(&thief, &auth, phone.id, challenge.id, "abcdef").await));
        }
        assert_eq!(answers.last(), Some(&"too_many"));
        let mine = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        phone.prove(&at(&ctx_of_token(&world, &auth, &mine).await, "192.0.2.1"), &auth).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn refresh_of_a_locked_session_returns_conflict() {
    on_both(async |world: World| {
        let auth = node();
        user_with_password(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update sessions set id = id where id = $1").bind(granted.session.id).run().await.unwrap();
        let refused = auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await;
        assert!(matches!(&refused, Err(Error::Conflict(problem)) if problem.code == "conflict"), "{refused:?}");
        drop(tx);
        auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await.unwrap();
    })
    .await;
}

/// All mails but the news of changes to the account.
async fn mailed(world: &World) -> Vec<mails::Mail> {
    let page = PageQuery { limit: Some(100), cursor: None };
    let mails = mails::list(&world.operator(), None, &page).await.unwrap().items;
    mails.into_iter().filter(|mail| mail.kind != mails::Kind::SecurityNotice).collect()
}

#[tokio::test]
async fn recovery_mail_is_not_sent_to_a_former_address() {
    on_both(async |world: World| {
        let auth = node();
        let maya = user_with_password(&world, Role::Employee, "maya").await;
        let job = mail_request::SendAuthMailJob {
            kind: MailRequestKind::Recovery,
            email: maya.email.clone(),
            redirect: RedirectContext::default(),
            origin: domain::Origin::default(),
        };
        mail_request::handle_mail_request(&world.as_actor(domain::Actor::System("mails")), &job).await.unwrap();
        // The address changes before the mail is sent.
        let moved = auth::admin::Update { email: Some("maya@example.org".to_owned()), ..Default::default() };
        people::update_by_admin(&world.operator(), &auth, maya.id, moved).await.unwrap();
        let mail = mailed(&world).await.pop().unwrap();
        assert!(mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap().is_none());
        let mail = mails::get(&world.operator(), mail.id).await.unwrap();
        assert_eq!(
            (mail.status, mail.last_error.as_deref()),
            (mails::Status::Failed, Some("the account has another address by now"))
        );

        // Confirmations go to both addresses, and to neither after a cancellation.
        let granted = sign_in(&world, &auth, "maya@example.org", PASSWORD).await.unwrap();
        let me = ctx_of_token(&world, &auth, &granted).await;
        let email_change = |email: &str| UpdateAccount { email: Some(email.to_owned()), ..UpdateAccount::default() };
        auth::update_user(&me, &auth, &email_change("Maya@Example.net")).await.unwrap();
        let queued: Vec<_> = mailed(&world).await.into_iter().filter(|m| m.status == mails::Status::Queued).collect();
        assert_eq!(queued.len(), 2);
        for mail in &queued {
            assert!(
                mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap().is_some(),
                "{}",
                mail.to_email
            );
        }
        auth::update_user(&me, &auth, &email_change("maya@example.org")).await.unwrap();
        for mail in &queued {
            assert!(
                mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap().is_none(),
                "{}",
                mail.to_email
            );
        }
    })
    .await;
}

/// Pre-registration: an attacker signs up with another person's address and waits.
#[tokio::test]
async fn sign_up_password_is_dropped_when_the_address_is_proved_otherwise() {
    on_both(async |mut world: World| {
        world.options = Arc::new(domain::Options { signup: true, ..(*world.options).clone() });
        let auth = node();
        for (kind, purpose) in [
            (LinkKind::Recovery, Purpose::Recovery),
            (LinkKind::Magiclink, Purpose::Magiclink),
            (LinkKind::Invite, Purpose::Invite),
        ] {
            let email = format!("{}@example.com", kind.name());
            let new = NewAccount { email: email.clone(), password: Some(PASSWORD.to_owned()), ..Default::default() };
            let SignUpOutcome::ConfirmationSent(user) = auth::sign_up(&world.anonymous(), &auth, new).await.unwrap()
            else {
                panic!("the address needs confirmation")
            };
            let mut tx = world.db.begin().await.unwrap();
            let made = links::issue(&mut tx, &world.operator(), user.id, &email, kind).await.unwrap();
            tx.commit().await.unwrap();
            let came = people::verify(&world.anonymous(), &auth, purpose, &VerificationInput::Token(made.token), false)
                .await
                .unwrap();
            let VerifyOutcome::Session(owner) = came else { panic!("a session") };
            assert_eq!(code(sign_in(&world, &auth, &email, PASSWORD).await), "invalid_credentials", "{email}");
            let owner = ctx_of_token(&world, &auth, &owner).await;
            auth::update_user(&owner, &auth, &change(OTHER, None)).await.unwrap();
            sign_in(&world, &auth, &email, OTHER).await.unwrap();
        }
    })
    .await;
}
