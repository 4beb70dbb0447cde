//! Resumable uploads: announced with their size, received in parts, and saved as a version once complete.
//!
//! Each part is an object in the storage, so any process can resume an upload; memory holds one part. Uploads that are
//! not resumed are deleted with their parts.
mod store;

use super::{
    model::{clean_name, media_type},
    scanning, store as documents,
};
use crate::{
    accounts::{
        auth,
        users::{self, Status, User},
    },
    kernel::{
        access::{Action, Actor, Resource, Role},
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::{DocumentId, DocumentRequestId, SessionId, SpvId, UploadId, UserId, VersionId},
        storage::Content,
    },
    orders::{document_requests, spvs},
    platform::{
        activity::{self, Event},
        rollups::{self, Counter},
        settings,
    },
};
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Duration, Utc};
use futures::{Stream, StreamExt};
use std::sync::Arc;
pub use store::Upload;

/// The size at which a received part is written to the storage.
const PART_SIZE: usize = 4 << 20;
/// The time without a byte after which a request body is given up; the received bytes are kept.
const BODY_IDLE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(30);
/// The time after its last part at which an upload is deleted.
const UPLOAD_TTL: Duration = Duration::hours(24);
/// The unfinished uploads of one user.
const MAX_UNFINISHED_PER_USER: i64 = 100;
/// The daily quota of a user who is not staff, in files of the size limit (1 GB by default): far more than an order
/// needs, and too little to fill a disk unnoticed.
const MAX_FILES_PER_DAY: i64 = 40;
const QUOTA_WINDOW: Duration = Duration::hours(24);
/// The age at which a complete upload is taken for interrupted before its version was saved.
const STALE_AFTER: Duration = Duration::minutes(5);
/// The uploads that one cleanup deletes.
const CLEANUP_BATCH: i64 = 200;
/// The interrupted uploads that one cleanup saves: joining parts takes time, the rest follows with the next run.
const UNSAVED_BATCH: i64 = 20;

/// An announced upload and its target: a new version of a document, the answer to a document request, or a new document
/// of an order or of the client.
#[derive(Clone, Debug, Default)]
pub struct CreateUpload {
    pub file_name: String,
    pub bytes: u64,
    pub document_id: Option<DocumentId>,
    pub request_id: Option<DocumentRequestId>,
    pub spv_id: Option<SpvId>,
    /// The client, where the staff upload without another target.
    pub client_id: Option<UserId>,
    /// The new document will be attached to a message, request or invoice, which is notified of instead of the upload.
    /// Until then an upload of the staff is internal.
    pub attach: bool,
}

/// The time at which an upload is deleted unless it is resumed.
pub fn expires_at(upload: &Upload) -> DateTime<Utc> {
    upload.touched_at + UPLOAD_TTL
}

/// Announces an upload. Clients for themselves, staff for any client.
///
/// # Errors
/// NotFound for a document, request or order that the actor may not see; Invalid per field: an empty or too large file;
/// Conflict `request_status` for a settled request, `wrong_status` for a client's order that is closed or cancelled,
/// `too_many_uploads`; except for the staff also `uploads_a_day`, and `storage_full` beyond the office's quota.
#[tracing::instrument(level = "debug", name = "documents.uploads.create", skip_all)]
pub async fn create(ctx: &Ctx, new: CreateUpload) -> Result<Upload> {
    let limit = ctx.options.upload_limit;
    if new.bytes == 0 {
        return Err(Error::field("file", "empty_file"));
    }
    if new.bytes > limit {
        return Err(Error::field_with("file", Problem::new("file_too_large").with("max_mb", limit >> 20)));
    }
    let (client_id, spv_id, request_id) = target(ctx, &new).await?;
    let user_id = ctx.actor.user_id();
    let now = ctx.now();
    let upload = Upload {
        id: UploadId(ctx.random.uuid()),
        user_id,
        client_id,
        spv_id,
        document_id: new.document_id,
        request_id,
        attach: new.attach && new.document_id.is_none() && new.request_id.is_none(),
        file_name: clean_name(&new.file_name),
        bytes: i64::try_from(new.bytes).map_err(Error::internal)?,
        received: 0,
        version_id: None,
        created_at: now,
        touched_at: now,
        saved_document_id: None,
    };
    let new = &upload;
    ctx.transaction(|tx| {
        async move {
            if let Some(user) = user_id {
                // Serializes concurrent announcements, which would exceed the limits together.
                tx.advisory_lock(format!("uploads {user}")).await?;
                if store::unfinished(tx, user).await? >= MAX_UNFINISHED_PER_USER {
                    return Err(Error::conflict("too_many_uploads"));
                }
                if !ctx.actor.is_staff() {
                    check_quota(tx, ctx, user, new.bytes).await?;
                }
            }
            store::insert(tx, new).await
        }
        .scope_boxed()
    })
    .await?;
    Ok(upload)
}

