//! SQL of notifications.
use super::{
    model::{Channels, EventKind, MailFrequency, Recipient, SetChoice, Topic},
    rules::{Audience, EVENTS},
};
use crate::{
    kernel::{
        access::{Role, Scope, is_shut_out_sql},
        db::{Db, Row as _, Sql, Tx, select_rows},
        error::Result,
        ids::{ActivityId, NotificationId, UserId},
    },
    platform::activity::{Activity, visible_sql},
};
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::HashMap;
use uuid::Uuid;

/// The shared cursor and the last number of the log.
pub async fn cursor_and_head(db: &mut Db) -> Result<(i64, i64)> {
    db.sql("select n.seq, h.seq from notified n, activity_head h").one().await
}

/// Locks the cursor until the transaction ends.
pub async fn lock_cursor(tx: &mut Tx) -> Result<()> {
    tx.sql("update notified set one = 1").run().await?;
    Ok(())
}

/// Moves the cursor; false if another process has moved it.
pub async fn move_cursor(tx: &mut Tx, from: i64, to: i64) -> Result<bool> {
    Ok(tx.sql("update notified set seq = $2 where seq = $1").bind(from).bind(to).run().await? == 1)
}

/// The events in between that may create notifications, oldest first.
pub async fn events(db: &mut Db, after: i64, until: i64, limit: usize) -> Result<Vec<Activity>> {
    let actions: Vec<&str> = EVENTS.iter().map(|event| event.action).collect();
    let sql = format!(
        "select {} from activity where seq > $1 and seq <= $2 and not quiet and action in ('{}') order by seq limit {limit}",
        Activity::LIST,
        actions.join("', '")
    );
    db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql)).bind(after).bind(until).list().await
}

/// A user with the preference for an event ($1), else for its topic ($2).
const RECIPIENT: &str = "select u.id, u.role, coalesce(o.in_app, c.in_app) as in_app, coalesce(o.mail, c.mail) as mail \
     from users u left join notification_event_choices o on o.user_id = u.id and o.event = $1 \
     left join notification_choices c on c.user_id = u.id and c.topic = $2";

/// The users of an audience with an open account; none when the event has no such party.
pub async fn recipients(tx: &mut Tx, event: &Activity, audience: Audience, kind: &EventKind) -> Result<Vec<Recipient>> {
    let (condition, id): (&str, Option<Uuid>) = match audience {
        Audience::Client => ("u.id = $4", event.client_id.map(|id| id.0)),
        Audience::Person(id) => ("u.id = $4 and u.role in ('employee', 'super_admin')", Some(id.0)),
        Audience::Partner => ("u.id = (select user_id from isos where id = $4)", event.iso_id.map(|id| id.0)),
        Audience::Company => ("u.company_id = $4 and u.role = 'company_admin'", event.company_id.map(|id| id.0)),
        // The id has no meaning here: every statement binds the same four values.
        Audience::Staff => ("u.role in ('employee', 'super_admin') and $4 = $4", Some(Uuid::nil())),
        Audience::SuperAdmins => ("u.role = 'super_admin' and $4 = $4", Some(Uuid::nil())),
    };
    let Some(id) = id else { return Ok(Vec::new()) };
    // Users of archived companies and partners are shut out (archive and delete, decision 26).
    tx.sql_built(format!(
        "{RECIPIENT} where u.status in ('pending', 'active') and u.id <> $3 and {condition} and not {}",
        is_shut_out_sql("u.company_id", "u.iso_id", "u.role")
    ))
    .bind(kind.name())
    .bind(kind.topic)
    .bind(event.actor_id.map_or(Uuid::nil(), |id| id.0))
    .bind(id)
    .all()
    .await
}

pub async fn recipient(tx: &mut Tx, user: UserId, kind: &EventKind) -> Result<Option<Recipient>> {
    tx.sql_built(format!("{RECIPIENT} where u.id = $3")).bind(kind.name()).bind(kind.topic).bind(user).optional().await
}

pub async fn delete_for_user(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.sql("delete from notifications where user_id = $1").bind(user).run().await?;
    Ok(())
}

