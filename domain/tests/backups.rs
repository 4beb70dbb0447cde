//! Backups and database transfer: completeness, restore between SQLite and PostgreSQL, damage detection, retention and
//! permissions (super admins and the operator only).
use chrono::Duration;
use domain::{
    Ctx, Error, Options,
    accounts::{
        auth::{self, Auth, Keys},
        users,
    },
    kernel::{
        backup_retention::BackupRetention,
        clock::{Clock, RandomSource},
        db::{Db, Dialect, Durability, Sql},
        page::PageQuery,
        storage::{Credentials, Storage, StorageUrl},
    },
    operations::{
        alerts,
        backups::{self, EXCLUDED_TABLES, Manifest, Progress, State},
        health_checks, seed,
    },
    orders::{documents::uploads, spvs},
    platform::{activity, queue},
    reporting::{dashboards, search},
    testing::{World, code, needs, noon, on_both},
};
use flate2::read::GzDecoder;
use futures::TryStreamExt;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

fn no_progress(_: Progress<'_>) {}

/// The world with a backup directory and signing keys, like an installed portal.
fn with_backup_dir(world: &World, backups: &Path) -> World {
    let dir = world.dir.path.clone();
    let options = Options {
        backup_dir: Some(backups.to_owned()),
        signing_keys: Some(dir.join("signing_keys.json")),
        data_dir: Some(dir),
        ..Options::clone(&world.options)
    };
    World { options: Arc::new(options), ..world.clone() }
}

fn after_minutes(world: &World, minutes: i64) -> World {
    World { clock: Clock::fixed(noon() + Duration::minutes(minutes)), ..world.clone() }
}

/// Uploads a document.
async fn upload_file(ctx: &Ctx, content: &'static [u8]) {
    let new = uploads::CreateUpload {
        file_name: "passport.pdf".to_owned(),
        bytes: content.len() as u64,
        ..Default::default()
    };
    let upload = uploads::create(ctx, new).await.unwrap();
    let bytes = futures::stream::iter([Ok::<_, std::convert::Infallible>(bytes::Bytes::from_static(content))]);
    assert!(uploads::append(ctx, upload.id, 0, bytes).await.unwrap().saved_document_id.is_some());
}

/// Rows of a backup by table, sorted. JSON texts are parsed, so that formatting does not matter.
fn table_rows(backups: &Path, manifest: &Manifest) -> BTreeMap<String, Vec<String>> {
    let table = |rows: &backups::Rows| {
        let path = backups.join(&manifest.name).join("tables").join(format!("{}.jsonl.gz", rows.table));
        let mut found: Vec<String> = BufReader::new(GzDecoder::new(File::open(path).unwrap()))
            .lines()
            .map(|line| {
                let values: Vec<Value> = serde_json::from_str(&line.unwrap()).unwrap();
                let parsed = values.into_iter().map(|value| match value.as_str().map(serde_json::from_str::<Value>) {
                    Some(Ok(inside @ (Value::Object(_) | Value::Array(_)))) => inside,
                    _ => value,
                });
                let row: BTreeMap<&String, Value> = rows.columns.iter().zip(parsed).collect();
                serde_json::to_string(&row).unwrap()
            })
            .collect();
        found.sort();
        (rows.table.clone(), found)
    };
    manifest.tables.iter().map(table).collect()
}

/// Its own prefix in the test bucket.
fn s3() -> Option<Storage> {
    let url = needs("TEST_S3_URL")?;
    let Some(StorageUrl::S3(mut bucket)) = StorageUrl::parse(&url) else { panic!("TEST_S3_URL is {url}") };
    bucket.prefix = RandomSource::system().uuid().to_string();
    let credentials = Credentials { access_key_id: "test".to_owned(), secret_access_key: "test".to_owned() };
    Some(Storage::open(&StorageUrl::S3(bucket), Some(&credentials)).unwrap())
}

#[tokio::test]
async fn every_table_is_backed_up_or_excluded() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let made = backups::create(&world.operator(), &no_progress).await.unwrap();
        let manifest = backups::find(&world.operator(), &made.name).await.unwrap();
        let mut known: BTreeSet<String> = manifest.tables.iter().map(|rows| rows.table.clone()).collect();
        known.extend(EXCLUDED_TABLES.iter().map(|(table, _)| (*table).to_owned()));
        let mut db = world.db.clone();
        let sql = match db.dialect() {
            Dialect::Sqlite => {
                "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' \
                 and name not in ('Jobs', 'Workers') and name not like '_%migrations' \
                 and name not like 'search_index%'"
            }
            Dialect::Postgres => {
                "select cast(table_name as text) from information_schema.tables \
                 where table_schema = 'public' and table_name not like '\\_%'"
            }
        };
        let there: Vec<(String,)> = db.sql(sql).all().await.unwrap();
        assert_eq!(known, there.into_iter().map(|(name,)| name).collect::<BTreeSet<_>>());
        if db.dialect() == Dialect::Postgres {
            let sql = "select count(*) from pg_sequences where schemaname = 'public' \
                       and sequencename <> 'search_rows_id_seq'";
            let counted: i64 = db.sql(sql).scalar().await.unwrap();
            assert_eq!(counted, 0, "a restored sequence would restart; only that of the search index is set");
        }
    })
    .await;
}

