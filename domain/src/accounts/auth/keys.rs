//! Signing keys: a JWK set of private keys in one file, made at the first start.
//!
//! The first key signs, all of them verify, and their public parts are published (a shared secret has none). Refresh tokens are made from
//! the private parts too, so nothing secret is in the database and a rotated key signs nobody out. A process looks
//! at the file every second, and whenever it meets a key it does not know.
mod es256;
mod file;
mod jwk;

pub use self::file::{Listed, list, rotate};

use self::{
    file::Stamp,
    jwk::{Set, Signing},
};
use crate::kernel::{
    clock::Chance,
    error::{Error, Result},
    ids::{FactorId, SessionId},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::Mac;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};
use uuid::Uuid;

/// First byte of a refresh token.
const VERSION: u8 = 1;
const MAC_BYTES: usize = 16;
/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Every key this process trusts. Prints nothing of them.
pub struct Keys {
    ring: RwLock<Arc<Vec<Signing>>>,
    /// Where they are from, and how the file looked when it was read.
    file: Option<(PathBuf, Mutex<Option<Stamp>>)>,
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
        f.debug_list().entries(self.ring().iter().map(|key| &key.kid)).finish()
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
            file::create(path, &Chance::system()).map_err(|e| named(&e))?;
        }
        let stamp = Stamp::of(path);
        let text = std::fs::read_to_string(path).map_err(|e| named(&e))?;
        let keys = Self::read(&text).map_err(|e| named(&e))?;
        Ok(Self { file: Some((path.to_owned(), Mutex::new(stamp))), ..keys })
    }

    /// Takes up what becomes of the file, until the process ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            self.look();
        }
    }

    /// Reads the file again if it has changed; says whether the keys are others now. A file that cannot be read
    /// leaves them as they are.
    fn look(&self) -> bool {
        let Some((path, seen)) = &self.file else { return false };
        let stamp = Stamp::of(path);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp.is_none() || *seen == stamp {
            return false;
        }
        *seen = stamp;
        let read = std::fs::read_to_string(path).map_err(|e| e.to_string()).and_then(|text| read_set(&text));
        match read {
            Ok(ring) => {
                tracing::info!(
                    signs = ring.first().map(|key| key.kid.as_str()),
                    keys = ring.len(),
                    "signing keys taken up"
                );
                *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
                true
            }
            Err(error) => {
                tracing::warn!(file = %path.display(), error, "the changed signing keys cannot be read; the old ones stay");
                false
            }
        }
    }

    fn ring(&self) -> Arc<Vec<Signing>> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// One fixed key.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_tests() -> Self {
        Self::read(&jwk::new_set(&Chance::seeded(1)).expect("a seeded key is a key")).expect("our own set is readable")
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
        es256::install();
        Ok(Self { ring: RwLock::new(Arc::new(read_set(text)?)), file: None, service: None })
    }

    /// Signs with the first key.
    ///
    /// # Errors
    /// Internal when the key is unusable.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String> {
        let ring = self.ring();
        let key = first(&ring);
        let header = Header { kid: Some(key.kid.clone()), ..Header::new(key.algorithm) };
        jsonwebtoken::encode(&header, claims, &key.encoding).map_err(Error::internal)
    }

    /// The claims of a token that one of our keys signed. Says nothing about time or issuer: the caller has the clock and
    /// the options. A token with critical headers is refused, for none of them is understood here (RFC 7515, 4.1.11).
    pub fn verify<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let header = jsonwebtoken::decode_header(token).ok().filter(|header| header.crit.is_none())?;
        let mut ring = self.ring();
        let knows = |ring: &[Signing]| ring.iter().any(|key| header.kid.as_ref() == Some(&key.kid));
        // Another process may have rotated the keys a moment ago.
        if header.kid.is_some() && !knows(&ring) && self.look() {
            ring = self.ring();
        }
        let ours = ring.iter().find(|key| header.kid.as_ref() == Some(&key.kid) && header.alg == key.algorithm);
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

    /// The public parts, as a JWK set; none of a key that is a secret as a whole.
    pub fn jwks(&self) -> Value {
        json!({ "keys": self.ring().iter().filter_map(|key| key.public.as_ref()).collect::<Vec<_>>() })
    }

    /// The refresh token of a session's `counter`: base64url of version, session, counter, proof.
    pub fn refresh_token(&self, session: SessionId, counter: i64) -> String {
        let mut bytes = message(session, counter);
        let proof = own(&self.ring()).refresh.clone().chain_update(&bytes).finalize().into_bytes();
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
        let made_by = |ring: &[Signing]| {
            ring.iter().any(|key| key.refresh.clone().chain_update(said).verify_truncated_left(proof).is_ok())
        };
        let ours = made_by(&self.ring()) || (self.look() && made_by(&self.ring()));
        match i64::try_from(u64::from_be_bytes(counter)) {
            Ok(counter) if ours => Ok((SessionId(Uuid::from_bytes(*session)), counter)),
            _ => Err(NotOurs::Forged),
        }
    }

    /// The file they are from, if they are from one.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// The id of the key that the secrets of authenticators are made from.
    pub fn own_id(&self) -> String {
        own(&self.ring()).kid.clone()
    }

    /// Whether there is a key of this id.
    pub fn has(&self, kid: &str) -> bool {
        self.ring().iter().any(|key| key.kid == kid)
    }

    /// The secret of an authenticator that was enrolled under the key `kid`; none without that key.
    pub fn factor_secret(&self, kid: &str, factor: FactorId) -> Option<[u8; 20]> {
        let ring = self.ring();
        let key = ring.iter().find(|key| key.kid == kid)?;
        let bytes = key.factor.clone().chain_update(factor.0.as_bytes()).finalize().into_bytes();
        bytes.first_chunk().copied()
    }
}

/// # Errors
/// A sentence for the operator.
fn read_set(text: &str) -> std::result::Result<Vec<Signing>, String> {
    // What serde says of it would quote it, and this is logged.
    let set: Set = serde_json::from_str(text)
        .map_err(|e| format!("not a JWK set of EC, RSA and oct keys (line {}, column {})", e.line(), e.column()))?;
    let signing = set.keys.into_iter().map(Signing::read).collect::<std::result::Result<Vec<_>, _>>()?;
    if signing.is_empty() {
        return Err("there is no key in it".to_owned());
    }
    let mut names = HashSet::new();
    match signing.iter().find(|key| !names.insert(&key.kid)) {
        Some(twice) => Err(format!("two keys have the kid {}", twice.kid)),
        None => Ok(signing),
    }
}

fn first(ring: &[Signing]) -> &Signing {
    ring.first().expect("a set without keys is refused when it is read")
}

/// The key that refresh tokens and the secrets of authenticators are made from: the first that is ours alone. A shared
/// one may leak where we cannot see it.
fn own(ring: &[Signing]) -> &Signing {
    ring.iter().find(|key| key.public.is_some()).unwrap_or_else(|| first(ring))
}

fn message(session: SessionId, counter: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(25 + MAC_BYTES);
    bytes.push(VERSION);
    bytes.extend_from_slice(session.0.as_bytes());
    bytes.extend_from_slice(&counter.unsigned_abs().to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests;
