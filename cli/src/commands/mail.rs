//! `spvctl mail …`
use super::lookup;
use crate::{
    args::Paging,
    context::CliContext,
    exit::{Failure, Result},
    output::{Format, Record, clean, info},
};
use clap::{Args, Subcommand, ValueEnum};
use domain::outbox::mails::{self, Mail, Status};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the outbox, newest first
    #[command(after_help = "Examples:\n  spvctl mail list --status failed")]
    List(List),
    /// Show one email as it would be sent now; [link] stands for a one-time link
    #[command(after_help = "Examples:\n  spvctl mail show 6f1c2d3e-…")]
    Show(TargetArgs),
    /// Send a test email now, and say what the mail server answers
    #[command(after_help = "Examples:\n  spvctl mail test --to ada@example.com")]
    Test(Test),
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
    /// Only emails in this state
    #[arg(long, value_enum)]
    status: Option<State>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Id, or its first characters
    id: String,
}

#[derive(Debug, Args)]
pub struct Test {
    /// Email address
    #[arg(long, value_name = "ADDRESS")]
    to: String,
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
            let page = args.paging.read(async |query| mails::list(ctx, status, &query).await).await?;
            out.page(page.items.iter().map(record).collect(), "emails", page.next_cursor)
        }
        Verb::Show(args) => {
            let mail = mails::get(ctx, lookup::mail(ctx, &args.id).await?).await?;
            let preview = jobs::preview_mail(ctx, mail.id).await?;
            let shown = record(&mail).with("subject", preview.subject);
            if out.format != Format::Table {
                return out.one(shown.with("text", preview.text));
            }
            out.one(shown)?;
            let lines: Vec<String> = preview.text.lines().map(clean).collect();
            out.raw(format!("\n{}\n", lines.join("\n").trim_end()).as_bytes())
        }
        Verb::Test(args) => test(&args.to, cli).await,
        Verb::Resend(args) => {
            let mail = mails::get(ctx, lookup::mail(ctx, &args.id).await?).await?;
            cli.prompt.confirm(&format!("Send the email {} to {} again?", mail.kind.name(), mail.to_email))?;
            let mail = mails::resend(ctx, mail.id).await?;
            info("The email is queued; a running worker sends it.");
            out.one(record(&mail))
        }
    }
}

async fn test(to: &str, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let mailer = cli.mailer()?;
    if cli.config.smtp_url.is_some() {
        info("Connecting to the mail server…");
        // A server that stays silent is named after seconds here; a mail would wait for minutes.
        mailer.negotiate().await.map_err(|why| Failure::Refused(format!("the test email was not sent: {why}")))?;
    }
    let id = mails::insert_test(ctx, to).await?;
    let state = jobs::State::new(ctx.clone(), mailer);
    match jobs::send_test_now(&state, ctx, id).await? {
        Ok(()) => {
            let place = match cli.config.smtp_url {
                Some(_) => "The mail server took it.".to_owned(),
                None => format!("No mail server is set, so it lies in {}.", cli.config.mail_dir().display()),
            };
            info(&place);
            cli.out.one(record(&mails::get(ctx, id).await?))
        }
        Err(why) => Err(Failure::Refused(format!("the test email was not sent: {why}"))),
    }
}

fn record(mail: &Mail) -> Record {
    Record::new()
        .with("id", mail.id.to_string())
        .with("kind", mail.kind.name())
        .with("to_email", mail.to_email.clone())
        .with("status", mail.status.name())
        .with_room("attempts", mail.attempts)
        .with_room("last_error", mail.last_error.clone())
        .hidden_in_table("message_id", mail.message_id.clone())
        .hidden_in_table("language", mail.language.clone())
        .with("created_at", mail.created_at.to_rfc3339())
        .hidden_in_table("sent_at", mail.sent_at.map(|at| at.to_rfc3339()))
}
