//! Imports of files: a trial or an import in one request, and their undo.
use crate::{
    body::MAX_IMPORT_BYTES,
    error::{ApiError, Result},
    extract::{Path, Query, SignedIn},
    response::{ItemList, JsonBody},
};
use axum::extract::Request;
use chrono::{DateTime, Utc};
use domain::{
    Ctx, Error,
    kernel::{error::FieldError, i18n, ids::ImportId},
    operations::imports::{
        self, BATCH_ROWS, Difference, ImportOptions, ImportRecord, ImportTotals, Kind, LineOutcome, Outcome,
        UndoOutcome,
        reading::{self, Container, DateOrder, Delimiter, FileFormat, ImportFile, MappedColumn, ReadOptions, Target},
    },
};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, future::Future, time::Duration};
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

/// Rows of a file: more of them take longer than proxies wait. `spvctl import` has no limit.
const MAX_ROWS: usize = 20_000;
/// Timeout of a body that stops arriving.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Rows that a report lists.
const MAX_LISTED: usize = 1_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ImportQuery {
    kind: Kind,
    /// Name of the file, for the list of imports.
    #[serde(default)]
    file_name: Option<String>,
    /// Stores nothing and reports what would happen. Also answers for a file that cannot be imported yet: see `problems`.
    #[serde(default)]
    dry_run: bool,
    /// Applies the file's values to rows that exist with other ones.
    #[serde(default)]
    update: bool,
    /// JSON object of headers and the columns that they are read as; an empty column skips the header.
    #[serde(default)]
    #[param(example = json!("{\"Given name\":\"first_name\",\"Shoe size\":\"\"}"))]
    map: Option<String>,
    /// Skips unknown columns.
    #[serde(default)]
    ignore_unknown: bool,
    /// Order of day, month and year: `DD.MM.YYYY`, `MM/DD/YYYY` or `YYYY-MM-DD`. Default: detected.
    #[serde(default)]
    date_format: Option<String>,
    /// Whether amounts have a decimal comma. Default: detected.
    #[serde(default)]
    decimal_comma: Option<bool>,
    /// Sheet of a workbook. Default: the first.
    #[serde(default)]
    sheet: Option<String>,
}

impl ImportQuery {
    fn read_options(&self) -> domain::kernel::error::Result<ReadOptions> {
        let map: BTreeMap<String, String> = match self.map.as_deref().filter(|text| !text.is_empty()) {
            Some(text) => serde_json::from_str(text).map_err(|_| Error::field("map", "malformed"))?,
            None => BTreeMap::new(),
        };
        let order = self.date_format.as_deref().filter(|text| !text.is_empty()).map(str::parse::<DateOrder>);
        let date_order = order.transpose().map_err(|problem| Error::field_with("date_format", problem))?;
        Ok(ReadOptions {
            map: map.into_iter().collect(),
            ignore_unknown: self.ignore_unknown,
            date_order,
            decimal_comma: self.decimal_comma,
            sheet: self.sheet.clone().filter(|name| !name.is_empty()),
            max_rows: Some(MAX_ROWS),
        })
    }
}

/// How the file was read.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportFormat {
    container: ImportContainer,
    /// Of a CSV file.
    separator: Option<Delimiter>,
    /// Of a text file.
    #[schema(example = "windows-1252")]
    encoding: Option<&'static str>,
    /// Of a workbook.
    sheet: Option<String>,
    /// Null if no amount tells.
    decimal_comma: Option<bool>,
    /// Null for ISO 8601.
    #[schema(example = "DD.MM.YYYY")]
    dates: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportContainer {
    Csv,
    JsonLines,
    Workbook,
}

impl From<FileFormat> for ImportFormat {
    fn from(format: FileFormat) -> Self {
        let (container, separator, encoding, sheet) = match format.container {
            Container::Csv { delimiter, encoding } => (ImportContainer::Csv, Some(delimiter), Some(encoding), None),
            Container::JsonLines { encoding } => (ImportContainer::JsonLines, None, Some(encoding), None),
            Container::Workbook { sheet } => (ImportContainer::Workbook, None, None, Some(sheet)),
        };
        let FileFormat { decimal_comma, dates, .. } = format;
        Self { container, separator, encoding, sheet, decimal_comma, dates }
    }
}

