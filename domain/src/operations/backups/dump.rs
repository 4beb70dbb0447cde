//! Tables of the portal and their rows as JSON lines, in one format for both databases: a row is an array of its
//! columns; ids and bytes are hexadecimal, instants and dates as SQLite stores them, booleans 1 and 0, JSON a string.
use crate::kernel::{
    db::{Dialect, Sql, Tx},
    error::{Error, Result},
};
use std::collections::{BTreeMap, BTreeSet};

/// Type of a column, as far as the database declares it: SQLite has no names for most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Flag,
    Bytes,
    Id,
    Instant,
    Date,
    Json,
}

impl Kind {
    fn of(declared: &str) -> Option<Self> {
        Some(match declared {
            "text" => Self::Text,
            "integer" | "bigint" => Self::Number,
            "boolean" => Self::Flag,
            "blob" | "bytea" => Self::Bytes,
            "uuid" => Self::Id,
            "timestamp with time zone" => Self::Instant,
            "date" => Self::Date,
            "jsonb" => Self::Json,
            _ => return None,
        })
    }
}

/// A table with its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub name: String,
    pub columns: Vec<(String, Kind)>,
}

/// Tables of the portal in all versions. Others in the same PostgreSQL schema belong to other programs.
const PORTAL_TABLES: &[&str] = &[
    "activity",
    "activity_checkpoint",
    "activity_head",
    "address_blocks",
    "alerts",
    "approvals",
    "backups",
    "calls",
    "commissions",
    "companies",
    "company_client_counts",
    "company_clients",
    "company_figures",
    "company_logos",
    "counts",
    "credit_note_numbers",
    "credit_notes",
    "digests",
    "document_requests",
    "document_versions",
    "documents",
    "expected_commissions",
    "factor_challenges",
    "factors",
    "failures",
    "figures",
    "flows",
    "heartbeats",
    "holiday_corrections",
    "idempotency_keys",
    "identities",
    "impersonations",
    "import_rows",
    "imports",
    "invoice_installments",
    "invoice_lines",
    "invoice_numbers",
    "invoice_payments",
    "invoice_receipts",
    "invoices",
    "iso_accounts",
    "iso_notes",
    "isos",
    "leads",
    "links",
    "mail_gaps",
    "mails",
    "message_documents",
    "messages",
    "notification_choices",
    "notification_event_choices",
    "notifications",
    "notified",
    "office_logos",
    "passkeys",
    "payout_numbers",
    "payout_runs",
    "payouts",
    "probes",
    "recovery_codes",
    "report_recipients",
    "report_schedules",
    "request_documents",
    "requests",
    "saved_views",
    "scans",
    "search_rows",
    "secure_account_links",
    "services",
    "sessions",
    "settings",
    "sign_in_failures",
    "spv_steps",
    "spvs",
    "step_dependencies",
    "template_documents",
    "template_steps",
    "templates",
    "thread_unread",
    "threads",
    "unsubscribe_links",
    "upload_parts",
    "uploads",
    "users",
    "webauthn_challenges",
];

/// Whether the portal owns the table.
pub(crate) fn is_portal_table(table: &str) -> bool {
    PORTAL_TABLES.contains(&table)
}

/// Every table of ours, those first that others refer to.
///
/// # Errors
/// Internal where a column holds what cannot be copied, or tables refer to each other in a circle.
pub(crate) async fn list_tables(db: &mut impl Sql) -> Result<Vec<Table>> {
    let (columns, references) = match db.dialect() {
        Dialect::Sqlite => (
            "select m.name, c.name, lower(c.type) from sqlite_master m join pragma_table_info(m.name) c \
             where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' and m.name not like '\\_%' escape '\\' \
             and m.name not in ('Jobs', 'Workers') order by m.name, c.cid",
            "select m.name, f.\"table\" from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'",
        ),
        Dialect::Postgres => (
            "select cast(c.table_name as text), cast(c.column_name as text), cast(c.data_type as text) \
             from information_schema.columns c join information_schema.tables t \
             on t.table_schema = c.table_schema and t.table_name = c.table_name \
             where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.table_name not like '\\_%' \
             order by c.table_name, c.ordinal_position",
            "select cast(r.relname as text), cast(t.relname as text) from pg_constraint k \
             join pg_class r on r.oid = k.conrelid join pg_class t on t.oid = k.confrelid \
             where k.contype = 'f' and r.relnamespace = cast(current_schema() as regnamespace)",
        ),
    };
    let columns: Vec<(String, String, String)> = db.sql(columns).all().await?;
    let references: Vec<(String, String)> = db.sql(references).all().await?;
    let mut found: BTreeMap<String, Vec<(String, Kind)>> = BTreeMap::new();
    for (table, column, declared) in columns.into_iter().filter(|(table, ..)| is_portal_table(table)) {
        let kind = Kind::of(&declared)
            .ok_or_else(|| Error::internal(format!("{table}.{column} is a {declared}, which cannot be copied")))?;
        found.entry(table).or_default().push((column, kind));
    }
    let order = sort_by_references(found.keys().cloned().collect(), &references)?;
    Ok(order.into_iter().map(|name| Table { columns: found.remove(&name).unwrap_or_default(), name }).collect())
}

