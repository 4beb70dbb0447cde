//! SQL of sessions, and of the factors and identities of an account.
use super::{
    Account,
    factors::{self, Factor, store::ALL_FACTORS},
    identities::Identity,
    sessions::{EndedSession, Session},
};
use crate::{
    accounts::users::User,
    kernel::{
        db::{Db, Dialect, Json, Nested, Row, Sql, Tx, for_update, insert, select_nested},
        error::Result,
        ids::{CompanyId, FactorId, IsoId, SessionId, UserId},
    },
};
use chrono::{DateTime, Utc};

const COLUMNS: &str = Session::LIST;

/// Factors and identities of an account.
#[derive(Debug, sqlx::FromRow)]
pub struct AccountExtras {
    #[sqlx(try_from = "Nested<Vec<Identity>>")]
    identities: Vec<Identity>,
    #[sqlx(try_from = "Nested<Vec<Factor>>")]
    factors: Vec<Factor>,
}

impl AccountExtras {
    pub fn into_account(self, user: User, now: DateTime<Utc>) -> Account {
        Account { user, identities: self.identities, factors: factors::retain_live(self.factors, now) }
    }
}

/// The columns of [`AccountExtras`] for the user whose id is `user`, oldest first.
pub fn extras_columns(dialect: Dialect, user: &str) -> String {
    let identities =
        format!("select {} from identities where user_id = {user} order by created_at, id", Identity::LIST);
    let factors =
        format!("select {} from {ALL_FACTORS} where user_id = {user} order by created_at, kind desc, id", Factor::LIST);
    format!(
        "({}) as identities, ({}) as factors",
        select_nested(dialect, Identity::COLUMNS, &identities),
        select_nested(dialect, Factor::COLUMNS, &factors),
    )
}

pub async fn load_extras(db: &mut impl Sql, user: UserId) -> Result<AccountExtras> {
    let sql = format!("select {}", extras_columns(db.dialect(), "$1"));
    db.sql_built(sql).bind(user).one().await
}

pub async fn insert_session(tx: &mut Tx, session: &Session) -> Result<()> {
    insert!(tx, "sessions", session).run().await?;
    Ok(())
}

pub async fn session(db: &mut impl Sql, id: SessionId) -> Result<Option<Session>> {
    db.sql_built(format!("select {COLUMNS} from sessions where id = $1")).bind(id).optional().await
}

/// The row, locked until the transaction ends.
pub async fn lock_session(tx: &mut Tx, id: SessionId) -> Result<Option<Session>> {
    let sql = format!("select {COLUMNS} from sessions where id = $1{}", for_update(tx.dialect(), "sessions"));
    tx.sql_built(sql).bind(id).optional().await
}

pub async fn save_refresh(tx: &mut Tx, session: &Session) -> Result<()> {
    tx.sql("update sessions set refresh_counter = $2, refreshed_at = $3, user_agent = $4, address = $5 where id = $1")
        .bind(session.id)
        .bind(session.refresh_counter)
        .bind(session.refreshed_at)
        .bind(session.user_agent.clone())
        .bind(session.address.clone())
        .run()
        .await?;
    Ok(())
}

/// Saves assurance level, authentication methods and counters.
pub async fn save_assurance(tx: &mut Tx, session: &Session) -> Result<()> {
    tx.sql(
        "update sessions set aal = $2, amr = $3, factor_id = $4, refresh_counter = $5, raised_counter = $6, refreshed_at = $7 \
         where id = $1",
    )
    .bind(session.id)
    .bind(session.aal.clone())
    .bind(Json(session.amr.clone()))
    .bind(session.factor_id)
    .bind(session.refresh_counter)
    .bind(session.raised_counter)
    .bind(session.refreshed_at)
    .run()
    .await?;
    Ok(())
}

pub async fn elevated_by(tx: &mut Tx, user: UserId, factor: FactorId) -> Result<Vec<Session>> {
    let sql = format!(
        "select {COLUMNS} from sessions where user_id = $1 and factor_id = $2 and ended_at is null{}",
        for_update(tx.dialect(), "sessions")
    );
    tx.sql_built(sql).bind(user).bind(factor).all().await
}

