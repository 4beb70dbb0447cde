//! SQL of the activity log.
use super::{
    Activity, Filter,
    search::{AccountFilter, SearchFilter},
};
use crate::kernel::{
    access::Scope,
    db::{
        ColumnKind, Db, Dialect, Json, Nested, Query, Row, Sql, Tx, in_id_list, nested_row, select_nested, select_rows,
        unindexed,
    },
    error::{Error, Result},
    ids::{ActivityId, SpvId, UserId},
    search,
    text::search_fold,
};
use chrono::{DateTime, Utc};
use serde::Serialize;

const ROW_COLUMNS: &str = Activity::LIST;

const INSERT: &str = "insert into activity (id, at, actor_kind, actor_id, actor_name, action, subject_kind, subject_id, subject_label, \
     company_id, client_id, iso_id, spv_id, public, address, user_agent, data, nth, quiet, subject_key, actor_key) \
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";

pub async fn insert(tx: &mut Tx, row: &Activity, nth: i64, quiet: bool) -> Result<()> {
    bound(tx.sql(INSERT), row, nth, quiet).run().await?;
    Ok(())
}

/// [`insert`], unless there is a row with this id.
pub async fn insert_once(tx: &mut Tx, row: &Activity, nth: i64, quiet: bool) -> Result<()> {
    // SQLite's trigger `activity_begins_unnumbered` refuses a duplicate id before `on conflict` applies. Its transactions
    // write one after another, so no duplicate can be inserted after this check; on PostgreSQL `on conflict` handles that.
    if exists(tx, row.id).await? {
        return Ok(());
    }
    let statement = format!("{INSERT} on conflict (id) do nothing");
    bound(tx.sql_built(statement), row, nth, quiet).run().await?;
    Ok(())
}

fn bound<'a>(query: Query<'a>, row: &Activity, nth: i64, quiet: bool) -> Query<'a> {
    query
        .bind(row.id)
        .bind(row.at)
        .bind(row.actor_kind.clone())
        .bind(row.actor_id)
        .bind(row.actor_name.clone())
        .bind(row.action.clone())
        .bind(row.subject_kind.clone())
        .bind(row.subject_id)
        .bind(row.subject_label.clone())
        .bind(row.company_id)
        .bind(row.client_id)
        .bind(row.iso_id)
        .bind(row.spv_id)
        .bind(row.public)
        .bind(row.address.clone())
        .bind(row.user_agent.clone())
        .bind(Json(row.data.clone()))
        .bind(nth)
        .bind(quiet)
        .bind(search_fold(&row.subject_label))
        .bind(search_fold(&row.actor_name))
}

/// Whether there is a row with this id.
pub async fn exists(db: &mut impl Sql, id: ActivityId) -> Result<bool> {
    let found: Option<(i64,)> =
        db.sql("select cast(1 as bigint) from activity where id = $1").bind(id).optional().await?;
    Ok(found.is_some())
}

/// Whether there is a later entry about a subject, or about anything in an order, numbered or not.
pub async fn has_later(tx: &mut Tx, subject: uuid::Uuid, spv: Option<SpvId>, since: DateTime<Utc>) -> Result<bool> {
    // Each part has an index.
    tx.sql(
        "select exists (select 1 from activity where seq is null and at > $3 and (subject_id = $1 or spv_id = $2) \
         union all select 1 from activity where seq is not null and at > $3 and subject_id = $1 \
         union all select 1 from activity where seq is not null and at > $3 and spv_id = $2)",
    )
    .bind(subject)
    .bind(spv)
    .bind(since)
    .scalar()
    .await
}

/// The condition of a scope, with `$1` as its id.
fn scoped(scope: Scope) -> (&'static str, Option<uuid::Uuid>) {
    match scope {
        Scope::All => ("seq is not null", None),
        Scope::Company(id) => ("public and company_id = $1 and seq is not null", Some(id.0)),
        Scope::Iso(id) => ("public and iso_id = $1 and seq is not null", Some(id.0)),
        Scope::Client(id) => ("public and client_id = $1 and seq is not null", Some(id.0)),
        Scope::Nothing => ("1 = 0", None),
    }
}

