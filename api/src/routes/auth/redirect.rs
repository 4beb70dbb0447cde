//! `redirect_to`: extracts the requested redirect URL and checks it against the allow list. A URL that is not allowed
//! silently becomes our own.
use crate::state::AppState;
use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use std::convert::Infallible;
use url::Url;

/// The requested redirect URL if it is allowed, the referring page if that is, or our own URL.
#[derive(Clone, Debug)]
pub struct RedirectTo {
    /// None when nothing was requested, or it is not allowed.
    requested: Option<String>,
    /// The allowed page that the request comes from, when nothing was requested.
    referer: Option<String>,
    own: String,
}

impl RedirectTo {
    /// The redirect URL; our own by default.
    pub fn url(&self) -> &str {
        self.requested.as_deref().or(self.referer.as_deref()).unwrap_or(&self.own)
    }

    /// The redirect URL unless it is our own by default.
    pub fn requested(&self) -> Option<String> {
        self.requested.clone().or_else(|| self.referer.clone())
    }

    /// With `redirect_to` of the body where query and header have none.
    pub fn or_from_body(self, app: &AppState, body: Option<&str>) -> Self {
        match (&self.requested, body) {
            (None, Some(text)) if !text.trim().is_empty() => {
                let requested = app.http.redirects.allowed(&app.options.public_url, text);
                Self { requested, referer: None, ..self }
            }
            _ => self,
        }
    }
}

impl FromRequestParts<AppState> for RedirectTo {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or("").as_bytes();
        let in_query = url::form_urlencoded::parse(query)
            .find(|(name, value)| name == "redirect_to" && !value.is_empty())
            .map(|(_, value)| value.into_owned());
        let in_header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let own = &app.options.public_url;
        let (requested, referer) = match in_query.or_else(|| in_header("redirect_to")) {
            Some(text) => (app.http.redirects.allowed(own, &text), None),
            // A referring page of our own says nothing: mails lead to our pages anyway.
            None => {
                let from = in_header(header::REFERER.as_str());
                let from = from.and_then(|text| app.http.redirects.allowed(own, &text));
                (None, from.filter(|to| !is_ours(own, to)))
            }
        };
        Ok(Self { requested, referer, own: own.clone() })
    }
}

fn is_ours(own: &str, to: &str) -> bool {
    let origin = |text: &str| Url::parse(text).map(|url| url.origin()).ok();
    origin(own) == origin(to)
}
