//! SQL of calls, and a call's row.
use crate::kernel::{
    access::Scope,
    db::{Db, Dialect, Row, Sql, Tx, const_concat, insert},
    error::Result,
    ids::{CallId, IsoId},
    page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
};
use chrono::{DateTime, Utc};
use serde_json::Value;

crate::kernel::text_enum! {
    /// Where a call stands.
    #[schema(as = CallStatus)]
    pub enum Status {
        Requested = "requested",
        Confirmed = "confirmed",
        Declined = "declined",
        Cancelled = "cancelled",
    }
}

crate::kernel::db::row! {
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Call of l {
        pub id: CallId,
        pub iso_id: IsoId,
        pub iso_first_name: String = "i.first_name",
        pub iso_last_name: String = "i.last_name",
        pub iso_email: String = "i.email",
        pub iso_phone: Option<String> = "i.phone",
        pub topic: String,
        pub note: Option<String>,
        pub minutes: i64,
        /// The proposed times, the earliest first.
        #[sqlx(json)]
        pub proposed: Vec<DateTime<Utc>>,
        pub status: Status,
        pub begins_at: Option<DateTime<Utc>>,
        /// The dial-in details of a confirmed call, or the reason of a declined one.
        pub answer: Option<String>,
        pub answered_by: Option<String>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

impl Call {
    pub fn iso_name(&self) -> String {
        format!("{} {}", self.iso_first_name, self.iso_last_name)
    }
}

const SELECT_WITH_NAMES: &str = const_concat!("select ", Call::LIST, " from calls l join isos i on i.id = l.iso_id");

crate::kernel::db::row! {
    /// The row of a new call.
    pub struct InsertCall {
        pub id: CallId,
        pub iso_id: IsoId,
        pub topic: String,
        pub note: Option<String>,
        pub minutes: i64,
        pub proposed: Vec<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_by: String,
    }
}

pub async fn insert(tx: &mut Tx, new: &InsertCall) -> Result<()> {
    let values = insert!(tx, "calls", new, { status: Status::Requested, updated_at: new.created_at });
    values.run().await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: CallId) -> Result<Option<Call>> {
    db.sql_built(format!("{SELECT_WITH_NAMES} where l.id = $1")).bind(id).optional().await
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: CallId) -> Result<()> {
    tx.sql("update calls set version = version where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, call: &Call) -> Result<()> {
    tx.sql(
        "update calls set status = $2, begins_at = $3, answer = $4, answered_by = $5, updated_at = $6, updated_by = $7, \
         version = $8 where id = $1",
    )
    .bind(call.id)
    .bind(call.status)
    .bind(call.begins_at)
    .bind(call.answer.clone())
    .bind(call.answered_by.clone())
    .bind(call.updated_at)
    .bind(call.updated_by.clone())
    .bind(call.version)
    .run()
    .await?;
    Ok(())
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub order: Order<CallSort>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallSort {
    CreatedAt,
    /// Calls without a confirmed time last.
    BeginsAt,
}

impl SortKey for CallSort {
    type Row = Call;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::BeginsAt];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::BeginsAt => "begins_at",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("l.id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("l.created_at"), ID] },
            Self::BeginsAt => const { &[SortColumn::instant("l.begins_at").nulls_last(), ID] },
        }
    }

    fn values(self, row: &Call) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::BeginsAt => values((row.begins_at, row.id)),
        }
    }
}

const TABLE: &str = "calls l";

fn conditions(dialect: Dialect, scope: Scope, filter: &Filter) -> Conditions {
    let mut all = Conditions::new(dialect);
    all.and_scope(scope, None, Some("l.iso_id"), None);
    if let Some(status) = filter.status {
        all.and(format!("l.status = '{}'", status.name()));
    }
    all
}

/// A page of the list.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Call>> {
    let mut all = conditions(db.dialect(), scope, filter);
    if !keyset.is_default() {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    keyset.rows(db, SELECT_WITH_NAMES, &all).await
}

/// The number of calls of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db.dialect(), scope, filter).total(db, TABLE, None).await
}