/// Events of work on orders, as dashboards list them. Not those of the office itself, and no reminders of due dates: one
/// morning brings those of many orders.
const WORK: &str = "subject_kind in ('client', 'company', 'iso', 'spv', 'step', 'request', 'document', \
    'document_request', 'invoice', 'thread') and action not like '%.due_soon' and action not like '%.overdue'";

/// Selects the newest events of orders that a scope sees, as a list, with the scope's id as `$1`.
pub(crate) fn newest_work_sql(dialect: Dialect, scope: Scope, limit: usize) -> String {
    let (condition, order) = newest(scope, None);
    select_nested(
        dialect,
        Activity::COLUMNS,
        &format!("select {ROW_COLUMNS} from activity where {condition} and {WORK} order by {order} limit {limit}"),
    )
}

/// The condition of a scope before a number, and the order, newest first. The owner comes first in both, and as a range from
/// `$1` to `($1, number)`: for an equality PostgreSQL scans the newest events of all owners, which takes long for an owner
/// without recent ones.
fn newest(scope: Scope, before: Option<i64>) -> (String, String) {
    let before = before.unwrap_or(i64::MAX);
    let whose = match scope {
        Scope::All | Scope::Nothing => {
            let (condition, _) = scoped(scope);
            return (format!("{condition} and seq < {before}"), "seq desc".to_owned());
        }
        Scope::Company(_) => "company_id",
        Scope::Iso(_) => "iso_id",
        Scope::Client(_) => "client_id",
    };
    let condition = format!("public and {whose} >= $1 and ({whose}, seq) < ($1, {before}) and seq is not null");
    (condition, format!("{whose} desc, seq desc"))
}

pub async fn list(
    db: &mut Db,
    scope: Scope,
    filter: &Filter,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Activity>> {
    let (condition, whose) = scoped(scope);
    let mut ids = Vec::from_iter(whose);
    let of_all = filter.spv_id.is_none() && filter.client_id.is_none() && filter.subject_id.is_none();
    // An order, client or subject has few events, a scope many: use the index of the former.
    let condition = match scope {
        Scope::Iso(_) if !of_all => format!("public and {} and seq is not null", unindexed("iso_id = $1")),
        Scope::Company(_) if !of_all => format!("public and {} and seq is not null", unindexed("company_id = $1")),
        _ => condition.to_owned(),
    };
    let (mut sql, order) = match before {
        _ if of_all => newest(scope, before),
        None => (condition, "seq desc".to_owned()),
        Some(before) => (format!("{condition} and seq < {before}"), "seq desc".to_owned()),
    };
    for (column, id) in [("spv_id", filter.spv_id.map(|id| id.0)), ("client_id", filter.client_id.map(|id| id.0))] {
        if let Some(id) = id {
            ids.push(id);
            sql.push_str(&format!(" and {column} = ${}", ids.len()));
        }
    }
    if filter.work_only {
        sql.push_str(&format!(" and {WORK}"));
    }
    if filter.requests_only {
        sql.push_str(" and subject_kind = 'request'");
    }
    let sql = match filter.subject_id {
        None => format!("select {ROW_COLUMNS} from activity where {sql} order by {order} limit {limit}"),
        Some(id) => {
            ids.push(id);
            about(&sql, ids.len(), limit)
        }
    };
    let mut query = db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql));
    for id in ids {
        query = query.bind(id);
    }
    query.list().await
}

