//! Demo invoices in every state, and requests for orders that wait or are rejected.
use super::{demo::demo_employee, find_user};
use crate::{
    desk::requests::{self, Input, OrderForm},
    kernel::{
        access::Actor,
        clock::Clock,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::{SessionId, SpvId},
        page::PageQuery,
    },
    orders::{
        corrections::{self, Correction},
        invoices::{self, Filter, InvoiceableOrder, ManualPayment, NewInstallment, NewInvoice, NewLine, Status},
        services, spvs,
    },
    platform::settings::{Bank, BankKind, Billing},
};
use chrono::{Days, Duration};
use std::sync::Arc;

/// The deposit of the demo's renewal.
const DEPOSIT_MINOR: i64 = 20_000;

/// Billing settings of the demo office.
pub(super) fn office() -> Billing {
    Billing {
        legal_name: Some("SPV Portal Demo Office LLC".to_owned()),
        address: Some("1209 Orange Street\nWilmington, DE 19801\nUnited States".to_owned()),
        tax_id: Some("00-0000000".to_owned()),
        payment_terms: Some("Please transfer the exact amount and state the invoice number.".to_owned()),
        tax_name: Some("Sales tax".to_owned()),
        bank: Some(Bank {
            kind: BankKind::Other,
            account_holder: "SPV Portal Demo Office LLC".to_owned(),
            bank_name: "Demo Bank".to_owned(),
            account_number: "0000 1234 5678".to_owned(),
            bank_code: Some("DEMOUS00XXX".to_owned()),
        }),
        ..Billing::default()
    }
}

/// Issues an invoice for each order, the oldest first. Some are paid, some paid in part, some voided. The prices of two open
/// orders are corrected afterwards: one is raised anew, one gets a credit note.
pub(super) async fn invoices(ctx: &Ctx, mut orders: Vec<(i64, SpvId)>) -> Result<()> {
    orders.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
    let staff = demo_employee(ctx).await?;
    let ago =
        |days: i64| Ctx { clock: Clock::fixed(ctx.now() - Duration::days(days)), actor: staff.clone(), ..ctx.clone() };
    let mut corrected: Vec<Status> = Vec::new();
    let mut open = None;
    for (n, (age, id)) in orders.into_iter().enumerate() {
        let day = ago(age);
        let spv = spvs::get(&day, id).await?.spv;
        let (Some(price_minor), Some(billable_minor)) = (spv.price_minor, spv.billable_minor()) else { continue };
        open = open.or(spv.status.is_open().then_some(id));
        let order = InvoiceableOrder {
            spv_id: id,
            identifier: &spv.identifier(),
            client_id: spv.client_id,
            dimensions: spv.dimensions(),
            price_minor: billable_minor,
            filing_fee_minor: spv.filing_fee_minor.unwrap_or(0),
        };
        let on = &day;
        day.transaction(|tx| invoices::issue(tx, on, order).scope_boxed()).await?;
        let filter = Filter { spv_id: Some(id), ..Filter::default() };
        let Some(invoice) = invoices::list(&day, &filter, &PageQuery::default()).await?.items.pop() else { continue };
        let later = ago(age - age.min(9));
        let pay = |minor: i64| {
            let amount = Some(spv.currency.format(minor));
            invoices::pay(&later, invoice.id, None, ManualPayment { amount, ..ManualPayment::default() })
        };
        match n % 6 {
            0 | 3 => drop(pay(billable_minor).await?),
            1 => drop(pay(billable_minor / 2).await?),
            4 => drop(invoices::void(&later, invoice.id, None, "The fee was agreed anew").await?),
            _ => {}
        }
        let status = invoices::get(&later, invoice.id).await?.invoice.status;
        if spv.status.is_open() && matches!(status, Status::Due | Status::PartPaid) && !corrected.contains(&status) {
            corrected.push(status);
            // Ten percent less than agreed at first.
            let price = Some(spv.currency.format(price_minor - price_minor / 10));
            corrections::correct(&later, id, None, Correction { price, ..Correction::default() }).await?;
        }
    }
    if let Some(id) = open {
        renewal(&ago(3), id).await?;
    }
    Ok(())
}

