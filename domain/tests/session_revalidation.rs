//! Session revalidation during exports and reports, on both databases.
use domain::{
    Actor, Ctx, Error,
    accounts::{
        auth::{self, Auth, Keys, SignOutScope, passwords},
        users::{self, User},
    },
    desk::people,
    kernel::{access::Role, date_range::DateRangeQuery},
    reporting::{
        exports::{self, Table},
        reports::{self, Report, ReportQuery},
    },
    testing::{World, on_both},
};

const PASSWORD: &str = "correct horse battery";

/// Errors of the next page of an export and of a report; an invalid cursor when the session is still valid.
async fn next_page_errors(ctx: &Ctx) -> [String; 2] {
    let code = |error: Error| match error {
        Error::Invalid(fields) => fields[0].problem.code.to_owned(),
        Error::Unauthenticated(problem) => problem.code.to_owned(),
        other => panic!("{other}"),
    };
    let table = Table::Companies(Default::default());
    let part = exports::next_page(ctx, &table, Some("-".to_owned())).await.unwrap_err();
    let wanted = ReportQuery { report: Report::Portfolio, company_id: None, asked: DateRangeQuery::default() };
    let of_report = reports::next_page(ctx, &wanted, Some("-".to_owned())).await.unwrap_err();
    [code(part), code(of_report)]
}

/// Signs in and returns the context of the session.
async fn sign_in(world: &World, auth: &Auth, user: &User) -> Ctx {
    let hash = passwords::hash(&world.operator(), PASSWORD).await.unwrap();
    let mut tx = world.db.begin().await.unwrap();
    users::set_password_hash(&mut tx, user.id, &hash, false).await.unwrap();
    tx.commit().await.unwrap();
    let token = auth::sign_in(&world.anonymous(), auth, &user.email, PASSWORD).await.unwrap().access_token;
    let who = auth::authenticate(auth, &world.db, &world.options, world.clock.now(), &token).await.unwrap();
    world.as_actor(Actor::User(who))
}

#[tokio::test]
async fn long_responses_stop_when_the_session_ends_or_the_account_changes() {
    on_both(async |world: World| {
        let auth = Auth::new(Keys::for_tests());
        let (acme, beta) = (world.company("Acme").await, world.company("Beta").await);
        let operator = world.operator();
        let mut people = Vec::new();
        for first in ["Anna", "Bea", "Cora", "Dora"] {
            let user = world.user(Role::CompanyAdmin, first, Some(acme), None).await;
            people.push((user.id, sign_in(&world, &auth, &user).await));
        }
        let [(_, anna), (bea_id, bea), (cora_id, cora), (dora_id, dora)] = people.as_slice() else { panic!() };
        // The access token has expired, the session has not.
        world.clock.advance(chrono::Duration::hours(2));
        for person in [anna, bea, cora, dora] {
            assert_eq!(next_page_errors(person).await, ["invalid_cursor"; 2]);
        }
        auth::sign_out(anna, &auth, SignOutScope::Local).await.unwrap();
        users::suspend(&operator, *bea_id, None).await.unwrap();
        people::set_role(&operator, *cora_id, Role::Employee, None, None, None).await.unwrap();
        people::set_role(&operator, *dora_id, Role::CompanyAdmin, Some(beta), None, None).await.unwrap();
        for person in [anna, bea, cora, dora] {
            assert_eq!(next_page_errors(person).await, ["session_not_found"; 2]);
        }
    })
    .await;
}
