//! Contents of documents: uploads by the tus protocol (version 1.0.0, tus.io), and downloads by links that open for a
//! moment.
use crate::{
    answer::Answer,
    downloads,
    error::{ApiError, Result},
    extract::{Json, Path, Query, SignedIn, visitor},
    state::App,
};
use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use domain::{
    Actor, Error,
    kernel::{
        error::Problem,
        ids::{UploadId, VersionId},
    },
    orders::documents::{
        self, File,
        uploads::{self, CreateUpload, Upload},
    },
};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio_util::sync::CancellationToken;
use utoipa::{IntoParams, ToSchema};

/// Pieces that one person sends at once: memory holds each until it is put away.
pub const PIECES: usize = 8;
const TUS: &str = "1.0.0";
const EXTENSIONS: &str = "creation,expiration,termination";
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
const TUS_MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");
const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
const DOCUMENT_ID: HeaderName = HeaderName::from_static("spv-document-id");
const VERSION_ID: HeaderName = HeaderName::from_static("spv-version-id");

/// What this server speaks; for clients that ask before they begin.
pub async fn options(State(app): State<App>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    headers.insert(TUS_VERSION, HeaderValue::from_static(TUS));
    headers.insert(TUS_EXTENSION, HeaderValue::from_static(EXTENSIONS));
    headers.insert(TUS_MAX_SIZE, HeaderValue::from(app.options.upload_limit));
    response
}

/// Announces an upload (tus 1.0). `Location` is where its bytes go.
#[utoipa::path(post, path = "/storage/v1/uploads", operation_id = "upload_create", tag = "uploads",
    params(
        ("Tus-Resumable" = String, Header, description = "`1.0.0`."),
        ("Upload-Length" = i64, Header, description = "Bytes of the whole file."),
        ("Upload-Metadata" = String, Header, description = "`file_name` and at most one of `document_id` (another version), \
            `request_id` (what was asked for), `spv_id` (something for an order), `client_id` (for the staff); `attach` for \
            a document that will hang on a message, a request or an invoice, of which nobody is told before; each with \
            its value in base64, separated by commas."),
    ),
    responses((status = 201, description = "Made; it is at `Location`.")))]
pub async fn create(State(app): State<App>, SignedIn(ctx): SignedIn, headers: HeaderMap) -> Result<Response> {
    speaks(&headers)?;
    let bytes: u64 = number(&headers, &UPLOAD_LENGTH)?.ok_or_else(|| Error::field("upload_length", "required"))?;
    if bytes > app.options.upload_limit {
        let problem = Problem::new("file_too_large").with("max_mb", app.options.upload_limit >> 20);
        return Err(ApiError::Http(StatusCode::PAYLOAD_TOO_LARGE, problem));
    }
    let metadata = metadata(&headers)?;
    let new = CreateUpload {
        file_name: metadata.get("file_name").cloned().unwrap_or_default(),
        bytes,
        document_id: id(&metadata, "document_id")?,
        request_id: id(&metadata, "request_id")?,
        spv_id: id(&metadata, "spv_id")?,
        client_id: id(&metadata, "client_id")?,
        attach: metadata.get("attach").is_some_and(|what| !what.is_empty()),
    };
    let upload = uploads::create(&ctx, new).await?;
    let mut response = state(&upload, StatusCode::CREATED);
    let location = format!("/storage/v1/uploads/{}", upload.id);
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_str(&location).map_err(Error::internal)?);
    Ok(response)
}

/// How far an upload is: `Upload-Offset`. One that is done names its `Spv-Document-Id`.
#[utoipa::path(head, path = "/storage/v1/uploads/{id}", operation_id = "upload_get", tag = "uploads",
    params(("id" = uuid::Uuid, Path), ("Tus-Resumable" = String, Header, description = "`1.0.0`.")),
    responses((status = 200, description = "How far it is.")))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<UploadId>, headers: HeaderMap) -> Result<Response> {
    let upload = uploads::get(&ctx, id).await?;
    speaks(&headers)?;
    Ok(state(&upload, StatusCode::OK))
}