#[tokio::test]
async fn backups_restore_between_sqlite_and_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let mut offices = vec![World::sqlite().await];
    offices.extend(World::postgres().await);
    for office in offices {
        let here = folder.path().join(format!("{:?}", office.db.dialect()));
        fs::create_dir(&here).unwrap();
        let office = with_backup_dir(&office, &here);
        let operator = office.operator();
        assert!(seed::demo(&operator).await.unwrap());
        let keys = office.options.signing_keys.clone().unwrap();
        let before = Auth::new(Keys::load_or_create(&keys).unwrap());
        let password = office.options.demo_password.clone();
        let granted = auth::sign_in(&office.anonymous(), &before, "super@example.com", &password).await.unwrap();
        health_checks::enqueue(&operator).await.unwrap();
        activity::sequence_all(&operator).await.unwrap();
        let made = backups::create(&operator, &no_progress).await.unwrap();
        assert_eq!((made.state, made.documents_missing), (State::Done, 0));
        assert!(made.rows_count > 3_000 && made.documents_count > 3 && made.bytes > 10_000, "{made:?}");
        let report = backups::verify(&operator, &made.name, &no_progress).await.unwrap();
        assert_eq!(report.faults, Vec::<String>::new());
        assert!(report.activity > 500, "{report:?}");
        let manifest = backups::find(&operator, &made.name).await.unwrap();
        let expected_rows = table_rows(&here, &manifest);
        assert_transfers(&office, &here, &manifest, &expected_rows).await;

        let mut homes = vec![World::sqlite().await];
        homes.extend(World::postgres().await);
        for home in homes {
            let home = with_backup_dir(&home, &here);
            let home = match s3() {
                Some(storage) if home.db.dialect() == Dialect::Postgres => {
                    World { options: Arc::new(Options { storage, ..Options::clone(&home.options) }), ..home }
                }
                _ => home,
            };
            let direction = format!("{:?} into {:?}", office.db.dialect(), home.db.dialect());
            let operator = home.operator();
            let restored = backups::restore(&operator, &made.name, &no_progress).await.unwrap();
            assert_eq!((restored.rows, restored.jobs), (manifest.rows(), manifest.jobs.lines), "{direction}");
            assert!(restored.jobs > 0 && home.db.is_migrated().await.unwrap());
            // Compares all rows with a second backup, except the log entries of the restore itself.
            let again = backups::create(&operator, &no_progress).await.unwrap();
            let again = backups::find(&operator, &again.name).await.unwrap();
            let mut are = table_rows(&here, &again);
            let told_of = are.get_mut("activity").unwrap();
            told_of.retain(|row| !row.contains("\"backup.restored\"") && !row.contains("\"backup.created\""));
            let mut expected_rows = expected_rows.clone();
            expected_rows.get_mut("activity").unwrap().retain(|row| !row.contains("\"backup.created\""));
            for (table, rows) in &expected_rows {
                let found = &are[table];
                let other = rows.iter().zip(found).find(|(one, other)| one != other);
                assert!(other.is_none() && rows.len() == found.len(), "{direction}, {table}: {other:#?}");
            }
            assert_eq!(again.jobs.lines, manifest.jobs.lines);
            // The restored portal works.
            assert!(activity::verify(&operator).await.unwrap() >= report.activity);
            activity::sequence_all(&operator).await.unwrap();
            assert!(activity::verify(&operator).await.unwrap() > report.activity);
            let keys = home.options.signing_keys.clone().unwrap();
            let auth = Auth::new(Keys::load_or_create(&keys).unwrap());
            auth::refresh(&home.anonymous(), &auth, &granted.refresh_token).await.unwrap();
            auth::sign_in(&home.anonymous(), &auth, "client@example.com", &password).await.unwrap();
            let page = PageQuery { limit: Some(500), cursor: None };
            let orders = spvs::list(&operator, &spvs::Filter::default(), &page).await.unwrap().items;
            assert!(orders.len() >= 150);
            let newest = &orders[0];
            let found = search::find(&operator, &newest.identifier()).await.unwrap();
            assert!(found.iter().any(|hit| hit.id == newest.id.0), "{direction}: {found:?}");
            home.company("Zanzibar").await;
            assert_eq!(search::find(&operator, "zanz").await.unwrap().len(), 1, "{direction}");
            let mut db = home.db.clone();
            let contents: Vec<(String, i64)> =
                db.sql("select storage_key, bytes from document_versions").all().await.unwrap();
            for (key, bytes) in contents {
                let (old, new) = (&office.options.storage, &home.options.storage);
                let all = 0..bytes.unsigned_abs();
                let one: Vec<bytes::Bytes> = old.read(&key, all.clone()).await.unwrap().try_collect().await.unwrap();
                let other: Vec<bytes::Bytes> = new.read(&key, all).await.unwrap().try_collect().await.unwrap();
                assert!(one.concat() == other.concat(), "{direction}: {key}");
            }
            // It lists the other backups of the directory.
            assert!(backups::list(&operator).await.unwrap().iter().any(|backup| backup.name == made.name));
            fs::remove_dir_all(here.join(&again.name)).unwrap();
        }
    }
}

