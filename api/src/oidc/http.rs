//! HTTP client for the OpenID providers. Trusts the system's certificates and `SSL_CERT_FILE`.
use domain::kernel::error::causes;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse, http};
use reqwest::redirect::Policy;
use std::{pin::Pin, time::Duration};

/// Timeout of one provider request; a sign-in needs up to four.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(4);

/// A client, or why it cannot be built: a machine without certificates has no TLS, but the server starts nevertheless.
#[derive(Clone, Debug)]
pub struct HttpClient(Result<reqwest::Client, String>);

/// Why a request failed.
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

/// Drops the URL, which may contain a code or a token, from logged errors.
impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        Self::Request(error.without_url())
    }
}

impl HttpClient {
    pub fn new(proxied: bool) -> Self {
        // rustls needs a process-wide default because several crates use it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            // The client secret must not follow a redirect.
            .redirect(Policy::none())
            .connect_timeout(REQUEST_TIMEOUT / 2)
            .timeout(REQUEST_TIMEOUT)
            .user_agent(concat!("spv-portal/", env!("CARGO_PKG_VERSION")));
        let builder = if proxied { builder } else { builder.no_proxy() };
        Self(builder.build().map_err(|e| causes(&e)))
    }

    fn client(&self) -> Result<&reqwest::Client, HttpError> {
        self.0.as_ref().map_err(|why| HttpError::NoClient(why.clone()))
    }

    /// The body at `url`.
    ///
    /// # Errors
    /// No connection, or a status other than success.
    pub async fn get(&self, url: String) -> Result<Vec<u8>, HttpError> {
        let answer = self.client()?.get(url).send().await?;
        if !answer.status().is_success() {
            return Err(HttpError::Status(answer.status()));
        }
        Ok(answer.bytes().await?.into())
    }
}

impl<'c> AsyncHttpClient<'c> for HttpClient {
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
