//! `spvctl step …`
use super::lookup;
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::Record,
};
use clap::{Args, Subcommand};
use domain::{
    desk::tasks,
    kernel::{
        ids::{StepId, UserId},
        text::unique_key,
    },
    orders::{
        spvs,
        steps::{self, Change, Step},
    },
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
    /// Add a step at the end of an open order
    #[command(
        after_help = "Examples:\n  spvctl step add SPV-2026-001 'Apostille' --owner authority --business-days 5\n  spvctl step add SPV-2026-001 'Notary' --due-date 2026-12-01 --depends-on 3"
    )]
    Add(Box<Add>),
    /// Take a pending step out of an open order
    #[command(after_help = "Examples:\n  spvctl step remove SPV-2026-001 9")]
    Remove(Remove),
    /// Put the steps of an order into another order
    #[command(after_help = "Examples:\n  spvctl step order SPV-2026-001 2 1 3 4 5 6 7 8")]
    Order(Order),
    /// Assign a step to a staff member, or unassign it
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
    /// Name or id of a staff member; without one the step is unassigned
    #[arg(value_name = "PERSON")]
    to: Option<String>,
}

#[derive(Debug, Args)]
pub struct Add {
    /// Identifier, order number or id
    spv: String,
    /// Name of the step
    step_name: String,
    #[command(flatten)]
    plan: Plan,
}

/// Owner, due date and prerequisites of a step.
#[derive(Debug, Args)]
pub struct Plan {
    /// Owner: staff, client, iso or authority
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
    /// For example 2026-12-01; an empty one takes the date away
    #[arg(long, value_name = "DATE")]
    due_date: Option<String>,
    /// Business days from the office's today until it is due
    #[arg(long, value_name = "DAYS", conflicts_with = "due_date")]
    business_days: Option<i64>,
    /// Whether the last required document completes it
    #[arg(long, value_name = "BOOL")]
    completes_with_documents: Option<bool>,
    /// A step that comes first: number, name or id; several are possible, an empty one is none
    #[arg(long, value_name = "STEP")]
    depends_on: Option<Vec<String>>,
}

impl Plan {
    fn dependency_ids(&self, steps: &[Step]) -> Result<Option<Vec<StepId>>> {
        let Some(names) = &self.depends_on else { return Ok(None) };
        let names = names.iter().filter(|name| !name.is_empty());
        names.map(|name| Ok(find_step(steps, name)?.id)).collect::<Result<_>>().map(Some)
    }
}

#[derive(Debug, Args)]
pub struct Remove {
    /// Identifier, order number or id
    spv: String,
    /// The step's number in the order, name or id
    step: String,
}

#[derive(Debug, Args)]
pub struct Order {
    /// Identifier, order number or id
    spv: String,
    /// Every step of the order, by number, name or id
    #[arg(required = true)]
    steps: Vec<String>,
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
    #[arg(long, value_name = "PARTY")]
    waiting_on: Option<String>,
    /// Another name
    #[arg(long, value_name = "NAME")]
    step_name: Option<String>,
    #[command(flatten)]
    plan: Plan,
    /// Why a step of a closed order changes
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let detail = lookup::spv(ctx, &args.spv).await?;
            out.list(detail.steps.iter().map(record).collect(), "steps")
        }
        Verb::Set(args) => set(*args, cli).await,
        Verb::Add(args) => add(*args, cli).await,
        Verb::Remove(args) => {
            let detail = lookup::spv(ctx, &args.spv).await?;
            let step = find_step(&detail.steps, &args.step)?;
            cli.prompt.confirm(&format!("Remove the step {} of {}?", step.step_name, detail.spv.identifier()))?;
            let spv = steps::remove(ctx, step.id, None).await?;
            out.list(spvs::get(ctx, spv.id).await?.steps.iter().map(record).collect(), "steps")
        }
        Verb::Order(args) => {
            let detail = lookup::spv(ctx, &args.spv).await?;
            let ids: Vec<StepId> =
                args.steps.iter().map(|name| Ok(find_step(&detail.steps, name)?.id)).collect::<Result<_>>()?;
            let detail = steps::reorder(ctx, detail.spv.id, None, &ids).await?;
            out.list(detail.steps.iter().map(record).collect(), "steps")
        }
        Verb::Assign(args) => {
            let detail = lookup::spv(ctx, &args.spv).await?;
            let id = find_step(&detail.steps, &args.step)?.id;
            let to = match args.to {
                Some(name) => Some(find_staff(cli, name.trim()).await?),
                None => None,
            };
            let change = Change { assignee_id: Some(to), ..Change::default() };
            out.one(record(&steps::update(ctx, id, None, change).await?.0))
        }
    }
}

