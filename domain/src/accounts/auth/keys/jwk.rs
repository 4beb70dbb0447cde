//! Private keys as JSON Web Keys: parsed, generated, converted to signing keys.
use crate::kernel::{clock::RandomSource, secret::HmacSha256};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{KeyInit, Mac};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use p256::pkcs8::EncodePrivateKey;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const REFRESH_LABEL: &[u8] = b"spv portal refresh token v2";
const FACTOR_LABEL: &[u8] = b"spv portal authenticator secret v1";
const KEY_ID_LABEL: &[u8] = b"spv portal key name v1";
/// As long as the output of HS256 (RFC 7518, section 3.2).
const MIN_SECRET_BYTES: usize = 32;

/// A parsed key with the keys derived from it.
pub(super) struct SigningKey {
    pub kid: String,
    /// Creation time (Unix time), if the file has it.
    pub made_at: Option<i64>,
    pub algorithm: Algorithm,
    pub encoding: EncodingKey,
    pub decoding: DecodingKey,
    /// Public key; none of a shared secret.
    pub public: Option<Value>,
    pub refresh: HmacSha256,
    pub factor: HmacSha256,
}

/// A private key in the file.
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
        /// Creation time (Unix time).
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
    /// A shared secret that signs and verifies.
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
pub(super) struct JwkSet {
    pub keys: Vec<PrivateJwk>,
}

impl SigningKey {
    pub fn read(jwk: PrivateJwk) -> std::result::Result<Self, String> {
        match jwk {
            PrivateJwk::Ec { crv, kid, alg, d, iat } => {
                check_algorithm(alg.as_deref(), "EC", "ES256")?;
                Self::from_ec(&crv, kid, &d, iat)
            }
            PrivateJwk::Rsa { kid, iat, alg, n, e, d, p, q, dp, dq, qi } => {
                check_algorithm(alg.as_deref(), "RSA", "RS256")?;
                let parts =
                    [("n", &n), ("e", &e), ("d", &d), ("p", &p), ("q", &q), ("dp", &dp), ("dq", &dq), ("qi", &qi)];
                Self::from_rsa(kid, iat, &parts)
            }
            PrivateJwk::Oct { kid, alg, k, iat } => {
                check_algorithm(alg.as_deref(), "oct", "HS256")?;
                Self::from_oct(kid, &k, iat)
            }
        }
    }

