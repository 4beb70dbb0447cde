//! Sign-ins that change more than the account: a confirmed new address, and a provider sign-in without an account.
use super::on_contact_changed;
use crate::{
    accounts::auth::{
        self, Auth, Purpose, VerificationInput, VerifyOutcome,
        flows::Flow,
        identities::{self, CallbackOutcome, ProviderClaims, ProviderSignIn},
    },
    kernel::{
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
    },
    outbox::requests,
};

/// Consumes a link or code from a mail and starts a session with it. With `redirect_with_code` a link whose flow is PKCE returns a
/// code for the browser where it began, and no session. A caller with the link may.
///
/// # Errors
/// Unauthenticated `otp_expired` for an unknown, wrong, used or expired one alike; `user_banned`; Conflict `email_taken`
/// where a new address belongs to another account by now; RateLimited after many wrong codes.
#[tracing::instrument(level = "debug", name = "people.verify", skip_all)]
pub async fn verify(
    ctx: &Ctx,
    auth: &Auth,
    purpose: Purpose,
    input: &VerificationInput,
    redirect_with_code: bool,
) -> Result<VerifyOutcome> {
    let verified = ctx.transaction(|tx| {
        async move {
            let verified = auth::verify_within(tx, ctx, purpose, input, redirect_with_code).await?;
            if let Ok(verified) = &verified
                && let Some(user) = &verified.new_email
            {
                on_contact_changed(tx, user).await?;
            }
            Ok(verified)
        }
        .scope_boxed()
    });
    auth::finish_verification(ctx, auth, verified.await).await
}

/// Signs in with the claims of a provider. A known identity, or a verified address that an account has, signs in; any
/// other address becomes a request to the staff (decision 22). Anonymous callers may.
///
/// # Errors
/// As [`identities::sign_in_with_claims`]; Unauthenticated `account_requested`.
#[tracing::instrument(level = "debug", name = "people.sign_in_with_provider", skip_all)]
pub async fn sign_in_with_provider(
    ctx: &Ctx,
    auth: &Auth,
    flow: &Flow,
    claims: &ProviderClaims,
) -> Result<CallbackOutcome> {
    let admitted = ctx.transaction(|tx| {
        async move {
            let admitted = identities::sign_in_with_claims(tx, ctx, flow, claims).await?;
            if let Ok(ProviderSignIn::Unknown(applicant)) = &admitted {
                requests::apply_for_account(tx, ctx, applicant).await?;
                return Ok(Err(Error::unauthenticated("account_requested")));
            }
            Ok(admitted)
        }
        .scope_boxed()
    });
    identities::finish_sign_in(ctx, auth, claims, admitted.await??).await
}