/// Sorts tables so that referenced ones come first.
fn sort_by_references(mut left: BTreeSet<String>, references: &[(String, String)]) -> Result<Vec<String>> {
    let mut order = Vec::new();
    while !left.is_empty() {
        let waits = |name: &String| references.iter().any(|(from, to)| from == name && left.contains(to));
        let free: Vec<String> = left.iter().filter(|name| !waits(name)).cloned().collect();
        if free.is_empty() {
            let names = left.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Error::internal(format!("tables refer to each other in a circle: {names}")));
        }
        left.retain(|name| !free.contains(name));
        order.extend(free);
    }
    Ok(order)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// SQL that selects every row as a JSON line.
pub(crate) fn select_rows(dialect: Dialect, table: &Table) -> String {
    let value = |(name, kind): &(String, Kind)| {
        let c = quoted(name);
        match (dialect, kind) {
            (Dialect::Sqlite, Kind::Bytes) => format!("iif({c} is null, null, lower(hex({c})))"),
            (Dialect::Postgres, Kind::Bytes) => format!("encode({c}, 'hex')"),
            (Dialect::Postgres, Kind::Id) => format!("replace(cast({c} as text), '-', '')"),
            (Dialect::Postgres, Kind::Flag) => format!("cast({c} as integer)"),
            (Dialect::Postgres, Kind::Json) => format!("cast({c} as text)"),
            (Dialect::Postgres, Kind::Date) => format!("to_char({c}, 'YYYY-MM-DD')"),
            // Fractions of a second have no, three or six digits, as few as needed.
            (Dialect::Postgres, Kind::Instant) => {
                let at = format!("({c} at time zone 'UTC')");
                format!(
                    "to_char({at}, 'YYYY-MM-DD\"T\"HH24:MI:SS') || case \
                     when date_trunc('second', {at}) = {at} then '' \
                     when date_trunc('milliseconds', {at}) = {at} then to_char({at}, '.MS') \
                     else to_char({at}, '.US') end || '+00:00'"
                )
            }
            _ => c,
        }
    };
    let values: Vec<String> = table.columns.iter().map(value).collect();
    let (values, from) = (values.join(", "), quoted(&table.name));
    match dialect {
        Dialect::Sqlite => format!("select json_array({values}) from {from}"),
        Dialect::Postgres => format!("select cast(json_build_array({values}) as text) from {from}"),
    }
}

/// SQL that inserts the rows of `$1`, a JSON array of lines with values for `columns`. None if these are not the
/// columns of the table.
pub(crate) fn insert_rows(dialect: Dialect, table: &Table, columns: &[String]) -> Option<String> {
    if columns.len() != table.columns.len() {
        return None;
    }
    let mut names = Vec::new();
    let mut values = Vec::new();
    for (n, name) in columns.iter().enumerate() {
        let (_, kind) = table.columns.iter().find(|(of, _)| of == name)?;
        if names.contains(&quoted(name)) {
            return None;
        }
        names.push(quoted(name));
        let text = format!("r.value ->> {n}");
        values.push(match (dialect, kind) {
            (Dialect::Sqlite, Kind::Bytes) => format!("unhex({text})"),
            (Dialect::Postgres, Kind::Bytes) => format!("decode({text}, 'hex')"),
            (Dialect::Postgres, Kind::Number) => format!("cast({text} as bigint)"),
            (Dialect::Postgres, Kind::Flag) => format!("cast(cast({text} as integer) as boolean)"),
            (Dialect::Postgres, Kind::Id) => format!("cast({text} as uuid)"),
            (Dialect::Postgres, Kind::Instant) => format!("cast({text} as timestamptz)"),
            (Dialect::Postgres, Kind::Date) => format!("cast({text} as date)"),
            (Dialect::Postgres, Kind::Json) => format!("cast({text} as jsonb)"),
            _ => text,
        });
    }
    let (names, values, to) = (names.join(", "), values.join(", "), quoted(&table.name));
    Some(match dialect {
        Dialect::Sqlite => format!("insert into {to} ({names}) select {values} from json_each($1) r"),
        Dialect::Postgres => format!(
            "insert into {to} ({names}) select {values} from jsonb_array_elements(cast($1 as jsonb)) as r (value)"
        ),
    })
}

