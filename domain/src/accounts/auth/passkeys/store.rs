//! SQL of passkeys and of their challenges.
use super::{Challenge, DeviceKind, Passkey, Purpose};
use crate::kernel::{
    db::{Row, Sql, Tx, insert},
    error::Result,
    ids::{ChallengeId, FactorId, UserId},
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

const COLUMNS: &str = Passkey::LIST;

pub async fn insert(tx: &mut Tx, passkey: &Passkey) -> Result<()> {
    insert!(tx, "passkeys", passkey).run().await?;
    Ok(())
}

/// All passkeys of a user, oldest first, also second factors that are not verified yet.
pub async fn list(db: &mut impl Sql, user: UserId) -> Result<Vec<Passkey>> {
    db.sql_built(format!("select {COLUMNS} from passkeys where user_id = $1 order by created_at, id"))
        .bind(user)
        .all()
        .await
}

pub async fn by_credential(db: &mut impl Sql, credential_id: &str) -> Result<Option<Passkey>> {
    db.sql_built(format!("select {COLUMNS} from passkeys where credential_id = $1"))
        .bind(credential_id.to_owned())
        .optional()
        .await
}

/// Whether a user has a passkey to sign in with.
pub async fn has_any(db: &mut impl Sql, user: UserId) -> Result<bool> {
    db.sql("select exists (select 1 from passkeys where user_id = $1 and credential_id is not null)")
        .bind(user)
        .scalar()
        .await
}

/// What a registration tells of a credential.
pub struct Registered {
    pub credential_id: String,
    pub credential: String,
    pub aaguid: Option<Uuid>,
    pub device_kind: DeviceKind,
}

/// Verifies an enrolled second factor by its credential.
pub async fn save_registration(tx: &mut Tx, id: FactorId, made: Registered, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update passkeys set credential_id = $2, credential = $3, aaguid = $4, device_kind = $5, updated_at = $6 \
         where id = $1",
    )
    .bind(id)
    .bind(made.credential_id)
    .bind(made.credential)
    .bind(made.aaguid)
    .bind(made.device_kind)
    .bind(at)
    .run()
    .await?;
    Ok(())
}

/// Saves the counter and backup state after a verification.
pub async fn save_use(tx: &mut Tx, id: FactorId, credential: String, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update passkeys set credential = $2, last_used_at = $3 where id = $1")
        .bind(id)
        .bind(credential)
        .bind(at)
        .run()
        .await?;
    Ok(())
}

pub async fn rename(tx: &mut Tx, id: FactorId, name: &str, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update passkeys set friendly_name = $2, updated_at = $3 where id = $1")
        .bind(id)
        .bind(name.to_owned())
        .bind(at)
        .run()
        .await?;
    Ok(())
}

/// Makes all passkeys of a user second factors.
pub async fn use_as_second_factors(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.sql("update passkeys set second_factor = true where user_id = $1 and second_factor = false")
        .bind(user)
        .run()
        .await?;
    Ok(())
}

/// Deletes the user's second factors that are not verified: all, or those created before `before`.
pub async fn delete_unverified(tx: &mut Tx, user: UserId, before: Option<DateTime<Utc>>) -> Result<()> {
    let query = match before {
        None => tx.sql("delete from passkeys where user_id = $1 and credential_id is null").bind(user),
        Some(before) => tx
            .sql("delete from passkeys where user_id = $1 and credential_id is null and created_at <= $2")
            .bind(user)
            .bind(before),
    };
    query.run().await?;
    Ok(())
}

/// Challenges are deleted by cascade.
pub async fn delete(tx: &mut Tx, id: FactorId) -> Result<()> {
    tx.sql("delete from passkeys where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn mark_challenged(tx: &mut Tx, id: FactorId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update passkeys set last_challenged_at = $2 where id = $1").bind(id).bind(at).run().await?;
    Ok(())
}

pub async fn insert_challenge(tx: &mut Tx, challenge: &Challenge) -> Result<()> {
    insert!(tx, "webauthn_challenges", challenge).run().await?;
    Ok(())
}

/// Deletes a challenge and returns it.
pub async fn take_challenge(
    tx: &mut Tx,
    id: ChallengeId,
    purpose: Purpose,
    user: Option<UserId>,
) -> Result<Option<Challenge>> {
    tx.sql_built(format!(
        "delete from webauthn_challenges where id = $1 and purpose = $2 and \
         (user_id = $3 or user_id is null and purpose = 'sign_in') returning {}",
        Challenge::LIST
    ))
    .bind(id)
    .bind(purpose)
    .bind(user)
    .optional()
    .await
}

/// The challenge of a second factor.
pub async fn factor_challenge(db: &mut impl Sql, id: ChallengeId, factor: FactorId) -> Result<Option<Challenge>> {
    db.sql_built(format!(
        "select {} from webauthn_challenges where id = $1 and passkey_id = $2 and purpose = 'factor'",
        Challenge::LIST
    ))
    .bind(id)
    .bind(factor)
    .optional()
    .await
}

pub async fn delete_expired(tx: &mut Tx, now: DateTime<Utc>, unverified_before: DateTime<Utc>) -> Result<u64> {
    let challenges = tx.sql("delete from webauthn_challenges where expires_at < $1").bind(now).run().await?;
    tx.sql("delete from passkeys where credential_id is null and created_at <= $1")
        .bind(unverified_before)
        .run()
        .await?;
    Ok(challenges)
}
