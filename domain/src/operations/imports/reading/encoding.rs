//! Text encoding of a file: by its byte-order mark, else by its bytes.
use super::refused;
use crate::kernel::error::{Error, Problem, Result};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// Bytes that Windows-1252 leaves undefined: text of another encoding.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// How much of a file is looked at for UTF-16 without a byte-order mark.
const SAMPLE_BYTES: usize = 4_096;

/// Decodes a file and names its encoding.
///
/// # Errors
/// Invalid `file` with the line that cannot be decoded.
pub(super) fn decode(bytes: &[u8]) -> Result<(&'static str, Cow<'_, str>)> {
    let (encoding, content) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None => (utf16(bytes).unwrap_or(UTF_8), bytes),
    };
    if encoding != UTF_8 {
        let text = encoding.decode_without_bom_handling_and_without_replacement(content);
        return Ok((encoding.name(), text.ok_or_else(|| refused("not_text"))?));
    }
    let invalid = match std::str::from_utf8(content) {
        Ok(text) => return Ok((UTF_8.name(), Cow::Borrowed(text))),
        Err(e) => e.valid_up_to(),
    };
    // Letters that are valid UTF-8 before the first invalid byte: a damaged UTF-8 file.
    let damaged = !content[..invalid].is_ascii() || content.len() != bytes.len();
    if damaged || content.iter().any(|byte| UNDEFINED.contains(byte)) {
        let line = 1 + count_line_breaks(&content[..invalid]);
        return Err(Error::field_with("file", Problem::new("not_utf8").with("line", line)));
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(content);
    Ok((WINDOWS_1252.name(), text))
}

/// UTF-16 without a byte-order mark: every other byte of separators, digits and Latin letters is zero. A single zero byte is
/// a damaged text of another encoding.
fn utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros = |first: usize| sample.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if even.max(odd) * 16 < sample.len() || even + odd == 0 {
        return None;
    }
    Some(if odd > even { UTF_16LE } else { UTF_16BE })
}

/// Counts line breaks: LF, CRLF and CR.
pub(super) fn count_line_breaks(bytes: &[u8]) -> usize {
    let ends = |n: usize| bytes[n] == b'\n' || (bytes[n] == b'\r' && bytes.get(n + 1) != Some(&b'\n'));
    (0..bytes.len()).filter(|n| ends(*n)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_bytes(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(encode).collect()
    }

    #[test]
    fn usual_encodings_are_detected() {
        let text = "name;city\nZoë;Köln €\n";
        let latin = b"name;city\nZo\xeb;K\xf6ln \x80\n";
        for (bytes, name) in [
            (text.as_bytes().to_vec(), "UTF-8"),
            ([b"\xef\xbb\xbf", text.as_bytes()].concat(), "UTF-8"),
            (latin.to_vec(), "windows-1252"),
            (utf16_bytes(&format!("\u{feff}{text}"), u16::to_le_bytes), "UTF-16LE"),
            (utf16_bytes(&format!("\u{feff}{text}"), u16::to_be_bytes), "UTF-16BE"),
            (utf16_bytes(text, u16::to_le_bytes), "UTF-16LE"),
            (utf16_bytes(text, u16::to_be_bytes), "UTF-16BE"),
        ] {
            let (found, read) = decode(&bytes).expect("it is text");
            assert_eq!((found, &*read), (name, text));
        }
        assert_eq!(decode(b"").expect("it is text").1, "");
        let damaged = b"name,city\nZo\0,Berlin\nAda,London\nMaya,Lisbon\n";
        assert_eq!(decode(damaged).expect("it is text").0, "UTF-8");
    }

    #[test]
    fn damaged_files_are_refused_with_their_line() {
        for (bytes, line) in
            [(&b"Zo\xc3\xab\r\nS\xf6hne\n"[..], 2), (b"\xef\xbb\xbfname\nS\xf6hne\n", 2), (b"a\n\nb\x81c\n", 3)]
        {
            let wanted = Error::field_with("file", Problem::new("not_utf8").with("line", line));
            assert_eq!(format!("{:?}", decode(bytes)), format!("{:?}", Err::<(), _>(wanted)));
        }
        assert!(decode(b"\xff\xfea").is_err(), "half a character");
    }
}