/// Events of subject `$n` and, if it is a client, a company or an ISO partner, of its orders. Reads the newest of each by
/// its own index, then the newest of these.
fn about(condition: &str, n: usize, limit: usize) -> String {
    let part = |which: &str| {
        format!(
            "select {ROW_COLUMNS} from ( \
             select {ROW_COLUMNS} from activity where {which} and {condition} order by seq desc limit {limit}) p"
        )
    };
    let mut parts = vec![part(&format!("subject_id = ${n}"))];
    for whose in ["client_id", "company_id", "iso_id"] {
        let orders = format!("{whose} = ${n} and spv_id is not null and (subject_id is null or subject_id <> ${n})");
        parts.push(part(&orders));
    }
    format!("select {ROW_COLUMNS} from ({}) o order by seq desc limit {limit}", parts.join(" union all "))
}

/// A bound value of a condition.
enum BindValue {
    Text(String),
    Id(uuid::Uuid),
    Time(DateTime<Utc>),
}

/// The cursor of a page of the whole log: time and number.
pub type Cursor = (DateTime<Utc>, i64);

/// The whole log by time, newest first. Not by number: an old event may have been sequenced late.
pub async fn search(db: &mut Db, filter: &SearchFilter, before: Option<Cursor>, limit: usize) -> Result<Vec<Activity>> {
    let mut conditions = Conditions::of(filter, before);
    let actors = conditions.add_actor(db, filter.who.as_deref()).await?;
    let (sql, values) = conditions.newest(actors, limit);
    let mut query = db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql));
    for value in values {
        query = match value {
            BindValue::Text(text) => query.bind(text),
            BindValue::Id(id) => query.bind(id),
            BindValue::Time(at) => query.bind(at),
        };
    }
    query.list().await
}

/// The conditions of a search, with their values in order.
#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<BindValue>,
}

impl Conditions {
    /// All conditions but the actor's.
    fn of(filter: &SearchFilter, before: Option<Cursor>) -> Self {
        let mut all = Self::default();
        if let Some(at) = filter.from {
            all.and("at >= ?", BindValue::Time(at));
        }
        if let Some(at) = filter.to {
            all.and("at < ?", BindValue::Time(at));
        }
        if let Some((at, seq)) = before {
            all.and(&format!("(at, seq) < (?, {seq})"), BindValue::Time(at));
        }
        if let Some(role) = &filter.role {
            all.and("actor_kind = ?", BindValue::Text(without_nul(role)));
        }
        if let Some(action) = &filter.action {
            all.and("action = ?", BindValue::Text(without_nul(action)));
        }
        if let Some(noun) = &filter.noun {
            // From the dot to the character after it: every action of the noun.
            all.and("action >= ?", BindValue::Text(format!("{}.", without_nul(noun))));
            all.and("action < ?", BindValue::Text(format!("{}/", without_nul(noun))));
        }
        if let Some(id) = filter.subject_id {
            all.and("(subject_id = ? or spv_id = ?)", BindValue::Id(id));
        }
        if let Some(words) = &filter.subject {
            let words = search_fold(&without_nul(words)).replace(['%', '_', '\\'], "");
            all.and("coalesce(subject_key, lower(subject_label)) like ?", BindValue::Text(format!("%{words}%")));
        }
        if let Some(address) = &filter.address {
            all.and("address = ?", BindValue::Text(without_nul(address)));
        }
        all
    }

    fn and(&mut self, condition: &str, value: BindValue) {
        self.values.push(value);
        self.sql.push_str(" and ");
        self.sql.push_str(&condition.replace('?', &format!("${}", self.values.len())));
    }

    /// Adds the actor: an id, or words of an account's name. Returns the accounts that the words find: each is a
    /// condition of its own.
    async fn add_actor(&mut self, db: &mut Db, who: Option<&str>) -> Result<Vec<uuid::Uuid>> {
        let Some(who) = who else { return Ok(Vec::new()) };
        if let Ok(id) = who.parse() {
            self.and("actor_id = ?", BindValue::Id(id));
            return Ok(Vec::new());
        }
        let who = without_nul(who);
        let actors = accounts_matching(db, &who).await?;
        if actors.is_empty() {
            self.and("coalesce(actor_key, lower(actor_name)) = ?", BindValue::Text(search_fold(&who)));
        }
        Ok(actors)
    }

