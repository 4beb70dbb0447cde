//! Document contents: resumable uploads by the tus protocol (version 1.0.0, tus.io) and downloads by short-lived links.
use crate::{
    downloads,
    error::{ApiError, Result},
    extract::{Json, Path, Query, SignedIn, visit_origin},
    response::JsonBody,
    state::AppState,
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
use std::{collections::HashMap, ops::Range, str::FromStr};
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

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

/// The tus version, extensions and size limit of this server.
pub async fn options(State(app): State<AppState>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    headers.insert(TUS_VERSION, HeaderValue::from_static(TUS));
    headers.insert(TUS_EXTENSION, HeaderValue::from_static(EXTENSIONS));
    headers.insert(TUS_MAX_SIZE, HeaderValue::from(app.options.upload_limit));
    response
}

/// Creates an upload (tus 1.0). `Location` is its URL.
#[utoipa::path(post, path = "/storage/v1/uploads", operation_id = "upload_create", tag = "uploads",
    params(
        ("Tus-Resumable" = String, Header, description = "`1.0.0`."),
        ("Upload-Length" = i64, Header, description = "Bytes of the whole file."),
        ("Upload-Metadata" = String, Header, description = "`file_name` and at most one of `document_id` (another version), \
            `request_id` (a document request), `spv_id` (an order) and `client_id` (staff only); `attach` for an \
            attachment of a message, a request or an invoice, without notifications; each with its value in base64, \
            separated by commas."),
    ),
    responses((status = 201, description = "Created at `Location`.")))]
pub async fn create(State(app): State<AppState>, SignedIn(ctx): SignedIn, headers: HeaderMap) -> Result<Response> {
    require_tus_version(&headers)?;
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

/// Offset of an upload: `Upload-Offset`. A completed one has `Spv-Document-Id`.
#[utoipa::path(head, path = "/storage/v1/uploads/{id}", operation_id = "upload_get", tag = "uploads",
    params(("id" = uuid::Uuid, Path), ("Tus-Resumable" = String, Header, description = "`1.0.0`.")),
    responses((status = 200, description = "The current offset.")))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<UploadId>, headers: HeaderMap) -> Result<Response> {
    let upload = uploads::get(&ctx, id).await?;
    require_tus_version(&headers)?;
    Ok(state(&upload, StatusCode::OK))
}

/// Appends to an upload. The last byte completes it as a version, and the response has `Spv-Document-Id`.
#[utoipa::path(patch, path = "/storage/v1/uploads/{id}", operation_id = "upload_append", tag = "uploads",
    params(
        ("id" = uuid::Uuid, Path),
        ("Tus-Resumable" = String, Header, description = "`1.0.0`."),
        ("Upload-Offset" = i64, Header, description = "Offset of the bytes: the current one of the upload."),
    ),
    request_body(content = String, content_type = "application/offset+octet-stream"),
    responses((status = 204, description = "Received up to `Upload-Offset`.")))]
pub async fn append(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UploadId>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    // Access is checked before the headers.
    let upload = uploads::get(&ctx, id).await?;
    require_tus_version(&headers)?;
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind != Some(b"application/offset+octet-stream") {
        return Err(ApiError::Http(StatusCode::UNSUPPORTED_MEDIA_TYPE, Problem::new("media_type")));
    }
    let offset = number(&headers, &UPLOAD_OFFSET)?.ok_or_else(|| Error::field("upload_offset", "required"))?;
    let permit = app.upload_parts.try_acquire(ctx.actor.user_id()).ok_or(Error::RateLimited(1))?;
    let guard = app.active_appends.start(id).ok_or_else(|| uploads::offset_mismatch(&upload))?;
    let body = body.into_data_stream().take_until(guard.superseded.clone().cancelled_owned());
    // In a task of its own: the received bytes are stored even when the connection breaks and drops this request.
    let append = async move {
        let _held = (permit, guard);
        uploads::append(&ctx, id, offset, body).await
    };
    let upload = tokio::spawn(append.in_current_span()).await.map_err(Error::internal)??;
    Ok(state(&upload, StatusCode::NO_CONTENT))
}

/// Cancels an upload.
#[utoipa::path(delete, path = "/storage/v1/uploads/{id}", operation_id = "upload_delete", tag = "uploads",
    params(("id" = uuid::Uuid, Path), ("Tus-Resumable" = String, Header, description = "`1.0.0`.")),
    responses((status = 204, description = "Cancelled.")))]