pub struct InsertNotification {
    pub id: NotificationId,
    pub user_id: UserId,
    pub seq: i64,
    pub activity_id: ActivityId,
    pub topic: Topic,
    pub subject_id: Option<Uuid>,
    pub spv_id: Option<Uuid>,
    pub in_app: bool,
    pub mail: Option<MailFrequency>,
    pub created_at: DateTime<Utc>,
}

pub async fn insert(tx: &mut Tx, row: InsertNotification) -> Result<()> {
    tx.sql(
        "insert into notifications (id, user_id, seq, activity_id, topic, subject_id, spv_id, in_app, mail, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (user_id, seq) do nothing",
    )
    .bind(row.id)
    .bind(row.user_id)
    .bind(row.seq)
    .bind(row.activity_id)
    .bind(row.topic)
    .bind(row.subject_id)
    .bind(row.spv_id)
    .bind(row.in_app)
    .bind(row.mail)
    .bind(row.created_at)
    .run()
    .await?;
    Ok(())
}

/// Whether a mail to the user is pending: of a notification created after `since`.
pub async fn has_pending_mail(tx: &mut Tx, user: UserId, since: DateTime<Utc>) -> Result<bool> {
    tx.sql("select exists (select 1 from notifications where mail = 'now' and user_id = $1 and created_at > $2)")
        .bind(user)
        .bind(since)
        .scalar()
        .await
}

#[derive(Debug, sqlx::FromRow)]
pub struct Row {
    pub id: NotificationId,
    pub seq: i64,
    pub topic: Topic,
    pub created_at: DateTime<Utc>,
    pub read_at: Option<DateTime<Utc>>,
}

/// A user's notifications in the app, newest first.
pub async fn list(db: &mut Db, me: UserId, unread: bool, before: Option<i64>, limit: usize) -> Result<Vec<Row>> {
    let condition = if unread { " and read_at is null" } else { "" };
    db.sql_built(format!(
        "select id, seq, topic, created_at, read_at from notifications \
         where user_id = $1 and in_app{condition} and seq < $2 order by seq desc limit {limit}"
    ))
    .bind(me)
    .bind(before.unwrap_or(i64::MAX))
    .all()
    .await
}

/// The events of these numbers, newest first.
pub async fn events_by_number(db: &mut impl Sql, seqs: &[i64]) -> Result<Vec<Activity>> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Vec<String> = seqs.iter().map(i64::to_string).collect();
    let sql =
        format!("select {} from activity where seq in ({}) order by seq desc", Activity::LIST, numbers.join(", "));
    db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql)).list().await
}

/// The number of unread notifications that the list shows.
pub async fn unread(db: &mut Db, scope: Scope, me: UserId) -> Result<i64> {
    let (visible, ids) = visible_sql(scope, Some(me));
    let condition = match scope {
        Scope::All => String::new(),
        // A scalar subquery, not a join, so that each event is read by its id.
        _ => format!(" and (select {visible} from activity where id = n.activity_id)"),
    };
    let mut query = db.sql_built(format!(
        "select count(*) from notifications n \
         where n.user_id = ${} and n.read_at is null and n.in_app{condition}",
        ids.len()
    ));
    for id in ids {
        query = query.bind(id);
    }
    query.scalar().await
}

/// Marks one, all about a subject, or all notifications as read, which also cancels their pending mails.
pub async fn read(tx: &mut Tx, me: UserId, scope: ReadScope, at: DateTime<Utc>) -> Result<u64> {
    let (condition, id) = match scope {
        ReadScope::One(id) => (" and id = $3", Some(id.0)),
        ReadScope::Subject(id) => (" and subject_id = $3", Some(id)),
        ReadScope::All => ("", None),
    };
    let mut query = tx
        .sql_built(format!(
            "update notifications set read_at = $2, mail = null where user_id = $1 and read_at is null{condition}"
        ))
        .bind(me)
        .bind(at);
    if let Some(id) = id {
        query = query.bind(id);
    }
    query.run().await
}

#[derive(Clone, Copy, Debug)]
pub enum ReadScope {
    One(NotificationId),
    Subject(Uuid),
    All,
}

/// A user's preferences by the name of the topic or of the event.
pub async fn choices(db: &mut impl Sql, me: UserId) -> Result<HashMap<String, Channels>> {
    let rows: Vec<(String, bool, MailFrequency)> = db
        .sql(
            "select topic, in_app, mail from notification_choices where user_id = $1 \
             union all select event, in_app, mail from notification_event_choices where user_id = $1",
        )
        .bind(me)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(name, in_app, mail)| (name, Channels { in_app, mail })).collect())
}

