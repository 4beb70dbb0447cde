//! Types of the OpenID client with our additional claims.
use openidconnect::{
    AdditionalClaims, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenClaims,
    IdTokenFields, StandardErrorResponse, StandardTokenResponse,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken, CoreRevocationErrorResponse,
        CoreTokenIntrospectionResponse, CoreTokenType,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Claims beside the standard ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExtraClaims {
    /// Microsoft: the tenant.
    pub tid: Option<String>,
    /// Microsoft: whether the tenant owns the domain of the email address.
    pub xms_edov: Option<Value>,
    /// Not valid before.
    pub nbf: Option<i64>,
}

impl AdditionalClaims for ExtraClaims {}

type Fields = IdTokenFields<
    ExtraClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
pub type Tokens = StandardTokenResponse<Fields, CoreTokenType>;
pub type Claims = IdTokenClaims<ExtraClaims, CoreGenderClaim>;

pub type Client = openidconnect::Client<
    ExtraClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;