pub async fn cancel(SignedIn(ctx): SignedIn, Path(id): Path<UploadId>, headers: HeaderMap) -> Result<Response> {
    uploads::get(&ctx, id).await?;
    require_tus_version(&headers)?;
    uploads::cancel(&ctx, id).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    Ok(response)
}

/// A response with the tus headers of an upload.
fn state(upload: &Upload, status: StatusCode) -> Response {
    let mut response = status.into_response();
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, HeaderValue::from_static(TUS));
    headers.insert(UPLOAD_OFFSET, HeaderValue::from(upload.received));
    headers.insert(UPLOAD_LENGTH, HeaderValue::from(upload.bytes));
    let mut set_header = |name: HeaderName, text: String| {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    };
    match (upload.saved_document_id, upload.version_id) {
        (Some(document), Some(version)) => {
            set_header(DOCUMENT_ID, document.to_string());
            set_header(VERSION_ID, version.to_string());
        }
        _ => set_header(UPLOAD_EXPIRES, uploads::expires_at(upload).format("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    }
    response
}

fn require_tus_version(headers: &HeaderMap) -> Result<()> {
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
    /// Shown inline: PDF and images only.
    Inline,
    /// Saved as a file.
    Attachment,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WantedLink)]
pub struct CreateFileLink {
    /// Default: `attachment`.
    disposition: Option<Disposition>,
}

/// A bearer URL, valid for a short time.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileLink {
    url: String,
    expires_at: DateTime<Utc>,
}

/// Creates a download link to the content of a version.
#[utoipa::path(post, path = "/storage/v1/versions/{id}/link", operation_id = "version_link", tag = "documents",
    params(("id" = VersionId, Path)), request_body = CreateFileLink, responses((status = 200, body = FileLink)))]