    fn from_ec(crv: &str, kid: Option<String>, d: &str, iat: Option<i64>) -> std::result::Result<Self, String> {
        if crv != "P-256" {
            return Err(format!("curve {crv}: only P-256 (ES256) is possible"));
        }
        let d = decode_part("d", d)?;
        let secret = p256::SecretKey::from_slice(&d).map_err(|_| "d is not a P-256 key".to_owned())?;
        let der = secret.to_pkcs8_der().map_err(|e| e.to_string())?;
        let point = secret.public_key().to_sec1_bytes();
        // Uncompressed point: 4, x, y.
        let (x, y) = point[1..].split_at(32);
        let (x, y) = (BASE64_URL_SAFE_NO_PAD.encode(x), BASE64_URL_SAFE_NO_PAD.encode(y));
        let thumbprint = json!({ "crv": "P-256", "kty": "EC", "x": x, "y": y });
        let kid = kid.unwrap_or_else(|| thumbprint_id(&thumbprint));
        Ok(Self {
            algorithm: Algorithm::ES256,
            encoding: EncodingKey::from_ec_der(der.as_bytes()),
            decoding: DecodingKey::from_ec_components(&x, &y).map_err(|e| e.to_string())?,
            public: Some(json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid, "alg": "ES256",
                "use": "sig", "key_ops": ["verify"] })),
            refresh: derive_key(&d, REFRESH_LABEL),
            factor: derive_key(&d, FACTOR_LABEL),
            kid,
            made_at: iat,
        })
    }

    /// `parts` are the members of the key in the order of an RSAPrivateKey (RFC 8017, appendix A.1.2).
    fn from_rsa(
        kid: Option<String>,
        iat: Option<i64>,
        parts: &[(&str, &String); 8],
    ) -> std::result::Result<Self, String> {
        let [(_, n), (_, e), (_, d), ..] = parts;
        let private = decode_part("d", d)?;
        let mut der = der_integer(&[0]);
        for (name, text) in parts {
            der.extend(der_integer(&decode_part(name, text)?));
        }
        let thumbprint = json!({ "e": e, "kty": "RSA", "n": n });
        let kid = kid.unwrap_or_else(|| thumbprint_id(&thumbprint));
        Ok(Self {
            algorithm: Algorithm::RS256,
            encoding: EncodingKey::from_rsa_der(&der_tagged(0x30, &der)),
            decoding: DecodingKey::from_rsa_components(n, e).map_err(|e| e.to_string())?,
            public: Some(json!({ "kty": "RSA", "n": n, "e": e, "kid": kid, "alg": "RS256", "use": "sig",
                "key_ops": ["verify"] })),
            refresh: derive_key(&private, REFRESH_LABEL),
            factor: derive_key(&private, FACTOR_LABEL),
            kid,
            made_at: iat,
        })
    }

    fn from_oct(kid: Option<String>, k: &str, iat: Option<i64>) -> std::result::Result<Self, String> {
        let secret = decode_part("k", k)?;
        if secret.len() < MIN_SECRET_BYTES {
            return Err(format!("k has {} bytes: HS256 needs {MIN_SECRET_BYTES} or more", secret.len()));
        }
        // The id is in every token: a keyed hash, not a plain hash of the secret.
        let name = || BASE64_URL_SAFE_NO_PAD.encode(derive_key(&secret, KEY_ID_LABEL).finalize().into_bytes());
        Ok(Self {
            kid: kid.unwrap_or_else(name),
            made_at: iat,
            algorithm: Algorithm::HS256,
            encoding: EncodingKey::from_secret(&secret),
            decoding: DecodingKey::from_secret(&secret),
            public: None,
            refresh: derive_key(&secret, REFRESH_LABEL),
            factor: derive_key(&secret, FACTOR_LABEL),
        })
    }
}

/// Each key type has one algorithm; another `alg` is rejected.
fn check_algorithm(alg: Option<&str>, kind: &str, ours: &str) -> std::result::Result<(), String> {
    match alg {
        Some(alg) if alg != ours => Err(format!("alg {alg}: a key of the kind {kind} signs with {ours} only")),
        _ => Ok(()),
    }
}

/// Derives a key for one use, independent of the others.
fn derive_key(private: &[u8], label: &[u8]) -> HmacSha256 {
    let mac = |key: &[u8]| HmacSha256::new_from_slice(key).expect("a key of any length is good for HMAC");
    mac(&mac(private).chain_update(label).finalize().into_bytes())
}

/// Key id: the thumbprint (RFC 7638); serde_json sorts the members.
fn thumbprint_id(public: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(public.to_string()))
}

fn decode_part(name: &str, text: &str) -> std::result::Result<Vec<u8>, String> {
    BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| format!("{name} is not base64url"))
}

/// An unsigned integer in DER.
fn der_integer(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|b| *b != 0).unwrap_or(bytes.len().saturating_sub(1));
    let mut value = bytes[start..].to_vec();
    if value.first().is_none_or(|b| *b >= 0x80) {
        value.insert(0, 0);
    }
    der_tagged(2, &value)
}

fn der_tagged(tag: u8, content: &[u8]) -> Vec<u8> {
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

/// A new set with one ES256 key, as the text of the file.
pub(super) fn new_set(random: &RandomSource) -> std::result::Result<String, String> {
    // One number in 2^32 is outside the curve's order.
    let secret =
        (0..8).find_map(|_| p256::SecretKey::from_slice(&random.bytes::<32>()).ok()).ok_or("no key was found")?;
    let d = BASE64_URL_SAFE_NO_PAD.encode(secret.to_bytes());
    let made = PrivateJwk::Ec { crv: "P-256".to_owned(), kid: None, alg: None, d: d.clone(), iat: None };
    let mut jwk = SigningKey::read(made)?.public.ok_or("an EC key has a public part")?;
    jwk["d"] = d.into();
    jwk["key_ops"] = json!(["sign", "verify"]);
    serde_json::to_string_pretty(&json!({ "keys": [jwk] })).map_err(|e| e.to_string())
}