    /// The statement for the newest rows, of any of the actors if there are any.
    fn newest(self, actors: Vec<uuid::Uuid>, limit: usize) -> (String, Vec<BindValue>) {
        let Self { sql: conditions, mut values } = self;
        let matching = format!("select {ROW_COLUMNS} from activity where seq is not null{conditions}");
        let page = format!(" order by at desc, seq desc limit {limit}");
        if actors.is_empty() {
            return (format!("{matching}{page}"), values);
        }
        // The newest of each actor by the index, then the newest of these: a sort of all their rows does not scale.
        let each = actors.into_iter().map(|id| {
            values.push(BindValue::Id(id));
            format!("select {ROW_COLUMNS} from ({matching} and actor_id = ${}{page}) p", values.len())
        });
        let each = each.collect::<Vec<_>>().join(" union all ");
        (format!("select {ROW_COLUMNS} from ({each}) o{page}"), values)
    }
}

/// PostgreSQL keeps no such character.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

/// Accounts whose name or email address has words that begin with these: the first hundred.
async fn accounts_matching(db: &mut Db, who: &str) -> Result<Vec<uuid::Uuid>> {
    let (people, words) = search::accounts_condition(db, None, Some(who)).await?.sql(db.dialect(), "id", 1);
    let mut query = db.sql_built(format!("select id from users where 1 = 1{people} limit 100"));
    for word in words {
        query = query.bind(word);
    }
    Ok(query.all::<(uuid::Uuid,)>().await?.into_iter().map(|(id,)| id).collect())
}

/// Events of one subject, newest first; `actions` are constants.
pub async fn of_subject(
    db: &mut impl Sql,
    subject: uuid::Uuid,
    actions: &[&str],
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Activity>> {
    let sql = format!(
        "select {ROW_COLUMNS} from activity where subject_id = $1 and seq is not null and seq < {} and action in ('{}') \
         order by seq desc limit {limit}",
        before.unwrap_or(i64::MAX),
        actions.join("', '"),
    );
    db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql)).bind(subject).list().await
}

/// A user's own actions, and those of others on their account, newest first.
pub async fn own(db: &mut Db, me: UserId, files: bool, before: Option<i64>, limit: usize) -> Result<Vec<Activity>> {
    let before = before.unwrap_or(i64::MAX);
    let part = |which: &str| {
        format!(
            "select {ROW_COLUMNS} from (select {ROW_COLUMNS} from activity where {which} and seq is not null and seq < {before} \
             order by seq desc limit {limit}) p"
        )
    };
    let did = part(if files { "actor_id = $1" } else { "actor_id = $1 and subject_kind <> 'file'" });
    let on_account =
        part("subject_id = $1 and subject_kind in ('user', 'impersonation') and (actor_id is null or actor_id <> $1)");
    let sql = format!("select {ROW_COLUMNS} from ({did} union all {on_account}) o order by seq desc limit {limit}");
    db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql)).bind(me).list().await
}

