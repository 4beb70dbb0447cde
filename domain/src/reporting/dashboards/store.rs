//! SQL of the dashboards.
use crate::{
    accounts::users,
    directory::companies::{self, Company},
    kernel::{
        access::{Role, Scope},
        db::{ColumnKind, Db, Nested, Row, Sql, Tx, in_id_list, select_nested},
        error::Result,
        ids::{CompanyId, IsoId, UserId},
        money::Currency,
    },
    orders::spvs,
    platform::{
        activity::{self, Activity},
        rollups::Metric,
    },
};
use chrono::{DateTime, Utc};
use serde::Deserialize;

/// A row in the table of users.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct UserRow {
    pub id: UserId,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub role: Role,
    pub status: users::Status,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// Number of orders of a client by status.
pub async fn client_orders(db: &mut Db, client: UserId) -> Result<Vec<(spvs::Status, i64)>> {
    db.sql("select status, count(*) from spvs where client_id = $1 group by status").bind(client).all().await
}

/// A rollup of a partner: number and, for money, amount.
#[derive(Debug, sqlx::FromRow)]
pub struct PartnerCount {
    pub what: Metric,
    pub currency: Option<Currency>,
    pub n: i64,
    pub minor: i64,
}

/// Rollups of a partner as of now and for a month. Reads no orders. Builds before 2026-11-28 kept leads here, too.
pub async fn iso(db: &mut Db, iso: IsoId, month: String) -> Result<Vec<PartnerCount>> {
    db.sql(
        "select what, nullif(currency, '') as currency, n, minor from figures where owner_id = $1 and n <> 0 \
         and what <> 'leads' and grain in ('now', 'month') and period in ('', $2) order by figures.currency",
    )
    .bind(iso)
    .bind(month)
    .all()
    .await
}

/// Number of orders of each client with the partner.
pub async fn iso_orders(db: &mut Db, iso: IsoId, clients: &[UserId]) -> Result<Vec<(UserId, i64)>> {
    db.sql_built(format!(
        "select client_id, count(*) filter (where iso_id = $2) from spvs where client_id {} group by client_id",
        in_id_list(db.dialect())
    ))
    .bind(serde_json::to_string(clients).map_err(crate::Error::internal)?)
    .bind(iso)
    .all()
    .await
}

crate::kernel::db::row! {
    /// Orders and amounts of a company by partner and currency.
    #[derive(Debug, Deserialize)]
    pub struct PartnerGroup {
        /// The nil id without a partner.
        pub iso_id: IsoId,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub currency: Currency,
        pub spvs: i64,
        /// Cancelled ones among these, which no card counts (decision 14).
        pub cancelled: i64,
        pub minor: i64,
    }
}

impl PartnerGroup {
    pub fn name(&self) -> Option<String> {
        Some(format!("{} {}", self.first_name.as_ref()?, self.last_name.as_ref()?))
    }
}

/// Rollups and settings of the office.
#[derive(Debug, sqlx::FromRow)]
pub struct StaffOverview {
    /// By [`crate::platform::rollups::Counter::name`].
    #[sqlx(try_from = "Nested<Vec<(String, i64)>>")]
    pub counts: Vec<(String, i64)>,
    /// None if the settings leave it to the configuration.
    pub currency: Option<Currency>,
    /// Newest activity.
    #[sqlx(try_from = "Nested<Vec<Activity>>")]
    pub activity: Vec<Activity>,
}

/// Selects the default currency of the settings.
const CURRENCY: &str = "select value ->> 'default_currency' from settings where name = 'office'";

/// Rollups of the staff and the newest activity, in one query.
pub async fn staff_overview(db: &mut Db, events: usize) -> Result<StaffOverview> {
    let dialect = db.dialect();
    let counts = select_nested(
        dialect,
        &[("name", "t.name", ColumnKind::Plain), ("value", "t.value", ColumnKind::Plain)],
        "select name, cast(sum(value) as bigint) as value from counts group by name",
    );
    let activity = activity::newest_work_sql(dialect, Scope::All, events);
    db.sql_built(format!("select ({counts}) as counts, ({CURRENCY}) as currency, ({activity}) as activity")).one().await
}

