//! SQL of accounts.
use super::{
    directory::{Counted, Order, Row, Wanted},
    model::{Status, User},
    profile::Profile,
};
use crate::{
    accounts::auth::passwords::PasswordHash,
    kernel::{
        access::{Role, shut_out_sql},
        db::{Dialect, Json, Sql, Tx, for_update},
        error::Result,
        ids::{CompanyId, IsoId, UserId},
        search::{self, SearchCondition},
    },
};
use chrono::{DateTime, Duration, Utc};

/// The columns of a [`User`].
pub(crate) const ROW_COLUMNS: &str = "id, email, email_key, role, status, status_before, first_name, last_name, phone, address, \
     company_id, iso_id, password_hash, must_change_password, language, time_zone, last_sign_in_at, \
     created_at, updated_at, updated_by, version, metadata, app_metadata, new_email, new_email_key, \
     new_email_confirmed, banned_until, awaits_confirmation, self_made, theme, date_format, \
     confirmation_sent_at, recovery_sent_at, email_change_sent_at, reauthentication_sent_at, invited_at";

/// Somebody who was noted so lately is not noted again.
const HERE: Duration = Duration::minutes(5);

/// Accounts that a search counts: a word that tens of thousands have says nothing more of its number.
const MAX_COUNTED: usize = 10_000;

/// Time zones in which clients live.
pub async fn client_zones(db: &mut impl Sql) -> Result<Vec<String>> {
    let rows: Vec<(String,)> =
        db.sql("select distinct time_zone from users where role = 'client' order by time_zone").all().await?;
    Ok(rows.into_iter().map(|(zone,)| zone).collect())
}

pub async fn insert(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql(
        "insert into users (id, email, email_key, role, status, first_name, last_name, phone, address, company_id, iso_id, \
         password_hash, must_change_password, language, time_zone, created_at, updated_at, updated_by, metadata, \
         awaits_confirmation, app_metadata, self_made) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)",
    )
    .bind(user.id)
    .bind(user.email.clone())
    .bind(user.email_key.clone())
    .bind(user.role)
    .bind(user.status)
    .bind(user.first_name.clone())
    .bind(user.last_name.clone())
    .bind(user.phone.clone())
    .bind(user.address.clone())
    .bind(user.company_id)
    .bind(user.iso_id)
    .bind(user.password_hash.clone())
    .bind(user.must_change_password)
    .bind(user.language.clone())
    .bind(user.time_zone.clone())
    .bind(user.created_at)
    .bind(user.updated_at)
    .bind(user.updated_by.clone())
    .bind(Json(user.metadata.clone()))
    .bind(user.awaits_confirmation)
    .bind(Json(user.app_metadata.clone()))
    .bind(user.self_made)
    .run()
    .await?;
    Ok(())
}

/// From now on mails are written in the person's own language, whatever the company's is.
pub async fn language_chosen(tx: &mut Tx, id: UserId) -> Result<()> {
    tx.sql("update users set language_chosen = $2 where id = $1").bind(id).bind(true).run().await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: UserId) -> Result<Option<User>> {
    db.sql_built(format!("select {ROW_COLUMNS} from users where id = $1")).bind(id).optional().await
}

pub async fn by_email(db: &mut impl Sql, key: &str) -> Result<Option<User>> {
    // PostgreSQL has no such character, and no address has it either.
    if key.contains('\0') {
        return Ok(None);
    }
    db.sql_built(format!("select {ROW_COLUMNS} from users where email_key = $1")).bind(key.to_owned()).optional().await
}

/// Who waits for a confirmation of this new address; a few, should several want the same one.
pub async fn waiting_for(db: &mut impl Sql, key: &str) -> Result<Vec<UserId>> {
    if key.contains('\0') {
        return Ok(Vec::new());
    }
    let rows: Vec<(UserId,)> =
        db.sql("select id from users where new_email_key = $1 order by id limit 5").bind(key.to_owned()).all().await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The row, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: UserId) -> Result<Option<User>> {
    let sql = format!("select {ROW_COLUMNS} from users where id = $1{}", for_update(tx.dialect(), "users"));
    tx.sql_built(sql).bind(id).optional().await
}

