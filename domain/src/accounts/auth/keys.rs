//! Signing keys: a JWK set of private keys in a file that is created at the first start.
//!
//! The first key signs, all verify, and the public keys are published. Refresh tokens and authenticator secrets are
//! derived from the private keys, so the database holds no secret and a rotation ends no session. The file is reloaded
//! when it changes, checked every second and on an unknown key id.
mod es256;
mod file;
mod jwk;

pub(crate) use self::file::RotationDraft;
pub use self::file::{KeyInfo, list, rotate};

use self::{
    file::FileFingerprint,
    jwk::{JwkSet, PrivateJwk, SigningKey},
};
use crate::kernel::{
    clock::RandomSource,
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

/// Format version: first byte of a refresh token.
const REFRESH_TOKEN_VERSION: u8 = 1;
const MAC_BYTES: usize = 16;
/// Interval of checks for a changed file.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// The keys of a process. Debug output shows key ids only.
pub struct Keys {
    ring: RwLock<Arc<Vec<SigningKey>>>,
    /// The file and its fingerprint when it was read.
    file: Option<(PathBuf, Mutex<Option<FileFingerprint>>)>,
    /// Shared secret for tokens of service clients.
    service: Option<DecodingKey>,
}

/// Why a refresh token is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshTokenError {
    /// Not in the format.
    Malformed,
    /// In the format, with a wrong MAC.
    Forged,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ring().iter().map(|key| &key.kid)).finish()
    }
}

impl Keys {
    /// Loads the key file, or creates one with an ES256 key and owner-only permissions.
    ///
    /// # Errors
    /// Internal, naming the file and the reason.
    pub fn load_or_create(path: &Path) -> Result<Self> {
        let named = |e: &dyn std::fmt::Display| Error::internal(format!("signing keys {}: {e}", path.display()));
        if !path.exists() {
            file::create(path, &RandomSource::system()).map_err(|e| named(&e))?;
        }
        let fingerprint = FileFingerprint::of(path);
        let text = std::fs::read_to_string(path).map_err(|e| named(&e))?;
        let keys = Self::read(&text).map_err(|e| named(&e))?;
        Ok(Self { file: Some((path.to_owned(), Mutex::new(fingerprint))), ..keys })
    }

    /// Reloads the file when it changes, until the process ends.
    pub async fn watch(self: Arc<Self>) {
        loop {
            tokio::time::sleep(RELOAD_INTERVAL).await;
            self.reload_if_changed();
        }
    }

    /// Reloads the file if it has changed, and says whether the keys were replaced. An unreadable file leaves them.
    fn reload_if_changed(&self) -> bool {
        let Some((path, seen)) = &self.file else { return false };
        let fingerprint = FileFingerprint::of(path);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if fingerprint.is_none() || *seen == fingerprint {
            return false;
        }
        *seen = fingerprint;
        let read = std::fs::read_to_string(path).map_err(|e| e.to_string()).and_then(|text| parse_set(&text));
        match read {
            Ok(ring) => {
                tracing::info!(
                    signs = ring.first().map(|key| key.kid.as_str()),
                    keys = ring.len(),
                    "reloaded the signing keys"
                );
                *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
                true
            }
            Err(error) => {
                tracing::warn!(file = %path.display(), error, "could not reload the signing keys; keeping the old ones");
                false
            }
        }
    }

    fn ring(&self) -> Arc<Vec<SigningKey>> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A fixed key.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_tests() -> Self {
        Self::read(&jwk::new_set(&RandomSource::seeded(1)).expect("a seeded key is a key"))
            .expect("our own set is readable")
    }

    /// Also accepts HS256 tokens signed with this secret.
    #[must_use]
    pub fn with_secret(mut self, secret: &str) -> Self {
        self.service = Some(DecodingKey::from_secret(secret.as_bytes()));
        self
    }

    /// Parses a JWK set.
    ///
    /// # Errors
    /// A sentence for the operator.
    fn read(text: &str) -> std::result::Result<Self, String> {
        es256::install();
        Ok(Self { ring: RwLock::new(Arc::new(parse_set(text)?)), file: None, service: None })
    }

