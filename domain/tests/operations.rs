//! Operations: alert rules, health checks, uptime, security scan, activity search and office-wide settings and
//! analytics.
use chrono::Duration;
use domain::{
    Ctx, Error, Origin,
    accounts::{admission::AdmissionCache, mail_delivery, users},
    kernel::{access::Role, clock::Clock, date_range::DateRangeQuery, db::Sql, money::Currency, page::PageQuery},
    operations::{
        alerts::{self, Alert, Metrics},
        health_checks::{self, Disk},
        security_scan::{self, Finding, ProgramChecks},
    },
    orders::{
        onboarding,
        spvs::{self, Country},
        steps,
    },
    outbox::mails,
    platform::{activity, maintenance, queue, settings},
    reporting::{analytics, dashboards, exports},
    testing::{World, noon, on_both},
};
use std::sync::atomic::{AtomicU64, Ordering};

fn after_minutes(world: &World, minutes: i64) -> World {
    World { clock: Clock::fixed(noon() + Duration::minutes(minutes)), ..world.clone() }
}

async fn open_alerts(world: &World, metrics: &Metrics) -> Vec<Alert> {
    activity::sequence_all(&world.operator()).await.unwrap();
    alerts::check(&world.operator(), metrics).await.unwrap();
    alerts::list(&world.operator(), Some(true), &PageQuery::default()).await.unwrap().items
}

async fn alert_kinds(world: &World, metrics: &Metrics) -> Vec<String> {
    open_alerts(world, metrics).await.into_iter().map(|alert| alert.kind).collect()
}

#[tokio::test]
async fn password_spraying_raises_an_alert_until_it_stops() {
    on_both(async |world| {
        let origin = |address: &str| Origin { address: Some(address.to_owned()), user_agent: None };
        let quiet = Ctx { origin: origin("192.0.2.9"), ..world.anonymous() };
        let stormy = Ctx { origin: origin("192.0.2.1"), ..world.anonymous() };
        let auth = domain::accounts::auth::Auth::new(domain::accounts::auth::Keys::for_tests());
        for n in 0..40 {
            let ctx = if n % 10 == 0 { &quiet } else { &stormy };
            let email = format!("nobody{n}@example.com");
            domain::accounts::auth::sign_in(ctx, &auth, &email, "wrong password").await.unwrap_err();
        }
        let open = open_alerts(&world, &Metrics::default()).await;
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!((open[0].kind.as_str(), open[0].subject.as_str()), ("sign_in_storm", "192.0.2.1"));
        assert_eq!(open_alerts(&world, &Metrics::default()).await[0].id, open[0].id, "one open alert per source");
        assert!(open_alerts(&after_minutes(&world, 20), &Metrics::default()).await.is_empty(), "it resolves by itself");
        // The same number spread out, one every 20 minutes: occasional typing errors.
        for n in 2..35 {
            let ctx = Ctx { origin: origin("192.0.2.7"), ..after_minutes(&world, n * 20).anonymous() };
            domain::accounts::auth::sign_in(&ctx, &auth, &format!("nobody{n}@example.net"), "wrong password")
                .await
                .unwrap_err();
            assert!(open_alerts(&after_minutes(&world, n * 20), &Metrics::default()).await.is_empty());
        }
    })
    .await;
}

/// Fails `times` sign-ins from the address: unknown accounts, and twice Maya's.
async fn fail_sign_ins(world: &World, address: &str, times: i64) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let origin = Origin { address: Some(address.to_owned()), user_agent: None };
    let ctx = Ctx { origin, ..world.anonymous() };
    let auth = domain::accounts::auth::Auth::new(domain::accounts::auth::Keys::for_tests());
    for n in 0..times {
        // More failures at one account would be throttled.
        let nobody = format!("no{}@example.com", NEXT.fetch_add(1, Ordering::Relaxed));
        let email = if [5, 18].contains(&n) { "maya@example.com".to_owned() } else { nobody };
        domain::accounts::auth::sign_in(&ctx, &auth, &email, "wrong password").await.unwrap_err();
    }
}

