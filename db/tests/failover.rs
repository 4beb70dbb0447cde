//! Failover: the server restarts, is unreachable, or another one takes over its address.
use crate::support::{REQUESTS, SIZES, TestDb, on_both, server};
use db::{Db, Durability, Error, Result, ScopedFutureExt, Sql};
use futures::future::join_all;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Mutex,
    task::JoinSet,
};

/// The timeout of load balancers' health checks.
const DEADLINE: Duration = Duration::from_secs(2);

async fn read(db: &Db) -> Result<i64> {
    db.clone().sql("select count(*) from t").scalar().await
}

async fn write(db: &Db, id: i64) -> Result<u64> {
    let insert = db.transaction(move |tx| {
        async move { tx.sql("insert into t (id) values ($1)").bind(id).run().await }.scope_boxed()
    });
    insert.await
}

/// Opens every connection of the pool.
async fn fill_pool(db: &Db) {
    let reads = (0..REQUESTS).map(|_| {
        let mut db = db.clone();
        async move { db.sql("select pg_sleep(0.05) is null").scalar::<bool>().await.unwrap() }
    });
    join_all(reads).await;
}

#[tokio::test]
async fn broken_idle_connections_are_replaced_for_reads_and_writes() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    let admin = Db::open(&server().unwrap(), Durability::Full, SIZES).await.unwrap();
    for id in 0..3 {
        fill_pool(&fresh.db).await;
        let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = $1";
        let ended: i64 = admin.clone().sql(end).bind(fresh.name.clone()).scalar().await.unwrap();
        assert!(ended >= i64::try_from(REQUESTS).unwrap(), "{ended}");
        if id % 2 == 0 {
            assert_eq!(read(&fresh.db).await.unwrap(), id);
        }
        write(&fresh.db, id).await.unwrap();
    }
    assert_eq!(fresh.ids().await, [0, 1, 2]);
}

#[tokio::test]
async fn begun_transaction_is_not_retried_when_its_connection_breaks() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    let outcome = fresh.db.transaction(|tx| {
        async move {
            tx.sql("insert into t (id) values (1)").run().await?;
            tx.sql("select pg_terminate_backend(pg_backend_pid())").run().await.map(drop)
        }
        .scope_boxed()
    });
    assert!(matches!(outcome.await, Err(Error::Unavailable(_))));
    assert!(fresh.ids().await.is_empty());
    write(&fresh.db, 2).await.unwrap();
}

#[tokio::test]
async fn standby_is_unavailable_and_its_connections_are_discarded() {
    let Some(fresh) = TestDb::postgres().await else { return };
    fresh.create_table(&[]).await;
    let standby = async |on: bool| {
        let value = if on { "on" } else { "off" };
        let admin = Db::open(&server().unwrap(), Durability::Full, SIZES).await.unwrap();
        let sql = format!("alter database {} set default_transaction_read_only = {value}", fresh.name);
        admin.clone().sql_built(sql).run().await.unwrap();
        admin.close().await;
    };
    standby(true).await;
    let db = Db::open(&fresh.url, Durability::Full, SIZES).await.unwrap();
    fill_pool(&db).await;
    let refused = write(&db, 1).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    standby(false).await;
    fresh.run("select 1").await;
    // The pooled connections were to the standby.
    write(&db, 2).await.unwrap();
    assert_eq!(fresh.ids().await, [2]);
}

/// A TCP proxy in front of the server that can be stopped.
struct Proxy {
    address: std::net::SocketAddr,
    to: String,
    tasks: Arc<Mutex<JoinSet<()>>>,
}

impl Proxy {
    async fn new() -> Option<Self> {
        let server = server()?;
        let to = server.rsplit_once('@')?.1.split('/').next()?.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let proxy = Self { address, to, tasks: Arc::default() };
        proxy.serve(listener).await;
        Some(proxy)
    }

    async fn serve(&self, listener: TcpListener) {
        let (to, tasks) = (self.to.clone(), self.tasks.clone());
        let inner = tasks.clone();
        tasks.lock().await.spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let to = to.clone();
                inner.lock().await.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(&to).await {
                        let _ = copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
    }

    /// Closes every connection and refuses new ones.
    async fn stop(&self) {
        self.tasks.lock().await.shutdown().await;
    }

    fn url(&self, of: &TestDb) -> String {
        of.url.replace(&self.to, &self.address.to_string())
    }

    async fn bind(&self) -> TcpListener {
        TcpListener::bind(self.address).await.unwrap()
    }
}

#[tokio::test]
async fn unreachable_server_is_unavailable_within_two_seconds_and_recovers() {
    let (Some(fresh), Some(proxy)) = (TestDb::postgres().await, Proxy::new().await) else { return };
    fresh.create_table(&[]).await;
    let db = Db::open(&proxy.url(&fresh), Durability::Full, SIZES).await.unwrap();
    fill_pool(&db).await;
    let assert_unavailable = async |why: &str| {
        let calls = (0..4 * REQUESTS).map(|n| {
            let db = &db;
            async move {
                let began = Instant::now();
                let outcome = if n % 2 == 0 { read(db).await.map(drop) } else { write(db, 1).await.map(drop) };
                (outcome, began.elapsed())
            }
        });
        for (outcome, took) in join_all(calls).await {
            let Err(Error::Unavailable(text)) = outcome else { panic!("{why}: {outcome:?}") };
            assert!(took < DEADLINE + Duration::from_millis(300), "{why}: {took:?}");
            assert!(!text.is_empty());
        }
        let Err(Error::Unavailable(text)) = read(&db).await else { panic!("{why}") };
        assert!(text.contains(&proxy.address.to_string()), "{why}: {text}");
    };
    // Refuses connections.
    proxy.stop().await;
    assert_unavailable("refused").await;
    // Accepts connections and does not answer.
    let silent = proxy.bind().await;
    assert_unavailable("silent").await;
    // Accepts and closes connections, as a proxy without a server behind it does.
    let closing = tokio::spawn(async move {
        while let Ok((client, _)) = silent.accept().await {
            drop(client)
        }
    });
    assert_unavailable("closed").await;
    closing.abort();
    let _ = closing.await;
    proxy.serve(proxy.bind().await).await;
    let began = Instant::now();
    write(&db, 2).await.unwrap();
    assert_eq!(read(&db).await.unwrap(), 1);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(fresh.ids().await, [2], "failed writes are not executed later");
    proxy.stop().await;
}

#[tokio::test]
async fn closed_database_is_unavailable() {
    on_both(async |fresh| {
        fresh.create_table(&[1]).await;
        fresh.db.close().await;
        assert!(matches!(read(&fresh.db).await, Err(Error::Unavailable(_))));
        assert!(matches!(write(&fresh.db, 2).await, Err(Error::Unavailable(_))));
    })
    .await;
}
