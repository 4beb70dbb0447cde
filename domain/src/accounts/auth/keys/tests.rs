use super::{jwk::new_set, *};
use jsonwebtoken::EncodingKey;

fn session() -> SessionId {
    SessionId(Uuid::from_u128(7))
}

#[test]
fn a_bare_array_of_keys_is_read_as_a_set() {
    let set = new_set(&RandomSource::seeded(2)).expect("a key");
    let parsed: Value = serde_json::from_str(&set).expect("JSON");
    let token = Keys::read(&set).expect("a set").sign(&json!({ "sub": "x" })).expect("signs");
    let array = Keys::read(&parsed["keys"].to_string()).expect("an array");
    assert_eq!(array.verify::<Value>(&token).map(|claims| claims["sub"].clone()), Some(json!("x")));
    assert!(Keys::read("[]").is_err());
}

#[test]
fn token_is_verified_by_its_keys_only() {
    let keys = Keys::for_tests();
    let token = keys.sign(&json!({ "sub": "maya" })).expect("signs");
    assert_eq!(keys.verify::<Value>(&token).expect("verifies")["sub"], "maya");
    let others = Keys::read(&new_set(&RandomSource::seeded(2)).expect("a key")).expect("a set");
    assert!(others.verify::<Value>(&token).is_none());
    let (rest, _) = token.rsplit_once('.').expect("three parts");
    assert!(keys.verify::<Value>(&format!("{rest}.AAAA")).is_none());
    assert!(keys.verify::<Value>("").is_none());
}

#[test]
fn unsigned_token_is_rejected() {
    let header = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"sub":"maya"}"#);
    assert!(Keys::for_tests().verify::<Value>(&format!("{header}.{claims}.")).is_none());
}

#[test]
fn public_key_is_rejected_as_hs256_secret() {
    // Key confusion: HS256 with the public key as the secret.
    let keys = Keys::for_tests();
    let kid = keys.jwks()["keys"][0]["kid"].as_str().expect("a name").to_owned();
    let header = Header { kid: Some(kid), ..Header::new(Algorithm::HS256) };
    let forged = jsonwebtoken::encode(
        &header,
        &json!({ "sub": "maya" }),
        &EncodingKey::from_secret(keys.jwks().to_string().as_bytes()),
    );
    let forged = forged.expect("signs");
    assert!(keys.verify::<Value>(&forged).is_none());
    assert!(keys.with_secret("another secret").verify::<Value>(&forged).is_none());
}

#[test]
fn service_tokens_need_the_shared_secret() {
    let token = jsonwebtoken::encode(
        &Header::default(),
        &json!({ "role": "service_role" }),
        &EncodingKey::from_secret(b"shared"),
    );
    let token = token.expect("signs");
    assert!(Keys::for_tests().verify::<Value>(&token).is_none());
    assert!(Keys::for_tests().with_secret("shared").verify::<Value>(&token).is_some());
}

#[test]
fn published_keys_hold_no_private_part() {
    let jwks = Keys::for_tests().jwks();
    let key = jwks["keys"][0].as_object().expect("a key");
    assert_eq!((key["alg"].as_str(), key["kty"].as_str()), (Some("ES256"), Some("EC")));
    assert!(["d", "p", "q", "dp", "dq", "qi"].iter().all(|part| !key.contains_key(*part)));
}

#[test]
fn an_rsa_key_signs_and_the_old_key_still_verifies() {
    let rsa: Value = serde_json::from_str(include_str!("rsa_for_tests.json")).expect("JSON");
    let old: Value = serde_json::from_str(&new_set(&RandomSource::seeded(1)).expect("a key")).expect("JSON");
    let both = json!({ "keys": [rsa, old["keys"][0]] });
    let keys = Keys::read(&both.to_string()).expect("both kinds");
    let token = keys.sign(&json!({ "sub": "maya" })).expect("signs");
    assert_eq!(jsonwebtoken::decode_header(&token).expect("a header").alg, Algorithm::RS256);
    assert!(keys.verify::<Value>(&token).is_some());
    assert!(keys.verify::<Value>(&Keys::for_tests().sign(&json!({})).expect("signs")).is_some());
    let refresh = Keys::for_tests().refresh_token(session(), 3);
    assert_eq!(keys.read_refresh_token(&refresh), Ok((session(), 3)));
    assert_eq!(keys.jwks()["keys"].as_array().map(Vec::len), Some(2));
}

