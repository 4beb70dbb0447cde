//! Activity log: an append-only, hash-chained audit log of who did what to which row. Open pages and the session cache
//! follow it.
//!
//! A use case appends a row without a number in its own transaction; the sequencer numbers and chains committed rows, and
//! readers follow the numbers.
mod retention;
mod search;
mod sequencer;
mod store;

pub use retention::{clean_up, prune};
pub use search::{AccountFilter, Search, search};
pub use sequencer::sequence_all;
pub(crate) use sequencer::{ActivityWatcher, Sequenced, last_number, read_after, sequence_batch};
/// SQL of the log for the statements of other nouns, and what else they do with its rows.
pub(crate) use store::{
    exists, has_later, insert as insert_row, newest_work_sql, of_accounts, of_subject, visible_sql,
};

use crate::kernel::{
    access::{Action, Actor, Resource, Role, Scope},
    ctx::Ctx,
    db::{Db, Tx, timestamps},
    error::{Error, Problem, Result},
    hex,
    ids::{ActivityId, CompanyId, IsoId, SpvId, UserId},
    page::{Page, PageQuery},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Subject kind of the document access log. Staff only: activity feeds and users' own logs leave it out.
pub(crate) const FILE: &str = "file";

crate::kernel::db::row! {
    /// A row of the log.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Activity {
        pub id: ActivityId,
        /// The row's number; `None` between commit and sequencing.
        pub seq: Option<i64>,
        #[serde(deserialize_with = "timestamps::deserialize")]
        pub at: DateTime<Utc>,
        pub actor_kind: String,
        pub actor_id: Option<UserId>,
        pub actor_name: String,
        /// `spv.started`: noun and past participle; worded by the messages of `events`.
        pub action: String,
        pub subject_kind: String,
        pub subject_id: Option<Uuid>,
        pub subject_label: String,
        pub company_id: Option<CompanyId>,
        pub client_id: Option<UserId>,
        pub iso_id: Option<IsoId>,
        pub spv_id: Option<SpvId>,
        /// Clients, ISO partners and companies see public rows of their own; staff see all rows.
        pub public: bool,
        pub address: Option<String>,
        pub user_agent: Option<String>,
        pub data: Map<String, Value>,
    }
}

/// A row to append.
#[derive(Clone, Debug)]
pub struct Event {
    action: &'static str,
    subject: (&'static str, Option<Uuid>, String),
    company_id: Option<CompanyId>,
    client_id: Option<UserId>,
    iso_id: Option<IsoId>,
    spv_id: Option<SpvId>,
    public: bool,
    data: Map<String, Value>,
}

impl Event {
    /// An event that only staff see; `label` is the subject's display name.
    pub fn new(action: &'static str, kind: &'static str, id: Uuid, label: impl Into<String>) -> Self {
        Self {
            action,
            subject: (kind, Some(id), label.into()),
            company_id: None,
            client_id: None,
            iso_id: None,
            spv_id: None,
            public: false,
            data: Map::new(),
        }
    }

    /// The owners, who see the event if it is [`Event::public`].
    #[must_use]
    pub fn of(mut self, client: Option<UserId>, company: Option<CompanyId>, iso: Option<IsoId>) -> Self {
        (self.client_id, self.company_id, self.iso_id) = (client, company, iso);
        self
    }

    #[must_use]
    pub fn spv(mut self, id: SpvId) -> Self {
        self.spv_id = Some(id);
        self
    }

    #[must_use]
    pub fn public(mut self) -> Self {
        self.public = true;
        self
    }

