//! `spvctl schedule …`
use crate::{
    exit::Result,
    output::{Output, Record},
};
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the jobs that run by themselves, with their next time
    #[command(after_help = "Examples:\n  spvctl schedule list")]
    List,
}

pub fn run(verb: &Verb, out: &Output) -> Result {
    let Verb::List = verb;
    let now = domain::kernel::clock::Clock::system().now();
    let record = |(job, cron, next): (&str, String, Option<chrono::DateTime<chrono::Utc>>)| {
        Record::new().with("job", job).with("cron", cron).with("next_at", next.map(|at| at.to_rfc3339()))
    };
    out.list(jobs::list_schedules(now).into_iter().map(record).collect(), "schedules")
}
