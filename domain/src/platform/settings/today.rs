//! Today as a calendar day: the office's for deadlines and money, the user's for forms and defaults (today, decision 39). Never the UTC day.
use super::{Settings, get, within};
use crate::kernel::{access::Actor, clock, ctx::Ctx, db::Sql, error::Result};
use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Timelike, Utc};
use chrono_tz::Tz;
use std::collections::BTreeMap;

/// Local hour from which reminders are sent: before the digests, which include them.
const REMINDER_HOUR: u32 = 7;

impl Settings {
    /// The office's calendar day at an instant.
    pub fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        clock::day(at, self.time_zone())
    }

    /// Groups time zones after their reminder hour by the day to remind for: the local day, but no later than the office's at
    /// that hour, as a date must be past for the reader and for the office.
    pub(crate) fn reminder_days(&self, now: DateTime<Utc>, zones: Vec<String>) -> BTreeMap<NaiveDate, Vec<String>> {
        let mut days: BTreeMap<NaiveDate, Vec<String>> = BTreeMap::new();
        for name in zones {
            let zone: Tz = name.parse().unwrap_or(Tz::UTC);
            let local = now.with_timezone(&zone);
            if local.hour() < REMINDER_HOUR {
                continue;
            }
            let today = local.date_naive();
            let hour = today.and_time(NaiveTime::MIN) + Duration::hours(i64::from(REMINDER_HOUR));
            // If the clock skips that hour, the present time counts.
            let began = hour.and_local_timezone(zone).earliest().map_or(now, |at| at.to_utc());
            days.entry(today.min(self.day(began))).or_default().push(name);
        }
        days
    }
}

/// The office's today: for deadlines, invoices, payments, payouts and yearly numbers.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "settings.office_today", skip_all)]
pub async fn office_today(ctx: &Ctx) -> Result<NaiveDate> {
    Ok(get(ctx).await?.day(ctx.now()))
}

/// The actor's today: for form defaults, birthdays and file names. The office's if the actor is no user.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "settings.person_today", skip_all)]
pub async fn person_today(ctx: &Ctx) -> Result<NaiveDate> {
    person_today_within(&mut ctx.db(), ctx).await
}

/// [`person_today`] on a given connection or transaction.
pub(crate) async fn person_today_within(db: &mut impl Sql, ctx: &Ctx) -> Result<NaiveDate> {
    Ok(ctx.now().with_timezone(&zone_within(db, ctx).await?).date_naive())
}

/// The actor's time zone; the office's if the actor is no user.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn person_zone(ctx: &Ctx) -> Result<Tz> {
    zone_within(&mut ctx.db(), ctx).await
}

async fn zone_within(db: &mut impl Sql, ctx: &Ctx) -> Result<Tz> {
    let name = match &ctx.actor {
        Actor::User(user) => user.time_zone.clone(),
        _ => within(db).await?.time_zone().to_owned(),
    };
    Ok(name.parse().unwrap_or(Tz::UTC))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("an instant")
    }

    fn office(zone: &str) -> Settings {
        Settings { default_time_zone: Some(zone.to_owned()), ..Settings::default() }
    }

    #[test]
    fn office_day_follows_its_time_zone() {
        for (zone, instant, day) in [
            ("Pacific/Kiritimati", "2026-12-11T10:00:00Z", "2026-12-12"),
            ("Pacific/Kiritimati", "2026-12-11T09:59:59Z", "2026-12-11"),
            ("Pacific/Honolulu", "2026-12-12T09:59:59Z", "2026-12-11"),
            ("America/Los_Angeles", "2026-12-12T01:30:00Z", "2026-12-11"),
            // The day on which clocks are put forward, and the one on which they are put back.
            ("America/New_York", "2027-03-15T03:59:59Z", "2027-03-14"),
            ("America/New_York", "2026-11-02T04:59:59Z", "2026-11-01"),
        ] {
            assert_eq!(office(zone).day(at(instant)).to_string(), day, "{zone} {instant}");
        }
    }

    #[test]
    fn reminders_wait_for_the_local_hour_and_the_office_day() {
        let days = |office_zone: &str, zone: &str, instant: &str| {
            let days = office(office_zone).reminder_days(at(instant), vec![zone.to_owned()]);
            days.into_keys().map(|day| day.to_string()).collect::<Vec<_>>()
        };
        let (la, tokyo) = ("America/Los_Angeles", "Asia/Tokyo");
        // Half past five in the afternoon of December 11 in Los Angeles: still that day's reminders.
        assert_eq!(days(la, la, "2026-12-12T01:30:00Z"), ["2026-12-11"]);
        assert!(days(la, la, "2026-12-12T14:59:00Z").is_empty(), "a minute before seven");
        assert_eq!(days(la, la, "2026-12-12T15:00:00Z"), ["2026-12-12"]);
        // The office is a day ahead of its client, and behind.
        assert_eq!(days(tokyo, la, "2026-12-12T01:30:00Z"), ["2026-12-11"]);
        assert_eq!(days(la, tokyo, "2026-12-11T22:00:00Z"), ["2026-12-11"], "seven on December 12 in Tokyo");
        assert_eq!(days(la, tokyo, "2026-12-12T09:00:00Z"), ["2026-12-11"], "not in its afternoon either");
        assert_eq!(days(la, tokyo, "2026-12-12T22:00:00Z"), ["2026-12-12"]);
        assert_eq!(days("Pacific/Honolulu", "Pacific/Kiritimati", "2026-12-12T17:00:00Z"), ["2026-12-12"]);
        assert_eq!(days("Pacific/Kiritimati", "Pacific/Honolulu", "2026-12-12T17:00:00Z"), ["2026-12-12"]);
        // An hour that summer time leaves out.
        assert_eq!(days("UTC", "America/New_York", "2027-03-14T11:00:00Z"), ["2027-03-14"]);
        assert!(days("UTC", "America/New_York", "2027-03-14T10:59:00Z").is_empty());
    }
}
