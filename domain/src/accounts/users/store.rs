//! SQL of user accounts.
use super::{
    list::{StatusCounts, UserQuery, UserRow},
    model::{Status, User},
    profile::Profile,
};
use crate::{
    accounts::auth::passwords::PasswordHash,
    kernel::{
        access::is_shut_out_sql,
        db::{Json, Row, Sql, Tx, for_update, insert},
        error::Result,
        ids::{CompanyId, IsoId, UserId},
        page::{Conditions, Keyset, Total},
        search,
    },
};
use chrono::{DateTime, Duration, Utc};

/// The columns of a [`User`].
pub(crate) const ROW_COLUMNS: &str = User::LIST;

/// `last_active_at` is written at most once in this time: it is indexed, and each request would write.
const ONLINE_WINDOW: Duration = Duration::minutes(5);

/// Distinct time zones of clients.
pub async fn client_time_zones(db: &mut impl Sql) -> Result<Vec<String>> {
    let rows: Vec<(String,)> =
        db.sql("select distinct time_zone from users where role = 'client' order by time_zone").all().await?;
    Ok(rows.into_iter().map(|(zone,)| zone).collect())
}

pub async fn insert(tx: &mut Tx, user: &User) -> Result<()> {
    insert!(tx, "users", user).run().await?;
    Ok(())
}

/// Marks the language as chosen: mails then use it instead of the company's.
pub async fn mark_language_chosen(tx: &mut Tx, id: UserId) -> Result<()> {
    tx.sql("update users set language_chosen = $2 where id = $1").bind(id).bind(true).run().await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: UserId) -> Result<Option<User>> {
    db.sql_built(format!("select {ROW_COLUMNS} from users where id = $1")).bind(id).optional().await
}

pub async fn by_email(db: &mut impl Sql, key: &str) -> Result<Option<User>> {
    // PostgreSQL rejects NUL in text, and no address contains it.
    if key.contains('\0') {
        return Ok(None);
    }
    db.sql_built(format!("select {ROW_COLUMNS} from users where email_key = $1")).bind(key.to_owned()).optional().await
}

/// Accounts with this unconfirmed new address; at most five.
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

/// A super admin who is active, or who has been invited and is pending.
#[derive(Debug, sqlx::FromRow)]
pub struct SuperAdmin {
    pub id: UserId,
    pub email: String,
    pub status: Status,
}

/// Locks the active and pending super admins and returns them, so that of two who demote each other one waits. Must be
/// locked before any other row: the two would deadlock otherwise.
pub async fn lock_super_admins(tx: &mut Tx, now: DateTime<Utc>) -> Result<Vec<SuperAdmin>> {
    let sql = format!(
        "select id, email, status from users where role = 'super_admin' and status in ('active', 'pending') \
         and (banned_until is null or banned_until <= $1) order by id{}",
        for_update(tx.dialect(), "users")
    );
    tx.sql_built(sql).bind(now).all().await
}

/// The active super admins.
pub async fn super_admins(tx: &mut Tx, now: DateTime<Utc>) -> Result<Vec<UserId>> {
    let rows: Vec<(UserId,)> = tx
        .sql(
            "select id from users where role = 'super_admin' and status = 'active' \
             and (banned_until is null or banned_until <= $1) order by id",
        )
        .bind(now)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Whether the user's company, or the ISO of an ISO user, is archived (decision 26). Clients of an archived ISO stay.
pub async fn is_shut_out(db: &mut impl Sql, user: &User) -> Result<bool> {
    if user.company_id.is_none() && user.iso_id.is_none() {
        return Ok(false);
    }
    db.sql_built(format!("select {}", is_shut_out_sql("$1", "$2", "$3")))
        .bind(user.company_id)
        .bind(user.iso_id)
        .bind(user.role)
        .scalar()
        .await
}

/// The time zone of a company.
pub async fn company_time_zone(db: &mut impl Sql, id: CompanyId) -> Result<Option<String>> {
    let row: Option<(String,)> = db.sql("select time_zone from companies where id = $1").bind(id).optional().await?;
    Ok(row.map(|(time_zone,)| time_zone))
}

/// Whether the company exists and is not archived.
pub async fn is_company_open(db: &mut impl Sql, id: CompanyId) -> Result<bool> {
    db.sql("select exists (select 1 from companies where id = $1 and archived_at is null)").bind(id).scalar().await
}

/// The company of an ISO that is not archived.
pub async fn iso_company(db: &mut impl Sql, id: IsoId) -> Result<Option<CompanyId>> {
    let row: Option<(CompanyId,)> =
        db.sql("select company_id from isos where id = $1 and archived_at is null").bind(id).optional().await?;
    Ok(row.map(|(company,)| company))
}

/// Whether the client has orders or invoices.
pub async fn has_orders(tx: &mut Tx, id: UserId) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from spvs where client_id = $1) \
         or exists (select 1 from invoices where client_id = $1)",
    )
    .bind(id)
    .scalar()
    .await
}

/// Saves the fields that staff may change, and the new version.
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

/// Deletes an account, with the counters of a client without orders.
///
/// # Errors
/// A foreign key violation if other rows refer to it.
pub async fn remove(tx: &mut Tx, id: UserId) -> Result<()> {
    tx.sql("delete from company_clients where client_id = $1 and spvs = 0").bind(id).run().await?;
    tx.sql("delete from users where id = $1").bind(id).run().await?;
    Ok(())
}

/// Saves the password columns, which [`save`] leaves out: an edit must not restore an old password.
pub async fn save_password(tx: &mut Tx, id: UserId, hash: &PasswordHash, must_change: bool) -> Result<()> {
    tx.sql("update users set password_hash = $2, must_change_password = $3 where id = $1")
        .bind(id)
        .bind(hash.clone())
        .bind(must_change)
        .run()
        .await?;
    Ok(())
}

