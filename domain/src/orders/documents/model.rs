//! A document, its versions, and what their files are called and made of.
use crate::{
    kernel::{
        ids::{DocumentId, DocumentRequestId, SpvId, UserId, VersionId},
        text::{is_space, nfc},
    },
    orders::{document_requests, spvs},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What people call a document, and its newest version.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Document {
    pub id: DocumentId,
    pub name: String,
    pub client_id: UserId,
    pub client_first_name: String,
    pub client_last_name: String,
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    /// How its order stands.
    pub spv_status: Option<spvs::Status>,
    /// What it was asked for by.
    pub request_id: Option<DocumentRequestId>,
    /// How that stands.
    pub request_status: Option<document_requests::Status>,
    /// Only the staff know of it.
    pub internal: bool,
    pub versions_count: i64,
    pub updated_at: DateTime<Utc>,
    pub updated_by: String,
    pub version: i64,
    #[sqlx(flatten)]
    pub latest: Version,
}

impl Document {
    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }

    /// What people quote; it is found under it.
    pub fn reference(&self) -> String {
        format!("DOC-{}", &self.id.to_string()[..8])
    }

    pub fn spv_identifier(&self) -> Option<String> {
        self.spv_id.map(|id| crate::orders::spvs::display_identifier(id, self.custom_identifier.as_deref()))
    }
}

/// One content of a document. It never changes, but for what a scan finds.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Version {
    #[sqlx(rename = "version_id")]
    pub id: VersionId,
    pub document_id: DocumentId,
    /// From 1 on.
    pub number: i64,
    /// As its uploader called it, made harmless.
    pub file_name: String,
    /// Told from its bytes, not from its name.
    pub media_type: String,
    pub bytes: i64,
    pub sha256: String,
    pub storage_key: String,
    pub scan: Scan,
    pub uploaded_by_id: Option<UserId>,
    pub uploaded_by: String,
    /// The number of the older version whose content this one brings back.
    pub restored_from: Option<i64>,
    #[sqlx(rename = "version_at")]
    pub created_at: DateTime<Utc>,
}

impl Version {
    /// Whether a page may show it: pictures made of dots, and PDF. Never HTML or SVG, which are programs.
    pub fn is_shown(&self) -> bool {
        matches!(
            self.media_type.as_str(),
            "application/pdf" | "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif"
        )
    }
}

/// What a virus scanner said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Scan {
    /// There was no scanner.
    NotScanned,
    /// The scanner has been asked.
    Waiting,
    Clean,
    Infected,
}

impl Scan {
    pub fn name(self) -> &'static str {
        match self {
            Self::NotScanned => "not_scanned",
            Self::Waiting => "waiting",
            Self::Clean => "clean",
            Self::Infected => "infected",
        }
    }
}

/// The kind of a content by how it begins.
pub fn media_type(head: &[u8]) -> &'static str {
    if let Some(kind) = infer::get(head) {
        return kind.mime_type();
    }
    // The beginning may end inside a letter.
    let text = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && e.valid_up_to() > 0,
    };
    if text && !head.iter().any(|byte| *byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c)) {
        "text/plain"
    } else {
        "application/octet-stream"
    }
}

/// Longest shown file name, in characters.
const LONGEST: usize = 120;

/// A file's name as it may be shown and saved: its last part, without what steers text or means something to a
/// browser, a shell or another file system; a long one loses its middle, not its ending.
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or("");
    let seen: String = nfc(last)
        .chars()
        .filter(|c| !c.is_control() && !steers(*c))
        .map(|c| if matches!(c, '"' | '<' | '>' | '|' | ':' | '*' | '?' | '`' | ';') { '_' } else { c })
        .collect();
    // A mark composes with the letter that a hidden sign kept it from.
    let words = nfc(&seen).split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = words.trim_matches(|c: char| c == '.' || is_space(c));
    if plain.is_empty() {
        return "document".to_owned();
    }
    let length = plain.chars().count();
    if length <= LONGEST {
        return plain.to_owned();
    }
    let ending = plain.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.chars().count() <= 10);
    let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
    let kept = LONGEST - ending.chars().count();
    plain.chars().take(kept).collect::<String>() + &ending
}

/// Marks that turn text around, join or hide letters, or end lines.
fn steers(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_what_could_mislead() {
        for (name, shown) in [
            ("Passport copy.pdf", "Passport copy.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\Maya\\deed.pdf", "deed.pdf"),
            ("a\"b<c>.pdf", "a_b_c_.pdf"),
            ("two\r\nlines\u{2028}.pdf", "twolines.pdf"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("..", "document"),
            ("", "document"),
            ("///", "document"),
            ("\u{200b}\u{feff}", "document"),
            (" . escritura  pública .pdf", "escritura pública .pdf"),
            ("契約書.pdf", "契約書.pdf"),
            ("Re\u{301}sume\u{301}.pdf", "Résumé.pdf"),
            ("Re\u{200b}\u{301}sume.pdf", "Résume.pdf"),
            ("\u{2800}.pdf", "pdf"),
        ] {
            assert_eq!(clean_name(name), shown, "{name:?}");
        }
        let long = clean_name(&format!("{}.pdf", "long ".repeat(60)));
        assert_eq!((long.chars().count(), long.ends_with(".pdf")), (LONGEST, true));
        assert_eq!(clean_name(&"x".repeat(300)).chars().count(), LONGEST);
    }

    #[test]
    fn the_kind_is_told_by_the_bytes() {
        for (head, kind) in [
            (&b"%PDF-1.7\n"[..], "application/pdf"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
            (b"PK\x03\x04\x14\0", "application/zip"),
            (b"<!DOCTYPE html><script>alert(1)</script>", "text/html"),
            (b"MZ\x90\0\x03\0\0\0", "application/vnd.microsoft.portable-executable"),
            (b"Dear all,\nthis is a note\n", "text/plain"),
            ("caf\u{e9}".as_bytes().split_last().unwrap().1, "text/plain"),
            (b"\0\x01\x02nothing known", "application/octet-stream"),
            (b"", "text/plain"),
        ] {
            assert_eq!(media_type(head), kind, "{head:?}");
        }
        let svg = media_type(b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>");
        assert!(!svg.starts_with("image/"), "{svg}");
    }
}