/// Checks the user's daily quota and the office's storage quota. Unfinished uploads of other users do not count, so
/// together they may exceed the storage quota once.
async fn check_quota(tx: &mut Tx, ctx: &Ctx, user: UserId, bytes: i64) -> Result<()> {
    let quota = i64::try_from(ctx.options.upload_limit).unwrap_or(i64::MAX).saturating_mul(MAX_FILES_PER_DAY);
    if store::bytes_since(tx, user, ctx.now() - QUOTA_WINDOW).await?.saturating_add(bytes) > quota {
        return Err(Error::Conflict(Problem::new("uploads_a_day").with("max_mb", quota >> 20)));
    }
    let Some(quota) = settings::storage_quota(tx, &ctx.options).await? else { return Ok(()) };
    let stored = rollups::one(tx, Counter::StorageBytes).await?.saturating_add(bytes);
    if stored.unsigned_abs() > quota { Err(Error::conflict("storage_full")) } else { Ok(()) }
}

/// The client, the order and the document request of an upload. Another version of a requested document answers its
/// request, too.
async fn target(ctx: &Ctx, new: &CreateUpload) -> Result<(UserId, Option<SpvId>, Option<DocumentRequestId>)> {
    if let Some(id) = new.document_id {
        let document = super::get(ctx, id).await?.document;
        if document.deleted_at.is_some() {
            return Err(Error::NotFound("document"));
        }
        ctx.may(Action::Upload, super::resource(&document))?;
        super::check_accepts_version(ctx, &document)?;
        return Ok((document.client_id, document.spv_id, document.request_id));
    }
    if let Some(id) = new.request_id {
        let request = document_requests::get(ctx, id).await?;
        document_requests::check_accepts_upload(ctx, &request)?;
        return Ok((request.client_id, Some(request.spv_id), Some(id)));
    }
    if let Some(id) = new.spv_id {
        let spv = super::of_order(ctx, id).await?;
        ctx.may(Action::Upload, Resource::Document { client_id: spv.client_id, internal: false })?;
        // Attachments of messages and invoices are accepted also when the order is closed.
        if !new.attach {
            spvs::check_accepts_documents(ctx, Some(spv.status))?;
        }
        return Ok((spv.client_id, Some(id), None));
    }
    let client_id = match (new.client_id, &ctx.actor) {
        (Some(id), _) => id,
        (None, Actor::User(user)) if user.role == Role::Client => user.id,
        _ => return Err(Error::field("client_id", "required")),
    };
    ctx.may(Action::Upload, Resource::Document { client_id, internal: false })?;
    check_client(users::by_id(&mut ctx.db(), client_id).await?)?;
    Ok((client_id, None, None))
}

/// Checks that documents without an order are accepted for this client.
fn check_client(client: Option<User>) -> Result<()> {
    match client.filter(|user| user.role == Role::Client) {
        Some(user) if user.status == Status::Archived => Err(Error::field("client_id", "archived")),
        Some(_) => Ok(()),
        None => Err(Error::field("client_id", "not_found")),
    }
}

/// The progress of an upload. The user who announced it. A complete upload without a version was interrupted: the next
/// [`append`] of zero bytes or [`clean_up`] saves it.
///
/// # Errors
/// NotFound.
#[tracing::instrument(level = "debug", name = "documents.uploads.get", skip_all, fields(upload_id = %id))]
pub async fn get(ctx: &Ctx, id: UploadId) -> Result<Upload> {
    find_own(ctx, id).await
}

async fn find_own(ctx: &Ctx, id: UploadId) -> Result<Upload> {
    let upload = store::get(&mut ctx.db(), id).await?.filter(|upload| upload.received >= 0);
    let upload = upload.ok_or(Error::NotFound("upload"))?;
    ctx.may(Action::Upload, Resource::Upload { user_id: upload.user_id })?;
    Ok(upload)
}

