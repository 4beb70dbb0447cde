//! SQL of clients: users of role client with the names of their company and ISO.
use crate::{
    accounts::users::Status,
    kernel::{
        access::Scope,
        db::{Db, Row, Sql, Tx, select_rows},
        error::Result,
        ids::{CompanyId, IsoId, SpvId, UserId},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, SearchCondition, SearchScope},
    },
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

crate::kernel::db::row! {
    /// A client with its company's and its ISO's names.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Client of u {
        pub id: UserId,
        pub first_name: String,
        pub last_name: String,
        pub email: String,
        pub phone: Option<String>,
        pub address: Option<String>,
        pub company_id: Option<CompanyId>,
        pub company_name: Option<String> = "k.name",
        pub iso_id: Option<IsoId>,
        pub iso_first_name: Option<String> = "i.first_name",
        pub iso_last_name: Option<String> = "i.last_name",
        pub status: Status,
        /// The newest order.
        pub latest_spv_id: Option<SpvId> = "(select s.id from spvs s where s.client_id = u.id order by s.ordered_date desc, s.created_at desc, s.id desc limit 1)",
        pub last_sign_in_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        pub updated_by: String,
        pub version: i64,
    }
}

const IS_CLIENT: &str = "u.role = 'client'";

/// Selects clients of the table expression `users`, whose alias is `u`.
fn with_names(users: &str) -> String {
    format!(
        "select {} from {users} left join companies k on k.id = u.company_id left join isos i on i.id = u.iso_id",
        Client::LIST
    )
}

pub async fn get(db: &mut impl Sql, id: UserId) -> Result<Option<Client>> {
    let sql = select_rows(
        db.dialect(),
        Client::COLUMNS,
        &format!("{} where {IS_CLIENT} and u.id = $1", with_names("users u")),
    );
    let rows: Vec<Client> = db.sql_built(sql).bind(id).list().await?;
    Ok(rows.into_iter().next())
}

pub async fn by_email(db: &mut Db, key: &str) -> Result<Option<UserId>> {
    let row: Option<(UserId,)> =
        db.sql("select id from users where email_key = $1 and role = 'client'").bind(key.to_owned()).optional().await?;
    Ok(row.map(|(id,)| id))
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    /// None: all but archived clients.
    pub status: Option<Status>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    /// Only these ids, of a search or a selection.
    pub ids: Option<Vec<Uuid>>,
    pub order: Order<ClientSort>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientSort {
    CreatedAt,
    /// By first name, then last name.
    FirstName,
}

impl SortKey for ClientSort {
    type Row = Client;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::FirstName];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::FirstName => "first_name",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("u.id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("u.created_at"), ID] },
            Self::FirstName => const { &[SortColumn::text("u.first_name"), SortColumn::text("u.last_name"), ID] },
        }
    }

    fn values(self, row: &Client) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::FirstName => values((&row.first_name, &row.last_name, row.id)),
        }
    }
}

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    all.and(IS_CLIENT);
    match filter.status {
        Some(status) => all.and(format!("u.status = '{}'", status.name())),
        None => all.and("u.status <> 'archived'"),
    }
    if filter.order.key == ClientSort::FirstName {
        // The sort by name uses an index; an equality on role or status would make SQLite choose another one and sort.
        all.unindex();
    }
    all.and_scope(scope, Some("u.company_id"), Some("u.iso_id"), Some("u.id"));
    all.and_id("u.company_id", filter.company_id.map(|id| id.0));
    all.and_id("u.iso_id", filter.iso_id.map(|id| id.0));
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => {
            let within = SearchScope::from(scope).company(filter.company_id).iso(filter.iso_id);
            search::condition(db, "client", within, filter.q.as_deref()).await?
        }
    };
    all.and_search(&narrow, "u.id");
    Ok(all)
}

/// A page of the list. Each order has an index for each filter.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Client>> {
    let all = conditions(db, scope, filter).await?;
    let dialect = db.dialect();
    keyset.nested_rows(db, &with_names("users u"), &all, |rows| select_rows(dialect, Client::COLUMNS, rows)).await
}

/// The number of clients of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    // Counted by the index of role and status, whatever the order.
    let by_role = Filter { order: ClientSort::DEFAULT, ..filter.clone() };
    conditions(db, scope, &by_role).await?.total(db, "users u", None).await
}

/// Clients with an order of the company, also those who belong to another company by now, and the company's own clients,
/// newest first, archived ones too. Each set is read by its own index up to the limit, then merged. Search words match
/// the orders of the first set, so that phone numbers of another company's clients cannot be guessed.
pub async fn of_company(
    db: &mut Db,
    company: CompanyId,
    q: &str,
    after: Option<(DateTime<Utc>, UserId)>,
    limit: usize,
) -> Result<Vec<Client>> {
    let of_company = SearchScope::default().company(Some(company));
    let own = search::condition(db, "client", of_company.clone(), Some(q)).await?;
    let ordered = search::condition(db, "spv", of_company, Some(q)).await?;
    let (named, mut words) = own.sql(db.dialect(), "id", 2);
    let (found, more) = ordered.sql(db.dialect(), "s.id", 2 + words.len());
    words.extend(more);
    let found = if ordered == SearchCondition::All {
        String::new()
    } else {
        format!(" and client_id in (select s.client_id from spvs s where s.company_id = $1{found})")
    };
    let before = |at: &str, id: &str| {
        let n = words.len() + 2;
        if after.is_some() { format!(" and ({at}, {id}) < (${n}, ${})", n + 1) } else { String::new() }
    };
    let newest = format!(
        "(select id from (select client_id as id from company_clients where company_id = $1{found}{} \
         order by client_created_at desc, client_id desc limit {limit}) ordered union \
         select id from (select id from users where company_id = $1 and role = 'client'{named}{} \
         order by created_at desc, id desc limit {limit}) own) newest",
        before("client_created_at", "client_id"),
        before("created_at", "id"),
    );
    // A cross join, so that SQLite begins with the few ids.
    let clients = with_names(&format!("{newest} cross join users u"));
    let sql = format!(
        "{clients} where {IS_CLIENT} and u.id = newest.id{} order by u.created_at desc, u.id desc limit {limit}",
        before("u.created_at", "u.id")
    );
    let mut query = db.sql_built(select_rows(db.dialect(), Client::COLUMNS, &sql)).bind(company);
    for word in words {
        query = query.bind(word);
    }
    if let Some((at, id)) = after {
        query = query.bind(at).bind(id);
    }
    query.list().await
}

pub async fn save(tx: &mut Tx, client: &Client, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "update users set first_name = $2, last_name = $3, phone = $4, address = $5, company_id = $6, iso_id = $7, \
         updated_at = $8, updated_by = $9, version = version + 1 where id = $1",
    )
    .bind(client.id)
    .bind(client.first_name.clone())
    .bind(client.last_name.clone())
    .bind(client.phone.clone())
    .bind(client.address.clone())
    .bind(client.company_id)
    .bind(client.iso_id)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

/// Whether this company and this ISO exist, archived or not.
pub async fn are_known(tx: &mut Tx, company: CompanyId, iso: Option<IsoId>) -> Result<(bool, bool)> {
    tx.sql("select exists (select 1 from companies where id = $1), exists (select 1 from isos where id = $2)")
        .bind(company)
        .bind(iso)
        .one()
        .await
}
