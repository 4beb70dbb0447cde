//! Command-line arguments: global options and the tree of commands. The verbs of a noun are in its file under `commands`.
use crate::{commands, output::Format};
use clap::{ArgMatches, Args, CommandFactory, Parser, Subcommand};
use domain::kernel::nearest::nearest;
use domain::kernel::{
    error::Problem,
    page::{MAX_LIMIT, Order, Page, PageQuery, SortKey},
};
use std::{iter, path::PathBuf, str::FromStr};

#[derive(Debug, Parser)]
#[command(
    name = "spvctl",
    version = env!("SPVCTL_VERSION"),
    about = "The SPV portal: its server, its worker, and every operator's command.",
    long_about = "The SPV portal: its server, its worker, and every operator's command.\n\nSettings come from defaults, \
                  the file given by --config, the environment (SPV_…) and flags; each overrides the one before it. \
                  `spvctl config` shows what is in force.",
    after_help = "Examples:\n  spvctl serve\n  spvctl user create --role super_admin\n  \
                  spvctl client create --setup quick\n  spvctl spv list --status pending --format json\n\n\
                  Exit codes: 0 success, 1 refused or not found, 2 usage error, 3 internal error.",
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
    /// Fields to print, in this order
    #[arg(long, global = true, visible_alias = "columns", value_delimiter = ',', value_name = "NAMES")]
    pub fields: Vec<String>,
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
        alias = "order",
        after_help = "Examples:\n  spvctl spv list --status pending\n  spvctl spv start SPV-2026-001"
    )]
    Spv(commands::spv::Verb),
    /// The steps of an order
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl step list SPV-2026-001\n  spvctl step set SPV-2026-001 2 --status completed"
    )]
    Step(commands::step::Verb),
    /// Step templates by country
    #[command(subcommand, after_help = "Examples:\n  spvctl template list\n  spvctl template show AE")]
    Template(commands::template::Verb),
    /// Accounts of every role
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl user create --role super_admin --email admin@example.com\n  spvctl user sessions admin@example.com"
    )]
    User(commands::user::Verb),
    /// Order requests, applications and contact messages
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl request list --status pending\n  spvctl request approve REQ-6f1c2d3e --price 1250.00"
    )]
    Request(commands::request::Verb),
    /// Invoices and payments
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl invoice list --status due\n  spvctl invoice pay 2026-0001 --amount 1250.00"
    )]
    Invoice(commands::invoice::Verb),
    /// Commissions of ISO partners, and payout runs
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl commission list --status pending\n  spvctl commission statement --iso iso@example.com"
    )]
    Commission(commands::commission::Verb),
    /// Prospects referred by ISO partners
    #[command(subcommand, after_help = "Examples:\n  spvctl lead list --stage qualified")]
    Lead(commands::lead::Verb),
    /// Documents and their versions
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl document list --spv SPV-2026-001\n  spvctl document put deed.pdf --spv SPV-2026-001"
    )]
    Document(commands::document::Verb),
    /// Conversations with clients
    #[command(subcommand, after_help = "Examples:\n  spvctl message list --client maya@example.com")]
    Message(commands::message::Verb),
    /// Steps, documents and requests assigned to staff
    #[command(subcommand, after_help = "Examples:\n  spvctl task list eli@example.com")]
    Task(commands::task::Verb),
    /// Alerts for super admins
    #[command(subcommand, after_help = "Examples:\n  spvctl alert list")]
    Alert(commands::alert::Verb),
    /// Background jobs
    #[command(subcommand, after_help = "Examples:\n  spvctl job list --status dead\n  spvctl job stats")]
    Job(commands::job::Verb),
    /// Recurring jobs and their next run
    #[command(subcommand, after_help = "Examples:\n  spvctl schedule list")]
    Schedule(commands::schedule::Verb),
    /// Outgoing emails
    #[command(subcommand, after_help = "Examples:\n  spvctl mail list --status failed\n  spvctl mail resend 6f1c…")]
    Mail(commands::mail::Verb),
    /// Office details and portal settings
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl settings show\n  spvctl settings set brand_name 'Northern Formations'"
    )]
    Settings(commands::settings::Verb),
    /// Price list: services by country, with price and filing fee
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl service list\n  spvctl service add US 'Delaware LLC' --price 1250.00 --filing-fee 90.00"
    )]
    Service(commands::service::Verb),
    /// Public holidays, by which business days are counted
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl holiday list AE\n  spvctl holiday add AE 2027-03-08 'Eid al-Fitr'"
    )]
    Holiday(commands::holiday::Verb),
    /// The activity log
    #[command(subcommand, after_help = "Examples:\n  spvctl activity list --limit 20\n  spvctl activity verify")]
    Activity(commands::activity::Verb),
    /// Export a table as CSV or JSON Lines
    Export(commands::export::Args),
    /// Import clients, companies, ISO partners, orders, invoices or payments
    #[command(subcommand, long_about = commands::import::ABOUT, after_help = "Examples:\n  spvctl import clients clients.csv --dry-run\n  spvctl import list\n  spvctl import undo 6f1c2d3e")]
    Import(commands::import::Verb),
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
    /// Sign-in rules and blocked addresses
    #[command(
        subcommand,
        after_help = "Examples:\n  spvctl security show\n  spvctl security set --require-mfa employee,super_admin\n  spvctl security block 203.0.113.0/24"
    )]
    Security(commands::security::Verb),
    /// Acts that wait for a second super admin
    #[command(subcommand, after_help = "Examples:\n  spvctl approval list --status pending")]
    Approval(commands::approval::Verb),
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

