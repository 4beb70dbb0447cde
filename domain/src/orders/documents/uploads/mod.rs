//! Uploads: announced, sent in as many pieces as the line wants, and kept as a version once all of it is there.
//!
//! What has come lies in the storage piece by piece, so an upload goes on where it was cut off, at any process of the
//! portal. Memory holds one piece. An upload that nobody goes on with is swept away with its pieces.
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

/// Pieces are put away at this size.
const PIECE: usize = 4 << 20;
/// A line on which nothing comes for so long is taken for dead; what came is kept.
const SILENCE: std::time::Duration = std::time::Duration::from_secs(30);
/// How long an upload may rest before it is swept away.
const REST: Duration = Duration::hours(24);
/// Unfinished uploads of one person.
const AT_ONCE: i64 = 100;
/// What somebody who is not of the staff may send in within a day: so many of the largest files, 1 GB unless the operator
/// chose another limit for one. Far more than an order needs, and far too little to fill a disk before somebody sees it.
const FILES_A_DAY: i64 = 40;
const DAY: Duration = Duration::hours(24);
/// An upload that is all there and rests for so long was cut off before it was kept.
const CUT_OFF: Duration = Duration::minutes(5);

/// What is to come, and what it is to be a version of: a document, what a request asks for, something for an order, or
/// of none of them something of the client's.
#[derive(Clone, Debug, Default)]
pub struct New {
    pub file_name: String,
    pub bytes: u64,
    pub document_id: Option<DocumentId>,
    pub request_id: Option<DocumentRequestId>,
    pub spv_id: Option<SpvId>,
    /// Whose it is; for the staff, where nothing else says so.
    pub client_id: Option<UserId>,
    /// A new document that will hang on a message, a request or an invoice, which tells of it: nobody is told of the
    /// upload, and until then what the staff send in is the staff's alone.
    pub attach: bool,
}

/// When an upload is swept away if nobody goes on with it.
pub fn expires_at(upload: &Upload) -> DateTime<Utc> {
    upload.touched_at + REST
}

/// Announces an upload. Clients for themselves, staff for any client.
///
/// # Errors
/// NotFound for a document, request or order that is not the actor's to know of; Invalid per field: an empty or too
/// large file; Conflict `request_status` for a request that waits for nothing, `wrong_status` for a client's order that is
/// over, `too_many_uploads`, and for all but the staff `uploads_a_day` and, with the office's quota used up,
/// `storage_full`.
pub async fn create(ctx: &Ctx, new: New) -> Result<Upload> {
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
        id: UploadId(ctx.chance.uuid()),
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
        kept_in: None,
    };
    let new = &upload;
    ctx.transaction(|tx| {
        async move {
            if let Some(user) = user_id {
                // Many who are announced at once are counted one after the other.
                tx.advisory_lock(format!("uploads {user}")).await?;
                if store::unfinished(tx, user).await? >= AT_ONCE {
                    return Err(Error::conflict("too_many_uploads"));
                }
                if !ctx.actor.is_staff() {
                    has_room(tx, ctx, user, new.bytes).await?;
                }
            }
            store::insert(tx, new).await
        }
        .scope_boxed()
    })
    .await?;
    Ok(upload)
}

/// Whether there is room for so much more from this person. What the office's quota says is asked of each alone: what
/// others have on their way may go beyond it once.
async fn has_room(tx: &mut Tx, ctx: &Ctx, user: UserId, bytes: i64) -> Result<()> {
    let most = i64::try_from(ctx.options.upload_limit).unwrap_or(i64::MAX).saturating_mul(FILES_A_DAY);
    if store::sent(tx, user, ctx.now() - DAY).await?.saturating_add(bytes) > most {
        return Err(Error::Conflict(Problem::new("uploads_a_day").with("max_mb", most >> 20)));
    }
    let Some(quota) = settings::storage_quota(tx, &ctx.options).await? else { return Ok(()) };
    let stored = rollups::one(tx, Counter::StorageBytes).await?.saturating_add(bytes);
    if stored.unsigned_abs() > quota { Err(Error::conflict("storage_full")) } else { Ok(()) }
}

