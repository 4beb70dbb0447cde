//! PgBouncer works in session mode, and is refused in transaction and statement mode.
use crate::support::{SIZES, TestDb};
use db::{Db, Durability, Error, ScopedFutureExt, Sql};
use std::{
    fs,
    process::{Child, Command, Stdio},
    time::Duration,
};

const PGBOUNCER: &str = "/usr/sbin/pgbouncer";

/// Killed on drop.
struct PgBouncer {
    process: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl PgBouncer {
    async fn start(of: &TestDb, mode: &str) -> Option<Self> {
        if !fs::exists(PGBOUNCER).unwrap() {
            assert!(std::env::var_os("CI").is_none(), "CI needs PgBouncer");
            return None;
        }
        let server = url_parts(&of.url);
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let dir = tempfile::tempdir().unwrap();
        let (config, users) = (dir.path().join("pgbouncer.ini"), dir.path().join("users.txt"));
        fs::write(&users, format!("\"{}\" \"\"\n", server.user)).unwrap();
        let text = format!(
            "[databases]\n{name} = host={host} port={at} user={user}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nauth_type = any\nauth_file = {users}\npool_mode = {mode}\nunix_socket_dir =\n\
             default_pool_size = 20\n",
            name = of.name,
            host = server.host,
            at = server.port,
            user = server.user,
            users = users.display(),
        );
        fs::write(&config, text).unwrap();
        for path in [dir.path(), &config, &users] {
            make_readable(path);
        }
        // PgBouncer refuses to run as root.
        let is_root = fs::metadata("/proc/self").is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0);
        let mut command = if is_root { Command::new("setpriv") } else { Command::new(PGBOUNCER) };
        if is_root {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", PGBOUNCER]);
        }
        let process = command.arg(&config).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let this = Self { process, port, _dir: dir };
        for _ in 0..200 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Some(this);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("PgBouncer does not listen");
    }

    fn url(&self, of: &TestDb) -> String {
        format!("postgres://{}@127.0.0.1:{}/{}", url_parts(&of.url).user, self.port, of.name)
    }
}

fn make_readable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

struct Server {
    user: String,
    host: String,
    port: String,
}

fn url_parts(url: &str) -> Server {
    let (user, rest) = url.strip_prefix("postgres://").unwrap().split_once('@').unwrap();
    let (host, port) = rest.split('/').next().unwrap().split_once(':').unwrap();
    Server { user: user.to_owned(), host: host.to_owned(), port: port.to_owned() }
}

#[tokio::test]
async fn pgbouncer_in_transaction_or_statement_mode_is_refused() {
    let Some(fresh) = TestDb::postgres().await else { return };
    for mode in ["transaction", "statement"] {
        let Some(pooler) = PgBouncer::start(&fresh, mode).await else { return };
        let refused = Db::open(&pooler.url(&fresh), Durability::Full, SIZES).await;
        let Err(Error::Unavailable(why)) = refused else { panic!("{mode}: {refused:?}") };
        assert!(why.contains("session"), "{mode}: {why}");
    }
}

#[tokio::test]
async fn pgbouncer_in_session_mode_works() {
    let Some(fresh) = TestDb::postgres().await else { return };
    let Some(pooler) = PgBouncer::start(&fresh, "session").await else { return };
    let db = Db::open(&pooler.url(&fresh), Durability::Full, SIZES).await.unwrap();
    fresh.create_table(&[]).await;
    for id in 0..20_i64 {
        db.transaction(move |tx| {
            async move { tx.sql("insert into t (id) values ($1)").bind(id).run().await.map(drop) }.scope_boxed()
        })
        .await
        .unwrap();
        let timeout: String = db.clone().sql("select current_setting('statement_timeout')").scalar().await.unwrap();
        assert_eq!(timeout, "8s");
    }
    assert_eq!(fresh.ids().await.len(), 20);
    db.close().await;
}
