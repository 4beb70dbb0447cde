//! SQL of invoices.
use super::installments::Installment;
use super::lines::Line;
use super::model::{Due, Invoice, Payment, Status};
use super::payment_method::ReceivedPayment;
use super::payments::{self, ListedPayment};
use crate::kernel::{
    access::Scope,
    db::{
        ColumnKind, ColumnSpec, Db, Dialect, Row, Sql, Tx, const_concat, for_update, insert, nested_subquery,
        placeholders, select_nested, select_rows,
    },
    error::Result,
    ids::{CompanyId, DocumentId, InvoiceId, PaymentId, SpvId, UserId},
    money::{Currency, CurrencyTotal},
    page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
    search::{self, SearchScope},
    text::unique_key,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;

const LINES: &[ColumnSpec] = &[
    ("description", "t.description", ColumnKind::Plain),
    ("kind", "t.kind", ColumnKind::Plain),
    ("quantity", "t.quantity", ColumnKind::Plain),
    ("unit_price_minor", "t.unit_price_minor", ColumnKind::Plain),
    ("amount_minor", "t.amount_minor", ColumnKind::Plain),
    ("tax_percent", "t.tax_percent", ColumnKind::Plain),
];

const INSTALLMENTS: &[ColumnSpec] =
    &[("due_date", "t.due_date", ColumnKind::Plain), ("amount_minor", "t.amount_minor", ColumnKind::Plain)];

const SELECT_WITH_NAMES: &str = const_concat!(
    "select ",
    Invoice::LIST,
    " from invoices v join spvs s on s.id = v.spv_id join users c on c.id = v.client_id \
     left join invoices n on n.id = v.replaced_by_id"
);

/// Selects the rows of `from`, each with its lines and installments.
fn with_lines(dialect: Dialect, from: &str) -> String {
    let lines = "select description, kind, quantity, coalesce(unit_price_minor, amount_minor) as unit_price_minor, \
                 amount_minor, tax_percent from invoice_lines where invoice_id = t.id order by line_order";
    let lines = nested_subquery(dialect, &select_nested(dialect, LINES, lines));
    let mut columns = Invoice::COLUMNS.to_vec();
    columns.push(("lines", lines.as_str(), ColumnKind::Plain));
    let installments =
        "select due_date, amount_minor from invoice_installments where invoice_id = t.id order by installment_order";
    let installments = nested_subquery(dialect, &select_nested(dialect, INSTALLMENTS, installments));
    columns.push(("installments", installments.as_str(), ColumnKind::Plain));
    select_rows(dialect, &columns, from)
}

/// The next number of a year. The year's row stays locked until the transaction ends, so that a rollback leaves no gap.
pub async fn next_number(tx: &mut Tx, year: i64) -> Result<i64> {
    tx.sql(
        "insert into invoice_numbers (year, last) values ($1, 1) \
         on conflict (year) do update set last = invoice_numbers.last + 1 returning last",
    )
    .bind(year)
    .scalar()
    .await
}

/// Reserves the numbers of a year up to this one: the next number is higher. Locks the year's row, as [`next_number`].
pub async fn reserve_number(tx: &mut Tx, year: i64, number: i64) -> Result<()> {
    tx.sql(
        "insert into invoice_numbers (year, last) values ($1, $2) on conflict (year) do update \
         set last = case when invoice_numbers.last < $2 then $2 else invoice_numbers.last end",
    )
    .bind(year)
    .bind(number)
    .run()
    .await?;
    Ok(())
}

/// Locks the numbers of a year until the transaction ends; returns the last one.
pub async fn lock_numbers(tx: &mut Tx, year: i64) -> Result<i64> {
    tx.sql("update invoice_numbers set last = last where year = $1 returning last").bind(year).scalar().await
}

/// The client as addressed on the invoice, and the invoice's language.
#[derive(Debug, sqlx::FromRow)]
pub struct BillTo {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub language: String,
    pub address: Option<String>,
    pub street_address: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip_code: Option<String>,
    pub country: Option<String>,
}

pub async fn bill_to(db: &mut impl Sql, id: UserId) -> Result<BillTo> {
    db.sql(
        "select first_name, last_name, email, language, address, street_address, city, state, zip_code, country \
         from users where id = $1",
    )
    .bind(id)
    .one()
    .await
}

/// Non-ASCII texts that are or will be printed on invoices.
pub async fn non_ascii_texts(db: &mut impl Sql) -> Result<Vec<String>> {
    let columns = [
        ("invoices", "billed_to"),
        ("invoices", "billed_address"),
        ("invoices", "void_reason"),
        ("invoices", "tax_name"),
        ("invoices", "tax_note"),
        ("invoices", "terms"),
        ("invoice_lines", "description"),
        ("credit_notes", "description"),
        ("spvs", "custom_identifier"),
        ("users", "first_name"),
        ("users", "last_name"),
        ("users", "address"),
        ("users", "street_address"),
        ("users", "city"),
        ("users", "state"),
    ];
    let each = columns.map(|(table, column)| {
        format!("select {column} as text from {table} where octet_length({column}) <> length({column})")
    });
    let rows: Vec<(String,)> = db.sql_built(each.join(" union ")).all().await?;
    Ok(rows.into_iter().map(|(text,)| text).collect())
}

pub async fn insert(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    tx.sql(
        "insert into invoices (id, year, number, spv_id, client_id, billed_to, billed_address, currency, total_minor, \
         status, issued_date, due_date, created_at, updated_at, updated_by, manual, tax_minor, tax_included, tax_rounding, \
         tax_name, tax_note, terms, former_number, former_number_key) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
         $12, $13, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)",
    )
    .bind(invoice.id)
    .bind(invoice.year)
    .bind(invoice.number)
    .bind(invoice.spv_id)
    .bind(invoice.client_id)
    .bind(invoice.billed_to.clone())
    .bind(invoice.billed_address.clone())
    .bind(invoice.currency)
    .bind(invoice.total_minor)
    .bind(invoice.status)
    .bind(invoice.issued_date)
    .bind(invoice.due_date)
    .bind(invoice.created_at)
    .bind(invoice.updated_by.clone())
    .bind(invoice.manual)
    .bind(invoice.tax_minor)
    .bind(invoice.tax_included)
    .bind(invoice.tax_rounding)
    .bind(invoice.tax_name.clone())
    .bind(invoice.tax_note.clone())
    .bind(invoice.terms.clone())
    .bind(invoice.former_number.clone())
    .bind(invoice.former_number.as_deref().map(unique_key))
    .run()
    .await?;
    for (n, line) in (1..).zip(&invoice.lines) {
        insert_line(tx, invoice.id, n, line).await?;
    }
    insert_installments(tx, invoice).await
}