/// Sets the preference for a topic and deletes those for its events.
pub async fn choose_topic(tx: &mut Tx, me: UserId, choice: &SetChoice) -> Result<()> {
    tx.sql(
        "insert into notification_choices (user_id, topic, in_app, mail) values ($1, $2, $3, $4) \
         on conflict (user_id, topic) do update set in_app = excluded.in_app, mail = excluded.mail",
    )
    .bind(me)
    .bind(choice.event.clone())
    .bind(choice.channels.in_app)
    .bind(choice.channels.mail)
    .run()
    .await?;
    tx.sql("delete from notification_event_choices where user_id = $1 and event like $2")
        .bind(me)
        .bind(format!("{}.%", choice.event))
        .run()
        .await?;
    Ok(())
}

pub async fn choose(tx: &mut Tx, me: UserId, choice: &SetChoice) -> Result<()> {
    tx.sql(
        "insert into notification_event_choices (user_id, event, in_app, mail) values ($1, $2, $3, $4) \
         on conflict (user_id, event) do update set in_app = excluded.in_app, mail = excluded.mail",
    )
    .bind(me)
    .bind(choice.event.clone())
    .bind(choice.channels.in_app)
    .bind(choice.channels.mail)
    .run()
    .await?;
    Ok(())
}

/// Takes the numbers of a user's pending notifications of one frequency up to a time, oldest first.
pub async fn take_pending(tx: &mut Tx, user: UserId, mail: MailFrequency, until: DateTime<Utc>) -> Result<Vec<i64>> {
    let mut rows: Vec<(i64,)> = tx
        .sql(
            "update notifications set mail = null \
             where mail = $1 and user_id = $2 and read_at is null and created_at <= $3 returning seq",
        )
        .bind(mail)
        .bind(user)
        .bind(until)
        .all()
        .await?;
    rows.sort_unstable();
    Ok(rows.into_iter().map(|(seq,)| seq).collect())
}

#[derive(Debug, sqlx::FromRow)]
pub struct DigestRecipient {
    pub id: UserId,
    pub time_zone: String,
    pub sent_date: Option<NaiveDate>,
}

/// Users with pending notifications for the digest.
pub async fn digest_recipients(db: &mut Db) -> Result<Vec<DigestRecipient>> {
    db.sql(
        // A company admin's clock is the company's, as in its portal.
        "select u.id, \
         case when u.role = 'company_admin' then coalesce(c.time_zone, u.time_zone) else u.time_zone end as time_zone, \
         d.sent_date from (select distinct user_id from notifications where mail = 'daily') w \
         join users u on u.id = w.user_id left join companies c on c.id = u.company_id \
         left join digests d on d.user_id = u.id",
    )
    .all()
    .await
}

/// Records the digest of a day; false if it was sent already.
pub async fn mark_digest_sent(tx: &mut Tx, user: UserId, day: NaiveDate) -> Result<bool> {
    let noted = tx
        .sql(
            "insert into digests (user_id, sent_date) values ($1, $2) \
             on conflict (user_id) do update set sent_date = excluded.sent_date where digests.sent_date < excluded.sent_date",
        )
        .bind(user)
        .bind(day)
        .run()
        .await?;
    Ok(noted == 1)
}

pub async fn clean_up(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from notifications where created_at < $1 and mail is null").bind(before).run().await
}

/// The role of an account.
pub async fn role(tx: &mut Tx, user: UserId) -> Result<Option<Role>> {
    let row: Option<(Role,)> = tx.sql("select role from users where id = $1").bind(user).optional().await?;
    Ok(row.map(|(role,)| role))
}

/// Cancels a user's pending mail of one frequency.
pub async fn cancel_pending_mail(tx: &mut Tx, user: UserId, mail: MailFrequency) -> Result<()> {
    tx.sql("update notifications set mail = null where user_id = $1 and mail = $2").bind(user).bind(mail).run().await?;
    Ok(())
}

/// Cancels all pending mail.
pub async fn cancel_all_pending_mail(tx: &mut Tx) -> Result<()> {
    tx.sql("update notifications set mail = null where mail is not null").run().await?;
    Ok(())
}
