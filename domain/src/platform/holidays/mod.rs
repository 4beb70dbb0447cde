//! Public holidays, by which business days are counted: a table for ten years, and the days that super admins corrected.
//!
//! The table (`domain/data/holidays.csv`) is made by `scripts/public_holidays.py`. Dates by a moon calendar are estimates
//! until an authority announces them; a correction adds a day or makes it a working day.
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql},
        error::{Error, Problem, Result},
        geo::Country,
        idempotency,
        ids::HolidayId,
        validate::{self, LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Datelike, Days, NaiveDate, Utc, Weekday};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// Corrections of one country; each is read when due dates are computed.
const MAX_CORRECTIONS: usize = 1_000;

/// A public holiday of a country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holiday {
    pub country: Country,
    pub day: NaiveDate,
    /// None for a day that a correction made a working day.
    pub name: Option<String>,
    /// By a moon calendar, and not announced yet.
    pub is_estimate: bool,
    /// The correction by a super admin.
    pub correction: Option<HolidayId>,
}

/// A day that differs from the table: a holiday, or without a name a working day.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Correction {
    pub id: HolidayId,
    pub country: Country,
    pub day: NaiveDate,
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
}

/// A row of the built-in table.
struct TableRow {
    name: &'static str,
    is_estimate: bool,
}

static TABLE: LazyLock<BTreeMap<Country, BTreeMap<NaiveDate, TableRow>>> = LazyLock::new(|| {
    let mut table: BTreeMap<Country, BTreeMap<NaiveDate, TableRow>> = BTreeMap::new();
    for line in include_str!("../../../data/holidays.csv").lines().skip(1) {
        let (country, rest) = line.split_once(',').expect("a country");
        let (day, rest) = rest.split_once(',').expect("a day");
        let (name, note) = rest.rsplit_once(',').expect("a name and a note");
        let country = Country::ALL.into_iter().find(|one| one.code() == country).expect("a country of formation");
        let row = TableRow { name: name.trim_matches('"'), is_estimate: note == "estimate" };
        table.entry(country).or_default().insert(day.parse().expect("a date"), row);
    }
    table
});

/// The last day of the table of public holidays.
pub(crate) fn last_day() -> NaiveDate {
    TABLE.values().filter_map(|days| days.keys().next_back()).min().copied().unwrap_or_default()
}

/// Business days of a country from a day on: Saturdays, Sundays and public holidays do not count.
#[derive(Clone, Debug)]
pub struct BusinessDays {
    from: NaiveDate,
    holidays: BTreeSet<NaiveDate>,
}

impl BusinessDays {
    /// By the table alone.
    pub fn of_table(country: Country, from: NaiveDate) -> Self {
        Self { from, holidays: TABLE.get(&country).into_iter().flat_map(|days| days.keys().copied()).collect() }
    }

    /// The day that comes `days` business days later.
    pub fn after(&self, days: i64) -> NaiveDate {
        let mut date = self.from;
        let mut left = days;
        while left > 0 {
            let Some(next) = date.checked_add_days(Days::new(1)) else { return date };
            date = next;
            if !matches!(date.weekday(), Weekday::Sat | Weekday::Sun) && !self.holidays.contains(&date) {
                left -= 1;
            }
        }
        date
    }
}

/// Business days of a country with its corrections.
pub(crate) async fn business_days(db: &mut impl Sql, country: Country, from: NaiveDate) -> Result<BusinessDays> {
    let mut found = BusinessDays::of_table(country, from);
    for correction in store::list(db, country).await? {
        if correction.name.is_some() {
            found.holidays.insert(correction.day);
        } else {
            found.holidays.remove(&correction.day);
        }
    }
    Ok(found)
}

/// Holidays of a country by day, with corrected days. For every signed-in person.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "holidays.list", skip_all)]
pub async fn list(ctx: &Ctx, country: Country) -> Result<Vec<Holiday>> {
    ctx.scope()?;
    let mut found: BTreeMap<NaiveDate, Holiday> = BTreeMap::new();
    for (day, row) in TABLE.get(&country).into_iter().flatten() {
        let name = Some(row.name.to_owned());
        let holiday = Holiday { country, day: *day, name, is_estimate: row.is_estimate, correction: None };
        found.insert(*day, holiday);
    }
    for Correction { id, day, name, .. } in store::list(&mut ctx.db(), country).await? {
        found.insert(day, Holiday { country, day, name, is_estimate: false, correction: Some(id) });
    }
    Ok(found.into_values().collect())
}