async fn spray_alerts(world: &World) -> Vec<(String, i64)> {
    let open = open_alerts(world, &Metrics::default()).await;
    open.into_iter().map(|alert| (alert.subject, alert.data["count"].as_i64().unwrap())).collect()
}

#[tokio::test]
async fn password_spraying_alert_counts_all_failures() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        world.client("Maya", company, None).await;
        let storm = |place: &str, count| (place.to_owned(), count);
        // The same number from several addresses: each one below the threshold.
        for place in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
            fail_sign_ins(&world, place, 19).await;
        }
        assert_eq!(spray_alerts(&world).await, []);
        // The threshold is reached by one more, ten minutes later.
        let later = after_minutes(&world, 10);
        fail_sign_ins(&later, "192.0.2.2", 1).await;
        assert_eq!(spray_alerts(&later).await, [storm("192.0.2.2", 20)]);
        // An open alert is updated with the current count.
        fail_sign_ins(&later, "192.0.2.2", 17).await;
        assert_eq!(spray_alerts(&later).await, [storm("192.0.2.2", 37)]);
        // Addresses of one IPv6 /64 network count as one source.
        for n in 0..21 {
            fail_sign_ins(&later, &format!("2001:db8:1:2::{n}"), 1).await;
        }
        let mut both = spray_alerts(&later).await;
        both.sort();
        assert_eq!(both, [storm("192.0.2.2", 37), storm("2001:db8:1:2::/64", 21)]);
        // The first nineteen are out of the window, the later eighteen are below the threshold.
        assert_eq!(spray_alerts(&after_minutes(&world, 15)).await, [storm("2001:db8:1:2::/64", 21)]);
        // Failures of a source without an alert are deleted, and the log has only a sample.
        domain::accounts::auth::login_throttle::clean_up(&after_minutes(&world, 75).operator()).await.unwrap();
        let db = &mut world.db.clone();
        let kept: i64 = db.sql("select count(*) from sign_in_failures").scalar().await.unwrap();
        assert_eq!(kept, 0);
        let logged: i64 =
            db.sql("select count(*) from activity where action = 'sign_in.failed'").scalar().await.unwrap();
        assert!(logged < 19 * 3 + 18 + 21, "{logged}");
    })
    .await;
}

#[tokio::test]
async fn throttled_guesses_count_towards_the_alert() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        world.client("Maya", company, None).await;
        let origin = Origin { address: Some("192.0.2.5".to_owned()), user_agent: None };
        let ctx = Ctx { origin, ..world.anonymous() };
        let auth = domain::accounts::auth::Auth::new(domain::accounts::auth::Keys::for_tests());
        let mut waits = 0;
        for _ in 0..25 {
            let refused =
                domain::accounts::auth::sign_in(&ctx, &auth, "maya@example.com", "wrong password").await.unwrap_err();
            waits += i32::from(matches!(refused, Error::RateLimited(_)));
        }
        assert_eq!(waits, 20);
        assert_eq!(spray_alerts(&world).await, [("192.0.2.5".to_owned(), 25)]);
        // Failures within a second share a row, and the log records only those that were verified.
        let db = &mut world.db.clone();
        let rows: i64 = db.sql("select count(*) from sign_in_failures").scalar().await.unwrap();
        assert_eq!(rows, 1);
        let logged: i64 =
            db.sql("select count(*) from activity where action = 'sign_in.failed'").scalar().await.unwrap();
        assert_eq!(logged, 5);
    })
    .await;
}

#[tokio::test]
async fn missing_backup_raises_an_alert() {
    on_both(async |world| {
        let runs =
            async |hours: i64| dashboards::heartbeat(&after_minutes(&world, hours * 60).operator()).await.unwrap();
        runs(0).await;
        runs(24).await;
        assert!(alert_kinds(&after_minutes(&world, 25 * 60), &Metrics::default()).await.is_empty());
        runs(25).await;
        let open = open_alerts(&after_minutes(&world, 26 * 60), &Metrics::default()).await;
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!((open[0].kind.as_str(), open[0].data["count"].as_i64()), ("backup_old", Some(26)));
    })
    .await;
}

