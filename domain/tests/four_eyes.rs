//! Four eyes: payouts above a limit, new super admins, key rotation and changes of the rule wait for a second super admin.
use chrono::Duration;
use domain::{
    Actor, Ctx, Error,
    accounts::{
        auth::{
            Keys,
            admin::{self, CreateAccount, LinkAction, Update},
            keys,
        },
        users::{self, User},
    },
    desk::{approvals::approve, people},
    kernel::{
        access::{Role, SignedIn},
        ids::{ApprovalId, PayoutRunId, UserId},
        money::Currency,
        page::PageQuery,
    },
    orders::{
        commissions::{self, Filter, RunStatus},
        spvs, steps,
    },
    outbox::notifications,
    platform::{
        activity,
        approvals::{self, Approval, Status},
        settings::{self, FourEyes, Settings},
    },
    testing::{World, code, on_both},
};
use std::sync::Arc;

fn four_eyes(limit: Option<&str>) -> FourEyes {
    FourEyes { enabled: Some(true), payout_limit: limit.map(str::to_owned), payout_currency: None }
}

async fn set_rule(ctx: &Ctx, rule: FourEyes) -> Result<Settings, Error> {
    settings::set(ctx, |now| Settings { four_eyes: rule, ..now }).await
}

/// Sam, Susan, and four eyes switched on.
async fn super_admins(world: &World, limit: Option<&str>) -> (Ctx, Ctx) {
    let both = (world.super_admin("Sam").await, world.super_admin("Susan").await);
    set_rule(&both.0, four_eyes(limit)).await.unwrap();
    both
}

/// An open run over 50.00 USD.
async fn run_of_fifty(world: &World, first: &str) -> PayoutRunId {
    let operator = world.operator();
    let company = world.company(&format!("Company {first}")).await;
    let (iso, _) = world.iso(&format!("Iso{first}"), company).await;
    let (_, spv, _) = world.client(&format!("Client{first}"), company, Some(iso)).await;
    let ids: Vec<_> = spvs::get(&operator, spv).await.unwrap().steps.iter().map(|step| step.id).collect();
    steps::complete(&operator, spv, None, &ids).await.unwrap();
    let rows = commissions::list(&operator, &Filter::default(), &PageQuery::default()).await.unwrap().items;
    let rows: Vec<_> = rows.iter().filter(|row| row.spv_id == spv).map(|row| row.id).collect();
    commissions::approve(&operator, &rows).await.unwrap();
    commissions::open(&operator).await.unwrap().run.id
}

async fn status_of(world: &World, run: PayoutRunId) -> RunStatus {
    commissions::run(&world.operator(), run).await.unwrap().run.status
}

/// The approval that an act waits for.
#[track_caller]
fn waiting<T>(result: Result<T, Error>) -> ApprovalId {
    match result.map(drop) {
        Err(Error::Conflict(problem)) if problem.code == "approval_pending" => {
            problem.params["approval_id"].as_str().unwrap().parse().unwrap()
        }
        other => panic!("it does not wait: {other:?}"),
    }
}

#[track_caller]
fn refused<T>(result: Result<T, Error>) -> String {
    code(&result.map(drop).unwrap_err())
}

/// The same person with another last proof.
fn with_proof(ctx: &Ctx, age: Duration) -> Ctx {
    let Actor::User(me) = &ctx.actor else { panic!("a user") };
    let proven_at = Some((ctx.now() - age).timestamp());
    ctx.acting_as(Actor::User(Arc::new(SignedIn { proven_at, ..(**me).clone() })))
}

fn id(ctx: &Ctx) -> UserId {
    ctx.actor.user_id().unwrap()
}

async fn user(world: &World, id: UserId) -> User {
    users::get(&world.operator(), id).await.unwrap()
}