/// Saves the administrator who set the password; none for the owner.
pub async fn save_password_set_by(tx: &mut Tx, id: UserId, by: Option<String>) -> Result<()> {
    tx.sql("update users set password_set_by = $2 where id = $1").bind(id).bind(by).run().await?;
    Ok(())
}

/// Saves `user_metadata` and `app_metadata`. Not versioned: no form of staff edits them.
pub async fn save_metadata(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set metadata = $2, app_metadata = $3 where id = $1")
        .bind(user.id)
        .bind(Json(user.metadata.clone()))
        .bind(Json(user.app_metadata.clone()))
        .run()
        .await?;
    Ok(())
}

/// Saves the unconfirmed new address and its confirmations.
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

/// Saves what blocks an account of the auth protocol: a ban, or an unconfirmed address.
pub async fn save_restrictions(tx: &mut Tx, user: &User) -> Result<()> {
    tx.sql("update users set banned_until = $2, awaits_confirmation = $3 where id = $1")
        .bind(user.id)
        .bind(user.banned_until)
        .bind(user.awaits_confirmation)
        .run()
        .await?;
    Ok(())
}

/// A page of accounts that are not archived, newest first unless `oldest_first`.
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

/// Number of accounts that a search finds and that are not archived.
pub async fn count_found(db: &mut impl Sql, q: &str) -> Result<i64> {
    let (found, words) = search::accounts_condition(db, None, Some(q)).await?.sql(db.dialect(), "id", 1);
    let mut query = db.sql_built(format!("select count(*) from users where status <> 'archived'{found}"));
    for word in words {
        query = query.bind(word);
    }
    query.scalar().await
}

/// Removes the password.
pub async fn clear_password(tx: &mut Tx, id: UserId) -> Result<()> {
    tx.sql("update users set password_hash = null, must_change_password = false, password_set_by = null where id = $1")
        .bind(id)
        .run()
        .await?;
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

/// Saves the columns of the profile; names and telephone are saved by [`save`].
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

/// Saves display preferences. Not versioned: no form of staff edits them.
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

/// Names of a company and of an ISO partner.
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

/// Records a sign-in. Not versioned. `last_active_at` changes as in [`touch_last_active`].
pub async fn record_sign_in(tx: &mut Tx, id: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "update users set last_sign_in_at = $2, \
         last_active_at = case when last_active_at >= $3 then last_active_at else $2 end where id = $1",
    )
    .bind(id)
    .bind(at)
    .bind(at - ONLINE_WINDOW)
    .run()
    .await?;
    Ok(())
}

/// The columns of [`UserRow`].
const SELECT_ROWS: &str = "select u.id, u.first_name, u.last_name, u.email, u.phone, u.role, u.status, u.company_id, \
     f.name as company_name, u.iso_id, i.first_name || ' ' || i.last_name as iso_name, u.last_active_at, \
     u.last_sign_in_at, u.created_at, u.updated_at, u.updated_by, u.version from users u \
     left join companies f on f.id = u.company_id left join isos i on i.id = u.iso_id";

/// `all` is the condition without a status.
async fn conditions(db: &mut impl Sql, query: &UserQuery, all: &str) -> Result<Conditions> {
    let mut conditions = Conditions::new(db.dialect());
    match query.status {
        Some(status) => conditions.and(format!("u.status = '{}'", status.name())),
        None => conditions.and(all),
    }
    if let Some(role) = query.role {
        conditions.and(format!("u.role = '{}'", role.name()));
    }
    conditions.and_id("u.company_id", query.company_id.map(|id| id.0));
    conditions.and_search(&search::accounts_condition(db, query.role, query.q.as_deref()).await?, "u.id");
    Ok(conditions)
}

pub async fn page_rows(db: &mut impl Sql, query: &UserQuery, keyset: &Keyset, offset: i64) -> Result<Vec<UserRow>> {
    // `<>` uses no status index, so that the index of the sort order is read.
    let mut conditions = conditions(db, query, "u.status <> 'archived'").await?;
    if !keyset.is_default() {
        keyset.choose_index(db, "users u", &mut conditions).await?;
    }
    if offset > 0 {
        return keyset.rows_from(db, SELECT_ROWS, &conditions, offset).await;
    }
    keyset.rows(db, SELECT_ROWS, &conditions).await
}

/// Number of rows, counted up to a limit.
pub async fn count_page(db: &mut impl Sql, query: &UserQuery) -> Result<Total> {
    // `in` instead of `<>`: counted from the status index.
    let conditions = conditions(db, query, "u.status in ('active', 'pending', 'suspended')").await?;
    conditions.total(db, "users u", None).await
}

pub async fn row(db: &mut impl Sql, id: UserId) -> Result<Option<UserRow>> {
    db.sql_built(format!("{SELECT_ROWS} where u.id = $1")).bind(id).optional().await
}

/// Number of accounts by status.
pub async fn status_counts(db: &mut impl Sql) -> Result<StatusCounts> {
    db.sql(
        "select (select count(*) from users where status = 'active') as active, \
         (select count(*) from users where status = 'pending') as pending, \
         (select count(*) from users where status = 'suspended') as suspended",
    )
    .one()
    .await
}

/// Updates `last_active_at` unless it is recent ([`ONLINE_WINDOW`]).
pub async fn touch_last_active(tx: &mut Tx, id: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update users set last_active_at = $2 where id = $1 and (last_active_at is null or last_active_at < $3)")
        .bind(id)
        .bind(at)
        .bind(at - ONLINE_WINDOW)
        .run()
        .await?;
    Ok(())
}
