//! Command-line arguments: global options and the tree of commands. The verbs of a noun are in its file under `commands`.
use crate::{commands, output::Format};
use clap::{ArgMatches, Args, Parser, Subcommand};
use domain::kernel::error::Problem;
use std::{iter, path::PathBuf, str::FromStr};

#[derive(Debug, Parser)]
#[command(
    name = "spvctl",
    version,
    about = "The SPV portal: its server, its worker, and every operator's command.",
    long_about = "The SPV portal: its server, its worker, and every operator's command.\n\nSettings come from defaults, \
                  the file given by --config, the environment (SPV_…) and flags, each overrides the one before it. \
                  `spvctl config` shows what is in force.",
    after_help = "Examples:\n  spvctl serve\n  spvctl user create --role super_admin --email admin@example.com\n  \
                  spvctl client create --setup quick\n  spvctl spv list --status pending --format json\n\n\
                  Exit codes: 0 done, 1 refused or not found, 2 usage, 3 our fault.",
    propagate_version = false,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 110
)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options everywhere")]
pub struct Globals {
    /// Configuration file (TOML) [default: SPV_CONFIG, or /etc/spv/portal.toml if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder of database, documents, mail, keys, backups
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// sqlite:<file> or postgres://…
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
    /// How data is printed
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Answer every question with yes
    #[arg(long, short = 'y', global = true)]
    pub yes: bool,
    /// Set by `serve --listen`.
    #[arg(skip)]
    pub listen: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the portal: the web app, the API and, by default, the worker
    Serve(commands::serve::Args),
    /// Run only the worker: emails, scheduled jobs
    Worker(commands::worker::Args),
    /// Bring the database schema up to date
    Migrate(commands::migrate::Args),
    /// Check everything a running portal needs
    Doctor(commands::doctor::Args),
    /// Ask the running portal whether it is ready
    Healthcheck(commands::healthcheck::Args),
    /// Show the configuration in force, secrets hidden
    #[command(after_help = "Examples:\n  spvctl config\n  spvctl config --config portal.toml --format json")]
    Config,
    /// Create test data, the demo office or load data
    Seed(commands::seed::Args),
    /// Clients and their first order
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl client create --setup quick\n  spvctl client list --q ortiz"
    )]
    Client(commands::client::Verb),
    /// Companies
    #[command(subcommand, after_help = "Examples:\n  spvctl company list\n  spvctl company show 'Harbor Capital'")]
    Company(commands::company::Verb),
    /// ISO partners
    #[command(subcommand, after_help = "Examples:\n  spvctl iso list --company 'Harbor Capital'")]
    Iso(commands::iso::Verb),
    /// Orders
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl spv list --status pending\n  spvctl spv start SPV-2026-001"
    )]
    Spv(commands::spv::Verb),
    /// The steps of an order
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl step list SPV-2026-001\n  spvctl step set SPV-2026-001 2 --status completed"
    )]
    Step(commands::step::Verb),
    /// Formation work by country
    #[command(subcommand, after_help = "Examples:\n  spvctl template list\n  spvctl template show AE")]
    Template(commands::template::Verb),
    /// Accounts of every role
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl user create --role super_admin --email admin@example.com\n  spvctl user sessions admin@example.com"
    )]
    User(commands::user::Verb),
    /// Orders that clients ask for, applications, messages from the contact page
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl request list --status pending\n  spvctl request approve REQ-6f1c2d3e --price 1250.00"
    )]
    Request(commands::request::Verb),
    /// What clients owe, and what came in
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl invoice list --status due\n  spvctl invoice pay 2026-0001 --amount 1250.00"
    )]
    Invoice(commands::invoice::Verb),
    /// What ISO partners earn, and how it is paid
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl commission list --status pending\n  spvctl commission statement --iso iso@example.com"
    )]
    Commission(commands::commission::Verb),
    /// Prospective clients of ISO partners
    #[command(subcommand, after_help = "Examples:\n  spvctl lead list --stage qualified")]
    Lead(commands::lead::Verb),
    /// Documents and their versions
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl document list --spv SPV-2026-001\n  spvctl document put deed.pdf --spv SPV-2026-001"
    )]
    Document(commands::document::Verb),
    /// Background jobs
    #[command(subcommand, after_help = "Examples:\n  spvctl job list --status dead\n  spvctl job stats")]
    Job(commands::job::Verb),
    /// The outbox
    #[command(subcommand, after_help = "Examples:\n  spvctl mail list --status failed\n  spvctl mail resend 6f1c…")]
    Mail(commands::mail::Verb),
    /// What the office says of itself, and how its portal runs
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl settings show\n  spvctl settings set brand_name 'Northern Formations'"
    )]
    Settings(commands::settings::Verb),
    /// Who did what
    #[command(subcommand, after_help = "Examples:\n  spvctl activity list --limit 20\n  spvctl activity verify")]
    Activity(commands::activity::Verb),
    /// Every row of a table, as CSV or JSON Lines
    Export(commands::export::Args),
    /// Clients or orders from a file, CSV or JSON Lines
    #[command(long_about = commands::import::ABOUT)]
    Import(commands::import::Args),
    /// Back up the running portal, and restore it
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl backup create\n  spvctl backup verify 20261122-021000-6f1c\n  spvctl backup restore 20261122-021000-6f1c --data-dir /srv/new"
    )]
    Backup(commands::backup::Verb),
    /// Move the whole portal into another database
    #[command(long_about = commands::transfer::ABOUT)]
    Move(commands::transfer::Args),
    /// Make the portal read-only for everyone but super admins
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl maintenance on --message 'Back at 18:00 UTC'\n  spvctl maintenance off"
    )]
    Maintenance(commands::maintenance::Verb),
    /// Rules of sign-in, and addresses that are kept out
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl security show\n  spvctl security set --require-mfa employee,super_admin\n  spvctl security block 203.0.113.0/24"
    )]
    Security(commands::security::Verb),
    /// The keys that sign access tokens
    #[command(subcommand, after_help = "Examples:\n  spvctl key list\n  spvctl key rotate")]
    Key(commands::key::Verb),
    /// Print the API's description (OpenAPI)
    #[command(after_help = "Examples:\n  spvctl openapi > openapi.json")]
    Openapi,
    /// Print a shell's completions
    Completions(commands::completions::Args),
    /// Write manual pages
    Man(commands::man::Args),
}

/// Which part of a long list.
#[derive(Clone, Debug, Default, Args)]
pub struct Paging {
    /// Rows at most, up to 500
    #[arg(long, value_name = "N", default_value_t = domain::kernel::page::DEFAULT_LIMIT)]
    pub limit: u32,
    /// Where the part before ended, as it said
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
}

impl Paging {
    pub fn query(&self) -> domain::kernel::page::PageQuery {
        domain::kernel::page::PageQuery { limit: Some(self.limit), cursor: self.cursor.clone() }
    }
}

/// The words of the command, for logs: `spv start`.
pub fn command_name(matches: &ArgMatches) -> String {
    let path = iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    path.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// Parses an enum; the error lists the allowed names.
pub fn parse_name<T: FromStr<Err = Problem>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem| allowed_names(&problem))
}

pub fn allowed_names(problem: &Problem) -> String {
    format!("one of {}", problem.params.get("allowed").and_then(|names| names.as_str()).unwrap_or_default())
}