/// Transfers an office to both databases and compares row by row with a backup made just before.
async fn assert_transfers(
    office: &World,
    here: &Path,
    manifest: &Manifest,
    expected_rows: &BTreeMap<String, Vec<String>>,
) {
    let operator = office.operator();
    let entries = activity::verify(&operator).await.unwrap();
    let beside =
        "select (select count(*) from backups) + (select count(*) from uploads) + (select count(*) from upload_parts)";
    let beside_rows: i64 = office.db.clone().sql(beside).scalar().await.unwrap();
    assert!(beside_rows > 0, "a backup");
    // A scheduled run that was already enqueued.
    assert!(queue::enqueue_once(&operator, &backups::NightlyBackup {}, "nightly").await.unwrap());
    let mut tx = office.db.begin().await.unwrap();
    tx.sql(match tx.dialect() {
        Dialect::Sqlite => "update Jobs set status = 'Done' where idempotency_key = 'nightly'",
        Dialect::Postgres => "update apalis.jobs set status = 'Done' where idempotency_key = 'nightly'",
    })
    .run()
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let waiting = queue::unfinished(&operator).await.unwrap().waiting;
    let mut homes = vec![World::sqlite().await];
    homes.extend(World::postgres().await);
    for home in homes {
        let direction = format!("{:?} into {:?}", office.db.dialect(), home.db.dialect());
        // Files outside the database stay where they are.
        let home = World { options: office.options.clone(), ..after_minutes(&home, 60) };
        let moving =
            backups::begin_transfer(&after_minutes(office, 60).operator(), &home.db, &no_progress).await.unwrap();
        let moved = moving.commit().await.unwrap();
        // All tables except the health checks of this machine.
        assert_eq!(
            (moved.tables, moved.jobs),
            (manifest.tables.len() + EXCLUDED_TABLES.len() - 1, waiting),
            "{direction}"
        );
        // One more: the log entry of the backup itself.
        let rows_there = manifest.rows() + beside_rows + 1;
        assert_eq!((moved.rows, moved.documents), (rows_there, manifest.documents.lines), "{direction}");
        let operator = home.operator();
        let found: i64 = home.db.clone().sql(beside).scalar().await.unwrap();
        assert_eq!(found, beside_rows, "{direction}");
        assert!(
            backups::list(&operator).await.unwrap().iter().any(|backup| backup.name == manifest.name),
            "{direction}"
        );
        // Scheduled runs of the past are not enqueued again, current ones are.
        assert!(!queue::enqueue_once(&operator, &backups::NightlyBackup {}, "nightly").await.unwrap(), "{direction}");
        assert_eq!(backups::restored_at(&operator).await.unwrap(), None, "{direction}");
        let again = backups::create(&operator, &no_progress).await.unwrap();
        let again = backups::find(&operator, &again.name).await.unwrap();
        let mut are = table_rows(here, &again);
        for (table, rows) in expected_rows {
            let news = |row: &String| row.contains("\"backup.moved\"") || row.contains("\"backup.created\"");
            let found = are.get_mut(table).unwrap();
            found.retain(|row| !news(row));
            let rows: Vec<&String> = rows.iter().filter(|row| !news(row)).collect();
            assert_eq!(rows, found.iter().collect::<Vec<_>>(), "{direction}, {table}");
        }
        activity::sequence_all(&operator).await.unwrap();
        assert!(activity::verify(&operator).await.unwrap() > entries, "{direction}");
        let refused = backups::begin_transfer(&office.operator(), &home.db, &no_progress).await.unwrap_err();
        assert_eq!(code(&refused), "move_target", "{direction}");
        fs::remove_dir_all(here.join(&again.name)).unwrap();
    }
    // The temporary directory is removed.
    assert!(!office.dir.path.join(".moving").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn transfer_refuses_a_running_portal() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let (world, operator, _) = small_office(&world, folder.path()).await;
        let employee = world.employee("Erin").await;
        assert_eq!(code(&backups::begin_transfer(&employee, &world.db, &no_progress).await.unwrap_err()), "forbidden");
        let home = World::sqlite().await;
        let (runtime, seen) = (tokio::runtime::Handle::current(), AtomicUsize::new(0));
        let tell = |progress: Progress<'_>| {
            // Written after this table was read: the copies differ.
            if matches!(progress, Progress::Rows { table: "companies", .. })
                && seen.fetch_add(1, Ordering::Relaxed) == 1
            {
                tokio::task::block_in_place(|| runtime.block_on(world.company("Meanwhile")));
            }
        };
        let refused = backups::begin_transfer(&operator, &home.db, &tell).await.unwrap_err();
        assert_eq!(code(&refused), "move_differs");
        let mut db = home.db.clone();
        let left: i64 = db.sql("select count(*) from companies").scalar().await.unwrap();
        assert_eq!(left, 0, "no rows are left");
        // A transfer dropped before `commit` leaves no rows.
        drop(backups::begin_transfer(&operator, &home.db, &no_progress).await.unwrap());
        let left: i64 = db.sql("select count(*) from companies").scalar().await.unwrap();
        assert_eq!(left, 0);
        // A heartbeat one minute old counts as a running server.
        let mut tx = world.db.begin().await.unwrap();
        let minute = operator.now().timestamp().div_euclid(60) - 1;
        tx.sql("insert into heartbeats (minute) values ($1)").bind(minute).run().await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(
            code(&backups::begin_transfer(&operator, &home.db, &no_progress).await.unwrap_err()),
            "move_at_work"
        );
        let later = after_minutes(&world, 1);
        drop(backups::begin_transfer(&later.operator(), &home.db, &no_progress).await.unwrap());
        insert_active_worker(&later).await;
        assert_eq!(
            code(&backups::begin_transfer(&later.operator(), &home.db, &no_progress).await.unwrap_err()),
            "move_at_work"
        );
    })
    .await;
}

/// Registers a worker seen now.
async fn insert_active_worker(world: &World) {
    let mut tx = world.db.begin().await.unwrap();
    let now = world.operator().now().timestamp();
    let worker = match tx.dialect() {
        Dialect::Sqlite => {
            format!(
                "insert into Workers (id, worker_type, storage_name, layers, last_seen) values ('w', 'w', 's', '', {now})"
            )
        }
        Dialect::Postgres => format!(
            "insert into apalis.workers (id, worker_type, storage_name, layers, last_seen) \
             values ('w', 'w', 's', '', to_timestamp({now}))"
        ),
    };
    tx.sql_built(worker).run().await.unwrap();
    tx.commit().await.unwrap();
}

/// A small office with one backup, and the operator.
async fn small_office(world: &World, folder: &Path) -> (World, Ctx, backups::Backup) {
    let world = with_backup_dir(world, folder);
    let company = world.company("Harbor").await;
    let (_, _, maya) = world.client("Maya", company, None).await;
    upload_file(&maya, b"%PDF-1.4 Maya's passport").await;
    activity::sequence_all(&world.operator()).await.unwrap();
    let made = backups::create(&world.operator(), &no_progress).await.unwrap();
    (world.clone(), world.operator(), made)
}

#[tokio::test]
async fn damaged_backups_are_reported_and_not_restored() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let (_, operator, made) = small_office(&world, folder.path()).await;
        let at = folder.path().join(&made.name);
        let new = with_backup_dir(&World::sqlite().await, folder.path());
        let empty = new.operator();
        let check = async |wrong: &str| {
            let report = backups::verify(&operator, &made.name, &no_progress).await.unwrap();
            assert!(report.faults.iter().any(|fault| fault.contains(wrong)), "{wrong}: {:?}", report.faults);
            let refused = backups::restore(&empty, &made.name, &no_progress).await.unwrap_err();
            assert!(matches!(&refused, Error::Conflict(problem) if problem.code == "backup_damaged"), "{refused:?}");
            assert!(
                users::page(&empty, &Default::default(), &PageQuery::default()).await.unwrap().page.items.is_empty()
            );
        };
        assert!(backups::verify(&operator, &made.name, &no_progress).await.unwrap().faults.is_empty());

        let table = at.join("tables/users.jsonl.gz");
        let whole = fs::read(&table).unwrap();
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        fs::write(&table, &flipped).unwrap();
        check("tables/users.jsonl.gz is not as it was written").await;
        fs::write(&table, &whole[..middle]).unwrap();
        check("tables/users.jsonl.gz has").await;
        fs::remove_file(&table).unwrap();
        check("tables/users.jsonl.gz cannot be read").await;
        fs::write(&table, &whole).unwrap();

        let content = fs::read_dir(folder.path().join("contents")).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&content).unwrap();
        fs::remove_file(&content).unwrap();
        check("cannot be read").await;
        fs::write(&content, b"%PDF-1.4 Mary's passport").unwrap();
        check("is not as it was written").await;
        let (key,): (String,) = operator.db().sql("select storage_key from document_versions").one().await.unwrap();
        let refused = backups::restore(&empty, &made.name, &no_progress).await.unwrap_err();
        assert!(format!("{refused:?}").contains(&key), "{refused:?}");
        assert_eq!(new.options.storage.size(&key).await.unwrap(), None, "damaged content is not restored");
        // The next backup repairs the damaged content.
        let other = backups::create(&operator, &no_progress).await.unwrap();
        assert_eq!(fs::read(&content).unwrap(), whole);
        assert!(backups::verify(&operator, &other.name, &no_progress).await.unwrap().faults.is_empty());

        // After the repair: a manifest that cannot be parsed, then a backup of a log that was tampered with.
        assert!(backups::verify(&operator, &made.name, &no_progress).await.unwrap().faults.is_empty());
        let manifest = at.join("manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, &text[..text.len() / 2]).unwrap();
        for refused in [
            backups::verify(&operator, &made.name, &no_progress).await.unwrap_err(),
            backups::restore(&empty, &made.name, &no_progress).await.unwrap_err(),
        ] {
            assert!(matches!(&refused, Error::Conflict(problem) if problem.code == "backup_damaged"), "{refused:?}");
        }
        fs::remove_file(&manifest).unwrap();
        let refused = backups::verify(&operator, &made.name, &no_progress).await.unwrap_err();
        assert!(matches!(refused, Error::NotFound("backup")), "a directory without a manifest is no backup");
        fs::write(&manifest, &text).unwrap();

        world.without_triggers("update activity set actor_name = 'Somebody' where seq = 2").await;
        let other = backups::create(&operator, &no_progress).await.unwrap();
        let report = backups::verify(&operator, &other.name, &no_progress).await.unwrap();
        assert!(report.faults.iter().any(|fault| fault.contains("changed at number 2")), "{:?}", report.faults);
    })
    .await;
}

