//! SQL of companies.
use super::{
    members::{Member, MemberFilter},
    model::{Company, DependencyCounts},
    portfolio::Progress,
};
use crate::kernel::{
    access::Scope,
    db::{ColumnKind, ColumnSpec, Db, Dialect, Row, Sql, Tx, in_id_list, insert, select_rows},
    error::{Error, Result},
    ids::{CompanyId, UserId},
    logo::Logo,
    search::{self, SearchCondition, SearchScope},
    text::unique_key,
};
use chrono::{DateTime, Utc};
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
    created_at \
    from users where role = 'company_admin' and company_id";

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
    db.sql_built(format!("{MEMBER} is not null and id = $1")).bind(id).optional().await
}

pub async fn members(
    db: &mut Db,
    company: CompanyId,
    filter: &MemberFilter,
    before: Option<(DateTime<Utc>, UserId)>,
    limit: usize,
) -> Result<Vec<Member>> {
    let shown = if filter.removed { "status = 'archived'" } else { "status <> 'archived'" };
    let within = SearchScope::default().company(Some(company));
    let narrow = search::condition(db, "user", within, filter.q.as_deref()).await?;
    let (search, words) = narrow.sql(db.dialect(), "id", 2);
    let mut sql = format!("{MEMBER} = $1 and {shown}{search}");
    if before.is_some() {
        let n = 2 + words.len();
        sql.push_str(&format!(" and (created_at, id) < (${n}, ${})", n + 1));
    }
    sql.push_str(&format!(" order by created_at desc, id desc limit {limit}"));
    let mut query = db.sql_built(sql).bind(company);
    for word in words {
        query = query.bind(word);
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
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
        db.sql_built(format!("select {COLUMNS} from companies where {condition} and name_key = ${n} limit 2"));
    if let Some(id) = whose {
        query = query.bind(id);
    }
    query.bind(unique_key(name)).all().await
}

fn list_sql(
    dialect: Dialect,
    scope: Scope,
    narrow: &SearchCondition,
    archived: bool,
    after: bool,
    limit: usize,
) -> (String, Option<uuid::Uuid>, Vec<String>) {
    let (condition, whose) = within(scope);
    let shown = if archived { "archived_at is not null" } else { "archived_at is null" };
    let first = 1 + usize::from(whose.is_some());
    let (search, words) = narrow.sql(dialect, "id", first);
    let mut sql = format!("select {COLUMNS} from companies where {condition} and {shown}{search}");
    if after {
        let n = first + words.len();
        sql.push_str(&format!(" and (name, id) > (${n}, ${})", n + 1));
    }
    sql.push_str(&format!(" order by name, id limit {limit}"));
    (sql, whose, words)
}

pub async fn list(
    db: &mut Db,
    scope: Scope,
    q: Option<&str>,
    archived: bool,
    after: Option<(String, CompanyId)>,
    limit: usize,
) -> Result<Vec<Company>> {
    let within = SearchScope::default().few(!matches!(scope, Scope::All));
    let narrow = search::condition(db, "company", within, q).await?;
    page(db, scope, &narrow, archived, after, limit).await
}

/// Those of `ids` within the scope that are not archived.
pub async fn among(db: &mut Db, scope: Scope, ids: Vec<Uuid>, limit: usize) -> Result<Vec<Company>> {
    page(db, scope, &SearchCondition::Ids(ids), false, None, limit).await
}

async fn page(
    db: &mut Db,
    scope: Scope,
    narrow: &SearchCondition,
    archived: bool,
    after: Option<(String, CompanyId)>,
    limit: usize,
) -> Result<Vec<Company>> {
    let (sql, whose, words) = list_sql(db.dialect(), scope, narrow, archived, after.is_some(), limit);
    let mut query = db.sql_built(sql);
    if let Some(id) = whose {
        query = query.bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    if let Some((name, id)) = after {
        query = query.bind(name).bind(id);
    }
    query.all().await
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
    tx.sql("delete from companies where id = $1").bind(id).run().await?;
    Ok(())
}
