//! SQL of clients: users of role client with the names of their company and ISO.
use crate::{
    accounts::users::Status,
    kernel::{
        access::Scope,
        db::{Db, Dialect, Row, Sql, Tx, select_rows, unindexed},
        error::{Problem, Result},
        ids::{CompanyId, IsoId, SpvId, UserId},
        search::{self, SearchCondition, SearchScope},
    },
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
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
fn with_names(users: &str, is_client: &str) -> String {
    format!(
        "select {} from {users} left join companies k on k.id = u.company_id left join isos i on i.id = u.iso_id \
         where {is_client}",
        Client::LIST
    )
}

pub async fn get(db: &mut impl Sql, id: UserId) -> Result<Option<Client>> {
    let sql =
        select_rows(db.dialect(), Client::COLUMNS, &format!("{} and u.id = $1", with_names("users u", IS_CLIENT)));
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
    /// Only these ids, which a search found.
    pub ids: Option<Vec<Uuid>>,
    pub order: Order,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Newest,
    Oldest,
    /// By first name, then last name.
    FirstName,
    FirstNameDescending,
}

impl Order {
    /// # Errors
    /// `unknown` with what is allowed.
    pub fn parse(text: &str) -> std::result::Result<Self, Problem> {
        Ok(match text {
            "" | "-created_at" => Self::Newest,
            "created_at" => Self::Oldest,
            "first_name" => Self::FirstName,
            "-first_name" => Self::FirstNameDescending,
            _ => {
                let allowed = "-created_at, created_at, first_name, -first_name";
                return Err(Problem::new("unknown").with("allowed", allowed));
            }
        })
    }

    fn by_name(self) -> bool {
        matches!(self, Self::FirstName | Self::FirstNameDescending)
    }

    /// The columns of the order, all ascending or all descending.
    fn columns(self) -> &'static [&'static str] {
        if self.by_name() { &["u.first_name", "u.last_name", "u.id"] } else { &["u.created_at", "u.id"] }
    }

    fn direction(self) -> (&'static str, &'static str) {
        if matches!(self, Self::Newest | Self::FirstNameDescending) { ("<", " desc") } else { (">", "") }
    }
}

/// A cursor: the last row of a page, by the columns of its sort order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cursor {
    Name(String, String, UserId),
    Date(DateTime<Utc>, UserId),
}

impl Cursor {
    pub fn of(order: Order, client: &Client) -> Self {
        if order.by_name() {
            Self::Name(client.first_name.clone(), client.last_name.clone(), client.id)
        } else {
            Self::Date(client.created_at, client.id)
        }
    }

    /// Whether the cursor is of a list in this order.
    pub fn fits(&self, order: Order) -> bool {
        matches!(self, Self::Name(..)) == order.by_name()
    }
}

fn list_sql(
    dialect: Dialect,
    scope: Scope,
    filter: &Filter,
    narrow: &SearchCondition,
    after: bool,
    limit: usize,
) -> (String, Vec<Uuid>, Vec<String>) {
    // The sort by name uses an index; an equality on role or status would make SQLite choose another one and sort.
    let filter_only = |condition: String| if filter.order.by_name() { unindexed(&condition) } else { condition };
    let mut sql = with_names("users u", &filter_only(IS_CLIENT.to_owned()));
    let mut ids = Vec::new();
    let by = |column: &str, id: Uuid, sql: &mut String, ids: &mut Vec<Uuid>| {
        ids.push(id);
        sql.push_str(&format!(" and {column} = ${}", ids.len()));
    };
    match scope {
        Scope::All => {}
        Scope::Company(id) => by("u.company_id", id.0, &mut sql, &mut ids),
        Scope::Iso(id) => by("u.iso_id", id.0, &mut sql, &mut ids),
        Scope::Client(id) => by("u.id", id.0, &mut sql, &mut ids),
        Scope::Nothing => sql.push_str(" and 1 = 0"),
    }
    if let Some(id) = filter.company_id {
        by("u.company_id", id.0, &mut sql, &mut ids);
    }
    if let Some(id) = filter.iso_id {
        by("u.iso_id", id.0, &mut sql, &mut ids);
    }
    match filter.status {
        Some(status) => sql.push_str(&format!(" and {}", filter_only(format!("u.status = '{}'", status.name())))),
        None => sql.push_str(" and u.status <> 'archived'"),
    }
    let (search, words) = narrow.sql(dialect, "u.id", ids.len() + 1);
    sql.push_str(&search);
    let columns = filter.order.columns();
    let (comparison, direction) = filter.order.direction();
    if after {
        let first = ids.len() + words.len() + 1;
        let values: Vec<String> = (first..first + columns.len()).map(|n| format!("${n}")).collect();
        sql.push_str(&format!(" and ({}) {comparison} ({})", columns.join(", "), values.join(", ")));
    }
    let order: Vec<String> = columns.iter().map(|column| format!("{column}{direction}")).collect();
    sql.push_str(&format!(" order by {} limit {limit}", order.join(", ")));
    (sql, ids, words)
}

pub async fn list(
    db: &mut Db,
    scope: Scope,
    filter: &Filter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<Client>> {
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => {
            let within = SearchScope::from(scope).company(filter.company_id).iso(filter.iso_id);
            search::condition(db, "client", within, filter.q.as_deref()).await?
        }
    };
    let (sql, ids, words) = list_sql(db.dialect(), scope, filter, &narrow, after.is_some(), limit);
    let mut query = db.sql_built(select_rows(db.dialect(), Client::COLUMNS, &sql));
    for id in ids {
        query = query.bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    let query = match after {
        Some(Cursor::Date(at, id)) => query.bind(at).bind(id),
        Some(Cursor::Name(first, last, id)) => query.bind(first).bind(last).bind(id),
        None => query,
    };
    query.list().await
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
    let clients = with_names(&format!("{newest} cross join users u"), IS_CLIENT);
    let sql = format!(
        "{clients} and u.id = newest.id{} order by u.created_at desc, u.id desc limit {limit}",
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
