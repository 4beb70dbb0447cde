//! For the tests of every crate: a fresh database of either kind, a clock that stands still, people by name.
pub mod authenticator;

use crate::{
    accounts::users::{self, NewUser, User},
    kernel::{
        access::{Actor, Role},
        clock::{Clock, RandomSource},
        ctx::{Ctx, Options, Origin},
        db::{Db, Dialect, Durability, Sql},
        error::Error,
        ids::{CompanyId, IsoId, SessionId, SpvId, StepId, UserId},
        storage::{Storage, StorageUrl},
    },
    orders::onboarding,
};
use chrono::{DateTime, Utc};
use std::{
    collections::BTreeMap,
    future::Future,
    path::PathBuf,
    sync::{Arc, LazyLock, mpsc::Sender},
};
use tokio::sync::OnceCell;

/// The address of a server that some tests need, where the environment names one. [`left_out`] otherwise.
pub fn needs(name: &str) -> Option<String> {
    let found = std::env::var(name).ok();
    if found.is_none() {
        left_out(name);
    }
    found
}

/// A test has no `what` to work on and says nothing. Where everything is to be tested, as `CI` says, it fails.
pub fn left_out(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "nothing is tested without {what}");
}

/// What an error is called: its code, with the field where one was refused.
pub fn code(error: &Error) -> String {
    match error {
        Error::NotFound(_) => "not_found".to_owned(),
        Error::Conflict(p) | Error::Forbidden(p) | Error::Unauthenticated(p) => p.code.to_owned(),
        Error::Invalid(fields) => {
            fields.iter().map(|f| format!("{} {}", f.field, f.problem.code)).collect::<Vec<_>>().join(", ")
        }
        other => panic!("{other:?}"),
    }
}

/// Saturday, 21 November 2026, noon.
pub fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_262_400, 0).expect("a time in range")
}

/// One database with its clock; dropped with its data.
#[derive(Clone, Debug)]
pub struct World {
    pub db: Db,
    pub clock: Clock,
    pub random: RandomSource,
    pub options: Arc<Options>,
    pub dir: Arc<TempDir>,
    /// The address, for a second process on the same database.
    pub url: String,
}

/// A test's folder and PostgreSQL database, deleted with the last reference.
#[derive(Debug)]
pub struct TempDir {
    pub path: PathBuf,
    /// The address of the server and the database's name.
    database: Option<(String, String)>,
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
        if let Some(database) = self.database.take() {
            drop_database(database);
        }
    }
}

/// Drops a test's database on one background thread. Without this, a run of all tests leaves 20 GB behind.
/// The last databases of a process may stay: no test waits for the thread.
fn drop_database(database: (String, String)) {
    static DROPS: LazyLock<Sender<(String, String)>> = LazyLock::new(|| {
        let (sender, receiver) = std::sync::mpsc::channel::<(String, String)>();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime starts");
            while let Ok((server, name)) = receiver.recv() {
                runtime.block_on(async {
                    let Ok(admin) = Db::open(&server, Durability::Full).await else { return };
                    let _ = admin.clone().sql_built(format!("drop database if exists {name} with (force)")).run().await;
                    admin.close().await;
                });
            }
        });
        sender
    });
    let _ = DROPS.send(database);
}

/// Runs `test` on a fresh SQLite database and, where `TEST_POSTGRES_URL` names a server, on PostgreSQL as well.
/// `make test` always names one.
pub async fn on_both<F: Future<Output = ()>>(test: impl Fn(World) -> F) {
    test(World::sqlite().await).await;
    if let Some(world) = World::postgres().await {
        test(world).await;
    }
}

impl World {
    pub async fn sqlite() -> Self {
        let random = RandomSource::system();
        let dir = std::env::temp_dir().join(format!("spv-test-{}", random.uuid()));
        std::fs::create_dir_all(&dir).expect("the temporary folder can be written");
        let url = format!("sqlite:{}", dir.join("spv.db").display());
        let db = Db::open(&url, Durability::Normal).await.expect("a new file opens");
        db.migrate().await.expect("the migrations apply");
        Self::new(db, TempDir { path: dir, database: None }, url)
    }

    /// A database of its own, copied from one that was migrated once.
    pub async fn postgres() -> Option<Self> {
        static TEMPLATE: OnceCell<()> = OnceCell::const_new();
        let server = needs("TEST_POSTGRES_URL")?;
        static NAME: LazyLock<String> =
            LazyLock::new(|| format!("spv_template_{}", RandomSource::system().uuid().simple()));
        let template = NAME.as_str();
        let admin = Db::open(&server, Durability::Full).await.expect("TEST_POSTGRES_URL is reachable");
        let address = |name: &str| {
            let (base, query) =
                server.split_once('?').map_or((server.as_str(), String::new()), |(b, q)| (b, format!("?{q}")));
            format!("{}/{name}{query}", base.rsplit_once('/').expect("an address with a database").0)
        };
        TEMPLATE
            .get_or_init(|| async {
                create(&admin, &format!("create database {template}")).await;
                let db = Db::open(&address(template), Durability::Full).await.expect("a new database opens");
                db.migrate().await.expect("the migrations apply");
                db.close().await;
            })
            .await;
        let random = RandomSource::system();
        let name = format!("spv_{}", random.uuid().simple());
        create(&admin, &format!("create database {name} template {template}")).await;
        admin.close().await;
        let url = address(&name);
        let db = Db::open(&url, Durability::Full).await.expect("a copied database opens");
        let dir = std::env::temp_dir().join(format!("spv-test-{}", random.uuid()));
        std::fs::create_dir_all(&dir).expect("the temporary folder can be written");
        Some(Self::new(db, TempDir { path: dir, database: Some((server, name)) }, url))
    }