#[tokio::test]
async fn failing_mails_raise_an_alert() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        for _ in 0..3 {
            let id = mails::test(&sigrid).await.unwrap();
            mail_delivery::load_for_sending(&world.operator(), id).await.unwrap();
            mails::mark_failed(&world.operator(), id, "550 no such user", true).await.unwrap();
        }
        assert_eq!(alert_kinds(&world, &Metrics::default()).await, ["mail_failing"]);
        assert!(alert_kinds(&after_minutes(&world, 25 * 60), &Metrics::default()).await.is_empty());
        // Other mails fail permanently only after days.
        let late = after_minutes(&world, 3 * 24 * 60);
        for _ in 0..3 {
            let id = mails::test(&sigrid).await.unwrap();
            mails::mark_failed(&late.operator(), id, "no answer", true).await.unwrap();
        }
        assert_eq!(alert_kinds(&late, &Metrics::default()).await, ["mail_failing"]);
        assert!(alert_kinds(&after_minutes(&world, (4 * 24 + 1) * 60), &Metrics::default()).await.is_empty());
        // While the mail server is unavailable, no mail has failed permanently: each is retried.
        let away = after_minutes(&world, 5 * 24 * 60);
        let id = mails::test(&sigrid).await.unwrap();
        for _ in 0..3 {
            assert!(alert_kinds(&away, &Metrics::default()).await.is_empty());
            assert!(mail_delivery::load_for_sending(&away.operator(), id).await.unwrap().is_some());
            mails::mark_failed(&away.operator(), id, "no answer", false).await.unwrap();
        }
        assert_eq!(alert_kinds(&away, &Metrics::default()).await, ["mail_failing"]);
        mails::mark_sent(&away.operator(), id, None).await.unwrap();
        assert!(alert_kinds(&away, &Metrics::default()).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn dead_jobs_raise_an_alert_until_retried() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        health_checks::enqueue(&sigrid).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        let table = if tx.dialect() == domain::kernel::db::Dialect::Postgres { "apalis.jobs" } else { "Jobs" };
        tx.sql_built(format!("update {table} set status = 'Killed'")).run().await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(alert_kinds(&world, &Metrics::default()).await, ["dead_jobs"]);
        let dead = queue::list(&sigrid, Some("dead"), &PageQuery::default()).await.unwrap().items;
        queue::retry(&sigrid, &dead[0].id).await.unwrap();
        assert!(alert_kinds(&world, &Metrics::default()).await.is_empty());
        let log = activity::list(&sigrid, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        assert!(log.iter().any(|row| row.action == "job.retried" && row.subject_label == dead[0].job));
    })
    .await;
}

#[tokio::test]
async fn low_disk_space_and_old_signing_keys_raise_alerts() {
    on_both(async |world| {
        let disk = |free| Metrics { disk: Some(Disk { free, total: 1_000 }), keys_changed_at: None };
        assert!(alert_kinds(&world, &disk(100)).await.is_empty());
        assert_eq!(alert_kinds(&world, &disk(99)).await, ["disk_low"]);
        assert!(alert_kinds(&world, &disk(500)).await.is_empty());
        let key = |days| Metrics { disk: None, keys_changed_at: Some(noon() - Duration::days(days)) };
        assert!(alert_kinds(&world, &key(364)).await.is_empty());
        assert_eq!(alert_kinds(&world, &key(365)).await, ["key_expiring"]);
        // As read from the machine.
        let file = world.dir.path.join("keys.json");
        domain::accounts::auth::Keys::load_or_create(&file).unwrap();
        let written_long_ago = || {
            let old = std::time::SystemTime::from(noon() - Duration::days(400));
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
        };
        written_long_ago();
        let mut options = (*world.options).clone();
        (options.signing_keys, options.data_dir) = (Some(file.clone()), Some(world.dir.path.clone()));
        let there = World { options: options.into(), ..world.clone() };
        let read = Metrics::collect(&there.operator());
        assert!(read.disk.is_some_and(|disk| disk.total > 0));
        assert_eq!(read.keys_changed_at, Some(noon() - Duration::days(400)));
        // A key with a creation time is as old as that, whatever the modification time of its file.
        domain::accounts::auth::keys::rotate(&there.operator(), &file).await.unwrap();
        written_long_ago();
        assert_eq!(Metrics::collect(&there.operator()).keys_changed_at, Some(noon()));
    })
    .await;
}