/// Whose the upload will be, which order's, and what it answers: another version of what was asked for is an answer, too.
async fn target(ctx: &Ctx, new: &New) -> Result<(UserId, Option<SpvId>, Option<DocumentRequestId>)> {
    if let Some(id) = new.document_id {
        let document = super::get(ctx, id).await?.document;
        ctx.may(Action::Upload, super::resource(&document))?;
        super::takes_version(ctx, &document)?;
        return Ok((document.client_id, document.spv_id, document.request_id));
    }
    if let Some(id) = new.request_id {
        let request = document_requests::get(ctx, id).await?;
        document_requests::takes_upload(ctx, &request)?;
        return Ok((request.client_id, Some(request.spv_id), Some(id)));
    }
    if let Some(id) = new.spv_id {
        let spv = super::of_order(ctx, id).await?;
        ctx.may(Action::Upload, Resource::Document { client_id: spv.client_id, internal: false })?;
        // What hangs on a message or an invoice comes with it, also when the order is over.
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
    takes_from(users::store::get(&mut ctx.db(), client_id).await?)?;
    Ok((client_id, None, None))
}

/// Whether something is taken that belongs to this client alone.
fn takes_from(client: Option<User>) -> Result<()> {
    match client.filter(|user| user.role == Role::Client) {
        Some(user) if user.status == Status::Archived => Err(Error::field("client_id", "archived")),
        Some(_) => Ok(()),
        None => Err(Error::field("client_id", "not_found")),
    }
}

/// How far an upload is. Whoever announced it. One that is all there and not kept was cut off at the very end: it is kept
/// once nothing more is appended to it, or by [`clean_up`].
///
/// # Errors
/// NotFound.
pub async fn get(ctx: &Ctx, id: UploadId) -> Result<Upload> {
    own(ctx, id).await
}

async fn own(ctx: &Ctx, id: UploadId) -> Result<Upload> {
    let upload = store::get(&mut ctx.db(), id).await?.filter(|upload| upload.received >= 0);
    let upload = upload.ok_or(Error::NotFound("upload"))?;
    ctx.may(Action::Upload, Resource::Upload { user_id: upload.user_id })?;
    Ok(upload)
}

/// Takes what comes, from `offset` on, and says how far the upload is then: a line that breaks or falls silent costs
/// nothing of what has come. With its last byte the upload becomes a version, if it still may: hours may have gone by.
///
/// # Errors
/// NotFound; Conflict `upload_offset` when the upload is not as far as `offset`, or somebody else goes on with it at
/// the same time; Invalid when more comes than was announced; what its target refuses by now; Unauthenticated when who
/// sends it may not be here any more.
pub async fn append<E>(
    ctx: &Ctx,
    id: UploadId,
    offset: i64,
    body: impl Stream<Item = std::result::Result<Bytes, E>> + Send,
) -> Result<Upload> {
    let mut upload = own(ctx, id).await?;
    if offset != upload.received {
        return Err(not_there(&upload));
    }
    let mut body = std::pin::pin!(body);
    let mut piece = BytesMut::new();
    let mut too_much = false;
    while let Ok(Some(Ok(bytes))) = tokio::time::timeout(SILENCE, body.next()).await {
        let room = upload.bytes - upload.received - piece.len() as i64;
        if bytes.len() as i64 > room {
            too_much = true;
            break;
        }
        piece.extend_from_slice(&bytes);
        if piece.len() >= PIECE {
            put_away(ctx, &mut upload, piece.split().freeze()).await?;
        }
    }
    if too_much {
        return Err(Error::field("file", "longer_than_announced"));
    }
    if !piece.is_empty() {
        put_away(ctx, &mut upload, piece.freeze()).await?;
    }
    if upload.received == upload.bytes && upload.version_id.is_none() { finish(ctx, upload).await } else { Ok(upload) }
}

/// Somebody else goes on with it, or is further.
pub fn not_there(upload: &Upload) -> Error {
    Error::Conflict(Problem::new("upload_offset").with("offset", upload.received))
}

/// A piece goes to the storage under a name of its own; of two at the same place the table knows one.
async fn put_away(ctx: &Ctx, upload: &mut Upload, piece: Bytes) -> Result<()> {
    let bytes = piece.len() as i64;
    let key = format!("{}/{:012}-{}", folder(upload.id), upload.received, ctx.chance.uuid().simple());
    if let Err(error) = ctx.options.storage.put(&key, piece).await {
        // Taken back meanwhile, the folder with it?
        own(ctx, upload.id).await?;
        return Err(error);
    }
    let (part, stands) = (&key, &*upload);
    let advanced = ctx.transaction(|tx| {
        async move {
            if !store::advance(tx, stands.id, stands.received, bytes, ctx.now()).await? {
                return Ok(false);
            }
            store::add_part(tx, stands.id, stands.received, bytes, part).await?;
            Ok(true)
        }
        .scope_boxed()
    });
    if !advanced.await? {
        let _ = ctx.options.storage.delete(&key).await;
        return Err(not_there(upload));
    }
    upload.received += bytes;
    Ok(())
}

/// Where the pieces of an upload lie.
fn folder(id: UploadId) -> String {
    format!("uploads/{}", id.0.simple())
}

/// Where its content will: known beforehand, so that nothing is ever left behind that nobody knows of.
fn content_key(id: UploadId) -> String {
    format!("contents/{}", id.0.simple())
}

/// Joins the pieces of an upload that is all there, and makes it a version.
async fn finish(ctx: &Ctx, upload: Upload) -> Result<Upload> {
    let storage = &ctx.options.storage;
    let parts = store::parts(&mut ctx.db(), upload.id).await?;
    if parts.is_empty() {
        // Taken back meanwhile, perhaps after somebody else had kept it: nothing, joined, would be written over that.
        return Err(Error::NotFound("upload"));
    }
    let content = match storage.join(&parts, &content_key(upload.id)).await {
        Ok(content) => content,
        // Somebody else may have finished it meanwhile, or taken it back, and the pieces away.
        Err(error) => {
            return match store::get(&mut ctx.db(), upload.id).await? {
                Some(now) if now.version_id.is_some() => Ok(now),
                Some(now) if now.received >= 0 => Err(error),
                _ => Err(Error::NotFound("upload")),
            };
        }
    };
    let kept = match keep(ctx, &upload, content).await {
        // It was taken back while the pieces were joined: the content is nobody's, unless somebody else was faster.
        Err(error @ Error::NotFound("upload")) => {
            let key = content_key(upload.id);
            if !documents::is_kept(&mut ctx.db(), &key).await? {
                storage.delete(&key).await?;
            }
            return Err(error);
        }
        kept => kept?,
    };
    // What is left is swept away in a day, should this fail.
    if let Err(error) = storage.delete_below(&folder(upload.id)).await {
        tracing::warn!(upload = %upload.id, %error, "the pieces of an upload stay for now");
    }
    Ok(kept)
}

async fn keep(ctx: &Ctx, upload: &Upload, content: Content) -> Result<Upload> {
    if content.bytes != upload.bytes.unsigned_abs() {
        return Err(Error::internal(format!("{} bytes of upload {} are there", content.bytes, upload.id)));
    }
    let content = &content;
    ctx.transaction(|tx| keep_in(tx, ctx, upload.id, content).scope_boxed()).await
}

/// [`keep`] in its transaction.
async fn keep_in(tx: &mut Tx, ctx: &Ctx, upload: UploadId, content: &Content) -> Result<Upload> {
    let upload = store::lock(tx, upload).await?.ok_or(Error::NotFound("upload"))?;
    if upload.version_id.is_some() {
        return Ok(upload);
    }
    if upload.received < 0 {
        return Err(Error::NotFound("upload"));
    }
    auth::ask_again(tx, ctx).await?;
    // The order first, as everybody who locks both.
    if let Some(id) = upload.spv_id {
        spvs::lock(tx, id).await?;
    }
    let request = match upload.request_id {
        Some(id) => {
            let request = document_requests::lock(tx, id).await?;
            document_requests::takes_upload(ctx, &request)?;
            Some(request)
        }
        None => None,
    };
    let existing = match (upload.document_id, &request) {
        (Some(id), _) => Some(id),
        (None, Some(request)) => documents::of_request(tx, request.id).await?,
        (None, None) => None,
    };
    let document = match existing {
        Some(id) => {
            let document = documents::lock(tx, id).await?.ok_or(Error::NotFound("document"))?;
            ctx.may(Action::Upload, super::resource(&document))?;
            super::takes_version(ctx, &document)?;
            document.id
        }
        None => {
            takes_new(tx, ctx, &upload).await?;
            let new = documents::New {
                id: DocumentId(ctx.chance.uuid()),
                name: request.as_ref().map_or_else(|| upload.file_name.clone(), |request| request.name.clone()),
                client_id: upload.client_id,
                spv_id: upload.spv_id,
                request_id: upload.request_id,
                internal: upload.attach && ctx.actor.is_staff(),
            };
            documents::insert(tx, ctx, &new).await?;
            new.id
        }
    };
    let version = documents::NewVersion {
        id: VersionId(ctx.chance.uuid()),
        file_name: upload.file_name.clone(),
        media_type: media_type(&content.head).to_owned(),
        bytes: upload.bytes,
        sha256: content.sha256.clone(),
        storage_key: content_key(upload.id),
        scan: scanning::first(ctx),
        restored_from: None,
    };
    let number = documents::add_version(tx, ctx, document, &version).await?;
    scanning::ask(tx, version.id, version.scan).await?;
    store::kept(tx, upload.id, version.id, ctx.now()).await?;
    let document = documents::get(tx, document).await?.ok_or(Error::NotFound("document"))?;
    super::index(tx, &document).await?;
    match request {
        Some(request) => document_requests::submitted(tx, ctx, request, &document).await?,
        None => activity::append(tx, ctx, told(&document, number, upload.attach)).await?,
    }
    Ok(Upload { version_id: Some(version.id), kept_in: Some(document.id), ..upload })
}

/// Whether a new document is taken, as [`target`] has asked before anything of it came; its order is locked.
async fn takes_new(tx: &mut Tx, ctx: &Ctx, upload: &Upload) -> Result<()> {
    ctx.may(Action::Upload, Resource::Document { client_id: upload.client_id, internal: false })?;
    match upload.spv_id {
        Some(_) if upload.attach => Ok(()),
        Some(id) => {
            let (spv, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
            spvs::check_accepts_documents(ctx, Some(spv.status))
        }
        None => takes_from(users::store::get(tx, upload.client_id).await?),
    }
}

fn told(document: &super::Document, number: i64, attach: bool) -> Event {
    let event = super::told("document.uploaded", document)
        .with("file_name", document.latest.file_name.clone())
        .with("number", number);
    if attach { event.with("attach", true) } else { event }
}

/// Takes an upload back. What it has become a version of already stays. Whoever announced it.
///
/// # Errors
/// NotFound; Unavailable when the storage is away: the sweeping comes later.
pub async fn cancel(ctx: &Ctx, id: UploadId) -> Result<()> {
    own(ctx, id).await?;
    let ended = ctx.transaction(|tx| store::end(tx, id).scope_boxed());
    match ended.await? {
        // The row of one that was kept counts for the day of whoever sent it.
        Some(upload) if upload.version_id.is_none() => sweep(ctx, &upload).await,
        _ => Ok(()),
    }
}

/// Ends what somebody has on the way, within the use case that makes them somebody else. What has come of it is swept
/// away later.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn end_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    store::end_all_of(tx, user).await
}

/// Sweeps away uploads that nobody went on with, and what is left of those that were kept; says how many. With them
/// goes what a process that died was writing. What is all there and was cut off before it was kept is kept now. A
/// scheduled job.
///
/// # Errors
/// What the database or the storage refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<usize> {
    let mut old = ctx.transaction(|tx| store::end_old(tx, ctx.now() - REST, 200).scope_boxed()).await?;
    let mut refused = None;
    // Joining takes time: the rest of them an hour later.
    for upload in store::cut_off(&mut ctx.db(), ctx.now() - CUT_OFF, 20).await? {
        match finish_for_sender(ctx, &upload).await {
            Ok(()) => {}
            Err(error @ (Error::Unavailable(_) | Error::Internal(_))) => {
                refused.get_or_insert(error);
            }
            // What it was for does not take it any more.
            Err(_) => {
                let ended = ctx.transaction(|tx| store::end(tx, upload.id).scope_boxed());
                old.extend(ended.await?.filter(|upload| upload.version_id.is_none()));
            }
        }
    }
    for upload in &old {
        if let Err(error) = sweep(ctx, upload).await {
            refused.get_or_insert(error);
        }
    }
    if let Err(error) = ctx.options.storage.delete_unfinished(ctx.now() - REST).await {
        refused.get_or_insert(error);
    }
    refused.map_or(Ok(old.len()), Err)
}

/// Keeps an upload in the name of whoever sent it, with what they may do now. Nobody who may not be here keeps anything;
/// the operator sends a file again.
async fn finish_for_sender(ctx: &Ctx, upload: &Upload) -> Result<()> {
    let Some(id) = upload.user_id else { return Ok(()) };
    let user = users::store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("user"))?;
    if !users::is_welcome(&mut ctx.db(), &user, ctx.now()).await? {
        return Ok(());
    }
    let sender = ctx.acting_as(Actor::User(Arc::new(user.signed_in(SessionId(uuid::Uuid::nil())))));
    finish(&sender, upload.clone()).await.map(drop)
}

/// Takes away what an upload that was ended has in the storage, and then its row: with the storage away it stays for
/// the next sweeping.
async fn sweep(ctx: &Ctx, upload: &Upload) -> Result<()> {
    let storage = &ctx.options.storage;
    if upload.version_id.is_none() {
        storage.delete(&content_key(upload.id)).await?;
    }
    storage.delete_below(&folder(upload.id)).await?;
    ctx.transaction(|tx| store::delete(tx, upload.id).scope_boxed()).await
}