/// Receives bytes from `offset` on and returns the progress. A broken or stalled connection loses no received byte. The
/// last byte saves the version, after the permissions were checked again: hours may have passed.
///
/// # Errors
/// NotFound; Conflict `upload_offset` for another offset than the upload's, or a concurrent request; Invalid with more
/// bytes than announced; the errors of [`create`] for its target; Unauthenticated where the session was revoked.
#[tracing::instrument(level = "debug", name = "documents.uploads.append", skip_all, fields(upload_id = %id))]
pub async fn append<E>(
    ctx: &Ctx,
    id: UploadId,
    offset: i64,
    body: impl Stream<Item = std::result::Result<Bytes, E>> + Send,
) -> Result<Upload> {
    let mut upload = find_own(ctx, id).await?;
    if offset != upload.received {
        return Err(offset_mismatch(&upload));
    }
    let mut body = std::pin::pin!(body);
    let mut part = BytesMut::new();
    let mut too_long = false;
    while let Ok(Some(Ok(bytes))) = tokio::time::timeout(BODY_IDLE_TIMEOUT, body.next()).await {
        let room = upload.bytes - upload.received - part.len() as i64;
        if bytes.len() as i64 > room {
            too_long = true;
            break;
        }
        part.extend_from_slice(&bytes);
        if part.len() >= PART_SIZE {
            store_part(ctx, &mut upload, part.split().freeze()).await?;
        }
    }
    if too_long {
        return Err(Error::field("file", "longer_than_announced"));
    }
    if !part.is_empty() {
        store_part(ctx, &mut upload, part.freeze()).await?;
    }
    if upload.received == upload.bytes && upload.version_id.is_none() { finish(ctx, upload).await } else { Ok(upload) }
}

/// The refusal of a request whose offset is not the upload's.
pub fn offset_mismatch(upload: &Upload) -> Error {
    Error::Conflict(Problem::new("upload_offset").with("offset", upload.received))
}

/// Stores a part under a unique key. Of two concurrent parts at one offset the table accepts one.
async fn store_part(ctx: &Ctx, upload: &mut Upload, part: Bytes) -> Result<()> {
    let bytes = part.len() as i64;
    let key = format!("{}/{:012}-{}", folder(upload.id), upload.received, ctx.random.uuid().simple());
    if let Err(error) = ctx.options.storage.put(&key, part).await {
        // The upload may have been cancelled, and its folder deleted.
        find_own(ctx, upload.id).await?;
        return Err(error);
    }
    let (part_key, current) = (&key, &*upload);
    let advanced = ctx.transaction(|tx| {
        async move {
            if !store::advance(tx, current.id, current.received, bytes, ctx.now()).await? {
                return Ok(false);
            }
            store::add_part(tx, current.id, current.received, bytes, part_key).await?;
            Ok(true)
        }
        .scope_boxed()
    });
    if !advanced.await? {
        let _ = ctx.options.storage.delete(&key).await;
        return Err(offset_mismatch(upload));
    }
    upload.received += bytes;
    Ok(())
}

/// The storage folder of an upload's parts.
fn folder(id: UploadId) -> String {
    format!("uploads/{}", id.0.simple())
}

/// The storage key of the joined content, derived from the id so that an interrupted join leaves nothing unknown.
fn content_key(id: UploadId) -> String {
    format!("contents/{}", id.0.simple())
}

/// Joins the parts of a complete upload and saves it as a version.
async fn finish(ctx: &Ctx, upload: Upload) -> Result<Upload> {
    let storage = &ctx.options.storage;
    let parts = store::parts(&mut ctx.db(), upload.id).await?;
    if parts.is_empty() {
        // Cancelled, perhaps after another request had saved it: joining nothing would overwrite that content.
        return Err(Error::NotFound("upload"));
    }
    let content = match storage.join(&parts, &content_key(upload.id)).await {
        Ok(content) => content,
        // Another request may have finished or cancelled the upload and deleted the parts.
        Err(error) => {
            return match store::get(&mut ctx.db(), upload.id).await? {
                Some(now) if now.version_id.is_some() => Ok(now),
                Some(now) if now.received >= 0 => Err(error),
                _ => Err(Error::NotFound("upload")),
            };
        }
    };
    let saved = match save_version(ctx, &upload, content).await {
        // Cancelled during the join: the content is deleted, unless another request saved it as a version.
        Err(error @ Error::NotFound("upload")) => {
            let key = content_key(upload.id);
            if !documents::is_stored(&mut ctx.db(), &key).await? {
                storage.delete(&key).await?;
            }
            return Err(error);
        }
        saved => saved?,
    };
    // Should this fail, [`clean_up`] deletes the parts.
    if let Err(error) = storage.delete_below(&folder(upload.id)).await {
        tracing::warn!(upload = %upload.id, %error, "could not delete the parts of an upload");
    }
    Ok(saved)
}

