//! Private keys as JSON web keys: read, made, and turned into what signs and verifies.
use crate::kernel::{clock::Chance, secret::HmacSha256};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{KeyInit, Mac};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use p256::pkcs8::EncodePrivateKey;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const REFRESH: &[u8] = b"spv portal refresh token v2";
const FACTOR: &[u8] = b"spv portal authenticator secret v1";
const NAME: &[u8] = b"spv portal key name v1";
/// As long as what HS256 makes (RFC 7518, section 3.2).
const SHORTEST_SECRET: usize = 32;

/// A key that is ready to sign, and what is made from it.
pub(super) struct Signing {
    pub kid: String,
    /// In seconds since 1970, where the file says so.
    pub made_at: Option<i64>,
    pub algorithm: Algorithm,
    pub encoding: EncodingKey,
    pub decoding: DecodingKey,
    /// What is published of it; nothing of a secret that verifies as well.
    pub public: Option<Value>,
    pub refresh: HmacSha256,
    pub factor: HmacSha256,
}

/// A private key as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kty")]
pub(super) enum PrivateJwk {
    #[serde(rename = "EC")]
    Ec {
        crv: String,
        #[serde(default)]
        kid: Option<String>,
        #[serde(default)]
        alg: Option<String>,
        d: String,
        /// When it was made, in seconds since 1970.
        #[serde(default)]
        iat: Option<i64>,
    },
    #[serde(rename = "RSA")]
    Rsa {
        #[serde(default)]
        kid: Option<String>,
        #[serde(default)]
        iat: Option<i64>,
        #[serde(default)]
        alg: Option<String>,
        n: String,
        e: String,
        d: String,
        p: String,
        q: String,
        dp: String,
        dq: String,
        qi: String,
    },
    /// A secret that several programs share: it signs and verifies.
    #[serde(rename = "oct")]
    Oct {
        #[serde(default)]
        kid: Option<String>,
        #[serde(default)]
        alg: Option<String>,
        k: String,
        #[serde(default)]
        iat: Option<i64>,
    },
}

#[derive(Deserialize)]
pub(super) struct Set {
    pub keys: Vec<PrivateJwk>,
}

impl Signing {
    pub fn read(jwk: PrivateJwk) -> std::result::Result<Self, String> {
        match jwk {
            PrivateJwk::Ec { crv, kid, alg, d, iat } => {
                agrees(alg.as_deref(), "EC", "ES256")?;
                if crv != "P-256" {
                    return Err(format!("curve {crv}: only P-256 (ES256) is possible"));
                }
                let d = part("d", &d)?;
                let secret = p256::SecretKey::from_slice(&d).map_err(|_| "d is not a P-256 key".to_owned())?;
                let der = secret.to_pkcs8_der().map_err(|e| e.to_string())?;
                let point = secret.public_key().to_sec1_bytes();
                // An uncompressed point: 4, then both halves.
                let (x, y) = point[1..].split_at(32);
                let (x, y) = (BASE64_URL_SAFE_NO_PAD.encode(x), BASE64_URL_SAFE_NO_PAD.encode(y));
                let thumbprint = json!({ "crv": "P-256", "kty": "EC", "x": x, "y": y });
                let kid = kid.unwrap_or_else(|| named(&thumbprint));
                Ok(Self {
                    algorithm: Algorithm::ES256,
                    encoding: EncodingKey::from_ec_der(der.as_bytes()),
                    decoding: DecodingKey::from_ec_components(&x, &y).map_err(|e| e.to_string())?,
                    public: Some(json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid, "alg": "ES256",
                        "use": "sig", "key_ops": ["verify"] })),
                    refresh: derived(&d, REFRESH),
                    factor: derived(&d, FACTOR),
                    kid,
                    made_at: iat,
                })
            }
            PrivateJwk::Rsa { kid, iat, alg, n, e, d, p, q, dp, dq, qi } => {
                agrees(alg.as_deref(), "RSA", "RS256")?;
                let private = part("d", &d)?;
                let mut der = integer(&[0]);
                for (name, text) in
                    [("n", &n), ("e", &e), ("d", &d), ("p", &p), ("q", &q), ("dp", &dp), ("dq", &dq), ("qi", &qi)]
                {
                    der.extend(integer(&part(name, text)?));
                }
                let thumbprint = json!({ "e": e, "kty": "RSA", "n": n });
                let kid = kid.unwrap_or_else(|| named(&thumbprint));
                Ok(Self {
                    algorithm: Algorithm::RS256,
                    encoding: EncodingKey::from_rsa_der(&tagged(0x30, &der)),
                    decoding: DecodingKey::from_rsa_components(&n, &e).map_err(|e| e.to_string())?,
                    public: Some(json!({ "kty": "RSA", "n": n, "e": e, "kid": kid, "alg": "RS256", "use": "sig",
                        "key_ops": ["verify"] })),
                    refresh: derived(&private, REFRESH),
                    factor: derived(&private, FACTOR),
                    kid,
                    made_at: iat,
                })
            }
            PrivateJwk::Oct { kid, alg, k, iat } => {
                agrees(alg.as_deref(), "oct", "HS256")?;
                let secret = part("k", &k)?;
                if secret.len() < SHORTEST_SECRET {
                    return Err(format!("k has {} bytes: HS256 needs {SHORTEST_SECRET} or more", secret.len()));
                }
                // A name that goes into every token: no plain hash of the secret.
                let name = || BASE64_URL_SAFE_NO_PAD.encode(derived(&secret, NAME).finalize().into_bytes());
                Ok(Self {
                    kid: kid.unwrap_or_else(name),
                    made_at: iat,
                    algorithm: Algorithm::HS256,
                    encoding: EncodingKey::from_secret(&secret),
                    decoding: DecodingKey::from_secret(&secret),
                    public: None,
                    refresh: derived(&secret, REFRESH),
                    factor: derived(&secret, FACTOR),
                })
            }
        }
    }
}

