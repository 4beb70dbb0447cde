//! Leaked passwords: whether a password is among the most common ones of known leaks. The bundled filter holds prefixes of
//! their hashes; `scripts/leaked_passwords.py` builds it and describes its format.
use crate::kernel::text::nfc;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

static FILTER: LazyLock<Filter<'static>> = LazyLock::new(|| {
    Filter::parse(include_bytes!("../../../../data/leaked-passwords.bin")).expect("the bundled filter is well formed")
});

/// Buckets of the filter, by the first 16 bits of a hash.
const BUCKETS: usize = 1 << 16;

/// Sorted 32-bit prefixes of hashes: a bucket for the first half, two bytes for the other.
struct Filter<'a> {
    /// Where each bucket begins in `entries`, and the end.
    starts: Vec<u32>,
    entries: &'a [[u8; 2]],
}

impl<'a> Filter<'a> {
    /// `None` where the header's end is missing or the counts do not match the entries.
    fn parse(file: &'a [u8]) -> Option<Self> {
        let header = file.windows(2).position(|pair| pair == b"\n\n")?;
        let (counts, entries) = file.get(header + 2..)?.split_at_checked(BUCKETS)?;
        let (entries, rest) = entries.as_chunks();
        let mut starts = vec![0];
        let mut end = 0;
        for count in counts {
            end += u32::from(*count);
            starts.push(end);
        }
        (rest.is_empty() && end as usize == entries.len()).then_some(Self { starts, entries })
    }

    fn contains(&self, password: &str) -> bool {
        let hash = Sha256::digest(password);
        let bucket = usize::from(u16::from_be_bytes([hash[0], hash[1]]));
        let (from, to) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        self.entries[from..to].contains(&[hash[2], hash[3]])
    }
}

/// Whether a password is among the leaked ones, in capitals or not. One in ten thousand others is found, too.
pub fn contains(password: &str) -> bool {
    FILTER.contains(&nfc(password).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_leaked_passwords_are_found() {
        for leaked in ["password", "PassWord", "12345678", "iloveyou2", "1q2w3e4r5t", "starwars1", "qwertyuiop"] {
            assert!(contains(leaked), "{leaked}");
        }
        for other in ["correct horse battery staple", "portal-demo-2026", "Heron-quiet-47-amber-x", ""] {
            assert!(!contains(other), "{other}");
        }
    }

    #[test]
    fn few_other_passwords_are_found() {
        let found = (0..100_000).filter(|n| contains(&format!("no list has the password {n}"))).count();
        assert!(found < 30, "{found} of 100,000");
    }

    #[test]
    fn damaged_filters_are_refused() {
        let whole = include_bytes!("../../../../data/leaked-passwords.bin");
        assert!(Filter::parse(whole).is_some());
        for damaged in [&whole[..whole.len() - 1], &whole[..whole.len() - 2], &whole[..1_000], b"no header"] {
            assert!(Filter::parse(damaged).is_none());
        }
    }
}
