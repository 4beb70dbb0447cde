//! SQL of companies.
use super::{
    members::{Member, MemberFilter, MemberSort},
    model::{Company, DependencyCounts},
    portfolio::Progress,
};
use crate::kernel::{
    access::Scope,
    db::{ColumnKind, ColumnSpec, Db, Row, Sql, Tx, in_id_list, insert, select_rows},
    error::{Error, Result},
    ids::{CompanyId, UserId},
    logo::Logo,
    page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
    search::{self, SearchCondition, SearchScope},
    text::unique_key,
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::collections::HashMap;
use uuid::Uuid;

const COLUMNS: &str = Company::LIST;

pub async fn insert(tx: &mut Tx, company: &Company) -> Result<()> {
    let values = insert!(tx, "companies", company, { name_key: unique_key(&company.name) });
    values.run().await.map_err(map_duplicate)?;
    Ok(())
}

/// Turns a unique violation of the name, which is unique among companies that are not archived, into a field error.
fn map_duplicate(error: Error) -> Error {
    if error.is_unique_violation() { Error::field("name", "duplicate") } else { error }
}

pub async fn save(tx: &mut Tx, company: &Company) -> Result<()> {
    tx.sql(
        "update companies set name = $2, business_name = $3, email = $4, phone = $5, logo_url = $6, domain = $7, \
         archived_at = $8, updated_at = $9, updated_by = $10, version = $11, name_key = $12 where id = $1",
    )
    .bind(company.id)
    .bind(company.name.clone())
    .bind(company.business_name.clone())
    .bind(company.email.clone())
    .bind(company.phone.clone())
    .bind(company.logo_url.clone())
    .bind(company.domain.clone())
    .bind(company.archived_at)
    .bind(company.updated_at)
    .bind(company.updated_by.clone())
    .bind(company.version)
    .bind(unique_key(&company.name))
    .run()
    .await
    .map_err(map_duplicate)?;
    Ok(())
}

/// Saves the fields that only the company's settings change.
pub async fn save_settings(tx: &mut Tx, company: &Company) -> Result<()> {
    tx.sql(
        "update companies set tax_id = $2, country = $3, industry = $4, size = $5, website = $6, address = $7, \
         time_zone = $8, language = $9, currency = $10, logo_id = $11 where id = $1",
    )
    .bind(company.id)
    .bind(company.tax_id.clone())
    .bind(company.country.clone())
    .bind(company.industry)
    .bind(company.size)
    .bind(company.website.clone())
    .bind(company.address.clone())
    .bind(company.time_zone.clone())
    .bind(company.language.clone())
    .bind(company.currency)
    .bind(company.logo_id)
    .run()
    .await?;
    Ok(())
}

pub async fn insert_logo(
    tx: &mut Tx,
    id: Uuid,
    company: CompanyId,
    media_type: &str,
    bytes: Vec<u8>,
    at: DateTime<Utc>,
) -> Result<()> {
    insert!(tx, "company_logos", {
        id,
        company_id: company,
        media_type: media_type.to_owned(),
        bytes,
        created_at: at,
    })
    .run()
    .await?;
    Ok(())
}

pub async fn delete_logo(tx: &mut Tx, company: CompanyId) -> Result<()> {
    tx.sql("delete from company_logos where company_id = $1").bind(company).run().await?;
    Ok(())
}

pub async fn logo(db: &mut impl Sql, id: Uuid) -> Result<Option<Logo>> {
    db.sql("select media_type, bytes from company_logos where id = $1").bind(id).optional().await
}

const MEMBER: &str = "select id, company_id, first_name, last_name, email, phone, status, removed_by_company, last_sign_in_at, \
    created_at from users";

/// The number of the company's admins that are not archived.
pub async fn open_admins(tx: &mut Tx, company: CompanyId) -> Result<i64> {
    tx.sql("select count(*) from users where company_id = $1 and role = 'company_admin' and status <> 'archived'")
        .bind(company)
        .scalar()
        .await
}

pub async fn removed_by_company(tx: &mut Tx, id: UserId) -> Result<bool> {
    tx.sql("select removed_by_company from users where id = $1").bind(id).scalar().await
}

pub async fn mark_removed(tx: &mut Tx, id: UserId, removed: bool) -> Result<()> {
    tx.sql("update users set removed_by_company = $2 where id = $1").bind(id).bind(removed).run().await?;
    Ok(())
}

pub async fn member(db: &mut impl Sql, id: UserId) -> Result<Option<Member>> {
    db.sql_built(format!("{MEMBER} where role = 'company_admin' and company_id is not null and id = $1"))
        .bind(id)
        .optional()
        .await
}

impl SortKey for MemberSort {
    type Row = Member;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::FirstName, Self::LastSignIn];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::FirstName => "first_name",
            Self::LastSignIn => "last_sign_in_at",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("created_at"), ID] },
            Self::FirstName => const { &[SortColumn::text("first_name"), SortColumn::text("last_name"), ID] },
            Self::LastSignIn => const { &[SortColumn::instant("last_sign_in_at").nulls_lowest(), ID] },
        }
    }

    fn values(self, row: &Member) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::FirstName => values((&row.first_name, &row.last_name, row.id)),
            Self::LastSignIn => values((row.last_sign_in_at, row.id)),
        }
    }
}