/// A column of the file.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportColumn {
    header: String,
    use_as: ColumnUse,
    /// The column that it is read as.
    column: Option<&'static str>,
    /// For an unknown header, the column that is probably meant.
    nearest: Option<&'static str>,
    /// Its first filled cells, up to three.
    samples: Vec<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnUse {
    Read,
    /// Follows from other columns, or was skipped by `map`.
    Skipped,
    Unknown,
}

impl From<MappedColumn> for ImportColumn {
    fn from(of: MappedColumn) -> Self {
        let (use_as, column) = match of.target {
            Target::Read(name) => (ColumnUse::Read, Some(name)),
            Target::Skipped => (ColumnUse::Skipped, None),
            Target::Unknown => (ColumnUse::Unknown, None),
        };
        Self { header: of.header, use_as, column, nearest: of.nearest, samples: of.samples }
    }
}

/// A column that a header can be mapped to.
#[derive(Debug, Serialize, ToSchema)]
pub struct AvailableColumn {
    #[schema(example = "first_name")]
    name: &'static str,
    required: bool,
}

/// What must be decided before the file can be imported.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportProblem {
    /// The parameter that decides: `map`, `date_format`, `decimal_comma`; `file` if the file is empty or too long.
    field: String,
    code: &'static str,
    message: String,
}

/// Number of rows by outcome.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportCounts {
    created: u64,
    updated: u64,
    /// Already there with the same values.
    present: u64,
    /// Already there with other values, which were left alone.
    differing: u64,
    rejected: u64,
}

/// A row that is neither new nor the same as the portal's.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportRow {
    /// Line of the file, or row of the sheet, from 1.
    line: usize,
    /// Name, company or identifier; empty if the row could not be read.
    label: String,
    outcome: RowOutcome,
    /// Columns at fault, of a rejected row.
    fields: Vec<String>,
    /// The cell of the first of them.
    value: Option<String>,
    /// Why it is rejected.
    reason: Option<String>,
    /// Values that are not the portal's, of a row that differs or was updated.
    differences: Vec<ImportDifference>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    Rejected,
    Differs,
    Updated,
    /// Exists under another spelling, which is the `value`.
    Present,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ImportDifference {
    column: &'static str,
    portal: String,
    file: String,
}

impl From<Difference> for ImportDifference {
    fn from(of: Difference) -> Self {
        Self { column: of.column, portal: of.portal, file: of.file }
    }
}

impl ImportRow {
    /// None for a row that needs no attention.
    fn of(ctx: &Ctx, LineOutcome { line, label, outcome }: LineOutcome) -> Option<Self> {
        let row = |outcome| Self {
            line,
            label: label.clone(),
            outcome,
            fields: Vec::new(),
            value: None,
            reason: None,
            differences: Vec::new(),
        };
        let differ = |outcome, found: Vec<Difference>| Self {
            differences: found.into_iter().map(ImportDifference::from).collect(),
            ..row(outcome)
        };
        match outcome {
            Outcome::Created | Outcome::Present(None) => None,
            Outcome::Present(spelling) => Some(Self { value: spelling, ..row(RowOutcome::Present) }),
            Outcome::Updated(found) => Some(differ(RowOutcome::Updated, found)),
            Outcome::Differs(found) => Some(differ(RowOutcome::Differs, found)),
            Outcome::Rejected { error, value } => {
                let (fields, reason) = match &error {
                    Error::Invalid(fields) => {
                        let reasons: Vec<_> = fields.iter().map(|field| i18n::field(ctx.language(), field)).collect();
                        (fields.iter().map(|error| error.field.clone()).collect(), reasons.join(" "))
                    }
                    error => (Vec::new(), i18n::error(ctx.language(), error)),
                };
                Some(Self { fields, value, reason: Some(reason), ..row(RowOutcome::Rejected) })
            }
        }
    }
}