/// The commands of the first help page, by what they are for.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Run the portal", &["serve", "worker", "migrate", "doctor", "healthcheck", "config", "seed"]),
    ("Clients and orders", &["client", "company", "iso", "lead", "spv", "step", "template"]),
    ("Desk", &["request", "document", "message", "task"]),
    ("Money", &["invoice", "commission"]),
    ("Accounts and security", &["user", "security", "approval", "key", "maintenance", "activity"]),
    (
        "Office and machine",
        &["settings", "service", "holiday", "alert", "job", "schedule", "mail", "backup", "move", "export", "import"],
    ),
    ("This program", &["openapi", "completions", "man"]),
];

/// The command line as people read it: commands in groups, examples that can be copied.
pub fn command() -> clap::Command {
    let command = with_copyable_examples(Cli::command());
    let about = |name: &str| command.find_subcommand(name).and_then(clap::Command::get_about).map(ToString::to_string);
    let line = |name: &&str| format!("  {name:<13}{}\n", about(name).unwrap_or_default());
    let group =
        |(title, names): &(&str, &[&str])| format!("{title}:\n{}\n", names.iter().map(line).collect::<String>());
    let groups: String = GROUPS.iter().map(group).collect();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options everywhere:\n{{options}}{{after-help}}"
    ))
}

/// Breaks long examples with a backslash, so that each part is a line of a shell.
fn with_copyable_examples(command: clap::Command) -> clap::Command {
    let command = command.mut_subcommands(with_copyable_examples);
    match command.get_after_help().map(ToString::to_string) {
        Some(text) => {
            let (before, examples) = text.split_at(text.find("Examples:").unwrap_or(text.len()));
            let (examples, after) = examples.split_at(examples.find("\n\n").unwrap_or(examples.len()));
            let examples = examples.lines().map(wrap_example).collect::<Vec<_>>().join("\n");
            command.after_help([before, &examples, after].concat())
        }
        None => command,
    }
}

/// Width of the lines of examples: terminals are 80 columns wide or wider.
const EXAMPLE_WIDTH: usize = 78;