/// Events of accounts and sessions, newest first.
pub async fn of_accounts(
    db: &mut Db,
    filter: Option<&AccountFilter>,
    offset: i64,
    limit: i64,
) -> Result<Vec<Activity>> {
    // PostgreSQL keeps no such character.
    let plain = |text: &str| text.replace('\0', "");
    let (condition, values) = match filter {
        None => (String::new(), Vec::new()),
        Some(AccountFilter::Action(action)) => (" and action = $1".to_owned(), vec![plain(action)]),
        // From the dot to the character after it: every action of the noun.
        Some(AccountFilter::Type(noun)) => {
            let noun = plain(noun);
            (" and action >= $1 and action < $2".to_owned(), vec![format!("{noun}."), format!("{noun}/")])
        }
        Some(AccountFilter::Author(name)) => {
            let name = plain(name);
            let people = serde_json::to_string(&accounts_matching(db, &name).await?).map_err(Error::internal)?;
            let list = in_id_list(db.dialect()).replace("$1", "$2");
            (format!(" and (actor_id is null and actor_name = $1 or actor_id {list})"), vec![name, people])
        }
    };
    let sql = format!(
        "select {ROW_COLUMNS} from activity where seq is not null and subject_kind = 'user'{condition} \
         order by seq desc limit {limit} offset {offset}"
    );
    let mut query = db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql));
    for value in values {
        query = query.bind(value);
    }
    query.list().await
}

/// [`super::visible`] as an SQL condition, and the ids to bind; that of `me` is the last.
pub(crate) fn visible_sql(scope: Scope, me: Option<UserId>) -> (String, Vec<uuid::Uuid>) {
    let (condition, whose) = scoped(scope);
    let mut ids = Vec::from_iter(whose);
    let mut shown = condition.to_owned();
    if let Some(me) = me {
        ids.push(me.0);
        let me = ids.len();
        shown.push_str(&format!(
            " or subject_kind = 'user' and subject_id = ${me} and seq is not null \
             or public and subject_kind = 'request' and client_id = ${me} and seq is not null"
        ));
    }
    (shown, ids)
}

/// Visible events after a number, oldest first.
pub async fn since(db: &mut Db, scope: Scope, me: Option<UserId>, after: i64, limit: usize) -> Result<Vec<Activity>> {
    let (shown, ids) = visible_sql(scope, me);
    let nth = ids.len() + 1;
    let sql = format!("select {ROW_COLUMNS} from activity where ({shown}) and seq > ${nth} order by seq limit {limit}");
    let mut query = db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql));
    for id in ids {
        query = query.bind(id);
    }
    query.bind(after).list().await
}

pub async fn head(db: &mut impl Sql) -> Result<(i64, String)> {
    db.sql("select seq, hash from activity_head").one().await
}

pub async fn count_unnumbered(db: &mut Db) -> Result<i64> {
    db.sql("select count(*) from activity where seq is null").scalar().await
}

pub async fn chain(db: &mut Db, after: i64, limit: i64) -> Result<Vec<(Activity, String)>> {
    let row = nested_row(db.dialect(), Activity::COLUMNS);
    let columns = [("row", row.as_str(), ColumnKind::Plain), ("hash", "t.hash", ColumnKind::Plain)];
    let sql = format!("select {ROW_COLUMNS}, hash from activity where seq > $1 order by seq limit $2");
    db.sql_built(select_rows(db.dialect(), &columns, &sql)).bind(after).bind(limit).list().await
}

pub async fn hash(db: &mut Db, seq: i64) -> Result<Option<String>> {
    let found: Option<(String,)> = db.sql("select hash from activity where seq = $1").bind(seq).optional().await?;
    Ok(found.map(|(hash,)| hash))
}

/// The number and hash of the last row that was pruned.
pub async fn checkpoint(db: &mut impl Sql) -> Result<(i64, String)> {
    db.sql("select seq, hash from activity_checkpoint").one().await
}

/// The oldest rows after a number: number, time and hash.
pub async fn oldest(db: &mut Db, after: i64, limit: i64) -> Result<Vec<(i64, DateTime<Utc>, String)>> {
    db.sql("select seq, at, hash from activity where seq > $1 order by seq limit $2")
        .bind(after)
        .bind(limit)
        .all()
        .await
}

/// Entries about pruning, after a number or without one yet.
pub async fn prune_entries(db: &mut Db, after: i64) -> Result<Vec<Activity>> {
    let sql = format!(
        "select {ROW_COLUMNS} from activity where action = 'activity.cut' and seq > $1 \
         union all select {ROW_COLUMNS} from activity where action = 'activity.cut' and seq is null"
    );
    db.sql_built(select_rows(db.dialect(), Activity::COLUMNS, &sql)).bind(after).list().await
}