/// Number of rows of a table.
pub(crate) async fn count(db: &mut impl Sql, table: &Table) -> Result<i64> {
    db.sql_built(format!("select count(*) from {}", quoted(&table.name))).scalar().await
}

/// The rows of all these tables.
pub(crate) async fn count_all(db: &mut impl Sql, tables: &[Table]) -> Result<u64> {
    let mut rows = 0;
    for table in tables {
        rows += count(db, table).await?.unsigned_abs();
    }
    Ok(rows)
}

/// Disables triggers, so that rows can be inserted as they were. On PostgreSQL this also locks the tables, as SQLite
/// does anyway. Returns the statements for [`enable_triggers`].
pub(crate) async fn disable_triggers(tx: &mut Tx, tables: &[Table]) -> Result<Vec<String>> {
    let mut back = Vec::new();
    match tx.dialect() {
        Dialect::Sqlite => {
            let sql = "select name, tbl_name, sql from sqlite_master where type = 'trigger'";
            let triggers: Vec<(String, String, String)> = tx.sql(sql).all().await?;
            for (name, of, sql) in triggers {
                if tables.iter().any(|table| table.name == of) {
                    tx.sql_built(format!("drop trigger {}", quoted(&name))).run().await?;
                    back.push(sql);
                }
            }
        }
        Dialect::Postgres => {
            for table in tables {
                let name = quoted(&table.name);
                tx.sql_built(format!("alter table {name} disable trigger user")).run().await?;
                back.push(format!("alter table {name} enable trigger user"));
            }
        }
    }
    Ok(back)
}

/// Deletes all rows, also those that migrations insert: a backup has them.
pub(crate) async fn truncate(tx: &mut Tx, tables: &[Table]) -> Result<()> {
    for table in tables.iter().rev() {
        tx.sql_built(format!("delete from {}", quoted(&table.name))).run().await?;
    }
    Ok(())
}

/// Enables the triggers again.
pub(crate) async fn enable_triggers(tx: &mut Tx, back: Vec<String>) -> Result<()> {
    for sql in back {
        tx.sql_built(sql).run().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;

    #[test]
    fn referenced_tables_come_first_and_cycles_are_refused() {
        let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect::<Vec<_>>()
        };
        let all: BTreeSet<String> = names("a b c d").into_iter().collect();
        let order =
            sort_by_references(all.clone(), &pairs(&[("a", "c"), ("c", "b"), ("a", "elsewhere")])).expect("an order");
        assert_eq!(order, names("b d c a"));
        assert!(sort_by_references(all, &pairs(&[("a", "b"), ("b", "a")])).is_err());
    }

    #[tokio::test]
    async fn portal_tables_are_those_of_the_schema() {
        for world in [Some(World::sqlite().await), World::postgres().await].into_iter().flatten() {
            // A table missing from the list would be in no backup.
            assert_eq!(world.tables().await, PORTAL_TABLES);
            assert_eq!(list_tables(&mut world.db.clone()).await.expect("tables").len(), PORTAL_TABLES.len());
        }
        assert!(!is_portal_table("spatial_ref_sys"));
    }

    #[test]
    fn insert_rows_refuses_foreign_columns() {
        let table = Table {
            name: "people".to_owned(),
            columns: vec![("id".to_owned(), Kind::Id), ("name".to_owned(), Kind::Text)],
        };
        let insert = |columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
            insert_rows(Dialect::Postgres, &table, &columns)
        };
        assert_eq!(
            insert(&["name", "id"]).as_deref(),
            Some(
                "insert into \"people\" (\"name\", \"id\") select r.value ->> 0, cast(r.value ->> 1 as uuid) \
                 from jsonb_array_elements(cast($1 as jsonb)) as r (value)"
            )
        );
        assert_eq!(insert(&["id"]), None);
        assert_eq!(insert(&["id", "id"]), None);
        assert_eq!(insert(&["id", "name\"; drop table people; --"]), None);
    }
}
