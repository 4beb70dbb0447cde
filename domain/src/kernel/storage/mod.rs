//! Object storage of document contents: files in a directory, or an S3-compatible service.
//!
//! The only module that uses `object_store`. Keys contain no user input. Never called inside a transaction.
mod url;

pub use self::url::{Bucket, Credentials, StorageUrl};

use crate::kernel::{
    error::{Error, Result, causes},
    health_check::HealthCheck,
    hex,
};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{Stream, StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig, WriteMultipart, aws::AmazonS3Builder,
    local::LocalFileSystem, memory::InMemory, path::Path, prefix::PrefixStore,
};
use sha2::{Digest, Sha256};
use std::{
    future::Future,
    io::ErrorKind,
    ops::Range,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::{task::spawn_blocking, time::timeout};

/// Characters of a storage's error that are shown.
const MAX_REASON_CHARS: usize = 160;
/// Size of the parts of a multipart upload, the smallest that S3 accepts.
const PART_SIZE: usize = 5 << 20;
/// Parts of a large content, half of what S3 accepts.
const PARTS: u64 = 5_000;
/// Bytes at the start of a content from which its media type is detected.
const SNIFF_BYTES: usize = 8 << 10;
/// Size of the ranges in which contents are read, so that a slow reader holds no connection to the storage, and timeouts do
/// not apply to a whole content.
const READ_RANGE: u64 = 1 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of one call that carries no content, and after which a failed call is not retried.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes per second below which a transfer times out: the timeout of a call grows with its size.
const MIN_BYTES_PER_SECOND: u64 = 16 << 10;
const MAX_RETRIES: usize = 3;
/// How long the outcome of a probe is cached.
const PROBE_TTL: Duration = Duration::from_secs(5);
/// Timeout of a probe by [`Storage::is_usable`].
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    location: String,
    /// The directory, if the storage is one.
    folder: Option<PathBuf>,
    probe: HealthCheck,
    /// Timeout of one call, without the time for the content that it transfers.
    timeout: Duration,
}

/// A content that has just been written.
#[derive(Clone, Debug)]
pub struct Content {
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
    /// The first bytes, to detect the media type.
    pub head: Vec<u8>,
}

impl Storage {
    /// Opens a storage without connecting to it; creates a missing directory.
    ///
    /// # Errors
    /// Unavailable when the directory cannot be created, Internal when a bucket has no credentials.
    pub fn open(url: &StorageUrl, credentials: Option<&Credentials>) -> Result<Self> {
        match url {
            StorageUrl::Files(folder) => {
                let location = folder.display().to_string();
                let refused =
                    |e: &dyn std::fmt::Display| Error::Unavailable(format!("the documents' folder {location}: {e}"));
                make_folder(folder).map_err(|e| refused(&e))?;
                let files = LocalFileSystem::new_with_prefix(folder)
                    .map_err(|e| refused(&e))?
                    .with_fsync(true)
                    .with_automatic_cleanup(true);
                Ok(Self {
                    store: Arc::new(files),
                    location,
                    folder: Some(folder.clone()),
                    probe: HealthCheck::new(PROBE_TTL, PROBE_TIMEOUT),
                    timeout: TIMEOUT,
                })
            }
            StorageUrl::S3(bucket) => {
                let credentials = credentials.ok_or_else(|| {
                    Error::internal("S3 storage needs SPV_S3_ACCESS_KEY_ID and SPV_S3_SECRET_ACCESS_KEY")
                })?;
                Self::s3(bucket, credentials)
            }
        }
    }

    fn s3(bucket: &Bucket, credentials: &Credentials) -> Result<Self> {
        // rustls needs one process-wide crypto provider, as several crates use TLS.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = bucket.endpoint.as_ref().is_some_and(|url| url.scheme() == "http");
        // The client's timeout would apply to a whole content; each call has its own instead.
        let client =
            ClientOptions::new().with_connect_timeout(CONNECT_TIMEOUT).with_timeout_disabled().with_allow_http(plain);
        let mut s3 = AmazonS3Builder::new()
            .with_bucket_name(&bucket.name)
            .with_region(&bucket.region)
            .with_access_key_id(&credentials.access_key_id)
            .with_secret_access_key(&credentials.secret_access_key)
            .with_retry(RetryConfig { max_retries: MAX_RETRIES, retry_timeout: TIMEOUT, ..RetryConfig::default() })
            .with_client_options(client);
        if let Some(endpoint) = &bucket.endpoint {
            s3 = s3.with_endpoint(endpoint.as_str().trim_end_matches('/'));
        }
        let s3 = s3.build().map_err(Error::internal)?;
        let store: Arc<dyn ObjectStore> = if bucket.prefix.is_empty() {
            Arc::new(s3)
        } else {
            Arc::new(PrefixStore::new(s3, bucket.prefix.as_str()))
        };
        Ok(Self {
            store,
            location: format!("s3://{}", bucket.name),
            folder: None,
            probe: HealthCheck::new(PROBE_TTL, PROBE_TIMEOUT),
            timeout: TIMEOUT,
        })
    }

