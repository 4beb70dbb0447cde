//! `spvctl export …`
use crate::{
    context::CliContext,
    exit::Result,
    out_file::OutFile,
    output::{Format, counted, info},
};
use clap::ValueEnum;
use domain::{
    accounts::users::{Status, UserQuery},
    desk::requests,
    directory::{calls, clients, companies, isos, leads},
    kernel::csv,
    orders::{
        documents,
        invoices::{self, credit_notes},
        spvs,
    },
    platform::activity,
    reporting::exports::{self, Table},
};
use serde_json::{Map, Value};
use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl export spvs > spvs.csv\n  spvctl export clients --format json --out clients.jsonl\n  spvctl export spvs --out spvs.csv --force\n  spvctl export activity | head"
)]
pub struct Args {
    /// Table to export
    #[arg(value_enum)]
    table: TableName,
    /// Output file instead of standard output; a CSV file begins with a byte-order mark, as Excel needs it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the output file if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// Begin CSV with a byte-order mark on standard output, too
    #[arg(long)]
    bom: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TableName {
    Clients,
    Companies,
    Isos,
    Spvs,
    Requests,
    Invoices,
    CreditNotes,
    Payments,
    Services,
    Documents,
    Steps,
    Messages,
    Leads,
    Calls,
    Users,
    Activity,
}

impl TableName {
    /// The exports of a table; active and archived rows are two exports.
    fn tables(self) -> Vec<Table> {
        match self {
            Self::Clients => vec![
                Table::Clients(clients::Filter::default()),
                Table::Clients(clients::Filter { status: Some(Status::Archived), ..clients::Filter::default() }),
            ],
            Self::Companies => [false, true]
                .map(|archived| Table::Companies(companies::Filter { archived, ..companies::Filter::default() }))
                .to_vec(),
            Self::Isos => {
                [false, true].map(|archived| Table::Isos(isos::Filter { archived, ..isos::Filter::default() })).to_vec()
            }
            Self::Spvs => vec![Table::Spvs(spvs::Filter::default())],
            Self::Requests => vec![Table::Requests(requests::Filter::default())],
            Self::Invoices => vec![Table::Invoices(invoices::Filter::default())],
            Self::CreditNotes => vec![Table::CreditNotes(credit_notes::Filter::default())],
            Self::Payments => vec![Table::Payments(invoices::PaymentFilter::default())],
            Self::Services => vec![Table::Services],
            Self::Steps => vec![Table::Steps],
            Self::Messages => vec![Table::Messages],
            Self::Users => [None, Some(Status::Archived)]
                .map(|status| Table::Users(UserQuery { status, ..UserQuery::default() }))
                .to_vec(),
            Self::Documents => vec![Table::Documents(documents::Filter::default())],
            Self::Leads => vec![Table::Leads(leads::Filter::default())],
            Self::Calls => vec![Table::Calls(calls::Filter::default())],
            Self::Activity => vec![Table::Activity(activity::Filter::default())],
        }
    }
}

/// Exports every row as CSV, or with `--format json` as JSON Lines.
pub async fn run(args: Args, cli: &CliContext) -> Result {
    if matches!(args.table, TableName::Activity) {
        activity::sequence_all(&cli.ctx).await?;
    }
    let target = args.out.as_deref().map(|path| OutFile::open(path, args.force)).transpose()?;
    let to: Box<dyn Write> = match &target {
        Some(target) => Box::new(target.writer()?),
        None => Box::new(std::io::stdout()),
    };
    let mut to = BufWriter::new(to);
    let lines = cli.out.format == Format::Json;
    let mut count = 0;
    for (n, table) in args.table.tables().iter().enumerate() {
        let names = exports::columns(&cli.ctx, table);
        if n == 0 {
            exports::log_export(&cli.ctx, table).await?;
            if !lines {
                // Excel needs a byte-order mark to read a file as UTF-8; programs that read a pipe do not.
                if args.out.is_some() || args.bom {
                    to.write_all("\u{feff}".as_bytes())?;
                }
                write_line(&mut to, names.iter().map(|name| (*name).to_owned()))?;
            }
        }
        let mut cursor = None;
        loop {
            let part = exports::rows(&cli.ctx, table, cursor).await?;
            count += part.items.len();
            for cells in part.items {
                if lines {
                    serde_json::to_writer(&mut to, &json_object(&names, cells))?;
                    writeln!(to)?;
                } else {
                    write_line(&mut to, cells)?;
                }
            }
            match part.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
    }
    to.flush()?;
    drop(to);
    if let Some(target) = target {
        let path = target.finish()?;
        info(&format!("{} in {}.", counted(count, "row"), path.display()));
    }
    Ok(())
}

fn write_line(to: &mut impl Write, cells: impl IntoIterator<Item = String>) -> Result {
    let mut text = String::new();
    csv::write_line(&mut text, cells);
    Ok(to.write_all(text.as_bytes())?)
}

/// A row as JSON: empty cells are null, JSON cells are embedded, amounts are decimal strings as in the API.
fn json_object(names: &[&str], cells: Vec<String>) -> Value {
    let value = |name: &str, cell: String| match name {
        _ if cell.is_empty() => Value::Null,
        "data" | "seq" | "steps_completed" | "steps_total" | "bytes" | "versions_count" | "overdue" | "internal"
        | "minutes" => serde_json::from_str(&cell).unwrap_or(Value::String(cell)),
        _ => Value::String(cell),
    };
    names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), value(name, cell))).collect::<Map<_, _>>().into()
}