/// Goes on with an upload. With its last byte it is a version, and the answer names its `Spv-Document-Id`.
#[utoipa::path(patch, path = "/storage/v1/uploads/{id}", operation_id = "upload_append", tag = "uploads",
    params(
        ("id" = uuid::Uuid, Path),
        ("Tus-Resumable" = String, Header, description = "`1.0.0`."),
        ("Upload-Offset" = i64, Header, description = "Where the bytes belong: as far as the upload is."),
    ),
    request_body(content = String, content_type = "application/offset+octet-stream"),
    responses((status = 204, description = "Taken, as far as `Upload-Offset` says.")))]
pub async fn append(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UploadId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    // Whose it is goes before how it is asked.
    let upload = uploads::get(&ctx, id).await?;
    speaks(&headers)?;
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind != Some(b"application/offset+octet-stream") {
        return Err(ApiError::Http(StatusCode::UNSUPPORTED_MEDIA_TYPE, Problem::new("media_type")));
    }
    let offset = number(&headers, &UPLOAD_OFFSET)?.ok_or_else(|| Error::field("upload_offset", "required"))?;
    let piece = app.pieces.place_of(ctx.actor.user_id()).ok_or(Error::TooMany(1))?;
    let only = app.appending.only(id).ok_or_else(|| uploads::offset_mismatch(&upload))?;
    let body = body.into_data_stream().take_until(only.hurried.clone().cancelled_owned());
    // In a task of its own: what has come is put away also when the line breaks and takes this request with it.
    let taking = tokio::spawn(async move {
        let _held = (piece, only);
        uploads::append(&ctx, id, offset, body).await
    });
    let upload = taking.await.map_err(Error::internal)??;
    Ok(state(&upload, StatusCode::NO_CONTENT))
}

/// Who goes on with which upload: of each one at a time in this process, or memory would hold the same piece many times.
#[derive(Clone, Debug, Default)]
pub struct Appending(Arc<Mutex<HashMap<UploadId, CancellationToken>>>);

/// The one who goes on with an upload, until it is dropped.
struct Only {
    appending: Appending,
    id: UploadId,
    /// Somebody else would go on with it.
    hurried: CancellationToken,
}

impl Appending {
    /// None while somebody else goes on with it: perhaps the same person on a line that is gone, which nobody has
    /// noticed yet. So that one takes nothing more and puts away what it has, and who tries again finds the place free.
    fn only(&self, id: UploadId) -> Option<Only> {
        let hurried = CancellationToken::new();
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id) {
            Entry::Occupied(taken) => {
                taken.get().cancel();
                return None;
            }
            Entry::Vacant(free) => free.insert(hurried.clone()),
        };
        Some(Only { appending: self.clone(), id, hurried })
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        self.appending.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// Takes an upload back.
#[utoipa::path(delete, path = "/storage/v1/uploads/{id}", operation_id = "upload_delete", tag = "uploads",
    params(("id" = uuid::Uuid, Path), ("Tus-Resumable" = String, Header, description = "`1.0.0`.")),
    responses((status = 204, description = "Gone.")))]
pub async fn cancel(SignedIn(ctx): SignedIn, Path(id): Path<UploadId>, headers: HeaderMap) -> Result<Response> {
    uploads::get(&ctx, id).await?;
    speaks(&headers)?;
    uploads::cancel(&ctx, id).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    Ok(response)
}

