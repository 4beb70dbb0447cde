//! Imports an order with its steps and its state.
use super::{
    Columns, Import, Row, RowPlan, cell,
    differences::Comparison,
    is_filled,
    lookup::{self, CompanyContext},
    progress::{self, OrderProgress},
    store, text, valid,
    write::Write,
};
use crate::{
    accounts::users,
    directory::{clients, isos::Iso},
    kernel::{
        clock::{self, Clock},
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::{SpvId, UserId},
        money::{self, Currency},
        validate::{self, LINE, Validator},
    },
    orders::{
        corrections::{self, Correction},
        onboarding,
        spvs::{self, Country, Spv, Status},
        steps,
    },
    platform::settings,
};
use chrono::{DateTime, Days, NaiveDate, Utc};
use std::sync::Arc;
use uuid::Uuid;

pub(super) const COLUMNS: Columns = Columns {
    required: &["identifier", "client_email", "company_name"],
    optional: &[
        "iso_email",
        "iso_name",
        "vehicle_name",
        "reference",
        "country",
        "currency",
        "purchase_amount",
        "price",
        "filing_fee",
        "commission",
        "iso_commission_percentage",
        "status",
        "status_reason",
        "ordered_date",
        "closed_at",
        "steps_completed",
    ],
    unread: &["id", "client_name", "amount", "iso_commission", "steps_total", "current_step"],
};

/// Columns that a correction changes.
const CORRECTABLE: [&str; 4] = ["vehicle_name", "reference", "purchase_amount", "ordered_date"];

/// Values of a row.
struct OrderFields {
    vehicle_name: Option<String>,
    reference: Option<String>,
    country: Country,
    currency: Currency,
    purchase_amount_minor: Option<i64>,
    price_minor: Option<i64>,
    filing_fee_minor: Option<i64>,
    commission_minor: Option<i64>,
    iso_commission_percentage: Option<i64>,
    ordered_date: NaiveDate,
    progress: OrderProgress,
}

pub(super) struct NewImportedOrder {
    order: onboarding::NewOrder,
    progress: OrderProgress,
    /// Start of the ordered date in the company's zone.
    ordered_at: DateTime<Utc>,
}

pub(super) struct CorrectOrder {
    id: SpvId,
    correction: Correction,
}

/// Plans a row: the order is the one of its company with this identifier in any letter case (decision 7), else a new one.
/// Client, partner and company must match (decision 12); they may be suspended or archived.
///
/// # Errors
/// Invalid per field.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let ctx = &import.ctx.clone();
    let mut check = Validator::new();
    let context = import.company(&mut check, row).await?;
    let read =
        |check: &mut Validator| check.single_line("identifier", text(row, "identifier"), spvs::MAX_IDENTIFIER_LENGTH);
    let identifier = valid(&mut check, read).unwrap_or_default();
    let Some(context) = context else {
        return Err(check.finish().err().unwrap_or(Error::NotFound("company")));
    };
    let company_id = context.company.id;
    let iso = import.partner(&mut check, row, company_id).await?;
    let client_id = find_client(&mut check, ctx, row).await?;
    let fields = read_row(&mut check, row, &context, ctx.now());
    check.finish()?;
    let client_id = client_id.ok_or(Error::NotFound("client"))?;
    if let Some(id) = store::find_existing(&mut ctx.db(), company_id, &identifier).await? {
        let spv = spvs::get(ctx, id).await?.spv;
        let parties = (client_id, iso.as_ref());
        return compare(import, row, &spv, &fields, parties, &context);
    }
    let progress = fields.progress;
    let order = onboarding::NewOrder {
        iso_id: lookup::id(iso.as_ref()),
        custom_identifier: Some(identifier),
        vehicle_name: fields.vehicle_name,
        reference: fields.reference,
        country: fields.country,
        price_minor: fields.price_minor,
        filing_fee_minor: fields.filing_fee_minor,
        commission_minor: fields.commission_minor,
        purchase_amount_minor: fields.purchase_amount_minor,
        iso_commission_percentage: fields.iso_commission_percentage,
        status: if progress.status == Status::Active { Status::Active } else { Status::Pending },
        invoiced: false,
        historic: true,
        ..onboarding::NewOrder::new(client_id, company_id, fields.currency, fields.ordered_date)
    };
    let ordered_at = clock::start_of_day(fields.ordered_date, progress::zone(&context));
    Ok(RowPlan::New(Write::NewOrder(Box::new(NewImportedOrder { order, progress, ordered_at }))))
}