#[tokio::test]
async fn restore_requires_an_empty_stopped_portal_of_a_compatible_version() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let (world, operator, made) = small_office(&world, folder.path()).await;
        let refusal = async |ctx: &Ctx| match backups::restore(ctx, &made.name, &no_progress).await.unwrap_err() {
            Error::Conflict(problem) => problem.code,
            other => panic!("{other:?}"),
        };
        assert_eq!(refusal(&operator).await, "portal_not_empty");
        // Replacing a portal that a server still writes to would lose what it writes.
        let mut tx = world.db.begin().await.unwrap();
        let minute = operator.now().timestamp().div_euclid(60) - 1;
        tx.sql("insert into heartbeats (minute) values ($1)").bind(minute).run().await.unwrap();
        tx.commit().await.unwrap();
        let served = backups::create_before_replacing(&operator, &made.name, &no_progress).await.unwrap_err();
        assert_eq!(code(&served), "portal_at_work");
        let stopped = after_minutes(&world, 2).operator();
        assert!(backups::create_before_replacing(&stopped, &made.name, &no_progress).await.unwrap().is_some());
        let mut others = vec![World::sqlite().await];
        others.extend(World::postgres().await);
        for other in others {
            let other = with_backup_dir(&other, folder.path());
            insert_active_worker(&other).await;
            assert_eq!(refusal(&other.operator()).await, "portal_at_work");
            backups::restore(&after_minutes(&other, 5).operator(), &made.name, &no_progress).await.unwrap();
        }
        let manifest = folder.path().join(&made.name).join("manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        let mut other: Value = serde_json::from_str(&text).unwrap();
        let new = with_backup_dir(&World::sqlite().await, folder.path());
        let empty = new.operator();
        other["migrations"].as_array_mut().unwrap().push(9_999.into());
        fs::write(&manifest, other.to_string()).unwrap();
        assert_eq!(refusal(&empty).await, "backup_newer");
        other = serde_json::from_str(&text).unwrap();
        other["format"] = 2.into();
        fs::write(&manifest, other.to_string()).unwrap();
        assert_eq!(refusal(&empty).await, "backup_newer");
        // Made by an older schema than that of this database.
        other = serde_json::from_str(&text).unwrap();
        other["migrations"].as_array_mut().unwrap().pop();
        fs::write(&manifest, other.to_string()).unwrap();
        assert_eq!(refusal(&empty).await, "portal_newer");
        drop(world);
    })
    .await;
}

#[tokio::test]
async fn unfinished_jobs_are_restored() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let operator = world.operator();
        for _ in 0..5 {
            health_checks::enqueue(&operator).await.unwrap();
        }
        let all = PageQuery::default();
        let queued = queue::list(&operator, None, &all).await.unwrap().items;
        let ids: Vec<String> = queued.into_iter().map(|job| job.id).collect();
        let table = if world.db.clone().dialect() == Dialect::Postgres { "apalis.jobs" } else { "Jobs" };
        for (id, set) in [
            (&ids[0], "status = 'Running', attempts = 1"),
            (&ids[1], "status = 'Killed', attempts = 1, last_result = '{\"Err\":\"no\"}'"),
            (&ids[2], "status = 'Failed', attempts = 2"),
            (&ids[3], "status = 'Done'"),
        ] {
            let mut tx = world.db.begin().await.unwrap();
            tx.sql_built(format!("update {table} set {set} where id = '{id}'")).run().await.unwrap();
            tx.commit().await.unwrap();
        }
        let was = queue::list(&operator, None, &all).await.unwrap().items;
        // This job waits while the backup runs and is not enqueued by the restore.
        backups::enqueue(&operator).await.unwrap();
        let made = backups::create(&operator, &no_progress).await.unwrap();
        let mut homes = vec![World::sqlite().await];
        homes.extend(World::postgres().await);
        for home in homes {
            let home = with_backup_dir(&home, folder.path());
            backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap();
            let jobs = queue::list(&home.operator(), None, &all).await.unwrap().items;
            assert_eq!(jobs.len(), 4, "{jobs:#?}");
            for job in &jobs {
                let before = was.iter().find(|before| before.id == job.id).unwrap();
                let status =
                    if before.status == queue::Status::Running { queue::Status::Pending } else { before.status };
                assert_eq!(
                    (job.status, &job.job, job.attempts, job.max_attempts, job.run_at),
                    (status, &before.job, before.attempts, before.max_attempts, before.run_at)
                );
            }
            let dead = queue::list(&home.operator(), Some("dead"), &all).await.unwrap().items;
            queue::retry(&home.operator(), &dead[0].id).await.unwrap();
        }
    })
    .await;
}

fn newest(newest: usize) -> BackupRetention {
    BackupRetention { newest, daily: 0, weekly: 0, monthly: 0 }
}