#[tokio::test]
async fn second_failed_health_check_raises_an_alert() {
    on_both(async |world| {
        // No server listens on this port.
        let mut options = (*world.options).clone();
        options.public_url = "http://127.0.0.1:1".to_owned();
        let world = World { options: options.into(), ..world };
        let sigrid = world.super_admin("Sigrid").await;
        let leaves = async || Ok("mails are files".to_owned());
        health_checks::check(&world.operator(), leaves()).await.unwrap();
        assert!(alert_kinds(&world, &Metrics::default()).await.is_empty(), "a single failure raises no alert");
        health_checks::check(&world.operator(), leaves()).await.unwrap();
        let open = open_alerts(&world, &Metrics::default()).await;
        let mut broken: Vec<_> = open.iter().map(|alert| alert.subject.as_str()).collect();
        broken.sort_unstable();
        assert_eq!(broken, ["api_gateway", "queue", "web_server"]);
        let found = health_checks::list(&sigrid).await.unwrap();
        let names: Vec<_> = found.iter().map(|probe| (probe.name.as_str(), probe.ok)).collect();
        assert_eq!(
            names,
            [
                ("web_server", false),
                ("database", true),
                ("api_gateway", false),
                ("file_storage", true),
                ("mail", true),
                ("queue", false)
            ]
        );
        assert!(found[0].last_error.as_deref().is_some_and(|why| why.contains("127.0.0.1:1")), "{found:?}");
        let stuck = async || {
            std::future::pending::<()>().await;
            Ok(String::new())
        };
        let begun = std::time::Instant::now();
        health_checks::check(&world.operator(), stuck()).await.unwrap();
        assert!(begun.elapsed().as_secs() < 20, "a hanging check times out");
        assert!(!health_checks::list(&sigrid).await.unwrap()[4].ok);
        let later =
            health_checks::list(&after_minutes(&world, 10).signed_in(&user(&world, &sigrid).await)).await.unwrap();
        assert!(later.iter().all(|probe| !probe.fresh));
    })
    .await;
}

async fn user(world: &World, ctx: &Ctx) -> users::User {
    users::get(&world.operator(), ctx.actor.user_id().unwrap()).await.unwrap()
}