async fn insert_installments(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    for (n, Installment { due_date, amount_minor }) in (1_i64..).zip(&invoice.installments) {
        insert!(tx, "invoice_installments", {
            invoice_id: invoice.id,
            installment_order: n,
            due_date: *due_date,
            amount_minor: *amount_minor,
        })
        .run()
        .await?;
    }
    Ok(())
}

/// Replaces the installments of an invoice.
pub async fn replace_installments(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    tx.sql("delete from invoice_installments where invoice_id = $1").bind(invoice.id).run().await?;
    insert_installments(tx, invoice).await
}

async fn insert_line(tx: &mut Tx, invoice: InvoiceId, n: i64, line: &Line) -> Result<()> {
    insert!(tx, "invoice_lines", {
        invoice_id: invoice,
        line_order: n,
        description: line.description.clone(),
        kind: line.kind,
        quantity: line.quantity,
        unit_price_minor: line.unit_price_minor,
        amount_minor: line.amount_minor,
        tax_percent: line.tax_percent,
    })
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: InvoiceId) -> Result<Option<Invoice>> {
    let sql = with_lines(db.dialect(), &format!("{SELECT_WITH_NAMES} where v.id = $1"));
    let rows: Vec<Invoice> = db.sql_built(sql).bind(id).list().await?;
    Ok(rows.into_iter().next())
}

