//! SQL of documents and their versions.
use super::{
    model::{Document, Scan, Version},
    rollup::{self, VersionFacts},
};
use crate::{
    kernel::{
        access::Scope,
        ctx::Ctx,
        db::{Db, Sql, Tx, unindexed},
        error::Result,
        ids::{DocumentId, DocumentRequestId, SpvId, UserId, VersionId},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, SortValue, Total, values},
        search::{self, SearchCondition, SearchScope},
    },
    orders::document_requests,
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

const VERSION: &str = "v.id as version_id, v.document_id, v.number, v.file_name, v.media_type, v.bytes, v.sha256, \
    v.storage_key, v.scan, v.uploaded_by_id, v.uploaded_by, v.restored_from, v.created_at as version_at";

fn documents() -> String {
    format!(
        "select d.id, d.name, d.client_id, c.first_name as client_first_name, c.last_name as client_last_name, d.spv_id, \
         s.custom_identifier, s.vehicle_name, s.status as spv_status, d.request_id, r.status as request_status, d.internal, d.versions_count, \
         d.deleted_at, s.client_id as spv_client_id, d.updated_at, d.updated_by, d.version, {VERSION} \
         from documents d join document_versions v on v.document_id = d.id and v.number = d.versions_count \
         join users c on c.id = d.client_id left join spvs s on s.id = d.spv_id \
         left join document_requests r on r.id = d.request_id"
    )
}

/// The rows that documents are attached to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttachmentOwner {
    Message,
    Request,
    Invoice,
}

impl AttachmentOwner {
    /// The table, and its column beside `document_id`.
    fn table(self) -> (&'static str, &'static str) {
        match self {
            Self::Message => ("message_documents", "message_id"),
            Self::Request => ("request_documents", "request_id"),
            Self::Invoice => ("invoice_receipts", "invoice_id"),
        }
    }
}

/// The documents attached to these rows, each with its row; with `staff` also internal ones.
pub(crate) async fn attachments_of(
    db: &mut impl Sql,
    owner: AttachmentOwner,
    rows: &[Uuid],
    staff: bool,
) -> Result<Vec<(Uuid, Document)>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let params = |count: usize| (1..=count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ");
    let (table, column) = owner.table();
    let links = format!("select {column}, document_id from {table} where {column} in ({})", params(rows.len()));
    let mut query = db.sql_built(links);
    for row in rows {
        query = query.bind(*row);
    }
    let links: Vec<(Uuid, DocumentId)> = query.all().await?;
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let open = if staff { "" } else { " and not d.internal" };
    let wanted = params(links.len());
    let mut query = db.sql_built(format!("{} where d.id in ({wanted}){open} order by d.created_at, d.id", documents()));
    for (_, document) in &links {
        query = query.bind(*document);
    }
    let found: Vec<Document> = query.all().await?;
    let of = |document: Document| {
        let rows = links.iter().filter(|(_, id)| *id == document.id).map(|(row, _)| *row).collect::<Vec<_>>();
        rows.into_iter().map(move |row| (row, document.clone()))
    };
    Ok(found.into_iter().flat_map(of).collect())
}

/// Links a document to the row that it is attached to.
pub(crate) async fn link_attachment(
    tx: &mut Tx,
    owner: AttachmentOwner,
    row: Uuid,
    document: DocumentId,
) -> Result<()> {
    let (table, column) = owner.table();
    tx.sql_built(format!("insert into {table} ({column}, document_id) values ($1, $2)"))
        .bind(row)
        .bind(document)
        .run()
        .await?;
    Ok(())
}

/// Makes an internal document visible to its client.
pub(crate) async fn publish(tx: &mut Tx, id: DocumentId) -> Result<()> {
    tx.sql("update documents set internal = $2, version = version + 1 where id = $1")
        .bind(id)
        .bind(false)
        .run()
        .await?;
    Ok(())
}

/// A document that is not deleted.
pub async fn get(db: &mut impl Sql, id: DocumentId) -> Result<Option<Document>> {
    Ok(find(db, id).await?.filter(|document| document.deleted_at.is_none()))
}

/// A document, also a deleted one.
pub async fn find(db: &mut impl Sql, id: DocumentId) -> Result<Option<Document>> {
    db.sql_built(format!("{} where d.id = $1", documents())).bind(id).optional().await
}