/// Each kind of key signs in one way; a file that wants another is refused rather than taken for something else.
fn agrees(alg: Option<&str>, kind: &str, ours: &str) -> std::result::Result<(), String> {
    match alg {
        Some(alg) if alg != ours => Err(format!("alg {alg}: a key of the kind {kind} signs with {ours} only")),
        _ => Ok(()),
    }
}

/// A key for another use: derived, so that none can be found from another's use.
fn derived(private: &[u8], label: &[u8]) -> HmacSha256 {
    let mac = |key: &[u8]| HmacSha256::new_from_slice(key).expect("a key of any length is good for HMAC");
    mac(&mac(private).chain_update(label).finalize().into_bytes())
}

/// A key's name: its thumbprint (RFC 7638; serde_json writes the members in order).
fn named(public: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(public.to_string()))
}

fn part(name: &str, text: &str) -> std::result::Result<Vec<u8>, String> {
    BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| format!("{name} is not base64url"))
}

/// An unsigned number in DER.
fn integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len().saturating_sub(1));
    let mut value = bytes[start..].to_vec();
    if value.first().is_none_or(|b| *b >= 0x80) {
        value.insert(0, 0);
    }
    tagged(2, &value)
}

fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    if content.len() < 0x80 {
        out.push(content.len() as u8);
    } else {
        let length: Vec<u8> = content.len().to_be_bytes().into_iter().skip_while(|b| *b == 0).collect();
        out.push(0x80 | length.len() as u8);
        out.extend(length);
    }
    out.extend_from_slice(content);
    out
}

/// A new set of one ES256 key, as the file's text.
pub(super) fn new_set(chance: &Chance) -> std::result::Result<String, String> {
    // One number in 2^32 is too large for the curve; the next one is not.
    let secret =
        (0..8).find_map(|_| p256::SecretKey::from_slice(&chance.bytes::<32>()).ok()).ok_or("no key was found")?;
    let d = BASE64_URL_SAFE_NO_PAD.encode(secret.to_bytes());
    let made = PrivateJwk::Ec { crv: "P-256".to_owned(), kid: None, alg: None, d: d.clone(), iat: None };
    let mut jwk = Signing::read(made)?.public.ok_or("an EC key has a public part")?;
    jwk["d"] = d.into();
    jwk["key_ops"] = json!(["sign", "verify"]);
    serde_json::to_string_pretty(&json!({ "keys": [jwk] })).map_err(|e| e.to_string())
}
