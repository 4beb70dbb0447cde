//! Secrets: random tokens, their hashes, encryption under a token, and constant-time comparison.
use crate::kernel::{
    clock::RandomSource,
    email,
    error::{Error, Result},
    hex,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha224, Sha256};

pub type HmacSha256 = Hmac<Sha256>;

/// 32 random bytes in base64url, for a link.
pub fn token(random: &RandomSource) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(random.bytes::<32>())
}

/// The hash under which a token is stored.
pub fn token_hash(token: &str) -> String {
    hex::of(&Sha256::digest(token))
}

/// The hash under which a six-digit code is stored; bound to the address that it was mailed to.
pub fn code_hash(email: &str, code: &str) -> String {
    hex::of(&Sha224::new().chain_update(email::key(email)).chain_update(code.trim()).finalize())
}

/// Compares in constant time.
pub fn constant_time_eq(a: &str, b: &str) -> bool {
    let mac = |text: &str| HmacSha256::new_from_slice(b"compare").map(|m| m.chain_update(text).finalize());
    matches!((mac(a), mac(b)), (Ok(a), Ok(b)) if a == b)
}

/// Encrypts a text under `secret`, which must be random and encrypt nothing else (the nonce is constant).
///
/// # Errors
/// Internal for a text that is far too long.
pub fn encrypt(secret: &str, text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    encryption_key(secret)
        .seal_in_place_append_tag(single_use_nonce(), Aad::empty(), &mut bytes)
        .map_err(|e| Error::internal(e.to_string()))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Decrypts a text; `None` for another secret or a changed text.
pub fn decrypt(secret: &str, encrypted: &str) -> Option<String> {
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(encrypted).ok()?;
    let text = encryption_key(secret).open_in_place(single_use_nonce(), Aad::empty(), &mut bytes).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

/// Derived by HMAC, so that [`token_hash`], which is stored beside the encrypted text, does not reveal it.
fn encryption_key(secret: &str) -> LessSafeKey {
    let mac = HmacSha256::new_from_slice(secret.as_bytes()).expect("a key of any length is good for HMAC");
    let key = mac.chain_update(b"spv portal sealed text v1").finalize().into_bytes();
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &key).expect("32 bytes are a key"))
}

/// Constant: each key encrypts one text.
fn single_use_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_hash_depends_on_the_address_but_not_on_its_case() {
        assert_eq!(code_hash("Maya@Example.com", "123456"), code_hash("maya@example.com", " 123456 "));
        assert_ne!(code_hash("maya@example.com", "123456"), code_hash("noah@example.com", "123456"));
    }

    #[test]
    fn only_the_same_secret_decrypts() {
        let encrypted = encrypt("a secret", "some text").expect("seals");
        assert_eq!(decrypt("a secret", &encrypted).as_deref(), Some("some text"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&encrypted).expect("base64url");
        assert!(!String::from_utf8_lossy(&bytes).contains("some text"));
        let changed = format!("{}{}", if encrypted.starts_with('A') { 'B' } else { 'A' }, &encrypted[1..]);
        for (secret, text) in [("another", encrypted.as_str()), ("a secret", changed.as_str()), ("a secret", "")] {
            assert_eq!(decrypt(secret, text), None, "{secret} {text}");
        }
    }

    #[test]
    fn constant_time_eq_compares_texts() {
        assert!(constant_time_eq("abc", "abc"));
        assert!(!constant_time_eq("abc", "abd") && !constant_time_eq("abc", "ab") && !constant_time_eq("", "a"));
    }
}