#[tokio::test]
async fn resolved_alert_reopens_after_an_hour_and_alerts_need_super_admin() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let full = Metrics { disk: Some(Disk { free: 1, total: 100 }), keys_changed_at: None };
        let alert = open_alerts(&world, &full).await.remove(0);
        for role in [Role::Employee, Role::CompanyAdmin, Role::Client] {
            let company = match role {
                Role::Employee => None,
                _ => Some(world.company(role.name()).await),
            };
            let other = world.signed_in(&world.user(role, &format!("Other{}", role.name()), company, None).await);
            assert!(matches!(alerts::resolve(&other, alert.id).await, Err(Error::Forbidden(_))));
            assert!(matches!(alerts::list(&other, Some(true), &PageQuery::default()).await, Err(Error::Forbidden(_))));
            assert!(matches!(health_checks::list(&other).await, Err(Error::Forbidden(_))));
            assert!(matches!(security_scan::enqueue(&other).await, Err(Error::Forbidden(_))));
            assert!(matches!(security_scan::latest(&other).await, Err(Error::Forbidden(_))));
            assert!(matches!(analytics::staff(&other, &DateRangeQuery::default()).await, Err(Error::Forbidden(_))));
            let log = activity::search(&other, &activity::Search::default(), &PageQuery::default()).await;
            assert!(matches!(log, Err(Error::Forbidden(_))));
        }
        let over = alerts::resolve(&sigrid, alert.id).await.unwrap();
        assert_eq!(over.resolved_by.as_deref(), Some("Sigrid Test"));
        assert!(matches!(alerts::resolve(&sigrid, alert.id).await, Err(Error::Conflict(_))));
        assert!(open_alerts(&after_minutes(&world, 30), &full).await.is_empty());
        assert_eq!(open_alerts(&after_minutes(&world, 61), &full).await.len(), 1);
        let count = async |open| alerts::list(&sigrid, open, &PageQuery::default()).await.unwrap().items.len();
        assert_eq!((count(None).await, count(Some(true)).await + count(Some(false)).await), (2, 2));
    })
    .await;
}

#[tokio::test]
async fn uptime_is_the_share_of_minutes_with_heartbeats() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let actor = sigrid.actor.clone();
        let uptime = async |minutes: i64| {
            let ctx = after_minutes(&world, minutes).as_actor(actor.clone());
            dashboards::admin(&ctx, &PageQuery::default()).await.unwrap().uptime_percent
        };
        let beat =
            async |minutes: i64| dashboards::heartbeat(&after_minutes(&world, minutes).operator()).await.unwrap();
        assert_eq!(uptime(0).await, None, "no heartbeat yet");
        beat(0).await;
        assert_eq!(uptime(0).await, Some(100.0));
        for minute in 1..4 {
            beat(minute).await;
            // A second process on the same database.
            beat(minute).await;
        }
        assert_eq!(uptime(4).await, Some(100.0));
        // Down for four minutes.
        beat(8).await;
        assert_eq!(uptime(9).await, Some(55.5), "five of nine minutes");
        // Down for two months: earlier heartbeats do not count, but the first start stays known.
        let months = 60 * 24 * 60;
        beat(months).await;
        beat(months + 1).await;
        assert_eq!(uptime(months + 2).await, Some(0.0));
    })
    .await;
}