/// Whether the payment of a run waits, and what may be done with the run.
async fn offered(ctx: &Ctx, run: PayoutRunId) -> (bool, Vec<&'static str>) {
    let listed = commissions::runs(ctx, &PageQuery::default()).await.unwrap().items;
    let listed = listed.into_iter().find(|detail| detail.run.id == run).unwrap();
    let found = commissions::run(ctx, run).await.unwrap();
    assert_eq!(listed.awaits_approval, found.awaits_approval);
    (found.awaits_approval, commissions::can_run(ctx, &found))
}

async fn pending(world: &World) -> Vec<Approval> {
    approvals::list(&world.operator(), Some(Status::Pending), &PageQuery::default()).await.unwrap().items
}

/// Actions about an approval, newest first, with their actors.
async fn log(world: &World, approval: ApprovalId) -> Vec<(String, String)> {
    activity::sequence_all(&world.operator()).await.unwrap();
    let filter = activity::Filter { subject_id: Some(approval.0), ..activity::Filter::default() };
    let rows = activity::list(&world.operator(), &filter, &PageQuery::default()).await.unwrap().items;
    rows.into_iter().map(|row| (row.action, row.actor_name)).collect()
}

#[tokio::test]
async fn payout_above_the_limit_waits_for_a_second_super_admin() {
    on_both(async |world| {
        let off = run_of_fifty(&world, "A").await;
        let (sam, susan) = (world.super_admin("Sam").await, world.super_admin("Susan").await);
        commissions::pay(&sam, off, None, None).await.unwrap();
        let (sam, susan) = a_day_later(&world, &sam, &susan).await;

        set_rule(&sam, four_eyes(Some("50"))).await.unwrap();
        let at_the_limit = run_of_fifty(&world, "B").await;
        commissions::pay(&sam, at_the_limit, None, None).await.unwrap();

        // The operator sets a lower limit alone.
        set_rule(&world.operator(), four_eyes(Some("49.99"))).await.unwrap();
        let run = run_of_fifty(&world, "C").await;
        let asked = waiting(commissions::pay(&sam, run, None, Some("2026-11-20")).await);
        assert_eq!(status_of(&world, run).await, RunStatus::Open);
        assert_eq!(offered(&world.employee("Erin").await, run).await, (true, vec!["bank", "discard"]));
        assert_eq!(offered(&world.as_actor(Actor::Service), run).await, (true, vec!["bank", "pay", "discard"]));
        let found = approvals::get(&susan, asked).await.unwrap();
        assert_eq!((found.requester.as_str(), found.status, found.version), ("Sam Test", Status::Pending, 1));

        let approved = approve(&susan, asked, Some(1), None).await.unwrap();
        assert_eq!((approved.status, approved.decider.as_deref()), (Status::Approved, Some("Susan Test")));
        let paid = commissions::run(&sam, run).await.unwrap().run;
        assert_eq!((paid.status, paid.paid_date), (RunStatus::Paid, "2026-11-20".parse().ok()));
        assert_eq!(
            log(&world, asked).await,
            [
                ("approval.approved".to_owned(), "Susan Test".to_owned()),
                ("approval.requested".to_owned(), "Sam Test".to_owned())
            ]
        );
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_ended");
    })
    .await;
}

/// Both signed in again, after the period whose payouts count together.
async fn a_day_later(world: &World, sam: &Ctx, susan: &Ctx) -> (Ctx, Ctx) {
    world.clock.advance(Duration::hours(25));
    (world.signed_in(&user(world, id(sam)).await), world.signed_in(&user(world, id(susan)).await))
}

