//! What somebody who means harm tries at the sign-in: being a moment early or late, guessing, and acting on an account
//! that is not theirs yet. On both databases.
use chrono::Duration;
use domain::{
    Ctx, Error,
    accounts::{
        auth::{
            self, Auth, Came, Change, Granted, Keys, NewAccount, Purpose, SignedUp, Ticket, Wanted, Way, Which, asked,
            factors,
            links::{self, LinkKind},
            passwords, sessions,
        },
        mail_delivery,
        users::{self, User},
    },
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

async fn person(world: &World, role: Role, first: &str) -> User {
    let user = world.user(role, first, None, None).await;
    let hash = passwords::hash(&world.operator(), PASSWORD).await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    users::store::save_password(&mut tx, user.id, &hash, false).await.unwrap();
    tx.commit().await.unwrap();
    user
}

async fn sign_in(world: &World, auth: &Auth, email: &str, password: &str) -> Result<Granted, Error> {
    auth::sign_in(&world.nobody(), auth, email, password).await
}

/// The context of whoever holds this access token: a request on its way keeps it, whatever happens meanwhile.
async fn holder(world: &World, auth: &Auth, granted: &Granted) -> Ctx {
    let who = auth::authenticate(auth, &world.db, &world.options, world.clock.now(), &granted.access_token).await;
    world.as_actor(domain::Actor::User(who.unwrap()))
}

async fn is_alive(world: &World, granted: &Granted) -> bool {
    auth::authenticate(&node(), &world.db, &world.options, world.clock.now(), &granted.access_token).await.is_ok()
}

fn change(password: &str, current: Option<&str>) -> Change {
    Change { password: Some(password.to_owned()), current_password: current.map(str::to_owned), ..Change::default() }
}

#[track_caller]
fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    match result.expect_err("is refused") {
        Error::Unauthenticated(p) | Error::Conflict(p) | Error::Forbidden(p) => p.code,
        Error::TooMany(_) => "too_many",
        other => panic!("{other:?}"),
    }
}

async fn reasons(world: &World) -> Vec<String> {
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

/// An authenticator, and how it is shown.
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

    async fn shown(&self, ctx: &Ctx, auth: &Auth) -> Result<Granted, Error> {
        let challenge = factors::challenge(ctx, self.id).await?;
        factors::verify(ctx, auth, self.id, challenge.id, &self.code(ctx)).await
    }
}

#[tokio::test]
async fn a_session_that_has_just_ended_sets_no_password() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = holder(&world, &auth, &granted).await;
        sessions::end(&world.operator(), granted.session.id).await.unwrap();
        assert_eq!(code(auth::update_user(&thief, &auth, &change(OTHER, Some(PASSWORD))).await), "session_not_found");
        sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn of_several_who_change_one_password_at_once_one_does() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let me = holder(&world, &auth, &granted).await;
        let wanted: Vec<String> = (0..4).map(|n| format!("another good one, number {n}")).collect();
        let changes = wanted.iter().map(|new| {
            let (me, auth, change) = (me.clone(), auth.clone(), change(new, Some(PASSWORD)));
            async move { auth::update_user(&me, &auth, &change).await }
        });
        let done = futures::future::join_all(changes).await;
        let winners: Vec<_> = wanted.iter().zip(&done).filter(|(_, done)| done.is_ok()).map(|(new, _)| new).collect();
        assert_eq!(winners.len(), 1, "{done:?}");
        for refused in done.into_iter().filter(Result::is_err) {
            assert_eq!(code(refused), "current_password_invalid");
        }
        sign_in(&world, &auth, "maya@example.com", winners[0]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn whoever_has_a_session_does_not_guess_the_password_with_it() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = holder(&world, &auth, &granted).await;
        // "The same password" would say that a guess is right.
        assert_eq!(code(auth::update_user(&thief, &auth, &change(PASSWORD, None)).await), "current_password_required");
        let nonce = Change { nonce: Some("000000".to_owned()), ..change(PASSWORD, None) };
        assert_eq!(code(auth::update_user(&thief, &auth, &nonce).await), "reauthentication_not_valid");
        for _ in 0..5 {
            let guess = change(PASSWORD, Some("guess guess guess"));
            assert_eq!(code(auth::update_user(&thief, &auth, &guess).await), "current_password_invalid");
        }
        let right = change(OTHER, Some(PASSWORD));
        assert_eq!(code(auth::update_user(&thief, &auth, &right).await), "too_many");
        let told = reasons(&world).await;
        assert_eq!(told.iter().filter(|reason| *reason == "wrong_current_password").count(), 5);
        assert_eq!(told.iter().filter(|reason| *reason == "wrong_mailed_code").count(), 1);
        world.clock.advance(Duration::seconds(1));
        auth::update_user(&thief, &auth, &right).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn no_second_authenticator_comes_in_beside_the_first() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let stolen = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        // Both requests were let in before there was any factor.
        let (owner, thief) = (holder(&world, &auth, &granted).await, holder(&world, &auth, &stolen).await);
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        let theirs = Phone::enrolled(&thief, &auth, "Theirs").await.unwrap();
        let raised = phone.shown(&owner, &auth).await.unwrap();
        assert_eq!(code(theirs.shown(&thief, &auth).await.map(drop)), "mfa_factor_not_found", "gone with the first");
        assert_eq!(code(Phone::enrolled(&thief, &auth, "Again").await.map(|_| ())), "insufficient_aal");
        assert!(is_alive(&world, &raised).await && !is_alive(&world, &stolen).await);
    })
    .await;
}