    fn new(db: Db, dir: TempDir, url: String) -> Self {
        let files = StorageUrl::Files(dir.path.join("documents"));
        let storage = Storage::open(&files, None).expect("the temporary folder can be written");
        let options = Options { demo: true, storage, ..Options::default() };
        Self {
            db,
            clock: Clock::fixed(noon()),
            random: RandomSource::system(),
            options: Arc::new(options),
            dir: Arc::new(dir),
            url,
        }
    }

    /// Every table that the portal's migrations have made, by name.
    pub async fn tables(&self) -> Vec<String> {
        let tables = match self.db.dialect() {
            Dialect::Sqlite => {
                "select name from sqlite_master where type = 'table' and sql like 'create table%' \
                 and name not in ('Jobs', 'Workers', '_apalis_migrations', '_sqlx_migrations') \
                 and name not like 'sqlite%' and name not like 'search\\_index%' escape '\\' order by name"
            }
            Dialect::Postgres => {
                "select cast(table_name as text) from information_schema.tables \
                 where table_schema = 'public' and table_name <> '_sqlx_migrations' order by table_name collate \"C\""
            }
        };
        let tables: Vec<(String,)> = self.db.clone().sql(tables).all().await.expect("tables");
        tables.into_iter().map(|(name,)| name).collect()
    }

    /// Does what a newer program's migration may do: adds a column to every table, and notes its version.
    pub async fn migrate_ahead(&self) {
        let mut tx = self.db.begin().await.expect("begins");
        for table in self.tables().await {
            tx.sql_built(format!("alter table {table} add column added_later text")).run().await.expect("adds");
        }
        let version = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
                       select version + 1, 'later', success, checksum, 0 from _sqlx_migrations \
                       order by version desc limit 1";
        tx.sql(version).run().await.expect("notes");
        tx.commit().await.expect("commits");
    }

    pub fn as_actor(&self, actor: Actor) -> Ctx {
        Ctx {
            actor,
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: self.random.clone(),
            options: self.options.clone(),
            origin: Origin::default(),
            idempotency: None,
            suppress_notifications: false,
        }
    }

    /// The operator with a shell: may do everything.
    pub fn operator(&self) -> Ctx {
        self.as_actor(Actor::Operator("root".to_owned()))
    }

    pub fn anonymous(&self) -> Ctx {
        self.as_actor(Actor::Anonymous)
    }

    /// The signed-in actor of a user's row, as a session would give it.
    pub fn signed_in(&self, user: &User) -> Ctx {
        self.as_actor(Actor::User(Arc::new(user.signed_in(SessionId(self.random.uuid())))))
    }

    /// An active user named `first`, with the address `first@example.com`.
    pub async fn user(&self, role: Role, first: &str, company: Option<CompanyId>, iso: Option<IsoId>) -> User {
        let mut tx = self.db.begin().await.expect("begins");
        let user = users::insert(
            &mut tx,
            &self.operator(),
            NewUser {
                status: users::Status::Active,
                company_id: company,
                iso_id: iso,
                ..NewUser::new(
                    role,
                    first.to_owned(),
                    "Test".to_owned(),
                    format!("{}@example.com", first.to_lowercase()),
                )
            },
        )
        .await
        .expect("a new user");
        tx.commit().await.expect("commits");
        user
    }

    pub async fn super_admin(&self, first: &str) -> Ctx {
        self.signed_in(&self.user(Role::SuperAdmin, first, None, None).await)
    }

    pub async fn employee(&self, first: &str) -> Ctx {
        self.signed_in(&self.user(Role::Employee, first, None, None).await)
    }

    pub async fn company_admin(&self, first: &str, company: CompanyId) -> Ctx {
        self.signed_in(&self.user(Role::CompanyAdmin, first, Some(company), None).await)
    }

    pub async fn company(&self, name: &str) -> CompanyId {
        let input = crate::directory::companies::Input {
            name: Some(name.to_owned()),
            business_name: Some(format!("{name} LLC")),
            ..Default::default()
        };
        crate::directory::companies::create(&self.operator(), input).await.expect("a company").id
    }