#[tokio::test]
async fn payouts_of_a_day_count_together_against_the_limit() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, Some("70")).await;
        let elias = world.employee("Elias").await;
        commissions::pay(&elias, run_of_fifty(&world, "A").await, None, None).await.unwrap();
        let second = run_of_fifty(&world, "B").await;
        let asked = waiting(commissions::pay(&elias, second, None, None).await);
        // Who asked sees it, also in the list, and other employees do not.
        let own = approvals::list(&elias, None, &PageQuery::default()).await.unwrap().items;
        assert_eq!(own.iter().map(|approval| approval.id).collect::<Vec<_>>(), [asked]);
        let other = world.employee("Erin").await;
        assert_eq!(approvals::list(&other, None, &PageQuery::default()).await.unwrap().items, []);
        assert_eq!(refused(approvals::get(&other, asked).await), "not_found");
        // On another day it is another request.
        assert_eq!(refused(commissions::pay(&elias, second, None, Some("2026-11-20")).await), "approval_waits_own");
        approve(&susan, asked, None, None).await.unwrap();

        let (sam, susan) = a_day_later(&world, &sam, &susan).await;
        let third = run_of_fifty(&world, "C").await;
        commissions::pay(&sam, third, None, None).await.unwrap();
        let asked = waiting(commissions::pay(&sam, run_of_fifty(&world, "D").await, None, None).await);
        approve(&susan, asked, None, None).await.unwrap();
        // What was approved does not count: 50 and 20 are the limit.
        set_rule(&world.operator(), four_eyes(Some("100"))).await.unwrap();
        commissions::pay(&sam, run_of_fifty(&world, "E").await, None, None).await.unwrap();

        // Who left the staff does not see it any more.
        let elias = world.signed_in(&user(&world, id(&elias)).await);
        let asked = waiting(commissions::pay(&elias, run_of_fifty(&world, "F").await, None, None).await);
        let company = world.company("Acme").await;
        people::set_role(&world.operator(), id(&elias), Role::Client, Some(company), None, None).await.unwrap();
        let client = world.signed_in(&user(&world, id(&elias)).await);
        assert_eq!(refused(approvals::get(&client, asked).await), "not_found");
    })
    .await;
}