#[tokio::test]
async fn security_scan_reports_all_findings() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let mut options = (*world.options).clone();
        options.public_url = "http://portal.example.com".to_owned();
        options.demo = false;
        let open = World { options: options.into(), ..world.clone() };
        let queued = security_scan::enqueue(&sigrid).await.unwrap();
        assert_eq!(queued.finished_at, None);
        activity::sequence_all(&world.operator()).await.unwrap();
        world.without_triggers("update activity set actor_name = 'Mallory' where seq = 1").await;
        let program = ProgramChecks::new(|_| async {
            vec![Finding::new("mail", security_scan::State::Failed, "mail_fails").with("reason", "connection refused")]
        });
        security_scan::run(&open.operator(), queued.id, &program).await.unwrap();
        let scan = security_scan::latest(&sigrid).await.unwrap().unwrap();
        assert_eq!((scan.id, scan.error.as_deref()), (queued.id, None));
        let codes: Vec<_> = scan.findings.iter().map(|finding| finding.code.as_str()).collect();
        for code in [
            "not_encrypted",
            "mail_fails",
            "log_broken",
            "staff_without_factor",
            "mfa_required",
            "storage_works",
            "no_workers",
            "queue_works",
            // The triggers that protect the log are gone.
            "schema_changed",
            "backup_folder_fails",
            "no_backup",
        ] {
            assert!(codes.contains(&code), "{code} in {codes:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn activity_search_filters_by_actor_action_subject_time_and_address() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let there = Ctx {
            origin: Origin { address: Some("192.0.2.7".to_owned()), user_agent: None },
            ..world.employee("Elias").await
        };
        let company = world.company("Meridian").await;
        let update = domain::directory::companies::Input {
            name: Some("Meridian".to_owned()),
            business_name: Some("Meridian Two".to_owned()),
            ..Default::default()
        };
        domain::directory::companies::update(&there, company, None, update).await.unwrap();
        activity::sequence_all(&world.operator()).await.unwrap();
        let search = async |filter: activity::Search| {
            let found = activity::search(&sigrid, &filter, &PageQuery::default()).await?.items;
            Ok::<_, Error>(found.into_iter().map(|row| row.action).collect::<Vec<_>>())
        };
        let some = |text: &str| Some(text.to_owned());
        let only = vec!["company.updated".to_owned()];
        type Search = activity::Search;
        assert_eq!(search(Search { who: some("elias@example.com"), ..Default::default() }).await.unwrap(), only);
        assert_eq!(search(Search { role: some("employee"), ..Default::default() }).await.unwrap(), only);
        assert_eq!(search(Search { what: some("company.updated"), ..Default::default() }).await.unwrap(), only);
        assert_eq!(search(Search { address: some("192.0.2.7"), ..Default::default() }).await.unwrap(), only);
        assert_eq!(search(Search { what: some("company"), ..Default::default() }).await.unwrap().len(), 2);
        let about = Search { subject: Some(company.to_string()), ..Default::default() };
        assert_eq!(search(about).await.unwrap().len(), 2);
        assert_eq!(search(Search { subject: some("MERID"), ..Default::default() }).await.unwrap().len(), 2);
        assert!(search(Search { who: some("root"), ..Default::default() }).await.unwrap().len() > 2);
        let day = |from: &str, to: &str| Search { from: some(from), to: some(to), ..Default::default() };
        assert!(!search(day("2026-11-21", "2026-11-21")).await.unwrap().is_empty());
        assert!(search(day("2026-11-20", "2026-11-20")).await.unwrap().is_empty());
        assert!(search(day("2026-11-22", "")).await.unwrap().is_empty());
        for bad in [
            Search { role: some("king"), ..Default::default() },
            day("2026-13-01", ""),
            day("2026-11-21", "2026-11-20"),
            Search { who: Some("x".repeat(300)), ..Default::default() },
            Search { address: some("a\u{7}"), ..Default::default() },
        ] {
            assert!(matches!(search(bad.clone()).await, Err(Error::Invalid(_))), "{bad:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn activity_search_uses_event_time_not_sequence() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let days_ago = |days: i64| after_minutes(&world, -days * 24 * 60);
        // Sequenced in another order than that of their time.
        for (days, name) in [(0, "Today"), (20, "First of the month"), (1, "Yesterday"), (51, "October")] {
            days_ago(days).company(name).await;
            activity::sequence_all(&world.operator()).await.unwrap();
        }
        let companies = |from: &str, to: &str, what: &str| activity::Search {
            what: Some(what.to_owned()),
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
            ..activity::Search::default()
        };
        let found = async |filter: activity::Search| {
            // Page by page, like the page and the export.
            let (mut names, mut cursor) = (Vec::new(), None);
            loop {
                let query = PageQuery { limit: Some(1), cursor };
                let page = activity::search(&sigrid, &filter, &query).await.unwrap();
                names.extend(page.items.into_iter().map(|row| row.subject_label));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    return names;
                }
            }
        };
        for what in ["company", "company.created"] {
            for (from, to, names) in [
                ("", "", vec!["Today", "Yesterday", "First of the month", "October"]),
                ("2026-10-02", "", vec!["Today", "Yesterday", "First of the month"]),
                ("2026-10-01", "2026-11-01", vec!["First of the month", "October"]),
                ("2026-11-02", "2026-11-20", vec!["Yesterday"]),
                ("2026-11-20", "2026-11-21", vec!["Today", "Yesterday"]),
                ("", "2026-10-01", vec!["October"]),
                ("2026-10-02", "2026-10-31", vec![]),
            ] {
                assert_eq!(found(companies(from, to, what)).await, names, "{what} from {from:?} to {to:?}");
            }
        }
        let table = exports::Table::Log(companies("2026-10-02", "", "company"));
        let file = exports::first_page(&sigrid, &table).await.unwrap().text;
        for (name, is_in) in [("Today", true), ("First of the month", true), ("October", false)] {
            assert_eq!(file.contains(name), is_in, "{name}");
        }
        // One failed sign-in today, then two sequenced later with a time in September.
        fail_sign_ins(&world, "192.0.2.1", 1).await;
        activity::sequence_all(&world.operator()).await.unwrap();
        fail_sign_ins(&days_ago(70), "192.0.2.2", 2).await;
        activity::sequence_all(&world.operator()).await.unwrap();
        let asked =
            DateRangeQuery { from: Some("2026-09-01".to_owned()), to: Some("2026-11-30".to_owned()), period: None };
        let office = analytics::staff(&sigrid, &asked).await.unwrap();
        let failed: Vec<_> =
            office.months.iter().map(|month| (month.of.month.as_str(), month.failed_sign_ins)).collect();
        assert_eq!(failed, [("2026-09", 2), ("2026-10", 0), ("2026-11", 1)]);
    })
    .await;
}