    /// A storage in memory.
    pub fn memory() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            location: "memory".to_owned(),
            folder: None,
            probe: HealthCheck::new(PROBE_TTL, PROBE_TIMEOUT),
            timeout: TIMEOUT,
        }
    }

    /// Sets the timeout of a call.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The location, for messages.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Writes a small content.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<()> {
        let carried = bytes.len() as u64;
        let key = Path::from(key);
        self.within(carried, self.store.put(&key, bytes.into())).await?;
        Ok(())
    }

    /// Streams a range of a content.
    ///
    /// # Errors
    /// Unavailable; Internal when there is none.
    pub async fn read(&self, key: &str, range: Range<u64>) -> Result<BoxStream<'static, Result<Bytes>>> {
        if range.is_empty() {
            return Ok(futures::stream::empty().boxed());
        }
        let (this, key) = (self.clone(), Path::from(key));
        // An error of the first range is returned; a later one ends the stream.
        let first = this.read_range(&key, &range).await?;
        let rest = futures::stream::try_unfold(range.start + READ_RANGE, move |from| {
            let (this, key, rest) = (this.clone(), key.clone(), from..range.end);
            async move {
                if rest.is_empty() {
                    return Ok(None);
                }
                this.read_range(&key, &rest).await.map(|bytes| Some((bytes, from + READ_RANGE)))
            }
        });
        Ok(futures::stream::once(async { Ok(first) }).chain(rest).boxed())
    }

    /// The first [`READ_RANGE`] bytes of a range.
    async fn read_range(&self, key: &Path, range: &Range<u64>) -> Result<Bytes> {
        let range = range.start..range.end.min(range.start + READ_RANGE);
        let length = range.end - range.start;
        let bytes = self.within(length, self.store.get_range(key, range)).await?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.unavailable("fewer bytes than requested")) }
    }

    /// The size of a content; `None` if there is none.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn size(&self, key: &str) -> Result<Option<u64>> {
        let found =
            timeout(self.timeout, self.store.head(&Path::from(key))).await.map_err(|_| self.timed_out(self.timeout))?;
        match found {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// Writes a stream under `key`, atomically for readers. Holds a few megabytes in memory.
    ///
    /// # Errors
    /// Unavailable, and errors of the stream; then nothing is written.
    pub async fn write(&self, key: &str, content: impl Stream<Item = Result<Bytes>> + Unpin + Send) -> Result<()> {
        self.write_sized(key, content, 0).await
    }

    /// [`Self::write`] for about `bytes` in all: S3 accepts 10,000 parts, so those of a large content are larger. Holds three
    /// parts in memory.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn write_sized(
        &self,
        key: &str,
        mut content: impl Stream<Item = Result<Bytes>> + Unpin + Send,
        bytes: u64,
    ) -> Result<()> {
        let part = PART_SIZE.max(usize::try_from(bytes / PARTS).unwrap_or(usize::MAX));
        let mut writer = self.begin(key, part).await?;
        while let Some(bytes) = content.next().await {
            let ready = match bytes {
                Ok(bytes) => self.has_room(&mut writer, part).await.map(|()| bytes),
                Err(e) => Err(e),
            };
            match ready {
                Ok(bytes) => writer.put(bytes),
                Err(e) => {
                    self.abort(writer).await;
                    return Err(e);
                }
            }
        }
        self.finish(writer, part).await
    }

    /// Concatenates `parts` under `key`, atomically for readers. Holds a few megabytes in memory.
    ///
    /// # Errors
    /// Unavailable; then nothing is written.
    pub async fn join(&self, parts: &[String], key: &str) -> Result<Content> {
        let mut writer = self.begin(key, PART_SIZE).await?;
        match self.copy(parts, &mut writer).await {
            Ok(content) => {
                self.finish(writer, PART_SIZE).await?;
                Ok(content)
            }
            Err(error) => {
                self.abort(writer).await;
                Err(error)
            }
        }
    }

    async fn copy(&self, parts: &[String], writer: &mut WriteMultipart) -> Result<Content> {
        let mut hash = Sha256::new();
        let mut content = Content { bytes: 0, sha256: String::new(), head: Vec::new() };
        for part in parts {
            let Some(size) = self.size(part).await? else {
                return Err(Error::internal(format!("the storage at {}: {part} is not there", self.location)));
            };
            let mut stream = self.read(part, 0..size).await?;
            while let Some(bytes) = stream.try_next().await? {
                hash.update(&bytes);
                content.bytes += bytes.len() as u64;
                let room = SNIFF_BYTES - content.head.len();
                content.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
                self.has_room(writer, PART_SIZE).await?;
                writer.put(bytes);
            }
        }
        content.sha256 = hex::of(&hash.finalize());
        Ok(content)
    }

    async fn begin(&self, key: &str, part: usize) -> Result<WriteMultipart> {
        let upload = self.within(0, self.store.put_multipart(&Path::from(key))).await?;
        Ok(WriteMultipart::new_with_chunk_size(upload, part))
    }

    /// Waits until at most one part is being uploaded.
    async fn has_room(&self, writer: &mut WriteMultipart, part: usize) -> Result<()> {
        self.within(2 * part as u64, writer.wait_for_capacity(1)).await
    }

    async fn finish(&self, writer: WriteMultipart, part: usize) -> Result<()> {
        self.within(3 * part as u64, writer.finish()).await.map(drop)
    }

    async fn abort(&self, writer: WriteMultipart) {
        let _ = timeout(self.timeout, writer.abort()).await;
    }

    /// Applies the timeout for a call that transfers so many bytes.
    async fn within<T>(&self, bytes: u64, call: impl Future<Output = object_store::Result<T>>) -> Result<T> {
        let limit = self.timeout + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND);
        match timeout(limit, call).await {
            Ok(done) => done.map_err(|e| self.failed(e)),
            Err(_) => Err(self.timed_out(limit)),
        }
    }

    fn timed_out(&self, limit: Duration) -> Error {
        self.unavailable(format!("no answer within {limit:?}"))
    }

    /// The keys of the contents at the top level, with their sizes.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn list(&self) -> Result<Vec<(String, u64)>> {
        let found = self.within(0, self.store.list_with_delimiter(None)).await?;
        Ok(found.objects.into_iter().map(|found| (found.location.to_string(), found.size)).collect())
    }

    /// Deletes everything below `folder`, if there is anything.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn delete_below(&self, folder: &str) -> Result<()> {
        let folder = Path::from(folder);
        let found = self.store.list(Some(&folder)).map_ok(|found| found.location).try_collect();
        let keys: Vec<Path> = self.within(0, found).await?;
        for key in keys {
            self.delete_at(&key).await?;
        }
        Ok(())
    }

    /// Deletes a content, if there is one.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn delete(&self, key: &str) -> Result<()> {
        self.delete_at(&Path::from(key)).await
    }

    async fn delete_at(&self, key: &Path) -> Result<()> {
        let deleted = timeout(self.timeout, self.store.delete(key)).await.map_err(|_| self.timed_out(self.timeout))?;
        match deleted {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(self.failed(e)),
        }
    }

    /// Deletes files that a process left unfinished when it died, last written before `before`, and returns how many. For
    /// buckets a lifecycle rule does that.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn delete_unfinished(&self, before: DateTime<Utc>) -> Result<usize> {
        let Some(folder) = self.folder.clone() else { return Ok(0) };
        let deleted = spawn_blocking(move || delete_unfinished(&folder, before.into())).await;
        deleted.map_err(Error::internal)?.map_err(|e| self.unavailable(e))
    }

    /// Health check: writes a small content and reads it back.
    ///
    /// # Errors
    /// Unavailable, with the reason.
    pub async fn probe(&self) -> Result<()> {
        const KEY: &str = "probe";
        self.put(KEY, Bytes::from_static(b"probe")).await?;
        let read: Vec<Bytes> = self.read(KEY, 0..5).await?.try_collect().await?;
        if read.concat() == b"probe" { Ok(()) } else { Err(self.unavailable("the content differs after writing")) }
    }

    /// [`Self::probe`] with a cached outcome, for public health endpoints.
    ///
    /// # Errors
    /// Unavailable, with the reason.
    pub async fn is_usable(&self) -> Result<()> {
        let this = self.clone();
        self.probe.outcome(async move { this.probe().await.map_err(|e| e.to_string()) }).await
    }

    fn failed(&self, error: object_store::Error) -> Error {
        match error {
            object_store::Error::NotFound { .. } => {
                Error::internal(format!("the storage at {}: {error}", self.location))
            }
            error => {
                tracing::debug!(error = causes(&error), "storage request failed");
                self.unavailable(reason(&error))
            }
        }
    }

    fn unavailable(&self, why: impl std::fmt::Display) -> Error {
        Error::Unavailable(format!("the storage at {}: {why}", self.location))
    }
}

