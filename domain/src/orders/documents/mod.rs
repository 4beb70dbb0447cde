//! Documents of clients and their orders: search, content, versions and attachments. [`uploads`] receives them.
//!
//! Documents are visible to their client and the staff, never to ISO partners and companies.
mod access;
mod changes;
mod links;
mod model;
pub(crate) mod rollup;
pub mod scanning;
mod store;
pub mod uploads;

pub use changes::{Change, RESTORABLE, clean_up, delete, undelete, update};
pub use links::{File, Link, ResumeClaim};
pub use model::{Document, Scan, Version, clean_name};
pub(crate) use store::{AttachmentOwner, link_attachment};
pub use store::{DocumentSort, Filter};

use crate::{
    accounts::auth::Keys,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        ids::{DocumentId, SpvId, UserId, VersionId},
        page::{Page, PageQuery, Total},
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

/// One document. Its client, staff; a deleted one: the staff.
///
/// # Errors
/// NotFound, also for a document that the actor may not see.
#[tracing::instrument(level = "debug", name = "documents.get", skip_all, fields(document_id = %id))]
pub async fn get(ctx: &Ctx, id: DocumentId) -> Result<Detail> {
    let document = store::find(&mut ctx.db(), id).await?.ok_or(Error::NotFound("document"))?;
    ctx.may(Action::View, resource(&document))?;
    if document.deleted_at.is_some() && !ctx.actor.is_staff() {
        return Err(Error::NotFound("document"));
    }
    let versions = store::versions(&mut ctx.db(), id).await?;
    Ok(Detail { document, versions })
}

/// Documents that the actor may see, by default by their newest version, newest first.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "documents.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Document>> {
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of documents of a list.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "documents.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// Restores an older version: its content becomes the newest version. Staff.
///
/// # Errors
/// NotFound, also for a version of another document; Forbidden; Conflict `stale` where `seen` is not the document's
/// version, `infected`, `being_scanned`, `newest_already`, or `request_status` once its document request is settled.
#[tracing::instrument(level = "debug", name = "documents.restore", skip_all, fields(document_id = %id))]
pub async fn restore(ctx: &Ctx, id: DocumentId, seen: Option<i64>, version: Option<VersionId>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            let document = store::lock(tx, id).await?.ok_or(Error::NotFound("document"))?;
            ctx.may(Action::Restore, resource(&document))?;
            fresh(seen, document.version, &document.updated_by, document.updated_at)?;
            check_accepts_version(ctx, &document)?;
            let version = version.ok_or_else(|| Error::field("version_id", "required"))?;
            let older = store::version(tx, version).await?.map(|(version, ..)| version);
            let older = older.filter(|older| older.document_id == id).ok_or(Error::NotFound("version"))?;
            if older.number == document.versions_count {
                return Err(Error::conflict("newest_already"));
            }
            require_clean_scan(ctx, &older)?;
            let new = store::InsertVersion {
                id: VersionId(ctx.random.uuid()),
                file_name: older.file_name,
                media_type: older.media_type,
                bytes: older.bytes,
                sha256: older.sha256,
                storage_key: older.storage_key,
                scan: older.scan,
                restored_from: Some(older.number),
            };
            let number = store::add_version(tx, ctx, id, &new).await?;
            let event = event("document.restored", &document);
            activity::append(tx, ctx, event.with("number", number).with("from_number", older.number)).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// A signed link to the content of a version, valid for [`links::LINK_TTL`] without a session. Those who may see the
/// document.
///
/// # Errors
/// NotFound; Conflict `infected`, `being_scanned`, and `not_shown` for a media type that is not shown inline.
#[tracing::instrument(level = "debug", name = "documents.link", skip_all, fields(version_id = %id))]
pub async fn link(ctx: &Ctx, keys: &Keys, id: VersionId, inline: bool) -> Result<Link> {
    let version = readable_version(ctx, id).await?;
    if inline && !version.is_shown() {
        return Err(Error::conflict("not_shown"));
    }
    links::create(ctx, keys, id, inline)
}

/// The file of a signed link. A caller with the link; `resume` says why it may have expired.
///
/// # Errors
/// Forbidden `link_expired` for an expired or forged link; NotFound; Conflict `infected`, `being_scanned`.
#[tracing::instrument(level = "debug", name = "documents.open", skip_all)]
pub async fn open(ctx: &Ctx, keys: &Keys, token: &str, resume: &ResumeClaim) -> Result<File> {
    let target = links::verify(ctx, keys, token, resume)?;
    let (version, ..) = store::version(&mut ctx.db(), target.version).await?.ok_or(Error::NotFound("version"))?;
    if target.expired && matches!(resume, ResumeClaim::KnowsHash(sha256) if *sha256 != version.sha256) {
        return Err(links::expired());
    }
    require_clean_scan(ctx, &version)?;
    Ok(File { inline: target.inline && version.is_shown(), version, holder: target.holder, expired: target.expired })
}

/// Logs, once for each link, that its content was opened: the account that requested the link, and the address it was
/// opened from. Further range requests with the same link are not logged.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "documents.record_opening", skip_all)]
pub async fn record_opening(ctx: &Ctx, file: &File) -> Result<()> {
    let id = file.holder.jti;
    if activity::exists(&mut ctx.db(), id).await? {
        return Ok(());
    }
    let ctx = &ctx.acting_as(access::link_holder(ctx, &file.holder).await?);
    // Not [`Ctx::transaction`], which refuses impersonating actors: they may read documents.
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

/// A version whose content the caller reads from the storage; logged as a download.
///
/// # Errors
/// As [`readable_version`].
#[tracing::instrument(level = "debug", name = "documents.download", skip_all, fields(version_id = %id))]
pub async fn download(ctx: &Ctx, id: VersionId) -> Result<Version> {
    let version = readable_version(ctx, id).await?;
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
/// NotFound, also for a version that the actor may not see; Conflict `infected`, `being_scanned`.
#[tracing::instrument(level = "debug", name = "documents.readable_version", skip_all, fields(version_id = %id))]
pub async fn readable_version(ctx: &Ctx, id: VersionId) -> Result<Version> {
    let found = store::version(&mut ctx.db(), id).await?;
    let (version, client_id, internal) = found.ok_or(Error::NotFound("version"))?;
    ctx.may(Action::View, Resource::Document { client_id, internal }).map_err(map_not_found)?;
    require_clean_scan(ctx, &version)?;
    Ok(version)
}

fn map_not_found(error: Error) -> Error {
    if matches!(error, Error::NotFound(_)) { Error::NotFound("version") } else { error }
}

/// Refuses an infected version, and an unscanned one while there is a scanner.
fn require_clean_scan(ctx: &Ctx, version: &Version) -> Result<()> {
    match version.scan {
        Scan::Infected => Err(Error::conflict("infected")),
        Scan::Waiting if ctx.options.scanner.is_some() => Err(Error::conflict("being_scanned")),
        _ => Ok(()),
    }
}

/// Refuses a document whose newest version is not clean.
///
/// # Errors
/// NotFound; Conflict `infected`, `being_scanned`.
pub(crate) async fn require_latest_clean(tx: &mut Tx, ctx: &Ctx, id: DocumentId) -> Result<()> {
    let document = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
    require_clean_scan(ctx, &document.latest)
}

/// Moves a client's document without an order to one of their orders, in the caller's transaction.
///
/// # Errors
/// NotFound for another client's document, and one of another order.
pub async fn assign(tx: &mut Tx, id: DocumentId, client: UserId, spv: SpvId) -> Result<()> {
    if store::assign(tx, id, client, spv).await? {
        let document = store::get(tx, id).await?.ok_or(Error::NotFound("document"))?;
        index(tx, &document).await
    } else {
        Err(Error::NotFound("document"))
    }
}

/// Prepares a document for being attached to a message, request or invoice: assigns it to `spv`, and publishes it to its
/// client unless the owner is `internal`. [`link_attachment`] links it to the owner's row.
///
/// # Errors
/// NotFound for another client's document, one of another order, or one that the actor may not see; Conflict
/// `document_internal` for one that is attached to an internal note.
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
    // An internal note must not change what the client sees.
    if internal && !document.internal {
        return Ok(());
    }
    if let Some(spv) = spv.filter(|spv| document.spv_id != Some(*spv)) {
        assign(tx, id, client, spv).await?;
    }
    if document.internal && !internal {
        if store::is_on_internal_note(tx, id).await? {
            return Err(Error::conflict("document_internal"));
        }
        store::publish(tx, id).await?;
        let published = Document { internal: false, spv_id: spv.or(document.spv_id), ..document };
        activity::append(tx, ctx, event("document.shared", &published)).await?;
    }
    Ok(())
}

/// The documents attached to these rows, by row; internal ones only for the staff.
pub(crate) async fn attachments_of(
    db: &mut impl Sql,
    ctx: &Ctx,
    owner: AttachmentOwner,
    rows: Vec<uuid::Uuid>,
) -> Result<HashMap<uuid::Uuid, Vec<Document>>> {
    let mut found: HashMap<_, Vec<Document>> = HashMap::new();
    for (row, document) in store::attachments_of(db, owner, &rows, ctx.actor.is_staff()).await? {
        found.entry(row).or_default().push(document);
    }
    Ok(found)
}

/// Indexes a client's documents by the client's new name.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn on_client_renamed(tx: &mut Tx, client: UserId) -> Result<()> {
    for document in store::of_client(tx, client).await? {
        index(tx, &document).await?;
    }
    Ok(())
}

/// Indexes an order's documents by its new identifier.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn on_order_renamed(tx: &mut Tx, spv: SpvId) -> Result<()> {
    for document in store::of_order(tx, spv).await? {
        index(tx, &document).await?;
    }
    Ok(())
}

/// Indexes a document by its names, its reference, its order and its client.
async fn index(tx: &mut Tx, document: &Document) -> Result<()> {
    let identifier = document.spv_identifier().unwrap_or_default();
    let client = document.client_name();
    let reference = document.reference();
    let mut texts = templates::names::in_every_language(&document.name);
    texts.extend([&document.latest.file_name, &identifier, &client, &reference].map(String::as_str));
    search::index(tx, Entry { kind: "document", subject: document.id.0, company: None, iso: None, texts }).await
}

fn event(action: &'static str, document: &Document) -> Event {
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

/// The actions that the actor may take on this document: the buttons of its screens.
pub fn can(ctx: &Ctx, document: &Document) -> Vec<&'static str> {
    let actions: &[_] = match (document.deleted_at, check_accepts_version(ctx, document)) {
        (Some(_), _) => &[("undelete", Action::Delete)],
        (None, Ok(())) => &[
            ("upload", Action::Upload),
            ("restore", Action::Restore),
            ("update", Action::Update),
            ("delete", Action::Delete),
        ],
        (None, Err(_)) => &[("update", Action::Update), ("delete", Action::Delete)],
    };
    // What answers a request stays.
    let is_deletable = |name: &str| name != "delete" || document.request_id.is_none();
    let actions = actions.iter().filter(|(name, action)| is_deletable(name) && ctx.can(*action, resource(document)));
    actions.map(|(name, _)| *name).collect()
}

/// Checks that the document accepts another version from the actor: by the status of its order, and as long as its
/// document request is neither approved nor waived.
///
/// # Errors
/// Conflict `wrong_status`, `request_status`.
pub(crate) fn check_accepts_version(ctx: &Ctx, document: &Document) -> Result<()> {
    spvs::check_accepts_documents(ctx, document.spv_status)?;
    match document.request_status.filter(|status| status.is_settled()) {
        Some(status) => Err(Error::Conflict(Problem::new("request_status").with("status", status.name()))),
        None => Ok(()),
    }
}

/// The order, where the actor may see documents of its client.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "documents.of_order", skip_all, fields(spv_id = %spv))]
pub async fn of_order(ctx: &Ctx, spv: SpvId) -> Result<spvs::Spv> {
    let spv = spvs::get(ctx, spv).await?.spv;
    ctx.may(Action::View, Resource::Document { client_id: spv.client_id, internal: false })?;
    Ok(spv)
}