#[tokio::test]
async fn retention_keeps_the_newest_and_removes_incomplete_directories() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let options = Options { backup_retention: newest(2), ..Options::clone(&world.options) };
        let world = World { options: Arc::new(options), ..world };
        let company = world.company("Harbor").await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        upload_file(&maya, b"%PDF-1.4 one").await;
        let mut names = Vec::new();
        for n in 0..4 {
            let operator = after_minutes(&world, n).operator();
            names.push(backups::create(&operator, &no_progress).await.unwrap().name);
            if n == 0 {
                let in_folder = |name: &str| folder.path().join(name);
                fs::create_dir_all(in_folder(".making-20261121-110000-aaaa/tables")).unwrap();
                fs::create_dir_all(in_folder(".trying-x")).unwrap();
                fs::write(in_folder("contents/.part-x"), "half").unwrap();
                fs::write(in_folder("contents").join("0".repeat(64)), "unreferenced").unwrap();
            }
        }
        let inside = |path: PathBuf| -> BTreeSet<String> {
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let mut there = inside(folder.path().to_owned());
        assert!(there.remove(".lock") && there.remove("contents"));
        assert_eq!(there, names[2..].iter().cloned().collect());
        assert_eq!(inside(folder.path().join("contents")).len(), 1);
        let listed: Vec<String> =
            backups::list(&world.operator()).await.unwrap().into_iter().map(|backup| backup.name).collect();
        assert_eq!(listed, [names[3].clone(), names[2].clone()]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            let newest = folder.path().join(&names[3]);
            assert_eq!((mode(newest.clone()), mode(newest.join("tables"))), (0o700, 0o700));
            assert_eq!((mode(newest.join("manifest.json")), mode(newest.join("jobs.jsonl.gz"))), (0o600, 0o600));
        }
    })
    .await;
}

#[tokio::test]
async fn retention_keeps_the_backup_just_made_despite_clock_skew() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let options = Options { backup_retention: newest(1), ..Options::clone(&world.options) };
        let world = World { options: Arc::new(options), ..world };
        let ahead = backups::create(&after_minutes(&world, 60).operator(), &no_progress).await.unwrap();
        let made = backups::create(&world.operator(), &no_progress).await.unwrap();
        assert!(made.name < ahead.name, "the clock was set back");
        let there = backups::list_stored(&world.operator()).await.unwrap();
        assert_eq!(there.into_iter().map(|kept| kept.name).collect::<Vec<_>>(), [ahead.name, made.name]);
    })
    .await;
}

#[tokio::test]
async fn complete_backup_of_a_crashed_process_is_adopted() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let sigrid = world.super_admin("Sigrid").await;
        let queued = backups::enqueue(&sigrid).await.unwrap();
        let job = world.as_actor(domain::Actor::System("portal.backup"));
        backups::run(&job, queued.id).await.unwrap();
        let made = backups::get(&sigrid, queued.id).await.unwrap();
        // The backup is complete on disk, but the process died before it updated the row.
        let mut tx = world.db.begin().await.unwrap();
        let sql = "update backups set state = 'running', made_at = null, finished_at = null, rows_count = 0, \
                   documents_count = 0, bytes = 0 where id = $1";
        tx.sql(sql).bind(queued.id).run().await.unwrap();
        tx.commit().await.unwrap();
        world.company("Later").await;
        let text = fs::read_to_string(folder.path().join(&made.name).join("manifest.json")).unwrap();
        let later = after_minutes(&world, 5).as_actor(domain::Actor::System("portal.backup"));
        backups::run(&later, queued.id).await.unwrap();
        let taken = backups::get(&sigrid, queued.id).await.unwrap();
        assert_eq!((taken.state, taken.made_at, taken.rows_count), (State::Done, made.made_at, made.rows_count));
        assert_eq!(fs::read_to_string(folder.path().join(&made.name).join("manifest.json")).unwrap(), text);
        assert!(backups::verify(&world.operator(), &made.name, &no_progress).await.unwrap().faults.is_empty());
    })
    .await;
}

#[tokio::test]
async fn concurrent_write_aborts_the_restore() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, made) = small_office(&World::sqlite().await, folder.path()).await;
    let mut homes = vec![World::sqlite().await];
    homes.extend(World::postgres().await);
    for home in homes {
        let home = with_backup_dir(&home, folder.path());
        // Another process writes between the check for an empty portal and the transaction.
        let early = Mutex::new(Some(home.clone()));
        let tell = |progress: Progress<'_>| {
            let Progress::Documents { .. } = progress else { return };
            let Some(home) = early.lock().unwrap().take() else { return };
            let other = std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let db = Db::open(&home.url, Durability::Normal).await.unwrap();
                    World { db: db.clone(), ..home }.company("Early").await;
                    db.close().await;
                });
            });
            other.join().unwrap();
        };
        let refused = backups::restore(&home.operator(), &made.name, &tell).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(problem) if problem.code == "portal_not_empty"), "{refused:?}");
        let there: Vec<(String,)> = home.db.clone().sql("select name from companies").all().await.unwrap();
        assert_eq!(there, [("Early".to_owned(),)]);
    }
}

#[tokio::test]
async fn signing_keys_are_restored_last() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let office = with_backup_dir(&world, folder.path());
        Keys::load_or_create(office.options.signing_keys.as_ref().unwrap()).unwrap();
        let (office, _, made) = small_office(&office, folder.path()).await;
        let home = with_backup_dir(&World::sqlite().await, folder.path());
        let path = home.options.signing_keys.clone().unwrap();
        Keys::load_or_create(&path).unwrap();
        let own = fs::read_to_string(&path).unwrap();
        let theirs = fs::read_to_string(office.options.signing_keys.as_ref().unwrap()).unwrap();
        assert_ne!(own, theirs);
        let beside = || {
            let names = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
            names.filter(|name| name.to_string_lossy().starts_with("signing_keys.")).count()
        };

        // All checksums match but one line count is wrong, which only the end of the restore detects.
        let manifest = folder.path().join(&made.name).join("manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        let mut wrong: Value = serde_json::from_str(&text).unwrap();
        let last = wrong["tables"].as_array_mut().unwrap().last_mut().unwrap();
        last["part"]["lines"] = 77.into();
        fs::write(&manifest, wrong.to_string()).unwrap();
        let refused = backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(problem) if problem.code == "backup_damaged"), "{refused:?}");
        assert_eq!((fs::read_to_string(&path).unwrap(), beside()), (own.clone(), 1));

        fs::write(&manifest, text).unwrap();
        let restored = backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap(), beside()), (theirs, 2));
        assert_eq!(fs::read_to_string(restored.replaced_keys.unwrap()).unwrap(), own);
    })
    .await;
}

