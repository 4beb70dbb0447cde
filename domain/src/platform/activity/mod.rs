//! The append-only log: who did what to which row. Also what open pages and the sign-in cache listen to.
//!
//! A use case appends a row without a number in its own transaction. Numbers taken inside transactions would
//! commit out of order, so [`follow`] numbers and hash-chains committed rows afterwards, and everything that
//! listens reads by number. Any process may number: the chain's head is one row, locked while numbering.
mod follow;
mod retention;
mod search;
pub(crate) mod store;

pub use follow::{Feed, follow, number_all};
pub use retention::{clean_up, cut};
pub use search::{Search, search};

use crate::kernel::{
    access::{Action, Actor, Resource, Role, Scope},
    ctx::Ctx,
    db::{Tx, timestamps},
    error::{Error, Result},
    hex,
    ids::{ActivityId, CompanyId, IsoId, SpvId, UserId},
    page::{Page, PageQuery},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// What the access log of documents is about. For the staff: feeds of work and people's own logs leave it out.
pub(crate) const FILE: &str = "file";

/// A thing that happened, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    pub id: ActivityId,
    /// Position in the log; none for the moment between commit and numbering.
    pub seq: Option<i64>,
    #[serde(deserialize_with = "timestamps::deserialize")]
    pub at: DateTime<Utc>,
    pub actor_kind: String,
    pub actor_id: Option<UserId>,
    pub actor_name: String,
    /// `spv.started`: noun and past participle; worded by the catalogue's `events`.
    pub action: String,
    pub subject_kind: String,
    pub subject_id: Option<Uuid>,
    pub subject_label: String,
    pub company_id: Option<CompanyId>,
    pub client_id: Option<UserId>,
    pub iso_id: Option<IsoId>,
    pub spv_id: Option<SpvId>,
    /// Clients, ISOs and companies see public rows of what is theirs; staff see all.
    pub public: bool,
    pub address: Option<String>,
    pub user_agent: Option<String>,
    pub data: Map<String, Value>,
}

/// What a use case tells of what it did.
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
    /// Something staff know of; `label` names the subject as people do.
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

    /// Whose it is: those see it in their portal once it is [`Event::public`].
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

    /// A fact the sentence needs; never a secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// What the thing was before and is after, where it differs. Whatever is secret must not be among its fields.
    ///
    /// # Errors
    /// Internal when it is no plain data.
    pub fn changed<T: Serialize>(self, before: &T, after: &T) -> Result<Self> {
        let (before, after) = differing(before, after)?;
        Ok(self.with("before", before).with("after", after))
    }
}

/// Fields that every change changes: the entry itself says who it was, and when.
const STAMPS: [&str; 3] = ["version", "updated_at", "updated_by"];

/// What two states of a thing differ in, before and after, field by field.
fn differing<T: Serialize>(before: &T, after: &T) -> Result<(Value, Value)> {
    let fields = |of: &T| match serde_json::to_value(of).map_err(Error::internal)? {
        Value::Object(fields) => Ok::<_, Error>(fields),
        other => Ok(Map::from_iter([("value".to_owned(), other)])),
    };
    let (mut before, mut after) = (fields(before)?, fields(after)?);
    let same = |name: &String, of: &Map<String, Value>, other: &Map<String, Value>| of.get(name) == other.get(name);
    let changed: Vec<String> =
        after.keys().filter(|name| !same(name, &before, &after) && !STAMPS.contains(&name.as_str())).cloned().collect();
    before.retain(|name, _| changed.contains(name));
    after.retain(|name, _| changed.contains(name));
    Ok((before.into(), after.into()))
}

/// Writes one row of the log in the transaction of what it tells.
///
/// # Errors
/// What the database refuses.
pub async fn append(tx: &mut Tx, ctx: &Ctx, event: Event) -> Result<()> {
    let row = row(ctx, ActivityId(ctx.chance.uuid_at(ctx.now())), event);
    let nth = tx.next_event();
    store::insert(tx, &row, nth, ctx.silent).await
}

/// [`append`], unless the log has a row of this id already: for what may be told several times at once.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn append_once(tx: &mut Tx, ctx: &Ctx, id: ActivityId, event: Event) -> Result<()> {
    let row = row(ctx, id, event);
    let nth = tx.next_event();
    store::insert_once(tx, &row, nth, ctx.silent).await
}

