//! User management, on both databases.
use domain::{
    Ctx, Error,
    accounts::users::{self, Status, UserQuery},
    desk::{
        people::{self, CreateUser},
        requests,
    },
    directory::{calls, companies, isos},
    kernel::{
        access::Role,
        db::{Sql, for_update},
        ids::UserId,
        page::PageQuery,
    },
    operations::recount,
    platform::rollups,
    testing::{World, on_both},
};

fn input(first: &str, email: &str) -> CreateUser {
    CreateUser {
        first_name: first.to_owned(),
        last_name: "Test".to_owned(),
        email: email.to_owned(),
        ..CreateUser::default()
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result.expect_err("is refused") {
        Error::Conflict(p) | Error::Forbidden(p) => p.code.to_owned(),
        Error::Invalid(fields) => {
            fields.iter().map(|f| format!("{} {}", f.field, f.problem.code)).collect::<Vec<_>>().join(", ")
        }
        Error::NotFound(noun) => format!("no {noun}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn operator_creates_the_first_account() {
    on_both(async |world: World| {
        let first = people::create(&world.operator(), Role::SuperAdmin, input("Ada", "Ada@Example.com")).await.unwrap();
        assert_eq!((first.status, first.email.as_str()), (Status::Pending, "Ada@Example.com"));
        let mails: i64 =
            world.db.clone().sql("select count(*) from mails where kind = 'password_setup'").scalar().await.unwrap();
        assert_eq!(mails, 1);

        let given = CreateUser { password: Some("portal-demo-2026".to_owned()), ..input("Bea", "bea@example.com") };
        let second = people::create(&world.operator(), Role::Employee, given).await.unwrap();
        assert_eq!((second.status, second.must_change_password), (Status::Active, true));
        assert_eq!(
            code(people::create(&world.anonymous(), Role::Employee, input("Eve", "eve@example.com")).await.map_err(
                |e| {
                    match e {
                        Error::Unauthenticated(p) => Error::Conflict(p),
                        other => other,
                    }
                }
            )),
            "unauthenticated"
        );
        let employee = world.employee("Finn").await;
        assert_eq!(
            code(people::create(&employee, Role::SuperAdmin, input("Eve", "eve@example.com")).await),
            "forbidden"
        );
    })
    .await;
}

#[tokio::test]
async fn create_returns_all_invalid_fields() {
    on_both(async |world: World| {
        let op = world.operator();
        let bad = CreateUser {
            password: Some("short".to_owned()),
            language: Some("de".to_owned()),
            ..input(" ", "not an address")
        };
        assert_eq!(
            code(people::create(&op, Role::CompanyAdmin, bad).await),
            "first_name required, email invalid_email, language unknown, company_id required, password weak_password"
        );
        assert_eq!(
            code(people::create(&op, None, input(" ", "ada@example.com")).await),
            "role required, first_name required"
        );
        let company = world.company("Harbor").await;
        let odd = CreateUser { company_id: Some(company), ..input("Ada", "ada@example.com") };
        assert_eq!(code(people::create(&op, Role::Employee, odd).await), "company_id not_allowed");
        assert_eq!(code(people::create(&op, Role::Iso, input("Ada", "ada@example.com")).await), "iso_id required");
    })
    .await;
}

#[tokio::test]
async fn address_is_unique_ignoring_case() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (client, ..) = world.client("Clara", company, None).await;
        match people::create(&world.operator(), Role::Employee, input("Other", "CLARA@example.COM")).await {
            Err(Error::Conflict(problem)) => {
                assert_eq!(problem.code, "email_taken");
                assert_eq!(problem.params["client_id"], client.to_string());
            }
            other => panic!("{other:?}"),
        }
        world.employee("Finn").await;
        match people::create(&world.operator(), Role::Employee, input("Other", "finn@Example.com")).await {
            Err(Error::Conflict(problem)) => assert!(problem.params.is_empty(), "staff have no client id"),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn last_super_admin_cannot_be_demoted_suspended_or_archived() {
    on_both(async |world: World| {
        let (op, ada) = (world.operator(), world.user(Role::SuperAdmin, "Ada", None, None).await);
        let demote = async |id| people::set_role(&op, id, Role::Employee, None, None, None).await;
        assert_eq!(code(demote(ada.id).await), "last_super_admin");
        assert_eq!(code(users::suspend(&op, ada.id, None).await), "last_super_admin");
        assert_eq!(code(users::archive(&op, ada.id, None).await), "last_super_admin");
        let bea = world.user(Role::SuperAdmin, "Bea", None, None).await;
        users::suspend(&op, bea.id, None).await.unwrap();
        assert_eq!(code(demote(ada.id).await), "last_super_admin", "a suspended one does not count");
        assert_eq!(users::restore(&op, bea.id, None).await.unwrap().status, Status::Active);

        // Concurrent demotions: one fails.
        let (one, two) = tokio::join!(demote(ada.id), demote(bea.id));
        assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1, "{one:?} {two:?}");
        let left: i64 = world
            .db
            .clone()
            .sql("select count(*) from users where role = 'super_admin' and status = 'active'")
            .scalar()
            .await
            .unwrap();
        assert_eq!(left, 1);
    })
    .await;
}

#[tokio::test]
async fn last_invited_super_admin_of_a_new_office_stays() {
    on_both(async |world: World| {
        let op = world.operator();
        let invite = async |name: &str| {
            let input = input(name, &format!("{}@example.com", name.to_lowercase()));
            people::create(&op, Role::SuperAdmin, input).await.unwrap().id
        };
        let ada = invite("Ada").await;
        assert_eq!(code(users::archive(&op, ada, None).await), "last_super_admin");
        assert_eq!(code(users::suspend(&op, ada, None).await), "last_super_admin");
        assert_eq!(code(people::set_role(&op, ada, Role::Employee, None, None, None).await), "last_super_admin");
        let bea = invite("Bea").await;
        users::archive(&op, ada, None).await.unwrap();
        assert_eq!(code(users::archive(&op, bea, None).await), "last_super_admin");
        let cleo = world.user(Role::SuperAdmin, "Cleo", None, None).await;
        assert_eq!(code(users::archive(&op, cleo.id, None).await), "last_super_admin", "an invited one does not count");
        users::archive(&op, bea, None).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn stale_write_names_the_last_editor() {
    on_both(async |world: World| {
        let finn = world.user(Role::Employee, "Finn", None, None).await;
        let changed = users::suspend(&world.operator(), finn.id, Some(finn.version)).await.unwrap();
        assert_eq!(changed.version, finn.version + 1);
        match users::restore(&world.operator(), finn.id, Some(finn.version)).await {
            Err(Error::Conflict(problem)) => {
                assert_eq!(problem.code, "stale");
                assert_eq!(problem.params["changed_by"], "root");
            }
            other => panic!("{other:?}"),
        }
    })
    .await;
}

#[tokio::test]
async fn client_count_follows_status_and_role() {
    on_both(async |world: World| {
        let op = world.operator();
        let company = world.company("Harbor").await;
        // Clients without orders may change their role.
        let clara = world.user(Role::Client, "Clara", Some(company), None).await.id;
        world.client("Noah", company, None).await;
        let agree = async |expected: Option<i64>| {
            let (kept, real) = (
                rollups::all(&mut world.db.clone()).await.unwrap(),
                recount::recompute(&mut world.db.clone()).await.unwrap(),
            );
            assert_eq!(real.get("clients").copied(), expected);
            assert_eq!(kept.get("clients").copied().unwrap_or(0), expected.unwrap_or(0));
        };
        agree(Some(2)).await;
        users::archive(&op, clara, None).await.unwrap();
        users::archive(&op, clara, None).await.unwrap();
        agree(Some(1)).await;
        users::restore(&op, clara, None).await.unwrap();
        agree(Some(2)).await;
        people::set_role(&op, clara, Role::Employee, None, None, None).await.unwrap();
        agree(Some(1)).await;
        people::set_role(&op, clara, Role::Client, Some(company), None, None).await.unwrap();
        agree(Some(2)).await;
    })
    .await;
}

#[tokio::test]
async fn iso_person_keeps_the_role_until_the_iso_is_archived() {
    on_both(async |world: World| {
        let op = world.operator();
        let company = world.company("Harbor").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let (other, _) = world.iso("Igor", company).await;
        let ivan = ivan.actor.user_id().unwrap();
        let becomes = async |role, iso| people::set_role(&op, ivan, role, None, iso, None).await;
        assert_eq!(code(becomes(Role::SuperAdmin, None).await), "iso_person");
        assert_eq!(code(becomes(Role::Iso, Some(Some(other))).await), "iso_person");
        assert_eq!(becomes(Role::Iso, None).await.unwrap().iso_id, Some(iso));
        isos::archive(&op, iso, None).await.unwrap();
        becomes(Role::Employee, None).await.unwrap();
        // The ISO cannot be restored without its person; the role without an ISO names the former one.
        assert_eq!(code(isos::restore(&op, iso, None).await), "iso_person_moved");
        assert!(isos::get(&op, iso).await.unwrap().archived_at.is_some());
        let again = becomes(Role::Iso, None).await.unwrap();
        assert_eq!((again.iso_id, again.company_id), (Some(iso), Some(company)));
        assert!(isos::restore(&op, iso, None).await.unwrap().archived_at.is_none());
        assert_eq!(code(becomes(Role::Employee, None).await), "iso_person");
        // Calls and their requests follow the ISO.
        let ivan_himself = world.signed_in(&users::get(&op, ivan).await.unwrap());
        let times = vec![op.now() + chrono::Duration::days(1)];
        let call = calls::Input { topic: "Terms".to_owned(), times, ..Default::default() };
        let call = calls::create(&ivan_himself, call).await.unwrap();
        calls::cancel(&ivan_himself, call.id, None).await.unwrap();
        isos::archive(&op, iso, None).await.unwrap();
        becomes(Role::SuperAdmin, None).await.unwrap();
        isos::delete(&op, iso, None).await.unwrap();
        let left = requests::list(&op, &requests::Filter::default(), &PageQuery::default()).await.unwrap();
        assert!(left.items.is_empty());
        let statuses = requests::summary(&op).await.unwrap().statuses;
        assert!(statuses.iter().all(|(_, count)| *count == 0), "{statuses:?}");
        let now = users::get(&op, ivan).await.unwrap();
        assert_eq!((now.role, now.status), (Role::SuperAdmin, Status::Active));
        assert_eq!(now.email_key, "ivan@example.com");
    })
    .await;
}

#[tokio::test]
async fn restoring_an_iso_and_changing_its_persons_role_are_serialized() {
    on_both(async |world: World| {
        let op = world.operator();
        let company = world.company("Harbor").await;
        let (iso, ivan) = world.iso("Ivan", company).await;
        let ivan = ivan.actor.user_id().unwrap();
        isos::archive(&op, iso, None).await.unwrap();
        let soon = std::time::Duration::from_millis(300);

        // A role change during the restore.
        let mut other = world.db.begin().await.unwrap();
        let sql = "update users set role = 'employee', company_id = null, iso_id = null where id = $1";
        other.sql(sql).bind(ivan).run().await.unwrap();
        let restoring = tokio::spawn({
            let op = op.clone();
            async move { isos::restore(&op, iso, None).await }
        });
        tokio::time::sleep(soon).await;
        assert!(!restoring.is_finished(), "the restore waits for the role change");
        other.commit().await.unwrap();
        assert_eq!(code(restoring.await.unwrap()), "iso_person_moved");
        assert!(isos::get(&op, iso).await.unwrap().archived_at.is_some());

        // A restore during the role change.
        people::set_role(&op, ivan, Role::Iso, None, None, None).await.unwrap();
        let mut other = world.db.begin().await.unwrap();
        let lock = format!("select id from users where id = $1{}", for_update(other.dialect(), "users"));
        other.sql_built(lock).bind(ivan).one::<(UserId,)>().await.unwrap();
        other.sql("update isos set archived_at = null where id = $1").bind(iso).run().await.unwrap();
        let moving = tokio::spawn({
            let op = op.clone();
            async move { people::set_role(&op, ivan, Role::Employee, None, None, None).await }
        });
        tokio::time::sleep(soon).await;
        assert!(!moving.is_finished(), "the role change waits for the restore");
        other.commit().await.unwrap();
        assert_eq!(code(moving.await.unwrap()), "iso_person");
        assert_eq!(users::get(&op, ivan).await.unwrap().role, Role::Iso);
    })
    .await;
}

#[tokio::test]
async fn set_role_changes_keeps_or_removes_the_iso() {
    on_both(async |world: World| {
        let op = world.operator();
        let (company, other) = (world.company("Harbor").await, world.company("Haven").await);
        let (iso, _) = world.iso("Ivan", company).await;
        let clara = world.user(Role::Client, "Clara", Some(company), Some(iso)).await.id;
        let moves = async |to, iso| people::set_role(&op, clara, Role::Client, to, iso, None).await;
        assert_eq!(moves(None, None).await.unwrap().iso_id, Some(iso), "the ISO is kept with the role");
        assert_eq!(code(moves(Some(other), None).await), "iso_id not_in_company");
        let moved = moves(Some(other), Some(None)).await.unwrap();
        assert_eq!((moved.company_id, moved.iso_id), (Some(other), None));
        let back = moves(Some(company), Some(Some(iso))).await.unwrap();
        assert_eq!((back.company_id, back.iso_id), (Some(company), Some(iso)));
        // A client of an ISO is not its person.
        assert_eq!(code(people::set_role(&op, clara, Role::Iso, None, None, None).await), "iso_id required");
    })
    .await;
}

#[tokio::test]
async fn client_with_orders_keeps_the_role() {
    on_both(async |world: World| {
        let op = world.operator();
        let company = world.company("Harbor").await;
        let (clara, ..) = world.client("Clara", company, None).await;
        for role in [Role::Employee, Role::SuperAdmin, Role::CompanyAdmin] {
            assert_eq!(code(people::set_role(&op, clara, role, None, None, None).await), "has_orders");
        }
        assert_eq!(people::set_role(&op, clara, Role::Client, None, None, None).await.unwrap().role, Role::Client);
    })
    .await;
}

#[tokio::test]
async fn list_filters_by_role_status_and_search_newest_first() {
    on_both(async |world: World| {
        let op = world.operator();
        let company = world.company("Harbor").await;
        for name in ["Anna", "Anton", "Berta"] {
            world.clock.advance(chrono::Duration::seconds(1));
            world.user(Role::Employee, name, None, None).await;
        }
        world.clock.advance(chrono::Duration::seconds(1));
        world.client("Anke", company, None).await;
        let names = async |query: UserQuery, limit: Option<u32>, cursor: Option<String>| {
            let page = users::page(&op, &query, &PageQuery { limit, cursor }).await.unwrap().page;
            (page.items.into_iter().map(|u| u.first_name).collect::<Vec<_>>().join(" "), page.next_cursor)
        };
        let q = |q: &str| UserQuery { q: Some(q.to_owned()), ..UserQuery::default() };
        assert_eq!(names(q("an"), None, None).await.0, "Anke Anton Anna");
        assert_eq!(names(UserQuery { role: Some(Role::Employee), ..q("an") }, None, None).await.0, "Anton Anna");
        assert_eq!(names(UserQuery { role: Some(Role::Client), ..q("an test") }, None, None).await.0, "Anke");
        assert_eq!(names(q("berta@example.com"), None, None).await.0, "Berta");
        let active = UserQuery { role: Some(Role::Employee), status: Some(Status::Active), ..UserQuery::default() };
        let (first, next) = names(active.clone(), Some(2), None).await;
        assert_eq!(first, "Berta Anton");
        assert_eq!(names(active, Some(2), next).await, ("Anna".to_owned(), None));
        assert_eq!(
            names(UserQuery { status: Some(Status::Suspended), ..UserQuery::default() }, None, None).await.0,
            ""
        );
    })
    .await;
}

#[tokio::test]
async fn company_invitations_have_an_hourly_quota() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (cora, dora) = (world.company_admin("Cora", company).await, world.company_admin("Dora", company).await);
        let invites = async |who: &Ctx, n: usize| {
            let input = companies::MemberInput {
                first_name: "New".to_owned(),
                last_name: "Admin".to_owned(),
                email: format!("new{n}@example.com"),
                phone: None,
            };
            companies::invite_member(who, company, input).await
        };
        let first = invites(&cora, 0).await.unwrap().id;
        for n in 1..30 {
            invites(&cora, n).await.unwrap();
        }
        // The quota is shared by the company's admins.
        for who in [&cora, &dora] {
            assert_eq!(code(invites(who, 30).await), "over_email_send_rate_limit");
            assert_eq!(code(companies::invite_member_again(who, first).await), "over_email_send_rate_limit");
        }
        world.clock.advance(chrono::Duration::minutes(2));
        invites(&dora, 30).await.unwrap();
        assert_eq!(code(invites(&dora, 31).await), "over_email_send_rate_limit");
        let sigrid = world.super_admin("Sigrid").await;
        invites(&sigrid, 31).await.unwrap();
        let elsewhere = world.company("Beacon").await;
        let bella = world.company_admin("Bella", elsewhere).await;
        let input = companies::MemberInput {
            first_name: "New".to_owned(),
            last_name: "Admin".to_owned(),
            email: "other@example.com".to_owned(),
            phone: None,
        };
        companies::invite_member(&bella, elsewhere, input).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn users_set_their_language_and_time_zone() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let clara = world.client("Clara", company, None).await.2;
        users::set_preferences(&clara, choice("es", "Europe/Madrid")).await.unwrap();
        let me = users::me(&clara).await.unwrap();
        assert_eq!((me.user.language.as_str(), me.user.time_zone.as_str()), ("es", "Europe/Madrid"));
        assert_eq!(me.company, Some((company, "Harbor".to_owned())));
        let wrong = users::set_preferences(&clara, choice("de", "Mars")).await;
        assert_eq!(code(wrong), "language unknown, time_zone invalid_time_zone");
    })
    .await;
}

#[tokio::test]
async fn company_users_and_isos_start_with_its_time_zone() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let there = companies::SettingsInput { time_zone: Some("Asia/Singapore".to_owned()), ..Default::default() };
        companies::set(&world.operator(), company, None, there).await.unwrap();
        let (_, ivan) = world.iso("Ivan", company).await;
        let cora = world.company_admin("Cora", company).await;
        let (.., maya) = world.client("Maya", company, None).await;
        for (ctx, zone) in [(&ivan, "Asia/Singapore"), (&cora, "Asia/Singapore"), (&maya, "America/New_York")] {
            assert_eq!(users::me(ctx).await.unwrap().user.time_zone, zone);
        }
    })
    .await;
}

fn choice(language: &str, zone: &str) -> users::Preferences {
    users::Preferences {
        language: Some(language.to_owned()),
        time_zone: Some(zone.to_owned()),
        ..users::Preferences::default()
    }
}
