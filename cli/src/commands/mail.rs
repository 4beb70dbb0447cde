//! `spvctl mail …`
use crate::{
    args::Paging,
    context::CliContext,
    exit::Result,
    output::{Record, info},
};
use clap::{Args, Subcommand, ValueEnum};
use domain::{
    kernel::ids::MailId,
    outbox::mails::{self, Mail, Status},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the outbox, newest first
    #[command(after_help = "Examples:\n  spvctl mail list --status failed")]
    List(List),
    /// Show one email
    #[command(after_help = "Examples:\n  spvctl mail show 6f1c2d3e-…")]
    Show(TargetArgs),
    /// Send an email again, with the same Message-ID
    #[command(after_help = "Examples:\n  spvctl mail resend 6f1c2d3e-…")]
    Resend(TargetArgs),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum State {
    Queued,
    Sent,
    Failed,
}

#[derive(Debug, Args)]
pub struct List {
    #[arg(long, value_enum)]
    status: Option<State>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    id: MailId,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let status = args.status.map(|state| match state {
                State::Queued => Status::Queued,
                State::Sent => Status::Sent,
                State::Failed => Status::Failed,
            });
            let page = mails::list(ctx, status, &args.paging.query()).await?;
            out.page(page.items.iter().map(record).collect(), "mails", page.next_cursor)
        }
        Verb::Show(args) => out.one(record(&mails::get(ctx, args.id).await?)),
        Verb::Resend(args) => {
            let mail = mails::get(ctx, args.id).await?;
            cli.prompt.confirm(&format!("Send the email {} to {} again?", mail.kind.name(), mail.to_email))?;
            let mail = mails::resend(ctx, args.id).await?;
            info("The email is queued; a running worker sends it.");
            out.one(record(&mail))
        }
    }
}

fn record(mail: &Mail) -> Record {
    Record::new()
        .with("id", mail.id.to_string())
        .with("kind", mail.kind.name())
        .with("to_email", mail.to_email.clone())
        .with("status", mail.status.name())
        .with("attempts", mail.attempts)
        .with("last_error", mail.last_error.clone())
        .hidden_in_table("message_id", mail.message_id.clone())
        .hidden_in_table("language", mail.language.clone())
        .with("created_at", mail.created_at.to_rfc3339())
        .hidden_in_table("sent_at", mail.sent_at.map(|at| at.to_rfc3339()))
}
