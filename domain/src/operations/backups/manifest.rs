//! What a backup says of itself. It is written last: a folder without it is no backup.
use crate::kernel::{
    error::{Error, Problem, Result},
    ids::BackupId,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::PathBuf};

pub const FILE: &str = "manifest.json";
/// Whoever reads another than this does not know what it reads.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub id: BackupId,
    pub name: String,
    /// The moment it holds.
    pub made_at: DateTime<Utc>,
    pub made_by: String,
    /// The version of the program that made it.
    pub program: String,
    /// `sqlite` or `postgres`; it can be restored into either.
    pub database: String,
    /// Applied to the database it was made of.
    pub migrations: BTreeSet<i64>,
    pub tables: Vec<Rows>,
    /// Those that are not done.
    pub jobs: Part,
    /// Which contents the documents have: a line of key, size and SHA-256 each.
    pub documents: Part,
    pub documents_bytes: u64,
    /// Keys of contents that could not be read as they were kept.
    pub missing: Vec<String>,
    /// What people call these, in the same order.
    #[serde(default)]
    pub missing_names: Vec<String>,
    pub signing_keys: Option<Part>,
}

/// The rows of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows {
    pub table: String,
    /// In the order in which each line has them.
    pub columns: Vec<String>,
    pub part: Part,
}

/// A file of the backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub lines: i64,
    /// As it lies there.
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    pub const fn format() -> u32 {
        FORMAT
    }

    /// # Errors
    /// Conflict `backup_damaged`, saying how; `backup_newer`.
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
            return Err(Error::Conflict(Problem::new("backup_newer").with("program", program)));
        }
        let found: Self = serde_json::from_slice(text).map_err(unread)?;
        match found.tables.iter().find(|rows| !is_plain(&rows.table)) {
            Some(rows) => Err(damaged(format!("{FILE} names a table {:?}", rows.table))),
            None => Ok(found),
        }
    }

    /// Every file, by where it lies in the backup's folder.
    pub fn parts(&self) -> Vec<(PathBuf, &Part)> {
        let tables = self.tables.iter().map(|rows| (table_file(&rows.table), &rows.part));
        let others = [(PathBuf::from(JOBS), &self.jobs), (PathBuf::from(DOCUMENTS), &self.documents)];
        let keys = self.signing_keys.iter().map(|part| (PathBuf::from(SIGNING_KEYS), part));
        tables.chain(others).chain(keys).collect()
    }

    /// What is missing, for people.
    pub fn lacking(&self) -> Vec<String> {
        let named = |(n, key): (usize, &String)| match self.missing_names.get(n).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name} ({key})"),
            None => key.clone(),
        };
        self.missing.iter().enumerate().map(named).collect()
    }

    pub fn rows(&self) -> i64 {
        self.tables.iter().map(|rows| rows.part.lines).sum()
    }

    /// What it takes, its contents included, which other backups may share.
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

/// Nothing that leads anywhere else.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

pub fn damaged(how: impl Into<String>) -> Error {
    Error::Conflict(Problem::new("backup_damaged").with("reason", how.into()))
}
