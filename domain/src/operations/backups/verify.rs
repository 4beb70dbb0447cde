//! Finds out whether a backup is whole: every hash, and a restore for real into a database that is thrown away.
use super::{
    Progress, Purpose, Tell,
    folder::{Document, Folder, Kept},
    lines,
    restore::{fill, known},
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

/// What a look through a backup found.
#[derive(Clone, Debug)]
pub struct Report {
    pub name: String,
    pub made_at: chrono::DateTime<chrono::Utc>,
    pub tables: usize,
    pub rows: i64,
    pub documents: i64,
    pub bytes: u64,
    /// Entries of the activity log, each of which holds the one before it.
    pub activity: i64,
    /// Contents that could not be read when it was made, for people.
    pub missing: Vec<String>,
    /// What is wrong or missing, in words; nothing when it is whole.
    pub faults: Vec<String>,
}

/// Keys read at a time.
const KEYS: i64 = 500;

/// # Errors
/// As [`super::verify`].
pub async fn verify(ctx: &Ctx, folder: &Folder, kept: &Kept, tell: Tell<'_>) -> Result<Report> {
    known(kept)?;
    let manifest = &kept.manifest;
    let mut report = Report {
        name: manifest.name.clone(),
        made_at: manifest.made_at,
        tables: manifest.tables.len(),
        rows: manifest.rows(),
        documents: manifest.documents.lines,
        bytes: manifest.bytes(),
        activity: 0,
        missing: manifest.lacking(),
        faults: Vec::new(),
    };
    for (file, part) in manifest.parts() {
        report.faults.extend(kept.fault(&file, part).await);
    }
    let documents = match kept.documents().await {
        Ok(documents) => documents,
        Err(e) => {
            report.faults.push(words(e));
            Vec::new()
        }
    };
    for (n, document) in documents.iter().enumerate().filter(|(_, document)| !manifest.missing.contains(&document.key))
    {
        tell(Progress::Document { nth: n + 1, of: documents.len() });
        report.faults.extend(content(folder, document).await);
    }
    // What is not as it was written need not be tried.
    if report.faults.is_empty() {
        match tried(ctx, folder, kept, &documents, tell, &mut report).await {
            Ok(()) => {}
            // No room to try it, say: nothing about the backup.
            Err(e @ Error::Unavailable(_)) => return Err(e),
            Err(e) => report.faults.push(words(e)),
        }
    }
    let lacking = report.missing.iter().map(|name| format!("the document {name} could not be read when it was made"));
    report.faults.extend(lacking.collect::<Vec<_>>());
    Ok(report)
}

/// Says what is wrong with a content, if anything.
pub async fn content(folder: &Folder, document: &Document) -> Option<String> {
    if let Some(fault) = unnamed(document) {
        return Some(fault);
    }
    match lines::hash(&folder.content(&document.sha256)).await {
        Err(e) => Some(unread(document, &e)),
        Ok((bytes, sha256)) => other(document, bytes, &sha256),
    }
}

pub fn unnamed(document: &Document) -> Option<String> {
    (!document.is_named_well()).then(|| format!("the document {} has no hash", document.key))
}

pub fn unread(Document { key, sha256, .. }: &Document, why: &io::Error) -> String {
    format!("the content {sha256} of the document {key} cannot be read: {why}")
}

/// Whether what was found is not what was kept.
pub fn other(document: &Document, found: u64, hash: &str) -> Option<String> {
    let Document { key, bytes, sha256 } = document;
    if found != *bytes {
        return Some(format!("the content {sha256} of the document {key} has {found} bytes where it had {bytes}"));
    }
    (hash != sha256).then(|| format!("the content {sha256} of the document {key} is not as it was written"))
}

async fn tried(
    ctx: &Ctx,
    folder: &Folder,
    kept: &Kept,
    documents: &[Document],
    tell: Tell<'_>,
    report: &mut Report,
) -> Result<()> {
    let trial = folder.trial(&ctx.chance.uuid().simple().to_string()).await?;
    let db = Db::open(&format!("sqlite:{}", trial.0.join("trial.db").display()), Durability::Normal).await?;
    let found = compared(&Ctx { db: db.clone(), ..ctx.clone() }, kept, documents, tell, report).await;
    db.close().await;
    trial.over().await?;
    found
}

async fn compared(ctx: &Ctx, kept: &Kept, documents: &[Document], tell: Tell<'_>, report: &mut Report) -> Result<()> {
    ctx.db.transaction(|tx| fill(tx, Purpose::Backup, kept, tell).scope_boxed()).await?;
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
        let keys = store::keys(&mut db, &after, KEYS).await?;
        let Some((last,)) = keys.last() else { return Ok(()) };
        after.clone_from(last);
        let lost = keys.iter().filter(|(key,)| !listed.contains_key(key.as_str()));
        report.faults.extend(lost.map(|(key,)| format!("the content of the document {key} is not in it")));
    }
}

/// The sentence of a fault, or of what went wrong meanwhile.
fn words(error: Error) -> String {
    match error {
        Error::Conflict(problem) => match problem.params.get("reason").and_then(|reason| reason.as_str()) {
            Some(reason) => reason.to_owned(),
            None => problem.code.to_owned(),
        },
        error => error.to_string(),
    }
}
