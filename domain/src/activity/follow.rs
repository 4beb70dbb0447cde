//! Numbers committed rows and hands them to whoever listens in this process.
use super::{Activity, chained, store};
use crate::{ctx::Ctx, db::Dialect, db::Sql, error::Result};
use std::{sync::Arc, time::Duration};
use tokio::{sync::broadcast, time::timeout};

const CHANNEL: &str = "spv_activity";
/// Rows numbered in one transaction: few enough that no writer waits long behind it.
const BATCH: i64 = 50;
/// Rows read for listeners at a time.
const READ: usize = 200;
/// The shortest time between two looks, so that a busy office is numbered in batches.
const REST: Duration = Duration::from_millis(100);
/// How long to wait for news that nothing announces: another process on SQLite, a lost notification.
const SQLITE_POLL: Duration = Duration::from_millis(200);
const POSTGRES_POLL: Duration = Duration::from_millis(500);

/// The live end of the log. A listener that falls too far behind is told so and reads [`super::since`] instead.
pub type Feed = broadcast::Sender<Arc<Activity>>;

/// Numbers and broadcasts until the process ends. An unreachable database is waited for.
///
/// `first` hears of each event before any listener does: what this process remembers must no longer hold when a page
/// that heard of the event asks again.
pub async fn follow(ctx: Ctx, feed: Feed, first: impl Fn(&Activity) + Send + Sync) {
    let mut signal = ctx.db.activity_signal();
    let mut listener = None;
    let mut last = None;
    let poll = match ctx.db.dialect() {
        Dialect::Sqlite => SQLITE_POLL,
        Dialect::Postgres => POSTGRES_POLL,
    };
    loop {
        if let Err(e) = step(&ctx, &feed, &first, &mut last).await {
            tracing::warn!(error = %e, "activity cannot be followed right now");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        if listener.is_none() {
            listener = ctx.db.listen(CHANNEL).await.ok().flatten();
        }
        let heard = async {
            match &mut listener {
                Some(listener) => listener.recv().await.map(drop).map_err(drop),
                None => std::future::pending().await,
            }
        };
        let news = async {
            tokio::select! {
                changed = signal.changed() => changed.map_err(drop),
                heard = heard => heard,
            }
        };
        if let Ok(Err(())) = timeout(poll, news).await {
            listener = None;
            tokio::time::sleep(REST).await;
        }
        tokio::time::sleep(REST).await;
    }
}

async fn step(ctx: &Ctx, feed: &Feed, first: impl Fn(&Activity), last: &mut Option<i64>) -> Result<()> {
    let mut db = ctx.db();
    let mut after = match *last {
        Some(last) => last,
        None => store::head(&mut db).await?.0,
    };
    *last = Some(after);
    number_all(ctx).await?;
    loop {
        let rows = store::since(&mut db, crate::access::Scope::All, None, after, READ).await?;
        let full = rows.len() == READ;
        // Before anybody is told of it, which may have to wait for a transaction: who is shut out is so at once.
        rows.iter().for_each(&first);
        // Before the broadcast: whoever hears of an event finds what they are told of it. People may wait for that,
        // events not.
        if let Err(error) = crate::notifications::catch_up(ctx).await {
            tracing::warn!(%error, "people cannot be told of what happened right now");
        }
        for row in rows {
            after = row.seq.unwrap_or(after);
            *last = Some(after);
            // Nobody listening is no error.
            let _ = feed.send(Arc::new(row));
        }
        if !full {
            return Ok(());
        }
    }
}

/// Numbers every committed row that has no number yet.
///
/// # Errors
/// What the database refuses.
pub async fn number_all(ctx: &Ctx) -> Result<()> {
    while number(ctx).await? {}
    Ok(())
}

/// Numbers one batch of committed rows; says whether there may be more.
///
/// The rows are read and chained before the transaction, so that writers wait for nothing but the result. A
/// process that numbered meanwhile has moved the head, and then this one looks again.
///
/// # Errors
/// What the database refuses.
async fn number(ctx: &Ctx) -> Result<bool> {
    let store::Unnumbered { mut seq, mut hash, rows } = store::unnumbered(&mut ctx.db(), BATCH).await?;
    let head = (seq, hash.clone());
    let mut numbers = Vec::with_capacity(rows.len());
    for row in &rows {
        seq += 1;
        hash = chained(&hash, seq, row);
        numbers.push(store::Number { id: row.id.0, seq, hash: hash.clone() });
    }
    if numbers.is_empty() {
        return Ok(false);
    }
    let mut tx = ctx.begin().await?;
    if store::move_head(&mut tx, &head, &(seq, hash)).await? {
        store::number(&mut tx, &numbers).await?;
        tx.announce(CHANNEL).await?;
        tx.commit().await?;
    }
    Ok(true)
}
