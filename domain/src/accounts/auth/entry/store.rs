//! SQL of somebody at the door: all that a sign-in must know, with one question before the password is compared and
//! one after it. Each question less is a twentieth of a sign-in that is not the hash.
use crate::{
    accounts::{
        auth::{
            failures::{self, Counted, Counter},
            store::{Belongings, belongings_of},
        },
        users::{User, store::ROW_COLUMNS},
    },
    kernel::{
        access::shut_out_sql,
        db::{Dialect, Json, Nested, PerDialect, Sql, Tx, select_nested},
        error::Result,
        ids::UserId,
    },
    platform::settings::Settings,
};
use sqlx::{ColumnIndex, Decode, FromRow, Row, Type};

/// Whoever comes with an address, known to us or not.
#[derive(Debug)]
pub struct Comer {
    pub user: Option<User>,
    pub counted: Vec<Counted>,
    pub settings: Settings,
}

impl<'r, R: Row> FromRow<'r, R> for Comer
where
    User: FromRow<'r, R>,
    Nested<Vec<Counted>>: Decode<'r, R::Database> + Type<R::Database>,
    Json<Settings>: Decode<'r, R::Database> + Type<R::Database>,
    bool: Decode<'r, R::Database> + Type<R::Database>,
    &'static str: ColumnIndex<R>,
{
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let Nested(counted) = row.try_get("counted")?;
        let settings: Option<Json<Settings>> = row.try_get("settings")?;
        let known: bool = row.try_get("known")?;
        Ok(Self {
            user: known.then(|| User::from_row(row)).transpose()?,
            counted,
            settings: settings.map(|Json(settings)| settings).unwrap_or_default(),
        })
    }
}

/// Whoever has shown the password, locked until the transaction ends.
#[derive(Debug, FromRow)]
pub struct Entrant {
    #[sqlx(flatten)]
    pub user: User,
    #[sqlx(try_from = "Nested<Vec<Counted>>")]
    pub counted: Vec<Counted>,
    pub shut_out: bool,
    #[sqlx(flatten)]
    pub belongings: Belongings,
}

static COMER: PerDialect = PerDialect::new(|dialect| {
    format!(
        "select users.id is not null as known, ({}) as counted, \
         (select value from settings where name = 'office') as settings, {ROW_COLUMNS} \
         from (select 1) once left join users on users.email_key = $1",
        counted(dialect),
    )
});

static ENTRANT: PerDialect = PerDialect::new(|dialect| {
    format!(
        "select ({}) as counted, {} as shut_out, {}, {ROW_COLUMNS} from users where users.id = $1",
        counted(dialect),
        shut_out_sql("users.company_id", "users.iso_id", "users.role"),
        belongings_of(dialect, "users.id"),
    )
});

fn counted(dialect: Dialect) -> String {
    select_nested(
        dialect,
        failures::store::COLUMNS,
        "select key, failures, last_at from failures where key in ($2, $3)",
    )
}

pub async fn comer(db: &mut impl Sql, email_key: &str, counters: &[Counter; 2]) -> Result<Comer> {
    // PostgreSQL has no such character, and no address has it either.
    let key = Some(email_key.to_owned()).filter(|key| !key.contains('\0'));
    let [near, far] = counters;
    db.sql(COMER.get(db.dialect())).bind(key).bind(near.key.clone()).bind(far.key.clone()).one().await
}

pub async fn entrant(tx: &mut Tx, id: UserId, counters: &[Counter; 2]) -> Result<Option<Entrant>> {
    let dialect = tx.dialect();
    if dialect == Dialect::Postgres {
        // The account, and then whoever is just being counted for it, with one question. A statement that has to wait
        // sees everything else as it was before: the next one looks.
        let held = "select pg_advisory_xact_lock(hashtextextended($2, 0)) \
                    from (select id from users where id = $1 for no key update) held";
        tx.sql(held).bind(id).bind(failures::turn(counters)).run().await?;
    }
    let [near, far] = counters;
    tx.sql(ENTRANT.get(dialect)).bind(id).bind(near.key.clone()).bind(far.key.clone()).optional().await
}
