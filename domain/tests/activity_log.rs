//! Activity log: entries are append-only, tampering is detected, sequencing keeps one hash chain, pruning leaves it
//! verifiable, and staff-only data is redacted.
use chrono::Duration;
use domain::{
    Ctx, Error,
    accounts::{ip_blocklist, users},
    desk::{messages, people},
    directory::{clients, companies, leads},
    kernel::{
        access::Role,
        clock::Clock,
        db::{Dialect, Sql},
        page::PageQuery,
    },
    operations::{
        alerts::{self, Metrics},
        health_checks::Disk,
        security_scan, seed,
    },
    orders::{invoices, spvs, steps},
    outbox::{activity_feed, mails},
    platform::{
        activity::{self, Activity},
        queue,
        settings::{self, Retention, Settings},
    },
    reporting::dashboards,
    testing::{World, noon, on_both},
};
use tokio::sync::{broadcast, mpsc};

/// SQL of an id that no entry has.
const NEW_ID: &str = "(select id from users limit 1)";

/// SQL that inserts a copy of the first entry.
fn copy_first_entry(or: &str, id: &str, numbered: &str) -> String {
    format!(
        "insert {or} into activity (id, seq, hash, nth, at, actor_kind, actor_name, action, subject_kind, subject_label, \
         public, data) select {id}, {numbered}, nth, at, actor_kind, actor_name, action, subject_kind, subject_label, \
         public, data from activity where seq = 1"
    )
}

async fn assert_rejected(world: &World, sql: &str) {
    let mut tx = world.db.begin().await.unwrap();
    assert!(tx.sql_built(sql.to_owned()).run().await.is_err(), "rejected by the database: {sql}");
}

async fn first_invalid_seq(world: &World) -> Option<i64> {
    match activity::verify(&world.operator()).await {
        Ok(_) => None,
        Err(Error::Conflict(problem)) => problem.params["seq"].as_i64(),
        Err(e) => panic!("{e}"),
    }
}

#[tokio::test]
async fn entries_are_append_only_except_for_sequencing() {
    on_both(async |world| {
        world.super_admin("Sigrid").await;
        world.company("Meridian").await;
        for sql in [
            "update activity set actor_name = 'Mallory' where seq is null",
            "update activity set seq = 1, hash = 'x', subject_label = 'Other' where seq is null",
            "update activity set seq = 1 where seq is null",
            // Out of turn: the head has not moved.
            "update activity set seq = 1, hash = 'x' where seq is null",
            "delete from activity where seq is null",
        ] {
            assert_rejected(&world, sql).await;
        }
        activity::sequence_all(&world.operator()).await.unwrap();
        for sql in [
            "update activity set quiet = quiet where seq = 1",
            "update activity set hash = 'x' where seq = 1",
            "delete from activity where seq = 1",
            "update activity_checkpoint set seq = 1, hash = 'x'",
            "delete from activity_checkpoint",
            "update activity_head set seq = 0, hash = ''",
            "delete from activity_head",
        ] {
            assert_rejected(&world, sql).await;
        }
        for id in ["id", NEW_ID] {
            assert_rejected(&world, &copy_first_entry("", id, "2, 'x'")).await;
            assert_rejected(&world, &copy_first_entry("", id, "null, 'x'")).await;
        }
        assert_rejected(&world, &copy_first_entry("", "id", "null, null")).await;
        for sql in match world.db.dialect() {
            Dialect::Sqlite => [
                copy_first_entry("or replace", "id", "null, null"),
                "insert or replace into activity_checkpoint (one, seq, hash) values (1, 1, 'x')".to_owned(),
                "insert or replace into activity_head (one, seq, hash) values (1, 0, '')".to_owned(),
            ],
            Dialect::Postgres => {
                ["activity", "activity_checkpoint", "activity_head"].map(|table| format!("truncate {table} cascade"))
            }
        } {
            assert_rejected(&world, &sql).await;
        }
        assert_eq!(first_invalid_seq(&world).await, None);
    })
    .await;
}