async fn set(args: Set, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let detail = lookup::spv(ctx, &args.spv).await?;
    let id = find_step(&detail.steps, &args.step)?.id;
    let change = Change {
        depends_on: args.plan.dependency_ids(&detail.steps)?,
        step_name: args.step_name,
        owner: args.plan.owner,
        due_date: args.plan.due_date,
        business_days: args.plan.business_days,
        completes_with_documents: args.plan.completes_with_documents,
        status: args.status,
        text_data: args.text_data,
        document_url: args.document_url,
        blocked_reason: args.blocked_reason,
        waiting_on: args.waiting_on,
        assignee_id: None,
        reason: args.reason,
    };
    let (step, spv) = steps::update(ctx, id, None, change).await?;
    cli.out.one(record(&step).with("spv_status", spv.status.name()).with("percent", spv.percent()))
}

async fn add(args: Add, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let detail = lookup::spv(ctx, &args.spv).await?;
    let new = steps::NewStep {
        depends_on: args.plan.dependency_ids(&detail.steps)?.unwrap_or_default(),
        step_name: args.step_name,
        owner: args.plan.owner,
        due_date: args.plan.due_date,
        business_days: args.plan.business_days,
        completes_with_documents: args.plan.completes_with_documents.unwrap_or_default(),
    };
    cli.out.one(record(&steps::add(ctx, detail.spv.id, new).await?.0))
}

/// Finds a member of the staff by unique name or id.
async fn find_staff(cli: &CliContext, name: &str) -> Result<UserId> {
    let staff = tasks::staff(&cli.ctx).await?;
    let mut found = staff.iter().filter(|(id, whole)| id.to_string() == name || unique_key(whole) == unique_key(name));
    match (found.next(), found.next()) {
        (Some((id, _)), None) => Ok(*id),
        (None, _) => Err(Failure::Refused(format!("no staff member is called `{name}`"))),
        _ => Err(Failure::Refused(format!("several staff members are called `{name}`: give the id"))),
    }
}

fn find_step<'a>(steps: &'a [Step], name: &str) -> Result<&'a Step> {
    let number: Option<i64> = name.parse().ok();
    let matches = |step: &&Step| {
        Some(step.step_order) == number
            || unique_key(&step.step_name) == unique_key(name)
            || step.id.to_string() == name
    };
    steps.iter().find(matches).ok_or_else(|| Failure::Refused(format!("the order has no step `{name}`")))
}

pub(super) fn record(step: &Step) -> Record {
    Record::new()
        .hidden_in_table("id", step.id.to_string())
        .hidden_in_table("spv_id", step.spv_id.to_string())
        .with("step_order", step.step_order)
        .with("step_name", step.step_name.clone())
        .with("status", step.status.name())
        .with("owner", step.owner.name())
        .with("due_date", step.due_date.map(|date| date.to_string()))
        .hidden_in_table("completed_at", step.completed_at.map(|at| at.to_rfc3339()))
        .with("waiting_on", step.waiting_on.map(|party| party.name()))
        .with("assignee", step.assignee_name.clone())
        .hidden_in_table("blocked_reason", step.blocked_reason.clone())
        .hidden_in_table("text_data", step.text_data.clone())
        .hidden_in_table("document_url", step.document_url.clone())
        .hidden_in_table("completes_with_documents", step.completes_with_documents)
        .hidden_in_table("depends_on", step.depends_on.iter().map(ToString::to_string).collect::<Vec<_>>())
        .hidden_in_table("version", step.version)
}
