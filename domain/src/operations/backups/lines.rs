//! Files of a backup: lines, compressed, with a hash of what lies on the disk. The work is done in threads of its own,
//! a few lines at a time.
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

/// Handed over at a time.
const PIECE: usize = 128 << 10;
/// Rows that are put into a table by one statement, at most.
const LINES: i64 = 400;

/// What waits for the disk does so in a thread of its own.
///
/// # Errors
/// As `work`.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(Error::internal)?
}

/// A file on its way.
pub struct Writer {
    path: PathBuf,
    to: Sender<Vec<u8>>,
    waiting: Vec<u8>,
    lines: i64,
    written: JoinHandle<io::Result<(u64, String)>>,
}

impl Writer {
    pub fn create(path: &Path) -> Self {
        let (to, mut pieces) = mpsc::channel::<Vec<u8>>(4);
        let at = path.to_owned();
        let written = spawn_blocking(move || {
            let mut packed = GzEncoder::new(Hashed::new(private(&at)?), Compression::new(4));
            while let Some(piece) = pieces.blocking_recv() {
                packed.write_all(&piece)?;
            }
            packed.finish()?.close()
        });
        Self { path: path.to_owned(), to, waiting: Vec::new(), lines: 0, written }
    }

    /// # Errors
    /// Unavailable when the file cannot be made, or the disk is full.
    pub async fn add(&mut self, line: &str) -> Result<()> {
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
        self.lines += 1;
        if self.waiting.len() >= PIECE {
            let piece = std::mem::take(&mut self.waiting);
            if self.to.send(piece).await.is_err() {
                // Why, the thread says at its end.
                let ended = (&mut self.written).await.map_err(Error::internal)?;
                let why = ended.err().unwrap_or_else(|| io::Error::other("it was closed"));
                return Err(unavailable(&self.path, &why));
            }
        }
        Ok(())
    }

    /// Only now it is all on the disk.
    ///
    /// # Errors
    /// Unavailable when the file cannot be made, or the disk is full.
    pub async fn finish(self) -> Result<Part> {
        let Self { path, to, waiting, lines, written } = self;
        let _ = to.send(waiting).await;
        drop(to);
        let (bytes, sha256) = written.await.map_err(Error::internal)?.map_err(|e| unavailable(&path, &e))?;
        Ok(Part { lines, bytes, sha256 })
    }
}

/// Some lines of a file, as one JSON array.
pub struct Batch {
    pub text: String,
    pub lines: i64,
}

/// The lines of a file, as they are wanted.
pub fn read(path: &Path) -> Receiver<io::Result<Batch>> {
    let (to, batches) = mpsc::channel(2);
    let path = path.to_owned();
    spawn_blocking(move || {
        if let Err(error) = unpack(&path, &to) {
            let _ = to.blocking_send(Err(error));
        }
    });
    batches
}

fn unpack(path: &Path, to: &Sender<io::Result<Batch>>) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(64 << 10, GzDecoder::new(BufReader::new(File::open(path)?)));
    loop {
        let mut batch = Batch { text: String::with_capacity(PIECE), lines: 0 };
        while batch.lines < LINES && batch.text.len() < PIECE {
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

/// How large a file is, and its hash.
///
/// # Errors
/// What the disk says.
pub async fn hash(path: &Path) -> io::Result<(u64, String)> {
    let path = path.to_owned();
    let hashed = spawn_blocking(move || {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut piece = vec![0; PIECE];
        let mut bytes = 0;
        loop {
            match file.read(&mut piece)? {
                0 => return Ok((bytes, hex(hash))),
                read => {
                    hash.update(&piece[..read]);
                    bytes += read as u64;
                }
            }
        }
    });
    hashed.await.map_err(io::Error::other)?
}

pub fn hex(hash: Sha256) -> String {
    crate::kernel::hex::of(&hash.finalize())
}

/// A new file that only its owner may read, with all of `text`.
///
/// # Errors
/// What the disk says.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = private(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// A new file that only its owner may read.
pub fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub fn unavailable(path: &Path, why: &io::Error) -> Error {
    Error::Unavailable(format!("{}: {why}", path.display()))
}

/// Hashes what it writes.
struct Hashed {
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Hashed {
    fn new(file: File) -> Self {
        Self { file, hash: Sha256::new(), bytes: 0 }
    }

    fn close(self) -> io::Result<(u64, String)> {
        self.file.sync_all()?;
        Ok((self.bytes, hex(self.hash)))
    }
}

impl Write for Hashed {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let written = self.file.write(piece)?;
        self.hash.update(&piece[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