async fn save_version(ctx: &Ctx, upload: &Upload, content: Content) -> Result<Upload> {
    if content.bytes != upload.bytes.unsigned_abs() {
        return Err(Error::internal(format!("{} bytes of upload {} are there", content.bytes, upload.id)));
    }
    let content = &content;
    ctx.transaction(|tx| save_version_within(tx, ctx, upload.id, content).scope_boxed()).await
}

/// [`save_version`] in its transaction.
async fn save_version_within(tx: &mut Tx, ctx: &Ctx, upload: UploadId, content: &Content) -> Result<Upload> {
    let upload = store::lock(tx, upload).await?.ok_or(Error::NotFound("upload"))?;
    if upload.version_id.is_some() {
        return Ok(upload);
    }
    if upload.received < 0 {
        return Err(Error::NotFound("upload"));
    }
    auth::revalidate_session(tx, ctx).await?;
    // Lock order: the order before the request.
    if let Some(id) = upload.spv_id {
        spvs::lock(tx, id).await?;
    }
    let request = match upload.request_id {
        Some(id) => {
            let request = document_requests::lock(tx, id).await?;
            document_requests::check_accepts_upload(ctx, &request)?;
            Some(request)
        }
        None => None,
    };
    let document = document_for(tx, ctx, &upload, request.as_ref()).await?;
    let version = documents::InsertVersion {
        id: VersionId(ctx.random.uuid()),
        file_name: upload.file_name.clone(),
        media_type: media_type(&content.head).to_owned(),
        bytes: upload.bytes,
        sha256: content.sha256.clone(),
        storage_key: content_key(upload.id),
        scan: scanning::initial_scan(ctx),
        restored_from: None,
    };
    let number = documents::add_version(tx, ctx, document, &version).await?;
    scanning::enqueue_scan(tx, version.id, version.scan).await?;
    store::mark_saved(tx, upload.id, version.id, ctx.now()).await?;
    let document = documents::get(tx, document).await?.ok_or(Error::NotFound("document"))?;
    super::index(tx, &document).await?;
    match request {
        Some(request) => document_requests::mark_submitted(tx, ctx, request, &document).await?,
        None => activity::append(tx, ctx, event(&document, number, upload.attach)).await?,
    }
    Ok(Upload { version_id: Some(version.id), saved_document_id: Some(document.id), ..upload })
}

/// The document that gets the version: the upload's, the request's, or a new one.
async fn document_for(
    tx: &mut Tx,
    ctx: &Ctx,
    upload: &Upload,
    request: Option<&document_requests::DocumentRequest>,
) -> Result<DocumentId> {
    let existing = match (upload.document_id, request) {
        (Some(id), _) => Some(id),
        (None, Some(request)) => documents::of_request(tx, request.id).await?,
        (None, None) => None,
    };
    if let Some(id) = existing {
        let document = documents::lock(tx, id).await?.ok_or(Error::NotFound("document"))?;
        ctx.may(Action::Upload, super::resource(&document))?;
        super::check_accepts_version(ctx, &document)?;
        return Ok(id);
    }
    check_new_document(tx, ctx, upload).await?;
    let new = documents::InsertDocument {
        id: DocumentId(ctx.random.uuid()),
        name: request.map_or_else(|| upload.file_name.clone(), |request| request.name.clone()),
        client_id: upload.client_id,
        spv_id: upload.spv_id,
        request_id: upload.request_id,
        internal: upload.attach && ctx.actor.is_staff(),
    };
    documents::insert(tx, ctx, &new).await?;
    Ok(new.id)
}

