//! A company's logo: which bytes are taken for one. Whatever the sender calls it, only what it is counts, and only
//! kinds that browsers and mail programs draw and that cannot carry a script.
use crate::kernel::error::Problem;

/// So much fits beside every mail.
pub const MAX_BYTES: usize = 256 << 10;
/// Pixels along an edge: what is small as a file may be large once it is drawn.
const MAX_EDGE: u32 = 2_000;

/// A logo as it is sent out.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Logo {
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// What kind of picture it is.
///
/// # Errors
/// `logo_too_large`, `logo_kind`, `logo_edge`.
pub(crate) fn look(bytes: &[u8]) -> Result<&'static str, Problem> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::new("logo_too_large").with("kilobytes", MAX_BYTES >> 10));
    }
    let (media_type, size) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        ("image/png", png(bytes))
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        ("image/jpeg", jpeg(bytes))
    } else {
        return Err(Problem::new("logo_kind"));
    };
    match size {
        Some((width, height)) if (1..=MAX_EDGE).contains(&width) && (1..=MAX_EDGE).contains(&height) => Ok(media_type),
        Some(_) => Err(Problem::new("logo_edge").with("max", MAX_EDGE)),
        None => Err(Problem::new("logo_kind")),
    }
}

/// The header comes first and says how large the picture is.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    (bytes.get(12..16)? == b"IHDR").then_some((number(16)?, number(20)?))
}

/// Walks the segments up to the one that says how large the picture is.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => return Some((number(at + 7)?, number(at + 5)?)),
            0xd8 | 0x01 | 0xd0..=0xd7 => at += 2,
            0xd9 | 0xda => return None,
            _ => at += 2 + number(at + 2)? as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    #[test]
    fn only_what_is_a_small_picture_is_a_logo() {
        let code = |bytes: &[u8]| look(bytes).map_err(|problem| problem.code);
        assert_eq!(code(&drawn(64, 64)), Ok("image/png"));
        assert_eq!(code(&drawn(64, 20_000)), Err("logo_edge"));
        assert_eq!(code(&drawn(0, 64)), Err("logo_edge"));
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 11, 8, 0, 32, 0, 48, 3, 1, 0x11, 0];
        assert_eq!(code(&jpeg), Ok("image/jpeg"));
        assert_eq!(code(&jpeg[..10]), Err("logo_kind"));
        for other in
            [&b""[..], b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"<html>", b"\x89PNG\r\n\x1a\n"]
        {
            assert_eq!(code(other), Err("logo_kind"));
        }
        let mut large = drawn(64, 64);
        large.resize(MAX_BYTES + 1, 0);
        assert_eq!(code(&large), Err("logo_too_large"));
    }
}