#[tokio::test]
async fn stale_transfer_directories_are_removed_after_a_day() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let left = world.dir.path.join(".moving");
        fs::create_dir_all(left.join("tables")).unwrap();
        fs::File::open(&left).unwrap().set_modified(noon().into()).unwrap();
        backups::create(&after_minutes(&world, 23 * 60).operator(), &no_progress).await.unwrap();
        assert!(left.exists(), "a transfer may still use it");
        backups::create(&after_minutes(&world, 25 * 60).operator(), &no_progress).await.unwrap();
        assert!(!left.exists());
    })
    .await;
}

#[tokio::test]
async fn one_backup_runs_at_a_time_without_blocking_writers() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let sigrid = world.super_admin("Sigrid").await;
        let queued = backups::enqueue(&sigrid).await.unwrap();
        assert_eq!((queued.state, queued.asked_by.as_str()), (State::Queued, "Sigrid Test"));
        let conflict = |e: Error| matches!(e, Error::Conflict(problem) if problem.code == "backup_running");
        assert!(conflict(backups::enqueue(&sigrid).await.unwrap_err()));
        // Another process holds the lock.
        let lock = File::create(folder.path().join(".lock")).unwrap();
        lock.lock().unwrap();
        assert!(conflict(backups::create(&world.operator(), &no_progress).await.unwrap_err()));
        assert!(matches!(backups::run(&world.operator(), queued.id).await, Err(Error::Unavailable(_))));
        drop(lock);
        let job = after_minutes(&world, 1).as_actor(domain::Actor::System("portal.backup"));
        let written = async {
            for n in 0..20 {
                world.company(&format!("Company {n}")).await;
            }
        };
        let (made, ()) = futures::join!(backups::run(&job, queued.id), written);
        made.unwrap();
        backups::run(&job, queued.id).await.unwrap();
        let made = backups::get(&sigrid, queued.id).await.unwrap();
        assert_eq!((made.state, made.asked_by.as_str()), (State::Done, "Sigrid Test"));
        activity::sequence_all(&world.operator()).await.unwrap();
        let log = activity::list(&sigrid, &activity::Filter::default(), &PageQuery::default()).await.unwrap().items;
        let actions: Vec<&str> =
            log.iter().filter(|row| row.subject_kind == "backup").map(|row| row.action.as_str()).collect();
        assert_eq!(actions, ["backup.created", "backup.asked"]);
        let again = backups::enqueue(&sigrid).await.unwrap();
        backups::record_failure(&job, again.id, "the disk is full").await.unwrap();
        let failed = backups::get(&sigrid, again.id).await.unwrap();
        assert_eq!((failed.state, failed.error.as_deref()), (State::Failed, Some("the disk is full")));
        assert_eq!(backups::last_good(&sigrid).await.unwrap().map(|last| last.id), Some(queued.id));
    })
    .await;
}

#[tokio::test]
async fn missing_content_does_not_fail_the_backup() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let company = world.company("Harbor").await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        upload_file(&maya, b"%PDF-1.4 one").await;
        upload_file(&maya, b"%PDF-1.4 two").await;
        let (key,): (String,) = world
            .db
            .clone()
            .sql("select storage_key from document_versions order by storage_key limit 1")
            .one()
            .await
            .unwrap();
        world.options.storage.delete(&key).await.unwrap();
        let made = backups::create(&world.operator(), &no_progress).await.unwrap();
        assert_eq!((made.documents_count, made.documents_missing), (2, 1));
        let report = backups::verify(&world.operator(), &made.name, &no_progress).await.unwrap();
        assert_eq!(report.missing, [format!("passport.pdf ({key})")]);
        assert_eq!(report.faults.len(), 1, "it is incomplete: {:?}", report.faults);
        let home = with_backup_dir(&World::sqlite().await, folder.path());
        assert_eq!(backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap().missing, 1);
    })
    .await;
}

#[tokio::test]
async fn unreadable_document_is_reported_and_the_rest_backed_up() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let company = world.company("Harbor").await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        upload_file(&maya, b"%PDF-1.4 one").await;
        upload_file(&maya, b"%PDF-1.4 two").await;
        let sql = "select storage_key from document_versions order by storage_key limit 1";
        let (key,): (String,) = world.db.clone().sql(sql).one().await.unwrap();
        // A symlink to itself cannot be opened.
        let path = world.dir.path.join("documents").join(&key);
        let content = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&path, &path).unwrap();
        assert!(matches!(world.options.storage.size(&key).await, Err(Error::Unavailable(_))));

        let operator = world.operator();
        activity::sequence_all(&operator).await.unwrap();
        let made = backups::create(&operator, &no_progress).await.unwrap();
        let name = format!("passport.pdf ({key})");
        assert_eq!((made.state, made.documents_count, made.documents_missing), (State::Done, 2, 1));
        assert!(made.is_incomplete());
        assert_eq!(made.error.as_deref(), Some(name.as_str()));
        let report = backups::verify(&operator, &made.name, &no_progress).await.unwrap();
        assert_eq!(report.missing, [name.as_str()]);
        assert!(matches!(&report.faults[..], [fault] if fault.contains(&name)), "{:?}", report.faults);
        assert!(report.activity > 0, "the rest is verified");
        let open = async || {
            alerts::check(&operator, &alerts::Metrics::default()).await.unwrap();
            let open = alerts::list(&operator, Some(true), &PageQuery::default()).await.unwrap().items;
            open.into_iter().find(|alert| alert.kind == "backup_incomplete").map(|alert| alert.data)
        };
        let alert = open().await.unwrap();
        assert_eq!((&alert["count"], &alert["names"]), (&Value::from(1), &Value::from(name)));
        let home = with_backup_dir(&World::sqlite().await, folder.path());
        assert_eq!(backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap().missing, 1);

        fs::remove_file(&path).unwrap();
        fs::write(&path, content).unwrap();
        let whole = backups::create(&after_minutes(&world, 1).operator(), &no_progress).await.unwrap();
        assert_eq!((whole.is_incomplete(), whole.error), (false, None));
        assert_eq!(open().await, None);
    })
    .await;
}