pub async fn of_client(tx: &mut Tx, client: UserId) -> Result<Vec<Document>> {
    tx.sql_built(format!("{} where d.client_id = $1 and d.deleted_at is null order by d.id", documents()))
        .bind(client)
        .all()
        .await
}

pub async fn of_order(tx: &mut Tx, spv: SpvId) -> Result<Vec<Document>> {
    tx.sql_built(format!("{} where d.spv_id = $1 and d.deleted_at is null order by d.id", documents()))
        .bind(spv)
        .all()
        .await
}

/// The versions, newest first.
pub async fn versions(db: &mut impl Sql, id: DocumentId) -> Result<Vec<Version>> {
    let sql =
        format!("select {VERSION} from document_versions v where v.document_id = $1 order by v.number desc limit 500");
    db.sql_built(sql).bind(id).all().await
}

/// A version of a document that is not deleted, its client, and whether it is internal.
pub async fn version(db: &mut impl Sql, id: VersionId) -> Result<Option<(Version, UserId, bool)>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        client_id: UserId,
        internal: bool,
        #[sqlx(flatten)]
        version: Version,
    }
    let sql = format!(
        "select d.client_id, d.internal, {VERSION} from document_versions v join documents d on d.id = v.document_id \
         where v.id = $1 and d.deleted_at is null"
    );
    let row: Option<Row> = db.sql_built(sql).bind(id).optional().await?;
    Ok(row.map(|row| (row.version, row.client_id, row.internal)))
}

/// Locks a document until the transaction ends; None for a deleted one.
pub async fn lock(tx: &mut Tx, id: DocumentId) -> Result<Option<Document>> {
    tx.sql("update documents set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

pub async fn of_request(tx: &mut Tx, request: DocumentRequestId) -> Result<Option<DocumentId>> {
    let found: Option<(DocumentId,)> =
        tx.sql("select id from documents where request_id = $1").bind(request).optional().await?;
    Ok(found.map(|(id,)| id))
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub spv_id: Option<SpvId>,
    pub client_id: Option<UserId>,
    /// Documents uploaded for a document request of this status.
    pub request_status: Option<document_requests::Status>,
    /// Deleted documents instead of the others, for the staff.
    pub deleted: bool,
    pub order: Order<DocumentSort>,
    /// Only these ids, of a search or a selection.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentSort {
    /// By the time of the newest version.
    UpdatedAt,
    Name,
}

impl SortKey for DocumentSort {
    type Row = Document;
    const ALL: &'static [Self] = &[Self::UpdatedAt, Self::Name];
    const DEFAULT: Order<Self> = Order::descending(Self::UpdatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::UpdatedAt => "updated_at",
            Self::Name => "name",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("d.id");
        match self {
            Self::UpdatedAt => const { &[SortColumn::instant("d.updated_at"), ID] },
            Self::Name => const { &[SortColumn::text("d.name"), ID] },
        }
    }

    fn values(self, row: &Document) -> Value {
        match self {
            Self::UpdatedAt => values((row.updated_at, row.id)),
            Self::Name => values((&row.name, row.id)),
        }
    }
}

const TABLE: &str = "documents d";

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    // Documents are not visible to partners and companies.
    all.and_scope(scope, None, None, Some("d.client_id"));
    all.and_id("d.client_id", filter.client_id.map(|id| id.0));
    let of_client = matches!(scope, Scope::Client(_));
    if of_client {
        all.and("not d.internal");
    }
    all.and(if filter.deleted { "d.deleted_at is not null" } else { "d.deleted_at is null" });
    if filter.deleted && !matches!(scope, Scope::All) {
        all.and("1 = 0");
    }
    all.and_id("d.spv_id", filter.spv_id.map(|id| id.0));
    let few = of_client || filter.client_id.is_some() || filter.spv_id.is_some();
    if let Some(status) = filter.request_status {
        // Few documents are compared with their requests: SQLite would read all requests of the status first.
        let of_status = if few {
            unindexed("exists (select 1 from document_requests r where r.id = d.request_id and r.status = $)")
        } else {
            "d.request_id in (select r.id from document_requests r where r.status = $)".to_owned()
        };
        all.and_value(&of_status, SortValue::Text(status.name().to_owned()));
    }
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => {
            let within = SearchScope::default().few(few);
            search::condition(db, "document", within, filter.q.as_deref()).await?
        }
    };
    all.and_search(&narrow, "d.id");
    Ok(all)
}

