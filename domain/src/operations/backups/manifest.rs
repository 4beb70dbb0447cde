//! Manifest of a backup: its tables, counts and hashes. It is written last; a directory without it is no backup.
use crate::kernel::{
    error::{Error, Problem, Result},
    ids::BackupId,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::PathBuf};

pub const FILE: &str = "manifest.json";
/// Version of the format. Other versions cannot be read.
const FORMAT: u32 = 1;

/// Contents of `manifest.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub id: BackupId,
    pub name: String,
    /// Time of the snapshot.
    pub made_at: DateTime<Utc>,
    pub made_by: String,
    /// Version of the program that created it.
    pub program: String,
    /// `sqlite` or `postgres`; it can be restored into either.
    pub database: String,
    /// Migrations of the dumped database.
    pub migrations: BTreeSet<i64>,
    pub tables: Vec<Rows>,
    /// Unfinished jobs.
    pub jobs: Part,
    /// Contents of documents: a line of key, size and SHA-256 each.
    pub documents: Part,
    pub documents_bytes: u64,
    /// Storage keys of contents that could not be read unchanged.
    pub missing: Vec<String>,
    /// File names of the missing contents, in the same order.
    #[serde(default)]
    pub missing_names: Vec<String>,
    pub signing_keys: Option<Part>,
}

/// Dumped rows of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows {
    pub table: String,
    /// In the order of the values in each line.
    pub columns: Vec<String>,
    pub part: Part,
}

/// Size and hash of a file of the backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub lines: i64,
    /// Size on disk.
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    pub const fn format() -> u32 {
        FORMAT
    }

    /// Parses a manifest.
    ///
    /// # Errors
    /// Conflict `backup_damaged` with a `reason`; `backup_newer` for another format.
    pub fn parse(text: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            format: u32,
            #[serde(default)]
            program: String,
        }
        let unread = |e: serde_json::Error| damaged(format!("{FILE} cannot be read: {e}"));
        let Versioned { format, program } = serde_json::from_slice(text).map_err(unread)?;
        if format != FORMAT {
            let problem = Problem::new("backup_newer").with("program", program);
            return Err(Error::Conflict(
                problem.with("schema", format!("v{format}")).with("known", format!("v{FORMAT}")),
            ));
        }
        let found: Self = serde_json::from_slice(text).map_err(unread)?;
        match found.tables.iter().find(|rows| !is_plain(&rows.table)) {
            Some(rows) => Err(damaged(format!("{FILE} names a table {:?}", rows.table))),
            None => Ok(found),
        }
    }

    /// All files, by their path inside the backup.
    pub fn parts(&self) -> Vec<(PathBuf, &Part)> {
        let tables = self.tables.iter().map(|rows| (table_file(&rows.table), &rows.part));
        let others = [(PathBuf::from(JOBS), &self.jobs), (PathBuf::from(DOCUMENTS), &self.documents)];
        let keys = self.signing_keys.iter().map(|part| (PathBuf::from(SIGNING_KEYS), part));
        tables.chain(others).chain(keys).collect()
    }

    /// Missing documents, in words.
    pub fn missing_documents(&self) -> Vec<String> {
        let named = |(n, key): (usize, &String)| match self.missing_names.get(n).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name} ({key})"),
            None => key.clone(),
        };
        self.missing.iter().enumerate().map(named).collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> i64 {
        self.tables.iter().map(|rows| rows.part.lines).sum()
    }

    /// Size in bytes, with the contents of documents, which other backups may share.
    pub fn bytes(&self) -> u64 {
        self.parts().iter().map(|(_, part)| part.bytes).sum::<u64>() + self.documents_bytes
    }
}

pub const JOBS: &str = "jobs.jsonl.gz";
pub const DOCUMENTS: &str = "documents.jsonl.gz";
pub const SIGNING_KEYS: &str = "signing_keys.json";

pub fn table_file(table: &str) -> PathBuf {
    PathBuf::from("tables").join(format!("{table}.jsonl.gz"))
}

/// A plain name cannot name another path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

pub fn damaged(how: impl Into<String>) -> Error {
    Error::Conflict(Problem::new("backup_damaged").with("reason", how.into()))
}