#[tokio::test]
async fn a_password_alone_signs_nobody_else_out() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let owner = holder(&world, &auth, &granted).await;
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        let raised = phone.shown(&owner, &auth).await.unwrap();
        let thief = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thiefs = holder(&world, &auth, &thief).await;
        // Not even in part: whoever asks would be told that all had ended.
        for which in [Which::Others, Which::Global] {
            assert_eq!(code(auth::sign_out(&thiefs, &auth, which).await), "insufficient_aal", "{which:?}");
            assert!(is_alive(&world, &raised).await && is_alive(&world, &thief).await);
        }
        auth::sign_out(&thiefs, &auth, Which::Local).await.unwrap();
        assert!(is_alive(&world, &raised).await && !is_alive(&world, &thief).await);
    })
    .await;
}

/// Whoever knows the password fails codes from one place; the owner is at another.
#[tokio::test]
async fn wrong_codes_from_one_place_do_not_keep_the_owner_out() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let at = |ctx: &Ctx, address: &str| Ctx {
            origin: domain::Origin { address: Some(address.to_owned()), user_agent: None },
            ..ctx.clone()
        };
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let owner = at(&holder(&world, &auth, &granted).await, "192.0.2.1");
        let phone = Phone::enrolled(&owner, &auth, "Phone").await.unwrap();
        phone.shown(&owner, &auth).await.unwrap();
        world.clock.advance(Duration::minutes(1));
        let thief = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let thief = at(&holder(&world, &auth, &thief).await, "198.51.100.1");
        let challenge = factors::challenge(&thief, phone.id).await.unwrap();
        let mut answers = Vec::new();
        for _ in 0..7 {
            answers.push(code(factors::verify(&thief, &auth, phone.id, challenge.id, "abcdef").await));
        }
        assert_eq!(answers.last(), Some(&"too_many"));
        let mine = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        phone.shown(&at(&holder(&world, &auth, &mine).await, "192.0.2.1"), &auth).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_refresh_that_cannot_get_at_its_session_is_told_so() {
    on_both(async |world: World| {
        let auth = node();
        person(&world, Role::Employee, "maya").await;
        let granted = sign_in(&world, &auth, "maya@example.com", PASSWORD).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update sessions set id = id where id = $1").bind(granted.session.id).run().await.unwrap();
        let refused = auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await;
        assert!(matches!(&refused, Err(Error::Conflict(problem)) if problem.code == "conflict"), "{refused:?}");
        drop(tx);
        auth::refresh(&world.nobody(), &auth, &granted.refresh_token).await.unwrap();
    })
    .await;
}

async fn mailed(world: &World) -> Vec<mails::Mail> {
    let page = PageQuery { limit: Some(100), cursor: None };
    mails::list(&world.operator(), None, &page).await.unwrap().items
}

#[tokio::test]
async fn a_mail_does_not_go_to_an_address_that_was_given_up() {
    on_both(async |world: World| {
        let auth = node();
        let maya = person(&world, Role::Employee, "maya").await;
        let asked = asked::Asked {
            wanted: Wanted::Recovery,
            email: maya.email.clone(),
            way: Way::default(),
            origin: domain::Origin::default(),
        };
        asked::answer(&world.as_actor(domain::Actor::System("mails")), &asked).await.unwrap();
        // Before it is sent, the address becomes another one; whoever reads the old mailbox now gets no link.
        let moved = auth::admin::Update { email: Some("maya@example.org".to_owned()), ..Default::default() };
        auth::admin::update(&world.operator(), &auth, maya.id, moved).await.unwrap();
        let mail = mailed(&world).await.pop().unwrap();
        assert!(mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap().is_none());
        let mail = mails::get(&world.operator(), mail.id).await.unwrap();
        assert_eq!(
            (mail.status, mail.last_error.as_deref()),
            (mails::Status::Failed, Some("the account has another address by now"))
        );

        // The confirmations of a change go to both, and to neither once it was taken back.
        let granted = sign_in(&world, &auth, "maya@example.org", PASSWORD).await.unwrap();
        let me = holder(&world, &auth, &granted).await;
        let wanted = |email: &str| Change { email: Some(email.to_owned()), ..Change::default() };
        auth::update_user(&me, &auth, &wanted("Maya@Example.net")).await.unwrap();
        let queued: Vec<_> = mailed(&world).await.into_iter().filter(|m| m.status == mails::Status::Queued).collect();
        assert_eq!(queued.len(), 2);
        for mail in &queued {
            assert!(
                mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap().is_some(),
                "{}",
                mail.to_email
            );
        }
        auth::update_user(&me, &auth, &wanted("maya@example.org")).await.unwrap();
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

/// Somebody signs up with an address that is another's, and waits for its owner.
#[tokio::test]
async fn a_password_of_whoever_came_first_opens_nothing_to_them_later() {
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
            let SignedUp::Waiting(user) = auth::sign_up(&world.nobody(), &auth, new).await.unwrap() else {
                panic!("the address is to be confirmed")
            };
            let mut tx = world.db.begin().await.unwrap();
            let made = links::make(&mut tx, &world.operator(), user.id, &email, kind).await.unwrap();
            tx.commit().await.unwrap();
            let came = auth::verify(&world.nobody(), &auth, purpose, &Ticket::Token(made.token), false).await.unwrap();
            let Came::Session(owner) = came else { panic!("a session") };
            assert_eq!(code(sign_in(&world, &auth, &email, PASSWORD).await), "invalid_credentials", "{email}");
            let owner = holder(&world, &auth, &owner).await;
            auth::update_user(&owner, &auth, &change(OTHER, None)).await.unwrap();
            sign_in(&world, &auth, &email, OTHER).await.unwrap();
        }
    })
    .await;
}