#[tokio::test]
async fn restored_super_admins_wait() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        for shut in ["suspend", "archive"] {
            let otto = id(&world.super_admin(&format!("Otto{shut}")).await);
            match shut {
                "suspend" => users::suspend(&sam, otto, None).await.unwrap(),
                _ => users::archive(&sam, otto, None).await.unwrap(),
            };
            let asked = waiting(users::restore(&sam, otto, None).await);
            assert!(user(&world, otto).await.status.is_shut());
            approve(&susan, asked, None, None).await.unwrap();
            assert_eq!(user(&world, otto).await.status, users::Status::Active);
        }
        // Others do not wait, and the operator never does.
        let erin = id(&world.employee("Erin").await);
        users::suspend(&sam, erin, None).await.unwrap();
        users::restore(&sam, erin, None).await.unwrap();
        let vera = id(&world.super_admin("Vera").await);
        users::archive(&sam, vera, None).await.unwrap();
        users::restore(&world.operator(), vera, None).await.unwrap();

        // A ban of the auth protocol is lifted by programs only.
        let ban = |text: &str| Update { ban: admin::Ban::read(text), ..Update::default() };
        people::update_account(&sam, vera, ban("24h")).await.unwrap();
        assert_eq!(refused(people::update_account(&sam, vera, ban("none")).await), "super_admin_ban");
        assert_eq!(refused(people::update_account(&sam, vera, ban("1s")).await), "super_admin_ban", "shortened");
        people::update_account(&sam, vera, ban("48h")).await.unwrap();
        people::update_account(&world.as_actor(Actor::Service), vera, ban("none")).await.unwrap();
        people::update_account(&sam, vera, ban("none")).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_new_super_admin_is_set_up_by_its_owner_only() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let carla = people::CreateUser {
            first_name: "Carla".to_owned(),
            last_name: "Diaz".to_owned(),
            email: "carla@example.com".to_owned(),
            ..Default::default()
        };
        let asked = waiting(people::create(&sam, Role::SuperAdmin, carla).await);
        approve(&susan, asked, None, None).await.unwrap();
        let carla = users::find(&sam, "carla@example.com").await.unwrap().id;
        let password = || Update { password: Some("correct horse battery staple".to_owned()), ..Update::default() };
        let email = Update { email: Some("sam+carla@example.com".to_owned()), ..Update::default() };
        for change in [password(), email] {
            assert_eq!(refused(people::update_account(&sam, carla, change).await), "super_admin_sets_up_alone");
        }
        for action in [LinkAction::Recovery, LinkAction::Invite, LinkAction::Magiclink] {
            let link = admin::generate_link(&sam, action, "carla@example.com", None, None, Default::default()).await;
            assert_eq!(refused(link), "super_admin_sets_up_alone");
        }
        // Programs hold the key to all accounts.
        people::update_account(&world.as_actor(Actor::Service), carla, password()).await.unwrap();
        // Others are set up by super admins as before.
        let erin = people::CreateUser {
            first_name: "Erin".to_owned(),
            last_name: "Diaz".to_owned(),
            email: "erin@example.com".to_owned(),
            ..Default::default()
        };
        let erin = people::create(&sam, Role::Employee, erin).await.unwrap().id;
        people::update_account(&sam, erin, password()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn payout_in_another_currency_than_the_limits_always_waits() {
    on_both(async |world| {
        let sam = world.super_admin("Sam").await;
        world.super_admin("Susan").await;
        let rule = FourEyes { payout_currency: Some(Currency::Eur), ..four_eyes(Some("100000")) };
        set_rule(&sam, rule).await.unwrap();
        let run = run_of_fifty(&world, "A").await;
        waiting(commissions::pay(&sam, run, None, None).await);
        // The operator and programs are not held up.
        commissions::pay(&world.as_actor(Actor::Service), run, None, None).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn only_another_super_admin_with_a_recent_proof_approves() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let erin = world.employee("Erin").await;
        let run = run_of_fifty(&world, "A").await;
        let stale = with_proof(&sam, Duration::seconds(601));
        assert_eq!(refused(commissions::pay(&stale, run, None, None).await), "reauthentication_needed");
        assert!(pending(&world).await.is_empty());
        let asked = waiting(commissions::pay(&with_proof(&sam, Duration::minutes(9)), run, None, None).await);

        assert_eq!(refused(approve(&sam, asked, None, None).await), "approval_own");
        assert_eq!(refused(approvals::decline(&sam, asked, None, None).await), "approval_own");
        let stale = with_proof(&susan, Duration::seconds(601));
        assert_eq!(refused(approve(&stale, asked, None, None).await), "reauthentication_needed");
        let company = world.company("Acme").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (_, _, maya) = world.client("Maya", company, Some(iso)).await;
        let clara = world.company_admin("Clara", company).await;
        for other in [&erin, &clara, &ivan, &maya] {
            assert_eq!(refused(approvals::get(other, asked).await), "not_found");
            assert_eq!(refused(approve(other, asked, None, None).await), "not_found");
            assert_eq!(refused(approvals::decline(other, asked, None, None).await), "not_found");
            assert_eq!(refused(approvals::withdraw(other, asked, None).await), "not_found");
        }
        for other in [&clara, &ivan, &maya] {
            assert_eq!(refused(approvals::list(other, None, &PageQuery::default()).await), "forbidden");
        }
        assert_eq!(refused(approve(&world.anonymous(), asked, None, None).await), "unauthenticated");
        for machine in [world.operator(), world.as_actor(Actor::Service)] {
            assert_eq!(refused(approve(&machine, asked, None, None).await), "forbidden");
        }

        // Super admins made after the request, in each way.
        world.clock.advance(Duration::seconds(1));
        let operator = world.operator();
        let created = world.super_admin("Nora").await;
        let promoted = world.employee("Olga").await;
        people::set_role(&operator, id(&promoted), Role::SuperAdmin, None, None, None).await.unwrap();
        let promoted = world.signed_in(&user(&world, id(&promoted)).await);
        for new in [&created, &promoted] {
            assert_eq!(refused(approve(new, asked, None, None).await), "approval_new_super_admin");
        }
        users::suspend(&operator, id(&susan), None).await.unwrap();
        users::restore(&operator, id(&susan), None).await.unwrap();
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_new_super_admin");
        assert_eq!(status_of(&world, run).await, RunStatus::Open);

        // An employee may ask, as they may pay; they see and withdraw their own.
        approvals::withdraw(&sam, asked, None).await.unwrap();
        let by_erin = waiting(commissions::pay(&erin, run, None, None).await);
        assert_eq!(approvals::get(&erin, by_erin).await.unwrap().requester, "Erin Test");
        assert_eq!(refused(approve(&erin, by_erin, None, None).await), "forbidden");
        assert_eq!(refused(approvals::withdraw(&sam, by_erin, None).await), "forbidden");
        approve(&with_proof(&susan, Duration::minutes(9)), by_erin, None, None).await.unwrap();
        assert_eq!(status_of(&world, run).await, RunStatus::Paid);
    })
    .await;
}

#[tokio::test]
async fn new_super_admins_wait() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let erin = id(&world.employee("Erin").await);
        // Other roles do not wait.
        people::set_role(&sam, erin, Role::Client, Some(world.company("Acme").await), None, None).await.unwrap();
        people::set_role(&sam, erin, Role::Employee, None, None, None).await.unwrap();

        let asked = waiting(people::set_role(&sam, erin, Role::SuperAdmin, None, None, None).await);
        assert_eq!(user(&world, erin).await.role, Role::Employee);
        approve(&susan, asked, None, None).await.unwrap();
        assert_eq!(user(&world, erin).await.role, Role::SuperAdmin);
        // Taking the role away needs one.
        people::set_role(&sam, erin, Role::Employee, None, None, None).await.unwrap();

        // Over the auth admin API: nothing else of the update is done either.
        let change = Update {
            data: serde_json::json!({ "note": "x" }).as_object().cloned(),
            fields: admin::AdminFields { role: Some("super_admin".to_owned()), ..Default::default() },
            ..Update::default()
        };
        let asked = waiting(people::update_account(&sam, erin, change.clone()).await);
        let unchanged = user(&world, erin).await;
        assert_eq!((unchanged.role, unchanged.metadata.get("note")), (Role::Employee, None));
        approvals::withdraw(&sam, asked, None).await.unwrap();
        people::update_account(&world.as_actor(Actor::Service), erin, change).await.unwrap();
        assert_eq!(user(&world, erin).await.role, Role::SuperAdmin);

        // Invited from user management.
        let nora = people::CreateUser {
            first_name: "Nora".to_owned(),
            last_name: "Lund".to_owned(),
            email: "nora@example.com".to_owned(),
            ..Default::default()
        };
        let asked = waiting(people::create(&sam, Role::SuperAdmin, nora.clone()).await);
        assert_eq!(refused(users::find(&sam, "nora@example.com").await), "not_found");
        approve(&susan, asked, None, None).await.unwrap();
        let made = users::find(&sam, "nora@example.com").await.unwrap();
        assert_eq!(
            (made.role, made.status, made.password_hash.is_none()),
            (Role::SuperAdmin, users::Status::Pending, true)
        );
        let mails = domain::outbox::mails::list(&sam, None, &PageQuery::default()).await.unwrap().items;
        assert!(mails.iter().any(|mail| mail.kind == domain::outbox::mails::Kind::PasswordSetup));
        assert_eq!(refused(people::create(&sam, Role::SuperAdmin, nora).await), "email_taken");

        // Created over the auth admin API.
        let nils = |password: Option<&str>| CreateAccount {
            email: "nils@example.com".to_owned(),
            password: password.map(str::to_owned),
            confirmed: true,
            data: serde_json::json!({ "first_name": "Nils" }).as_object().cloned().unwrap(),
            fields: admin::AdminFields { role: Some("super_admin".to_owned()), ..Default::default() },
            ..CreateAccount::default()
        };
        let with_password = admin::create(&sam, nils(Some("correct horse battery staple"))).await;
        assert_eq!(refused(with_password), "password not_allowed");
        let asked = waiting(admin::create(&sam, nils(None)).await);
        approve(&susan, asked, None, None).await.unwrap();
        let made = users::find(&sam, "nils@example.com").await.unwrap();
        assert_eq!((made.role, made.first_name.as_str()), (Role::SuperAdmin, "Nils"));
        // An account that another one took meanwhile.
        let mut olga = nils(None);
        olga.email = "olga@example.com".to_owned();
        let asked = waiting(admin::create(&sam, olga).await);
        world.employee("Olga").await;
        assert_eq!(refused(approve(&susan, asked, None, None).await), "email_taken");
        assert_eq!(approvals::get(&susan, asked).await.unwrap().status, Status::Pending);
    })
    .await;
}