/// A key file with a shared secret of `bytes` bytes before the key of `Keys::for_tests`.
fn with_shared(kid: Option<&str>, bytes: usize) -> String {
    let ec: Value = serde_json::from_str(&new_set(&RandomSource::seeded(1)).expect("a key")).expect("JSON");
    let mut oct = json!({ "kty": "oct", "k": BASE64_URL_SAFE_NO_PAD.encode(vec![7_u8; bytes]), "alg": "HS256" });
    if let Some(kid) = kid {
        oct["kid"] = kid.into();
    }
    json!({ "keys": [oct, ec["keys"][0]] }).to_string()
}

#[test]
fn shared_secret_signs_and_is_not_published() {
    let keys = Keys::read(&with_shared(Some("shared"), 32)).expect("both kinds");
    let token = keys.sign(&json!({ "sub": "maya" })).expect("signs");
    let header = jsonwebtoken::decode_header(&token).expect("a header");
    assert_eq!((header.alg, header.kid.as_deref()), (Algorithm::HS256, Some("shared")));
    assert_eq!(keys.verify::<Value>(&token).expect("verifies")["sub"], "maya");
    // Rejected without the key, and with another key of the same id.
    assert!(Keys::for_tests().verify::<Value>(&token).is_none());
    assert!(Keys::read(&with_shared(Some("shared"), 33)).expect("a set").verify::<Value>(&token).is_none());
    assert_eq!(keys.jwks()["keys"].as_array().map(Vec::len), Some(1), "the other one alone");
    assert_eq!(keys.jwks(), Keys::for_tests().jwks());
    // The former signing key stays valid, and derived secrets come from it, not from the shared one.
    assert!(keys.verify::<Value>(&Keys::for_tests().sign(&json!({})).expect("signs")).is_some());
    assert_eq!(keys.read_refresh_token(&keys.refresh_token(session(), 3)), Ok((session(), 3)));
    assert_eq!(keys.refresh_token(session(), 3), Keys::for_tests().refresh_token(session(), 3));
    assert_eq!(keys.derivation_key_id(), Keys::for_tests().derivation_key_id());
    // A shared secret without an id gets a stable one that does not reveal it.
    let name = || {
        let token = Keys::read(&with_shared(None, 32)).expect("a set").sign(&json!({})).expect("signs");
        jsonwebtoken::decode_header(&token).expect("a header").kid.expect("a name")
    };
    assert_eq!(name(), name());
    let name = name();
    assert!(name.len() == 43 && !with_shared(None, 32).contains(&name), "{name}");
}

#[test]
fn token_algorithm_must_match_its_key() {
    let keys = Keys::read(&with_shared(Some("shared"), 32)).expect("both kinds");
    let public = keys.jwks()["keys"][0].clone();
    let kid = public["kid"].as_str().expect("a name").to_owned();
    let point = ["x", "y"]
        .map(|half| BASE64_URL_SAFE_NO_PAD.decode(public[half].as_str().expect("a half")).expect("base64url"));
    let forged = |kid: &str, secret: &[u8]| {
        let header = Header { kid: Some(kid.to_owned()), ..Header::new(Algorithm::HS256) };
        jsonwebtoken::encode(&header, &json!({ "sub": "maya" }), &EncodingKey::from_secret(secret)).expect("signs")
    };
    let bytes: Vec<u8> = [vec![4], point.concat()].concat();
    for secret in [bytes.as_slice(), point.concat().as_slice(), public.to_string().as_bytes()] {
        for kid in [kid.as_str(), "shared", "unknown"] {
            assert!(keys.verify::<Value>(&forged(kid, secret)).is_none(), "{kid}");
        }
    }
    // The id of one key type with the secret of another is rejected.
    assert!(keys.verify::<Value>(&forged(&kid, &[7; 32])).is_none());
    assert!(keys.verify::<Value>(&forged("shared", &[7; 32])).is_some());
    let signed = Keys::for_tests().sign(&json!({ "sub": "maya" })).expect("signs");
    let (_, rest) = signed.split_once('.').expect("three parts");
    let header = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"ES256","typ":"JWT","kid":"shared"}"#);
    assert!(keys.verify::<Value>(&format!("{header}.{rest}")).is_none());
}

#[test]
fn refresh_token_is_bound_to_session_and_counter() {
    let keys = Keys::for_tests();
    let token = keys.refresh_token(session(), 41);
    assert_eq!(keys.read_refresh_token(&token), Ok((session(), 41)));
    let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&token).expect("base64url");
    bytes[24] += 1;
    assert_eq!(keys.read_refresh_token(&BASE64_URL_SAFE_NO_PAD.encode(&bytes)), Err(RefreshTokenError::Forged));
    for wrong in ["", "a", "dont exist", &token[..token.len() - 4]] {
        assert_eq!(keys.read_refresh_token(wrong), Err(RefreshTokenError::Malformed), "{wrong}");
    }
}