/// A page of the list.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Document>> {
    let mut all = conditions(db, scope, filter).await?;
    if !keyset.is_default() || filter.request_status.is_some() {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    keyset.rows(db, &documents(), &all).await
}

/// The number of documents of a list.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, TABLE, None).await
}

/// The row of a new document, which has no version yet.
#[derive(Clone, Debug)]
pub struct InsertDocument {
    pub id: DocumentId,
    pub name: String,
    pub client_id: UserId,
    pub spv_id: Option<SpvId>,
    pub request_id: Option<DocumentRequestId>,
    pub internal: bool,
}

pub async fn insert(tx: &mut Tx, ctx: &Ctx, new: &InsertDocument) -> Result<()> {
    tx.sql(
        "insert into documents (id, name, client_id, spv_id, request_id, versions_count, created_at, updated_at, updated_by, \
         internal) values ($1, $2, $3, $4, $5, 0, $6, $6, $7, $8)",
    )
    .bind(new.id)
    .bind(new.name.clone())
    .bind(new.client_id)
    .bind(new.spv_id)
    .bind(new.request_id)
    .bind(ctx.now())
    .bind(ctx.actor_name())
    .bind(new.internal)
    .run()
    .await?;
    Ok(())
}

/// The row of a new version.
#[derive(Clone, Debug)]
pub struct InsertVersion {
    pub id: VersionId,
    pub file_name: String,
    pub media_type: String,
    pub bytes: i64,
    pub sha256: String,
    pub storage_key: String,
    pub scan: Scan,
    pub restored_from: Option<i64>,
}

/// Inserts the newest version of a locked document; returns its number.
pub async fn add_version(tx: &mut Tx, ctx: &Ctx, document: DocumentId, new: &InsertVersion) -> Result<i64> {
    let number: i64 = tx
        .sql(
            "update documents set versions_count = versions_count + 1, version = version + 1, updated_at = $2, \
             updated_by = $3 where id = $1 returning versions_count",
        )
        .bind(document)
        .bind(ctx.now())
        .bind(ctx.actor_name())
        .scalar()
        .await?;
    tx.sql(
        "insert into document_versions (id, document_id, number, file_name, media_type, bytes, sha256, storage_key, scan, \
         uploaded_by_id, uploaded_by, restored_from, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(new.id)
    .bind(document)
    .bind(number)
    .bind(new.file_name.clone())
    .bind(new.media_type.clone())
    .bind(new.bytes)
    .bind(new.sha256.clone())
    .bind(new.storage_key.clone())
    .bind(new.scan)
    .bind(ctx.actor.user_id())
    .bind(ctx.actor_name())
    .bind(new.restored_from)
    .bind(ctx.now())
    .run()
    .await?;
    rollup::count_new(tx, VersionFacts { bytes: new.bytes, restored: new.restored_from.is_some() });
    Ok(number)
}

/// Moves a client's document without an order to one of their orders; false for any other document.
pub async fn assign(tx: &mut Tx, id: DocumentId, client: UserId, spv: SpvId) -> Result<bool> {
    Ok(tx
        .sql(
            "update documents set spv_id = $3, version = version + 1 where id = $1 and client_id = $2 \
             and (spv_id is null or spv_id = $3)",
        )
        .bind(id)
        .bind(client)
        .bind(spv)
        .run()
        .await?
        == 1)
}

/// Saves name and order.
pub async fn save(tx: &mut Tx, ctx: &Ctx, id: DocumentId, name: &str, spv: Option<SpvId>) -> Result<()> {
    tx.sql(
        "update documents set name = $2, spv_id = $3, updated_at = $4, updated_by = $5, version = version + 1 where id = $1",
    )
    .bind(id)
    .bind(name.to_owned())
    .bind(spv)
    .bind(ctx.now())
    .bind(ctx.actor_name())
    .run()
    .await?;
    Ok(())
}

/// Saves since when a document is deleted; None restores it.
pub async fn save_deletion(tx: &mut Tx, ctx: &Ctx, id: DocumentId, deleted_at: Option<DateTime<Utc>>) -> Result<()> {
    tx.sql(
        "update documents set deleted_at = $2, updated_at = $3, updated_by = $4, version = version + 1 where id = $1",
    )
    .bind(id)
    .bind(deleted_at)
    .bind(ctx.now())
    .bind(ctx.actor_name())
    .run()
    .await?;
    Ok(())
}

/// The number of rows that refer to a document.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Uses {
    /// Requests for documents that it answers.
    pub requests: i64,
    /// Invoices whose payment it proves.
    pub invoices: i64,
    /// Messages and requests that it is attached to.
    pub attachments: i64,
}