#[tokio::test]
async fn key_rotation_waits() {
    on_both(async |world| {
        let file = world.dir.path.join("keys.json");
        Keys::load_or_create(&file).unwrap();
        let first = world.super_admin("Sam").await;
        let count = || keys::list(&world.operator(), &file).unwrap().len();
        keys::rotate(&first, &file).await.unwrap();
        assert_eq!(count(), 2);
        let stale = with_proof(&first, Duration::seconds(601));
        assert_eq!(refused(keys::rotate(&stale, &file).await), "reauthentication_needed");

        let susan = world.super_admin("Susan").await;
        set_rule(&first, four_eyes(None)).await.unwrap();
        let asked = waiting(keys::rotate(&first, &file).await);
        assert_eq!(count(), 2);
        assert_eq!(refused(approve(&susan, asked, None, None).await), "keys_elsewhere");
        approve(&susan, asked, None, Some(&file)).await.unwrap();
        assert_eq!(count(), 3);

        // The operator rotated meanwhile.
        let asked = waiting(keys::rotate(&first, &file).await);
        keys::rotate(&world.operator(), &file).await.unwrap();
        assert_eq!(refused(approve(&susan, asked, None, Some(&file)).await), "approval_outdated");
        assert_eq!(count(), 4);
        let files = std::fs::read_dir(&world.dir.path).unwrap().map(|entry| entry.unwrap().file_name());
        let drafts = files.filter(|name| name.to_string_lossy().ends_with(".new")).count();
        assert_eq!(drafts, 0, "no draft of a key stays");
    })
    .await;
}