/// Checks again what [`target`] checked for a new document; its order is locked.
async fn check_new_document(tx: &mut Tx, ctx: &Ctx, upload: &Upload) -> Result<()> {
    ctx.may(Action::Upload, Resource::Document { client_id: upload.client_id, internal: false })?;
    match upload.spv_id {
        Some(id) => {
            let (spv, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
            // The client of the order may have been corrected since.
            if spv.client_id != upload.client_id {
                return Err(Error::NotFound("spv"));
            }
            if upload.attach { Ok(()) } else { spvs::check_accepts_documents(ctx, Some(spv.status)) }
        }
        None => check_client(users::by_id(tx, upload.client_id).await?),
    }
}

fn event(document: &super::Document, number: i64, attach: bool) -> Event {
    let event = super::event("document.uploaded", document)
        .with("file_name", document.latest.file_name.clone())
        .with("number", number);
    if attach { event.with("attach", true) } else { event }
}

/// Cancels an upload; a version that was saved stays. The user who announced it.
///
/// # Errors
/// NotFound; Unavailable while the storage cannot be reached: [`clean_up`] deletes the parts later.
#[tracing::instrument(level = "debug", name = "documents.uploads.cancel", skip_all, fields(upload_id = %id))]
pub async fn cancel(ctx: &Ctx, id: UploadId) -> Result<()> {
    find_own(ctx, id).await?;
    let ended = ctx.transaction(|tx| store::end(tx, id).scope_boxed());
    match ended.await? {
        // The row of a saved upload still counts for the user's daily quota.
        Some(upload) if upload.version_id.is_none() => purge(ctx, &upload).await,
        _ => Ok(()),
    }
}

/// Ends a user's unfinished uploads, in the transaction that changes the user's role. [`clean_up`] deletes the parts.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn end_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    store::end_all_of(tx, user).await
}

/// Ends the unfinished uploads of another version of a document, in the transaction that deletes it.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn end_of_document(tx: &mut Tx, document: DocumentId) -> Result<()> {
    store::end_of_document(tx, document).await
}

/// Deletes expired uploads, the remains of saved ones and unfinished objects of the storage, and saves complete uploads
/// that were interrupted. Returns the number of deleted uploads. A scheduled job.
///
/// # Errors
/// The first error of the storage, after everything else was cleaned up.
#[tracing::instrument(level = "debug", name = "documents.uploads.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<usize> {
    let mut old = ctx.transaction(|tx| store::end_old(tx, ctx.now() - UPLOAD_TTL, CLEANUP_BATCH).scope_boxed()).await?;
    let mut first_error = None;
    for upload in store::unsaved(&mut ctx.db(), ctx.now() - STALE_AFTER, UNSAVED_BATCH).await? {
        match finish_as_sender(ctx, &upload).await {
            Ok(()) => {}
            Err(error @ (Error::Unavailable(_) | Error::Internal(_))) => {
                first_error.get_or_insert(error);
            }
            // Its target does not accept it any more.
            Err(_) => {
                let ended = ctx.transaction(|tx| store::end(tx, upload.id).scope_boxed());
                old.extend(ended.await?.filter(|upload| upload.version_id.is_none()));
            }
        }
    }
    for upload in &old {
        if let Err(error) = purge(ctx, upload).await {
            first_error.get_or_insert(error);
        }
    }
    if let Err(error) = ctx.options.storage.delete_unfinished(ctx.now() - UPLOAD_TTL).await {
        first_error.get_or_insert(error);
    }
    first_error.map_or(Ok(old.len()), Err)
}

/// Saves an upload as its user, with the user's present permissions. Uploads of users who may not sign in, and of the
/// operator, are not saved.
async fn finish_as_sender(ctx: &Ctx, upload: &Upload) -> Result<()> {
    let Some(id) = upload.user_id else { return Ok(()) };
    let user = users::by_id(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))?;
    if !users::can_sign_in(&mut ctx.db(), &user, ctx.now()).await? {
        return Ok(());
    }
    let sender = ctx.acting_as(Actor::User(Arc::new(user.signed_in(SessionId(uuid::Uuid::nil())))));
    finish(&sender, upload.clone()).await.map(drop)
}

/// Deletes the objects of an ended upload and then its row, which stays for the next run where the storage fails.
async fn purge(ctx: &Ctx, upload: &Upload) -> Result<()> {
    let storage = &ctx.options.storage;
    if upload.version_id.is_none() {
        storage.delete(&content_key(upload.id)).await?;
    }
    storage.delete_below(&folder(upload.id)).await?;
    ctx.transaction(|tx| store::delete(tx, upload.id).scope_boxed()).await
}
