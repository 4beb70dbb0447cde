//! SQL of the sign-in: one query before the password is compared and one after it. Each further query costs a twentieth
//! of a sign-in without its hash.
use crate::{
    accounts::{
        auth::{
            login_throttle::{self, FailureCount, ThrottleKey},
            store::{AccountExtras, extras_columns},
        },
        users::{User, store::ROW_COLUMNS},
    },
    kernel::{
        access::is_shut_out_sql,
        db::{Dialect, Json, Nested, PerDialect, Row as _, Sql, Tx, select_nested},
        error::Result,
        ids::UserId,
    },
    platform::settings::Settings,
};
use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

/// What a sign-in needs before the password is compared.
#[derive(Debug)]
pub struct SignInContext {
    pub user: Option<User>,
    pub counts: Vec<FailureCount>,
    pub settings: Settings,
}

impl<'r, R: Row> FromRow<'r, R> for SignInContext
where
    User: FromRow<'r, R>,
    Nested<Vec<FailureCount>>: Decode<'r, R::Database> + Type<R::Database>,
    Json<Settings>: Decode<'r, R::Database> + Type<R::Database>,
    bool: Decode<'r, R::Database> + Type<R::Database>,
    &'static str: ColumnIndex<R>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let Nested(counts) = row.try_get("counts")?;
        let settings: Option<Json<Settings>> = row.try_get("settings")?;
        let known: bool = row.try_get("known")?;
        Ok(Self {
            user: known.then(|| User::from_row(row)).transpose()?,
            counts,
            settings: settings.map(|Json(settings)| settings).unwrap_or_default(),
        })
    }
}

/// What a sign-in needs after the password was correct, with the account locked.
#[derive(Debug, FromRow)]
pub struct LockedSignIn {
    #[sqlx(flatten)]
    pub user: User,
    #[sqlx(try_from = "Nested<Vec<FailureCount>>")]
    pub counts: Vec<FailureCount>,
    pub shut_out: bool,
    #[sqlx(flatten)]
    pub extras: AccountExtras,
}

static SELECT_CONTEXT: PerDialect = PerDialect::new(|dialect| {
    format!(
        "select users.id is not null as known, ({}) as counts, \
         (select value from settings where name = 'office') as settings, {ROW_COLUMNS} \
         from (select 1) once left join users on users.email_key = $1",
        failure_counts(dialect),
    )
});

static SELECT_FOR_UPDATE: PerDialect = PerDialect::new(|dialect| {
    format!(
        "select ({}) as counts, {} as shut_out, {}, {ROW_COLUMNS} from users where users.id = $1",
        failure_counts(dialect),
        is_shut_out_sql("users.company_id", "users.iso_id", "users.role"),
        extras_columns(dialect, "users.id"),
    )
});

fn failure_counts(dialect: Dialect) -> String {
    select_nested(dialect, FailureCount::COLUMNS, "select key, failures, last_at from failures where key in ($2, $3)")
}

pub async fn load_sign_in_context(
    db: &mut impl Sql,
    email_key: &str,
    keys: &[ThrottleKey; 2],
) -> Result<SignInContext> {
    // PostgreSQL rejects NUL in text, and no address contains it.
    let key = Some(email_key.to_owned()).filter(|key| !key.contains('\0'));
    let [near, far] = keys;
    db.sql(SELECT_CONTEXT.get(db.dialect())).bind(key).bind(near.hash.clone()).bind(far.hash.clone()).one().await
}

pub async fn lock_for_sign_in(tx: &mut Tx, id: UserId, keys: &[ThrottleKey; 2]) -> Result<Option<LockedSignIn>> {
    let dialect = tx.dialect();
    if dialect == Dialect::Postgres {
        // Locks the account, then the failure counters, in one statement. A statement that waited still reads its old
        // snapshot, so the rows are read by the next one.
        let held = "select pg_advisory_xact_lock(hashtextextended($2, 0)) \
                    from (select id from users where id = $1 for no key update) held";
        tx.sql(held).bind(id).bind(login_throttle::lock_key(keys)).run().await?;
    }
    let [near, far] = keys;
    tx.sql(SELECT_FOR_UPDATE.get(dialect)).bind(id).bind(near.hash.clone()).bind(far.hash.clone()).optional().await
}