/// The invoices over an order's price, newest number first. All invoices of the order are locked until the transaction ends.
pub async fn lock_of_order(tx: &mut Tx, spv: SpvId) -> Result<Vec<Invoice>> {
    // By id, as row locks are taken in one order.
    if tx.dialect() == Dialect::Postgres {
        let text =
            format!("select v.id from invoices v where v.spv_id = $1 order by v.id{}", for_update(tx.dialect(), "v"));
        tx.sql_built(text).bind(spv).all::<(InvoiceId,)>().await?;
    }
    let from = format!("{SELECT_WITH_NAMES} where v.spv_id = $1 and not v.manual order by v.year desc, v.number desc");
    let sql = with_lines(tx.dialect(), &from);
    tx.sql_built(sql).bind(spv).list().await
}

/// Whether something was paid on the invoices over an order's price.
pub async fn has_payments(tx: &mut Tx, spv: SpvId) -> Result<bool> {
    tx.sql("select exists (select 1 from invoices where spv_id = $1 and not manual and paid_minor > 0)")
        .bind(spv)
        .scalar()
        .await
}

/// Whether an order has manual invoices that are not void.
pub async fn has_manual(tx: &mut Tx, spv: SpvId) -> Result<bool> {
    tx.sql("select exists (select 1 from invoices where spv_id = $1 and manual and status <> 'void')")
        .bind(spv)
        .scalar()
        .await
}

pub async fn by_number(db: &mut Db, year: i64, number: i64) -> Result<Option<InvoiceId>> {
    let row: Option<(InvoiceId,)> =
        db.sql("select id from invoices where year = $1 and number = $2").bind(year).bind(number).optional().await?;
    Ok(row.map(|(id,)| id))
}

/// The invoices with this former number, newest first: a series may begin anew each year.
pub async fn by_former_number(db: &mut impl Sql, name: &str) -> Result<Vec<(InvoiceId, i64)>> {
    db.sql("select id, year from invoices where former_number_key = $1 order by year desc")
        .bind(unique_key(name))
        .all()
        .await
}

/// Deletes an invoice with its lines, and frees its number, the last one of its year.
pub async fn remove(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    for table in ["invoice_lines", "invoice_installments"] {
        tx.sql_built(format!("delete from {table} where invoice_id = $1")).bind(invoice.id).run().await?;
    }
    tx.sql("delete from invoices where id = $1").bind(invoice.id).run().await?;
    tx.sql("update invoice_numbers set last = (select coalesce(max(number), 0) from invoices where year = $1) where year = $1")
        .bind(invoice.year)
        .run()
        .await?;
    Ok(())
}

/// Marks an invoice that is due until `soon` as already reminded, so that an import sends no reminder of it.
pub async fn suppress_reminders(tx: &mut Tx, id: InvoiceId, today: NaiveDate, soon: NaiveDate) -> Result<()> {
    tx.sql(
        "update invoices set warned_date = $2, reminded_date = case when due_date < $2 then $2 end \
         where id = $1 and due_date <= $3",
    )
    .bind(id)
    .bind(today)
    .bind(soon)
    .run()
    .await?;
    Ok(())
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: InvoiceId) -> Result<()> {
    tx.sql("update invoices set version = version where id = $1").bind(id).run().await?;
    Ok(())
}

/// Saves payments, credit notes, status, successor and due date. A new due date is reminded of anew.
pub async fn save(tx: &mut Tx, invoice: &Invoice) -> Result<()> {
    tx.sql(
        "update invoices set paid_minor = $2, status = $3, void_reason = $4, updated_at = $5, updated_by = $6, \
         version = $7, credited_minor = $8, replaced_by_id = $9, due_date = $10, \
         warned_date = case when due_date = $10 then warned_date end, \
         reminded_date = case when due_date = $10 then reminded_date end where id = $1",
    )
    .bind(invoice.id)
    .bind(invoice.paid_minor)
    .bind(invoice.status)
    .bind(invoice.void_reason.clone())
    .bind(invoice.updated_at)
    .bind(invoice.updated_by.clone())
    .bind(invoice.version)
    .bind(invoice.credited_minor)
    .bind(invoice.replaced_by_id)
    .bind(invoice.due_date)
    .run()
    .await?;
    Ok(())
}