/// A manual invoice: yearly services with tax, a filing fee without, and a discount.
async fn renewal(ctx: &Ctx, spv: SpvId) -> Result<()> {
    let line = |kind: &str, text: &str, quantity: &str, price: &str, tax: Option<&str>| NewLine {
        description: Some(text.to_owned()),
        kind: Some(kind.to_owned()),
        quantity: Some(quantity.to_owned()),
        unit_price: Some(price.to_owned()),
        tax_percent: tax.map(str::to_owned),
    };
    let new = NewInvoice {
        spv_id: Some(spv),
        lines: vec![
            line("fee", "Registered agent, one year", "1", "180", Some("8.875")),
            line("fee", "Bookkeeping, hours", "2.5", "120", Some("8.875")),
            line("filing_fee", "Franchise tax", "1", "300", None),
            line("discount", "Two orders in one year", "1", "30", Some("8.875")),
        ],
        ..NewInvoice::default()
    };
    let renewal = invoices::create(ctx, new).await?.invoice;
    // A deposit that is paid, and the balance.
    let today = ctx.now().date_naive();
    let part = |days: u64, minor: i64| NewInstallment {
        due_date: Some((today + Days::new(days)).to_string()),
        amount: Some(renewal.currency.format(minor)),
    };
    let plan = vec![part(2, DEPOSIT_MINOR), part(45, renewal.total_minor - DEPOSIT_MINOR)];
    invoices::set_installments(ctx, renewal.id, None, plan).await?;
    let amount = Some(renewal.currency.format(DEPOSIT_MINOR));
    invoices::pay(ctx, renewal.id, None, ManualPayment { amount, ..ManualPayment::default() }).await.map(drop)
}

const ORDER_REQUESTS: [(&str, i64, &str, &str, &str); 4] = [
    ("client@example.com", 1, "US", "Okafor Maritime Holdings", "To buy and charter a research vessel."),
    ("omar.almansoori@example.com", 2, "AE", "Corniche Logistics", "A joint venture for cold storage in Dubai."),
    ("kenji.watanabe@example.com", 3, "JP", "Setouchi Solar", "To hold a solar park near Okayama."),
    ("client@example.com", 12, "SG", "Lagos Bridge Trading", "Trading between Lagos and Singapore."),
];

/// Services by country: name, price and filing fee.
const SERVICES: [(&str, &str, &str, &str); 8] = [
    ("US", "Delaware LLC", "1250.00", "110.00"),
    ("US", "Delaware limited partnership", "1900.00", "200.00"),
    ("US", "Wyoming LLC", "1100.00", "102.00"),
    ("AE", "ADGM special purpose vehicle", "4200.00", "1900.00"),
    ("AE", "DIFC prescribed company", "3800.00", "1100.00"),
    ("JP", "Godo Kaisha", "2600.00", "420.00"),
    ("SG", "Private company limited by shares", "1800.00", "240.00"),
    ("TH", "Private limited company", "2100.00", "160.00"),
];

/// The price list; the Wyoming LLC is not offered at present.
pub(super) async fn price_list(ctx: &Ctx) -> Result<()> {
    for (country, name, price, filing_fee) in SERVICES {
        let input = services::Input {
            country: Some(country.to_owned()),
            name: Some(name.to_owned()),
            price: Some(price.to_owned()),
            filing_fee: Some(filing_fee.to_owned()),
            active: Some(name != "Wyoming LLC"),
            ..services::Input::default()
        };
        services::create(ctx, input).await?;
    }
    Ok(())
}

/// Requests for orders: two wait, two are rejected.
pub(super) async fn requests(ctx: &Ctx) -> Result<()> {
    let staff = demo_employee(ctx).await?;
    for (n, (email, days, country, name, purpose)) in ORDER_REQUESTS.into_iter().enumerate() {
        let Some(user) = find_user(ctx, email).await? else { return Err(Error::NotFound("client")) };
        let day = Ctx { clock: Clock::fixed(ctx.now() - Duration::days(days)), ..ctx.clone() };
        let client = day.acting_as(Actor::User(Arc::new(user.signed_in(SessionId(user.id.0)))));
        let order = OrderForm {
            country: Some(country.to_owned()),
            service_id: services::list(ctx, country.parse().ok()).await?.first().map(|service| service.id),
            service_version: None,
            purpose: Some(purpose.to_owned()),
            proposed_names: vec![name.to_owned(), format!("{name} Two")],
            purchase_amount: Some(format!("{}000000", n + 2)),
            currency: None,
            document_ids: Vec::new(),
        };
        let input = Input { kind: "order".to_owned(), order: Some(order), ..Input::default() };
        let request = requests::create(&client, input).await?;
        match n {
            2 => {
                let reason = "The park needs a licence first. Please ask again once you have it.";
                requests::reject(&day.acting_as(staff.clone()), request.id, None, reason).await?;
            }
            3 => {
                let reason = "You have such an order already. Please write to us if this is another one.";
                requests::reject(&day.acting_as(staff.clone()), request.id, None, reason).await?;
            }
            _ => {}
        }
    }
    Ok(())
}