#[tokio::test]
async fn unavailable_storage_fails_after_three_documents() {
    let folder = tempfile::tempdir().unwrap();
    let world = with_backup_dir(&World::sqlite().await, folder.path());
    let company = world.company("Harbor").await;
    let (_, _, maya) = world.client("Maya", company, None).await;
    for content in [&b"%PDF-1.4 one"[..], b"%PDF-1.4 two", b"%PDF-1.4 three", b"%PDF-1.4 four", b"%PDF-1.4 five"] {
        upload_file(&maya, content).await;
    }
    // A file in place of the documents directory.
    let documents = world.dir.path.join("documents");
    fs::rename(&documents, world.dir.path.join("elsewhere")).unwrap();
    fs::write(&documents, "").unwrap();
    let last_document = Mutex::new(0);
    let tell = |progress: Progress<'_>| {
        if let Progress::Documents { done, .. } = progress {
            *last_document.lock().unwrap() = done;
        }
    };
    let away = backups::create(&world.operator(), &tell).await.unwrap_err();
    assert!(matches!(away, Error::Unavailable(_)), "{away:?}");
    assert_eq!(*last_document.lock().unwrap(), 3);
}

#[tokio::test]
async fn configured_directory_is_not_recreated_while_unmounted() {
    on_both(async |world| {
        let disks = tempfile::tempdir().unwrap();
        let chosen = disks.path().join("other disk");
        let world = with_backup_dir(&world, &chosen);
        let operator = world.operator();
        let code = |e: Error| match e {
            Error::Conflict(problem) => {
                assert_eq!(problem.params["path"], chosen.display().to_string());
                problem.code
            }
            other => panic!("{other:?}"),
        };
        // The first backup creates the directory, even if earlier backups are elsewhere.
        let before = Options { backup_dir: None, ..Options::clone(&world.options) };
        let before = World { options: Arc::new(before), ..world.clone() };
        let elsewhere = backups::create(&after_minutes(&before, -1).operator(), &no_progress).await.unwrap();
        backups::create(&operator, &no_progress).await.unwrap();
        assert_eq!(
            backups::get(&operator, elsewhere.id).await.unwrap().state,
            State::Done,
            "the earlier backup is still there"
        );
        fs::rename(&chosen, disks.path().join("unplugged")).unwrap();
        assert_eq!(code(backups::create(&operator, &no_progress).await.unwrap_err()), "backup_folder_missing");
        assert_eq!(code(backups::list_stored(&operator).await.unwrap_err()), "backup_folder_missing");
        assert_eq!(code(backups::check_directory(&operator).await.unwrap_err()), "backup_folder_missing");
        assert!(!chosen.exists());
        // The job is retried.
        let queued = backups::enqueue(&operator).await.unwrap();
        let away = backups::run(&operator, queued.id).await.unwrap_err();
        assert!(matches!(&away, Error::Unavailable(why) if why.contains("mount")), "{away:?}");
        fs::rename(disks.path().join("unplugged"), &chosen).unwrap();
        backups::run(&operator, queued.id).await.unwrap();

        // The mount point exists but is empty.
        fs::rename(&chosen, disks.path().join("unplugged")).unwrap();
        fs::create_dir(&chosen).unwrap();
        assert_eq!(code(backups::create(&operator, &no_progress).await.unwrap_err()), "backup_folder_empty");
        assert_eq!(code(backups::check_directory(&operator).await.unwrap_err()), "backup_folder_empty");
        assert_eq!(fs::read_dir(&chosen).unwrap().count(), 0);
        fs::create_dir(chosen.join("contents")).unwrap();
        backups::create(&after_minutes(&world, 1).operator(), &no_progress).await.unwrap();

        // The default directory is created.
        let options = Options { backup_dir: None, ..Options::clone(&world.options) };
        let own = World { options: Arc::new(options), ..world.clone() };
        let made = backups::create(&after_minutes(&own, 2).operator(), &no_progress).await.unwrap();
        assert!(own.options.backups().unwrap().join(made.name).is_dir());
    })
    .await;
}

#[tokio::test]
async fn interrupted_backup_leaves_none_queued() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let operator = world.operator();
        let mut begun = 0;
        for polls in 1..60 {
            let mut create = Box::pin(backups::create(&operator, &no_progress));
            let mut done = false;
            for _ in 0..polls {
                done = futures::poll!(create.as_mut()).is_ready();
                if done {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            drop(create);
            let listed = backups::list(&operator).await.unwrap();
            assert!(listed.iter().all(|backup| backup.state != State::Queued), "after {polls}: {listed:#?}");
            begun += usize::from(listed.iter().any(|backup| backup.state == State::Running));
            backups::clean_up_interrupted(&operator).await.unwrap();
            if done {
                break;
            }
        }
        assert!(begun > 0, "none was interrupted while running");

        // A queued backup that no worker picked up within a day fails.
        let left = backups::enqueue(&operator).await.unwrap();
        backups::create(&after_minutes(&world, 23 * 60).operator(), &no_progress).await.unwrap();
        assert_eq!(backups::get(&operator, left.id).await.unwrap().state, State::Queued);
        backups::create(&after_minutes(&world, 25 * 60).operator(), &no_progress).await.unwrap();
        assert_eq!(backups::get(&operator, left.id).await.unwrap().state, State::Failed);
        let listed = backups::list(&operator).await.unwrap();
        assert!(listed.iter().all(|backup| backup.state != State::Running), "{listed:#?}");
    })
    .await;
}

#[tokio::test]
async fn foreign_tables_are_neither_backed_up_nor_restored() {
    on_both(async |world| {
        let create_foreign_table = async |world: &World| {
            let mut tx = world.db.begin().await.unwrap();
            let kind = if tx.dialect() == Dialect::Postgres { "int4range" } else { "any" };
            let sql = format!("create table spatial_ref_sys (id integer primary key, span {kind})");
            tx.sql_built(sql).run().await.unwrap();
            tx.sql("insert into spatial_ref_sys (id) values (7)").run().await.unwrap();
            tx.commit().await.unwrap();
        };
        create_foreign_table(&world).await;
        let folder = tempfile::tempdir().unwrap();
        let (_, operator, made) = small_office(&world, folder.path()).await;
        let manifest = backups::find(&operator, &made.name).await.unwrap();
        assert!(manifest.tables.iter().all(|rows| rows.table != "spatial_ref_sys"));
        assert!(backups::verify(&operator, &made.name, &no_progress).await.unwrap().faults.is_empty());
        // An older version backed up foreign tables.
        let path = folder.path().join(&made.name).join("manifest.json");
        let text = fs::read_to_string(&path).unwrap();
        let mut older: Value = serde_json::from_str(&text).unwrap();
        let mut theirs = older["tables"][0].clone();
        theirs["table"] = "spatial_ref_sys".into();
        let from = format!("tables/{}.jsonl.gz", older["tables"][0]["table"].as_str().unwrap());
        let made_at = folder.path().join(&made.name);
        fs::copy(made_at.join(from), made_at.join("tables/spatial_ref_sys.jsonl.gz")).unwrap();
        older["tables"].as_array_mut().unwrap().push(theirs);
        fs::write(&path, older.to_string()).unwrap();

        let mut homes = vec![World::sqlite().await];
        homes.extend(World::postgres().await);
        for home in homes {
            create_foreign_table(&home).await;
            let home = with_backup_dir(&home, folder.path());
            backups::restore(&home.operator(), &made.name, &no_progress).await.unwrap();
            let left: i64 = home.db.clone().sql("select count(*) from spatial_ref_sys").scalar().await.unwrap();
            assert_eq!(left, 1, "foreign rows are kept");
        }
    })
    .await;
}

