//! Files of a backup: gzip-compressed JSON lines, with the SHA-256 of the compressed bytes. Reading and writing run in
//! blocking threads, a chunk at a time.
use super::manifest::Part;
use crate::kernel::error::{Error, Result};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    task::{JoinHandle, spawn_blocking},
};

/// Bytes handed to the writing thread at once.
const CHUNK: usize = 128 << 10;
/// Maximum number of rows inserted by one statement.
const LINES_PER_BATCH: i64 = 400;

/// Runs blocking file work in a thread of its own.
///
/// # Errors
/// As `work`.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(Error::internal)?
}

/// Writer of a compressed JSON lines file.
pub struct Writer {
    path: PathBuf,
    to: Sender<Vec<u8>>,
    waiting: Vec<u8>,
    lines: i64,
    written: JoinHandle<io::Result<(u64, String)>>,
}

impl Writer {
    /// Creates the file. An error to open it is returned by [`Self::add`] or [`Self::finish`].
    pub fn create(path: &Path) -> Self {
        let (to, mut chunks) = mpsc::channel::<Vec<u8>>(4);
        let at = path.to_owned();
        let written = spawn_blocking(move || {
            let mut packed = GzEncoder::new(HashingWriter::new(create_private(&at)?), Compression::new(4));
            while let Some(chunk) = chunks.blocking_recv() {
                packed.write_all(&chunk)?;
            }
            packed.finish()?.close()
        });
        Self { path: path.to_owned(), to, waiting: Vec::new(), lines: 0, written }
    }

    /// Adds a line.
    ///
    /// # Errors
    /// Unavailable if the file cannot be created, or the disk is full.
    pub async fn add(&mut self, line: &str) -> Result<()> {
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
        self.lines += 1;
        if self.waiting.len() >= CHUNK {
            let chunk = std::mem::take(&mut self.waiting);
            if self.to.send(chunk).await.is_err() {
                // The reason is the result of the thread.
                let ended = (&mut self.written).await.map_err(Error::internal)?;
                let why = ended.err().unwrap_or_else(|| io::Error::other("it was closed"));
                return Err(unavailable(&self.path, &why));
            }
        }
        Ok(())
    }

    /// Flushes and syncs the file.
    ///
    /// # Errors
    /// Unavailable if the file cannot be created, or the disk is full.
    pub async fn finish(self) -> Result<Part> {
        let Self { path, to, waiting, lines, written } = self;
        let _ = to.send(waiting).await;
        drop(to);
        let (bytes, sha256) = written.await.map_err(Error::internal)?.map_err(|e| unavailable(&path, &e))?;
        Ok(Part { lines, bytes, sha256 })
    }
}

/// Lines of a file as one JSON array.
pub struct LineBatch {
    pub text: String,
    pub lines: i64,
}

/// Reads a file in batches, as fast as they are received.
pub fn read(path: &Path) -> Receiver<io::Result<LineBatch>> {
    let (to, batches) = mpsc::channel(2);
    let path = path.to_owned();
    spawn_blocking(move || {
        if let Err(error) = send_batches(&path, &to) {
            let _ = to.blocking_send(Err(error));
        }
    });
    batches
}

fn send_batches(path: &Path, to: &Sender<io::Result<LineBatch>>) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(64 << 10, GzDecoder::new(BufReader::new(File::open(path)?)));
    loop {
        let mut batch = LineBatch { text: String::with_capacity(CHUNK), lines: 0 };
        while batch.lines < LINES_PER_BATCH && batch.text.len() < CHUNK {
            batch.text.push(if batch.lines == 0 { '[' } else { ',' });
            if lines.read_line(&mut batch.text)? == 0 {
                batch.text.pop();
                break;
            }
            batch.lines += 1;
        }
        let over = batch.lines == 0;
        batch.text.push(']');
        if over || to.blocking_send(Ok(batch)).is_err() {
            return Ok(());
        }
    }
}

/// Size and SHA-256 of a file.
///
/// # Errors
/// The error of the file system.
pub async fn hash(path: &Path) -> io::Result<(u64, String)> {
    let path = path.to_owned();
    let hashed = spawn_blocking(move || {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut chunk = vec![0; CHUNK];
        let mut bytes = 0;
        loop {
            match file.read(&mut chunk)? {
                0 => return Ok((bytes, hex_digest(hash))),
                read => {
                    hash.update(&chunk[..read]);
                    bytes += read as u64;
                }
            }
        }
    });
    hashed.await.map_err(io::Error::other)?
}

pub fn hex_digest(hash: Sha256) -> String {
    crate::kernel::hex::of(&hash.finalize())
}

/// Writes and syncs a new file that only its owner can read.
///
/// # Errors
/// The error of the file system.
pub fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = create_private(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// Creates a file that only its owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub fn unavailable(path: &Path, why: &io::Error) -> Error {
    Error::Unavailable(format!("{}: {why}", path.display()))
}

/// Writer that counts and hashes the bytes.
struct HashingWriter {
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl HashingWriter {
    fn new(file: File) -> Self {
        Self { file, hash: Sha256::new(), bytes: 0 }
    }

    fn close(self) -> io::Result<(u64, String)> {
        self.file.sync_all()?;
        Ok((self.bytes, hex_digest(self.hash)))
    }
}

impl Write for HashingWriter {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        let written = self.file.write(chunk)?;
        self.hash.update(&chunk[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