#[tokio::test]
async fn office_analytics_count_orders_revenue_and_step_times() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        let company = world.company("Meridian").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (_, spv, _) = world.client("Maya", company, Some(iso)).await;
        world.client("Nils", company, None).await;
        activity::sequence_all(&world.operator()).await.unwrap();
        let found = analytics::staff(&sigrid, &DateRangeQuery::default()).await.unwrap();
        assert_eq!(found.total, 2);
        let usd = (Currency::Usd, 250_000);
        assert_eq!(found.revenue, [usd]);
        assert_eq!(found.average_step_days, None);
        let november = found.months.last().unwrap();
        assert_eq!((november.of.month.as_str(), november.of.placed), ("2026-11", 2));
        assert_eq!(found.companies.iter().map(|group| group.spvs).collect::<Vec<_>>(), [2]);
        let mut partners: Vec<_> = found.isos.iter().map(|group| group.name.as_deref()).collect();
        partners.sort_unstable();
        assert_eq!(partners, [None, Some("Ingrid Test")]);
        let empty = DateRangeQuery { period: Some("last_year".to_owned()), ..DateRangeQuery::default() };
        assert_eq!(analytics::staff(&sigrid, &empty).await.unwrap().total, 0);
        // A company with fees in euros only, and a country with none in dollars.
        let euros = onboarding::ClientInput {
            first_name: "Okan".to_owned(),
            last_name: "Test".to_owned(),
            email: "okan@example.com".to_owned(),
            company_id: Some(world.company("Beta").await),
            price: Some("99.90".to_owned()),
            currency: Some("EUR".to_owned()),
            country: Some("JP".to_owned()),
            ..onboarding::ClientInput::default()
        };
        onboarding::create_client(&world.operator().without_notifications(), onboarding::Setup::Full, euros)
            .await
            .unwrap();
        let found = analytics::staff(&sigrid, &DateRangeQuery::default()).await.unwrap();
        let eur = (Currency::Eur, 9_990);
        assert_eq!(found.revenue, [usd, eur]);
        assert_eq!(found.companies.iter().map(|row| row.revenue.clone()).collect::<Vec<_>>(), [vec![usd], vec![eur]]);
        let country = |country, spvs, fee| analytics::CountryRevenue { country, spvs, revenue: vec![fee] };
        assert_eq!(found.countries, [country(Country::Us, 2, usd), country(Country::Jp, 1, eur)]);
        // Two days, then ten and four: counted in the month of completion, whenever the order was placed.
        let order = spvs::get(&sigrid, spv).await.unwrap();
        for (step, days) in order.steps.iter().zip([2, 10, 4]) {
            world.clock.advance(Duration::days(days));
            steps::complete(&sigrid, spv, None, &[step.id]).await.unwrap();
        }
        let found = analytics::staff(&sigrid, &DateRangeQuery::default()).await.unwrap();
        let months = found.months.iter().filter(|month| month.steps > 0);
        let months: Vec<_> =
            months.map(|month| (month.of.month.as_str(), month.steps, month.average_step_days)).collect();
        assert_eq!(months, [("2026-11", 1, Some(2.0)), ("2026-12", 2, Some(7.0))]);
        assert_eq!(found.average_step_days, Some(5.3));
        let december = DateRangeQuery { from: Some("2026-12-01".to_owned()), ..DateRangeQuery::default() };
        let found = analytics::staff(&sigrid, &december).await.unwrap();
        assert_eq!((found.total, found.average_step_days, found.months.len()), (0, Some(7.0), 1));
    })
    .await;
}