/// Compares an existing order with the row.
fn compare(
    import: &Import,
    row: &Row,
    spv: &Spv,
    fields: &OrderFields,
    (client_id, iso): (UserId, Option<&Arc<Iso>>),
    context: &CompanyContext,
) -> Result<RowPlan> {
    let mut found = Comparison::new(row);
    found.value("client_email", spv.client_id == client_id, &spv.client_email, text(row, "client_email").trim());
    let iso_column = if is_filled(row, "iso_email") { "iso_email" } else { "iso_name" };
    let iso_name = iso.map(|iso| iso.name()).unwrap_or_default();
    found.value(iso_column, spv.iso_id == lookup::id(iso), &spv.iso_name().unwrap_or_default(), &iso_name);
    found.text("vehicle_name", spv.vehicle_name.as_deref(), fields.vehicle_name.as_deref());
    found.text("reference", spv.reference.as_deref(), fields.reference.as_deref());
    found.text("country", Some(spv.country.code()), Some(fields.country.code()));
    found.text("currency", Some(spv.currency.code()), Some(fields.currency.code()));
    for (column, portal, file) in [
        ("purchase_amount", spv.purchase_amount_minor, fields.purchase_amount_minor),
        ("price", spv.price_minor, fields.price_minor),
        ("filing_fee", spv.filing_fee_minor, fields.filing_fee_minor),
        ("commission", spv.commission_minor, fields.commission_minor),
    ] {
        let shown = |currency: Currency, minor: Option<i64>| minor.map(|minor| currency.format(minor));
        found.text(column, shown(spv.currency, portal).as_deref(), shown(fields.currency, file).as_deref());
    }
    let percent = |value: Option<i64>| value.map(money::format_percent);
    let (portal, file) = (percent(spv.iso_commission_percentage), percent(fields.iso_commission_percentage));
    found.text("iso_commission_percentage", portal.as_deref(), file.as_deref());
    found.text("ordered_date", Some(&spv.ordered_date.to_string()), Some(&fields.ordered_date.to_string()));
    compare_progress(&mut found, row, spv, &fields.progress, context);
    let update = if import.options.update {
        found.check_only(&CORRECTABLE)?;
        let correction = Correction {
            custom_identifier: None,
            reference: found.changed("reference"),
            vehicle_name: found.changed("vehicle_name"),
            purchase_amount: found.changed("purchase_amount"),
            ordered_date: found.changed("ordered_date"),
            ..Correction::default()
        };
        Some(Write::CorrectOrder(CorrectOrder { id: spv.id, correction }))
    } else {
        None
    };
    let identifier = spv.custom_identifier.clone().filter(|own| own != text(row, "identifier").trim());
    Ok(RowPlan::Existing { spelling: identifier, differences: found.differences, update })
}

fn compare_progress(
    found: &mut Comparison<'_>,
    row: &Row,
    spv: &Spv,
    progress: &OrderProgress,
    context: &CompanyContext,
) {
    found.text("status", Some(spv.status.name()), Some(progress.status.name()));
    found.text("status_reason", spv.status_reason.as_deref(), progress.reason.as_deref());
    let is_day = validate::date(text(row, "closed_at").trim()).is_ok();
    let closed = |at: Option<DateTime<Utc>>| {
        at.map(|at| if is_day { context.company.today(at).to_string() } else { at.to_rfc3339() })
    };
    found.text("closed_at", closed(spv.closed_at).as_deref(), closed(progress.closed_at).as_deref());
    let steps = progress.steps_completed.map(|steps| steps.to_string());
    found.text("steps_completed", Some(&spv.steps_completed.to_string()), steps.as_deref());
}

