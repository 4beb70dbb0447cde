//! Imports an invoice of another system: one line over its total, under its own number where that has the portal's form.
use super::{
    Columns, Import, Row, RowPlan, cell, differences::Comparison, is_filled, orders::find_client, reading::ImportLine,
    store, text, write::Write,
};
use crate::{
    kernel::{
        ctx::Ctx,
        error::{Error, Problem, Result},
        money::{self, Currency},
        text::line,
        validate::{self, LINE, Validator},
    },
    orders::{
        invoices::{
            Invoice, Status,
            imported::{self, ImportedInvoice, ImportedNumber},
        },
        spvs::{self, Spv},
    },
    platform::settings,
};
use chrono::{Datelike, NaiveDate};
use std::collections::HashMap;

pub(super) const COLUMNS: Columns = Columns {
    required: &["number", "client_email", "spv_identifier", "issued_date", "total"],
    optional: &[
        "former_number",
        "due_date",
        "currency",
        "tax",
        "tax_percent",
        "description",
        "billed_to",
        "status",
        "void_reason",
        "credited",
    ],
    // What is paid is imported by its payments.
    unread: &["id", "client_name", "overdue", "paid", "due", "credit"],
};

/// Plans a row: the invoice is the one with its number, else a new one.
///
/// # Errors
/// Invalid per field, `number` `invoice_number_taken` where another order has it.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let ctx = &import.ctx.clone();
    let mut check = Validator::new();
    let spv = find_order(&mut check, ctx, row).await?;
    let today = settings::office_today(ctx).await?;
    let new = spv.as_ref().and_then(|spv| read_row(&mut check, row, spv, today));
    check.finish()?;
    let (Some(spv), Some((mut new, file))) = (spv, new) else { return Err(Error::NotFound("spv")) };
    match imported::find(&mut ctx.db(), &new.number, new.issued_date).await? {
        None => {
            let year = i64::from(new.issued_date.year());
            new.number.after = import.kept_numbers.get(&year).copied().unwrap_or_default();
            check_one_line(row, &new, &file)?;
            Ok(RowPlan::New(Write::NewInvoice(Box::new(new))))
        }
        Some(invoice) if invoice.spv_id != spv.id => Err(Error::field("number", "invoice_number_taken")),
        Some(invoice) => compare(import, row, &invoice, &new, &file),
    }
}

/// The last number that a file keeps, by year of issue.
pub(super) fn kept_numbers(lines: &[ImportLine]) -> HashMap<i64, i64> {
    let mut found = HashMap::new();
    for row in lines.iter().filter_map(|line| line.row.as_ref().ok()) {
        let Ok(issued_date) = validate::date(text(row, "issued_date").trim()) else { continue };
        let number = ImportedNumber::read(&line(text(row, "number")), None, issued_date);
        if let Some(kept) = number.ok().and_then(|number| number.kept) {
            let last = found.entry(i64::from(issued_date.year())).or_insert(kept);
            *last = kept.max(*last);
        }
    }
    found
}

/// Amounts of a row that only an invoice of the portal can have in any form, in minor units.
struct FileAmounts {
    tax: Option<i64>,
    credited: Option<i64>,
}

/// Checks that a new invoice can be imported as one line of one tax rate, without credit notes.
///
/// # Errors
/// Invalid `tax_percent`, `tax`, `credited`, `description`.
fn check_one_line(row: &Row, new: &ImportedInvoice, file: &FileAmounts) -> Result<()> {
    let mut check = Validator::new();
    let computed = ImportedInvoice::tax_minor(new.total_minor, new.tax_percent);
    match file.tax {
        Some(tax) if tax > 0 && !is_filled(row, "tax_percent") => {
            check.reject("tax_percent", Problem::new("one_tax_rate"));
        }
        Some(tax) if tax != computed => {
            check.reject("tax", Problem::new("tax_differs").with("tax", new.currency.format(computed)));
        }
        _ => {}
    }
    if file.credited.is_some_and(|minor| minor > 0) {
        check.reject("credited", Problem::new("credit_not_imported"));
    }
    check.optional_line("description", new.description.as_deref(), LINE);
    check.finish()
}