#[tokio::test]
async fn change_of_the_rule_waits_while_it_is_on() {
    on_both(async |world| {
        let sam = world.super_admin("Sam").await;
        assert_eq!(refused(set_rule(&sam, four_eyes(None)).await), "two_super_admins_required");
        assert_eq!(refused(set_rule(&world.operator(), four_eyes(None)).await), "two_super_admins_required");
        let susan = world.super_admin("Susan").await;
        let stale = with_proof(&sam, Duration::seconds(601));
        assert_eq!(refused(set_rule(&stale, four_eyes(None)).await), "reauthentication_needed");
        let set = set_rule(&sam, four_eyes(Some("1,000.00"))).await.unwrap().four_eyes;
        assert_eq!((set.payout_limit.as_deref(), set.payout_currency), (Some("1000.00"), Some(Currency::Usd)));
        assert_eq!(refused(set_rule(&sam, four_eyes(Some("many"))).await), "four_eyes.payout_limit invalid_amount");

        // Other settings change, but not beside it.
        settings::set(&sam, |now| Settings { support_phone: Some("+1 555 0100".to_owned()), ..now }).await.unwrap();
        let both = |now: Settings| Settings { four_eyes: FourEyes::default(), brand_name: Some("X".to_owned()), ..now };
        assert_eq!(refused(settings::set(&sam, both).await), "four_eyes waits_alone");

        for (rule, on) in [(four_eyes(Some("2000")), true), (FourEyes::default(), false)] {
            let asked = waiting(set_rule(&sam, rule.clone()).await);
            assert!(settings::get(&sam).await.unwrap().four_eyes.is_on());
            approve(&susan, asked, None, None).await.unwrap();
            let now = settings::get(&sam).await.unwrap().four_eyes;
            assert_eq!((now.is_on(), now.payout_limit), (on, rule.payout_limit.map(|limit| format!("{limit}.00"))));
        }

        // Changed by the operator meanwhile.
        set_rule(&sam, four_eyes(None)).await.unwrap();
        let asked = waiting(set_rule(&sam, FourEyes::default()).await);
        set_rule(&world.operator(), four_eyes(Some("5"))).await.unwrap();
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_outdated");

        // Where the second one has left, the operator switches it off.
        approvals::withdraw(&sam, asked, None).await.unwrap();
        users::archive(&world.operator(), id(&susan), None).await.unwrap();
        assert_eq!(refused(set_rule(&sam, FourEyes::default()).await), "no_second_super_admin");
        set_rule(&world.operator(), FourEyes::default()).await.unwrap();
        assert!(!settings::get(&sam).await.unwrap().four_eyes.is_on());
    })
    .await;
}