/// Open invoices that are due between two days, of clients in one of `zones`, without the reminder of the column `mark`.
pub async fn due(
    tx: &mut Tx,
    (from, until): (NaiveDate, NaiveDate),
    mark: &'static str,
    zones: &[String],
    limit: i64,
) -> Result<Vec<Invoice>> {
    let from_rows = format!(
        "{SELECT_WITH_NAMES} where v.status in ('due', 'part_paid') and v.due_date >= $1 and v.due_date <= $2 \
         and v.{mark} is null and s.status <> 'cancelled' and c.time_zone in ({}) \
         order by v.due_date, v.id limit {limit}",
        placeholders(3, zones.len())
    );
    let sql = with_lines(tx.dialect(), &from_rows);
    let query = tx.sql_built(sql).bind(from).bind(until);
    zones.iter().fold(query, |query, zone| query.bind(zone.clone())).list().await
}

/// Marks a reminder as sent; false where the invoice was paid meanwhile, or another process sent it.
pub async fn mark_reminded(tx: &mut Tx, id: InvoiceId, mark: &'static str, today: NaiveDate) -> Result<bool> {
    let sql =
        format!("update invoices set {mark} = $2 where id = $1 and {mark} is null and status in ('due', 'part_paid')");
    Ok(tx.sql_built(sql).bind(id).bind(today).run().await? == 1)
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The number or former number, or search words of its order.
    pub q: Option<String>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    /// Invoices of the orders of this company.
    pub company_id: Option<CompanyId>,
    pub status: Option<Status>,
    pub due: Option<Due>,
    /// Only these ids.
    pub ids: Option<Vec<Uuid>>,
    pub order: Order<InvoiceSort>,
}

/// The sort keys of a list. Amounts are sorted within each currency, as amounts of two currencies do not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvoiceSort {
    Number,
    DueDate,
    BilledTo,
    Total,
}

impl SortKey for InvoiceSort {
    type Row = Invoice;
    const ALL: &'static [Self] = &[Self::Number, Self::DueDate, Self::BilledTo, Self::Total];
    const DEFAULT: Order<Self> = Order::descending(Self::Number);

    fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::DueDate => "due_date",
            Self::BilledTo => "billed_to",
            Self::Total => "total",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("v.id");
        match self {
            Self::Number => const { &[SortColumn::integer("v.year"), SortColumn::integer("v.number")] },
            Self::DueDate => const { &[SortColumn::date("v.due_date"), ID] },
            Self::BilledTo => const { &[SortColumn::text("v.billed_to"), ID] },
            Self::Total => const { &[SortColumn::text("v.currency"), SortColumn::integer("v.total_minor"), ID] },
        }
    }

    fn values(self, row: &Invoice) -> Value {
        match self {
            Self::Number => values((row.year, row.number)),
            Self::DueDate => values((row.due_date, row.id)),
            Self::BilledTo => values((&row.billed_to, row.id)),
            Self::Total => values((row.currency, row.total_minor, row.id)),
        }
    }
}

const TABLE: &str = "invoices v";
const IS_OPEN: &str = "v.status in ('due', 'part_paid')";

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter, today: NaiveDate) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("v.client_id"));
    all.and_id("v.spv_id", filter.spv_id.map(|id| id.0));
    all.and_id("v.client_id", filter.client_id.map(|id| id.0));
    if let Some(company) = filter.company_id {
        all.and_value("v.spv_id in (select s.id from spvs s where s.company_id = $)", company.0);
    }
    all.and_among("v.id", filter.ids.as_deref());
    if let Some(status) = filter.status {
        all.and(format!("v.status = '{}'", status.name()));
    }
    if let Some(due) = filter.due {
        all.and(IS_OPEN);
        let (first, last) = due.dates(today);
        for (condition, date) in [("v.due_date >= $", first), ("v.due_date <= $", last)] {
            if let Some(date) = date {
                all.and_value(condition, date);
            }
        }
    }
    let q = filter.q.as_deref().unwrap_or("");
    let is_former = !q.is_empty() && is_former_number(db, scope, q).await?;
    match parse_number(q) {
        Some((year, number)) if is_former => {
            let former = all.placeholder(unique_key(q));
            all.and(format!("(v.year = {year} and v.number = {number} or v.former_number_key = {former})"));
        }
        Some((year, number)) => all.and(format!("v.year = {year} and v.number = {number}")),
        None if is_former => all.and_value("v.former_number_key = $", unique_key(q)),
        None => {
            let few = filter.spv_id.is_some() || filter.client_id.is_some() || matches!(scope, Scope::Client(_));
            let narrow = search::condition(db, "spv", SearchScope::default().few(few), Some(q)).await?;
            all.and_search(&narrow, "v.spv_id");
            if !q.is_empty() && matches!(scope, Scope::Client(_)) {
                // A void invoice of an order that is another client's by now.
                all.and("exists (select 1 from spvs s where s.id = v.spv_id and s.client_id = v.client_id)");
            }
        }
    }
    Ok(all)
}

