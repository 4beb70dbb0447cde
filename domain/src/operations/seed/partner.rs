//! Demo data of the ISO partner: closed orders with commissions of each status, leads of each stage, notes and calls.
use super::{
    addresses,
    demo::{OrderTimeline, days_ago, demo_employee, replay_order},
    find_user,
};
use crate::{
    directory::{
        calls, clients, iso_notes, isos,
        leads::{self, Change, Input},
    },
    kernel::{
        access::Actor,
        clock::RandomSource,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::{CommissionId, CompanyId, IsoId, SessionId, SpvId},
        page::{MAX_LIMIT, PageQuery},
    },
    orders::{
        commissions::{self, Filter},
        onboarding,
        spvs::{Country, Status},
    },
    platform::settings,
};
use chrono::{Duration, NaiveDate, NaiveTime};
use std::sync::Arc;

/// Age in days, first and last name, organisation, stage, next step.
const LEADS: [(i64, &str, &str, &str, &str, &str); 6] = [
    (2, "Astrid", "Holm", "Holm Shipping", "new", "Send the brochure"),
    (5, "Bruno", "Keller", "Keller & Söhne", "new", "Call back on Monday"),
    (12, "Carmen", "Ruiz", "Ruiz Solar", "contacted", "Agree on the country"),
    (20, "Dmitri", "Sokolov", "", "contacted", "Wait for the accounts"),
    (33, "Eleni", "Papadaki", "Aegean Yachts", "qualified", "Prepare the order"),
    (64, "Felix", "Baumann", "Baumann Logistik", "lost", ""),
];

/// Age in days, first and last name, fee and commission of the clients whose orders are closed.
const CLOSED_ORDERS: [(i64, &str, &str, &str, &str); 5] = [
    (118, "Beatriz", "Almeida", "21000.00", "2100.00"),
    (88, "Henrik", "Dahl", "18500.00", "1850.00"),
    (61, "Noor", "Rahman", "24000.00", "2412.50"),
    (34, "Pavel", "Novak", "16000.00", "1600.00"),
    (17, "Sunita", "Rao", "27500.00", "2763.75"),
];

/// Clients of the partner whose orders closed in the last months. Returns the orders with their age in days.
pub(super) async fn clients(
    ctx: &Ctx,
    random: &RandomSource,
    company: CompanyId,
    iso: IsoId,
) -> Result<Vec<(i64, SpvId)>> {
    let mut made = Vec::new();
    for (n, (age, first, last, price, commission)) in CLOSED_ORDERS.into_iter().enumerate() {
        let country = Country::ALL[n];
        let day = days_ago(ctx, age).acting_as(demo_employee(ctx).await?);
        let input = onboarding::ClientInput {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
            email: format!("{}.{}@example.com", first.to_lowercase(), last.to_lowercase()),
            phone: Some(addresses::phone(country, 600 + n)),
            company_id: Some(company),
            iso_id: Some(iso),
            price: Some(price.to_owned()),
            commission: Some(commission.to_owned()),
            country: Some(country.code().to_owned()),
            without_invoice: true,
            ..onboarding::ClientInput::default()
        };
        let new = onboarding::create_client(&day, onboarding::Setup::Full, input).await?;
        let client = new.client.id;
        ctx.transaction(|tx| addresses::set_address(tx, client, country, 600 + n).scope_boxed()).await?;
        let order = new.spv.id;
        replay_order(ctx, random, order, OrderTimeline::until_today(age, (Status::Closed, 8))).await?;
        made.push((age, order));
    }
    Ok(made)
}

/// Leads, notes and calls of the demo partner, and payouts for `partners`.
pub(super) async fn activities(ctx: &Ctx, partners: &[IsoId]) -> Result<()> {
    let staff = demo_employee(ctx).await?;
    let user = find_user(ctx, "iso@example.com").await?.ok_or(Error::NotFound("iso"))?;
    let partner = Actor::User(Arc::new(user.signed_in(SessionId(user.id.0))));
    let today = settings::office_today(ctx).await?;
    create_leads(ctx, &staff, &partner, today).await?;
    let page = PageQuery { limit: Some(2), cursor: None };
    let day = days_ago(ctx, 0).acting_as(partner.clone());
    for client in clients::list(&day, &clients::Filter::default(), &page).await?.items {
        let body =
            format!("{} prefers to talk in the morning. Ask about a second vehicle in spring.", client.first_name);
        iso_notes::create(&days_ago(ctx, 3).acting_as(partner.clone()), client.id, &body).await?;
    }
    create_calls(ctx, &staff, &partner, today).await?;
    let iso = user.iso_id.ok_or(Error::NotFound("iso"))?;
    enter_account(ctx, &staff, &partner, iso, user.name()).await?;
    approve_and_pay(ctx, &staff, partners, today).await
}