/// Report of an import or its trial.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportReport {
    /// For the undo; null for a trial and if no row was created.
    id: Option<ImportId>,
    kind: Kind,
    dry_run: bool,
    format: ImportFormat,
    /// In the order of the file.
    columns: Vec<ImportColumn>,
    /// Columns that headers can be mapped to.
    available_columns: Vec<AvailableColumn>,
    /// Only of a trial: with any, no row was tried.
    problems: Vec<ImportProblem>,
    /// Rows of the file.
    rows_total: usize,
    counts: ImportCounts,
    /// Rejected, differing and updated rows, by line; up to 1,000.
    rows: Vec<ImportRow>,
    /// Further rows of this kind that are not listed.
    rows_omitted: usize,
}

/// Imports a file: CSV of any usual delimiter and encoding, JSON Lines or XLSX, up to 10 MB and 20,000 rows. Sends no emails and
/// issues no invoices. Try it with `dry_run` first. Super admins.
#[utoipa::path(post, path = "/imports", operation_id = "import_create", tag = "imports", params(ImportQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = ImportReport)))]
pub async fn create(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ImportQuery>,
    request: Request,
) -> Result<JsonBody<ImportReport>> {
    imports::check_access(&ctx)?;
    let options = query.read_options()?;
    let bytes = file(request).await?;
    let kind = query.kind;
    let found =
        tokio::task::spawn_blocking(move || reading::read(kind, &bytes, &options)).await.map_err(Error::internal)??;
    if !found.problems.is_empty() && !query.dry_run {
        return Err(Error::Invalid(found.problems).into());
    }
    Ok(JsonBody(run_to_end(async move { import(&ctx, &query, found).await }).await?))
}

/// Runs work in a task of its own, so that it ends with its totals and its log entry also when the client disconnects.
async fn run_to_end<T: Send + 'static>(
    work: impl Future<Output = domain::kernel::error::Result<T>> + Send + 'static,
) -> domain::kernel::error::Result<T> {
    tokio::spawn(work.in_current_span()).await.map_err(Error::internal)?
}

