//! Verifies a backup: every hash, and a trial restore into a temporary database.
use super::{
    Progress, ProgressCallback, Purpose, Target,
    directory::{BackupDir, Document, StoredBackup},
    jsonl,
    restore::{check_schema_known, load_all},
    store,
};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{Db, Durability, ScopedFutureExt},
        error::{Error, Result},
    },
    platform::activity,
};
use std::{collections::HashMap, io};

/// Result of a verification.
#[derive(Clone, Debug)]
pub struct Report {
    pub name: String,
    pub made_at: chrono::DateTime<chrono::Utc>,
    pub tables: usize,
    pub rows: i64,
    pub documents: i64,
    pub bytes: u64,
    /// Number of verified entries of the activity hash chain.
    pub activity: i64,
    /// Names of contents that were missing when it was created.
    pub missing: Vec<String>,
    /// Faults in words; empty for an intact backup.
    pub faults: Vec<String>,
}

const KEYS_PER_QUERY: i64 = 500;

/// # Errors
/// As [`super::verify`].
pub(super) async fn verify(
    ctx: &Ctx,
    folder: &BackupDir,
    kept: &StoredBackup,
    on_progress: ProgressCallback<'_>,
) -> Result<Report> {
    check_schema_known(kept)?;
    let manifest = &kept.manifest;
    let mut report = Report {
        name: manifest.name.clone(),
        made_at: manifest.made_at,
        tables: manifest.tables.len(),
        rows: manifest.rows(),
        documents: manifest.documents.lines,
        bytes: manifest.bytes(),
        activity: 0,
        missing: manifest.missing_documents(),
        faults: Vec::new(),
    };
    for (file, part) in manifest.parts() {
        report.faults.extend(kept.verify_file(&file, part).await);
    }
    let documents = match kept.documents().await {
        Ok(documents) => documents,
        Err(e) => {
            report.faults.push(error_text(e));
            Vec::new()
        }
    };
    for (n, document) in documents.iter().enumerate().filter(|(_, document)| !manifest.missing.contains(&document.key))
    {
        on_progress(Progress::Documents { done: n as u64 + 1, of: documents.len() as u64 });
        report.faults.extend(check_document(folder, document).await);
    }
    // A damaged backup is not restored.
    if report.faults.is_empty() {
        match trial_restore(ctx, folder, kept, &documents, on_progress, &mut report).await {
            Ok(()) => {}
            // A full disk, for example, says nothing about the backup.
            Err(e @ Error::Unavailable(_)) => return Err(e),
            Err(e) => report.faults.push(error_text(e)),
        }
    }
    let lacking = report.missing.iter().map(|name| format!("the document {name} could not be read when it was made"));
    report.faults.extend(lacking.collect::<Vec<_>>());
    Ok(report)
}

/// Checks a stored content. Returns what is wrong, if anything.
pub async fn check_document(folder: &BackupDir, document: &Document) -> Option<String> {
    if let Some(fault) = hash_error(document) {
        return Some(fault);
    }
    match jsonl::hash(&folder.content(&document.sha256)).await {
        Err(e) => Some(read_error(document, &e)),
        Ok((bytes, sha256)) => mismatch(document, bytes, &sha256),
    }
}

pub fn hash_error(document: &Document) -> Option<String> {
    (!document.has_valid_hash()).then(|| format!("the document {} has no hash", document.key))
}

pub fn read_error(Document { key, sha256, .. }: &Document, why: &io::Error) -> String {
    format!("the content {sha256} of the document {key} cannot be read: {why}")
}

/// Compares size and hash. Returns what is wrong, if anything.
pub fn mismatch(document: &Document, found: u64, hash: &str) -> Option<String> {
    let Document { key, bytes, sha256 } = document;
    if found != *bytes {
        return Some(format!("the content {sha256} of the document {key} has {found} bytes where it had {bytes}"));
    }
    (hash != sha256).then(|| format!("the content {sha256} of the document {key} is not as it was written"))
}

async fn trial_restore(
    ctx: &Ctx,
    folder: &BackupDir,
    kept: &StoredBackup,
    documents: &[Document],
    on_progress: ProgressCallback<'_>,
    report: &mut Report,
) -> Result<()> {
    let trial = folder.temp_dir(&ctx.random.uuid().simple().to_string()).await?;
    let db = Db::open(&format!("sqlite:{}", trial.0.join("trial.db").display()), Durability::Normal).await?;
    let found = restore_and_compare(&Ctx { db: db.clone(), ..ctx.clone() }, kept, documents, on_progress, report).await;
    db.close().await;
    trial.remove().await?;
    found
}

async fn restore_and_compare(
    ctx: &Ctx,
    kept: &StoredBackup,
    documents: &[Document],
    on_progress: ProgressCallback<'_>,
    report: &mut Report,
) -> Result<()> {
    ctx.db.transaction(|tx| load_all(tx, Purpose::Backup, kept, Target::Empty, on_progress).scope_boxed()).await?;
    let mut db = ctx.db();
    match activity::verify(ctx).await {
        Ok(entries) => report.activity = entries,
        Err(Error::Conflict(problem)) => {
            let seq = problem.params.get("seq").cloned().unwrap_or_default();
            report.faults.push(format!("the activity log was changed at number {seq} before the backup was made"));
        }
        Err(e) => return Err(e),
    }
    let listed: HashMap<&str, &Document> = documents.iter().map(|document| (document.key.as_str(), document)).collect();
    let mut after = String::new();
    loop {
        let keys = store::storage_keys(&mut db, &after, KEYS_PER_QUERY).await?;
        let Some((last,)) = keys.last() else { return Ok(()) };
        after.clone_from(last);
        let lost = keys.iter().filter(|(key,)| !listed.contains_key(key.as_str()));
        report.faults.extend(lost.map(|(key,)| format!("the content of the document {key} is not in it")));
    }
}

/// Text of a fault or error for the report.
fn error_text(error: Error) -> String {
    match error {
        Error::Conflict(problem) => match problem.params.get("reason").and_then(|reason| reason.as_str()) {
            Some(reason) => reason.to_owned(),
            None => problem.code.to_owned(),
        },
        error => error.to_string(),
    }
}
