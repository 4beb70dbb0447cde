//! Documents of clients and their orders: found, read and brought back. How they come in is [`uploads`].
//!
//! They are between a client and the staff: partners and companies have no part in them.
mod access;
mod links;
mod model;
pub mod scanning;
pub(crate) mod store;
pub mod uploads;

pub use links::{File, Late, Link};
pub use model::{Document, Scan, Version, clean_name};
pub use store::{Filter, Key};
pub(crate) use store::{Holder, hang};

use crate::{
    accounts::auth::Keys,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        ids::{DocumentId, SpvId, UserId, VersionId},
        page::{Page, PageQuery},
        search::{self, Entry},
    },
    orders::{spvs, templates},
    platform::activity::{self, Event},
};
use std::collections::HashMap;

/// A document with its versions, newest first.
#[derive(Clone, Debug)]
pub struct Detail {
    pub document: Document,
    pub versions: Vec<Version>,
}

/// One document. Its client, staff.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
pub async fn get(ctx: &Ctx, id: DocumentId) -> Result<Detail> {
    let document = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("document"))?;
    ctx.may(Action::View, resource(&document))?;
    let versions = store::versions(&mut ctx.db(), id).await?;
    Ok(Detail { document, versions })
}

/// Documents the actor may see, the one with the newest version first.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Document>> {
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, page.after::<Key>()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |document| (document.updated_at, document.id)))
}