/// Whether an invoice in scope has this former number.
async fn is_former_number(db: &mut Db, scope: Scope, name: &str) -> Result<bool> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("v.client_id"));
    all.and_value("v.former_number_key = $", unique_key(name));
    let sql = format!("select exists (select 1 from {TABLE} where {})", all.sql());
    all.bind(db.sql_built(sql)).scalar().await
}

/// A page of the list. `today` is the office's.
pub async fn list(
    db: &mut Db,
    scope: Scope,
    filter: &Filter,
    today: NaiveDate,
    keyset: &Keyset,
) -> Result<Vec<Invoice>> {
    let mut all = conditions(db, scope, filter, today).await?;
    if !keyset.is_default() || filter.due.is_some() || filter.company_id.is_some() {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    let dialect = db.dialect();
    keyset.nested_rows(db, SELECT_WITH_NAMES, &all, |rows| with_lines(dialect, rows)).await
}

/// The number of rows and what is still due on them.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter, today: NaiveDate) -> Result<Total> {
    let due =
        "case when v.status in ('due', 'part_paid') then v.total_minor - v.credited_minor - v.paid_minor else 0 end";
    conditions(db, scope, filter, today).await?.total(db, TABLE, Some(("v.currency", due))).await
}

/// Parses an invoice number into year and number.
pub fn parse_number(name: &str) -> Option<(i64, i64)> {
    let (year, number) = name.trim().split_once('-')?;
    Some((year.parse().ok()?, number.parse().ok()?))
}

/// The outstanding amount in one currency.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Outstanding {
    pub currency: Currency,
    pub minor: i64,
    pub invoices: i64,
    pub overdue: i64,
    #[sqlx(flatten)]
    pub aging: Aging,
}

/// Outstanding amounts in minor units by [`Due::AGES`]. An invoice with installments counts whole in the age of the earliest
/// unpaid one, so that each sum is the total of the list filtered by it.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Aging {
    pub not_due: i64,
    pub overdue_30: i64,
    pub overdue_60: i64,
    pub overdue_90: i64,
    pub overdue_older: i64,
}

/// The outstanding amounts and their ages, by currency, of all clients in scope or one of them. `today` is the office's.
pub async fn outstanding(
    db: &mut Db,
    scope: Scope,
    client: Option<UserId>,
    today: NaiveDate,
) -> Result<Vec<Outstanding>> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("v.client_id"));
    all.and_id("v.client_id", client.map(|id| id.0));
    all.and(IS_OPEN);
    let aging = Due::AGES.map(|age| {
        let (first, last) = age.dates(today);
        let limits = [(">=", first), ("<=", last)].into_iter().filter_map(|(sign, date)| Some((sign, date?)));
        let limits: Vec<_> =
            limits.map(|(sign, date)| format!("v.due_date {sign} {}", all.placeholder(date))).collect();
        format!(
            "cast(coalesce(sum(v.total_minor - v.credited_minor - v.paid_minor) filter (where {}), 0) as bigint) as {}",
            limits.join(" and "),
            age.name()
        )
    });
    let sql = format!(
        "select v.currency, cast(sum(v.total_minor - v.credited_minor - v.paid_minor) as bigint) as minor, count(*) as invoices, \
         count(*) filter (where v.due_date < {}) as overdue, {} from {TABLE} \
         where {} group by v.currency order by v.currency",
        all.placeholder(today),
        aging.join(", "),
        all.sql()
    );
    all.bind(db.sql_built(sql)).all().await
}

/// Overpaid invoices: more was paid than they bill after their credit notes.
const IS_OVERPAID: &str = "v.paid_minor > v.total_minor - v.credited_minor";

