//! Errors of sign-in providers.

/// Why a sign-in at a provider failed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider cannot be reached now.
    #[error("{0}")]
    Unavailable(String),
    /// Its code, token or response is invalid.
    #[error("{0}")]
    Refused(String),
}