#[tokio::test]
async fn target_changed_meanwhile_is_refused_and_can_be_asked_for_again() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let run = run_of_fifty(&world, "A").await;
        let asked = waiting(commissions::pay(&sam, run, None, None).await);
        commissions::discard(&sam, run, None).await.unwrap();
        assert_eq!(offered(&sam, run).await, (false, vec![]));
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_outdated");
        let declined = approvals::decline(&susan, asked, None, Some("Discarded")).await.unwrap();
        assert_eq!((declined.status, declined.reason.as_deref()), (Status::Declined, Some("Discarded")));

        let erin = id(&world.employee("Erin").await);
        let asked = waiting(people::set_role(&sam, erin, Role::SuperAdmin, None, None, None).await);
        users::suspend(&world.operator(), erin, None).await.unwrap();
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_outdated");
        assert_eq!(user(&world, erin).await.role, Role::Employee);

        // The requester lost the right.
        approvals::decline(&susan, asked, None, None).await.unwrap();
        let asked = waiting(people::set_role(&sam, erin, Role::SuperAdmin, None, None, None).await);
        assert_eq!(refused(approve(&susan, asked, Some(7), None).await), "stale");
        users::suspend(&world.operator(), id(&sam), None).await.unwrap();
        assert_eq!(refused(approve(&susan, asked, None, None).await), "approval_requester_gone");
    })
    .await;
}