/// Compares an existing invoice with the row. Nothing of an invoice can be changed by an import.
fn compare(
    import: &Import,
    row: &Row,
    invoice: &Invoice,
    new: &ImportedInvoice,
    file_amounts: &FileAmounts,
) -> Result<RowPlan> {
    let mut found = Comparison::new(row);
    found.value(
        "number",
        new.number.kept.is_none_or(|number| number == invoice.number),
        &invoice.name(),
        text(row, "number"),
    );
    let (portal, file) = (invoice.currency, new.currency);
    found.text("currency", Some(portal.code()), Some(file.code()));
    found.text("total", Some(&portal.format(invoice.total_minor)), Some(&file.format(new.total_minor)));
    for (column, minor, of_file) in
        [("tax", invoice.tax_minor, file_amounts.tax), ("credited", invoice.credited_minor, file_amounts.credited)]
    {
        let of_file = of_file.map(|minor| file.format(minor));
        found.text(column, Some(&portal.format(minor)), of_file.as_deref());
    }
    found.text("former_number", invoice.former_number.as_deref(), new.number.former.as_deref());
    found.text("issued_date", Some(&invoice.issued_date.to_string()), Some(&new.issued_date.to_string()));
    let due_date = new.due_date.map(|date| date.to_string());
    found.text("due_date", Some(&invoice.due_date.to_string()), due_date.as_deref());
    found.text("billed_to", Some(&invoice.billed_to), new.billed_to.as_deref());
    found.text("description", Some(&invoice.description()), new.description.as_deref());
    if new.void_reason.is_some() != (invoice.status == Status::Void) {
        found.value("status", false, invoice.status.name(), text(row, "status").trim());
    }
    if import.options.update {
        found.check_only(&[])?;
    }
    Ok(RowPlan::Existing { spelling: None, differences: found.differences, update: None })
}

/// The order of a row: that of its client with this identifier.
async fn find_order(check: &mut Validator, ctx: &Ctx, row: &Row) -> Result<Option<Spv>> {
    let identifier = check.single_line("spv_identifier", text(row, "spv_identifier"), spvs::MAX_IDENTIFIER_LENGTH);
    let Some(client) = find_client(check, ctx, row).await? else { return Ok(None) };
    if identifier.is_empty() {
        return Ok(None);
    }
    let found = store::orders_of_client(&mut ctx.db(), client, &identifier).await?;
    let id = match found.as_slice() {
        [id] => Ok(*id),
        [] => Err(Problem::new("not_found")),
        _ => Err(Problem::new("ambiguous")),
    };
    match check.read("spv_identifier", id) {
        Some(id) => Ok(Some(spvs::get(ctx, id).await?.spv)),
        None => Ok(None),
    }
}

/// The invoice of a row, and its other amounts.
fn read_row(check: &mut Validator, row: &Row, spv: &Spv, today: NaiveDate) -> Option<(ImportedInvoice, FileAmounts)> {
    let currency: Currency = check.optional("currency", cell(row, "currency"), str::parse).unwrap_or(spv.currency);
    let total_minor = check.required("total", cell(row, "total"), |text| match currency.parse(text)? {
        0 => Err(Problem::new("not_positive")),
        minor => Ok(minor),
    });
    let tax_percent = check.optional("tax_percent", cell(row, "tax_percent"), money::parse_percent);
    let tax = check.optional("tax", cell(row, "tax"), |text| currency.parse(text));
    let issued_date = check.required("issued_date", cell(row, "issued_date"), validate::date);
    if issued_date.is_some_and(|date| date > today) {
        check.reject("issued_date", Problem::new("future"));
    }
    let due_date = check.optional("due_date", cell(row, "due_date"), validate::date);
    if due_date.zip(issued_date).is_some_and(|(due, issued)| due < issued) {
        check.reject("due_date", Problem::new("before_issue"));
    }
    let credited = check.optional("credited", cell(row, "credited"), |text| currency.parse(text));
    let status = check.optional("status", cell(row, "status"), |text| text.to_lowercase().parse::<Status>());
    let void_reason = check.optional_text("void_reason", cell(row, "void_reason"));
    match (status == Some(Status::Void), &void_reason) {
        (true, None) => check.reject("void_reason", Problem::new("required")),
        (false, Some(_)) => check.reject("void_reason", Problem::new("not_allowed")),
        _ => {}
    }
    // Of an invoice that is there it has the texts of all lines.
    let description = check.optional_text("description", cell(row, "description"));
    let billed_to = check.optional_line("billed_to", cell(row, "billed_to"), LINE);
    let number = check.single_line("number", text(row, "number"), spvs::MAX_IDENTIFIER_LENGTH);
    let former = check.optional_line("former_number", cell(row, "former_number"), spvs::MAX_IDENTIFIER_LENGTH);
    let issued_date = issued_date?;
    let number = check.read("former_number", ImportedNumber::read(&number, former, issued_date))?;
    let new = ImportedInvoice {
        spv_id: spv.id,
        number,
        currency,
        total_minor: total_minor?,
        tax_percent: tax_percent.unwrap_or(0),
        issued_date,
        due_date,
        description,
        billed_to,
        void_reason,
    };
    Some((new, FileAmounts { tax, credited }))
}