fn row(ctx: &Ctx, id: ActivityId, event: Event) -> Activity {
    let (subject_kind, subject_id, subject_label) = event.subject;
    let mut data = event.data;
    // Whoever looks as somebody else acts in their own name; the log has both.
    let seeing_as = ctx.actor.impersonator();
    if let (Some(_), Actor::User(who)) = (seeing_as, &ctx.actor) {
        data.insert("on_behalf_of".to_owned(), who.name.clone().into());
        data.insert("on_behalf_of_id".to_owned(), who.id.to_string().into());
    }
    Activity {
        id,
        seq: None,
        at: ctx.now(),
        actor_kind: seeing_as.map_or(ctx.actor.kind(), |_| Role::SuperAdmin.name()).to_owned(),
        actor_id: seeing_as.map_or(ctx.actor.user_id(), |admin| Some(admin.id)),
        actor_name: seeing_as.map_or_else(|| ctx.actor.name(), |admin| admin.name.clone()),
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

/// Whose events to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// What happened to it; of a client, a company or a partner also what happened to their orders.
    pub subject_id: Option<Uuid>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    /// Only what happened to orders and to who they are between: no sign-ins, no mails.
    pub work_only: bool,
    /// Only what happened to requests.
    pub requests_only: bool,
}

/// The newest numbered events the actor may see.
///
/// # Errors
/// Unauthenticated for nobody; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Activity>> {
    let scope = ctx.scope()?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), scope, filter, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |row| row.seq).map(|row| shown(&ctx.actor, row)))
}

/// One's own log: what one did, and what others did with one's account.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden while something is due; Invalid for a wrong limit or cursor.
pub async fn own(ctx: &Ctx, page: &PageQuery) -> Result<Page<Activity>> {
    ctx.scope()?;
    let me = ctx.actor.user_id().ok_or(Error::unauthenticated("unauthenticated"))?;
    of_user(ctx, me, page).await
}

/// The log of one person, for whoever was found to may read it.
pub(crate) async fn of_user(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let limit = page.limit()?;
    let rows = store::own(&mut ctx.db(), user, ctx.actor.is_staff(), page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |row| row.seq).map(|row| shown(&ctx.actor, row)))
}

/// Events after number `after`, oldest first, for a stream that resumes.
///
/// # Errors
/// Unauthenticated for nobody.
pub async fn since(ctx: &Ctx, after: i64, limit: usize) -> Result<Vec<Activity>> {
    let scope = ctx.scope()?;
    let rows = store::since(&mut ctx.db(), scope, ctx.actor.user_id(), after, limit).await?;
    Ok(rows.into_iter().map(|row| shown(&ctx.actor, row)).collect())
}

/// The number of the last event: where somebody begins to listen.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden for who owes a second factor or a new password.
pub async fn last_seq(ctx: &Ctx) -> Result<i64> {
    // Whoever owes a second factor or a new password hears that, and is led there.
    ctx.scope()?;
    store::head(&mut ctx.db()).await.map(|(seq, _)| seq)
}