/// The credit of clients by currency: what was paid beyond what is left of their invoices.
pub async fn credits(db: &mut Db, scope: Scope, client: Option<UserId>) -> Result<Vec<CurrencyTotal>> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("v.client_id"));
    all.and_id("v.client_id", client.map(|id| id.0));
    all.and(IS_OVERPAID);
    let sql = format!(
        "select v.currency, cast(sum(v.paid_minor - v.total_minor + v.credited_minor) as bigint) as minor from {TABLE} \
         where {} group by v.currency order by v.currency",
        all.sql()
    );
    all.bind(db.sql_built(sql)).all().await
}

pub async fn insert_payment(
    tx: &mut Tx,
    id: PaymentId,
    invoice: InvoiceId,
    way: &str,
    received: &ReceivedPayment,
    by: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    tx.sql(
        "insert into invoice_payments (id, invoice_id, way, amount_minor, received_date, note, recorded_by, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(invoice)
    .bind(way.to_owned())
    .bind(received.amount_minor)
    .bind(received.received_date)
    .bind(received.note.clone())
    .bind(by.to_owned())
    .bind(at)
    .run()
    .await?;
    Ok(())
}

/// The invoice of a payment.
pub async fn invoice_of_payment(db: &mut impl Sql, id: PaymentId) -> Result<Option<InvoiceId>> {
    let row: Option<(InvoiceId,)> =
        db.sql("select invoice_id from invoice_payments where id = $1").bind(id).optional().await?;
    Ok(row.map(|(id,)| id))
}

pub async fn remove_payment(tx: &mut Tx, id: PaymentId) -> Result<()> {
    tx.sql("delete from invoice_payments where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn payments(db: &mut impl Sql, invoice: InvoiceId) -> Result<Vec<Payment>> {
    db.sql(
        "select id, way, amount_minor, received_date, note, recorded_by, created_at from invoice_payments \
         where invoice_id = $1 order by created_at, id",
    )
    .bind(invoice)
    .all()
    .await
}

const SELECT_PAYMENTS: &str = const_concat!(
    "select ",
    ListedPayment::LIST,
    " from invoice_payments p join invoices v on v.id = p.invoice_id join spvs s on s.id = v.spv_id \
     join users c on c.id = v.client_id"
);

/// Payments of the invoices in scope, the oldest first.
pub async fn list_payments(
    db: &mut Db,
    scope: Scope,
    filter: &payments::Filter,
    after: Option<(NaiveDate, PaymentId)>,
    limit: usize,
) -> Result<Vec<ListedPayment>> {
    let mut all = Conditions::new(db.dialect());
    all.and_scope(scope, None, None, Some("v.client_id"));
    all.and_id("v.client_id", filter.client_id.map(|id| id.0));
    all.and_id("v.spv_id", filter.spv_id.map(|id| id.0));
    if let Some((date, id)) = after {
        let (date, id) = (all.placeholder(date), all.placeholder(id.0));
        all.and(format!("(p.received_date, p.id) > ({date}, {id})"));
    }
    let sql = format!("{SELECT_PAYMENTS} where {} order by p.received_date, p.id limit {limit}", all.sql());
    all.bind(db.sql_built(sql)).all().await
}

/// Inserts a proof of payment; false where the document is one already.
pub async fn insert_receipt(
    tx: &mut Tx,
    id: Uuid,
    invoice: InvoiceId,
    document: DocumentId,
    by: &str,
    at: DateTime<Utc>,
) -> Result<bool> {
    Ok(tx
        .sql(
            "insert into invoice_receipts (id, invoice_id, document_id, sent_by, created_at) values ($1, $2, $3, $4, $5) \
             on conflict (invoice_id, document_id) do nothing",
        )
        .bind(id)
        .bind(invoice)
        .bind(document)
        .bind(by.to_owned())
        .bind(at)
        .run()
        .await?
        == 1)
}

/// The proofs of payment with sender and time, newest first.
pub async fn receipts(db: &mut Db, invoice: InvoiceId) -> Result<Vec<(DocumentId, String, DateTime<Utc>)>> {
    db.sql(
        "select document_id, sent_by, created_at from invoice_receipts where invoice_id = $1 \
         order by created_at desc, id desc",
    )
    .bind(invoice)
    .all()
    .await
}
