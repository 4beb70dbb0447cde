//! Numbers committed rows and hands them to whoever listens in this process.
use super::{Activity, chained, store};
use crate::{
    kernel::{
        access::Scope,
        ctx::Ctx,
        db::{Dialect, ScopedFutureExt, Sql},
        error::Result,
    },
    outbox::notifications::Told,
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::broadcast, time::timeout};

const CHANNEL: &str = "spv_activity";
/// Rows numbered in one transaction: few enough that no writer waits long behind it.
const BATCH: usize = 50;
/// Rows read at a time, to be numbered or for listeners.
const READ: usize = 200;
/// Rows of one transaction where nobody waits: most of the time goes to the disk.
const BULK: usize = 10_000;
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
    let mut told = Told::default();
    let poll = match ctx.db.dialect() {
        Dialect::Sqlite => SQLITE_POLL,
        Dialect::Postgres => POSTGRES_POLL,
    };
    loop {
        if let Err(e) = step(&ctx, &feed, &first, &mut last, &mut told).await {
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

/// Numbers what was committed and hands over what is new, many at a time. What this process has numbered itself it need
/// not read again: under load that is nearly everything.
async fn step(
    ctx: &Ctx,
    feed: &Feed,
    first: impl Fn(&Activity),
    last: &mut Option<i64>,
    told: &mut Told,
) -> Result<()> {
    let mut after = match *last {
        Some(last) => last,
        None => store::head(&mut ctx.db()).await?.0,
    };
    *last = Some(after);
    loop {
        // `first` hears of them before anybody is told, which may have to wait for a transaction: who is shut out is so at
        // once. People are told before the broadcast: whoever hears of an event finds what they are told of it.
        let Numbered { rows, more } = number_many(ctx, after, &first).await?;
        let (rows, more, telling) = if rows.is_empty() {
            // Others number, too.
            let rows = store::since(&mut ctx.db(), Scope::All, None, after, READ).await?;
            rows.iter().for_each(&first);
            let more = more || rows.len() == READ;
            (rows, more, told.catch_up(ctx).await)
        } else {
            let telling = told.follow(ctx, &rows).await;
            (rows.into_iter().map(|(row, _)| row).collect(), more, telling)
        };
        // Whoever waits to be told may wait until the next look; events do not.
        if let Err(error) = telling {
            tracing::warn!(%error, "people cannot be told of what happened right now");
        }
        for row in rows {
            after = row.seq.unwrap_or(after);
            *last = Some(after);
            // Nobody listening is no error.
            let _ = feed.send(Arc::new(row));
        }
        if !more {
            return Ok(());
        }
    }
}

/// Numbers until there are no more or they are many, and answers what comes right behind a number.
async fn number_many(ctx: &Ctx, mut after: i64, first: impl Fn(&Activity)) -> Result<Numbered> {
    let mut rows = Vec::new();
    while rows.len() < READ {
        let some = number(ctx, READ - rows.len(), BATCH, &first).await?;
        let follows = some.rows.first().map(|(row, _)| row.seq == Some(after + 1));
        if follows == Some(false) || follows.is_none() && some.more {
            // Another process has numbered some in between, which are read together with these.
            return Ok(Numbered { rows, more: true });
        }
        after = some.rows.last().and_then(|(row, _)| row.seq).unwrap_or(after);
        rows.extend(some.rows);
        if !some.more {
            return Ok(Numbered { rows, more: false });
        }
    }
    Ok(Numbered { rows, more: true })
}

/// Numbers every committed row that has no number yet.
///
/// # Errors
/// What the database refuses.
pub async fn number_all(ctx: &Ctx) -> Result<()> {
    while number(ctx, BULK, BULK, |_| ()).await?.more {}
    Ok(())
}

/// Rows with their numbers, and of each whether nobody is to be told of it.
struct Numbered {
    rows: Vec<(Activity, bool)>,
    /// There may be others without a number.
    more: bool,
}

/// Numbers up to `most` committed rows, `batch` in each transaction; `first` hears of them as soon as they have numbers.
///
/// The rows are read and chained before the transactions, so that writers wait for nothing but the result. A
/// process that numbered meanwhile has moved the head, and then this one looks again.
///
/// # Errors
/// What the database refuses. What `first` has heard of has its number all the same.
async fn number(ctx: &Ctx, most: usize, batch: usize, first: impl Fn(&Activity)) -> Result<Numbered> {
    let store::Unnumbered { mut seq, mut hash, mut rows } = store::unnumbered(&mut ctx.db(), most).await?;
    let more = rows.len() == most;
    let mut numbered = 0;
    for batch in rows.chunks_mut(batch) {
        let head = (seq, hash.clone());
        let mut numbers = Vec::with_capacity(batch.len());
        for (row, _) in &mut *batch {
            seq += 1;
            row.seq = Some(seq);
            hash = chained(&hash, row);
            numbers.push(store::Number { id: row.id.0, seq, hash: hash.clone() });
        }
        let (head, next, numbers) = (&head, &(seq, hash.clone()), &numbers);
        let moved = ctx.transaction(|tx| {
            async move {
                if !store::move_head(tx, head, next).await? {
                    return Ok(false);
                }
                store::number(tx, numbers).await?;
                tx.notify(CHANNEL).await?;
                Ok(true)
            }
            .scope_boxed()
        });
        if !moved.await? {
            rows.truncate(numbered);
            return Ok(Numbered { rows, more: true });
        }
        batch.iter().for_each(|(row, _)| first(row));
        numbered += batch.len();
    }
    Ok(Numbered { rows, more })
}
