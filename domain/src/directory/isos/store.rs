//! SQL of ISOs, and an ISO's row.
use super::Filter;
use crate::{
    accounts::users::User,
    directory::companies::DependencyCounts,
    kernel::{
        access::Scope,
        db::{Db, Row, Sql, Tx, const_concat, insert},
        error::Result,
        ids::{CompanyId, IsoId, UserId},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, SearchScope},
    },
    outbox::requests,
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

crate::kernel::db::row! {
    /// An ISO with its company's name.
    #[derive(Clone, Debug, PartialEq, Serialize, sqlx::FromRow)]
    pub struct Iso of i {
        pub id: IsoId,
        pub user_id: UserId,
        pub first_name: String,
        pub last_name: String,
        pub email: String,
        pub phone: Option<String>,
        pub company_id: CompanyId,
        pub company_name: String = "k.name",
        pub archived_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

const SELECT_WITH_COMPANY: &str =
    const_concat!("select ", Iso::LIST, " from isos i join companies k on k.id = i.company_id");

/// The company of an ISO that is not archived.
pub async fn company(db: &mut impl Sql, id: IsoId) -> Result<Option<CompanyId>> {
    let row: Option<(CompanyId,)> =
        db.sql("select company_id from isos where id = $1 and archived_at is null").bind(id).optional().await?;
    Ok(row.map(|(company,)| company))
}

/// The account of an ISO.
pub async fn account(tx: &mut Tx, id: IsoId) -> Result<Option<UserId>> {
    let row: Option<(UserId,)> = tx.sql("select user_id from isos where id = $1").bind(id).optional().await?;
    Ok(row.map(|(account,)| account))
}

crate::kernel::db::row! {
    /// The row of a new ISO.
    pub struct InsertIso {
        pub id: IsoId,
        pub user_id: UserId,
        pub first_name: String,
        pub last_name: String,
        pub email: String,
        pub phone: Option<String>,
        pub company_id: CompanyId,
    }
}

pub async fn insert(tx: &mut Tx, iso: &InsertIso, at: DateTime<Utc>, by: &str) -> Result<()> {
    let values = insert!(tx, "isos", iso, { created_at: at, updated_at: at, updated_by: by.to_owned() });
    values.run().await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: IsoId) -> Result<Option<Iso>> {
    db.sql_built(format!("{SELECT_WITH_COMPANY} where i.id = $1")).bind(id).optional().await
}

pub async fn by_email(db: &mut Db, key: &str) -> Result<Option<IsoId>> {
    let row: Option<(IsoId,)> = db
        .sql("select i.id from isos i join users u on u.id = i.user_id where u.email_key = $1")
        .bind(key.to_owned())
        .optional()
        .await?;
    Ok(row.map(|(id,)| id))
}

/// The ISO of this user, unless it is archived.
pub async fn of_person(tx: &mut Tx, user: UserId) -> Result<Option<IsoId>> {
    let row: Option<(IsoId,)> =
        tx.sql("select id from isos where user_id = $1 and archived_at is null").bind(user).optional().await?;
    Ok(row.map(|(id,)| id))
}

/// The ISO of this user, archived or not, and its company.
pub async fn once_of_person(db: &mut impl Sql, user: UserId) -> Result<Option<(IsoId, CompanyId)>> {
    db.sql("select id, company_id from isos where user_id = $1").bind(user).optional().await
}

/// Reads the row and locks it until the transaction ends.
pub async fn lock(tx: &mut Tx, id: IsoId) -> Result<Option<Iso>> {
    tx.sql("update isos set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsoSort {
    /// By first name, then last name.
    FirstName,
    CreatedAt,
}

impl SortKey for IsoSort {
    type Row = Iso;
    const ALL: &'static [Self] = &[Self::FirstName, Self::CreatedAt];
    const DEFAULT: Order<Self> = Order::ascending(Self::FirstName);

    fn name(self) -> &'static str {
        match self {
            Self::FirstName => "first_name",
            Self::CreatedAt => "created_at",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("i.id");
        match self {
            Self::FirstName => const { &[SortColumn::text("i.first_name"), SortColumn::text("i.last_name"), ID] },
            Self::CreatedAt => const { &[SortColumn::instant("i.created_at"), ID] },
        }
    }

    fn values(self, row: &Iso) -> Value {
        match self {
            Self::FirstName => values((&row.first_name, &row.last_name, row.id)),
            Self::CreatedAt => values((row.created_at, row.id)),
        }
    }
}

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    all.and(if filter.archived { "i.archived_at is not null" } else { "i.archived_at is null" });
    all.and_scope(scope, Some("i.company_id"), Some("i.id"), None);
    all.and_id("i.company_id", filter.company_id.map(|id| id.0));
    all.and_among("i.id", filter.ids.as_deref());
    let within = SearchScope::from(scope).company(filter.company_id);
    all.and_search(&search::condition(db, "iso", within, filter.q.as_deref()).await?, "i.id");
    Ok(all)
}

/// A page of the list. Each order has an index.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Iso>> {
    let all = conditions(db, scope, filter).await?;
    keyset.rows(db, SELECT_WITH_COMPANY, &all).await
}

/// The number of ISOs of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, "isos i", None).await
}