#[test]
fn key_file_is_created_once_with_owner_only_permissions() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("new/signing_keys.json");
    let first = Keys::load_or_create(&path).expect("makes one");
    let second = Keys::load_or_create(&path).expect("reads it");
    assert_eq!(first.jwks(), second.jwks());
    assert_eq!(std::fs::read_dir(dir.path().join("new")).expect("lists").count(), 1, "no draft is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).expect("is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn invalid_key_file_is_explained_without_secrets() {
    for (text, says) in [
        ("{}", "not a JWK set of EC, RSA and oct keys (line 1, column 2)"),
        (r#"{"keys":["the-secret"]}"#, "not a JWK set"),
        (r#""the-secret""#, "not a JWK set"),
        (r#"{"keys":[{"kty":"oct","k":123456}]}"#, "not a JWK set"),
        (r#"{"keys":[]}"#, "no key in it"),
        (r#"{"keys":[{"kty":"EC","crv":"P-384","d":"AA"}]}"#, "only P-256"),
        (r#"{"keys":[{"kty":"EC","crv":"P-256","d":"AA"}]}"#, "not a P-256 key"),
        (r#"{"keys":[{"kty":"EC","crv":"P-256","d":"AA","alg":"HS256"}]}"#, "EC signs with ES256 only"),
        (r#"{"keys":[{"kty":"oct","k":"AA","alg":"HS512"}]}"#, "oct signs with HS256 only"),
        (r#"{"keys":[{"kty":"oct","k":"no base64url!"}]}"#, "k is not base64url"),
        (with_shared(Some(&Keys::for_tests().derivation_key_id()), 32).as_str(), "two keys have the kid "),
        (with_shared(None, 31).as_str(), "k has 31 bytes: HS256 needs 32 or more"),
    ] {
        let error = Keys::read(text).expect_err("is refused");
        assert!(error.contains(says), "{error}");
        assert!(!error.contains("the-secret") && !error.contains("123456"), "{error}");
    }
}

#[tokio::test]
async fn rotated_keys_are_reloaded_and_old_keys_stay_valid() {
    let world = crate::testing::World::sqlite().await;
    let path = world.dir.path.join("signing_keys.json");
    let (here, there) = (Keys::load_or_create(&path).expect("makes"), Keys::load_or_create(&path).expect("reads"));
    let (old, refresh) = (here.sign(&json!({ "sub": "maya" })).expect("signs"), here.refresh_token(session(), 3));
    let factor = FactorId(Uuid::from_u128(9));
    let (kid, secret) = (here.derivation_key_id(), here.factor_secret(&here.derivation_key_id(), factor));
    let before = list(&world.operator(), &path).expect("lists");
    let after = rotate(&world.operator(), &path).await.expect("rotates");
    assert_eq!((before.len(), after.len(), after[1].kid.as_str()), (1, 2, before[0].kid.as_str()));
    assert!(after[0].signs && !after[1].signs && after[0].algorithm == "ES256");
    assert!(rotate(&world.anonymous(), &path).await.is_err(), "only for super admins");

    // One node reloads by interval, the other on an unknown key id.
    assert!(here.reload_if_changed() && !here.reload_if_changed());
    let new = here.sign(&json!({ "sub": "noah" })).expect("signs");
    assert_eq!(there.verify::<Value>(&new).expect("taken up")["sub"], "noah");
    for keys in [&here, &there] {
        assert_eq!(keys.verify::<Value>(&old).expect("still good")["sub"], "maya");
        assert_eq!(keys.read_refresh_token(&refresh), Ok((session(), 3)));
        assert_eq!(keys.factor_secret(&kid, factor), secret);
        assert_eq!(keys.jwks()["keys"].as_array().map(Vec::len), Some(2));
        assert_eq!(keys.derivation_key_id(), after[0].kid);
    }
    // An unreadable file changes nothing.
    std::fs::write(&path, "{ half").expect("writes");
    assert!(!here.reload_if_changed() && here.verify::<Value>(&new).is_some());
    // Any key type stays valid behind the new one.
    std::fs::write(&path, with_shared(Some("shared"), 32)).expect("writes");
    let ways = |found: Vec<KeyInfo>| found.into_iter().map(|key| key.algorithm).collect::<Vec<_>>();
    assert_eq!(ways(list(&world.operator(), &path).expect("lists")), ["HS256", "ES256"]);
    assert_eq!(ways(rotate(&world.operator(), &path).await.expect("rotates")), ["ES256", "HS256", "ES256"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = world.dir.path.join("others.json");
        Keys::load_or_create(&path).expect("makes");
        rotate(&world.operator(), &path).await.expect("rotates");
        assert_eq!(std::fs::metadata(&path).expect("is there").permissions().mode() & 0o777, 0o600);
    }
}