/// Covers every column of the schema, also future ones.
#[tokio::test]
async fn sequencing_changes_no_other_column() {
    on_both(async |world| {
        world.super_admin("Sigrid").await;
        world.company("Meridian").await;
        let mut db = world.db.clone();
        let (columns, later, id) = match db.dialect() {
            Dialect::Sqlite => {
                ("select name from pragma_table_info('activity')", "'2030-01-01T00:00:00+00:00'", "randomblob(16)")
            }
            Dialect::Postgres => (
                "select cast(column_name as text) from information_schema.columns \
                 where table_schema = 'public' and table_name = 'activity'",
                "cast('2030-01-01T00:00:00+00:00' as timestamptz)",
                "gen_random_uuid()",
            ),
        };
        let columns: Vec<(String,)> = db.sql(columns).all().await.unwrap();
        assert!(columns.len() > 15);
        let numbering = "update activity set seq = (select seq from activity_head), hash = 'x'";
        for (column,) in columns.iter().filter(|(column,)| !["seq", "hash"].contains(&column.as_str())) {
            let other = match column.as_str() {
                "id" | "actor_id" | "subject_id" | "company_id" | "client_id" | "iso_id" | "spv_id" => id,
                "nth" => "nth + 1",
                "at" => later,
                "public" | "quiet" => &format!("not {column}"),
                "data" => r#"'{"other": 1}'"#,
                _ => "'other'",
            };
            let mut tx = world.db.begin().await.unwrap();
            tx.sql("update activity_head set seq = seq + 1, hash = 'x'").run().await.unwrap();
            let which = "where seq is null and action = 'company.created'";
            assert!(tx.sql_built(format!("{numbering}, {column} = {other} {which}")).run().await.is_err(), "{column}");
            drop(tx);
            let mut tx = world.db.begin().await.unwrap();
            tx.sql("update activity_head set seq = seq + 1, hash = 'x'").run().await.unwrap();
            let same = format!("{numbering}, {column} = {column} {which}");
            assert_eq!(tx.sql_built(same).run().await.unwrap(), 1, "an unchanged entry is sequenced");
        }
    })
    .await;
}

#[tokio::test]
async fn verify_detects_changes_made_without_triggers() {
    for (harm, place) in [
        // One character changed.
        (&["update activity set subject_label = 'Meridiam' where seq = 2"][..], 2),
        (&["delete from activity where seq = 2"], 2),
        (&["delete from activity where seq = 4"], 4),
        (
            &[
                "update activity set seq = -1 where seq = 1",
                "update activity set seq = 1 where seq = 2",
                "update activity set seq = 2 where seq = -1",
            ],
            1,
        ),
        // The beginning of the chain, together with the checkpoint.
        (
            &[
                "update activity_checkpoint set seq = 2, hash = (select hash from activity where seq = 2)",
                "delete from activity where seq <= 2",
            ],
            2,
        ),
    ] {
        on_both(async |world| {
            for name in ["Anchor", "Meridian", "Summit", "Harbor"] {
                world.company(name).await;
            }
            activity::sequence_all(&world.operator()).await.unwrap();
            assert_eq!(activity::verify(&world.operator()).await.unwrap(), 4);
            for sql in harm {
                world.without_triggers(sql).await;
            }
            assert_eq!(first_invalid_seq(&world).await, Some(place), "{harm:?}");
        })
        .await;
    }
}

