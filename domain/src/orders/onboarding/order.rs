//! A new order: validated, inserted with the steps of its template, and everything that follows from it.
use crate::{
    directory::companies,
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::{CompanyId, IsoId, SpvId, UserId},
        money::{self, Currency},
        search,
        validate::{self, LINE, Validator},
    },
    orders::{
        document_requests, invoices,
        spvs::{self, Detail, NewOrder, OrderParties, display_identifier},
        steps, templates,
    },
    outbox::mails,
    platform::{activity, holidays, settings},
};

/// How often a generated identifier is made again because another order took it.
const MAX_IDENTIFIER_RETRIES: u32 = 5;

/// The form of the SPV tab (specification, section 5).
#[derive(Clone, Debug, Default)]
pub struct OrderInput {
    pub client_id: Option<UserId>,
    pub company_id: Option<CompanyId>,
    pub iso_id: Option<IsoId>,
    pub custom_identifier: Option<String>,
    /// The name of the company that the order forms, where it is known: at most 200 characters.
    pub vehicle_name: Option<String>,
    /// The client's own reference: at most 64 characters.
    pub reference: Option<String>,
    pub purchase_amount: Option<String>,
    pub currency: Option<String>,
    /// The fee, where it is known.
    pub price: Option<String>,
    /// The fee of the authority, which the office passes on; only with a price.
    pub filing_fee: Option<String>,
    pub iso_commission_percentage: Option<String>,
    pub country: Option<String>,
    pub ordered_date: Option<String>,
}

/// Creates a pending order from the SPV tab. Staff.
///
/// # Errors
/// Forbidden; Invalid per field: a client or ISO of another company, an identifier the company already uses.
#[tracing::instrument(level = "debug", name = "onboarding.create_order", skip_all)]
pub async fn create_order(ctx: &Ctx, input: OrderInput) -> Result<Detail> {
    ctx.may(Action::Create, Resource::NewSpv)?;
    let new = &validate_order(&mut ctx.db(), ctx, &input).await?;
    // The default identifier is the time in seconds: two orders in one second collide.
    let mut retries = 0;
    loop {
        let created = ctx.transaction(|tx| {
            async move {
                if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                    return Ok(SpvId(id));
                }
                let id = insert_with_identifier(tx, ctx, new.clone()).await?;
                idempotency::store(tx, ctx, id.0).await?;
                Ok(id)
            }
            .scope_boxed()
        });
        match created.await {
            Err(e)
                if e.is_unique_violation() && new.custom_identifier.is_none() && retries < MAX_IDENTIFIER_RETRIES =>
            {
                retries += 1
            }
            created => return spvs::get(ctx, created.map_err(map_duplicate)?).await,
        }
    }
}