#[tokio::test]
async fn office_settings_are_validated_and_applied() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        settings::set(&sigrid, |now| settings::Settings {
            identifier_prefix: Some("nf".to_owned()),
            default_currency: Some(domain::kernel::money::Currency::Eur),
            default_time_zone: Some("Asia/Singapore".to_owned()),
            storage_quota_gb: Some(2),
            mail_sender: Some("Northern <office@example.com>".to_owned()),
            ..now
        })
        .await
        .unwrap();
        let company = world.company("Meridian").await;
        let row = domain::directory::companies::get(&sigrid, company).await.unwrap();
        assert_eq!(row.time_zone, "Asia/Singapore");
        let (client, _, maya) = world.client("Maya", company, None).await;
        assert_eq!(user(&world, &maya).await.time_zone, "Asia/Singapore");
        let input = onboarding::OrderInput {
            client_id: Some(client),
            company_id: Some(company),
            purchase_amount: Some("5".to_owned()),
            ..Default::default()
        };
        let spv = onboarding::create_order(&sigrid, input).await.unwrap().spv;
        assert!(spv.identifier().starts_with("NF-2026"), "{}", spv.identifier());
        assert_eq!(spv.currency, domain::kernel::money::Currency::Eur);
        let found = settings::get(&sigrid).await.unwrap();
        assert_eq!(found.storage_quota(&world.options), Some(2_000_000_000));
        activity::sequence_all(&world.operator()).await.unwrap();
        let filter = activity::Search { what: Some("settings.updated".to_owned()), ..Default::default() };
        let logged = activity::search(&sigrid, &filter, &PageQuery::default()).await.unwrap().items.remove(0);
        assert_eq!(logged.data["before"]["identifier_prefix"], serde_json::Value::Null);
        assert_eq!(logged.data["after"]["identifier_prefix"], "NF-");
        let wrong = settings::set(&sigrid, |now| settings::Settings {
            identifier_prefix: Some("not ok".to_owned()),
            mail_sender: Some("nobody".to_owned()),
            default_time_zone: Some("Mars".to_owned()),
            storage_quota_gb: Some(0),
            ..now
        });
        let Err(Error::Invalid(fields)) = wrong.await else { panic!("refused") };
        let mut names: Vec<_> = fields.into_iter().map(|field| field.field).collect();
        names.sort();
        assert_eq!(names, ["default_time_zone", "identifier_prefix", "mail_sender", "storage_quota_gb"]);
    })
    .await;
}

#[tokio::test]
async fn admission_cache_expires_without_notifications() {
    on_both(async |world: World| {
        let admission = AdmissionCache::default();
        let looks = async || admission.get(&world.db, world.clock.now()).await.maintenance.is_some();
        assert!(!looks().await);
        maintenance::start(&world.operator(), None).await.unwrap();
        world.clock.advance(Duration::seconds(9));
        assert!(!looks().await, "the cached policy is still used");
        world.clock.advance(Duration::seconds(1));
        assert!(looks().await);
        maintenance::end(&world.operator()).await.unwrap();
        admission.invalidate();
        assert!(!looks().await);
    })
    .await;
}
