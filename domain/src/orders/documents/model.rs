//! A document and its versions, their file names and media types.
use crate::{
    kernel::{
        ids::{DocumentId, DocumentRequestId, SpvId, UserId, VersionId},
        text::{is_space, nfc},
    },
    orders::{document_requests, spvs},
};
use chrono::{DateTime, Utc};

/// A document with its newest version.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Document {
    pub id: DocumentId,
    pub name: String,
    pub client_id: UserId,
    pub client_first_name: String,
    pub client_last_name: String,
    pub spv_id: Option<SpvId>,
    pub custom_identifier: Option<String>,
    /// The name of the company that its order forms.
    pub vehicle_name: Option<String>,
    /// The status of its order.
    pub spv_status: Option<spvs::Status>,
    /// The document request that it answers.
    pub request_id: Option<DocumentRequestId>,
    /// The status of that request.
    pub request_status: Option<document_requests::Status>,
    /// Visible to the staff only.
    pub internal: bool,
    pub versions_count: i64,
    /// Since when it is deleted; the staff restore it within [`super::RESTORABLE`].
    pub deleted_at: Option<DateTime<Utc>>,
    /// The client of its order.
    pub spv_client_id: Option<UserId>,
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

    /// The reference that people quote: `DOC-6f1c2d3e`.
    pub fn reference(&self) -> String {
        format!("DOC-{}", &self.id.to_string()[..8])
    }

    pub fn spv_identifier(&self) -> Option<String> {
        self.spv_id.map(|id| crate::orders::spvs::display_identifier(id, self.custom_identifier.as_deref()))
    }
}

/// One content of a document. Immutable except for the result of its scan.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Version {
    #[sqlx(rename = "version_id")]
    pub id: VersionId,
    pub document_id: DocumentId,
    /// From 1 on.
    pub number: i64,
    /// The uploader's file name, cleaned by [`clean_name`].
    pub file_name: String,
    /// Detected from the bytes, not from the name.
    pub media_type: String,
    pub bytes: i64,
    pub sha256: String,
    pub storage_key: String,
    pub scan: Scan,
    pub uploaded_by_id: Option<UserId>,
    pub uploaded_by: String,
    /// The number of the older version that this one restores.
    pub restored_from: Option<i64>,
    #[sqlx(rename = "version_at")]
    pub created_at: DateTime<Utc>,
}

impl Version {
    /// Whether it may be shown inline: raster images and PDF. Never HTML or SVG, which run scripts.
    pub fn is_shown(&self) -> bool {
        matches!(
            self.media_type.as_str(),
            "application/pdf" | "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif"
        )
    }
}

crate::kernel::text_enum! {
    /// What a virus scanner said.
    pub enum Scan {
        /// Uploaded while there was no scanner.
        NotScanned = "not_scanned",
        /// The scan is queued.
        Waiting = "waiting",
        Clean = "clean",
        Infected = "infected",
    }
}

/// The media type of a content, detected from its first bytes.
pub fn media_type(head: &[u8]) -> &'static str {
    if let Some(kind) = infer::get(head) {
        return kind.mime_type();
    }
    // The first bytes may end within a UTF-8 sequence.
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

/// The longest file name, in characters.
const MAX_NAME_CHARS: usize = 120;

/// Cleans a file name for display and saving: its last path segment without control and bidi characters, and without
/// characters that are special to browsers, shells or file systems. A long name is cut before its extension.
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or("");
    let seen: String = nfc(last)
        .chars()
        .filter(|c| !c.is_control() && !is_format_char(*c))
        .map(|c| if matches!(c, '"' | '<' | '>' | '|' | ':' | '*' | '?' | '`' | ';') { '_' } else { c })
        .collect();
    // Composed again: a combining mark may follow its letter only now.
    let words = nfc(&seen).split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = words.trim_matches(|c: char| c == '.' || is_space(c));
    if plain.is_empty() {
        return "document".to_owned();
    }
    let length = plain.chars().count();
    if length <= MAX_NAME_CHARS {
        return plain.to_owned();
    }
    let ending = plain.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.chars().count() <= 10);
    let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
    let kept = MAX_NAME_CHARS - ending.chars().count();
    plain.chars().take(kept).collect::<String>() + &ending
}

/// Characters that reverse text, join or hide letters, or end lines.
fn is_format_char(c: char) -> bool {
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
    fn clean_name_removes_misleading_characters() {
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
        assert_eq!((long.chars().count(), long.ends_with(".pdf")), (MAX_NAME_CHARS, true));
        assert_eq!(clean_name(&"x".repeat(300)).chars().count(), MAX_NAME_CHARS);
    }

    #[test]
    fn media_type_is_detected_from_bytes() {
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