/// Validates the form of a pending order.
///
/// # Errors
/// Invalid per field.
pub(crate) async fn validate_order(db: &mut impl Sql, ctx: &Ctx, input: &OrderInput) -> Result<NewOrder> {
    let mut check = Validator::new();
    let mut required = |field: &str, missing: bool| {
        if missing {
            check.reject(field, Problem::new("required"));
        }
    };
    required("company_id", input.company_id.is_none());
    required("client_id", input.client_id.is_none());
    let custom_identifier =
        check.optional_line("custom_identifier", input.custom_identifier.as_deref(), spvs::MAX_IDENTIFIER_LENGTH);
    let vehicle_name = check.optional_line("vehicle_name", input.vehicle_name.as_deref(), LINE);
    let reference = check.optional_line("reference", input.reference.as_deref(), spvs::MAX_IDENTIFIER_LENGTH);
    let defaults = companies::defaults_within(db, ctx, input.company_id).await?;
    let currency = check
        .optional("currency", input.currency.as_deref(), |text| defaults.office.parse_currency(text))
        .unwrap_or(defaults.currency);
    let amount = check.required("purchase_amount", input.purchase_amount.as_deref(), |text| currency.parse(text));
    let price_minor = check.optional("price", input.price.as_deref(), |text| currency.parse(text));
    let filing_fee_minor = filing_fee(&mut check, currency, input.filing_fee.as_deref(), price_minor);
    let percent =
        check.optional("iso_commission_percentage", input.iso_commission_percentage.as_deref(), money::parse_percent);
    if percent.is_some() && input.iso_id.is_none() {
        check.reject("iso_commission_percentage", Problem::new("needs_iso"));
    }
    let country = check.optional("country", input.country.as_deref(), str::parse).unwrap_or_default();
    let ordered_date = check
        .optional("ordered_date", input.ordered_date.as_deref(), validate::date)
        .unwrap_or(settings::person_today_within(db, ctx).await?);
    check.finish()?;
    let (Some(client_id), Some(company_id)) = (input.client_id, input.company_id) else {
        return Err(Error::field("client_id", "required"));
    };
    Ok(NewOrder {
        iso_id: input.iso_id,
        custom_identifier,
        vehicle_name,
        reference,
        country,
        price_minor,
        filing_fee_minor,
        purchase_amount_minor: amount,
        iso_commission_percentage: percent,
        ..NewOrder::new(client_id, company_id, currency, ordered_date)
    })
}

/// Reads a filing fee, which stands beside a price. 0 is none.
pub(super) fn filing_fee(
    check: &mut Validator,
    currency: Currency,
    text: Option<&str>,
    price_minor: Option<i64>,
) -> Option<i64> {
    let minor = check.optional("filing_fee", text, |text| currency.parse(text)).filter(|minor| *minor > 0);
    if minor.is_some() && price_minor.is_none() {
        check.reject("filing_fee", Problem::new("needs_price"));
    }
    minor
}

/// [`insert_order`] with a generated identifier where the order has none.
///
/// # Errors
/// As [`insert_order`].
pub(crate) async fn insert_with_identifier(tx: &mut Tx, ctx: &Ctx, mut new: NewOrder) -> Result<SpvId> {
    if new.custom_identifier.is_none() {
        new.custom_identifier = Some(default_identifier(tx, ctx, new.company_id).await?);
    }
    insert_order(tx, ctx, new).await
}

/// Turns a unique violation, which is the identifier's, into a field error.
pub(crate) fn map_duplicate(error: Error) -> Error {
    if error.is_unique_violation() { Error::field("custom_identifier", "duplicate") } else { error }
}