    /// Adds a value for the sentence; never a secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Adds the fields that differ, before and after. No field may be a secret.
    ///
    /// # Errors
    /// Internal when it does not serialize to JSON.
    pub fn changed<T: Serialize>(self, before: &T, after: &T) -> Result<Self> {
        let (before, after) = differing(before, after)?;
        Ok(self.with("before", before).with("after", after))
    }
}

/// Fields that every change sets; the entry itself has actor and time.
const METADATA_FIELDS: [&str; 3] = ["version", "updated_at", "updated_by"];

/// The fields in which two states differ, before and after.
fn differing<T: Serialize>(before: &T, after: &T) -> Result<(Value, Value)> {
    let fields = |of: &T| match serde_json::to_value(of).map_err(Error::internal)? {
        Value::Object(fields) => Ok::<_, Error>(fields),
        other => Ok(Map::from_iter([("value".to_owned(), other)])),
    };
    let (mut before, mut after) = (fields(before)?, fields(after)?);
    let same = |name: &String, of: &Map<String, Value>, other: &Map<String, Value>| of.get(name) == other.get(name);
    let changed: Vec<String> = after
        .keys()
        .filter(|name| !same(name, &before, &after) && !METADATA_FIELDS.contains(&name.as_str()))
        .cloned()
        .collect();
    before.retain(|name, _| changed.contains(name));
    after.retain(|name, _| changed.contains(name));
    Ok((before.into(), after.into()))
}

/// Appends a row in the transaction of the change.
///
/// # Errors
/// What the database refuses.
pub async fn append(tx: &mut Tx, ctx: &Ctx, event: Event) -> Result<()> {
    let row = row(ctx, ActivityId(ctx.random.uuid_at(ctx.now())), event);
    let nth = tx.next_event();
    store::insert(tx, &row, nth, ctx.suppress_notifications).await
}

/// [`append`], unless the log has a row with this id: for events that may be recorded several times at once.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn append_once(tx: &mut Tx, ctx: &Ctx, id: ActivityId, event: Event) -> Result<()> {
    let row = row(ctx, id, event);
    let nth = tx.next_event();
    store::insert_once(tx, &row, nth, ctx.suppress_notifications).await
}

fn row(ctx: &Ctx, id: ActivityId, event: Event) -> Activity {
    let (subject_kind, subject_id, subject_label) = event.subject;
    let mut data = event.data;
    // An impersonating admin is the actor; the log has both names.
    let impersonator = ctx.actor.impersonator();
    if let (Some(_), Actor::User(who)) = (impersonator, &ctx.actor) {
        data.insert("on_behalf_of".to_owned(), who.name.clone().into());
        data.insert("on_behalf_of_id".to_owned(), who.id.to_string().into());
    }
    // A session begun by an administrator's link or password: the owner is the actor, and the log has both names.
    if let Actor::User(who) = &ctx.actor
        && let Some(by) = &who.begun_by
    {
        data.insert("session_begun_by".to_owned(), by.clone().into());
    }
    Activity {
        id,
        seq: None,
        at: ctx.now(),
        actor_kind: impersonator.map_or(ctx.actor.kind(), |_| Role::SuperAdmin.name()).to_owned(),
        actor_id: impersonator.map_or(ctx.actor.user_id(), |admin| Some(admin.id)),
        actor_name: impersonator.map_or_else(|| ctx.actor.name(), |admin| admin.name.clone()),
        action: event.action.to_owned(),
        subject_kind: subject_kind.to_owned(),
        subject_id,
        subject_label,
        company_id: event.company_id,
        client_id: event.client_id,
        iso_id: event.iso_id,
        spv_id: event.spv_id,
        public: event.public,
        address: ctx.origin.address.clone(),
        user_agent: ctx.origin.user_agent.clone(),
        data,
    }
}

/// Restricts [`list`].
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Events of this subject; for a client, company or ISO partner also those of their orders.
    pub subject_id: Option<Uuid>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    /// Only events of orders and their parties: no sign-ins, no mails, no reminders.
    pub work_only: bool,
    /// Only events of requests.
    pub requests_only: bool,
}

/// The newest numbered events the actor may see.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "activity.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Activity>> {
    let scope = ctx.scope()?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), scope, filter, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |row| row.seq).map(|row| redact(&ctx.actor, row)))
}

