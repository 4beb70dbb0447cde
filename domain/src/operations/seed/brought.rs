//! What the demo partner brings, earns and asks for: commissions of each status, leads of each stage, notes and calls.
use super::{
    demo::{elias, live},
    homes, known,
};
use crate::orders::spvs::{Country, Status};
use crate::{
    directory::{
        calls, clients, iso_notes,
        leads::{self, Change, Input},
    },
    kernel::{
        access::Actor,
        clock::{Chance, Clock},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::{CommissionId, CompanyId, IsoId, SessionId, SpvId},
        page::{MAX_LIMIT, PageQuery},
    },
    orders::{
        commissions::{self, Filter},
        onboarding,
    },
    platform::settings,
};
use chrono::{Duration, NaiveTime};
use std::sync::Arc;

/// Days ago, name, organisation, stage, next step.
const LEADS: [(i64, &str, &str, &str, &str, &str); 6] = [
    (2, "Astrid", "Holm", "Holm Shipping", "new", "Send the brochure"),
    (5, "Bruno", "Keller", "Keller & Söhne", "new", "Call back on Monday"),
    (12, "Carmen", "Ruiz", "Ruiz Solar", "contacted", "Agree on the country"),
    (20, "Dmitri", "Sokolov", "", "contacted", "Wait for the accounts"),
    (33, "Eleni", "Papadaki", "Aegean Yachts", "qualified", "Prepare the order"),
    (64, "Felix", "Baumann", "Baumann Logistik", "lost", ""),
];

/// Days ago, name, fee and commission of the clients whose orders are done.
const DONE: [(i64, &str, &str, &str, &str); 5] = [
    (118, "Beatriz", "Almeida", "21000.00", "2100.00"),
    (88, "Henrik", "Dahl", "18500.00", "1850.00"),
    (61, "Noor", "Rahman", "24000.00", "2412.50"),
    (34, "Pavel", "Novak", "16000.00", "1600.00"),
    (17, "Sunita", "Rao", "27500.00", "2763.75"),
];

/// The partner's clients whose orders have closed over the last months: how many days ago each was made, and its order.
pub(super) async fn clients(ctx: &Ctx, chance: &Chance, company: CompanyId, iso: IsoId) -> Result<Vec<(i64, SpvId)>> {
    let mut made = Vec::new();
    for (n, (age, first, last, price, commission)) in DONE.into_iter().enumerate() {
        let country = Country::ALL[n];
        let clock = Clock::fixed(ctx.now() - Duration::days(age));
        let day = Ctx { clock, actor: elias(ctx).await?, ..ctx.clone() };
        let input = onboarding::ClientInput {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
            email: format!("{}.{}@example.com", first.to_lowercase(), last.to_lowercase()),
            phone: Some(homes::phone(country, 600 + n)),
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
        ctx.transaction(|tx| homes::settle(tx, client, country, 600 + n).scope_boxed()).await?;
        let order = new.spv.id;
        live(ctx, chance, order, age, (Status::Closed, 8)).await?;
        made.push((age, order));
    }
    Ok(made)
}

pub(super) async fn partner(ctx: &Ctx, partners: &[IsoId]) -> Result<()> {
    let staff = elias(ctx).await?;
    let user = known(ctx, "iso@example.com").await?.ok_or(Error::NotFound("iso"))?;
    let ingrid = Actor::User(Arc::new(user.signed_in(SessionId(user.id.0))));
    let ago = |days: i64, actor: &Actor| Ctx {
        clock: Clock::fixed(ctx.now() - Duration::days(days)),
        actor: actor.clone(),
        ..ctx.clone()
    };
    let today = settings::office_today(ctx).await?;
    for (days, first, last, organisation, stage, next_step) in LEADS {
        let day = ago(days, &ingrid);
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
            // Whom the staff gave up is among the requests that they rejected; taken back is none.
            let who = if stage == "lost" { &staff } else { &ingrid };
            leads::update(&ago(days / 2, who), lead.id, None, change).await?;
        }
    }
    let page = PageQuery { limit: Some(2), cursor: None };
    for client in clients::list(&ago(0, &ingrid), &clients::Filter::default(), &page).await?.items {
        let body =
            format!("{} prefers to talk in the morning. Ask about a second vehicle in spring.", client.first_name);
        iso_notes::create(&ago(3, &ingrid), client.id, &body).await?;
    }
    let noon = (today + Duration::days(2)).and_time(NaiveTime::from_hms_opt(15, 0, 0).unwrap_or_default()).and_utc();
    for (n, topic) in
        ["Terms for a fund with several vehicles", "How the bank account is opened"].into_iter().enumerate()
    {
        let times = (0..3).map(|day| noon + Duration::days(day) + Duration::hours(n as i64)).collect();
        let input = calls::Input { topic: topic.to_owned(), times, ..calls::Input::default() };
        let call = calls::create(&ago(1, &ingrid), input).await?;
        if n == 1 {
            let begins_at = call.proposed.first().copied();
            calls::confirm(&ago(0, &staff), call.id, None, begins_at, Some("We call you on +1 555 0103.")).await?;
        }
    }
    // What was earned longest ago is paid, some of the rest approved.
    let all = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    // Of the demo's own months: what is older was paid long ago. And of its own partners: there may be others.
    let mut rows = Vec::new();
    for iso in partners {
        let from = Some(today - Duration::days(DONE[0].0));
        let recent = Filter { iso_id: Some(*iso), from, ..Filter::default() };
        rows.extend(commissions::list(ctx, &recent, &all).await?.items);
    }
    rows.retain(|row| row.status == commissions::Status::Pending);
    rows.sort_by_key(|row| std::cmp::Reverse((row.earned_date, row.created_at, row.id)));
    rows.reverse();
    let ids: Vec<CommissionId> = rows.iter().map(|row| row.id).collect();
    let (paid, rest) = ids.split_at(ids.len() / 2);
    if !paid.is_empty() {
        let day = ago(1, &staff);
        for some in paid.chunks(commissions::MAX_BULK) {
            commissions::approve(&day, some).await?;
        }
        let run = commissions::open(&day).await?;
        commissions::pay(&day, run.run.id, None, None).await?;
    }
    if rest.len() > 1 {
        for some in rest[..rest.len() / 2].chunks(commissions::MAX_BULK) {
            commissions::approve(&ago(0, &staff), some).await?;
        }
    }
    Ok(())
}