/// The body, up to [`MAX_IMPORT_BYTES`].
async fn file(request: Request) -> Result<Vec<u8>, ApiError> {
    let mut parts = request.into_body().into_data_stream();
    let mut bytes = Vec::new();
    while let Some(part) = tokio::time::timeout(BODY_TIMEOUT, parts.next()).await.map_err(|_| ApiError::timeout())? {
        let part = part.map_err(|_| ApiError::timeout())?;
        if bytes.len() + part.len() > MAX_IMPORT_BYTES {
            return Err(ApiError::too_large(MAX_IMPORT_BYTES));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

async fn import(ctx: &Ctx, query: &ImportQuery, found: ImportFile) -> domain::kernel::error::Result<ImportReport> {
    let options = ImportOptions { dry_run: query.dry_run, update: query.update };
    let file_name = query.file_name.as_deref().unwrap_or_default();
    let mut import = imports::start(ctx, query.kind, file_name, options, &found.lines)?;
    let (id, rows_total) = (import.id(), found.lines.len());
    let problems: Vec<ImportProblem> = found.problems.iter().map(|error| problem(ctx, error)).collect();
    let (mut rows, mut rows_omitted) = (Vec::new(), 0);
    let mut lines = found.lines.into_iter().peekable();
    let mut stopped = Ok(());
    while problems.is_empty() && lines.peek().is_some() {
        match import.batch(lines.by_ref().take(BATCH_ROWS).collect()).await {
            Ok(done) => {
                for row in done.into_iter().filter_map(|done| ImportRow::of(ctx, done)) {
                    if rows.len() == MAX_LISTED { rows_omitted += 1 } else { rows.push(row) }
                }
            }
            Err(error) => {
                stopped = Err(error);
                break;
            }
        }
    }
    // The rows of earlier batches stay: their totals are stored also after an error.
    let totals = import.finish().await?;
    stopped?;
    let columns = imports::columns(query.kind);
    Ok(ImportReport {
        id: (totals.created > 0 && !query.dry_run).then_some(id),
        kind: query.kind,
        dry_run: query.dry_run,
        format: found.format.into(),
        columns: found.columns.into_iter().map(ImportColumn::from).collect(),
        available_columns: columns
            .read()
            .map(|name| AvailableColumn { name, required: columns.required.contains(&name) })
            .collect(),
        problems,
        rows_total,
        counts: totals.into(),
        rows,
        rows_omitted,
    })
}

fn problem(ctx: &Ctx, error: &FieldError) -> ImportProblem {
    let message = i18n::field(ctx.language(), error);
    ImportProblem { field: error.field.clone(), code: error.problem.code, message }
}

impl From<ImportTotals> for ImportCounts {
    fn from(totals: ImportTotals) -> Self {
        let ImportTotals { created, updated, present, differing, rejected } = totals;
        Self { created, updated, present, differing, rejected }
    }
}

/// An import that created rows.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportSummary {
    id: ImportId,
    kind: Kind,
    file_name: String,
    created_at: DateTime<Utc>,
    /// Name of the person or actor.
    created_by: String,
    created: i64,
    updated: i64,
    present: i64,
    differing: i64,
    rejected: i64,
    /// Rows that an undo has removed.
    removed: i64,
    undone_at: Option<DateTime<Utc>>,
    undo_until: DateTime<Utc>,
}

impl ImportSummary {
    fn of(ctx: &Ctx, row: ImportRecord) -> Self {
        Self {
            undo_until: row.undo_until(),
            id: row.id,
            kind: row.kind,
            file_name: row.file_name,
            created_at: row.created_at,
            created_by: i18n::actor_of_code(ctx.language(), &row.created_by),
            created: row.created_rows,
            updated: row.updated_rows,
            present: row.present_rows,
            differing: row.differing_rows,
            rejected: row.rejected_rows,
            removed: row.removed_rows,
            undone_at: row.undone_at,
        }
    }
}

/// The newest 50 imports that created rows. Super admins.
#[utoipa::path(get, path = "/imports", operation_id = "import_list", tag = "imports",
    responses((status = 200, body = ItemList<ImportSummary>)))]
pub async fn list(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<ImportSummary>>> {
    let found = imports::list(&ctx).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(|row| ImportSummary::of(&ctx, row)).collect() }))
}

/// Outcome of an undo.
#[derive(Debug, Serialize, ToSchema)]
pub struct UndoReport {
    import: ImportSummary,
    /// Rows that were removed.
    removed: u64,
    /// Rows that stay, as they were changed or are used, by line; up to 1,000.
    kept: Vec<KeptRow>,
    kept_total: usize,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct KeptRow {
    line: i64,
    label: String,
    reason: String,
}

/// Undoes an import within 24 hours: removes the rows that it created, unless they were changed or used since. Updated values stay.
/// Super admins.
#[utoipa::path(post, path = "/imports/{id}/undo", operation_id = "import_undo", tag = "imports",
    params(("id" = ImportId, Path)), responses((status = 200, body = UndoReport)))]
pub async fn undo(SignedIn(ctx): SignedIn, Path(id): Path<ImportId>) -> Result<JsonBody<UndoReport>> {
    let undo = ctx.clone();
    let UndoOutcome { import, removed, kept } = run_to_end(async move { imports::undo(&undo, id).await }).await?;
    let kept_total = kept.len();
    let kept = kept.into_iter().take(MAX_LISTED).map(|row| KeptRow {
        line: row.line,
        label: row.label,
        reason: i18n::error(ctx.language(), &row.reason),
    });
    Ok(JsonBody(UndoReport { removed, kept: kept.collect(), kept_total, import: ImportSummary::of(&ctx, import) }))
}