/// True when an open page of `actor` may hear of this event: what [`since`] would give it.
pub fn visible(actor: &Actor, event: &Activity) -> bool {
    let me = actor.user_id().map(|id| id.0);
    if me.is_some() && event.subject_kind == "user" && event.subject_id == me {
        // What happens to their own account, people hear of in every role.
        return true;
    }
    if event.public && event.subject_kind == "request" && me.is_some() && event.client_id == actor.user_id() {
        // So do they of what they asked for.
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

/// The event as `actor` may read it. That the office's settings changed, a mail failed or an alert opened, all staff
/// know; bank details, addresses and what a mail server said are for whoever may look through the whole log. So is what
/// anything was before and is after: whose event it is may not see all of its fields.
pub fn shown(actor: &Actor, mut event: Activity) -> Activity {
    if actor.may(Action::View, Resource::Activity).is_ok() {
        return event;
    }
    event.data.remove("before");
    event.data.remove("after");
    let (noun, verb) = event.action.split_once('.').unwrap_or_default();
    match noun {
        // What an alert is about may be an address; of what kind it is, is none.
        "alert" => {
            if let Some(Value::String(kind)) = event.data.remove("kind") {
                event.subject_label = kind;
            }
            event.data.clear();
        }
        // Who is kept out is for those to read who keep them out.
        "address" => {
            event.subject_label = "\u{2026}".to_owned();
            event.data.clear();
        }
        "backup" | "scan" | "job" | "keys" | "settings" => event.data.clear(),
        "mail" if verb == "failed" => event.data.clear(),
        // Why somebody looks at the portal as another is not for those who are looked at to read.
        "impersonation" => event.data.clear(),
        // Nor is which of others' sessions and second factors it was: that there was one is enough.
        "session" if event.subject_id != actor.user_id().map(|me| me.0) => {
            event.data.remove("session_id");
        }
        "user" if verb.starts_with("factor_") => {
            event.data.remove("factor_id");
        }
        // The page that asked for the test data knows its job by the id.
        "seed" => {
            event.data.remove("reason");
        }
        _ => {}
    }
    event
}

/// Rows of the chain that are read at a time.
const WALK: i64 = 500;

/// Walks the whole chain from where it was last cut and says how many rows it holds.
///
/// # Errors
/// Conflict `activity_broken` naming the first number that is changed or missing; Forbidden for all but super
/// admins and the operator.
pub async fn verify(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Activity)?;
    let mut db = ctx.db();
    loop {
        let cut = store::checkpoint(&mut db).await?;
        match walk(&mut db, &cut).await {
            // Rows were cut off meanwhile: what was looked for is no longer to be there.
            Err(Error::Conflict(_)) if store::checkpoint(&mut db).await? != cut => {}
            other => return other,
        }
    }
}

/// The number and hash of the last event. Noted outside of the database, it tells later whether the log was written
/// anew: see [`holds`].
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn head(ctx: &Ctx) -> Result<(i64, String)> {
    ctx.may(Action::View, Resource::Activity)?;
    store::head(&mut ctx.db()).await
}

/// How many entries wait for their number, and are not in the log yet.
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn unnumbered(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Activity)?;
    store::count_unnumbered(&mut ctx.db()).await
}

/// Whether the log still holds what was its [`head`] once; none when it has been cut off beyond it.
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn holds(ctx: &Ctx, seq: i64, hash: &str) -> Result<Option<bool>> {
    ctx.may(Action::View, Resource::Activity)?;
    let mut db = ctx.db();
    let kept = store::hash(&mut db, seq).await?;
    // Read after the row: what is cut off in between is not called changed.
    let cut = store::checkpoint(&mut db).await?;
    Ok(match kept {
        Some(kept) => Some(kept == hash),
        None if seq < cut.0 => None,
        None => Some((seq, hash) == (cut.0, cut.1.as_str())),
    })
}

async fn walk(db: &mut crate::kernel::db::Db, cut: &(i64, String)) -> Result<i64> {
    let (last, head_hash) = store::head(db).await?;
    let (mut seq, mut hash) = cut.clone();
    let mut told = seq == 0;
    let mut batch = WALK;
    loop {
        // Up to the head that was read: a running portal goes on numbering meanwhile.
        let rows = match store::chain(db, seq, (last - seq).clamp(0, batch)).await {
            // Something among them cannot be read: one at a time, to say which.
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
            hash = chained(&hash, &row);
            if row.seq != Some(seq) || hash != kept {
                return Err(broken(seq));
            }
            told |= retention::tells_of(&row, cut);
        }
    }
    if seq != last || hash != head_hash {
        return Err(broken(seq + 1));
    }
    // Rows are only cut off together with an entry that says up to where; it may be so new that it has no number yet,
    // or got it since the head was read.
    if !told && !store::cuts(db, cut.0).await?.iter().any(|row| retention::tells_of(row, cut)) {
        return Err(broken(cut.0));
    }
    if let Some(stray) = store::stray(db).await? {
        return Err(broken(stray));
    }
    Ok(seq - cut.0)
}

fn broken(seq: i64) -> Error {
    Error::Conflict(crate::kernel::error::Problem::new("activity_broken").with("seq", seq))
}

/// The hash of a row with its number: it covers the row before it, so none can be changed or taken out unseen.
fn chained(before: &str, row: &Activity) -> String {
    let text = serde_json::to_string(row).expect("a row is plain data");
    hex::of(&Sha256::new().chain_update(before).chain_update(text).finalize())
}
