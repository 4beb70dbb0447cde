//! SQL of leads.
use super::model::{Fields, Lead, Stage};
use crate::{
    accounts::users::email_key,
    kernel::{
        access::Scope,
        db::{Db, Row, Sql, Tx, const_concat, insert},
        error::Result,
        ids::{CompanyId, IsoId, LeadId, SpvId, UserId},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, Entry, SearchScope},
    },
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;

const SELECT_WITH_NAMES: &str = const_concat!(
    "select ",
    Lead::LIST,
    " from leads l join isos i on i.id = l.iso_id join companies k on k.id = l.company_id"
);

/// The row of a new lead.
pub struct InsertLead {
    pub id: LeadId,
    pub iso_id: IsoId,
    pub company_id: CompanyId,
    pub fields: Fields,
    pub protected_until: NaiveDate,
    pub at: DateTime<Utc>,
    pub by: String,
}

pub async fn insert(tx: &mut Tx, row: &InsertLead) -> Result<()> {
    let fields = &row.fields;
    let values = insert!(tx, "leads", fields, {
        id: row.id,
        iso_id: row.iso_id,
        company_id: row.company_id,
        email_key: email_key(&fields.email),
        phone_key: fields.phone.as_deref().and_then(super::digits),
        stage: Stage::New,
        protected_until: row.protected_until,
        created_at: row.at,
        updated_at: row.at,
        updated_by: row.by.clone(),
    });
    values.run().await?;
    index(tx, row.id, row.iso_id, fields).await
}

pub async fn index(tx: &mut Tx, id: LeadId, iso: IsoId, fields: &Fields) -> Result<()> {
    let texts = [&fields.first_name, &fields.last_name, &fields.email].map(String::as_str).into_iter();
    let more = [&fields.organisation, &fields.phone].into_iter().flatten().map(String::as_str);
    let texts = texts.chain(more).collect();
    search::index(tx, Entry { kind: "lead", subject: id.0, company: None, iso: Some(iso), texts }).await
}