/// A row with a number up to the checkpoint or beyond the head. Reads both in the same statement, as they move.
pub async fn find_out_of_range(db: &mut Db) -> Result<Option<i64>> {
    let sql = "select seq from activity where seq <= (select seq from activity_checkpoint) \
               union all select seq from activity where seq > (select seq from activity_head) order by 1 limit 1";
    let found: Option<(i64,)> = db.sql(sql).optional().await?;
    Ok(found.map(|(seq,)| seq))
}

/// Deletes all rows up to `to`; false if another process has moved the checkpoint.
pub async fn prune(tx: &mut Tx, from: &(i64, String), to: &(i64, String)) -> Result<bool> {
    let sql = "update activity_checkpoint set seq = $1, hash = $2 where seq = $3 and hash = $4";
    if tx.sql(sql).bind(to.0).bind(to.1.clone()).bind(from.0).bind(from.1.clone()).run().await? == 0 {
        return Ok(false);
    }
    let notifications = "delete from notifications where activity_id in (select id from activity where seq <= $1)";
    tx.sql(notifications).bind(to.0).run().await?;
    tx.sql("delete from activity where seq <= $1").bind(to.0).run().await?;
    Ok(true)
}

/// Moves the head of the chain; false if another process has moved it.
pub async fn move_head(tx: &mut Tx, from: &(i64, String), to: &(i64, String)) -> Result<bool> {
    let sql = "update activity_head set seq = $1, hash = $2 where seq = $3 and hash = $4";
    let moved = tx.sql(sql).bind(to.0).bind(to.1.clone()).bind(from.0).bind(from.1.clone()).run().await?;
    Ok(moved == 1)
}

/// The head of the chain, and committed rows without a number.
#[derive(Debug, sqlx::FromRow)]
pub struct Unnumbered {
    pub seq: i64,
    pub hash: String,
    /// In the order in which they happened; with each whether it creates no notifications.
    #[sqlx(try_from = "Nested<Vec<(Activity, bool)>>")]
    pub rows: Vec<(Activity, bool)>,
}

/// In one statement, so that head and rows fit together.
pub async fn unnumbered(db: &mut Db, limit: usize) -> Result<Unnumbered> {
    let dialect = db.dialect();
    let row = nested_row(dialect, Activity::COLUMNS);
    let columns = [("row", row.as_str(), ColumnKind::Plain), ("quiet", "t.quiet", ColumnKind::Bool)];
    let rows =
        format!("select {ROW_COLUMNS}, quiet from activity where seq is null order by at, nth, id limit {limit}");
    let sql = format!("select seq, hash, ({}) as rows from activity_head", select_nested(dialect, &columns, &rows));
    db.sql_built(sql).one().await
}

#[derive(Serialize)]
pub struct Number {
    pub id: uuid::Uuid,
    pub seq: i64,
    pub hash: String,
}

/// Sets `seq` and `hash` of many activity rows, given as JSON `[{id, seq, hash}]`, in one statement.
fn number_activity(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => {
            "update activity set seq = j.value ->> 'seq', hash = j.value ->> 'hash' from json_each($1) j \
             where activity.id = unhex(replace(j.value ->> 'id', '-', ''))"
        }
        Dialect::Postgres => {
            "update activity set seq = j.seq, hash = j.hash \
             from json_to_recordset($1::json) as j (id uuid, seq bigint, hash text) where activity.id = j.id"
        }
    }
}

pub async fn number(tx: &mut Tx, numbers: &[Number]) -> Result<()> {
    let text = serde_json::to_string(numbers).map_err(Error::internal)?;
    tx.sql(number_activity(tx.dialect())).bind(text).run().await?;
    Ok(())
}
