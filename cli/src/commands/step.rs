//! `spvctl step …`
use crate::{
    exit::{Failure, Result},
    output::Record,
    portal::Portal,
};
use clap::{Args, Subcommand};
use domain::{
    ids::UserId,
    spvs,
    steps::{self, Change, Step},
    tasks,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List an order's steps
    #[command(after_help = "Examples:\n  spvctl step list SPV-2026-001")]
    List(List),
    /// Change a step; the last completed one closes the order
    #[command(
        after_help = "Examples:\n  spvctl step set SPV-2026-001 2 --status in_progress\n  spvctl step set SPV-2026-001 'KYC and beneficial owners' --status blocked --blocked-reason 'Passport expired' --waiting-on client"
    )]
    Set(Box<Set>),
    /// Give a step to somebody of the staff, or to nobody
    #[command(
        after_help = "Examples:\n  spvctl step assign SPV-2026-001 2 'Erin Miles'\n  spvctl step assign SPV-2026-001 2"
    )]
    Assign(Assign),
}

#[derive(Debug, Args)]
pub struct Assign {
    /// Identifier, order number or id
    spv: String,
    /// The step's number in the order, name or id
    step: String,
    /// Name or id of somebody of the staff; without one the step is nobody's
    #[arg(value_name = "PERSON")]
    to: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Identifier, order number or id
    spv: String,
}

#[derive(Debug, Args)]
pub struct Set {
    /// Identifier, order number or id
    spv: String,
    /// The step's number in the order, name or id
    step: String,
    /// pending, in_progress, completed or blocked
    #[arg(long)]
    status: Option<String>,
    /// Notes of the staff
    #[arg(long, value_name = "NOTES")]
    text_data: Option<String>,
    /// Begins with https://
    #[arg(long, value_name = "LINK")]
    document_url: Option<String>,
    /// Why a blocked step is blocked; the client reads it
    #[arg(long, value_name = "REASON")]
    blocked_reason: Option<String>,
    /// staff, client, iso, authority or other
    #[arg(long, value_name = "WHOM")]
    waiting_on: Option<String>,
    /// Why a step of a closed order changes
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let (ctx, out) = (&portal.ctx, &portal.out);
    match verb {
        Verb::List(args) => {
            let detail = spvs::find(ctx, &args.spv).await?;
            out.list(detail.steps.iter().map(record).collect(), "steps")
        }
        Verb::Set(args) => {
            let detail = spvs::find(ctx, &args.spv).await?;
            let id = find(&detail.steps, &args.step)?.id;
            let change = Change {
                status: args.status,
                text_data: args.text_data,
                document_url: args.document_url,
                blocked_reason: args.blocked_reason,
                waiting_on: args.waiting_on,
                assignee_id: None,
                reason: args.reason,
            };
            let (step, spv) = steps::update(ctx, id, None, change).await?;
            out.one(record(&step).with("spv_status", spv.status.name()).with("percent", spv.percent()))
        }
        Verb::Assign(args) => {
            let detail = spvs::find(ctx, &args.spv).await?;
            let id = find(&detail.steps, &args.step)?.id;
            let to = match args.to {
                Some(name) => Some(person(portal, name.trim()).await?),
                None => None,
            };
            let change = Change { assignee_id: Some(to), ..Change::default() };
            out.one(record(&steps::update(ctx, id, None, change).await?.0))
        }
    }
}

/// The one person of the staff with this name, or id.
async fn person(portal: &Portal, name: &str) -> Result<UserId> {
    let staff = tasks::staff(&portal.ctx).await?;
    let mut found = staff.iter().filter(|(id, whole)| id.to_string() == name || whole.eq_ignore_ascii_case(name));
    match (found.next(), found.next()) {
        (Some((id, _)), None) => Ok(*id),
        (None, _) => Err(Failure::Refused(format!("nobody of the staff is called `{name}`"))),
        _ => Err(Failure::Refused(format!("several of the staff are called `{name}`: give the id"))),
    }
}

fn find<'a>(steps: &'a [Step], name: &str) -> Result<&'a Step> {
    let number: Option<i64> = name.parse().ok();
    let matches = |step: &&Step| {
        Some(step.step_order) == number || step.step_name.eq_ignore_ascii_case(name) || step.id.to_string() == name
    };
    steps.iter().find(matches).ok_or_else(|| Failure::Refused(format!("the order has no step `{name}`")))
}

pub(super) fn record(step: &Step) -> Record {
    Record::new()
        .more("id", step.id.to_string())
        .more("spv_id", step.spv_id.to_string())
        .with("step_order", step.step_order)
        .with("step_name", step.step_name.clone())
        .with("status", step.status.name())
        .with("owner", step.owner.name())
        .with("due_date", step.due_date.map(|date| date.to_string()))
        .more("completed_at", step.completed_at.map(|at| at.to_rfc3339()))
        .with("waiting_on", step.waiting_on.map(|party| party.name()))
        .with("assignee", step.assignee_name.clone())
        .more("blocked_reason", step.blocked_reason.clone())
        .more("text_data", step.text_data.clone())
        .more("document_url", step.document_url.clone())
        .more("version", step.version)
}