impl Uses {
    pub fn any(self) -> bool {
        self.requests + self.invoices + self.attachments > 0
    }
}

pub async fn uses(tx: &mut Tx, id: DocumentId) -> Result<Uses> {
    tx.sql(
        "select (select count(*) from documents where id = $1 and request_id is not null) as requests, \
         (select count(*) from invoice_receipts where document_id = $1) as invoices, \
         (select count(*) from message_documents where document_id = $1) \
         + (select count(*) from request_documents where document_id = $1) as attachments",
    )
    .bind(id)
    .one()
    .await
}

/// Documents that were deleted before `before`, by the time of their last change.
pub async fn deleted_before(db: &mut Db, before: DateTime<Utc>, limit: i64) -> Result<Vec<DocumentId>> {
    let sql =
        "select id from documents where deleted_at is not null and deleted_at <= $1 order by updated_at, id limit $2";
    let rows: Vec<(DocumentId,)> = db.sql(sql).bind(before).bind(limit).all().await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Marks a document that was deleted before `before` as one whose content goes; false for one that was restored.
pub async fn seal(tx: &mut Tx, id: DocumentId, before: DateTime<Utc>) -> Result<bool> {
    let sql = "update documents set deleted_at = $3 where id = $1 and deleted_at is not null and deleted_at <= $2";
    Ok(tx.sql(sql).bind(id).bind(before).bind(DateTime::<Utc>::UNIX_EPOCH).run().await? == 1)
}

/// The storage keys of a document's contents.
pub async fn storage_keys(db: &mut Db, id: DocumentId) -> Result<Vec<String>> {
    let sql = "select distinct storage_key from document_versions where document_id = $1";
    let rows: Vec<(String,)> = db.sql(sql).bind(id).all().await?;
    Ok(rows.into_iter().map(|(key,)| key).collect())
}

/// Deletes the rows of a document and its versions, whose contents were deleted.
pub async fn remove(tx: &mut Tx, id: DocumentId) -> Result<()> {
    let removed: Vec<VersionFacts> = tx
        .sql("delete from document_versions where document_id = $1 returning bytes, restored_from is not null as restored")
        .bind(id)
        .all()
        .await?;
    for version in removed {
        rollup::count_removal(tx, version);
    }
    tx.sql("delete from documents where id = $1").bind(id).run().await?;
    Ok(())
}

/// Saves the result of a scan for every version with this content.
pub async fn save_scan(tx: &mut Tx, storage_key: &str, scan: Scan) -> Result<()> {
    tx.sql("update document_versions set scan = $2 where storage_key = $1")
        .bind(storage_key.to_owned())
        .bind(scan)
        .run()
        .await?;
    Ok(())
}

/// Whether a version has this content.
pub async fn is_stored(db: &mut Db, storage_key: &str) -> Result<bool> {
    db.sql("select exists (select 1 from document_versions where storage_key = $1)")
        .bind(storage_key.to_owned())
        .scalar()
        .await
}

/// Versions created before `before` that were never scanned, oldest first.
pub async fn unscanned(db: &mut Db, before: DateTime<Utc>, limit: i64) -> Result<Vec<VersionId>> {
    let sql = "select v.id from document_versions v join documents d on d.id = v.document_id \
        where v.scan in ('not_scanned', 'waiting') and v.created_at < $1 and d.deleted_at is null \
        order by v.created_at, v.id limit $2";
    let rows: Vec<(VersionId,)> = db.sql(sql).bind(before).bind(limit).all().await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Whether the document is attached to an internal note.
pub async fn is_on_internal_note(tx: &mut Tx, id: DocumentId) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from message_documents d join messages m on m.id = d.message_id \
         where d.document_id = $1 and m.internal)",
    )
    .bind(id)
    .scalar()
    .await
}
