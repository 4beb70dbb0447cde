//! Export of documents with their newest version. Which are internal only the staff see.
use super::column::{Column, column};
use crate::{
    kernel::{
        access::Actor,
        ctx::Ctx,
        error::Result,
        i18n,
        page::{Order, Page, PageQuery},
    },
    orders::{
        documents::{self, Document, DocumentSort, Filter},
        templates,
    },
};

pub(super) const COLUMNS: &[Column<Document>] = &[
    column("id", |_, row| row.id.to_string()),
    column("reference", |_, row| row.reference()),
    column("name", |ctx, row| templates::shown(ctx, &row.name)),
    column("client_name", |_, row| row.client_name()),
    column("spv_identifier", |_, row| row.spv_identifier().unwrap_or_default()),
    column("request_status", |_, row| row.request_status.map_or_else(String::new, |status| status.name().to_owned())),
    column("file_name", |_, row| row.latest.file_name.clone()),
    column("media_type", |_, row| row.latest.media_type.clone()),
    column("bytes", |_, row| row.latest.bytes.to_string()),
    column("sha256", |_, row| row.latest.sha256.clone()),
    column("scan", |_, row| row.latest.scan.name().to_owned()),
    column("uploaded_by", |ctx, row| i18n::actor_of_code(ctx.language(), &row.latest.uploaded_by)),
    column("versions_count", |_, row| row.versions_count.to_string()),
    column("updated_at", |_, row| row.updated_at.to_rfc3339()),
    column("internal", |_, row: &Document| row.internal.to_string()).only(Actor::is_staff),
];

/// The oldest first: a document that gets a version during the export moves to the end, which is still to come.
pub(super) async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Document>> {
    documents::list(ctx, &Filter { order: Order::ascending(DocumentSort::UpdatedAt), ..filter.clone() }, page).await
}