pub async fn link(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<VersionId>,
    Json(query): Json<CreateFileLink>,
) -> Result<JsonBody<FileLink>> {
    let link = documents::link(&ctx, &app.auth.keys, id, query.disposition == Some(Disposition::Inline)).await?;
    let url = format!("{}/storage/v1/files?token={}", app.options.base_path(), link.token);
    Ok(JsonBody(FileLink { url, expires_at: link.expires_at }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Token {
    /// Claims of the link.
    #[serde(default)]
    token: String,
}

/// The content of a link, or a range of it.
#[utoipa::path(get, path = "/storage/v1/files", operation_id = "file_get", tag = "documents", security(()),
    params(Token, ("Range" = Option<String>, Header, description = "`bytes=0-1023`; one range. An interrupted download \
        is resumed with `bytes=1024-` and `If-Range`, also after its link has expired.")),
    responses(
        (status = 200, description = "The content.", content_type = "application/octet-stream", body = String),
        (status = 206, description = "The range.", content_type = "application/octet-stream", body = String),
    ))]
pub async fn read(State(app): State<AppState>, Query(asked): Query<Token>, parts: Parts) -> Result<Response> {
    let ctx = app.ctx(Actor::Anonymous, visit_origin(&parts));
    let headers = &parts.headers;
    let seen = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // The rest of an interrupted download: an expired link still opens it where the download began in this process, or
    // the caller knows the content's ETag.
    let rest = seen(header::RANGE).is_some_and(|range| !range.trim_start().starts_with("bytes=0-"));
    let known_tag = seen(header::IF_RANGE).filter(|_| rest).map(|tag| tag.trim_matches('"').to_owned());
    let late = if rest && app.downloads.contains(&asked.token, ctx.now()) {
        documents::ResumeClaim::Resumed
    } else {
        known_tag.map_or(documents::ResumeClaim::None, documents::ResumeClaim::KnowsHash)
    };
    let file = documents::open(&ctx, &app.auth.keys, &asked.token, &late).await?;
    let size = file.version.bytes.unsigned_abs();
    let tag = format!("\"{}\"", file.version.sha256);
    if seen(header::IF_NONE_MATCH).is_some_and(|tags| tags.split(',').any(|one| one.trim() == tag)) {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        set_content_headers(&mut response, &file, &tag);
        return Ok(response);
    }
    // A range of another version of the content is ignored.
    let same = seen(header::IF_RANGE).is_none_or(|seen| seen == tag);
    let requested = seen(header::RANGE).filter(|_| same).map_or(RequestedRange::Whole, |text| range(text, size));
    let (status, range) = match requested {
        RequestedRange::Whole if file.expired => return Err(Error::forbidden("link_expired").into()),
        RequestedRange::Whole => (StatusCode::OK, 0..size),
        RequestedRange::Part(range) => (StatusCode::PARTIAL_CONTENT, range),
        RequestedRange::Unsatisfiable => {
            let mut response = ApiError::Http(StatusCode::RANGE_NOT_SATISFIABLE, Problem::new("range")).into_response();
            set_header(&mut response, header::CONTENT_RANGE, &format!("bytes */{size}"));
            return Ok(response);
        }
    };
    let length = range.end - range.start;
    let body = if parts.method == Method::HEAD {
        Body::empty()
    } else {
        // The access is logged while the storage answers; without the log entry nothing is sent.
        let (content, recorded) = tokio::join!(
            ctx.options.storage.read(&file.version.storage_key, range.clone()),
            Box::pin(documents::record_opening(&ctx, &file))
        );
        recorded?;
        // A download begun with an expired link needs the ETag each time.
        if !file.expired {
            app.downloads.record(&asked.token, ctx.now());
        }
        downloads::log_incomplete(Body::from_stream(content?), file.version.id.to_string(), length)
    };
    let mut response = (status, body).into_response();
    set_content_headers(&mut response, &file, &tag);
    set_header(&mut response, header::CONTENT_LENGTH, &length.to_string());
    if status == StatusCode::PARTIAL_CONTENT {
        set_header(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    Ok(response)
}

/// Headers of a content: pictures and PDF may be shown inline, anything else is saved; scripts never run.
fn set_content_headers(response: &mut Response, file: &File, tag: &str) {
    let kind = if file.inline { file.version.media_type.as_str() } else { "application/octet-stream" };
    set_header(response, header::CONTENT_TYPE, kind);
    set_header(response, header::CONTENT_DISPOSITION, &disposition(file));
    set_header(response, header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    set_header(response, header::CACHE_CONTROL, "private, no-store");
    set_header(response, header::ACCEPT_RANGES, "bytes");
    set_header(response, header::ETAG, tag);
}

fn set_header(response: &mut Response, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        response.headers_mut().insert(name, value);
    }
}

/// `Content-Disposition` with the file name in ASCII and in UTF-8 (RFC 6266).
fn disposition(file: &File) -> String {
    let name = documents::clean_name(&file.version.file_name);
    let way = if file.inline { "inline" } else { "attachment" };
    let plain: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    let plain = plain.replace(['"', '\\', '%'], "_");
    let full: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("{way}; filename=\"{plain}\"; filename*=UTF-8''{}", full.replace('+', "%20"))
}

#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    Whole,
    Part(Range<u64>),
    Unsatisfiable,
}

/// Parses a `Range` header with one range. Several ranges or a malformed header get the whole content, as HTTP allows.
fn range(text: &str, size: u64) -> RequestedRange {
    let Some((first, last)) = text.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return RequestedRange::Whole;
    };
    let range = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.trim().is_empty() => first..size,
        (Err(_), Ok(count)) if first.trim().is_empty() => size.saturating_sub(count)..size,
        _ => return RequestedRange::Whole,
    };
    if range.start < range.end { RequestedRange::Part(range) } else { RequestedRange::Unsatisfiable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_range_is_parsed_and_anything_else_gets_the_whole_content() {
        for (text, expected) in [
            ("bytes=0-0", RequestedRange::Part(0..1)),
            ("bytes=2-5", RequestedRange::Part(2..6)),
            ("bytes=2-", RequestedRange::Part(2..10)),
            ("bytes=-3", RequestedRange::Part(7..10)),
            ("bytes=-30", RequestedRange::Part(0..10)),
            ("bytes=5-500", RequestedRange::Part(5..10)),
            ("bytes=10-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=5-2", RequestedRange::Whole),
            ("bytes=0-1,4-5", RequestedRange::Whole),
            ("lines=1-2", RequestedRange::Whole),
            ("bytes=a-b", RequestedRange::Whole),
        ] {
            assert_eq!(range(text, 10), expected, "{text}");
        }
    }
}
