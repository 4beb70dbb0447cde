//! SQL of second factors.
use super::{super::passkeys, Challenge, Factor, Kind};
use crate::kernel::{
    db::{Row, Sql, Tx, in_id_list, insert},
    error::Result,
    ids::{ChallengeId, FactorId, UserId},
};
use chrono::{DateTime, Utc};
use serde_json::json;

const COLUMNS: &str = Factor::LIST;

/// Authenticators, recovery codes, and the passkeys that are second factors.
pub(in super::super) const ALL_FACTORS: &str = "(select id, user_id, kind, friendly_name, status, key_id, last_step, \
     last_challenged_at, created_at, updated_at from factors \
     union all select id, user_id, 'webauthn', friendly_name, \
     case when credential_id is null then 'unverified' else 'verified' end, null, null, \
     last_challenged_at, created_at, updated_at from passkeys where second_factor = true) all_factors";

/// Address and key of each verified authenticator.
pub async fn keys_in_use(db: &mut impl Sql) -> Result<Vec<(String, String)>> {
    db.sql(
        "select u.email, coalesce(f.key_id, '') from factors f join users u on u.id = f.user_id \
         where f.kind = 'totp' and f.status = 'verified' order by u.email",
    )
    .all()
    .await
}

pub async fn insert(tx: &mut Tx, factor: &Factor) -> Result<()> {
    insert!(tx, "factors", factor).run().await?;
    Ok(())
}

pub async fn list(db: &mut impl Sql, user: UserId) -> Result<Vec<Factor>> {
    db.sql_built(format!("select {COLUMNS} from {ALL_FACTORS} where user_id = $1 order by created_at, kind desc, id"))
        .bind(user)
        .all()
        .await
}

/// Factors of several users, each user's as in [`list`].
pub async fn list_of_many(db: &mut impl Sql, users: &[UserId]) -> Result<Vec<Factor>> {
    let sql = format!(
        "select {COLUMNS} from {ALL_FACTORS} where user_id {} order by created_at, kind desc, id",
        in_id_list(db.dialect())
    );
    db.sql_built(sql).bind(json!(users).to_string()).all().await
}

pub async fn is_enrolled(db: &mut impl Sql, user: UserId) -> Result<bool> {
    db.sql(
        "select exists (select 1 from factors where user_id = $1 and kind = 'totp' and status = 'verified') \
         or exists (select 1 from passkeys where user_id = $1 and second_factor = true and credential_id is not null)",
    )
    .bind(user)
    .scalar()
    .await
}

/// Marks a factor as verified in this time step.
pub async fn mark_verified(tx: &mut Tx, id: FactorId, step: i64, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update factors set status = 'verified', last_step = $2, updated_at = $3 where id = $1")
        .bind(id)
        .bind(step)
        .bind(at)
        .run()
        .await?;
    Ok(())
}

pub async fn mark_challenged(tx: &mut Tx, id: FactorId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update factors set last_challenged_at = $2 where id = $1").bind(id).bind(at).run().await?;
    Ok(())
}

/// Deletes the user's unverified factors: all, or those created before `before`.
pub async fn delete_unverified(tx: &mut Tx, user: UserId, before: Option<DateTime<Utc>>) -> Result<()> {
    passkeys::store::delete_unverified(tx, user, before).await?;
    let query = match before {
        None => tx.sql("delete from factors where user_id = $1 and status = 'unverified'").bind(user),
        Some(before) => tx
            .sql("delete from factors where user_id = $1 and status = 'unverified' and created_at <= $2")
            .bind(user)
            .bind(before),
    };
    query.run().await?;
    Ok(())
}

/// Challenges are deleted by cascade.
pub async fn delete(tx: &mut Tx, factor: &Factor) -> Result<()> {
    match factor.kind {
        Kind::Totp => {}
        Kind::Webauthn => return passkeys::store::delete(tx, factor.id).await,
        Kind::RecoveryCode => {
            tx.sql("delete from recovery_codes where user_id = $1").bind(factor.user_id).run().await?;
        }
    }
    tx.sql("delete from factors where id = $1").bind(factor.id).run().await?;
    Ok(())
}

pub async fn insert_challenge(tx: &mut Tx, challenge: &Challenge) -> Result<()> {
    insert!(tx, "factor_challenges", {
        id: challenge.id,
        factor_id: challenge.factor_id,
        address: challenge.address.clone(),
        created_at: challenge.created_at,
        expires_at: challenge.expires_at,
    })
    .run()
    .await?;
    Ok(())
}

/// Counts an attempt and returns the challenge.
pub async fn try_challenge(tx: &mut Tx, factor: FactorId, id: ChallengeId) -> Result<Option<Challenge>> {
    tx.sql(
        "update factor_challenges set attempts = attempts + 1 where id = $1 and factor_id = $2 \
         returning id, factor_id, address, attempts, created_at, expires_at, verified_at",
    )
    .bind(id)
    .bind(factor)
    .optional()
    .await
}

pub async fn mark_challenge_verified(tx: &mut Tx, id: ChallengeId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update factor_challenges set verified_at = $2 where id = $1").bind(id).bind(at).run().await?;
    Ok(())
}

pub async fn delete_expired(tx: &mut Tx, now: DateTime<Utc>, unverified_before: DateTime<Utc>) -> Result<u64> {
    let challenges = tx.sql("delete from factor_challenges where expires_at < $1").bind(now).run().await?;
    tx.sql("delete from factors where status = 'unverified' and created_at <= $1")
        .bind(unverified_before)
        .run()
        .await?;
    Ok(challenges)
}