pub async fn set_archived(
    tx: &mut Tx,
    id: IsoId,
    archived_at: Option<DateTime<Utc>>,
    at: DateTime<Utc>,
    by: &str,
) -> Result<()> {
    tx.sql("update isos set archived_at = $2, updated_at = $3, updated_by = $4, version = version + 1 where id = $1")
        .bind(id)
        .bind(archived_at)
        .bind(at)
        .bind(by.to_owned())
        .run()
        .await?;
    Ok(())
}

/// The dependent rows of an ISO. Leads count as clients.
pub async fn depends(db: &mut impl Sql, id: IsoId) -> Result<DependencyCounts> {
    db.sql(
        "select (select count(*) from users where iso_id = $1 and role = 'client') \
         + (select count(*) from leads l where l.iso_id = $1 and not exists (select 1 from users u \
           where u.id = l.client_id and u.iso_id = $1 and u.role = 'client')) as clients, \
         cast(0 as bigint) as isos, (select count(*) from spvs where iso_id = $1) as spvs, cast(0 as bigint) as users",
    )
    .bind(id)
    .one()
    .await
}

/// Deletes the row of a partner without orders.
///
/// # Errors
/// A foreign key violation if other rows refer to it.
pub async fn remove(tx: &mut Tx, id: IsoId) -> Result<()> {
    // Rollups without orders are zero.
    tx.sql("delete from expected_commissions where iso_id = $1").bind(id).run().await?;
    tx.sql("delete from iso_accounts where iso_id = $1").bind(id).run().await?;
    tx.sql("delete from isos where id = $1").bind(id).run().await?;
    Ok(())
}

/// Deletes the row and archives its account, to which the log may refer, freeing its address. An account with another
/// role by now stays. Returns whether an account was archived.
pub async fn delete(tx: &mut Tx, id: IsoId, user: UserId, at: DateTime<Utc>, by: &str) -> Result<bool> {
    requests::delete_of_iso(tx, id).await?;
    for table in ["calls", "iso_notes"] {
        tx.sql_built(format!("delete from {table} where iso_id = $1")).bind(id).run().await?;
    }
    remove(tx, id).await?;
    let counted = tx
        .sql(
            "update users set status = 'archived', iso_id = null, email_key = $4, updated_at = $2, updated_by = $3, \
         version = version + 1 where id = $1 and status <> 'archived' and role = 'iso' and iso_id = $5",
        )
        .bind(user)
        .bind(at)
        .bind(by.to_owned())
        .bind(format!("deleted:{user}"))
        .bind(id)
        .run()
        .await?;
    Ok(counted == 1)
}

/// Saves the fields that a correction may change.
pub async fn save(tx: &mut Tx, iso: &Iso, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "update isos set first_name = $2, last_name = $3, phone = $4, company_id = $5, updated_at = $6, updated_by = $7, \
         version = version + 1 where id = $1",
    )
    .bind(iso.id)
    .bind(iso.first_name.clone())
    .bind(iso.last_name.clone())
    .bind(iso.phone.clone())
    .bind(iso.company_id)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

/// Copies name, address and phone number of an ISO's user to its row; where one differs, a correction of the former row is
/// stale.
pub async fn save_person(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql(
        "update isos set first_name = $2, last_name = $3, phone = $4, email = $5, updated_at = $6, updated_by = $7, \
         version = version + 1 where user_id = $1 \
         and (first_name <> $2 or last_name <> $3 or coalesce(phone, '') <> coalesce($4, '') or email <> $5)",
    )
    .bind(user.id)
    .bind(user.first_name.clone())
    .bind(user.last_name.clone())
    .bind(user.phone.clone())
    .bind(user.email.clone())
    .bind(user.updated_at)
    .bind(user.updated_by.clone())
    .run()
    .await?;
    Ok(())
}
