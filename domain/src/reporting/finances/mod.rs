//! Finances of a company: ordered, invoiced, paid and earned amounts by month, partner and country.
//!
//! Currencies are never added up. Every figure is a sum of the same rows, so that tables, cards and the file agree to
//! the minor unit.
mod store;

use crate::{
    directory::companies::{self, Company},
    kernel::{
        csv,
        ctx::Ctx,
        date_range::{DateRange, DateRangeQuery},
        db::ScopedFutureExt,
        error::Result,
        ids::{CompanyId, IsoId},
        money::Currency,
    },
    orders::spvs::Country,
    platform::{
        activity::{self, Event},
        rollups::Metric,
    },
};
use std::collections::{BTreeMap, HashMap};
use store::FinanceRow;

/// Figures of a line, in minor units of one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Orders placed in the period and not cancelled, and their purchase amounts, else prices (decision 14).
    pub spvs: i64,
    pub ordered_minor: i64,
    /// Invoices issued in the period and not void.
    pub invoiced_minor: i64,
    /// Payments received in the period.
    pub paid_minor: i64,
    /// Commissions earned in the period, without void ones and minus those taken back.
    pub commission_minor: i64,
}

impl Figures {
    fn add(&mut self, row: &FinanceRow) {
        match row.kind {
            Metric::Ordered => {
                self.spvs += row.count;
                self.ordered_minor += row.minor;
            }
            Metric::Invoiced => self.invoiced_minor += row.minor,
            Metric::Paid => self.paid_minor += row.minor,
            Metric::Commission => self.commission_minor += row.minor,
            // Without a month, or not amounts of the company.
            Metric::Due | Metric::Clients | Metric::Closed | Metric::Requests => {}
        }
    }
}

/// Figures of a partner; without id, of orders without a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerFigures {
    pub iso_id: Option<IsoId>,
    pub name: Option<String>,
    pub figures: Figures,
}

/// All figures in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub currency: Currency,
    pub total: Figures,
    /// Outstanding amount today, whenever it was invoiced.
    pub due_minor: i64,
    /// Every month of the period, also empty ones.
    pub months: Vec<(String, Figures)>,
    /// By name, orders without a partner last.
    pub partners: Vec<PartnerFigures>,
    pub countries: Vec<(Country, Figures)>,
}

/// Finances of a company in a period.
#[derive(Clone, Debug)]
pub struct Finances {
    pub company: Company,
    pub span: DateRange,
    /// One per currency with any amount.
    pub accounts: Vec<Account>,
}

/// Finances of a company. Its admins, and super admins for a picked company.
///
/// # Errors
/// As [`companies::portal`]; Invalid days.
#[tracing::instrument(level = "debug", name = "finances.get", skip_all)]
pub async fn get(ctx: &Ctx, picked: Option<CompanyId>, asked: &DateRangeQuery) -> Result<Finances> {
    let (company, span, rows, names) = read(ctx, picked, asked).await?;
    let months = span.months(
        rows.iter().filter(|c| c.kind != Metric::Due).map(|c| c.month.clone()).collect(),
        company.today(ctx.now()),
    );
    let accounts = Currency::ALL
        .into_iter()
        .filter_map(|currency| {
            let of: Vec<&FinanceRow> = rows.iter().filter(|row| row.currency == currency).collect();
            (!of.is_empty()).then(|| account(currency, &of, &months, &names))
        })
        .collect();
    Ok(Finances { company, span, accounts })
}

type Names = HashMap<IsoId, String>;

async fn read(
    ctx: &Ctx,
    picked: Option<CompanyId>,
    asked: &DateRangeQuery,
) -> Result<(Company, DateRange, Vec<FinanceRow>, Names)> {
    let company = companies::portal(ctx, picked).await?;
    let span = asked.span(company.today(ctx.now()))?;
    let mut db = ctx.db();
    let rows = store::rows(&mut db, company.id, span).await?;
    let partners = store::partners(&mut db, company.id).await?;
    let names = partners.into_iter().map(|(id, first, last)| (id, format!("{first} {last}"))).collect();
    Ok((company, span, rows, names))
}

fn account(currency: Currency, rows: &[&FinanceRow], months: &[String], names: &Names) -> Account {
    let mut total = Figures::default();
    let mut due_minor = 0;
    let mut by_month: BTreeMap<&str, Figures> = months.iter().map(|m| (m.as_str(), Figures::default())).collect();
    let mut by_partner: HashMap<Option<IsoId>, Figures> = HashMap::new();
    let mut by_country: HashMap<Country, Figures> = HashMap::new();
    for row in rows {
        if row.kind == Metric::Due {
            due_minor += row.minor;
            continue;
        }
        total.add(row);
        by_month.entry(&row.month).or_default().add(row);
        by_partner.entry(row.partner()).or_default().add(row);
        by_country.entry(row.country).or_default().add(row);
    }
    let mut partners: Vec<PartnerFigures> = by_partner
        .into_iter()
        .map(|(iso_id, figures)| PartnerFigures {
            iso_id,
            name: iso_id.and_then(|id| names.get(&id).cloned()),
            figures,
        })
        .collect();
    partners.sort_by(|a, b| (a.name.is_none(), &a.name, a.iso_id).cmp(&(b.name.is_none(), &b.name, b.iso_id)));
    let countries = Country::ALL.into_iter().filter_map(|country| Some((country, *by_country.get(&country)?)));
    Account {
        currency,
        total,
        due_minor,
        months: by_month.into_iter().map(|(month, figures)| (month.to_owned(), figures)).collect(),
        partners,
        countries: countries.collect(),
    }
}

/// The same figures as CSV: a line per month, partner, country and currency. The export is recorded in the activity
/// log.
///
/// # Errors
/// As [`get`].
#[tracing::instrument(level = "debug", name = "finances.csv", skip_all)]
pub async fn csv(ctx: &Ctx, picked: Option<CompanyId>, asked: &DateRangeQuery) -> Result<String> {
    let (company, _, rows, names) = read(ctx, picked, asked).await?;
    // The id keeps partners of the same name apart.
    type Line<'a> = (&'a str, String, Option<IsoId>, &'a str, &'a str);
    let mut lines: BTreeMap<Line, (Currency, Figures)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind != Metric::Due) {
        let name = row.partner().and_then(|id| names.get(&id).cloned()).unwrap_or_default();
        let key = (row.month.as_str(), name, row.partner(), row.country.code(), row.currency.code());
        lines.entry(key).or_insert((row.currency, Figures::default())).1.add(row);
    }
    let mut text = String::new();
    let columns = ["month", "iso_name", "country", "currency", "spvs", "ordered", "invoiced", "paid", "commission"];
    csv::write_line(&mut text, columns.map(str::to_owned));
    for ((month, name, _, country, code), (currency, figures)) in lines {
        let amount = |minor| currency.format(minor);
        let cells = [
            month.to_owned(),
            name,
            country.to_owned(),
            code.to_owned(),
            figures.spvs.to_string(),
            amount(figures.ordered_minor),
            amount(figures.invoiced_minor),
            amount(figures.paid_minor),
            amount(figures.commission_minor),
        ];
        csv::write_line(&mut text, cells);
    }
    let event = &Event::new("export.made", "export", company.id.0, "finances").of(None, Some(company.id), None);
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await?;
    Ok(text)
}
