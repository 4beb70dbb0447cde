use super::*;
use crate::kernel::{access::Role, ids::ActivityId};
use serde_json::Map;
use uuid::Uuid;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_000, 0).expect("in range")
}

fn known(user: u128, session: u128, exp: i64) -> CachedToken {
    let who = SignedIn {
        begun_by: None,
        impersonator: None,
        id: UserId(Uuid::from_u128(user)),
        session_id: SessionId(Uuid::from_u128(session)),
        role: Role::CompanyAdmin,
        name: String::new(),
        email: String::new(),
        company_id: Some(CompanyId(Uuid::from_u128(9))),
        iso_id: Some(IsoId(Uuid::from_u128(8))),
        language: String::new(),
        time_zone: String::new(),
        must_change_password: false,
        mfa: crate::kernel::access::Mfa::default(),
        proven_at: None,
    };
    CachedToken { who: Arc::new(who), exp }
}

fn remember(verified: &TokenCache, token: &str, known: CachedToken) {
    verified.insert(TokenCache::key(token), known, now(), verified.changes());
}

fn knows(verified: &TokenCache, token: &str) -> bool {
    verified.get(&TokenCache::key(token), now()).is_some()
}

fn event(action: &str, subject: u128, data: &[(&str, String)]) -> Activity {
    Activity {
        id: ActivityId(Uuid::nil()),
        seq: None,
        at: now(),
        actor_kind: String::new(),
        actor_id: None,
        actor_name: String::new(),
        action: action.to_owned(),
        subject_kind: String::new(),
        subject_id: Some(Uuid::from_u128(subject)),
        subject_label: String::new(),
        company_id: None,
        client_id: None,
        iso_id: None,
        spv_id: None,
        public: false,
        address: None,
        user_agent: None,
        data: data.iter().map(|(k, v)| ((*k).to_owned(), Value::from(v.clone()))).collect::<Map<_, _>>(),
    }
}

#[test]
fn ended_session_invalidates_only_its_tokens() {
    let verified = TokenCache::default();
    remember(&verified, "a", known(1, 11, 2_000));
    remember(&verified, "b", known(1, 12, 2_000));
    verified.forget(&event("session.started", 1, &[("session_id", Uuid::from_u128(11).to_string())]));
    assert!(knows(&verified, "a"));
    verified.forget(&event("session.ended", 1, &[("session_id", Uuid::from_u128(11).to_string())]));
    assert!(!knows(&verified, "a") && knows(&verified, "b"));
}

#[test]
fn account_company_and_iso_events_invalidate_tokens() {
    for (action, subject) in [
        ("user.suspended", 1),
        ("user.role_changed", 1),
        ("client.archived", 1),
        ("client.updated", 1),
        ("company.archived", 9),
        ("iso.archived", 8),
        ("iso.updated", 8),
    ] {
        let verified = TokenCache::default();
        remember(&verified, "a", known(1, 11, 2_000));
        verified.forget(&event(action, 5, &[]));
        assert!(knows(&verified, "a"), "{action} of another");
        verified.forget(&event(action, subject, &[]));
        assert!(!knows(&verified, "a"), "{action}");
    }
}

#[test]
fn token_read_before_an_invalidation_is_not_cached() {
    let verified = TokenCache::default();
    let seen = verified.changes();
    verified.forget_user(UserId(Uuid::from_u128(1)));
    verified.insert(TokenCache::key("a"), known(1, 11, 2_000), now(), seen);
    assert!(!knows(&verified, "a"));
}

#[test]
fn cached_token_expires() {
    let verified = TokenCache::default();
    remember(&verified, "a", known(1, 11, 1_001));
    remember(&verified, "b", known(1, 11, 1_000));
    assert!(knows(&verified, "a") && !knows(&verified, "b"));
}

#[test]
fn token_cache_is_bounded() {
    let verified = TokenCache::default();
    for n in 0..MAX_CACHED_TOKENS + 5_000 {
        remember(&verified, &n.to_string(), known(1, 11, 2_000));
    }
    let kept: usize = verified.shards.iter().map(|shard| shard.read().expect("not poisoned").len()).sum();
    assert!(kept <= MAX_CACHED_TOKENS, "{kept}");
}