    /// Signs with the first key.
    ///
    /// # Errors
    /// Internal for an unusable key.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String> {
        let ring = self.ring();
        let key = signing_key(&ring);
        let header = Header { kid: Some(key.kid.clone()), ..Header::new(key.algorithm) };
        jsonwebtoken::encode(&header, claims, &key.encoding).map_err(Error::internal)
    }

    /// Claims of a token with a valid signature; times and issuer are left to the caller. Tokens with critical headers
    /// are rejected, as none is supported (RFC 7515, section 4.1.11).
    pub fn verify<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let header = jsonwebtoken::decode_header(token).ok().filter(|header| header.crit.is_none())?;
        let mut ring = self.ring();
        let knows = |ring: &[SigningKey]| ring.iter().any(|key| header.kid.as_ref() == Some(&key.kid));
        // Another process may have just rotated the keys.
        if header.kid.is_some() && !knows(&ring) && self.reload_if_changed() {
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

    /// Public keys as a JWK set, without shared secrets.
    pub fn jwks(&self) -> Value {
        json!({ "keys": self.ring().iter().filter_map(|key| key.public.as_ref()).collect::<Vec<_>>() })
    }

    /// Refresh token of a session and counter: base64url of version, session, counter and MAC.
    pub fn refresh_token(&self, session: SessionId, counter: i64) -> String {
        let mut bytes = refresh_token_payload(session, counter);
        let proof = derivation_key(&self.ring()).refresh.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&proof[..MAC_BYTES]);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Session and counter of a refresh token.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn read_refresh_token(&self, token: &str) -> std::result::Result<(SessionId, i64), RefreshTokenError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| RefreshTokenError::Malformed)?;
        let (said, proof) = bytes.split_last_chunk::<MAC_BYTES>().ok_or(RefreshTokenError::Malformed)?;
        let [REFRESH_TOKEN_VERSION, rest @ ..] = said else { return Err(RefreshTokenError::Malformed) };
        let (session, counter) = rest.split_first_chunk::<16>().ok_or(RefreshTokenError::Malformed)?;
        let counter: [u8; 8] = counter.try_into().map_err(|_| RefreshTokenError::Malformed)?;
        let made_by = |ring: &[SigningKey]| {
            ring.iter().any(|key| key.refresh.clone().chain_update(said).verify_truncated_left(proof).is_ok())
        };
        let ours = made_by(&self.ring()) || (self.reload_if_changed() && made_by(&self.ring()));
        match i64::try_from(u64::from_be_bytes(counter)) {
            Ok(counter) if ours => Ok((SessionId(Uuid::from_bytes(*session)), counter)),
            _ => Err(RefreshTokenError::Forged),
        }
    }

    /// The key file, if any.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Id of the key that authenticator secrets are derived from.
    pub fn derivation_key_id(&self) -> String {
        derivation_key(&self.ring()).kid.clone()
    }

    /// Whether a key has this id.
    pub fn has(&self, kid: &str) -> bool {
        self.ring().iter().any(|key| key.kid == kid)
    }

    /// Secret of an authenticator that was enrolled under the key `kid`; none without that key.
    pub fn factor_secret(&self, kid: &str, factor: FactorId) -> Option<[u8; 20]> {
        let ring = self.ring();
        let key = ring.iter().find(|key| key.kid == kid)?;
        let bytes = key.factor.clone().chain_update(factor.0.as_bytes()).finalize().into_bytes();
        bytes.first_chunk().copied()
    }
}

/// # Errors
/// A sentence for the operator.
fn parse_set(text: &str) -> std::result::Result<Vec<SigningKey>, String> {
    // serde's message would quote the file, and this is logged.
    // The key file of the auth protocol's own tool is a bare array.
    let keys = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).map(|set: JwkSet| set.keys)
    };
    let keys: Vec<PrivateJwk> =
        keys.map_err(|e| format!("not a JWK set of EC, RSA and oct keys (line {}, column {})", e.line(), e.column()))?;
    let signing = keys.into_iter().map(SigningKey::read).collect::<std::result::Result<Vec<_>, _>>()?;
    if signing.is_empty() {
        return Err("there is no key in it".to_owned());
    }
    let mut names = HashSet::new();
    match signing.iter().find(|key| !names.insert(&key.kid)) {
        Some(twice) => Err(format!("two keys have the kid {}", twice.kid)),
        None => Ok(signing),
    }
}

fn signing_key(ring: &[SigningKey]) -> &SigningKey {
    ring.first().expect("a set without keys is refused when it is read")
}

/// Key that refresh tokens and authenticator secrets are derived from: the first that is not shared, as a shared one
/// may leak elsewhere.
fn derivation_key(ring: &[SigningKey]) -> &SigningKey {
    ring.iter().find(|key| key.public.is_some()).unwrap_or_else(|| signing_key(ring))
}

fn refresh_token_payload(session: SessionId, counter: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(25 + MAC_BYTES);
    bytes.push(REFRESH_TOKEN_VERSION);
    bytes.extend_from_slice(session.0.as_bytes());
    bytes.extend_from_slice(&counter.unsigned_abs().to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests;
