//! Cryptographic helpers: random tokens, hashes, authenticated encryption, constant-time comparison.
use crate::{
    accounts::users,
    kernel::{
        clock::Chance,
        error::{Error, Result},
        hex,
    },
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha224, Sha256};

pub type HmacSha256 = Hmac<Sha256>;

/// 32 random bytes as base64url.
pub fn token(chance: &Chance) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(chance.bytes::<32>())
}

/// Hash of a token, to be stored.
pub fn token_hash(token: &str) -> String {
    hex::of(&Sha256::digest(token))
}

/// Hash of a six-digit code, bound to the address it was sent to.
pub fn code_hash(email: &str, code: &str) -> String {
    hex::of(&Sha224::new().chain_update(users::email_key(email)).chain_update(code.trim()).finalize())
}

/// Constant-time comparison.
pub fn constant_time_eq(a: &str, b: &str) -> bool {
    let mac = |text: &str| HmacSha256::new_from_slice(b"compare").map(|m| m.chain_update(text).finalize());
    matches!((mac(a), mac(b)), (Ok(a), Ok(b)) if a == b)
}

/// Encrypts a text under a random secret that must encrypt nothing else (the nonce is fixed).
///
/// # Errors
/// Internal for an oversized text.
pub fn encrypt(secret: &str, text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    cipher(secret)
        .seal_in_place_append_tag(zero_nonce(), Aad::empty(), &mut bytes)
        .map_err(|e| Error::internal(e.to_string()))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Decrypts a text of [`encrypt`]; none for another secret or a changed text.
pub fn decrypt(secret: &str, sealed: &str) -> Option<String> {
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let text = cipher(secret).open_in_place(zero_nonce(), Aad::empty(), &mut bytes).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

/// The key differs from [`token_hash`], which is stored beside the ciphertext.
fn cipher(secret: &str) -> LessSafeKey {
    let mac = HmacSha256::new_from_slice(secret.as_bytes()).expect("a key of any length is good for HMAC");
    let key = mac.chain_update(b"spv portal sealed text v1").finalize().into_bytes();
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &key).expect("32 bytes are a key"))
}

/// Each key encrypts one text.
fn zero_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_hash_is_bound_to_the_normalized_address() {
        assert_eq!(code_hash("Maya@Example.com", "123456"), code_hash("maya@example.com", " 123456 "));
        assert_ne!(code_hash("maya@example.com", "123456"), code_hash("noah@example.com", "123456"));
    }

    #[test]
    fn decrypt_needs_the_secret_and_an_unchanged_text() {
        let sealed = encrypt("a secret", "some text").expect("seals");
        assert_eq!(decrypt("a secret", &sealed).as_deref(), Some("some text"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&sealed).expect("base64url");
        assert!(!String::from_utf8_lossy(&bytes).contains("some text"));
        let changed = format!("{}{}", if sealed.starts_with('A') { 'B' } else { 'A' }, &sealed[1..]);
        for (secret, sealed) in [("another", sealed.as_str()), ("a secret", changed.as_str()), ("a secret", "")] {
            assert_eq!(decrypt(secret, sealed), None, "{secret} {sealed}");
        }
    }

    #[test]
    fn constant_time_eq_compares_texts() {
        assert!(constant_time_eq("abc", "abc"));
        assert!(!constant_time_eq("abc", "abd") && !constant_time_eq("abc", "ab") && !constant_time_eq("", "a"));
    }
}