/// The actor's own log: their actions, and those of others on their account.
///
/// # Errors
/// Unauthenticated; Forbidden while a second factor or a new password is due; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "activity.own", skip_all)]
pub async fn own(ctx: &Ctx, page: &PageQuery) -> Result<Page<Activity>> {
    ctx.scope()?;
    let me = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    of_user(ctx, me, page).await
}

/// The log of one user. The caller has checked access.
pub(crate) async fn of_user(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let limit = page.limit()?;
    let rows = store::own(&mut ctx.db(), user, ctx.actor.is_staff(), page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |row| row.seq).map(|row| redact(&ctx.actor, row)))
}

/// Visible events after a number, oldest first, for a stream that resumes.
///
/// # Errors
/// Unauthenticated; Forbidden while a second factor or a new password is due.
#[tracing::instrument(level = "debug", name = "activity.since", skip_all)]
pub async fn since(ctx: &Ctx, after: i64, limit: usize) -> Result<Vec<Activity>> {
    let scope = ctx.scope()?;
    let rows = store::since(&mut ctx.db(), scope, ctx.actor.user_id(), after, limit).await?;
    Ok(rows.into_iter().map(|row| redact(&ctx.actor, row)).collect())
}

/// The number of the last event, where a new stream starts.
///
/// # Errors
/// Unauthenticated; Forbidden while a second factor or a new password is due.
#[tracing::instrument(level = "debug", name = "activity.last_seq", skip_all)]
pub async fn last_seq(ctx: &Ctx) -> Result<i64> {
    ctx.scope()?;
    store::head(&mut ctx.db()).await.map(|(seq, _)| seq)
}

/// Whether `actor` may see an event; the same rule as [`since`].
pub fn visible(actor: &Actor, event: &Activity) -> bool {
    let me = actor.user_id().map(|id| id.0);
    if me.is_some() && event.subject_kind == "user" && event.subject_id == me {
        // Events of one's own account, in every role.
        return true;
    }
    if event.public && event.subject_kind == "request" && me.is_some() && event.client_id == actor.user_id() {
        // Events of one's own requests, in every role.
        return actor.scope().is_ok();
    }
    match actor.scope() {
        Ok(Scope::All) => true,
        Ok(Scope::Company(id)) => event.public && event.company_id == Some(id),
        Ok(Scope::Iso(id)) => event.public && event.iso_id == Some(id),
        Ok(Scope::Client(id)) => event.public && event.client_id == Some(id),
        Ok(Scope::Nothing) | Err(_) => false,
    }
}

/// The event as `actor` may read it. Values of changed fields, bank details, addresses and replies of mail servers are left
/// out for all who may not read the whole log.
pub fn redact(actor: &Actor, mut event: Activity) -> Activity {
    if actor.may(Action::View, Resource::Activity).is_ok() {
        return event;
    }
    event.data.remove("before");
    event.data.remove("after");
    event.data.remove("session_begun_by");
    let (noun, verb) = event.action.split_once('.').unwrap_or_default();
    match noun {
        // The subject of an alert may be an address; its kind is not.
        "alert" => {
            if let Some(Value::String(kind)) = event.data.remove("kind") {
                event.subject_label = kind;
            }
            event.data.clear();
        }
        // Blocked addresses.
        "address" => {
            event.subject_label = "\u{2026}".to_owned();
            event.data.clear();
        }
        "backup" | "scan" | "job" | "keys" | "settings" => event.data.clear(),
        "mail" if verb == "failed" => event.data.clear(),
        // The reason of an impersonation is not shown to the impersonated user.
        "impersonation" => event.data.clear(),
        // Which session or second factor it was is shown to its owner only.
        "session" if event.subject_id != actor.user_id().map(|me| me.0) => {
            event.data.remove("session_id");
        }
        "user" if verb.starts_with("factor_") => {
            event.data.remove("factor_id");
        }
        "user" if verb.starts_with("passkey_") => {
            event.data.remove("passkey_id");
        }
        // The page that requested the test data knows the job by its id.
        "seed" => {
            event.data.remove("reason");
        }
        _ => {}
    }
    event
}

