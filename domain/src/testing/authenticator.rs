//! An authenticator in software: makes passkeys and signs with them, as browsers do, from the options of the server.
use crate::kernel::clock::RandomSource;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use p256::ecdsa::{Signature, SigningKey, signature::Signer};
use serde_cbor_2::Value as Cbor;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKED_UP: u8 = 1 << 3 | 1 << 4;
const NEW_CREDENTIAL: u8 = 1 << 6;

/// A passkey of an [`Authenticator`].
#[derive(Clone, Debug)]
pub struct SoftPasskey {
    pub id: Vec<u8>,
    key: SigningKey,
    user_handle: String,
    rp_id: String,
    /// Signatures so far; none if the authenticator does not count.
    pub counter: u32,
}

/// An authenticator with its browser.
#[derive(Clone, Debug)]
pub struct Authenticator {
    /// The page that calls it.
    pub origin: String,
    /// Whether its user passes the PIN or finger.
    pub verifies_user: bool,
    /// A password manager.
    pub synced: bool,
    pub model: [u8; 16],
    pub transports: Vec<&'static str>,
    /// Those made, oldest first.
    pub passkeys: Vec<SoftPasskey>,
    random: RandomSource,
}

impl Authenticator {
    /// A security key with a PIN.
    pub fn new(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            verifies_user: true,
            synced: false,
            model: [0; 16],
            transports: vec!["usb"],
            passkeys: Vec::new(),
            random: RandomSource::system(),
        }
    }

    /// What `navigator.credentials.create` returns, as JSON.
    pub fn create(&mut self, options: &Value) -> Value {
        let id = self.random.bytes::<32>();
        self.create_with_id(id, options)
    }

    /// [`Self::create`] with a chosen credential id, as a malicious authenticator would.
    pub fn create_with_id(&mut self, id: [u8; 32], options: &Value) -> Value {
        // A random 32 bytes is a valid key but in one of 2^32 cases.
        let key = SigningKey::from_slice(&self.random.bytes::<32>()).expect("a scalar");
        let made = SoftPasskey {
            id: id.to_vec(),
            key,
            user_handle: text(&options["user"]["id"]),
            rp_id: text(&options["rp"]["id"]),
            counter: 0,
        };
        let mut data = self.data(&made, NEW_CREDENTIAL);
        data.extend(self.model);
        data.extend(u16::try_from(made.id.len()).expect("short").to_be_bytes());
        data.extend(&made.id);
        data.extend(cose_key(&made.key));
        let object = Cbor::Map(BTreeMap::from([
            (Cbor::Text("fmt".to_owned()), Cbor::Text("none".to_owned())),
            (Cbor::Text("attStmt".to_owned()), Cbor::Map(BTreeMap::new())),
            (Cbor::Text("authData".to_owned()), Cbor::Bytes(data)),
        ]));
        let id = encode(&made.id);
        self.passkeys.push(made);
        json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": { "credProps": { "rk": true } },
            "response": {
                "attestationObject": encode(&serde_cbor_2::to_vec(&object).expect("CBOR")),
                "clientDataJSON": encode(&self.client_data("webauthn.create", options)),
                "transports": self.transports,
            },
        })
    }

    /// What `navigator.credentials.get` returns for the newest passkey, as JSON.
    pub fn get(&mut self, options: &Value) -> Value {
        let newest = self.passkeys.len() - 1;
        self.passkeys[newest].counter += 1;
        let passkey = &self.passkeys[newest];
        let client_data = self.client_data("webauthn.get", options);
        let data = self.data(passkey, 0);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature: Signature = passkey.key.sign(&signed);
        let id = encode(&passkey.id);
        json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": {},
            "response": {
                "authenticatorData": encode(&data),
                "clientDataJSON": encode(&client_data),
                "signature": encode(signature.to_der().as_bytes()),
                "userHandle": passkey.user_handle,
            },
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }

    /// Authenticator data (WebAuthn, section 6.1) before the attested credential.
    fn data(&self, passkey: &SoftPasskey, flags: u8) -> Vec<u8> {
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let backup = if self.synced { BACKED_UP } else { 0 };
        let mut data = Sha256::digest(&passkey.rp_id).to_vec();
        data.push(USER_PRESENT | verified | backup | flags);
        data.extend(passkey.counter.to_be_bytes());
        data
    }
}

/// The public key: EC2, ES256, P-256.
fn cose_key(key: &SigningKey) -> Vec<u8> {
    let point = key.verifying_key().to_sec1_point(false);
    let coordinate = |bytes: Option<_>| Cbor::Bytes(bytes.map(|b: &[u8]| b.to_vec()).expect("not the identity"));
    let map = BTreeMap::from([
        (Cbor::Integer(1), Cbor::Integer(2)),
        (Cbor::Integer(3), Cbor::Integer(-7)),
        (Cbor::Integer(-1), Cbor::Integer(1)),
        (Cbor::Integer(-2), coordinate(point.x().map(|x| x.as_slice()))),
        (Cbor::Integer(-3), coordinate(point.y().map(|y| y.as_slice()))),
    ]);
    serde_cbor_2::to_vec(&Cbor::Map(map)).expect("CBOR")
}

fn encode(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
