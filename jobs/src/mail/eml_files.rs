//! File transport: one `.eml` file per mail, for a portal without an SMTP server.
use crate::templates::RenderedMail;
use chrono::{DateTime, Utc};
use std::{io::Write, path::Path};

/// File name: time, kind, and 8 characters of the Message-ID to distinguish mails of the same millisecond.
pub fn file_name(rendered: &RenderedMail, now: DateTime<Utc>) -> String {
    let id: String = rendered.message_id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    format!("{}-{}-{id}.eml", now.format("%Y%m%dT%H%M%S%.3fZ"), rendered.kind.name())
}

/// Writes one file atomically and durably: readers see all of it or nothing, and a power failure loses no mail that is
/// marked as sent. Mode 0600, as a mail may hold a sign-in link.
///
/// # Errors
/// Errors of the file system.
pub async fn write(dir: &Path, name: &str, content: Vec<u8>) -> std::io::Result<()> {
    let (dir, name) = (dir.to_owned(), name.to_owned());
    tokio::task::spawn_blocking(move || write_synced(&dir, &name, &content)).await.map_err(std::io::Error::other)?
}

fn write_synced(dir: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    let mut folder = std::fs::DirBuilder::new();
    let mut file = std::fs::OpenOptions::new();
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    }
    let is_new = !dir.exists();
    folder.recursive(true).create(dir)?;
    let unfinished = dir.join(format!(".{name}.part"));
    let mut written = file.write(true).create(true).truncate(true).open(&unfinished)?;
    written.write_all(content)?;
    written.sync_all()?;
    std::fs::rename(&unfinished, dir.join(name))?;
    sync_dir(dir)?;
    match dir.parent() {
        Some(parent) if is_new => sync_dir(parent),
        _ => Ok(()),
    }
}

/// Fsyncs the directory, so that the new name is durable.
fn sync_dir(dir: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(if dir.as_os_str().is_empty() { Path::new(".") } else { dir })?.sync_all()?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn mail_files_are_readable_by_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let world = domain::testing::World::sqlite().await;
        let dir = world.dir.path.join("data").join("mail");
        write(&dir, "a.eml", b"a link".to_vec()).await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join("a.eml"))), (0o700, 0o600));
        assert_eq!(std::fs::read(dir.join("a.eml")).unwrap(), b"a link");
    }
}