impl NewImportedOrder {
    /// Inserts the order. One with a known closing time is created as of its ordered date and closed as of that time, which
    /// its steps, commissions and activity get. The steps of other orders are completed now, as their times are unknown.
    ///
    /// # Errors
    /// Invalid `steps_completed`; Conflict `step_waits` if completed steps depend on others; a unique violation.
    pub async fn insert(&self, tx: &mut Tx, ctx: &Ctx) -> Result<Uuid> {
        let as_of = |at| Ctx { clock: Clock::fixed(at), ..ctx.clone() };
        let (at_start, at_end) = match self.progress.closed_at {
            Some(at) => (as_of(self.ordered_at.min(at)), as_of(at)),
            None => (ctx.clone(), ctx.clone()),
        };
        let id = onboarding::insert_order(tx, &at_start, self.order.clone()).await?;
        progress::replay(tx, &at_end, id, &self.progress).await?;
        let today = settings::within(tx).await?.day(ctx.now());
        store::suppress_reminders(tx, id, today, today + Days::new(steps::DUE_SOON_DAYS)).await?;
        Ok(id.0)
    }
}

impl CorrectOrder {
    /// # Errors
    /// As [`corrections::correct`].
    pub async fn apply(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        corrections::correct_within(tx, ctx, self.id, None, &self.correction).await.map(drop)
    }
}

/// Finds the client of a row by email.
pub(super) async fn find_client(check: &mut Validator, ctx: &Ctx, row: &Row) -> Result<Option<UserId>> {
    let Some(email) = valid(check, |check| check.email("client_email", text(row, "client_email"))) else {
        return Ok(None);
    };
    let found = clients::by_email(&mut ctx.db(), &users::email_key(&email)).await?;
    Ok(check.read("client_email", found.ok_or_else(|| Problem::new("not_found"))))
}

/// Reads the cells that need no lookup. Defaults as in the forms: ordered today, in the US, in the company's currency.
/// One of the two amounts is required.
fn read_row(check: &mut Validator, row: &Row, context: &CompanyContext, now: DateTime<Utc>) -> OrderFields {
    let defaults = &context.defaults;
    let vehicle_name = check.optional_line("vehicle_name", cell(row, "vehicle_name"), LINE);
    let reference = check.optional_line("reference", cell(row, "reference"), spvs::MAX_IDENTIFIER_LENGTH);
    let country = check.optional("country", cell(row, "country"), str::parse).unwrap_or_default();
    let currency: Currency = check.optional("currency", cell(row, "currency"), str::parse).unwrap_or(defaults.currency);
    let mut amount = |name| check.optional(name, cell(row, name), |text| currency.parse(text));
    let [purchase_amount_minor, price_minor, filing_fee_minor, commission_minor] =
        ["purchase_amount", "price", "filing_fee", "commission"].map(&mut amount);
    let filing_fee_minor = filing_fee_minor.filter(|minor| *minor > 0);
    if filing_fee_minor.is_some() && price_minor.is_none() {
        check.reject("filing_fee", Problem::new("needs_price"));
    }
    if !is_filled(row, "purchase_amount") && !is_filled(row, "price") {
        check.reject("purchase_amount", Problem::new("required"));
    }
    let percent = "iso_commission_percentage";
    let iso_commission_percentage = check.optional(percent, cell(row, percent), money::parse_percent);
    // Commission rules, decision 15.
    if !is_filled(row, "iso_email") && !is_filled(row, "iso_name") {
        for name in ["commission", percent].into_iter().filter(|name| is_filled(row, name)) {
            check.reject(name, Problem::new("needs_iso"));
        }
    } else if is_filled(row, "commission") && is_filled(row, percent) {
        check.reject(percent, Problem::new("not_allowed"));
    }
    let ordered_date =
        check.optional("ordered_date", cell(row, "ordered_date"), validate::date).unwrap_or(defaults.today);
    let progress = progress::read(check, row, context, ordered_date, now);
    OrderFields {
        vehicle_name,
        reference,
        country,
        currency,
        purchase_amount_minor,
        price_minor,
        filing_fee_minor,
        commission_minor,
        iso_commission_percentage,
        ordered_date,
        progress,
    }
}
