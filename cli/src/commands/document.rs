//! `spvctl document …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::{Failure, Result},
    out_file::OutFile,
    output::{Record, info},
};
use bytes::Bytes;
use clap::{Args, Subcommand};
use domain::{
    kernel::{ids::DocumentRequestId, page::Order},
    orders::{
        document_requests,
        documents::{
            self, Change, Document, DocumentSort, Filter, RESTORABLE, Version,
            uploads::{self, CreateUpload},
        },
    },
};
use futures::{Stream, StreamExt, stream};
use std::{io::Write, path::PathBuf};
use tokio::{fs::File, io::AsyncReadExt};

/// Read buffer in bytes.
const CHUNK: usize = 256 << 10;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List documents, the one with the newest version first
    #[command(
        after_help = "Examples:\n  spvctl document list --spv SPV-2026-001\n  spvctl document list --q passport\n  spvctl document list --review submitted"
    )]
    List(List),
    /// Save the file of a version
    #[command(
        after_help = "Examples:\n  spvctl document get 6f1c2d3e-…\n  spvctl document get 6f1c2d3e-… --number 1 --out deed.pdf\n  spvctl document get 6f1c2d3e-… --out - | sha256sum"
    )]
    Get(Get),
    /// Upload a file to an order, a document, a request or a client
    #[command(
        after_help = "Examples:\n  spvctl document put deed.pdf --spv SPV-2026-001\n  spvctl document put deed.pdf --document 6f1c2d3e-…\n  spvctl document put letter.pdf --client maya@example.com"
    )]
    Put(Put),
    /// Rename a document, or move it to another order of its client
    #[command(
        after_help = "Examples:\n  spvctl document update 6f1c2d3e-… --name 'Certificate of incorporation'\n  spvctl document update 6f1c2d3e-… --spv SPV-2026-001\n  spvctl document update 6f1c2d3e-… --spv none"
    )]
    Update(Update),
    /// Delete a document that is attached to nothing; restorable for 30 days
    #[command(after_help = "Examples:\n  spvctl document delete 6f1c2d3e-…")]
    Delete(Target),
    /// Restore a deleted document
    #[command(after_help = "Examples:\n  spvctl document list --deleted\n  spvctl document undelete 6f1c2d3e-…")]
    Undelete(Target),
}

#[derive(Debug, Args)]
pub struct List {
    /// Beginnings of words of the document's, its order's or its client's name
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "ORDER")]
    spv: Option<String>,
    /// Email address, name or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Review status: submitted, approved, needs_revision or waived
    #[arg(long, value_name = "STATUS", value_parser = parse_name::<document_requests::Status>)]
    review: Option<document_requests::Status>,
    /// Deleted documents, which can be restored for 30 days
    #[arg(long)]
    deleted: bool,
    /// updated_at or name; -name for descending [default: -updated_at]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<DocumentSort>)]
    sort: Option<Order<DocumentSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct Get {
    /// Id, or its first characters
    document: String,
    /// Which version [default: the newest]
    #[arg(long, value_name = "N")]
    number: Option<i64>,
    /// Output file, `-` for standard output [default: the document's file name, in this folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub struct Update {
    /// Id, or its first characters
    document: String,
    /// New name
    #[arg(long, value_name = "NAME", required_unless_present = "spv")]
    name: Option<String>,
    /// Identifier, order number or id of another order of its client, or `none`
    #[arg(long, value_name = "ORDER")]
    spv: Option<String>,
}

#[derive(Debug, Args)]
pub struct Target {
    /// Id, or its first characters
    document: String,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("target").required(true))]