/// The office's prefix, by default `SPV-`, and the UTC time, with a counter where the company uses it already
/// (decision 7).
async fn default_identifier(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<String> {
    tx.advisory_lock(format!("identifiers {company}")).await?;
    let settings = crate::platform::settings::within(tx).await?;
    let base = format!("{}{}", settings.identifier_prefix(), ctx.now().format("%Y%m%d%H%M%S"));
    let mut identifier = base.clone();
    let mut n = 1;
    while spvs::identifier_taken(tx, company, &identifier).await? {
        n += 1;
        identifier = format!("{base}-{n}");
    }
    Ok(identifier)
}

/// Inserts an order with everything that follows from it: steps, activity, mail, document requests, rollups and invoice
/// (decision 1). No order is created in another way.
///
/// # Errors
/// Invalid when client, ISO and company do not belong together (decision 12); a unique violation when the
/// company already uses the identifier.
pub async fn insert_order(tx: &mut Tx, ctx: &Ctx, new: NewOrder) -> Result<SpvId> {
    let of = Parties { company: new.company_id, client: new.client_id, iso: new.iso_id };
    let inactive = Inactive { company: new.historic, client: new.historic, iso: new.historic };
    let parties = check_parties(tx, of, inactive).await?;
    let template = templates::steps_for(tx, new.country).await?;
    let id = SpvId(ctx.random.uuid());
    let row = spvs::InsertOrder {
        id,
        order: &new,
        iso_commission_minor: new.agreed_commission_minor(),
        steps: template.len() as i64,
        current_step: template.first().map(|step| step.step_name.clone()),
        at: ctx.now(),
        by: ctx.actor_name(),
    };
    spvs::insert(tx, &row).await?;
    let from = holidays::business_days(tx, new.country, new.ordered_date).await?;
    let steps = steps::copy(tx, ctx, id, &from, &template).await?;
    let identifier = display_identifier(id, new.custom_identifier.as_deref());
    index(tx, id, &new, parties).await?;
    let event = activity::Event::new("spv.created", "spv", id.0, identifier.clone())
        .of(Some(new.client_id), Some(new.company_id), new.iso_id)
        .spv(id)
        .with("status", new.status.name())
        .public();
    activity::append(tx, ctx, event).await?;
    spvs::mail(tx, ctx, mails::Kind::SpvCreated, new.client_id, id).await?;
    document_requests::create_from_template(tx, ctx, id, new.client_id, &from, steps.into_iter().zip(&template))
        .await?;
    if let Some(price_minor) = new.billable_minor().filter(|_| new.invoiced) {
        let order = invoices::InvoiceableOrder {
            spv_id: id,
            identifier: &identifier,
            client_id: new.client_id,
            dimensions: new.dimensions(),
            price_minor,
            filing_fee_minor: new.filing_fee_minor.unwrap_or(0),
        };
        invoices::issue(tx, ctx, order).await?;
    }
    Ok(id)
}

async fn index(tx: &mut Tx, id: SpvId, new: &NewOrder, parties: OrderParties) -> Result<()> {
    let (first, last) = (parties.client_first_name.unwrap_or_default(), parties.client_last_name.unwrap_or_default());
    let email = parties.client_email.unwrap_or_default();
    let words = new.search_words(id);
    let texts = vec![&*words, &*first, &*last, &*email];
    search::index(tx, spvs::search_entry(id, new.company_id, new.iso_id, texts)).await
}

/// The company, client and ISO partner of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parties {
    pub company: CompanyId,
    pub client: UserId,
    pub iso: Option<IsoId>,
}

/// The parties that may be archived or suspended: those that an order has already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inactive {
    pub company: bool,
    pub client: bool,
    pub iso: bool,
}

/// Refuses an ISO or a client of another company, and archived or suspended ones unless allowed (decision 12).
///
/// # Errors
/// Invalid per field.
pub(crate) async fn check_parties(tx: &mut Tx, of: Parties, inactive: Inactive) -> Result<OrderParties> {
    use crate::accounts::users::Status::{Archived, Suspended};
    let Some(parties) = spvs::parties(tx, of.company, of.client, of.iso).await? else {
        return Err(Error::field("company_id", "not_found"));
    };
    let mut check = Validator::new();
    if parties.company_archived_at.is_some() && !inactive.company {
        check.reject("company_id", Problem::new("archived"));
    }
    if parties.client_role != Some(crate::kernel::access::Role::Client) {
        check.reject("client_id", Problem::new("not_found"));
    } else if parties.client_status == Some(Archived) && !inactive.client {
        check.reject("client_id", Problem::new("archived"));
    } else if parties.client_status == Some(Suspended) && !inactive.client {
        check.reject("client_id", Problem::new("suspended"));
    } else if parties.client_company_id != Some(of.company) {
        check.reject("client_id", Problem::new("not_in_company"));
    }
    if of.iso.is_some() {
        match parties.iso_company_id {
            None => check.reject("iso_id", Problem::new("not_found")),
            Some(company) if company != of.company => check.reject("iso_id", Problem::new("not_in_company")),
            Some(_) if parties.iso_archived_at.is_some() && !inactive.iso => {
                check.reject("iso_id", Problem::new("archived"))
            }
            Some(_) => {}
        }
    }
    check.finish()?;
    Ok(parties)
}
