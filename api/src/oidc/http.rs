//! HTTP client of the OpenID providers. It trusts the system's certificates and `SSL_CERT_FILE`.
use super::WAIT;
use domain::kernel::error::causes;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse, http};
use reqwest::redirect::Policy;
use std::pin::Pin;

/// A client, or why there is none: a machine without certificates has no TLS, and starts nevertheless.
#[derive(Clone, Debug)]
pub struct Http(Result<reqwest::Client, String>);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("there is no TLS on this machine: {0}")]
    NoClient(String),
    #[error(transparent)]
    Request(reqwest::Error),
    #[error("it answers {0}")]
    Status(http::StatusCode),
    #[error(transparent)]
    Answer(#[from] http::Error),
}

/// An address may hold a code or a token, which a log must not.
impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        Self::Request(error.without_url())
    }
}

impl Http {
    pub fn new(proxied: bool) -> Self {
        // Several crates speak TLS here, and rustls has to know whose cryptography they use.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            // An answer that leads elsewhere is none: our secret must not follow it.
            .redirect(Policy::none())
            .connect_timeout(WAIT / 2)
            .timeout(WAIT)
            .user_agent(concat!("spv-portal/", env!("CARGO_PKG_VERSION")));
        let builder = if proxied { builder } else { builder.no_proxy() };
        Self(builder.build().map_err(|e| causes(&e)))
    }

    fn client(&self) -> Result<&reqwest::Client, HttpError> {
        self.0.as_ref().map_err(|why| HttpError::NoClient(why.clone()))
    }

    /// What lies at an address.
    ///
    /// # Errors
    /// No connection, or an answer other than success.
    pub async fn get(&self, url: String) -> Result<Vec<u8>, HttpError> {
        let answer = self.client()?.get(url).send().await?;
        if !answer.status().is_success() {
            return Err(HttpError::Status(answer.status()));
        }
        Ok(answer.bytes().await?.into())
    }
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let answer = self.client()?.execute(request.try_into()?).await?;
            let mut response = http::Response::builder().status(answer.status()).version(answer.version());
            for (name, value) in answer.headers() {
                response = response.header(name, value);
            }
            Ok(response.body(answer.bytes().await?.into())?)
        })
    }
}