fn wrap_example(line: &str) -> String {
    if line.len() <= EXAMPLE_WIDTH || !line.contains("spvctl ") {
        return line.to_owned();
    }
    let mut lines = vec![String::new()];
    for (n, part) in line.replace(" | ", " \u{0}| ").replace(" --", " \u{0}--").split('\u{0}').enumerate() {
        let fits = lines.last().is_none_or(|last| last.len() + part.len() + 2 <= EXAMPLE_WIDTH);
        match lines.last_mut() {
            Some(last) if fits || n == 0 => last.push_str(part),
            _ => lines.push(format!("      {part}")),
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join(" \\\n")
}

/// Which part of a long list.
#[derive(Clone, Debug, Default, Args)]
pub struct Paging {
    /// Rows at most, up to 500
    #[arg(long, value_name = "N", default_value_t = domain::kernel::page::DEFAULT_LIMIT)]
    pub limit: u32,
    /// Continue from this cursor, printed by the previous page
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// Every row
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

impl Paging {
    /// Reads the page that was asked for; with `--all` every row.
    ///
    /// # Errors
    /// Errors of `list`.
    pub async fn read<T>(&self, list: impl AsyncFn(PageQuery) -> domain::Result<Page<T>>) -> domain::Result<Page<T>> {
        let query = |limit, cursor| PageQuery { limit: Some(limit), cursor };
        if !self.all {
            return list(query(self.limit, self.cursor.clone())).await;
        }
        let mut all = Page { items: Vec::new(), next_cursor: self.cursor.clone() };
        loop {
            let page = list(query(MAX_LIMIT, all.next_cursor.take())).await?;
            all.items.extend(page.items);
            all.next_cursor = page.next_cursor;
            if all.next_cursor.is_none() {
                return Ok(all);
            }
        }
    }
}

/// Parses the sort order of a list; the error lists the allowed ones.
pub fn parse_sort<K: SortKey>(text: &str) -> Result<Order<K>, String> {
    Order::parse(text).map_err(|problem| suggestion(text.trim_start_matches('-'), &problem))
}

/// The words of the command, for logs: `spv start`.
pub fn command_name(matches: &ArgMatches) -> String {
    let path = iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    path.map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}

/// Parses an enum; the error lists the allowed names.
pub fn parse_name<T: FromStr<Err = Problem>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem: Problem| suggestion(text, &problem))
}

/// The nearest of the allowed names, and all of them.
fn suggestion(text: &str, problem: &Problem) -> String {
    let allowed = allowed_names(problem);
    let names = problem.params.get("allowed").and_then(|names| names.as_str()).unwrap_or_default();
    match nearest(text, names.split(", ")) {
        Some(name) => format!("did you mean {name}? It is {allowed}"),
        None => allowed,
    }
}

pub fn allowed_names(problem: &Problem) -> String {
    format!("one of {}", problem.params.get("allowed").and_then(|names| names.as_str()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group_of_the_help() {
        let command = Cli::command();
        let all: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(grouped.len(), all.len());
    }

    /// The words of a shell command.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match (quote, c) {
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (Some(open), c) if open == c => quote = None,
                (None, ' ' | '\n') => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    fn check_examples(command: &clap::Command, checked: &mut usize) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:"), "{} has no examples", command.get_name());
        let examples = help.split("Examples:").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
        assert!(examples.lines().all(|line| line.len() <= 80), "{examples}");
        for line in examples.replace(" \\\n", " ").lines().filter(|line| line.contains("spvctl")) {
            for part in line.split(['|', '>']).flat_map(|part| part.split("&&")) {
                let all = words(part);
                let Some(first) = all.iter().position(|word| word == "spvctl") else { continue };
                let parsed = command_of_program().try_get_matches_from(&all[first..]);
                assert!(parsed.is_ok(), "{part}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
                *checked += 1;
            }
        }
        command.get_subcommands().for_each(|under| check_examples(under, checked));
    }

    fn command_of_program() -> clap::Command {
        super::command()
    }

    fn check_help(command: &clap::Command) {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            assert!(arg.get_help().is_some(), "{} of {} has no help", arg.get_id(), command.get_name());
        }
        command.get_subcommands().for_each(check_help);
    }

    #[test]
    fn every_argument_has_help() {
        check_help(&super::command());
    }

    #[test]
    fn examples_are_commands_that_can_be_copied() {
        let mut checked = 0;
        check_examples(&super::command(), &mut checked);
        assert!(checked > 150, "{checked}");
    }

    #[test]
    fn long_examples_break_before_flags() {
        let line = format!("  spvctl client create --first-name {} --last-name {}", "M".repeat(30), "O".repeat(30));
        let wrapped = wrap_example(&line);
        assert_eq!(wrapped.lines().count(), 2, "{wrapped}");
        assert_eq!(words(&wrapped.replace(" \\\n", " ")), words(&line));
        assert_eq!(wrap_example("  spvctl spv list"), "  spvctl spv list");
    }
}