async fn member_conditions(db: &mut Db, company: CompanyId, filter: &MemberFilter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    all.and_id("company_id", Some(company.0));
    all.and("role = 'company_admin'");
    all.and(if filter.removed { "status = 'archived'" } else { "status <> 'archived'" });
    let within = SearchScope::default().company(Some(company));
    all.and_search(&search::condition(db, "user", within, filter.q.as_deref()).await?, "id");
    Ok(all)
}

/// A page of a company's members, of whom there are few.
pub async fn members(db: &mut Db, company: CompanyId, filter: &MemberFilter, keyset: &Keyset) -> Result<Vec<Member>> {
    let all = member_conditions(db, company, filter).await?;
    keyset.rows(db, MEMBER, &all).await
}

pub async fn total_members(db: &mut Db, company: CompanyId, filter: &MemberFilter) -> Result<Total> {
    member_conditions(db, company, filter).await?.total(db, "users", None).await
}

/// The number of other active admins of the company.
pub async fn other_admins(tx: &mut Tx, company: CompanyId, but: UserId) -> Result<i64> {
    tx.sql(
        "select count(*) from users where company_id = $1 and role = 'company_admin' and status = 'active' and id <> $2",
    )
    .bind(company)
    .bind(but)
    .scalar()
    .await
}

const PROGRESS: &[ColumnSpec] = &[
    ("client_id", "t.client_id", ColumnKind::Uuid),
    ("spvs", "t.spvs", ColumnKind::Plain),
    ("closed", "t.closed", ColumnKind::Plain),
    ("steps_total", "t.steps_total", ColumnKind::Plain),
    ("steps_completed", "t.steps_completed", ColumnKind::Plain),
];

/// The progress of a company's or a partner's orders, by client, for clients with orders; one query for a whole page.
pub async fn progress(db: &mut Db, scope: Scope, clients: &[UserId]) -> Result<HashMap<UserId, Progress>> {
    let (column, whose) = match scope {
        Scope::Company(id) => ("company_id", id.0),
        Scope::Iso(id) => ("iso_id", id.0),
        Scope::All | Scope::Client(_) | Scope::Nothing => return Ok(HashMap::new()),
    };
    let dialect = db.dialect();
    let sql = format!(
        "select client_id, count(*) filter (where status <> 'cancelled') as spvs, \
         count(*) filter (where status = 'closed') as closed, \
         cast(coalesce(sum(steps_total) filter (where status <> 'cancelled'), 0) as bigint) as steps_total, \
         cast(coalesce(sum(steps_completed) filter (where status <> 'cancelled'), 0) as bigint) as steps_completed \
         from spvs where client_id {} and {column} = $2 group by client_id",
        in_id_list(dialect)
    );
    let ids = serde_json::to_string(clients).map_err(Error::internal)?;
    let rows: Vec<(UserId, i64, i64, i64, i64)> =
        db.sql_built(select_rows(dialect, PROGRESS, &sql)).bind(ids).bind(whose).list().await?;
    Ok(rows
        .into_iter()
        .map(|(client, spvs, closed, steps_total, steps_completed)| {
            (client, Progress { spvs, closed, steps_total, steps_completed })
        })
        .collect())
}