    /// An ISO partner and its signed-in actor.
    pub async fn iso(&self, first: &str, company: CompanyId) -> (IsoId, Ctx) {
        let iso = crate::directory::isos::create(
            &self.operator().without_notifications(),
            crate::directory::isos::Input {
                first_name: first.to_owned(),
                last_name: "Test".to_owned(),
                email: format!("{}@example.com", first.to_lowercase()),
                phone: None,
                company_id: Some(company),
                request_id: None,
            },
        )
        .await
        .expect("an ISO");
        self.activate(iso.user_id).await;
        let user = users::get(&self.operator(), iso.user_id).await.expect("its user");
        (iso.id, self.signed_in(&user))
    }

    /// A client with an order made by Quick Setup.
    pub async fn client(&self, first: &str, company: CompanyId, iso: Option<IsoId>) -> (UserId, SpvId, Ctx) {
        let input = onboarding::ClientInput {
            first_name: first.to_owned(),
            last_name: "Test".to_owned(),
            email: format!("{}@example.com", first.to_lowercase()),
            company_id: Some(company),
            iso_id: iso,
            price: Some("1250.00".to_owned()),
            commission: iso.map(|_| "50.00".to_owned()),
            ..Default::default()
        };
        let made = onboarding::create_client(&self.operator().without_notifications(), onboarding::Setup::Quick, input)
            .await
            .expect("a client");
        self.activate(made.client.id).await;
        let user = users::get(&self.operator(), made.client.id).await.expect("its user");
        (made.client.id, made.spv.id, self.signed_in(&user))
    }

    /// Lets a step be done with its last document.
    pub async fn completes_with_documents(&self, step: StepId) {
        let mut tx = self.db.begin().await.expect("begins");
        let sql = "update spv_steps set completes_with_documents = true where id = $1";
        tx.sql(sql).bind(step).run().await.expect("updates");
        tx.commit().await.expect("commits");
    }

    /// Runs what the log's triggers refuse, as an attacker with the file could.
    pub async fn without_triggers(&self, sql: &str) {
        let mut tx = self.db.begin().await.expect("begins");
        for (trigger, table) in [
            ("activity_is_append_only", "activity"),
            ("activity_is_kept", "activity"),
            ("activity_begins_unnumbered", "activity"),
            ("activity_is_numbered_in_order", "activity"),
            ("activity_head_moves_on", "activity_head"),
            ("activity_checkpoint_moves_on", "activity_checkpoint"),
        ] {
            let on = if tx.dialect() == Dialect::Postgres { format!(" on {table}") } else { String::new() };
            tx.sql_built(format!("drop trigger if exists {trigger}{on}")).run().await.expect("drops");
        }
        tx.sql_built(sql.to_owned()).run().await.expect("runs");
        tx.commit().await.expect("commits");
    }

    /// Waits until this many transactions are blocked by another writer.
    pub async fn until_waiting(&self, many: usize) {
        let wait = async {
            while self.db.waiting().await.expect("is counted") != many {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let most = std::time::Duration::from_secs(60);
        tokio::time::timeout(most, wait).await.unwrap_or_else(|_| panic!("never {many} at a time"));
    }

    /// Has PostgreSQL count at once what it plans by, as it does by itself a minute after rows came.
    pub async fn counts_its_rows(&self) {
        let mut tx = self.db.begin().await.expect("begins");
        tx.analyze().await.expect("counts");
        tx.commit().await.expect("commits");
    }

    /// How the database would answer a query whatever its values, line by line, the parts of a part further in.
    pub async fn plan(&self, sql: &str) -> Vec<String> {
        let mut tx = self.db.begin().await.expect("begins");
        match tx.dialect() {
            Dialect::Sqlite => {
                let rows: Vec<(i64, i64, i64, String)> =
                    tx.sql_built(format!("explain query plan {sql}")).all().await.expect("a plan");
                let mut depths = BTreeMap::new();
                let mut lines = Vec::new();
                for (id, parent, _, line) in rows {
                    let depth: usize = depths.get(&parent).copied().unwrap_or(0);
                    depths.insert(id, depth + 1);
                    lines.push(format!("{}{line}", "  ".repeat(depth)));
                }
                lines
            }
            Dialect::Postgres => {
                let values = (1..=40).rev().find(|n| sql.contains(&format!("${n}"))).unwrap_or(0);
                let nulls = vec!["null"; values].join(", ");
                let call = if values == 0 { String::new() } else { format!("({nulls})") };
                for prepare in [
                    "set local enable_seqscan = off".to_owned(),
                    "set local plan_cache_mode = force_generic_plan".to_owned(),
                    format!("prepare looked_at as {sql}"),
                ] {
                    tx.sql_built(prepare).run().await.expect("prepares");
                }
                let rows: Vec<(String,)> =
                    tx.sql_built(format!("explain execute looked_at{call}")).all().await.expect("a plan");
                tx.sql("deallocate looked_at").run().await.expect("deallocates");
                rows.into_iter().map(|row| row.0).collect()
            }
        }
    }

    async fn activate(&self, user: UserId) {
        let mut tx = self.db.begin().await.expect("begins");
        tx.sql("update users set status = 'active' where id = $1").bind(user).run().await.expect("updates");
        tx.commit().await.expect("commits");
    }
}

async fn create(admin: &Db, sql: &str) {
    admin.clone().sql_built(sql.to_owned()).run().await.expect("the test server may create databases");
}