/// The super admins who can sign in, locked: of two who demote each other at once, one comes second. Taken
/// before any other row, so that those two never wait for each other crosswise.
pub async fn lock_super_admins(tx: &mut Tx, now: DateTime<Utc>) -> Result<Vec<UserId>> {
    let sql = format!(
        "select id from users where role = 'super_admin' and status = 'active' \
         and (banned_until is null or banned_until <= $1) order by id{}",
        for_update(tx.dialect(), "users")
    );
    let rows: Vec<(UserId,)> = tx.sql_built(sql).bind(now).all().await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Whether the user belongs to a company, or is the person of an ISO, that is archived (decision 26). A client
/// of an archived ISO is still the office's client.
pub async fn is_shut_out(db: &mut impl Sql, user: &User) -> Result<bool> {
    if user.company_id.is_none() && user.iso_id.is_none() {
        return Ok(false);
    }
    db.sql_built(format!("select {}", shut_out_sql("$1", "$2", "$3")))
        .bind(user.company_id)
        .bind(user.iso_id)
        .bind(user.role)
        .scalar()
        .await
}

/// Whether anything was ordered by, or billed to, this client.
pub async fn has_orders(tx: &mut Tx, id: UserId) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from spvs where client_id = $1) \
         or exists (select 1 from invoices where client_id = $1)",
    )
    .bind(id)
    .scalar()
    .await
}

#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub role: Option<Role>,
    pub status: Option<Status>,
    pub q: Option<String>,
}