/// The state of an upload, as tus tells it.
fn state(upload: &Upload, status: StatusCode) -> Response {
    let mut response = status.into_response();
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    headers.insert(UPLOAD_OFFSET, HeaderValue::from(upload.received));
    headers.insert(UPLOAD_LENGTH, HeaderValue::from(upload.bytes));
    let mut say = |name: HeaderName, text: String| {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    };
    match (upload.saved_document_id, upload.version_id) {
        (Some(document), Some(version)) => {
            say(DOCUMENT_ID, document.to_string());
            say(VERSION_ID, version.to_string());
        }
        _ => say(UPLOAD_EXPIRES, uploads::expires_at(upload).format("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    }
    response
}

fn speaks(headers: &HeaderMap) -> Result<()> {
    if headers.get(TUS_RESUMABLE).is_some_and(|version| version.as_bytes() == TUS.as_bytes()) {
        return Ok(());
    }
    Err(ApiError::Http(StatusCode::PRECONDITION_FAILED, Problem::new("tus_version").with("version", TUS)))
}

fn number<T: FromStr>(headers: &HeaderMap, name: &HeaderName) -> Result<Option<T>> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().unwrap_or("").trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse().ok().filter(|_| digits) {
        Some(number) => Ok(Some(number)),
        None => Err(ApiError::malformed(&name.as_str().replace('-', "_"))),
    }
}

/// `key base64,key base64`.
fn metadata(headers: &HeaderMap) -> Result<HashMap<String, String>> {
    let Some(value) = headers.get("upload-metadata") else { return Ok(HashMap::new()) };
    let malformed = || ApiError::malformed("upload_metadata");
    let text = value.to_str().map_err(|_| malformed())?;
    let mut found = HashMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once(' ').unwrap_or((pair, ""));
        let bytes = BASE64_STANDARD.decode(value.trim()).map_err(|_| malformed())?;
        found.insert(name.to_owned(), String::from_utf8(bytes).map_err(|_| malformed())?);
    }
    Ok(found)
}

fn id<T: FromStr>(metadata: &HashMap<String, String>, name: &str) -> Result<Option<T>> {
    match metadata.get(name).map(String::as_str).filter(|text| !text.is_empty()) {
        Some(text) => text.parse().map(Some).map_err(|_| ApiError::malformed(name)),
        None => Ok(None),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Shown in a page: PDF and pictures only.
    Inline,
    /// Saved.
    Attachment,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedLink {
    /// `attachment` unless told.
    disposition: Option<Disposition>,
}

/// Opens for whoever holds it, and only for a moment.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileLink {
    url: String,
    expires_at: DateTime<Utc>,
}

/// A link to the content of a version.
#[utoipa::path(post, path = "/storage/v1/versions/{id}/link", operation_id = "version_link", tag = "documents",
    params(("id" = VersionId, Path)), request_body = WantedLink, responses((status = 200, body = FileLink)))]
