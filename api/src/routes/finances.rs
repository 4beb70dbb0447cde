//! Finances of a company by month, partner and country.
use crate::{
    error::Result,
    extract::{Query, SignedIn, empty_string_as_none},
    response::JsonBody,
    routes::{exports::file, me::Named},
};
use axum::response::Response;
use chrono::NaiveDate;
use domain::{
    kernel::{
        date_range::DateRangeQuery,
        ids::{CompanyId, IsoId},
        money::Currency,
    },
    orders::spvs::Country,
    platform::settings,
    reporting::finances::{self, Account, Figures},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Company and period of the figures.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FinancesQuery {
    /// The company. Required for super admins; company admins have only their own.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// `this_month`, `last_month`, `this_year`, `last_year` or `all_time`; default: `this_year`.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    period: Option<String>,
    /// First day, instead of a period.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(example = "2026-01-01")]
    from: Option<String>,
    /// Last day, instead of a period.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(example = "2026-12-31")]
    to: Option<String>,
}

impl FinancesQuery {
    pub fn read(self) -> (Option<CompanyId>, DateRangeQuery) {
        (self.company_id, DateRangeQuery { period: self.period, from: self.from, to: self.to })
    }
}

/// A company's amounts per currency. Currencies are never added up.
#[derive(Debug, Serialize, ToSchema)]
pub struct Finances {
    company: Named,
    /// Null when the period has no bound on this side.
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    accounts: Vec<FinanceAccount>,
}

/// Amounts in one currency. The lines of each list sum to `total`.
#[derive(Debug, Serialize, ToSchema)]
pub struct FinanceAccount {
    currency: Currency,
    total: FinanceFigures,
    /// Outstanding today, whenever it was invoiced.
    #[schema(example = "1250.00")]
    due: String,
    months: Vec<FinanceMonth>,
    partners: Vec<FinancePartner>,
    countries: Vec<FinanceCountry>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FinanceFigures {
    /// Number of orders placed that are not cancelled.
    spvs: i64,
    /// Their purchase amounts, else prices.
    #[schema(example = "1250.00")]
    ordered: String,
    /// Invoices issued that are not void.
    invoiced: String,
    /// Payments received.
    paid: String,
    /// Commissions earned by partners, less reversals.
    commission: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FinanceMonth {
    #[schema(example = "2026-11")]
    month: String,
    figures: FinanceFigures,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FinancePartner {
    /// Null for amounts without a partner.
    iso_id: Option<IsoId>,
    name: Option<String>,
    figures: FinanceFigures,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FinanceCountry {
    country: Country,
    figures: FinanceFigures,
}

fn figures(currency: Currency, of: Figures) -> FinanceFigures {
    FinanceFigures {
        spvs: of.spvs,
        ordered: currency.format(of.ordered_minor),
        invoiced: currency.format(of.invoiced_minor),
        paid: currency.format(of.paid_minor),
        commission: currency.format(of.commission_minor),
    }
}

impl From<Account> for FinanceAccount {
    fn from(of: Account) -> Self {
        let currency = of.currency;
        let say = |of| figures(currency, of);
        Self {
            currency,
            total: say(of.total),
            due: currency.format(of.due_minor),
            months: of.months.into_iter().map(|(month, of)| FinanceMonth { month, figures: say(of) }).collect(),
            partners: of
                .partners
                .into_iter()
                .map(|row| FinancePartner { iso_id: row.iso_id, name: row.name, figures: say(row.figures) })
                .collect(),
            countries: of
                .countries
                .into_iter()
                .map(|(country, of)| FinanceCountry { country, figures: say(of) })
                .collect(),
        }
    }
}

/// A company's amounts by month, partner and country, per currency.
#[utoipa::path(get, path = "/finances", operation_id = "finances_get", tag = "company", params(FinancesQuery),
    responses((status = 200, body = Finances)))]
pub async fn get(SignedIn(ctx): SignedIn, Query(query): Query<FinancesQuery>) -> Result<JsonBody<Finances>> {
    let (company, asked) = query.read();
    let found = finances::get(&ctx, company, &asked).await?;
    Ok(JsonBody(Finances {
        company: Named { id: found.company.id.0, name: found.company.name },
        from: found.span.from,
        to: found.span.to,
        accounts: found.accounts.into_iter().map(FinanceAccount::from).collect(),
    }))
}

/// The same figures as CSV: a line for each month, partner, country and currency.
#[utoipa::path(get, path = "/finances.csv", operation_id = "finances_export", tag = "company", params(FinancesQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn csv(SignedIn(ctx): SignedIn, Query(query): Query<FinancesQuery>) -> Result<Response> {
    let (company, asked) = query.read();
    let text = finances::csv(&ctx, company, &asked).await?;
    // Byte order mark: without it Excel does not read UTF-8.
    let name = format!("finances-{}.csv", settings::person_today(&ctx).await?);
    Ok(file(&name, "text/csv; charset=utf-8", format!("\u{feff}{text}")))
}
