//! Row locks do not write primary keys: inserts that reference a locked row do not wait, and SQLite does not check
//! every referencing table. On both databases.
use domain::{
    Error,
    accounts::{
        auth::{self, Auth, Keys, passwords},
        mail_delivery, users,
    },
    desk::{messages, people},
    directory::{clients, isos},
    kernel::{
        access::Role,
        db::{Dialect, Sql, for_update},
        ids::{SpvId, StepId},
        page::PageQuery,
    },
    operations::recount,
    orders::{commissions, spvs, steps},
    outbox::mails,
    testing::{World, on_both},
};
use std::{collections::HashMap, fs, path::Path, pin::pin, time::Duration};

/// Installs triggers that reject any write to an `id` column, even of the same value.
async fn reject_key_writes(world: &World) {
    let mut tx = world.db.begin().await.unwrap();
    let tables = match tx.dialect() {
        Dialect::Sqlite => {
            "select m.name from sqlite_master m join pragma_table_info(m.name) c \
             where m.type = 'table' and c.name = 'id' and m.name not in ('Jobs', 'Workers')"
        }
        Dialect::Postgres => {
            "select cast(table_name as text) from information_schema.columns \
             where table_schema = 'public' and column_name = 'id'"
        }
    };
    let tables: Vec<(String,)> = tx.sql(tables).all().await.unwrap();
    assert!(tables.len() > 30, "{tables:?}");
    if tx.dialect() == Dialect::Postgres {
        let refuse = "create function refuse_key() returns trigger language plpgsql as \
                      $$ begin raise exception 'the key of % was written', tg_table_name; end $$";
        tx.sql(refuse).run().await.unwrap();
    }
    for (table,) in tables {
        let refused = match tx.dialect() {
            Dialect::Sqlite => format!(
                "create trigger {table}_key before update of id on {table} \
                 begin select raise(abort, 'the key of {table} was written'); end"
            ),
            Dialect::Postgres => format!(
                "create trigger {table}_key before update of id on {table} for each row execute function refuse_key()"
            ),
        };
        tx.sql_built(refused).run().await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn use_cases_do_not_write_keys_of_locked_rows() {
    on_both(async |world: World| {
        let sigrid = world.super_admin("Sigrid").await;
        let company = world.company("Harbor").await;
        let (iso, _) = world.iso("Ingrid", company).await;
        let (_, first, _) = world.client("Maya", company, Some(iso)).await;
        let (_, second, _) = world.client("Noah", company, Some(iso)).await;
        let olga = world.user(Role::Employee, "Olga", None, None).await;
        let hash = passwords::hash(&world.operator(), "correct horse battery").await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        users::set_password_hash(&mut tx, olga.id, &hash, false).await.unwrap();
        tx.commit().await.unwrap();
        reject_key_writes(&world).await;
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update users set id = id where id = $1").bind(olga.id).run().await.unwrap_err();
        drop(tx);

        for order in [first, second] {
            spvs::hold(&sigrid, order, None, "A paper is missing").await.unwrap();
            for step in spvs::resume(&sigrid, order, None).await.unwrap().steps {
                let done = steps::Change { status: Some("completed".to_owned()), ..steps::Change::default() };
                steps::update(&sigrid, step.id, None, done).await.unwrap();
            }
        }
        let earned = commissions::list(&sigrid, &commissions::Filter::default(), &PageQuery::default()).await.unwrap();
        commissions::approve(&sigrid, &[earned.items[0].id]).await.unwrap();
        commissions::void(&sigrid, earned.items[1].id, None, "Agreed otherwise").await.unwrap();

        let auth = Auth::new(Keys::for_tests());
        let email = "olga@example.com";
        let granted = auth::sign_in(&world.anonymous(), &auth, email, "correct horse battery").await.unwrap();
        auth::refresh(&world.anonymous(), &auth, &granted.refresh_token).await.unwrap();
        users::suspend(&sigrid, olga.id, None).await.unwrap();
        users::restore(&sigrid, olga.id, None).await.unwrap();
        people::set_role(&sigrid, olga.id, Role::SuperAdmin, None, None, None).await.unwrap();
        isos::archive(&sigrid, iso, None).await.unwrap();
        isos::restore(&sigrid, iso, None).await.unwrap();

        let outbox = mails::list(&sigrid, None, &PageQuery::default()).await.unwrap().items;
        assert!(!outbox.is_empty());
        for mail in outbox {
            mail_delivery::load_for_sending(&world.operator(), mail.id).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn inserts_referencing_a_locked_row_do_not_wait() {
    on_both(async |world: World| {
        let company = world.company("Harbor").await;
        let (_, order, maya) = world.client("Maya", company, None).await;
        let dialect = world.db.clone().dialect();
        if dialect == Dialect::Sqlite {
            assert_eq!(for_update(dialect, "s"), "", "SQLite has one writer and needs no row lock");
            return;
        }
        let mut db = world.db.clone();
        let written = "select cast(xmin as text) from spvs where id = $1";
        let before: String = db.sql(written).bind(order).scalar().await.unwrap();
        let lock = format!("select s.id from spvs s where s.id = $1{}", for_update(dialect, "s"));
        let mut holder = world.db.begin().await.unwrap();
        holder.sql_built(lock.clone()).bind(order).one::<(domain::kernel::ids::SpvId,)>().await.unwrap();
        let hello = messages::Input { spv_id: Some(order), body: "Hello".to_owned(), ..Default::default() };
        let sent = tokio::time::timeout(Duration::from_secs(5), messages::send(&maya, hello)).await;
        sent.expect("the insert does not wait for the order's lock").unwrap();
        let mut other = world.db.begin().await.unwrap();
        other.sql_built(format!("{lock} nowait")).bind(order).one::<(domain::kernel::ids::SpvId,)>().await.unwrap_err();
        drop(other);
        holder.commit().await.unwrap();
        let after: String = db.sql(written).bind(order).scalar().await.unwrap();
        assert_eq!(after, before, "a lock does not write the row");
    })
    .await;
}

/// PostgreSQL only: SQLite has one writer.
#[tokio::test]
async fn suspending_a_client_rechecks_the_role_under_the_lock() {
    let Some(world) = World::postgres().await else { return };
    let erin = world.employee("Erin").await;
    let company = world.company("Harbor").await;
    let maya = world.user(Role::Client, "Maya", Some(company), None).await.id;
    let mut other = world.db.begin().await.unwrap();
    other.sql("update users set role = 'super_admin' where id = $1").bind(maya).run().await.unwrap();
    let suspending = tokio::spawn(async move { clients::suspend(&erin, maya, None).await });
    let waits = "select exists (select 1 from pg_stat_activity \
         where datname = current_database() and wait_event_type = 'Lock')";
    let waiting = async { while !world.db.clone().sql(waits).scalar::<bool>().await.unwrap() {} };
    tokio::time::timeout(Duration::from_secs(10), waiting).await.expect("it waits for the lock of the account");
    other.commit().await.unwrap();
    assert!(matches!(suspending.await.unwrap(), Err(Error::NotFound("client"))));
    assert_eq!(users::get(&world.operator(), maya).await.unwrap().status, users::Status::Active);
}

#[tokio::test]
async fn concurrent_step_updates_are_all_kept() {
    on_both(async |world: World| {
        let sigrid = world.super_admin("Sigrid").await;
        let company = world.company("Harbor").await;
        let (_, order, _) = world.client("Maya", company, None).await;
        let before = spvs::get(&sigrid, order).await.unwrap().steps;
        let change = |n: usize| match n % 3 {
            0 => steps::Change { status: Some("in_progress".to_owned()), ..steps::Change::default() },
            1 => steps::Change { text_data: Some(format!("Note {n}")), ..steps::Change::default() },
            _ => steps::Change { status: Some("pending".to_owned()), ..steps::Change::default() },
        };
        let updates = (0..8 * before.len()).map(|n| {
            let step = before[n % before.len()].id;
            let change = change(n / before.len());
            let sigrid = &sigrid;
            async move { (step, steps::update(sigrid, step, None, change).await) }
        });
        let mut kept = HashMap::new();
        for (step, outcome) in futures::future::join_all(updates).await {
            match outcome {
                Ok(_) => *kept.entry(step).or_insert(0) += 1,
                // A dependency may not be completed yet.
                Err(Error::Conflict(_)) => {}
                Err(e) => panic!("{e:?}"),
            }
        }
        let after = spvs::get(&sigrid, order).await.unwrap();
        for (old, new) in before.iter().zip(&after.steps) {
            assert_eq!(new.version, old.version + kept[&new.id], "{}", new.step_name);
        }
        let pending = after.steps.iter().filter(|step| step.status == steps::Status::Pending).count();
        assert_eq!(usize::try_from(after.spv.steps_pending), Ok(pending));
        let differing = recount::diff(&world.db).await.unwrap();
        assert!(differing.is_empty(), "{differing:?}");
    })
    .await;
}

/// Starts both, the second after the first, while another transaction holds the order's lock, then releases it.
async fn run_in_lock_order<A, B>(
    world: &World,
    order: SpvId,
    first: impl Future<Output = A>,
    second: impl Future<Output = B>,
) -> (A, B) {
    let mut holder = world.db.begin().await.unwrap();
    let lock = format!("select s.id from spvs s where s.id = $1{}", for_update(holder.dialect(), "s"));
    holder.sql_built(lock).bind(order).one::<(SpvId,)>().await.unwrap();
    let mut first = pin!(first);
    let mut second = pin!(second);
    let a_while = Duration::from_millis(200);
    assert!(tokio::time::timeout(a_while, first.as_mut()).await.is_err(), "the first waits");
    assert!(tokio::time::timeout(a_while, second.as_mut()).await.is_err(), "the second waits");
    let (let_go, first, second) = tokio::join!(holder.commit(), first, second);
    let_go.unwrap();
    (first, second)
}

#[tokio::test]
async fn step_update_after_a_lock_wait_sees_the_current_order() {
    on_both(async |world: World| {
        let sigrid = world.super_admin("Sigrid").await;
        let company = world.company("Harbor").await;
        let (_, order, _) = world.client("Maya", company, None).await;
        let needing = |needs: Vec<StepId>| steps::Change { depends_on: Some(needs), ..steps::Change::default() };
        let all: Vec<StepId> = spvs::get(&sigrid, order).await.unwrap().steps.into_iter().map(|step| step.id).collect();
        for step in &all {
            steps::update(&sigrid, *step, None, needing(Vec::new())).await.unwrap();
        }
        let waits_for = |step, need| steps::update(&sigrid, step, None, needing(vec![need]));
        let (first, second) =
            run_in_lock_order(&world, order, waits_for(all[0], all[1]), waits_for(all[1], all[0])).await;
        first.unwrap();
        assert!(matches!(&second, Err(Error::Invalid(why)) if why[0].problem.code == "circle"), "{second:?}");

        let note = |step| {
            let change = steps::Change { text_data: Some("A note".to_owned()), ..steps::Change::default() };
            steps::update(&sigrid, step, None, change)
        };
        let held = spvs::hold(&sigrid, order, None, "A paper is missing");
        let (held, noted) = run_in_lock_order(&world, order, held, note(all[2])).await;
        held.unwrap();
        assert!(matches!(&noted, Err(Error::Conflict(why)) if why.code == "wrong_status"), "{noted:?}");
        spvs::resume(&sigrid, order, None).await.unwrap();

        let removed = steps::remove(&sigrid, all[2], None);
        let (removed, noted) = run_in_lock_order(&world, order, removed, note(all[2])).await;
        removed.unwrap();
        assert!(matches!(noted, Err(Error::NotFound("step"))), "{noted:?}");
        // Concurrent notes on other steps do not conflict.
        let (other, noted) = run_in_lock_order(&world, order, note(all[3]), note(all[4])).await;
        other.unwrap();
        noted.unwrap();

        // Completing a step depends on the dependencies: changing those raises the order's version, changing notes does
        // not.
        let version = async || spvs::get(&sigrid, order).await.unwrap().spv.version;
        let before = version().await;
        steps::update(&sigrid, all[4], None, needing(vec![all[3]])).await.unwrap();
        assert_eq!(version().await, before + 1);
        note(all[4]).await.unwrap();
        assert_eq!(version().await, before + 1);
    })
    .await;
}

/// Checks statically the statements that no test executes.
#[test]
fn no_statement_sets_id_to_itself() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|end| end != "rs") {
                continue;
            }
            files += 1;
            let text = fs::read_to_string(&path).unwrap().to_lowercase();
            // Comments are skipped: that of `for_update` names the statement.
            let words: Vec<&str> =
                text.lines().filter(|line| !line.trim().starts_with("//")).flat_map(str::split_whitespace).collect();
            let own = |word: &str| {
                word.split('.').next_back().is_some_and(|name| name.trim_matches(['"', ',', ';', ')']) == "id")
            };
            let found =
                words.windows(4).find(|four| four[0] == "set" && own(four[1]) && four[2] == "=" && own(four[3]));
            assert_eq!(found, None, "{}", path.display());
        }
    }
    assert!(files > 100, "{files}");
}
