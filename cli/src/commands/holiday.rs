//! `spvctl holiday …`
use crate::{
    args::parse_name,
    context::CliContext,
    exit::Result,
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    kernel::geo::Country,
    platform::{
        holidays::{self, Holiday},
        settings,
    },
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List a country's public holidays, by day
    #[command(after_help = "Examples:\n  spvctl holiday list AE\n  spvctl holiday list SG --year 2027")]
    List(List),
    /// Make a day a public holiday; due dates that exist stay
    #[command(after_help = "Examples:\n  spvctl holiday add AE 2027-03-08 'Eid al-Fitr'")]
    Add(Add),
    /// Make a public holiday a business day, such as an estimate that fell on another day
    #[command(after_help = "Examples:\n  spvctl holiday remove AE 2027-03-11")]
    Remove(Day),
    /// Take the correction of a day back
    #[command(after_help = "Examples:\n  spvctl holiday restore AE 2027-03-11")]
    Restore(Day),
}

#[derive(Debug, Args)]
pub struct List {
    /// US, AE, JP, SG or TH
    #[arg(value_parser = parse_name::<Country>)]
    country: Country,
    /// [default: this year]
    #[arg(long, value_name = "YEAR")]
    year: Option<i32>,
}

#[derive(Debug, Args)]
pub struct Day {
    /// US, AE, JP, SG or TH
    #[arg(value_parser = parse_name::<Country>)]
    country: Country,
    /// Day of the holiday
    #[arg(value_name = "YYYY-MM-DD")]
    day: String,
}

#[derive(Debug, Args)]
pub struct Add {
    #[command(flatten)]
    day: Day,
    /// Name of the holiday
    name: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let year = match args.year {
                Some(year) => year,
                None => chrono::Datelike::year(&settings::office_today(ctx).await?),
            };
            let found = holidays::list(ctx, args.country).await?;
            let of_year = found.iter().filter(|holiday| chrono::Datelike::year(&holiday.day) == year);
            out.list(of_year.map(record).collect(), "holidays")
        }
        Verb::Add(Add { day, name }) => {
            let made = holidays::correct(ctx, day.country.code(), &day.day, Some(&name)).await?;
            info(&format!("{} is a public holiday in {}. Due dates that exist stay.", made.day, day.country.code()));
            Ok(())
        }
        Verb::Remove(Day { country, day }) => {
            let made = holidays::correct(ctx, country.code(), &day, None).await?;
            info(&format!("{} is a business day in {}. Due dates that exist stay.", made.day, country.code()));
            Ok(())
        }
        Verb::Restore(Day { country, day }) => {
            let found = holidays::list(ctx, country).await?;
            let correction = found.iter().find(|holiday| holiday.day.to_string() == day).and_then(|it| it.correction);
            holidays::restore(ctx, correction.ok_or(domain::Error::NotFound("holiday"))?).await?;
            info(&format!("{day} is again what the table says."));
            Ok(())
        }
    }
}

fn record(holiday: &Holiday) -> Record {
    let kind = match holiday {
        Holiday { name: None, .. } => "business day",
        Holiday { correction: Some(_), .. } => "added",
        Holiday { is_estimate: true, .. } => "estimate",
        _ => "",
    };
    Record::new()
        .with("day", holiday.day.to_string())
        .with("weekday", holiday.day.format("%A").to_string())
        .with("name", holiday.name.clone())
        .with("note", kind)
}