/// The innermost cause of an error, without the steps of the client and its retries.
fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    let text = all.last().unwrap_or(error).to_string();
    text.lines().next().unwrap_or_default().chars().take(MAX_REASON_CHARS).collect()
}

fn make_folder(folder: &std::path::Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// `object_store` writes to `<name>#<digits>` until a file is complete, and its listings leave such names out. Does not follow
/// links.
fn delete_unfinished(folder: &std::path::Path, before: SystemTime) -> std::io::Result<usize> {
    let is_unfinished = |name: &str| {
        name.split_once('#').is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|sign| sign.is_ascii_digit()))
    };
    let mut deleted = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let gone = if kind.is_dir() {
            delete_unfinished(&path, before).inspect(|gone| {
                if *gone > 0 {
                    // Fails if the directory is not empty.
                    let _ = std::fs::remove_dir(&path);
                }
            })
        } else if kind.is_file() && entry.file_name().to_str().is_some_and(is_unfinished) {
            let written = entry.metadata().and_then(|about| about.modified());
            written.and_then(|at| if at < before { std::fs::remove_file(&path).map(|()| 1) } else { Ok(0) })
        } else {
            Ok(0)
        };
        match gone {
            Ok(gone) => deleted += gone,
            // Deleted meanwhile, or not accessible, such as `lost+found`.
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(deleted)
}