/// More entries than one batch and one transaction, so that sequencers interleave.
#[tokio::test]
async fn concurrent_sequencers_produce_one_chain_in_order() {
    on_both(async |world| {
        let operator = world.operator();
        world.company("Meridian").await;
        let id = match world.db.dialect() {
            Dialect::Sqlite => "randomblob(16)",
            Dialect::Postgres => "gen_random_uuid()",
        };
        let mut tx = world.db.begin().await.unwrap();
        tx.sql_built(format!(
            "insert into activity (id, nth, at, actor_kind, actor_name, action, subject_kind, subject_label, public, data) \
             with recursive n (i) as (select 1 union all select i + 1 from n where i < 619) \
             select {id}, i, at, actor_kind, actor_name, action, subject_kind, subject_label, public, data \
             from n, (select * from activity limit 1) one"
        ))
        .run()
        .await
        .unwrap();
        tx.commit().await.unwrap();
        let follow = || {
            let (feed, events) = broadcast::channel(1_000);
            (tokio::spawn(activity_feed::run(operator.clone(), feed, |_| ())), events)
        };
        let mut following = vec![follow(), follow()];
        let numbering = (0..3).map(|_| {
            let operator = operator.clone();
            tokio::spawn(async move { activity::sequence_all(&operator).await })
        });
        for one in numbering.collect::<Vec<_>>() {
            one.await.unwrap().unwrap();
        }
        assert_eq!(activity::verify(&operator).await.unwrap(), 620);
        // A sequencer starts at the head of its first poll, which may be late.
        let mut last = 620;
        while following.iter().any(|(_, events)| events.is_empty()) {
            world.company(&format!("Summit {last}")).await;
            last += 1;
            assert!(last < 720, "a sequencer does not run");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        for (task, events) in &mut following {
            let mut rows: Vec<Activity> = Vec::new();
            while rows.last().and_then(|row| row.seq) != Some(last) {
                let row = tokio::time::timeout(std::time::Duration::from_secs(20), events.recv()).await;
                rows.push((*row.expect("every entry is broadcast").unwrap()).clone());
            }
            task.abort();
            let from = rows[0].seq.unwrap() - 1;
            let kept = activity::since(&operator, from, 1_000).await.unwrap();
            assert_eq!(rows, kept, "each entry once, with its number");
        }
    })
    .await;
}

#[tokio::test]
async fn holds_recognizes_an_earlier_head() {
    on_both(async |world| {
        let operator = world.operator();
        world.company("Meridian").await;
        activity::sequence_all(&operator).await.unwrap();
        let (seq, hash) = activity::head(&operator).await.unwrap();
        world.company("Summit").await;
        activity::sequence_all(&operator).await.unwrap();
        assert_eq!(activity::holds(&operator, seq, &hash).await.unwrap(), Some(true));
        assert_eq!(activity::holds(&operator, seq, "x").await.unwrap(), Some(false));
        assert_eq!(activity::holds(&operator, 99, &hash).await.unwrap(), Some(false));
        let later = Clock::fixed(noon() + Duration::days(1));
        let later = World { clock: later, ..world.clone() };
        activity::prune(&later.operator(), noon() + Duration::hours(1)).await.unwrap();
        assert_eq!(activity::holds(&operator, seq, &hash).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn verify_detects_entries_outside_the_chain() {
    for (numbered, place) in [("0, 'x'", 0), ("9, 'x'", 9)] {
        on_both(async |world| {
            world.super_admin("Sigrid").await;
            world.company("Meridian").await;
            activity::sequence_all(&world.operator()).await.unwrap();
            assert_eq!(first_invalid_seq(&world).await, None);
            world.without_triggers(&copy_first_entry("", NEW_ID, numbered)).await;
            assert_eq!(first_invalid_seq(&world).await, Some(place));
        })
        .await;
    }
}

/// SQLite only: PostgreSQL rejects invalid JSON.
#[tokio::test]
async fn verify_reports_unreadable_entries() {
    let world = World::sqlite().await;
    for name in ["Anchor", "Meridian", "Summit"] {
        world.company(name).await;
    }
    activity::sequence_all(&world.operator()).await.unwrap();
    world.without_triggers("update activity set data = '{' where seq = 2").await;
    assert_eq!(first_invalid_seq(&world).await, Some(2));
}

#[tokio::test]
async fn operational_data_is_visible_to_super_admins_only() {
    on_both(async |world| {
        let operator = world.operator();
        let (sigrid, olga) = (world.super_admin("Sigrid").await, world.employee("Olga").await);
        let sender = Some("Northern <office@example.com>".to_owned());
        settings::set(&sigrid, |now| Settings { mail_sender: sender, ..now }).await.unwrap();
        let mail = mails::test(&sigrid).await.unwrap();
        mails::mark_failed(&operator, mail, "550 no such user", true).await.unwrap();
        let full = Metrics { disk: Some(Disk { free: 1, total: 100 }), keys_changed_at: None };
        alerts::check(&operator, &full).await.unwrap();
        let block = ip_blocklist::add(&sigrid, "192.0.2.0/24", Some("they try passwords")).await.unwrap();
        ip_blocklist::remove(&sigrid, block.id).await.unwrap();
        let scan = security_scan::enqueue(&sigrid).await.unwrap();
        security_scan::record_failure(&operator, scan.id, "the disk is full").await.unwrap();
        let seeded = seed::enqueue(&operator).await.unwrap();
        seed::record_failure(&operator, seeded, "the disk is full").await.unwrap();
        let jobs = queue::list(&sigrid, None, &PageQuery::default()).await.unwrap().items;
        queue::retry(&sigrid, &jobs[0].id).await.unwrap();
        activity::sequence_all(&operator).await.unwrap();
        for (ctx, label) in [(&sigrid, "disk"), (&operator, "disk"), (&olga, "disk_low")] {
            let listed = activity::list(ctx, &activity::Filter::default(), &Default::default()).await.unwrap().items;
            let events = activity::since(ctx, 0, 100).await.unwrap();
            for rows in [listed, events] {
                let of = |action: &str| rows.iter().find(|row| row.action == action).unwrap();
                let is_employee = label == "disk_low";
                for action in ["settings.updated", "mail.failed", "alert.opened", "scan.failed", "job.retried"] {
                    assert_eq!(of(action).data.is_empty(), is_employee, "{action}");
                }
                for action in ["address.blocked", "address.unblocked"] {
                    let shown = if is_employee { "\u{2026}" } else { "192.0.2.0/24" };
                    assert_eq!(of(action).subject_label, shown, "{action}");
                }
                assert_eq!(of("address.blocked").data.is_empty(), is_employee);
                let failed = of("seed.failed");
                assert_eq!(failed.data["job_id"], seeded.to_string(), "the page identifies its job by it");
                assert_eq!(failed.data.contains_key("reason"), !is_employee);
                // Redaction is idempotent: the stream may redact again what the catch-up did.
                for row in &rows {
                    assert_eq!(activity::redact(&ctx.actor, row.clone()), *row);
                }
                assert!(rows.iter().any(|row| row.action == "alert.opened" && row.subject_label == label));
            }
        }
    })
    .await;
}

/// PostgreSQL only: SQLite has one writer.
#[tokio::test]
async fn suspension_invalidates_sessions_before_it_is_broadcast() {
    let Some(world) = World::postgres().await else { return };
    let operator = world.operator();
    let company = world.company("Meridian").await;
    let (maya, order, as_maya) = world.client("Maya", company, None).await;
    let hello = messages::Input { body: "Hello".to_owned(), ..Default::default() };
    messages::send(&as_maya, hello).await.unwrap();
    // More entries than one batch, in this order.
    world.clock.advance(Duration::seconds(1));
    let step = spvs::get(&operator, order).await.unwrap().steps[0].id;
    for n in 0..60 {
        let change = steps::Change { text_data: Some(format!("Note {n}")), ..steps::Change::default() };
        steps::update(&operator, step, None, change).await.unwrap();
    }
    world.clock.advance(Duration::seconds(1));
    clients::suspend(&operator, maya, None).await.unwrap();
    // Another process holds the notification cursor.
    let mut other = world.db.begin().await.unwrap();
    other.sql("update notified set one = 1").run().await.unwrap();
    let (forgotten, mut forgetting) = mpsc::unbounded_channel();
    let (feed, mut live) = broadcast::channel(1_000);
    let first = move |event: &Activity| forgotten.send(event.action.clone()).unwrap_or_default();
    let following = tokio::spawn(activity_feed::run(operator, feed, first));
    let soon = std::time::Duration::from_secs(10);
    let suspended = async { while forgetting.recv().await.unwrap() != "client.suspended" {} };
    tokio::time::timeout(soon, suspended).await.expect("it does not wait");
    assert!(live.try_recv().is_err(), "notifications are processed before the broadcast");
    other.commit().await.unwrap();
    let events = async { while live.recv().await.unwrap().action != "client.suspended" {} };
    tokio::time::timeout(soon, events).await.expect("it is broadcast afterwards");
    following.abort();
}

/// PostgreSQL only: it locks single rows.
#[tokio::test]
async fn suspension_is_not_delayed_by_later_locked_entries() {
    let Some(world) = World::postgres().await else { return };
    let operator = world.operator();
    let company = world.company("Meridian").await;
    let (maya, order, _) = world.client("Maya", company, None).await;
    clients::suspend(&operator, maya, None).await.unwrap();
    world.clock.advance(Duration::seconds(1));
    let step = spvs::get(&operator, order).await.unwrap().steps[0].id;
    for n in 0..60 {
        let change = steps::Change { text_data: Some(format!("Note {n}")), ..steps::Change::default() };
        steps::update(&operator, step, None, change).await.unwrap();
    }
    let mut other = world.db.begin().await.unwrap();
    let last = "select seq from activity order by at desc, nth desc, id desc limit 1 for update";
    let (unnumbered,): (Option<i64>,) = other.sql(last).one().await.unwrap();
    assert_eq!(unnumbered, None);
    let (forgotten, mut forgetting) = mpsc::unbounded_channel();
    let first = move |event: &Activity| forgotten.send(event.action.clone()).unwrap_or_default();
    let following = tokio::spawn(activity_feed::run(operator, broadcast::channel(1_000).0, first));
    let suspended = async { while forgetting.recv().await.unwrap() != "client.suspended" {} };
    tokio::time::timeout(std::time::Duration::from_secs(10), suspended).await.expect("it does not wait");
    other.commit().await.unwrap();
    following.abort();
}

#[tokio::test]
async fn previous_values_are_visible_to_super_admins_only() {
    on_both(async |world| {
        let (sigrid, olga) = (world.super_admin("Sigrid").await, world.employee("Olga").await);
        let company = world.company("Meridian").await;
        let (_, ingrid) = world.iso("Ingrid", company).await;
        let (client, _, maya) = world.client("Maya", company, None).await;
        let clara = world.company_admin("Clara", company).await;
        let otto = world.user(Role::Employee, "Otto", None, None).await;
        // Sequenced now, because the clock stands still: these entries come before the following ones.
        activity::sequence_all(&world.operator()).await.unwrap();
        let some = |text: &str| Some(text.to_owned());
        let input = companies::Input { phone: some("+1 555 0142"), ..Default::default() };
        companies::update(&olga, company, None, input).await.unwrap();
        let input = companies::SettingsInput { address: some("1 Pier"), ..Default::default() };
        companies::set(&clara, company, None, input).await.unwrap();
        let change = clients::Change { phone: some("+1 555 0143"), ..Default::default() };
        people::update_client(&olga, client, None, change).await.unwrap();
        let change = users::UpdateProfile { city: some("Lisbon"), ..Default::default() };
        people::update_profile(&maya, None, change).await.unwrap();
        let preferences = users::Preferences { time_zone: some("Europe/Lisbon"), ..Default::default() };
        users::set_preferences(&maya, preferences).await.unwrap();
        let input = leads::Input {
            first_name: "Lena".to_owned(),
            last_name: "Lead".to_owned(),
            email: "lena@lead.example".to_owned(),
            ..Default::default()
        };
        let lead = leads::create(&ingrid, input).await.unwrap();
        let change = leads::Change { note: some("Call back"), ..Default::default() };
        leads::update(&ingrid, lead.id, None, change).await.unwrap();
        people::set_role(&sigrid, otto.id, Role::CompanyAdmin, Some(company), None, None).await.unwrap();
        activity::sequence_all(&world.operator()).await.unwrap();

        let read = async |ctx: &Ctx| activity::since(ctx, 0, 500).await.unwrap();
        let rows = read(&sigrid).await;
        let sides = |row: &Activity, field: &str| {
            let side = |name: &str| row.data.get(name).and_then(|side| side.get(field)).cloned();
            Some((side("before")?, side("after")?))
        };
        let company_id = company.to_string();
        for (action, field, after) in [
            ("company.updated", "phone", "+1 555 0142"),
            ("company.settings_changed", "address", "1 Pier"),
            ("client.updated", "phone", "+1 555 0143"),
            ("user.updated", "city", "Lisbon"),
            ("user.updated", "time_zone", "Europe/Lisbon"),
            ("lead.updated", "note", "Call back"),
            ("user.role_changed", "company_id", company_id.as_str()),
        ] {
            let change_data = rows.iter().filter(|row| row.action == action).find_map(|row| sides(row, field));
            let (before, now) = change_data.unwrap_or_else(|| panic!("{action} {field}: {rows:?}"));
            assert_eq!(now, after, "{action}");
            assert_ne!(before, now, "{action}");
        }
        assert!(!rows.iter().any(|row| sides(row, "version").is_some() || sides(row, "updated_at").is_some()));
        let tells = |row: &Activity| row.data.contains_key("before") || row.data.contains_key("after");
        // The people concerned see the entry without the previous and new values.
        for (ctx, action) in [
            (&olga, "client.updated"),
            (&clara, "company.settings_changed"),
            (&maya, "user.updated"),
            (&ingrid, "lead.updated"),
        ] {
            let events = read(ctx).await;
            assert!(events.iter().any(|row| row.action == action), "{action}");
            assert!(!events.iter().any(tells));
        }
        let opened = dashboards::employee(&olga).await.unwrap().activity;
        assert!(opened.iter().any(|row| row.action == "client.updated") && !opened.iter().any(tells), "{opened:?}");
        let opened = dashboards::company(&clara, None, &PageQuery::default()).await.unwrap().activity;
        let found = opened.iter().any(|row| row.action == "company.settings_changed");
        assert!(found && !opened.iter().any(tells), "{opened:?}");
    })
    .await;
}

#[tokio::test]
async fn dashboards_leave_out_reminders() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        let (.., maya) = world.client("Maya", company, None).await;
        let (olga, clara) = (world.employee("Olga").await, world.company_admin("Clara", company).await);
        world.clock.advance(Duration::days(365));
        assert!(steps::remind_overdue(&world.operator()).await.unwrap() > 0);
        invoices::remind(&world.operator()).await.unwrap();
        activity::sequence_all(&world.operator()).await.unwrap();
        for reader in [&olga, &clara, &maya] {
            let log = activity::list(reader, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
            assert!(log.iter().any(|row| row.action.ends_with(".overdue")), "{log:?}");
        }
        let office = dashboards::employee(&olga).await.unwrap().activity;
        let portfolio = dashboards::company(&clara, None, &PageQuery::default()).await.unwrap().activity;
        let own = dashboards::client(&maya).await.unwrap().activity;
        for shown in [office, portfolio, own] {
            assert!(shown.iter().any(|row| row.action == "spv.created"), "{shown:?}");
            assert!(!shown.iter().any(|row| row.action.ends_with(".overdue")), "{shown:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn pruned_log_still_verifies() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        for name in ["Anchor", "Meridian"] {
            world.company(name).await;
        }
        let operator = world.operator();
        activity::sequence_all(&operator).await.unwrap();
        let old = activity::verify(&operator).await.unwrap();
        let mut later = world.clone();
        later.clock = Clock::fixed(noon() + Duration::days(200));
        later.company("Summit").await;
        let cut = activity::prune(&later.operator(), noon() + Duration::days(10)).await.unwrap();
        assert_eq!(i64::try_from(cut).unwrap(), old);
        // Valid before the `activity.cut` entry is sequenced, and after.
        activity::verify(&operator).await.unwrap();
        activity::sequence_all(&operator).await.unwrap();
        assert_eq!(activity::verify(&operator).await.unwrap(), 2, "company.created and activity.cut");
        assert_eq!(activity::prune(&later.operator(), noon() + Duration::days(10)).await.unwrap(), 0);
        let newest = activity::list(&sigrid, &activity::Filter::default(), &Default::default()).await.unwrap().items;
        assert!(newest.iter().any(|row| row.action == "activity.cut"));
        assert_eq!(newest.len(), 2);
        world.without_triggers("delete from activity where action = 'activity.cut'").await;
        assert!(first_invalid_seq(&world).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn retention_setting_is_bounded_and_versioned() {
    on_both(async |world| {
        let sigrid = world.super_admin("Sigrid").await;
        for (days, good) in [(None, true), (Some(190), true), (Some(189), false), (Some(3_651), false)] {
            let with_days = |now: Settings| Settings { retention: Retention { activity_days: days }, ..now };
            assert_eq!(settings::set(&sigrid, with_days).await.is_ok(), good, "{days:?}");
        }
        let seen = settings::get(&sigrid).await.unwrap().version;
        settings::set_seen(&sigrid, Some(seen), |now| now).await.unwrap();
        let late = settings::set_seen(&sigrid, Some(seen), |now| now).await;
        assert!(matches!(late, Err(Error::Conflict(problem)) if problem.code == "stale"));
    })
    .await;
}

#[tokio::test]
async fn verify_detects_changed_and_deleted_log_entries() {
    on_both(async |world| {
        let company = world.company("Meridian").await;
        world.client("Maya", company, None).await;
        activity::sequence_all(&world.operator()).await.unwrap();
        let whole = activity::verify(&world.operator()).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        let refused = tx.sql("update activity set actor_name = 'Mallory' where seq = 2").run().await;
        assert!(refused.is_err(), "rejected by the database");
        drop(tx);
        let mut tx = world.db.begin().await.unwrap();
        assert!(tx.sql("delete from activity where seq = 2").run().await.is_err());
        drop(tx);
        for (harm, place) in [
            ("update activity set actor_name = 'Mallory' where seq = 2", 2),
            ("update activity set actor_name = 'root' where seq = 2", 0),
            ("delete from activity where seq = 3", 3),
        ] {
            world.without_triggers(harm).await;
            match activity::verify(&world.operator()).await {
                Ok(rows) => assert_eq!((rows, place), (whole, 0), "valid again after reverting the change"),
                Err(Error::Conflict(problem)) => assert_eq!(problem.params["seq"], place),
                Err(e) => panic!("{e}"),
            }
        }
    })
    .await;
}
