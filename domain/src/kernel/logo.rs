//! Logos of companies and of the office: validates an uploaded image by its bytes, whatever its declared type. PNG and JPEG
//! only: browsers and mail programs show them, and they cannot carry a script.
use crate::kernel::error::Problem;

/// Largest logo: it is attached to every mail.
pub const MAX_BYTES: usize = 256 << 10;
/// Pixels along an edge: a small file may decode to a large image.
const MAX_EDGE_PIXELS: u32 = 2_000;

/// An image with its media type.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Logo {
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// The media type of an image that may be a logo.
///
/// # Errors
/// `logo_too_large`, `logo_kind`, `logo_edge`.
pub(crate) fn media_type(bytes: &[u8]) -> Result<&'static str, Problem> {
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
        Some((width, height)) if (1..=MAX_EDGE_PIXELS).contains(&width) && (1..=MAX_EDGE_PIXELS).contains(&height) => {
            Ok(media_type)
        }
        Some(_) => Err(Problem::new("logo_edge").with("max", MAX_EDGE_PIXELS)),
        None => Err(Problem::new("logo_kind")),
    }
}

/// Width and height from the `IHDR` chunk, which comes first.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    (bytes.get(12..16)? == b"IHDR").then_some((number(16)?, number(20)?))
}

/// Width and height from the first start-of-frame segment.
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
    fn only_small_png_and_jpeg_images_are_accepted() {
        let code = |bytes: &[u8]| super::media_type(bytes).map_err(|problem| problem.code);
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