#[tokio::test]
async fn one_approval_waits_for_an_act_on_a_target() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let run = run_of_fifty(&world, "A").await;
        let asked = waiting(commissions::pay(&sam, run, None, None).await);
        assert_eq!(waiting(commissions::pay(&sam, run, None, None).await), asked, "asked twice");
        let another_day = commissions::pay(&sam, run, None, Some("2026-11-01")).await;
        assert_eq!(refused(another_day), "approval_waits_own");
        assert_eq!(refused(commissions::pay(&susan, run, None, None).await), "approval_waits");
        assert_eq!(pending(&world).await.len(), 1);
        assert_eq!(refused(approvals::withdraw(&susan, asked, None).await), "forbidden");
        world.clock.advance(Duration::seconds(1));
        approvals::withdraw(&sam, asked, Some(1)).await.unwrap();
        assert_eq!(log(&world, asked).await[0], ("approval.withdrawn".to_owned(), "Sam Test".to_owned()));
        assert_ne!(waiting(commissions::pay(&susan, run, None, None).await), asked);

        // At once: one row, and each caller is told that it waits.
        let again = run_of_fifty(&world, "B").await;
        let asking = (0..6).map(|_| {
            let sam = sam.clone();
            tokio::spawn(async move { commissions::pay(&sam, again, None, None).await })
        });
        let mut ids = Vec::new();
        for one in asking.collect::<Vec<_>>() {
            ids.push(waiting(one.await.unwrap()));
        }
        ids.dedup();
        assert_eq!((ids.len(), pending(&world).await.len()), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn approved_at_once_by_several_is_carried_out_once() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let tove = world.super_admin("Tove").await;
        let run = run_of_fifty(&world, "A").await;
        let asked = waiting(commissions::pay(&sam, run, None, None).await);
        let approving = (0..8).map(|n| {
            let ctx = if n % 2 == 0 { susan.clone() } else { tove.clone() };
            tokio::spawn(async move { approve(&ctx, asked, None, None).await })
        });
        let mut done = 0;
        for one in approving.collect::<Vec<_>>() {
            match one.await.unwrap() {
                Ok(_) => done += 1,
                Err(error) => assert_eq!(code(&error), "approval_ended"),
            }
        }
        assert_eq!(done, 1);
        activity::sequence_all(&world.operator()).await.unwrap();
        let rows =
            activity::list(&world.operator(), &activity::Filter::default(), &PageQuery::default()).await.unwrap();
        assert_eq!(rows.items.iter().filter(|row| row.action == "payout_run.paid").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn unapproved_acts_expire() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let run = run_of_fifty(&world, "A").await;
        let first = waiting(commissions::pay(&sam, run, None, None).await);
        let erin = id(&world.employee("Erin").await);
        let role = waiting(people::set_role(&sam, erin, Role::SuperAdmin, None, None, None).await);
        world.clock.advance(approvals::TTL - Duration::seconds(1));
        assert_eq!(approvals::clean_up(&world.operator()).await.unwrap(), 0);
        world.clock.advance(Duration::seconds(1));
        assert_eq!(refused(approve(&susan, first, None, None).await), "approval_ended");
        assert_eq!(refused(approvals::withdraw(&sam, first, None).await), "approval_ended");
        assert_eq!(offered(&sam, run).await, (false, vec!["bank", "pay", "discard"]));
        // Asked for again before the clean-up.
        assert_ne!(waiting(commissions::pay(&sam, run, None, None).await), first);
        assert_eq!(approvals::clean_up(&world.operator()).await.unwrap(), 1);
        for expired in [first, role] {
            let found = approvals::get(&sam, expired).await.unwrap();
            assert_eq!((found.status, found.decider), (Status::Expired, None));
            assert_eq!(log(&world, expired).await[0].0, "approval.expired");
        }
        assert_eq!(status_of(&world, run).await, RunStatus::Open);
    })
    .await;
}

#[tokio::test]
async fn super_admins_are_notified_of_requests_and_requesters_of_decisions() {
    on_both(async |world| {
        let (sam, susan) = super_admins(&world, None).await;
        let erin = world.employee("Erin").await;
        let notified = async |ctx: &Ctx| {
            activity::sequence_all(&world.operator()).await.unwrap();
            notifications::process_pending(&world.operator()).await.unwrap();
            let found = notifications::list(ctx, true, &PageQuery::default()).await.unwrap().items;
            let found =
                found.into_iter().map(|one| one.activity.action).filter(|action| action.starts_with("approval."));
            found.collect::<Vec<_>>()
        };
        let run = run_of_fifty(&world, "A").await;
        let asked = waiting(commissions::pay(&sam, run, None, None).await);
        assert_eq!(notified(&susan).await, ["approval.requested"]);
        assert!(notified(&sam).await.is_empty() && notified(&erin).await.is_empty());
        approvals::decline(&susan, asked, None, None).await.unwrap();
        assert_eq!(notified(&sam).await, ["approval.declined"]);
        let asked = waiting(commissions::pay(&erin, run, None, None).await);
        approve(&sam, asked, None, None).await.unwrap();
        assert_eq!(notified(&erin).await, ["approval.approved"]);
        // By mail as well, unless read before.
        world.clock.advance(notifications::READ_GRACE);
        let jobs = world.as_actor(Actor::System("mail"));
        assert!(notifications::send_immediate_mail(&jobs, id(&susan)).await.unwrap());
        assert!(notifications::send_immediate_mail(&jobs, id(&sam)).await.unwrap());
    })
    .await;
}
