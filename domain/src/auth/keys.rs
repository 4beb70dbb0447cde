//! Signing keys: a JWK set of private keys in one file, made at the first start.
//!
//! The first key signs, all of them verify, and their public parts are published. Refresh tokens are made from
//! the private parts too, so nothing secret is in the database and a rotated key signs nobody out.
mod jwk;

use self::jwk::{Set, Signing, new_set};
use crate::{
    clock::Chance,
    error::{Error, Result},
    ids::{FactorId, SessionId},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::Mac;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{io::Write, path::Path};
use uuid::Uuid;

/// First byte of a refresh token.
const VERSION: u8 = 1;
const MAC_BYTES: usize = 16;

/// Every key this process trusts. Prints nothing of them.
pub struct Keys {
    signing: Vec<Signing>,
    /// For tokens of service clients, signed with the shared secret.
    service: Option<DecodingKey>,
}

/// Why a refresh token is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOurs {
    /// Not the form of one.
    Malformed,
    /// The form is right, the proof is not.
    Forged,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.signing.iter().map(|key| &key.kid)).finish()
    }
}

impl Keys {
    /// Reads the key file, or makes one with an ES256 key that only its owner may read.
    ///
    /// # Errors
    /// Internal, naming the file and what is wrong with it.
    pub fn load_or_create(path: &Path) -> Result<Self> {
        let named = |e: &dyn std::fmt::Display| Error::internal(format!("signing keys {}: {e}", path.display()));
        if !path.exists() {
            create(path, &Chance::system()).map_err(|e| named(&e))?;
        }
        let text = std::fs::read_to_string(path).map_err(|e| named(&e))?;
        Self::read(&text).map_err(|e| named(&e))
    }

    /// One fixed key.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_tests() -> Self {
        Self::read(&new_set(&Chance::seeded(1)).expect("a seeded key is a key")).expect("our own set is readable")
    }

    /// Takes HS256 tokens signed with this secret as well.
    #[must_use]
    pub fn with_secret(mut self, secret: &str) -> Self {
        self.service = Some(DecodingKey::from_secret(secret.as_bytes()));
        self
    }

    /// # Errors
    /// A sentence for the operator.
    fn read(text: &str) -> std::result::Result<Self, String> {
        let set: Set =
            serde_json::from_str(text).map_err(|e| format!("not a JWK set of EC and RSA private keys: {e}"))?;
        let signing = set.keys.into_iter().map(Signing::read).collect::<std::result::Result<Vec<_>, _>>()?;
        if signing.is_empty() {
            return Err("there is no key in it".to_owned());
        }
        Ok(Self { signing, service: None })
    }

    /// Signs with the first key.
    ///
    /// # Errors
    /// Internal when the key is unusable.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String> {
        let key = self.first();
        let header = Header { kid: Some(key.kid.clone()), ..Header::new(key.algorithm) };
        jsonwebtoken::encode(&header, claims, &key.encoding).map_err(Error::internal)
    }

    /// The claims of a token that one of our keys signed. Says nothing about time: the caller has the clock.
    pub fn verify<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        let ours = self.signing.iter().find(|key| header.kid.as_ref() == Some(&key.kid) && header.alg == key.algorithm);
        let key = match ours {
            Some(key) => &key.decoding,
            None if header.alg == Algorithm::HS256 => self.service.as_ref()?,
            None => return None,
        };
        let mut rules = Validation::new(header.alg);
        rules.required_spec_claims.clear();
        rules.validate_exp = false;
        rules.validate_aud = false;
        jsonwebtoken::decode(token, key, &rules).ok().map(|data| data.claims)
    }

    /// The public parts, as a JWK set.
    pub fn jwks(&self) -> Value {
        json!({ "keys": self.signing.iter().map(|key| &key.public).collect::<Vec<_>>() })
    }

    /// The refresh token of a session's `counter`: base64url of version, session, counter, proof.
    pub fn refresh_token(&self, session: SessionId, counter: i64) -> String {
        let mut bytes = message(session, counter);
        let proof = self.first().refresh.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&proof[..MAC_BYTES]);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The session and counter of a refresh token that one of our keys made.
    ///
    /// # Errors
    /// Why it is not one of ours.
    pub fn read_refresh_token(&self, token: &str) -> std::result::Result<(SessionId, i64), NotOurs> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| NotOurs::Malformed)?;
        let (said, proof) = bytes.split_last_chunk::<MAC_BYTES>().ok_or(NotOurs::Malformed)?;
        let [VERSION, rest @ ..] = said else { return Err(NotOurs::Malformed) };
        let (session, counter) = rest.split_first_chunk::<16>().ok_or(NotOurs::Malformed)?;
        let counter: [u8; 8] = counter.try_into().map_err(|_| NotOurs::Malformed)?;
        let ours =
            self.signing.iter().any(|key| key.refresh.clone().chain_update(said).verify_truncated_left(proof).is_ok());
        match i64::try_from(u64::from_be_bytes(counter)) {
            Ok(counter) if ours => Ok((SessionId(Uuid::from_bytes(*session)), counter)),
            _ => Err(NotOurs::Forged),
        }
    }

    /// The id of the key that signs.
    pub fn first_id(&self) -> String {
        self.first().kid.clone()
    }

    /// The secret of an authenticator that was enrolled under the key `kid`; none without that key.
    pub fn factor_secret(&self, kid: &str, factor: FactorId) -> Option<[u8; 20]> {
        let key = self.signing.iter().find(|key| key.kid == kid)?;
        let bytes = key.factor.clone().chain_update(factor.0.as_bytes()).finalize().into_bytes();
        bytes.first_chunk().copied()
    }

    fn first(&self) -> &Signing {
        self.signing.first().expect("a set without keys is refused when it is read")
    }
}

fn message(session: SessionId, counter: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(25 + MAC_BYTES);
    bytes.push(VERSION);
    bytes.extend_from_slice(session.0.as_bytes());
    bytes.extend_from_slice(&counter.unsigned_abs().to_be_bytes());
    bytes
}

/// Writes a new set beside the file and links it into place, so that of two processes that start at once both
/// use the same key, and a crash leaves no half a file.
fn create(path: &Path, chance: &Chance) -> std::result::Result<(), Box<dyn std::error::Error>> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let draft = path.with_extension(format!("{}.new", chance.uuid().simple()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let written = file.write_all(new_set(chance)?.as_bytes()).and_then(|()| file.sync_all());
    let linked = written.and_then(|()| std::fs::hard_link(&draft, path));
    std::fs::remove_file(&draft)?;
    match linked {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => Ok(other?),
    }
}

#[cfg(test)]
mod tests;
