//! Redirect responses after a provider sign-in: with a code, with a session, or with an error.
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{accounts::auth::TokenGrant, kernel::i18n};
use serde_json::Map;
use url::{Url, form_urlencoded::Serializer};

/// 303 to an allowed URL.
pub fn see_other(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    // We built the URL and it is encoded, so it is a valid header value; otherwise the first page.
    let location = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

/// 302, as the protocol requires.
pub fn found(to: &str) -> Response {
    let mut response = see_other(to);
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// 302 with the error in query and fragment.
pub fn redirect_with_error(to: &str, code: &'static str, language: &str) -> Response {
    let params = error_params(code, language);
    let Ok(mut url) = Url::parse(to) else { return found(to) };
    let query = match url.query().filter(|query| !query.is_empty()) {
        Some(query) => format!("{query}&{params}"),
        None => params.clone(),
    };
    url.set_query(Some(&query));
    url.set_fragment(Some(&params));
    found(url.as_str())
}

/// The error as URL-encoded parameters.
pub fn error_params(code: &'static str, language: &str) -> String {
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

/// Implicit flow: the session in the fragment, which browsers do not send to servers.
pub fn with_session(to: &str, granted: &TokenGrant) -> String {
    let Ok(mut url) = Url::parse(to) else { return to.to_owned() };
    let mut fragment = Serializer::new(String::new());
    fragment
        .append_pair("access_token", &granted.access_token)
        .append_pair("expires_at", &granted.expires_at.to_string())
        .append_pair("expires_in", &granted.expires_in.to_string());
    if let Some(provider) = &granted.provider_tokens {
        if let Some(token) = &provider.refresh_token {
            fragment.append_pair("provider_refresh_token", token);
        }
        fragment.append_pair("provider_token", &provider.access_token);
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
    fn errors_are_in_query_and_fragment() {
        let back = redirect_with_error("https://portal.example/x?a=1", "user_banned", "en-US");
        let to = back.headers()[header::LOCATION].to_str().unwrap();
        let url = Url::parse(to).unwrap();
        assert!(url.query().unwrap().starts_with("a=1&error=access_denied&error_code=user_banned&error_description="));
        assert!(url.fragment().unwrap().starts_with("error=access_denied&error_code=user_banned&"));
        assert_eq!(with_query("https://portal.example/x?a=1#y", "code", "c"), "https://portal.example/x?a=1&code=c#y");
    }

    #[test]
    fn every_error_code_has_a_message() {
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