/// Brings an older version back: its content becomes the newest version. Staff.
///
/// # Errors
/// NotFound, also for a version of another document; Forbidden; Conflict `stale` where `seen` is not the document's
/// version, `infected`, `being_scanned`, `newest_already`, or `request_status` once what was asked for is settled.
pub async fn restore(ctx: &Ctx, id: DocumentId, seen: Option<i64>, version: Option<VersionId>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            let document = store::lock(tx, id).await?.ok_or(Error::NotFound("document"))?;
            ctx.may(Action::Restore, resource(&document))?;
            fresh(seen, document.version, &document.updated_by, document.updated_at)?;
            takes_version(ctx, &document)?;
            let version = version.ok_or_else(|| Error::field("version_id", "required"))?;
            let older = store::version(tx, version).await?.map(|(version, ..)| version);
            let older = older.filter(|older| older.document_id == id).ok_or(Error::NotFound("version"))?;
            if older.number == document.versions_count {
                return Err(Error::conflict("newest_already"));
            }
            harmless(ctx, &older)?;
            let new = store::NewVersion {
                id: VersionId(ctx.chance.uuid()),
                file_name: older.file_name,
                media_type: older.media_type,
                bytes: older.bytes,
                sha256: older.sha256,
                storage_key: older.storage_key,
                scan: older.scan,
                restored_from: Some(older.number),
            };
            let number = store::add_version(tx, ctx, id, &new).await?;
            let event = told("document.restored", &document);
            activity::append(tx, ctx, event.with("number", number).with("from_number", older.number)).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// A link to the content of a version, which opens for whoever holds it, for a short while. Whoever may see the
/// document.
///
/// # Errors
/// NotFound; Conflict `infected`, `being_scanned`, and `not_shown` for a kind of file that no page shows.
pub async fn link(ctx: &Ctx, keys: &Keys, id: VersionId, inline: bool) -> Result<Link> {
    let version = seen(ctx, id).await?;
    if inline && !version.is_shown() {
        return Err(Error::conflict("not_shown"));
    }
    links::make(ctx, keys, id, inline)
}

/// The file that a link leads to. Anybody who holds it; `late` says whether it may have expired.
///
/// # Errors
/// Forbidden `link_expired` for a link that is over or none of ours; NotFound; Conflict `infected`, `being_scanned`.
pub async fn open(ctx: &Ctx, keys: &Keys, token: &str, late: &Late) -> Result<File> {
    let named = links::read(ctx, keys, token, late)?;
    let (version, ..) = store::version(&mut ctx.db(), named.version).await?.ok_or(Error::NotFound("version"))?;
    if named.expired && matches!(late, Late::Knows(sha256) if *sha256 != version.sha256) {
        return Err(links::expired());
    }
    harmless(ctx, &version)?;
    Ok(File { inline: named.inline && version.is_shown(), version, opening: named.opening, expired: named.expired })
}

/// Notes in the log, once for each link, that its content was opened: by whom the link was asked for, and from where its
/// holder came. A viewer that asks for a hundred ranges has opened one document.
///
/// # Errors
/// What the database refuses.
pub async fn record_opening(ctx: &Ctx, file: &File) -> Result<()> {
    let id = file.opening.jti;
    if activity::exists(&mut ctx.db(), id).await? {
        return Ok(());
    }
    let ctx = &ctx.acting_as(access::holder(ctx, &file.opening).await?);
    // Not by way of [`Ctx::transaction`]: it refuses an actor who looks at the portal as another person, who reads
    // documents too.
    ctx.db
        .transaction(|tx| {
            async move {
                if let Some(event) = access::event(tx, &file.version, file.inline).await? {
                    activity::append_once(tx, ctx, id, event).await?;
                }
                Ok(())
            }
            .scope_boxed()
        })
        .await
}

/// A version for whoever has the storage at hand, who saves its content: that is noted in the log.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of; Conflict `infected`, `being_scanned`.
pub async fn download(ctx: &Ctx, id: VersionId) -> Result<Version> {
    let version = seen(ctx, id).await?;
    let opened = &version;
    ctx.transaction(|tx| {
        async move {
            if let Some(event) = access::event(tx, opened, false).await? {
                activity::append(tx, ctx, event).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    Ok(version)
}

/// A version that the actor may read.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of; Conflict `infected`, `being_scanned`.
pub async fn seen(ctx: &Ctx, id: VersionId) -> Result<Version> {
    let found = store::version(&mut ctx.db(), id).await?;
    let (version, client_id, internal) = found.ok_or(Error::NotFound("version"))?;
    ctx.may(Action::View, Resource::Document { client_id, internal }).map_err(as_version)?;
    harmless(ctx, &version)?;
    Ok(version)
}

fn as_version(error: Error) -> Error {
    if matches!(error, Error::NotFound(_)) { Error::NotFound("version") } else { error }
}

/// What a scanner found something in, or has not looked through yet, stays where it is.
fn harmless(ctx: &Ctx, version: &Version) -> Result<()> {
    match version.scan {
        Scan::Infected => Err(Error::conflict("infected")),
        Scan::Waiting if ctx.options.scanner.is_some() => Err(Error::conflict("being_scanned")),
        _ => Ok(()),
    }
}

/// Whether what has come last can be taken as good, in the caller's transaction.
///
/// # Errors
/// NotFound; Conflict `infected`, `being_scanned`.
pub(crate) async fn acceptable(tx: &mut Tx, ctx: &Ctx, id: DocumentId) -> Result<()> {
    let document = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
    harmless(ctx, &document.latest)
}

/// What a use case of another noun needs to be sure of, in its own transaction: that this document is this client's.
///
/// # Errors
/// NotFound.
pub async fn belongs(tx: &mut Tx, id: DocumentId, client: UserId) -> Result<Document> {
    let document = store::get(tx, id).await?;
    document.filter(|document| document.client_id == client).ok_or(Error::NotFound("document"))
}

/// Gives a client's document that belongs to no order to one of their orders, in the caller's transaction.
///
/// # Errors
/// NotFound when it is not this client's, or belongs to another order.
pub async fn assign(tx: &mut Tx, id: DocumentId, client: UserId, spv: SpvId) -> Result<()> {
    if store::assign(tx, id, client, spv).await? {
        let document = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
        index(tx, &document).await
    } else {
        Err(Error::NotFound("document"))
    }
}

/// Makes a document part of something between its client and the office, in the caller's transaction: it then belongs
/// to `spv`, and unless the whole is `internal` its client knows of it.
///
/// # Errors
/// NotFound when it is not this client's, not the actor's to know of, or belongs to another order; Conflict
/// `document_internal` for one that hangs on a note of the staff.
pub(crate) async fn attach(
    tx: &mut Tx,
    ctx: &Ctx,
    id: DocumentId,
    client: UserId,
    spv: Option<SpvId>,
    internal: bool,
) -> Result<()> {
    let document = store::lock(tx, id).await?.filter(|document| document.client_id == client);
    let document = document.ok_or(Error::NotFound("document"))?;
    ctx.may(Action::View, resource(&document))?;
    // A note changes nothing that its client can see.
    if internal && !document.internal {
        return Ok(());
    }
    if let Some(spv) = spv.filter(|spv| document.spv_id != Some(*spv)) {
        assign(tx, id, client, spv).await?;
    }
    if document.internal && !internal {
        if store::on_a_note(tx, id).await? {
            return Err(Error::conflict("document_internal"));
        }
        store::publish(tx, id).await?;
        let shared = Document { internal: false, spv_id: spv.or(document.spv_id), ..document };
        activity::append(tx, ctx, told("document.shared", &shared)).await?;
    }
    Ok(())
}

/// Documents by the row that they hang on. What is internal only for the staff.
pub(crate) async fn held(
    db: &mut impl Sql,
    ctx: &Ctx,
    holder: Holder,
    rows: Vec<uuid::Uuid>,
) -> Result<HashMap<uuid::Uuid, Vec<Document>>> {
    let mut found: HashMap<_, Vec<Document>> = HashMap::new();
    for (row, document) in store::held(db, holder, &rows, ctx.actor.is_staff()).await? {
        found.entry(row).or_default().push(document);
    }
    Ok(found)
}

/// A client has another name: their documents are found by that from now on.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn on_client_renamed(tx: &mut Tx, client: UserId) -> Result<()> {
    for document in store::of_client(tx, client).await? {
        index(tx, &document).await?;
    }
    Ok(())
}

/// The words under which a document is found: its names, its order and its client.
async fn index(tx: &mut Tx, document: &Document) -> Result<()> {
    let identifier = document.spv_identifier().unwrap_or_default();
    let client = document.client_name();
    let reference = document.reference();
    let mut texts = templates::names::in_every_language(&document.name);
    texts.extend([&document.latest.file_name, &identifier, &client, &reference].map(String::as_str));
    search::index(tx, Entry { kind: "document", subject: document.id.0, company: None, iso: None, texts }).await
}

fn told(action: &'static str, document: &Document) -> Event {
    let event = Event::new(action, "document", document.id.0, document.name.clone());
    let event = event.of(Some(document.client_id), None, None);
    let event = if document.internal { event } else { event.public() };
    match document.spv_id {
        Some(spv) => event.spv(spv),
        None => event,
    }
}

pub fn resource(document: &Document) -> Resource {
    Resource::Document { client_id: document.client_id, internal: document.internal }
}

/// What the actor may do with this document: the buttons of its screens.
pub fn can(ctx: &Ctx, document: &Document) -> Vec<&'static str> {
    if takes_version(ctx, document).is_err() {
        return Vec::new();
    }
    [("upload", Action::Upload), ("restore", Action::Restore)]
        .into_iter()
        .filter(|(_, action)| ctx.can(*action, resource(document)))
        .map(|(name, _)| name)
        .collect()
}

/// Whether the document as it stands takes another version from the actor: what was asked for does not once it is
/// approved or waived.
///
/// # Errors
/// Conflict `wrong_status`, `request_status`.
pub(crate) fn takes_version(ctx: &Ctx, document: &Document) -> Result<()> {
    spvs::check_accepts_documents(ctx, document.spv_status)?;
    match document.request_status.filter(|status| status.is_settled()) {
        Some(status) => Err(Error::Conflict(Problem::new("request_status").with("status", status.name()))),
        None => Ok(()),
    }
}

/// Whether documents of this order's client are the actor's to see.
///
/// # Errors
/// NotFound.
pub async fn of_order(ctx: &Ctx, spv: SpvId) -> Result<spvs::Spv> {
    let spv = spvs::get(ctx, spv).await?.spv;
    ctx.may(Action::View, Resource::Document { client_id: spv.client_id, internal: false })?;
    Ok(spv)
}