/// Whether a client, or a protected lead but `but`, has this email key or these phone digits.
pub async fn is_known(
    tx: &mut Tx,
    email: &str,
    phone: Option<&str>,
    but: Option<LeadId>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let client: bool = tx
        .sql("select exists (select 1 from users where email_key = $1 and role = 'client')")
        .bind(email.to_owned())
        .scalar()
        .await?;
    if client {
        return Ok(true);
    }
    if let Some(phone) = phone
        && tx.sql_built(client_with_phone_sql("$1")).bind(phone.to_owned()).scalar().await?
    {
        return Ok(true);
    }
    for (column, key) in [("email_key", Some(email)), ("phone_key", phone)] {
        let Some(key) = key else { continue };
        let found: Vec<Lead> = tx
            .sql_built(format!(
                "{SELECT_WITH_NAMES} where l.{column} = $1 and l.id <> $2 and l.stage <> 'lost' \
                 and (l.protected_until >= $3 or l.stage = 'won')"
            ))
            .bind(key.to_owned())
            .bind(but.map_or(Uuid::nil(), |id| id.0))
            .bind(earliest_local_date(now))
            .all()
            .await?;
        if found.iter().any(|lead| lead.stage == Stage::Won || lead.protected_days(now).is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The earliest date that any time zone shows: a protection that ended before it has ended everywhere.
fn earliest_local_date(now: DateTime<Utc>) -> NaiveDate {
    now.date_naive() - Days::new(1)
}

/// A phone number without separators; the index `users_by_phone` has the same expression.
const PHONE_KEY: &str = "replace(replace(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), \
    ')', ''), '.', ''), '/', ''), '+', '')";

/// The query whether a client has this phone; public for the test of its plan.
pub fn client_with_phone_sql(key: &str) -> String {
    format!("select exists (select 1 from users where {PHONE_KEY} = {key} and role = 'client')")
}

/// Another partner's protected lead of the same person; of any partner where `partner` is None.
pub async fn find_protected(
    tx: &mut Tx,
    email: &str,
    phone: Option<&str>,
    partner: Option<IsoId>,
    now: DateTime<Utc>,
) -> Result<Option<Lead>> {
    for (column, key) in [("email_key", Some(email)), ("phone_key", phone)] {
        let Some(key) = key else { continue };
        let found: Vec<Lead> = tx
            .sql_built(format!(
                "{SELECT_WITH_NAMES} where l.{column} = $1 and l.iso_id <> $2 and l.stage not in ('won', 'lost') \
                 and l.protected_until >= $3 order by l.protected_until desc, l.id"
            ))
            .bind(key.to_owned())
            .bind(partner.map_or(Uuid::nil(), |id| id.0))
            .bind(earliest_local_date(now))
            .all()
            .await?;
        let found = found.into_iter().find(|lead| lead.protected_days(now).is_some());
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

pub async fn get(db: &mut impl Sql, id: LeadId) -> Result<Option<Lead>> {
    db.sql_built(format!("{SELECT_WITH_NAMES} where l.id = $1")).bind(id).optional().await
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: LeadId) -> Result<()> {
    tx.sql("update leads set version = version where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, id: LeadId, fields: &Fields, stage: Stage, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "update leads set first_name = $2, last_name = $3, email = $4, email_key = $5, phone = $6, phone_key = $7, \
         organisation = $8, note = $9, next_step = $10, next_step_date = $11, stage = $12, updated_at = $13, \
         updated_by = $14, version = version + 1 where id = $1",
    )
    .bind(id)
    .bind(fields.first_name.clone())
    .bind(fields.last_name.clone())
    .bind(fields.email.clone())
    .bind(email_key(&fields.email))
    .bind(fields.phone.clone())
    .bind(fields.phone.as_deref().and_then(super::digits))
    .bind(fields.organisation.clone())
    .bind(fields.note.clone())
    .bind(fields.next_step.clone())
    .bind(fields.next_step_date)
    .bind(stage)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

/// Saves the client and the order that the lead became.
pub async fn mark_won(tx: &mut Tx, id: LeadId, client: UserId, spv: SpvId, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "update leads set stage = 'won', client_id = $2, spv_id = $3, converted_at = $4, updated_at = $4, \
         updated_by = $5, version = version + 1 where id = $1",
    )
    .bind(id)
    .bind(client)
    .bind(spv)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub stage: Option<Stage>,
    pub iso_id: Option<IsoId>,
    pub order: Order<LeadSort>,
    /// Only these ids.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadSort {
    CreatedAt,
    /// By first name, then last name.
    FirstName,
    /// Leads without a next step last.
    NextStepDate,
}

impl SortKey for LeadSort {
    type Row = Lead;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::FirstName, Self::NextStepDate];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::FirstName => "first_name",
            Self::NextStepDate => "next_step_date",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("l.id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("l.created_at"), ID] },
            Self::FirstName => const { &[SortColumn::text("l.first_name"), SortColumn::text("l.last_name"), ID] },
            Self::NextStepDate => const { &[SortColumn::date("l.next_step_date").nulls_last(), ID] },
        }
    }

    fn values(self, row: &Lead) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::FirstName => values((&row.first_name, &row.last_name, row.id)),
            Self::NextStepDate => values((row.next_step_date, row.id)),
        }
    }
}

const TABLE: &str = "leads l";

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    // Leads are visible to their partner and the staff only.
    all.and_scope(scope, None, Some("l.iso_id"), None);
    all.and_id("l.iso_id", filter.iso_id.map(|id| id.0));
    all.and_among("l.id", filter.ids.as_deref());
    if let Some(stage) = filter.stage {
        all.and(format!("l.stage = '{}'", stage.name()));
    }
    let within = SearchScope::from(scope).iso(filter.iso_id);
    all.and_search(&search::condition(db, "lead", within, filter.q.as_deref()).await?, "l.id");
    Ok(all)
}

/// A page of the list.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Lead>> {
    let mut all = conditions(db, scope, filter).await?;
    if !keyset.is_default() {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    keyset.rows(db, SELECT_WITH_NAMES, &all).await
}

/// The number of leads of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, TABLE, None).await
}

/// The number of a partner's leads that are neither won nor lost.
pub async fn count_pending(db: &mut impl Sql, iso: IsoId) -> Result<i64> {
    let pending: Vec<String> =
        Stage::ALL.into_iter().filter(|stage| stage.is_pending()).map(|stage| format!("'{}'", stage.name())).collect();
    let sql = format!("select count(*) from leads where iso_id = $1 and stage in ({})", pending.join(", "));
    db.sql_built(sql).bind(iso).scalar().await
}