/// The partner's bank account, which the staff confirmed.
async fn enter_account(ctx: &Ctx, staff: &Actor, partner: &Actor, iso: IsoId, holder: String) -> Result<()> {
    const NUMBER: &str = "0001 2345 6789";
    let account = isos::NewPayoutAccount {
        account_holder: Some(holder),
        account_number: Some(NUMBER.to_owned()),
        routing_number: Some("021000021".to_owned()),
        ..isos::NewPayoutAccount::default()
    };
    isos::set_payout_account(&days_ago(ctx, 30).acting_as(partner.clone()), iso, None, account).await?;
    isos::confirm_payout_account(&days_ago(ctx, 29).acting_as(staff.clone()), iso, None, NUMBER).await.map(drop)
}

async fn create_leads(ctx: &Ctx, staff: &Actor, partner: &Actor, today: NaiveDate) -> Result<()> {
    for (days, first, last, organisation, stage, next_step) in LEADS {
        let day = days_ago(ctx, days).acting_as(partner.clone());
        let input = Input {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
            email: format!("{}.{}@example.net", first.to_lowercase(), last.to_lowercase()),
            phone: Some(format!("+1 555 02{days:02} 3{days:03}")),
            organisation: Some(organisation.to_owned()),
            next_step: Some(next_step.to_owned()),
            next_step_date: Some((today + Duration::days(7 - days % 5)).to_string()),
            ..Input::default()
        };
        let lead = leads::create(&day, input).await?;
        if stage != "new" {
            let change = Change { stage: Some(stage.to_owned()), ..Change::default() };
            // A lead that the staff mark lost becomes a rejected request; one that the partner takes back becomes none.
            let by = if stage == "lost" { staff } else { partner };
            leads::update(&days_ago(ctx, days / 2).acting_as(by.clone()), lead.id, None, change).await?;
        }
    }
    Ok(())
}

/// Two requested calls, the second one confirmed.
async fn create_calls(ctx: &Ctx, staff: &Actor, partner: &Actor, today: NaiveDate) -> Result<()> {
    let noon = (today + Duration::days(2)).and_time(NaiveTime::from_hms_opt(15, 0, 0).unwrap_or_default()).and_utc();
    for (n, topic) in
        ["Terms for a fund with several vehicles", "How the bank account is opened"].into_iter().enumerate()
    {
        let times = (0..3).map(|day| noon + Duration::days(day) + Duration::hours(n as i64)).collect();
        let input = calls::Input { topic: topic.to_owned(), times, ..calls::Input::default() };
        let call = calls::create(&days_ago(ctx, 1).acting_as(partner.clone()), input).await?;
        if n == 1 {
            let begins_at = call.proposed.first().copied();
            let today = days_ago(ctx, 0).acting_as(staff.clone());
            calls::confirm(&today, call.id, None, begins_at, Some("By phone: +1 555 0103")).await?;
        }
    }
    Ok(())
}

/// Pays the older half of the pending commissions and approves half of the rest. Only those of the demo's own months and
/// partners: older ones are paid elsewhere, and the portal may have other partners.
async fn approve_and_pay(ctx: &Ctx, staff: &Actor, partners: &[IsoId], today: NaiveDate) -> Result<()> {
    let all = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let mut rows = Vec::new();
    for iso in partners {
        let from = Some(today - Duration::days(CLOSED_ORDERS[0].0));
        let recent = Filter { iso_id: Some(*iso), from, ..Filter::default() };
        rows.extend(commissions::list(ctx, &recent, &all).await?.items);
    }
    rows.retain(|row| row.status == commissions::Status::Pending);
    rows.sort_by_key(|row| std::cmp::Reverse((row.earned_date, row.created_at, row.id)));
    rows.reverse();
    let ids: Vec<CommissionId> = rows.iter().map(|row| row.id).collect();
    let (paid, rest) = ids.split_at(ids.len() / 2);
    if !paid.is_empty() {
        let day = days_ago(ctx, 1).acting_as(staff.clone());
        for some in paid.chunks(commissions::MAX_BULK) {
            commissions::approve(&day, some).await?;
        }
        let run = commissions::open(&day).await?;
        commissions::pay(&day, run.run.id, None, None).await?;
    }
    if rest.len() > 1 {
        for some in rest[..rest.len() / 2].chunks(commissions::MAX_BULK) {
            commissions::approve(&days_ago(ctx, 0).acting_as(staff.clone()), some).await?;
        }
    }
    Ok(())
}