pub async fn get(db: &mut impl Sql, id: CompanyId) -> Result<Option<Company>> {
    db.sql_built(format!("select {COLUMNS} from companies where id = $1")).bind(id).optional().await
}

/// Whether this company exists and is not archived.
pub async fn is_open(db: &mut impl Sql, id: CompanyId) -> Result<bool> {
    db.sql("select exists (select 1 from companies where id = $1 and archived_at is null)").bind(id).scalar().await
}

/// Reads the row and locks it until the transaction ends.
pub async fn lock(tx: &mut Tx, id: CompanyId) -> Result<Option<Company>> {
    let sql = format!("update companies set version = version where id = $1 returning {COLUMNS}");
    tx.sql_built(sql).bind(id).optional().await
}

/// The condition of a scope: the staff see all companies, others their own.
fn within(scope: Scope) -> (&'static str, Option<uuid::Uuid>) {
    match scope {
        Scope::All => ("1 = 1", None),
        Scope::Company(id) => ("id = $1", Some(id.0)),
        Scope::Iso(id) => ("id in (select company_id from isos where id = $1)", Some(id.0)),
        Scope::Client(id) => ("id in (select company_id from users where id = $1)", Some(id.0)),
        Scope::Nothing => ("1 = 0", None),
    }
}

pub async fn named(db: &mut Db, scope: Scope, name: &str) -> Result<Vec<Company>> {
    let (condition, whose) = within(scope);
    let n = 1 + usize::from(whose.is_some());
    let mut query =
        db.sql_built(format!("select {COLUMNS} from companies where {condition} and name_key = ${n} limit 10"));
    if let Some(id) = whose {
        query = query.bind(id);
    }
    query.bind(unique_key(name)).all().await
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    /// Archived companies instead of open ones.
    pub archived: bool,
    pub order: Order<CompanySort>,
    /// Only these ids, of a search or a selection.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompanySort {
    Name,
    CreatedAt,
}

impl SortKey for CompanySort {
    type Row = Company;
    const ALL: &'static [Self] = &[Self::Name, Self::CreatedAt];
    const DEFAULT: Order<Self> = Order::ascending(Self::Name);

    fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::CreatedAt => "created_at",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("id");
        match self {
            Self::Name => const { &[SortColumn::text("name"), ID] },
            Self::CreatedAt => const { &[SortColumn::instant("created_at"), ID] },
        }
    }

    fn values(self, row: &Company) -> Value {
        match self {
            Self::Name => values((&row.name, row.id)),
            Self::CreatedAt => values((row.created_at, row.id)),
        }
    }
}

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    match (scope, within(scope)) {
        (Scope::All, _) => {}
        (_, (condition, None)) => all.and(condition),
        (_, (condition, Some(id))) => all.and_value(&condition.replace("$1", "$"), id),
    }
    all.and(if filter.archived { "archived_at is not null" } else { "archived_at is null" });
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => {
            let within = SearchScope::default().few(!matches!(scope, Scope::All));
            search::condition(db, "company", within, filter.q.as_deref()).await?
        }
    };
    all.and_search(&narrow, "id");
    Ok(all)
}

/// A page of the list. Each order has an index.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Company>> {
    let all = conditions(db, scope, filter).await?;
    keyset.rows(db, &format!("select {COLUMNS} from companies"), &all).await
}

/// The number of companies of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, "companies", None).await
}

pub async fn depends(db: &mut impl Sql, id: CompanyId) -> Result<DependencyCounts> {
    db.sql(
        "select (select count(*) from users where company_id = $1 and role = 'client') as clients, \
         (select count(*) from isos where company_id = $1) as isos, \
         (select count(*) from spvs where company_id = $1) as spvs, \
         (select count(*) from users where company_id = $1 and role not in ('client', 'iso')) as users",
    )
    .bind(id)
    .one()
    .await
}

pub async fn delete(tx: &mut Tx, id: CompanyId) -> Result<()> {
    delete_logo(tx, id).await?;
    // Rollups without orders are zero.
    for table in ["company_figures", "company_clients", "company_client_counts", "expected_commissions"] {
        tx.sql_built(format!("delete from {table} where company_id = $1")).bind(id).run().await?;
    }
    tx.sql("delete from companies where id = $1").bind(id).run().await?;
    Ok(())
}