pub async fn list(
    db: &mut impl Sql,
    filter: &Filter,
    before: Option<(DateTime<Utc>, UserId)>,
    limit: usize,
) -> Result<Vec<User>> {
    let mut sql = format!("select {ROW_COLUMNS} from users where 1 = 1");
    let mut n = 0;
    let mut next = || {
        n += 1;
        n
    };
    if filter.role.is_some() {
        sql.push_str(&format!(" and role = ${}", next()));
    }
    if filter.status.is_some() {
        sql.push_str(&format!(" and status = ${}", next()));
    }
    if before.is_some() {
        sql.push_str(&format!(" and (created_at, id) < (${}, ${})", next(), next()));
    }
    let (found, words) =
        search::accounts_condition(db, filter.role, filter.q.as_deref()).await?.sql(db.dialect(), "id", n + 1);
    sql.push_str(&found);
    sql.push_str(&format!(" order by created_at desc, id desc limit {limit}"));
    let mut query = db.sql_built(sql);
    if let Some(role) = filter.role {
        query = query.bind(role);
    }
    if let Some(status) = filter.status {
        query = query.bind(status);
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    query.all().await
}

/// Writes what a person in charge may change, and counts the version up.
pub async fn save(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql(
        "update users set email = $2, email_key = $3, role = $4, status = $5, first_name = $6, last_name = $7, phone = $8, \
         address = $9, company_id = $10, iso_id = $11, language = $12, time_zone = $13, updated_at = $14, updated_by = $15, \
         version = $16, status_before = $17 where id = $1",
    )
    .bind(user.id)
    .bind(user.email.clone())
    .bind(user.email_key.clone())
    .bind(user.role)
    .bind(user.status)
    .bind(user.first_name.clone())
    .bind(user.last_name.clone())
    .bind(user.phone.clone())
    .bind(user.address.clone())
    .bind(user.company_id)
    .bind(user.iso_id)
    .bind(user.language.clone())
    .bind(user.time_zone.clone())
    .bind(user.updated_at)
    .bind(user.updated_by.clone())
    .bind(user.version)
    .bind(user.status_before)
    .run()
    .await?;
    Ok(())
}

/// The password's own columns: [`save`] leaves them alone, so that an edit never brings an old password back.
pub async fn save_password(tx: &mut Tx, id: UserId, hash: &PasswordHash, must_change: bool) -> Result<()> {
    tx.sql("update users set password_hash = $2, must_change_password = $3 where id = $1")
        .bind(id)
        .bind(hash.clone())
        .bind(must_change)
        .run()
        .await?;
    Ok(())
}

/// What somebody says of themselves and what is noted about them; no change that an open form of staff needs to know of.
pub async fn save_metadata(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set metadata = $2, app_metadata = $3 where id = $1")
        .bind(user.id)
        .bind(Json(user.metadata.clone()))
        .bind(Json(user.app_metadata.clone()))
        .run()
        .await?;
    Ok(())
}

/// The address that waits, and which confirmation has come.
pub async fn save_new_email(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set new_email = $2, new_email_key = $3, new_email_confirmed = $4 where id = $1")
        .bind(user.id)
        .bind(user.new_email.clone())
        .bind(user.new_email_key.clone())
        .bind(user.new_email_confirmed.clone())
        .run()
        .await?;
    Ok(())
}

/// What keeps an account of the protocol out: a ban, or an address that is still to be confirmed.
pub async fn save_bars(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set banned_until = $2, awaits_confirmation = $3 where id = $1")
        .bind(user.id)
        .bind(user.banned_until)
        .bind(user.awaits_confirmation)
        .run()
        .await?;
    Ok(())
}

/// Accounts that are not archived, newest first unless the oldest are wanted first, by page; with what a search finds.
pub async fn page(
    db: &mut impl Sql,
    q: Option<&str>,
    oldest_first: bool,
    offset: i64,
    limit: i64,
) -> Result<Vec<User>> {
    let (found, words) = search::accounts_condition(db, None, q).await?.sql(db.dialect(), "id", 1);
    let way = if oldest_first { "asc" } else { "desc" };
    let sql = format!(
        "select {ROW_COLUMNS} from users where status <> 'archived'{found} order by created_at {way}, id {way} \
         limit {limit} offset {offset}"
    );
    let mut query = db.sql_built(sql);
    for word in words {
        query = query.bind(word);
    }
    query.all().await
}

/// How many a search finds that are not archived.
pub async fn count_found(db: &mut impl Sql, q: &str) -> Result<i64> {
    let (found, words) = search::accounts_condition(db, None, Some(q)).await?.sql(db.dialect(), "id", 1);
    let mut query = db.sql_built(format!("select count(*) from users where status <> 'archived'{found}"));
    for word in words {
        query = query.bind(word);
    }
    query.scalar().await
}

/// Leaves the account without a password: whoever is to have one sets it.
pub async fn drop_password(tx: &mut Tx, id: UserId) -> Result<()> {
    tx.sql("update users set password_hash = null, must_change_password = false where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn profile(db: &mut impl Sql, id: UserId) -> Result<Profile> {
    db.sql(
        "select first_name, last_name, email, phone, company, job_title, dob, street_address, city, state, zip_code, \
         country, version from users where id = $1",
    )
    .bind(id)
    .one()
    .await
}

/// What only the profile has; names and telephone are the account's.
pub async fn save_profile(tx: &mut Tx, id: UserId, profile: &Profile) -> Result<()> {
    tx.sql(
        "update users set company = $2, job_title = $3, dob = $4, street_address = $5, city = $6, state = $7, \
         zip_code = $8, country = $9 where id = $1",
    )
    .bind(id)
    .bind(profile.company.clone())
    .bind(profile.job_title.clone())
    .bind(profile.dob)
    .bind(profile.street_address.clone())
    .bind(profile.city.clone())
    .bind(profile.state.clone())
    .bind(profile.zip_code.clone())
    .bind(profile.country.clone())
    .run()
    .await?;
    Ok(())
}

/// What people choose for themselves; no change that an open form of staff needs to know of.
pub async fn save_preferences(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set language = $2, time_zone = $3, theme = $4, date_format = $5 where id = $1")
        .bind(user.id)
        .bind(user.language.clone())
        .bind(user.time_zone.clone())
        .bind(user.theme)
        .bind(user.date_format)
        .run()
        .await?;
    Ok(())
}

/// The names of a company and of an ISO's person.
pub async fn names(
    db: &mut impl Sql,
    company: Option<CompanyId>,
    iso: Option<IsoId>,
) -> Result<(Option<String>, Option<String>)> {
    db.sql(
        "select (select name from companies where id = $1), \
         (select first_name || ' ' || last_name from isos where id = $2)",
    )
    .bind(company)
    .bind(iso)
    .one()
    .await
}

/// Notes a sign-in; no change that an open form needs to know of. `last_active_at` is kept for a few minutes, as in
/// [`seen`]: lists are sorted by it, so it is in indexes.
pub async fn signed_in(tx: &mut Tx, id: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update users set last_sign_in_at = $2, \
         last_active_at = case when last_active_at >= $3 then last_active_at else $2 end where id = $1",
    )
    .bind(id)
    .bind(at)
    .bind(at - HERE)
    .run()
    .await?;
    Ok(())
}

/// The columns of [`Row`].
const LISTED: &str = "select u.id, u.first_name, u.last_name, u.email, u.phone, u.role, u.status, u.company_id, \
     f.name as company_name, u.iso_id, i.first_name || ' ' || i.last_name as iso_name, u.last_active_at, \
     u.last_sign_in_at, u.created_at, u.updated_at, u.updated_by, u.version from users u \
     left join companies f on f.id = u.company_id left join isos i on i.id = u.iso_id";

/// The conditions of the users page, and the words of its search, which are bound last. `of_all` is the condition of
/// those that are not archived.
fn narrowed(dialect: Dialect, wanted: &Wanted, narrow: &SearchCondition, of_all: &str) -> (String, Vec<String>) {
    let mut sql = String::new();
    let mut n = 0;
    let mut next = || {
        n += 1;
        n
    };
    match wanted.status {
        Some(_) => sql.push_str(&format!("u.status = ${}", next())),
        None => sql.push_str(of_all),
    }
    if wanted.role.is_some() {
        sql.push_str(&format!(" and u.role = ${}", next()));
    }
    if wanted.company_id.is_some() {
        sql.push_str(&format!(" and u.company_id = ${}", next()));
    }
    let (found, words) = narrow.sql(dialect, "u.id", n + 1);
    sql.push_str(&found);
    (sql, words)
}

fn bound<'c>(
    mut query: crate::kernel::db::Query<'c>,
    wanted: &Wanted,
    words: Vec<String>,
) -> crate::kernel::db::Query<'c> {
    if let Some(status) = wanted.status {
        query = query.bind(status);
    }
    if let Some(role) = wanted.role {
        query = query.bind(role);
    }
    if let Some(company) = wanted.company_id {
        query = query.bind(company);
    }
    words.into_iter().fold(query, crate::kernel::db::Query::bind)
}