pub struct Put {
    /// File to upload
    file: PathBuf,
    /// For this order: identifier, order number or id
    #[arg(long, value_name = "ORDER", group = "target")]
    spv: Option<String>,
    /// As another version of this document: its id
    #[arg(long, value_name = "ID", group = "target")]
    document: Option<String>,
    /// For what was asked for: the request's id
    #[arg(long, value_name = "ID", group = "target")]
    request: Option<DocumentRequestId>,
    /// For this client: email address or id
    #[arg(long, value_name = "CLIENT", group = "target")]
    client: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let spv_id = match &args.spv {
                Some(name) => Some(lookup::spv(ctx, name).await?.spv.id),
                None => None,
            };
            let client_id = match &args.client {
                Some(name) => Some(lookup::client(ctx, name).await?.id),
                None => None,
            };
            let filter = Filter {
                q: args.q,
                spv_id,
                client_id,
                request_status: args.review,
                deleted: args.deleted,
                order: args.sort.unwrap_or_default(),
                ..Filter::default()
            };
            let page = args.paging.read(async |query| documents::list(ctx, &filter, &query).await).await?;
            out.page(page.items.iter().map(record).collect(), "documents", page.next_cursor)
        }
        Verb::Get(args) => get(args, cli).await,
        Verb::Put(args) => put(args, cli).await,
        Verb::Update(args) => {
            let id = lookup::document(ctx, &args.document).await?;
            let spv_id = match args.spv.as_deref() {
                Some("none") => Some(None),
                Some(name) => Some(Some(lookup::spv(ctx, name).await?.spv.id)),
                None => None,
            };
            let detail = documents::update(ctx, id, None, Change { name: args.name, spv_id }).await?;
            out.one(record(&detail.document))
        }
        Verb::Delete(args) => {
            let document = documents::get(ctx, lookup::document(ctx, &args.document).await?).await?.document;
            cli.prompt.confirm(&format!(
                "Delete {} of {}? It can be restored for {} days.",
                document.name,
                document.client_name(),
                RESTORABLE.num_days()
            ))?;
            let detail = documents::delete(ctx, document.id, Some(document.version)).await?;
            out.one(record(&detail.document))
        }
        Verb::Undelete(args) => {
            let id = lookup::document(ctx, &args.document).await?;
            let detail = documents::undelete(ctx, id, None).await?;
            out.one(record(&detail.document))
        }
    }
}

async fn get(args: Get, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let detail = documents::get(ctx, lookup::document(ctx, &args.document).await?).await?;
    let number = args.number.unwrap_or(detail.document.versions_count);
    let found = detail.versions.iter().find(|version| version.number == number);
    let version = found.ok_or_else(|| Failure::Refused(format!("the document has no version {number}")))?;
    let version = documents::download(ctx, version.id).await?;
    let mut content = ctx.options.storage.read(&version.storage_key, 0..version.bytes.unsigned_abs()).await?;
    let path = args.out.unwrap_or_else(|| PathBuf::from(&version.file_name));
    if path.as_os_str() == "-" {
        let mut to = std::io::stdout().lock();
        while let Some(bytes) = content.next().await {
            to.write_all(&bytes?)?;
        }
        return Ok(to.flush()?);
    }
    let target = OutFile::open(&path, args.force)?;
    let mut to = target.writer()?;
    while let Some(bytes) = content.next().await {
        to.write_all(&bytes?)?;
    }
    drop(to);
    let path = target.finish()?;
    info(&format!("Saved as {}.", path.display()));
    Ok(())
}

async fn put(args: Put, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let cannot = |e: std::io::Error| Failure::Refused(format!("{} cannot be read: {e}", args.file.display()));
    let file = File::open(&args.file).await.map_err(cannot)?;
    let bytes = file.metadata().await.map_err(cannot)?.len();
    let new = CreateUpload {
        file_name: args.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        bytes,
        document_id: match &args.document {
            Some(id) => Some(lookup::document(ctx, id).await?),
            None => None,
        },
        request_id: args.request,
        spv_id: match &args.spv {
            Some(name) => Some(lookup::spv(ctx, name).await?.spv.id),
            None => None,
        },
        client_id: match &args.client {
            Some(name) => Some(lookup::client(ctx, name).await?.id),
            None => None,
        },
        attach: false,
    };
    let upload = uploads::create(ctx, new).await?;
    let upload = uploads::append(ctx, upload.id, 0, chunks(file)).await?;
    let Some(document) = upload.saved_document_id else {
        uploads::cancel(ctx, upload.id).await?;
        return Err(Failure::Refused(format!("{} could not be read to its end", args.file.display())));
    };
    cli.out.one(record(&documents::get(ctx, document).await?.document))
}

fn chunks(file: File) -> impl Stream<Item = std::io::Result<Bytes>> + Send {
    stream::try_unfold(file, async |mut file| {
        let mut chunk = vec![0; CHUNK];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok((read > 0).then(|| (Bytes::from(chunk), file)))
    })
}

fn record(document: &Document) -> Record {
    let latest: &Version = &document.latest;
    Record::new()
        .with("id", document.id.to_string())
        .with("name", document.name.clone())
        .with("client", document.client_name())
        .with("order", document.spv_identifier())
        .with_room("review", document.request_status.map(|status| status.name()))
        .with_room("version", latest.number)
        .with_room("media_type", latest.media_type.clone())
        .with_room("bytes", latest.bytes)
        .with_room("scan", latest.scan.name())
        .hidden_in_table("file_name", latest.file_name.clone())
        .hidden_in_table("sha256", latest.sha256.clone())
        .hidden_in_table("uploaded_by", latest.uploaded_by.clone())
        .hidden_in_table("updated_at", document.updated_at.to_rfc3339())
}
