//! A company's money: what was ordered, invoiced, paid and earned by partners, by month, partner and country.
//!
//! One currency is never added to another. Every figure is a sum of the same cells, so that the columns of each table,
//! the cards and the file agree to the minor unit.
pub(crate) mod store;

use crate::{
    directory::companies::{self, Company},
    kernel::{
        csv,
        ctx::Ctx,
        date_range::{Asked, Span},
        db::ScopedFutureExt,
        error::Result,
        ids::{CompanyId, IsoId},
        money::Currency,
    },
    orders::spvs::Country,
    platform::{
        activity::{self, Event},
        rollups::dated::Metric,
    },
};
use std::collections::{BTreeMap, HashMap};
use store::Cell;

/// What a line says, in minor units of one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Orders placed in the span that are not cancelled, and their purchase amounts, else prices (decision 14).
    pub spvs: i64,
    pub ordered_minor: i64,
    /// Invoices issued in the span that are not void.
    pub invoiced_minor: i64,
    /// Payments received in the span.
    pub paid_minor: i64,
    /// What partners earned in the span, void rows left out and what was taken back subtracted.
    pub commission_minor: i64,
}

impl Figures {
    fn add(&mut self, cell: &Cell) {
        match cell.kind {
            Metric::Ordered => {
                self.spvs += cell.count;
                self.ordered_minor += cell.minor;
            }
            Metric::Invoiced => self.invoiced_minor += cell.minor,
            Metric::Paid => self.paid_minor += cell.minor,
            Metric::Commission => self.commission_minor += cell.minor,
            // Of no month; and what partners and the office have is no money of the company's.
            Metric::Due | Metric::Clients | Metric::Leads | Metric::Closed | Metric::Requests => {}
        }
    }
}

/// A line for one partner; without one it is what came without a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPartner {
    pub iso_id: Option<IsoId>,
    pub name: Option<String>,
    pub figures: Figures,
}

/// Everything in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub currency: Currency,
    pub total: Figures,
    /// What is owed today, whenever it was invoiced.
    pub due_minor: i64,
    /// Every month of the span, also those without anything.
    pub months: Vec<(String, Figures)>,
    /// By name, those without a partner last.
    pub partners: Vec<ByPartner>,
    pub countries: Vec<(Country, Figures)>,
}

#[derive(Clone, Debug)]
pub struct Finances {
    pub company: Company,
    pub span: Span,
    /// One for each currency there is something in.
    pub accounts: Vec<Account>,
}

/// A company's finances. Its admins, and super admins for the company they pick.
///
/// # Errors
/// As [`companies::portal`]; Invalid days.
pub async fn get(ctx: &Ctx, picked: Option<CompanyId>, asked: &Asked) -> Result<Finances> {
    let (company, span, cells, names) = read(ctx, picked, asked).await?;
    let months = span.months(
        cells.iter().filter(|c| c.kind != Metric::Due).map(|c| c.month.clone()).collect(),
        company.today(ctx.now()),
    );
    let accounts = Currency::ALL
        .into_iter()
        .filter_map(|currency| {
            let of: Vec<&Cell> = cells.iter().filter(|cell| cell.currency == currency).collect();
            (!of.is_empty()).then(|| account(currency, &of, &months, &names))
        })
        .collect();
    Ok(Finances { company, span, accounts })
}

type Names = HashMap<IsoId, String>;

async fn read(ctx: &Ctx, picked: Option<CompanyId>, asked: &Asked) -> Result<(Company, Span, Vec<Cell>, Names)> {
    let company = companies::portal(ctx, picked).await?;
    let span = asked.span(company.today(ctx.now()))?;
    let mut db = ctx.db();
    let cells = store::cells(&mut db, company.id, span).await?;
    let partners = store::partners(&mut db, company.id).await?;
    let names = partners.into_iter().map(|(id, first, last)| (id, format!("{first} {last}"))).collect();
    Ok((company, span, cells, names))
}

fn account(currency: Currency, cells: &[&Cell], months: &[String], names: &Names) -> Account {
    let mut total = Figures::default();
    let mut due_minor = 0;
    let mut by_month: BTreeMap<&str, Figures> = months.iter().map(|m| (m.as_str(), Figures::default())).collect();
    let mut by_partner: HashMap<Option<IsoId>, Figures> = HashMap::new();
    let mut by_country: HashMap<Country, Figures> = HashMap::new();
    for cell in cells {
        if cell.kind == Metric::Due {
            due_minor += cell.minor;
            continue;
        }
        total.add(cell);
        by_month.entry(&cell.month).or_default().add(cell);
        by_partner.entry(cell.partner()).or_default().add(cell);
        by_country.entry(cell.country).or_default().add(cell);
    }
    let mut partners: Vec<ByPartner> = by_partner
        .into_iter()
        .map(|(iso_id, figures)| ByPartner { iso_id, name: iso_id.and_then(|id| names.get(&id).cloned()), figures })
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

/// The same figures as a file: a line for each month, partner, country and currency, which sum to every figure of the
/// screen. The log keeps who took a copy.
///
/// # Errors
/// As [`get`].
pub async fn csv(ctx: &Ctx, picked: Option<CompanyId>, asked: &Asked) -> Result<String> {
    let (company, _, cells, names) = read(ctx, picked, asked).await?;
    // Two partners may have one name.
    type Line<'a> = (&'a str, String, Option<IsoId>, &'a str, &'a str);
    let mut lines: BTreeMap<Line, (Currency, Figures)> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.kind != Metric::Due) {
        let name = cell.partner().and_then(|id| names.get(&id).cloned()).unwrap_or_default();
        let key = (cell.month.as_str(), name, cell.partner(), cell.country.code(), cell.currency.code());
        lines.entry(key).or_insert((cell.currency, Figures::default())).1.add(cell);
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