#[tokio::test]
async fn restored_at_is_known_before_and_after_sequencing() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let (_, operator, made) = small_office(&world, folder.path()).await;
        assert_eq!(backups::restored_at(&operator).await.unwrap(), None);
        let machine = after_minutes(&with_backup_dir(&World::sqlite().await, folder.path()), 90);
        let home = machine.operator();
        backups::restore(&home, &made.name, &no_progress).await.unwrap();
        assert_eq!(backups::restored_at(&home).await.unwrap(), Some(home.now()));
        activity::sequence_all(&home).await.unwrap();
        assert_eq!(backups::restored_at(&home).await.unwrap(), Some(home.now()));
    })
    .await;
}

#[tokio::test]
async fn only_super_admins_and_the_operator_access_backups() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let company = world.company("Harbor").await;
        let (_, partner) = world.iso("Ingrid", company).await;
        let (_, _, maya) = world.client("Maya", company, None).await;
        let olga = world.employee("Olga").await;
        let clara = world.company_admin("Clara", company).await;
        let made = backups::create(&world.operator(), &no_progress).await.unwrap();
        for ctx in [&partner, &maya, &olga, &clara] {
            let forbidden = |e: Error| matches!(e, Error::Forbidden(_) | Error::NotFound(_));
            assert!(forbidden(backups::list(ctx).await.unwrap_err()));
            assert!(forbidden(backups::enqueue(ctx).await.unwrap_err()));
            assert!(forbidden(backups::get(ctx, made.id).await.unwrap_err()));
            assert!(forbidden(backups::last_good(ctx).await.unwrap_err()));
            assert!(forbidden(backups::create(ctx, &no_progress).await.unwrap_err()));
            assert!(forbidden(backups::verify(ctx, &made.name, &no_progress).await.unwrap_err()));
            assert!(forbidden(backups::restore(ctx, &made.name, &no_progress).await.unwrap_err()));
            assert!(forbidden(backups::find(ctx, &made.name).await.unwrap_err()));
        }
        assert!(backups::list(&world.anonymous()).await.is_err());
        assert_eq!(backups::list(&world.super_admin("Sigrid").await).await.unwrap().len(), 1);
        for name in ["", "..", "contents", ".lock", "../signing_keys.json", "20261121-110000-ffff"] {
            assert!(matches!(backups::find(&world.operator(), name).await, Err(Error::NotFound("backup"))), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn overdue_backup_is_reported_after_a_day_and_a_grace_period() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let overdue = async |minute: i64| backups::overdue(&after_minutes(&world, minute).operator()).await.unwrap();
        let runs = async |minute: i64| dashboards::heartbeat(&after_minutes(&world, minute).operator()).await.unwrap();
        assert!(overdue(0).await.is_none(), "a portal without heartbeats");
        runs(0).await;
        runs(24 * 60).await;
        assert!(overdue(25 * 60).await.is_none(), "a day and one hour of grace");
        assert!(overdue(25 * 60 + 1).await.is_some());
        assert!(overdue(26 * 60).await.is_none(), "just started again, it can make one now");
        runs(25 * 60).await;
        assert_eq!(overdue(26 * 60).await, Some((26, None)));
        backups::create(&after_minutes(&world, 26 * 60).operator(), &no_progress).await.unwrap();
        assert!(overdue(26 * 60).await.is_none());
        runs(50 * 60).await;
        assert!(overdue(51 * 60).await.is_none());
        assert_eq!(overdue(51 * 60 + 1).await.map(|(hours, _)| hours), Some(25));
        let again = backups::create(&after_minutes(&world, 52 * 60).operator(), &no_progress).await.unwrap();
        // It took twenty minutes, as other backups do.
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update backups set finished_at = $2 where id = $1")
            .bind(again.id)
            .bind(noon() + Duration::minutes(52 * 60 + 20))
            .run()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        runs(76 * 60 + 15).await;
        assert!(overdue(77 * 60 + 20).await.is_none());
        assert!(overdue(77 * 60 + 21).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn nightly_backup_skips_a_new_portal() {
    on_both(async |world| {
        let folder = tempfile::tempdir().unwrap();
        let world = with_backup_dir(&world, folder.path());
        let count = async || backups::list(&world.operator()).await.unwrap().len();
        let night = async |minute: i64| {
            let ctx = after_minutes(&world, minute).as_actor(domain::Actor::System("portal.nightly_backup"));
            backups::nightly(&ctx).await.unwrap();
        };
        night(0).await;
        dashboards::heartbeat(&world.operator()).await.unwrap();
        night(59).await;
        assert_eq!(count().await, 0);
        night(60).await;
        night(61).await;
        assert_eq!(count().await, 1, "one is queued");
        let queued = &backups::list(&world.operator()).await.unwrap()[0];
        assert_eq!((queued.state, queued.asked_by.as_str()), (State::Queued, "portal.nightly_backup"));
    })
    .await;
}

#[tokio::test]
async fn progress_is_reported() {
    let world = World::sqlite().await;
    let folder = tempfile::tempdir().unwrap();
    let (_, operator, _) = small_office(&world, folder.path()).await;
    let lines: Mutex<Vec<String>> = Mutex::default();
    let tell = |progress: Progress<'_>| lines.lock().unwrap().push(format!("{progress:?}"));
    backups::create(&operator, &tell).await.unwrap();
    let lines = lines.lock().unwrap();
    assert!(lines.iter().any(|line| line.contains("users")) && lines.iter().any(|line| line.contains("Document")));
}
