//! `spvctl security …`
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    accounts::{
        auth::passwords,
        ip_blocklist::{self, Block},
    },
    kernel::access::Role,
    platform::settings::{self, RequireMfa, Security, Settings},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show the rules in force
    #[command(after_help = "Examples:\n  spvctl security show --format json")]
    Show,
    /// Change rules; omitted rules keep their values
    Set(Set),
    /// List blocked networks
    #[command(after_help = "Examples:\n  spvctl security blocks")]
    Blocks,
    /// Keep an address or a network out
    Block(NewBlock),
    /// Let a network in again
    #[command(after_help = "Examples:\n  spvctl security unblock 203.0.113.0/24")]
    Unblock(TargetArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  spvctl security set --require-mfa employee,super_admin\n  spvctl security set --session-idle-hours 24 --session-max-hours 720\n  spvctl security set --staff-session-idle-hours 8\n  spvctl security set --password-min-length 12"
)]
pub struct Set {
    /// Exactly these roles need a second factor; `none` for no role
    #[arg(long, value_name = "ROLES", value_delimiter = ',')]
    require_mfa: Option<Vec<String>>,
    /// Hours without use after which a session is over, 1 to 2160; 0 for the default, 720
    #[arg(long, value_name = "HOURS")]
    session_idle_hours: Option<u64>,
    /// Hours after which a session is over however much it is used, 1 to 8760; 0 for the default, 2160
    #[arg(long, value_name = "HOURS")]
    session_max_hours: Option<u64>,
    /// --session-idle-hours of employees and super admins; 0 for the default, 12
    #[arg(long, value_name = "HOURS")]
    staff_session_idle_hours: Option<u64>,
    /// --session-max-hours of employees and super admins; 0 for the default, 168
    #[arg(long, value_name = "HOURS")]
    staff_session_max_hours: Option<u64>,
    /// Characters of a new password, 8 to 64
    #[arg(long, value_name = "N")]
    password_min_length: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  spvctl security block 203.0.113.7 --reason 'Guesses passwords'")]
pub struct NewBlock {
    /// 203.0.113.7 or 203.0.113.0/24
    network: String,
    /// Why, for the activity log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// As it is listed
    network: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::Show => out.one(rules_record(cli, &settings::get(ctx).await?)),
        Verb::Set(args) => {
            let mfa = args.require_mfa.as_deref().map(parse_roles).transpose()?;
            let changed = settings::set(ctx, |now| Settings {
                require_mfa: mfa.unwrap_or(now.require_mfa),
                security: Security {
                    session_idle_hours: hours(args.session_idle_hours, now.security.session_idle_hours),
                    session_max_hours: hours(args.session_max_hours, now.security.session_max_hours),
                    staff_session_idle_hours: hours(
                        args.staff_session_idle_hours,
                        now.security.staff_session_idle_hours,
                    ),
                    staff_session_max_hours: hours(args.staff_session_max_hours, now.security.staff_session_max_hours),
                    password_min_length: args.password_min_length.or(now.security.password_min_length),
                },
                ..now
            })
            .await?;
            out.one(rules_record(cli, &changed))
        }
        Verb::Blocks => {
            let found = ip_blocklist::list(ctx).await?;
            out.list(found.iter().map(block_record).collect(), "blocked networks")
        }
        Verb::Block(args) => {
            let question =
                format!("Block every request from {}? Everyone who connects from there loses access.", args.network);
            cli.prompt.confirm(&question)?;
            out.one(block_record(&ip_blocklist::add(ctx, &args.network, args.reason.as_deref()).await?))
        }
        Verb::Unblock(args) => {
            let wanted = args.network.parse::<domain::kernel::network::Network>().map(|network| network.to_string());
            let wanted = wanted.unwrap_or(args.network);
            let found = ip_blocklist::list(ctx).await?.into_iter().find(|block| block.network == wanted);
            let found = found.ok_or(domain::Error::NotFound("address_block"))?;
            ip_blocklist::remove(ctx, found.id).await?;
            info(&format!("Requests from {} are answered again.", found.network));
            Ok(())
        }
    }
}

/// The hours asked for, where 0 unsets; the present ones without.
fn hours(asked: Option<u64>, now: Option<u64>) -> Option<u64> {
    match asked {
        Some(0) => None,
        asked => asked.or(now),
    }
}

/// Requires MFA for exactly the named roles.
fn parse_roles(names: &[String]) -> Result<RequireMfa> {
    let mut wanted = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| *name != "none") {
        let role: Role = name.parse().map_err(|_| {
            let allowed = Role::ALL.map(Role::name).join(", ");
            Failure::Usage(format!("--require-mfa: `{name}` is no role; allowed are {allowed} and none"))
        })?;
        wanted.push(role);
    }
    let needs = |role: Role| Some(wanted.contains(&role));
    Ok(RequireMfa {
        client: needs(Role::Client),
        iso: needs(Role::Iso),
        employee: needs(Role::Employee),
        company_admin: needs(Role::CompanyAdmin),
        super_admin: needs(Role::SuperAdmin),
    })
}

fn rules_record(cli: &CliContext, now: &Settings) -> Record {
    let needs = now.require_mfa.filled_in(&cli.ctx.options);
    let mfa: Vec<&str> = Role::ALL.into_iter().filter(|role| needs.of(*role)).map(Role::name).collect();
    let limits = |role| now.security.session_limits(role, &cli.ctx.options);
    let (everyone, staff) = (limits(Role::Client), limits(Role::Employee));
    let longest = |hours: Option<u64>| hours.map_or_else(|| "never".to_owned(), |hours| hours.to_string());
    let min_length = passwords::min_length_of(now).to_string();
    Record::new()
        .with("require_mfa", if mfa.is_empty() { "none".to_owned() } else { mfa.join(", ") })
        .with("session_idle_hours", everyone.idle_hours.to_string())
        .with("session_max_hours", longest(everyone.max_hours))
        .with("staff_session_idle_hours", staff.idle_hours.to_string())
        .with("staff_session_max_hours", longest(staff.max_hours))
        .with("password_min_length", min_length)
}

fn block_record(block: &Block) -> Record {
    Record::new()
        .hidden_in_table("id", block.id.to_string())
        .with("network", block.network.clone())
        .with("reason", block.reason.clone())
        .with("created_at", block.created_at.to_rfc3339())
        .with("created_by", block.created_by.clone())
}