/// A company with its cards and partner groups.
#[derive(Debug, sqlx::FromRow)]
pub struct CompanyOverview {
    /// Empty if the company does not exist.
    #[sqlx(try_from = "Nested<Vec<Company>>")]
    pub company: Vec<Company>,
    /// Default currency of the office, as in [`StaffOverview`].
    pub currency: Option<Currency>,
    /// Number of clients with an order that is not cancelled.
    pub clients: i64,
    /// ISO partners that are not archived.
    pub partners: i64,
    /// Orders and amounts by partner and currency.
    #[sqlx(try_from = "Nested<Vec<PartnerGroup>>")]
    pub groups: Vec<PartnerGroup>,
    /// Newest activity.
    #[sqlx(try_from = "Nested<Vec<Activity>>")]
    pub activity: Vec<Activity>,
}

/// The company and its figures in one query, which reads no orders.
pub async fn company(db: &mut Db, company: CompanyId, events: usize) -> Result<CompanyOverview> {
    let dialect = db.dialect();
    let own = select_nested(
        dialect,
        companies::Company::COLUMNS,
        &format!("select {} from companies where id = $1", companies::Company::LIST),
    );
    let groups = select_nested(
        dialect,
        PartnerGroup::COLUMNS,
        "select g.iso_id, i.first_name, i.last_name, g.currency, g.spvs, g.cancelled, g.minor from ( \
             select iso_id, currency, cast(sum(spvs) as bigint) as spvs, \
             cast(sum(cancelled) as bigint) as cancelled, cast(sum(minor) as bigint) as minor \
             from company_figures where company_id = $1 group by iso_id, currency \
         ) g left join isos i on i.id = g.iso_id",
    );
    let activity = activity::newest_work_sql(dialect, Scope::Company(company), events);
    let sql = format!(
        "select ({own}) as company, ({CURRENCY}) as currency, \
         (select cast(coalesce(sum(clients), 0) as bigint) from company_client_counts where company_id = $1) \
             as clients, \
         (select count(*) from isos where company_id = $1 and archived_at is null) as partners, \
         ({groups}) as groups, ({activity}) as activity"
    );
    db.sql_built(sql).bind(company).one().await
}

/// A page of users, the newest first.
pub async fn users(db: &mut Db, before: Option<(DateTime<Utc>, UserId)>, limit: usize) -> Result<Vec<UserRow>> {
    let narrow = if before.is_some() { "where (created_at, id) < ($1, $2)" } else { "" };
    let mut query = db.sql_built(format!(
        "select id, first_name, last_name, email, role, status, last_sign_in_at, created_at from users {narrow} \
         order by created_at desc, id desc limit {limit}"
    ));
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

/// The first minute with a heartbeat, and the number of minutes with one after `from` and before `to`.
pub async fn heartbeats(db: &mut Db, from: i64, to: i64) -> Result<(Option<i64>, i64)> {
    db.sql(
        "select (select min(minute) from heartbeats), \
         (select count(*) from heartbeats where minute > $1 and minute < $2)",
    )
    .bind(from)
    .bind(to)
    .one()
    .await
}

/// Records a heartbeat and deletes those up to `old`.
pub async fn insert_heartbeat(tx: &mut Tx, minute: i64, old: i64) -> Result<()> {
    tx.sql("insert into heartbeats (minute) values ($1) on conflict (minute) do nothing").bind(minute).run().await?;
    // The newest of the old ones stays, as it says that a server ran before.
    tx.sql(
        "delete from heartbeats where minute <= $1 and minute < (select max(minute) from heartbeats where minute <= $1)",
    )
    .bind(old)
    .run()
    .await?;
    Ok(())
}
