//! SQL of threads and messages. Reads take a [`Viewer`], which decides whether internal notes are included; those without one
//! return notes, too, and are for the staff.
use super::model::{ListedMessage, Message, Thread, ThreadRef};
use crate::kernel::{
    db::{Db, Row, Sql, Tx, const_concat, insert},
    error::Result,
    ids::{MessageId, SpvId, ThreadId, UserId},
};
use chrono::{DateTime, Utc};

const COLUMNS: &str = Message::LIST;

/// Staff see everything; a client sees its own threads without internal notes.
#[derive(Clone, Copy, Debug)]
pub enum Viewer {
    Staff,
    Client(UserId),
}

/// Filter of a list of threads.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub unread: bool,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    pub id: Option<ThreadId>,
}

/// Threads with a message that the viewer may see, the newest first, with the unread count of `me`.
pub async fn threads(
    db: &mut Db,
    viewer: Viewer,
    me: UserId,
    filter: &Filter,
    before: Option<(DateTime<Utc>, ThreadId)>,
    limit: usize,
) -> Result<Vec<Thread>> {
    let (at, last) = match viewer {
        Viewer::Staff => ("h.last_at", "h.last_message_id"),
        Viewer::Client(_) => ("h.last_public_at", "h.last_public_message_id"),
    };
    let counted = if filter.unread { "join" } else { "left join" };
    let mut sql = format!(
        "select h.id, h.client_id, c.first_name as client_first_name, c.last_name as client_last_name, h.spv_id, \
         s.custom_identifier, s.vehicle_name, {at} as at, m.body, m.author_id, m.author_name, m.by_staff, m.internal, \
         coalesce(n.unread, 0) as unread from threads h join messages m on m.id = {last} \
         join users c on c.id = h.client_id left join spvs s on s.id = h.spv_id \
         {counted} thread_unread n on n.thread_id = h.id and n.user_id = $1 where 1 = 1"
    );
    let mut ids = Vec::new();
    let own = match viewer {
        Viewer::Staff => None,
        Viewer::Client(id) => Some(id.0),
    };
    let narrow = [
        ("h.client_id", own),
        ("h.client_id", filter.client_id.map(|id| id.0)),
        ("h.spv_id", filter.spv_id.map(|id| id.0)),
        ("h.id", filter.id.map(|id| id.0)),
    ];
    for (column, id) in narrow {
        if let Some(id) = id {
            ids.push(id);
            sql.push_str(&format!(" and {column} = ${}", ids.len() + 1));
        }
    }
    if before.is_some() {
        sql.push_str(&format!(" and ({at}, h.id) < (${}, ${})", ids.len() + 2, ids.len() + 3));
    }
    sql.push_str(&format!(" order by {at} desc, h.id desc limit {limit}"));
    let mut query = db.sql_built(sql).bind(me);
    for id in ids {
        query = query.bind(id);
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

/// Messages of a thread, the newest first.
pub async fn messages(
    db: &mut Db,
    viewer: Viewer,
    thread: ThreadId,
    before: Option<(DateTime<Utc>, MessageId)>,
    limit: usize,
) -> Result<Vec<Message>> {
    let shown = match viewer {
        Viewer::Staff => "",
        Viewer::Client(_) => " and not internal",
    };
    let mut sql = format!("select {COLUMNS} from messages where thread_id = $1{shown}");
    if before.is_some() {
        sql.push_str(" and (created_at, id) < ($2, $3)");
    }
    sql.push_str(&format!(" order by created_at desc, id desc limit {limit}"));
    let mut query = db.sql_built(sql).bind(thread);
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

/// A message's place in the list of all.
pub type MessagePlace = (ThreadId, DateTime<Utc>, MessageId);

const SELECT_LISTED: &str = const_concat!(
    "select ",
    ListedMessage::LIST,
    " from messages m join threads h on h.id = m.thread_id join users c on c.id = h.client_id \
     left join spvs s on s.id = h.spv_id"
);

/// Internal notes about a client in all threads, the newest first.
pub async fn internal_notes(
    db: &mut Db,
    client: UserId,
    before: Option<(DateTime<Utc>, MessageId)>,
    limit: usize,
) -> Result<Vec<ListedMessage>> {
    let mut sql = format!("{SELECT_LISTED} where h.client_id = $1 and m.internal");
    if before.is_some() {
        sql.push_str(" and (m.created_at, m.id) < ($2, $3)");
    }
    sql.push_str(&format!(" order by m.created_at desc, m.id desc limit {limit}"));
    let query = db.sql_built(sql).bind(client);
    match before {
        Some((at, id)) => query.bind(at).bind(id).all().await,
        None => query.all().await,
    }
}

/// Messages of all threads after a place, thread by thread.
pub async fn all_messages(db: &mut Db, after: Option<MessagePlace>, limit: usize) -> Result<Vec<ListedMessage>> {
    let mut sql = SELECT_LISTED.to_owned();
    if after.is_some() {
        sql.push_str(" where (m.thread_id, m.created_at, m.id) > ($1, $2, $3)");
    }
    sql.push_str(&format!(" order by m.thread_id, m.created_at, m.id limit {limit}"));
    let query = db.sql_built(sql);
    match after {
        Some((thread, at, id)) => query.bind(thread).bind(at).bind(id).all().await,
        None => query.all().await,
    }
}

/// Loads a message, without its documents.
pub async fn message(db: &mut impl Sql, id: MessageId) -> Result<Option<Message>> {
    db.sql_built(format!("select {COLUMNS} from messages where id = $1")).bind(id).optional().await
}

/// Number of threads and of messages that the user has not read.
pub async fn unread(db: &mut Db, me: UserId) -> Result<(i64, i64)> {
    db.sql("select count(*), cast(coalesce(sum(unread), 0) as bigint) from thread_unread where user_id = $1")
        .bind(me)
        .one()
        .await
}

const SELECT_THREAD_REF: &str = "select h.id, h.client_id, h.spv_id, s.custom_identifier, c.first_name as client_first_name, \
    c.last_name as client_last_name from threads h join users c on c.id = h.client_id left join spvs s on s.id = h.spv_id";

pub async fn find_thread_ref(tx: &mut Tx, id: ThreadId) -> Result<Option<ThreadRef>> {
    tx.sql_built(format!("{SELECT_THREAD_REF} where h.id = $1")).bind(id).optional().await
}

/// Finds or creates the thread of an order, or the general one of a client. Concurrent calls find the same one.
pub async fn find_or_create(
    tx: &mut Tx,
    new: ThreadId,
    client: UserId,
    spv: Option<SpvId>,
    now: DateTime<Utc>,
) -> Result<Option<ThreadRef>> {
    tx.sql(
        "insert into threads (id, client_id, spv_id, last_at, created_at) values ($1, $2, $3, $4, $4) \
         on conflict do nothing",
    )
    .bind(new)
    .bind(client)
    .bind(spv)
    .bind(now)
    .run()
    .await?;
    let query = match spv {
        Some(spv) => tx.sql_built(format!("{SELECT_THREAD_REF} where h.spv_id = $1")).bind(spv),
        None => tx.sql_built(format!("{SELECT_THREAD_REF} where h.client_id = $1 and h.spv_id is null")).bind(client),
    };
    query.optional().await
}

/// Inserts a message and makes it the last one of its thread.
pub async fn insert(tx: &mut Tx, message: &Message) -> Result<()> {
    insert!(tx, "messages", message).run().await?;
    let public = if message.internal { "" } else { ", last_public_message_id = $2, last_public_at = $3" };
    tx.sql_built(format!("update threads set last_message_id = $2, last_at = $3{public} where id = $1"))
        .bind(message.thread_id)
        .bind(message.id)
        .bind(message.created_at)
        .run()
        .await?;
    Ok(())
}

/// Increments the unread count of all active staff except the author.
pub async fn increment_unread_of_staff(tx: &mut Tx, thread: ThreadId, author: UserId) -> Result<()> {
    tx.sql(
        "insert into thread_unread (user_id, thread_id, unread) \
         select id, $1, 1 from users where role in ('employee', 'super_admin') and status = 'active' and id <> $2 \
         on conflict (user_id, thread_id) do update set unread = thread_unread.unread + 1",
    )
    .bind(thread)
    .bind(author)
    .run()
    .await?;
    Ok(())
}

/// Increments the unread count of a reader.
pub async fn increment_unread(tx: &mut Tx, thread: ThreadId, reader: UserId) -> Result<()> {
    tx.sql(
        "insert into thread_unread (user_id, thread_id, unread) values ($1, $2, 1) \
         on conflict (user_id, thread_id) do update set unread = thread_unread.unread + 1",
    )
    .bind(reader)
    .bind(thread)
    .run()
    .await?;
    Ok(())
}

pub async fn delete_unread(tx: &mut Tx, me: UserId) -> Result<()> {
    tx.sql("delete from thread_unread where user_id = $1").bind(me).run().await?;
    Ok(())
}

pub async fn mark_read(tx: &mut Tx, thread: ThreadId, me: UserId) -> Result<()> {
    tx.sql("delete from thread_unread where user_id = $1 and thread_id = $2").bind(me).bind(thread).run().await?;
    Ok(())
}