pub async fn listing(db: &mut impl Sql, wanted: &Wanted, offset: i64, limit: usize) -> Result<Vec<Row>> {
    let order = match wanted.order {
        Order::Newest => "u.created_at desc, u.id desc",
        Order::Name => "u.first_name, u.last_name, u.id",
        Order::LastActive => "u.last_active_at desc nulls last, u.id desc",
    };
    // No index is for what a status is not, so that the one of the order is read.
    let found = search::accounts_condition(db, wanted.role, wanted.q.as_deref()).await?;
    let (narrowed, words) = narrowed(db.dialect(), wanted, &found, "u.status <> 'archived'");
    let sql = format!("{LISTED} where {narrowed} order by {order} limit {limit} offset {offset}");
    bound(db.sql_built(sql), wanted, words).all().await
}

/// How many there are, of what a search finds up to [`MAX_COUNTED`].
pub async fn listed(db: &mut impl Sql, wanted: &Wanted) -> Result<i64> {
    // What it may be: an index counts each.
    let found = search::accounts_condition(db, wanted.role, wanted.q.as_deref()).await?;
    let (narrowed, words) = narrowed(db.dialect(), wanted, &found, "u.status in ('active', 'pending', 'suspended')");
    // Each is compared with the words of a search.
    let sql = if words.is_empty() {
        format!("select count(*) from users u where {narrowed}")
    } else {
        format!("select count(*) from (select u.id from users u where {narrowed} limit {MAX_COUNTED}) found")
    };
    bound(db.sql_built(sql), wanted, words).scalar().await
}

pub async fn row(db: &mut impl Sql, id: UserId) -> Result<Option<Row>> {
    db.sql_built(format!("{LISTED} where u.id = $1")).bind(id).optional().await
}

/// How many there are of each status, in one question.
pub async fn counted(db: &mut impl Sql) -> Result<Counted> {
    db.sql(
        "select (select count(*) from users where status = 'active') as active, \
         (select count(*) from users where status = 'pending') as pending, \
         (select count(*) from users where status = 'suspended') as suspended",
    )
    .one()
    .await
}

/// Notes that somebody is here, unless that was noted lately.
pub async fn seen(tx: &mut Tx, id: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update users set last_active_at = $2 where id = $1 and (last_active_at is null or last_active_at < $3)")
        .bind(id)
        .bind(at)
        .bind(at - HERE)
        .run()
        .await?;
    Ok(())
}
