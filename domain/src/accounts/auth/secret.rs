//! Small tools for secrets: random tokens, hashes, sealed texts, and comparing without telling how far two agree.
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

/// 32 random bytes, as text that may stand in a link.
pub fn token(chance: &Chance) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(chance.bytes::<32>())
}

/// What is kept of a token: enough to recognise it, not to use it.
pub fn token_hash(token: &str) -> String {
    hex::of(&Sha256::digest(token))
}

/// What is kept of a six-digit code: bound to the address it was sent to.
pub fn code_hash(email: &str, code: &str) -> String {
    hex::of(&Sha224::new().chain_update(users::email_key(email)).chain_update(code.trim()).finalize())
}

/// Compares in a time that does not depend on where the two differ.
pub fn same(a: &str, b: &str) -> bool {
    let mac = |text: &str| HmacSha256::new_from_slice(b"compare").map(|m| m.chain_update(text).finalize());
    matches!((mac(a), mac(b)), (Ok(a), Ok(b)) if a == b)
}

/// Seals a text so that only whoever has `secret` can read it: a random one, which seals nothing else.
///
/// # Errors
/// Internal for a text that is far too long.
pub fn seal(secret: &str, text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    sealing(secret)
        .seal_in_place_append_tag(only_nonce(), Aad::empty(), &mut bytes)
        .map_err(|e| Error::internal(e.to_string()))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// What was sealed under `secret`; none for another secret, or when it was changed.
pub fn open(secret: &str, sealed: &str) -> Option<String> {
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let text = sealing(secret).open_in_place(only_nonce(), Aad::empty(), &mut bytes).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

/// Not to be found from [`token_hash`], which is kept beside what is sealed.
fn sealing(secret: &str) -> LessSafeKey {
    let mac = HmacSha256::new_from_slice(secret.as_bytes()).expect("a key of any length is good for HMAC");
    let key = mac.chain_update(b"spv portal sealed text v1").finalize().into_bytes();
    LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &key).expect("32 bytes are a key"))
}

/// Each key seals one text.
fn only_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
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
    fn what_is_sealed_opens_with_its_secret_alone() {
        let sealed = seal("a secret", "some text").expect("seals");
        assert_eq!(open("a secret", &sealed).as_deref(), Some("some text"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&sealed).expect("base64url");
        assert!(!String::from_utf8_lossy(&bytes).contains("some text"));
        let changed = format!("{}{}", if sealed.starts_with('A') { 'B' } else { 'A' }, &sealed[1..]);
        for (secret, sealed) in [("another", sealed.as_str()), ("a secret", changed.as_str()), ("a secret", "")] {
            assert_eq!(open(secret, sealed), None, "{secret} {sealed}");
        }
    }

    #[test]
    fn only_equal_texts_are_the_same() {
        assert!(same("abc", "abc"));
        assert!(!same("abc", "abd") && !same("abc", "ab") && !same("", "a"));
    }
}