/// Rows of the chain read at a time.
const VERIFY_BATCH: i64 = 500;

/// Verifies the hash chain from the checkpoint and returns the number of rows. Super admins and the operator.
///
/// # Errors
/// Conflict `activity_broken` naming the first number that is changed or missing; Forbidden.
#[tracing::instrument(level = "debug", name = "activity.verify", skip_all)]
pub async fn verify(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Activity)?;
    let mut db = ctx.db();
    loop {
        let cut = store::checkpoint(&mut db).await?;
        match verify_from(&mut db, &cut).await {
            // Rows were pruned meanwhile: start again.
            Err(Error::Conflict(_)) if store::checkpoint(&mut db).await? != cut => {}
            other => return other,
        }
    }
}

/// The number and hash of the last event. Stored outside the database, they prove later that the log was not rewritten
/// ([`holds`]). Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "activity.head", skip_all)]
pub async fn head(ctx: &Ctx) -> Result<(i64, String)> {
    ctx.may(Action::View, Resource::Activity)?;
    store::head(&mut ctx.db()).await
}

/// The number of rows that are not sequenced yet. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "activity.unnumbered", skip_all)]
pub async fn unnumbered(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Activity)?;
    store::count_unnumbered(&mut ctx.db()).await
}

/// Whether the log still contains a former [`head`]; `None` if it was pruned beyond it. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "activity.holds", skip_all)]
pub async fn holds(ctx: &Ctx, seq: i64, hash: &str) -> Result<Option<bool>> {
    ctx.may(Action::View, Resource::Activity)?;
    let mut db = ctx.db();
    let kept = store::hash(&mut db, seq).await?;
    // Read after the row, so that a row pruned in between does not count as changed.
    let cut = store::checkpoint(&mut db).await?;
    Ok(match kept {
        Some(kept) => Some(kept == hash),
        None if seq < cut.0 => None,
        None => Some((seq, hash) == (cut.0, cut.1.as_str())),
    })
}

async fn verify_from(db: &mut Db, cut: &(i64, String)) -> Result<i64> {
    let (last, head_hash) = store::head(db).await?;
    let (mut seq, mut hash) = cut.clone();
    let mut explained = seq == 0;
    let mut batch = VERIFY_BATCH;
    loop {
        // Up to the head that was read: the portal may go on sequencing.
        let rows = match store::chain(db, seq, (last - seq).clamp(0, batch)).await {
            // A row cannot be decoded: read one at a time to name it.
            Err(Error::Internal(_)) if batch > 1 => {
                batch = 1;
                continue;
            }
            Err(Error::Internal(_)) => return Err(broken(seq + 1)),
            rows => rows?,
        };
        if rows.is_empty() {
            break;
        }
        for (row, kept) in rows {
            seq += 1;
            hash = chain_hash(&hash, &row);
            if row.seq != Some(seq) || hash != kept {
                return Err(broken(seq));
            }
            explained |= retention::explains_checkpoint(&row, cut);
        }
    }
    if seq != last || hash != head_hash {
        return Err(broken(seq + 1));
    }
    // Pruning appends an entry with the checkpoint in the same transaction. It may have no number yet, or have got it since
    // the head was read.
    if !explained && !store::prune_entries(db, cut.0).await?.iter().any(|row| retention::explains_checkpoint(row, cut))
    {
        return Err(broken(cut.0));
    }
    if let Some(seq) = store::find_out_of_range(db).await? {
        return Err(broken(seq));
    }
    Ok(seq - cut.0)
}

fn broken(seq: i64) -> Error {
    Error::Conflict(Problem::new("activity_broken").with("seq", seq))
}

/// The hash of a numbered row and of the row before it.
fn chain_hash(before: &str, row: &Activity) -> String {
    let text = serde_json::to_string(row).expect("a row is plain data");
    hex::of(&Sha256::new().chain_update(before).chain_update(text).finalize())
}
