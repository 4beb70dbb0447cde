//! Small tools for secrets: random tokens, hashes, and comparing without telling how far two agree.
use crate::{clock::Chance, users};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha224, Sha256};

pub type HmacSha256 = Hmac<Sha256>;

/// 32 random bytes, as text that may stand in a link.
pub fn token(chance: &Chance) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(chance.bytes::<32>())
}

/// What is kept of a token: enough to recognise it, not to use it.
pub fn token_hash(token: &str) -> String {
    hex(&Sha256::digest(token))
}

/// What is kept of a six-digit code: bound to the address it was sent to.
pub fn code_hash(email: &str, code: &str) -> String {
    hex(&Sha224::new().chain_update(users::email_key(email)).chain_update(code.trim()).finalize())
}

/// Compares in a time that does not depend on where the two differ.
pub fn same(a: &str, b: &str) -> bool {
    let mac = |text: &str| HmacSha256::new_from_slice(b"compare").map(|m| m.chain_update(text).finalize());
    matches!((mac(a), mac(b)), (Ok(a), Ok(b)) if a == b)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_belongs_to_its_address_in_any_letter_case() {
        assert_eq!(code_hash("Maya@Example.com", "123456"), code_hash("maya@example.com", " 123456 "));
        assert_ne!(code_hash("maya@example.com", "123456"), code_hash("noah@example.com", "123456"));
    }

    #[test]
    fn only_equal_texts_are_the_same() {
        assert!(same("abc", "abc"));
        assert!(!same("abc", "abd") && !same("abc", "ab") && !same("", "a"));
    }
}