/// Makes a day a holiday, or without a name a working day. Due dates that exist keep. Super admins.
///
/// # Errors
/// Forbidden; Invalid per field; Conflict `holiday_corrected` for a day with a correction, `too_many_holidays`.
#[tracing::instrument(level = "debug", name = "holidays.correct", skip_all)]
pub async fn correct(ctx: &Ctx, country: &str, day: &str, name: Option<&str>) -> Result<Correction> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut check = Validator::new();
    let country = check.required("country", Some(country), str::parse::<Country>);
    let day = check.required("day", Some(day), validate::date);
    let name = check.optional_line("name", name, LINE);
    let is_known = |day| country.and_then(|country| TABLE.get(&country)).is_some_and(|days| days.contains_key(&day));
    if name.is_none() && day.is_some_and(|day| !is_known(day)) {
        check.reject("name", Problem::new("required"));
    }
    check.finish()?;
    let (Some(country), Some(day)) = (country, day) else { return Err(Error::field("day", "required")) };
    let correction = &Correction {
        id: HolidayId(ctx.random.uuid()),
        country,
        day,
        name,
        created_at: ctx.now(),
        created_by: ctx.actor_name(),
    };
    ctx.transaction(|tx| {
        async move {
            let all = store::lock(tx, correction.country).await?;
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return all.into_iter().find(|other| other.id.0 == id).ok_or(Error::NotFound("holiday"));
            }
            if all.iter().any(|other| other.day == correction.day) {
                return Err(Error::conflict("holiday_corrected"));
            }
            if all.len() >= MAX_CORRECTIONS {
                return Err(Error::Conflict(Problem::new("too_many_holidays").with("max", MAX_CORRECTIONS)));
            }
            store::insert(tx, correction).await?;
            let action = if correction.name.is_some() { "holiday.added" } else { "holiday.removed" };
            activity::append(tx, ctx, event(action, correction)).await?;
            idempotency::store(tx, ctx, correction.id.0).await?;
            Ok(correction.clone())
        }
        .scope_boxed()
    })
    .await
}

/// Takes a correction back: the day is again what the table says. Super admins.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "holidays.restore", skip_all, fields(holiday_id = %id))]
pub async fn restore(ctx: &Ctx, id: HolidayId) -> Result<()> {
    ctx.may(Action::Update, Resource::Settings)?;
    ctx.transaction(|tx| {
        async move {
            let correction = store::delete(tx, id).await?.ok_or(Error::NotFound("holiday"))?;
            activity::append(tx, ctx, event("holiday.restored", &correction)).await
        }
        .scope_boxed()
    })
    .await
}

fn event(action: &'static str, correction: &Correction) -> Event {
    let day = format!("{} {}", correction.country.code(), correction.day);
    let event = Event::new(action, "holiday", correction.id.0, day);
    correction.name.iter().fold(event, |event, name| event.with("holiday", name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn business_days_skip_weekends_and_holidays() {
        let after = |country, from, days| BusinessDays::of_table(country, from).after(days);
        let friday = day("2026-11-20");
        assert_eq!(after(Country::Us, friday, 0), friday);
        assert_eq!(after(Country::Us, friday, 1), day("2026-11-23"));
        // Thanksgiving is the 26th.
        assert_eq!(after(Country::Us, day("2026-11-25"), 1), day("2026-11-27"));
        assert_eq!(after(Country::Sg, day("2026-11-25"), 1), day("2026-11-26"));
        assert_eq!(after(Country::Us, NaiveDate::MAX, 1), NaiveDate::MAX);
    }

    #[test]
    fn table_has_each_country_for_ten_years() {
        for country in Country::ALL {
            for year in 2026..2036 {
                let count = TABLE[&country].keys().filter(|day| day.year() == year).count();
                assert!((9..40).contains(&count), "{} {year}: {count}", country.code());
            }
        }
        let estimated = |country| TABLE[&country].values().any(|row| row.is_estimate);
        assert!(estimated(Country::Ae) && !estimated(Country::Us));
    }
}
