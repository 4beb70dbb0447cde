//! SQL of companies.
use super::model::{Company, Depends};
use crate::{
    access::Scope,
    db::{Db, Sql, Tx},
    error::Result,
    ids::CompanyId,
};

pub async fn insert(tx: &mut Tx, company: &Company) -> Result<()> {
    tx.sql(
        "insert into companies (id, name, business_name, email, phone, logo_url, domain, created_at, updated_at, updated_by) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)",
    )
    .bind(company.id)
    .bind(company.name.clone())
    .bind(company.business_name.clone())
    .bind(company.email.clone())
    .bind(company.phone.clone())
    .bind(company.logo_url.clone())
    .bind(company.domain.clone())
    .bind(company.created_at)
    .bind(company.updated_by.clone())
    .run()
    .await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, company: &Company) -> Result<()> {
    tx.sql(
        "update companies set name = $2, business_name = $3, email = $4, phone = $5, logo_url = $6, domain = $7, \
         archived_at = $8, updated_at = $9, updated_by = $10, version = $11 where id = $1",
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
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: CompanyId) -> Result<Option<Company>> {
    db.sql("select * from companies where id = $1").bind(id).optional().await
}

/// The row, kept from others until the transaction ends.
pub async fn lock(tx: &mut Tx, id: CompanyId) -> Result<Option<Company>> {
    tx.sql("update companies set version = version where id = $1 returning *").bind(id).optional().await
}

/// Companies within a scope: staff all, others the one that is theirs.
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
    let mut query = db.sql_built(format!("select * from companies where {condition} and name = ${n} limit 2"));
    if let Some(id) = whose {
        query = query.bind(id);
    }
    query.bind(name.to_owned()).all().await
}

pub fn list_sql(
    scope: Scope,
    q: Option<&str>,
    archived: bool,
    after: bool,
    limit: usize,
) -> (String, Option<uuid::Uuid>, Vec<String>) {
    let (condition, whose) = within(scope);
    let shown = if archived { "archived_at is not null" } else { "archived_at is null" };
    let first = 1 + usize::from(whose.is_some());
    let (search, words) = crate::search::matching("company", "id", q.unwrap_or(""), first);
    let mut sql = format!("select * from companies where {condition} and {shown}{search}");
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
    let (sql, whose, words) = list_sql(scope, q, archived, after.is_some(), limit);
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

pub async fn depends(db: &mut impl Sql, id: CompanyId) -> Result<Depends> {
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
    tx.sql("delete from companies where id = $1").bind(id).run().await?;
    Ok(())
}