pub async fn link(
    State(app): State<App>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<VersionId>,
    Json(wanted): Json<WantedLink>,
) -> Result<Answer<FileLink>> {
    let link = documents::link(&ctx, &app.auth.keys, id, wanted.disposition == Some(Disposition::Inline)).await?;
    let url = format!("/storage/v1/files?token={}", link.token);
    Ok(Answer(FileLink { url, expires_at: link.expires_at }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Token {
    /// What the link holds.
    #[serde(default)]
    token: String,
}

/// The content that a link leads to, or a range of it.
#[utoipa::path(get, path = "/storage/v1/files", operation_id = "file_get", tag = "documents", security(()),
    params(Token, ("Range" = Option<String>, Header, description = "`bytes=0-1023`; one range. A download that was cut is \
        resumed by `bytes=1024-` with `If-Range`, also after its link has expired.")),
    responses(
        (status = 200, description = "The content.", content_type = "application/octet-stream", body = String),
        (status = 206, description = "The range.", content_type = "application/octet-stream", body = String),
    ))]
pub async fn read(State(app): State<App>, Query(asked): Query<Token>, parts: Parts) -> Result<Response> {
    let ctx = app.ctx(Actor::Anonymous, visitor(&parts));
    let headers = &parts.headers;
    let seen = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // What is left of a download that was cut: a link that has expired meanwhile still opens it where the download began
    // here, or its caller knows the content by its tag.
    let rest = seen(header::RANGE).is_some_and(|range| !range.trim_start().starts_with("bytes=0-"));
    let known_tag = seen(header::IF_RANGE).filter(|_| rest).map(|tag| tag.trim_matches('"').to_owned());
    let late = if rest && app.downloads.has(&asked.token, ctx.now()) {
        documents::ResumeClaim::Resumed
    } else {
        known_tag.map_or(documents::ResumeClaim::None, documents::ResumeClaim::KnowsHash)
    };
    let file = documents::open(&ctx, &app.auth.keys, &asked.token, &late).await?;
    let size = file.version.bytes.unsigned_abs();
    let tag = format!("\"{}\"", file.version.sha256);
    if seen(header::IF_NONE_MATCH).is_some_and(|tags| tags.split(',').any(|one| one.trim() == tag)) {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        dress(&mut response, &file, &tag);
        return Ok(response);
    }
    // A range of something else than what was seen is not wanted.
    let same = seen(header::IF_RANGE).is_none_or(|seen| seen == tag);
    let wanted = seen(header::RANGE).filter(|_| same).map_or(Wanted::All, |text| range(text, size));
    let (status, range) = match wanted {
        Wanted::All if file.expired => return Err(Error::forbidden("link_expired").into()),
        Wanted::All => (StatusCode::OK, 0..size),
        Wanted::Some(range) => (StatusCode::PARTIAL_CONTENT, range),
        Wanted::Nothing => {
            let mut response = ApiError::Http(StatusCode::RANGE_NOT_SATISFIABLE, Problem::new("range")).into_response();
            say(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok(response);
        }
    };
    let length = range.end - range.start;
    // Nothing is sent to those who ask for the headers.
    let body = if parts.method == Method::HEAD {
        Body::empty()
    } else {
        // The log is written while the storage is asked, and nothing leaves unnoted.
        let (content, recorded) = tokio::join!(
            ctx.options.storage.read(&file.version.storage_key, range.clone()),
            Box::pin(documents::record_opening(&ctx, &file))
        );
        recorded?;
        // One that began after its link had expired needs its tag every time.
        if !file.expired {
            app.downloads.remember(&asked.token, ctx.now());
        }
        downloads::logged(Body::from_stream(content?), file.version.id.to_string(), length)
    };
    let mut response = (status, body).into_response();
    dress(&mut response, &file, &tag);
    say(&mut response, header::CONTENT_LENGTH, &length.to_string());
    if status == StatusCode::PARTIAL_CONTENT {
        say(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    Ok(response)
}

/// What a browser may do with the content: show dots and paper where it was asked to, save anything else, and run
/// nothing of it.
fn dress(response: &mut Response, file: &File, tag: &str) {
    let kind = if file.inline { file.version.media_type.as_str() } else { "application/octet-stream" };
    say(response, header::CONTENT_TYPE, kind);
    say(response, header::CONTENT_DISPOSITION, &disposition(file));
    say(response, header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    say(response, header::CACHE_CONTROL, "private, no-store");
    say(response, header::ACCEPT_RANGES, "bytes");
    say(response, header::ETAG, tag);
}

fn say(response: &mut Response, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        response.headers_mut().insert(name, value);
    }
}

/// The name twice: for every browser without its marks, and in full (RFC 6266).
fn disposition(file: &File) -> String {
    let name = documents::clean_name(&file.version.file_name);
    let way = if file.inline { "inline" } else { "attachment" };
    let plain: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    let plain = plain.replace(['"', '\\', '%'], "_");
    let full: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("{way}; filename=\"{plain}\"; filename*=UTF-8''{}", full.replace('+', "%20"))
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Some(Range<u64>),
    Nothing,
}

/// One range of bytes. Several, or what is none, are answered with everything, as HTTP allows.
fn range(text: &str, size: u64) -> Wanted {
    let Some((first, last)) = text.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Wanted::All;
    };
    let range = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.trim().is_empty() => first..size,
        (Err(_), Ok(count)) if first.trim().is_empty() => size.saturating_sub(count)..size,
        _ => return Wanted::All,
    };
    if range.start < range.end { Wanted::Some(range) } else { Wanted::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_read_and_anything_else_is_everything() {
        for (text, wanted) in [
            ("bytes=0-0", Wanted::Some(0..1)),
            ("bytes=2-5", Wanted::Some(2..6)),
            ("bytes=2-", Wanted::Some(2..10)),
            ("bytes=-3", Wanted::Some(7..10)),
            ("bytes=-30", Wanted::Some(0..10)),
            ("bytes=5-500", Wanted::Some(5..10)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=5-2", Wanted::All),
            ("bytes=0-1,4-5", Wanted::All),
            ("lines=1-2", Wanted::All),
            ("bytes=a-b", Wanted::All),
        ] {
            assert_eq!(range(text, 10), wanted, "{text}");
        }
    }
}
