//! Where a browser goes on to after a provider: with a code, with a session, or with the reason why not.
use super::verify::see_other;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use domain::{accounts::auth::TokenGrant, kernel::i18n};
use serde_json::Map;
use url::{Url, form_urlencoded::Serializer};

/// 302, as the protocol has it.
pub fn found(to: &str) -> Response {
    let mut response = see_other(to);
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub fn turn_back(to: &str, code: &'static str, language: &str) -> Response {
    let refusal = refusal(code, language);
    let Ok(mut url) = Url::parse(to) else { return found(to) };
    let query = match url.query().filter(|query| !query.is_empty()) {
        Some(query) => format!("{query}&{refusal}"),
        None => refusal.clone(),
    };
    url.set_query(Some(&query));
    url.set_fragment(Some(&refusal));
    found(url.as_str())
}

pub fn refusal(code: &'static str, language: &str) -> String {
    let error = match code {
        "access_denied" | "account_requested" | "provider_email_needs_verification" | "user_banned" => "access_denied",
        "provider_unavailable" | "unavailable" => "temporarily_unavailable",
        "unexpected_failure" => "server_error",
        _ => "invalid_request",
    };
    Serializer::new(String::new())
        .append_pair("error", error)
        .append_pair("error_code", code)
        .append_pair("error_description", &i18n::text(language, "errors", code, &Map::new()))
        .finish()
}

pub fn with_query(to: &str, name: &str, value: &str) -> String {
    let Ok(mut url) = Url::parse(to) else { return to.to_owned() };
    url.query_pairs_mut().append_pair(name, value);
    url.to_string()
}

/// The implicit flow: the session stands behind the `#`, which no server gets to see.
pub fn with_session(to: &str, granted: &TokenGrant) -> String {
    let Ok(mut url) = Url::parse(to) else { return to.to_owned() };
    let mut fragment = Serializer::new(String::new());
    fragment
        .append_pair("access_token", &granted.access_token)
        .append_pair("expires_at", &granted.expires_at.to_string())
        .append_pair("expires_in", &granted.expires_in.to_string());
    if let Some(given) = &granted.provider_tokens {
        if let Some(token) = &given.refresh_token {
            fragment.append_pair("provider_refresh_token", token);
        }
        fragment.append_pair("provider_token", &given.access_token);
    }
    fragment
        .append_pair("refresh_token", &granted.refresh_token)
        .append_pair("sb", "")
        .append_pair("token_type", "bearer");
    url.set_fragment(Some(&fragment.finish()));
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_stands_before_and_behind_the_number_sign() {
        let back = turn_back("https://portal.example/x?a=1", "user_banned", "en-US");
        let to = back.headers()[header::LOCATION].to_str().unwrap();
        let url = Url::parse(to).unwrap();
        assert!(url.query().unwrap().starts_with("a=1&error=access_denied&error_code=user_banned&error_description="));
        assert!(url.fragment().unwrap().starts_with("error=access_denied&error_code=user_banned&"));
        assert_eq!(with_query("https://portal.example/x?a=1#y", "code", "c"), "https://portal.example/x?a=1&code=c#y");
    }

    #[test]
    fn every_refusal_has_a_sentence() {
        for code in [
            "access_denied",
            "account_requested",
            "bad_oauth_callback",
            "bad_oauth_state",
            "email_conflict_identity_not_deletable",
            "flow_state_already_used",
            "identity_already_exists",
            "identity_not_found",
            "provider_email_needs_verification",
            "provider_unavailable",
            "single_identity_not_deletable",
            "sso_provider_disabled",
            "sso_provider_not_found",
            "unavailable",
            "unexpected_failure",
            "user_banned",
        ] {
            for language in ["en-US", "es"] {
                assert!(i18n::find(language, "errors", code, &Map::new()).is_some(), "{language} {code}");
            }
        }
    }
}