pub async fn end_aal1_of_user(tx: &mut Tx, user: UserId, at: DateTime<Utc>) -> Result<Vec<EndedSession>> {
    tx.sql(
        "update sessions set ended_at = $2 where user_id = $1 and ended_at is null and aal = 'aal1' returning id, user_id",
    )
    .bind(user)
    .bind(at)
    .all()
    .await
}

/// Where a session came from.
#[derive(Debug, sqlx::FromRow)]
pub struct SessionSource {
    pub user_agent: Option<String>,
    pub address: Option<String>,
}

/// Sources of a user's latest sessions since then, ended ones too.
pub async fn recent_sources(
    tx: &mut Tx,
    user: UserId,
    since: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<SessionSource>> {
    tx.sql_built(format!(
        "select user_agent, address from sessions where user_id = $1 and created_at > $2 \
         order by created_at desc limit {limit}"
    ))
    .bind(user)
    .bind(since)
    .all()
    .await
}

pub async fn live_sessions(db: &mut Db, user: UserId) -> Result<Vec<Session>> {
    db.sql_built(format!(
        "select {COLUMNS} from sessions where user_id = $1 and ended_at is null order by created_at desc, id"
    ))
    .bind(user)
    .all()
    .await
}

/// Ends the sessions of staff, or of the others, that were last used or begun at these times or before.
pub async fn end_expired(
    tx: &mut Tx,
    staff: bool,
    idle_since: DateTime<Utc>,
    begun_before: Option<DateTime<Utc>>,
    at: DateTime<Utc>,
) -> Result<Vec<EndedSession>> {
    let whose = if staff { "in" } else { "not in" };
    tx.sql_built(format!(
        "update sessions set ended_at = $3 where ended_at is null and (refreshed_at <= $1 or created_at <= $2) \
         and user_id {whose} (select id from users where role in ('employee', 'super_admin')) returning id, user_id"
    ))
    .bind(idle_since)
    .bind(begun_before)
    .bind(at)
    .all()
    .await
}

pub async fn delete_ended(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from sessions where ended_at < $1").bind(before).run().await
}

pub async fn count_live(db: &mut Db, since: DateTime<Utc>) -> Result<i64> {
    db.sql("select count(*) from sessions where ended_at is null and refreshed_at >= $1").bind(since).scalar().await
}

pub async fn end(tx: &mut Tx, id: SessionId, at: DateTime<Utc>) -> Result<Vec<EndedSession>> {
    tx.sql("update sessions set ended_at = $2 where id = $1 and ended_at is null returning id, user_id")
        .bind(id)
        .bind(at)
        .all()
        .await
}

pub async fn end_of_user(
    tx: &mut Tx,
    user: UserId,
    keep: Option<SessionId>,
    at: DateTime<Utc>,
) -> Result<Vec<EndedSession>> {
    match keep {
        None => tx
            .sql("update sessions set ended_at = $2 where user_id = $1 and ended_at is null returning id, user_id")
            .bind(user)
            .bind(at),
        Some(keep) => tx
            .sql(
                "update sessions set ended_at = $2 where user_id = $1 and ended_at is null and id <> $3 \
                 returning id, user_id",
            )
            .bind(user)
            .bind(at)
            .bind(keep),
    }
    .all()
    .await
}

pub async fn end_of_company(tx: &mut Tx, company: CompanyId, at: DateTime<Utc>) -> Result<Vec<EndedSession>> {
    tx.sql(
        "update sessions set ended_at = $2 where ended_at is null \
         and user_id in (select id from users where company_id = $1) returning id, user_id",
    )
    .bind(company)
    .bind(at)
    .all()
    .await
}

pub async fn end_of_iso(tx: &mut Tx, iso: IsoId, at: DateTime<Utc>) -> Result<Vec<EndedSession>> {
    tx.sql(
        "update sessions set ended_at = $2 where ended_at is null \
         and user_id in (select id from users where iso_id = $1 and role = 'iso') returning id, user_id",
    )
    .bind(iso)
    .bind(at)
    .all()
    .await
}
