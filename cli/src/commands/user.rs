//! `spvctl user …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::{Failure, LANGUAGE, Result},
    output::{Record, counted, info},
    prompt::{email, line},
};
use clap::{Args, Subcommand};
use domain::{
    Ctx,
    accounts::{
        auth::{
            admin::{self, LinkAction},
            device, factors,
            passkeys::{self, Passkey},
            sessions::Session,
        },
        users::{self, Status, UpdateProfile, User, UserQuery, UserRow, UserSort},
    },
    desk::people::{self, CreateUser},
    kernel::{access::Role, page::Order},
};
use serde_json::Map;
use std::io::Read;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create an account of any role, including the first one of an empty portal
    Create(Box<Create>),
    /// List accounts, newest first; archived ones only by their status
    #[command(after_help = "Examples:\n  spvctl user list --role employee\n  spvctl user list --sort -last_active_at")]
    List(List),
    /// Show one account
    #[command(after_help = "Examples:\n  spvctl user show admin@example.com")]
    Show(TargetArgs),
    /// Correct the name, the phone or the email address of an account; omitted fields keep their values
    #[command(
        after_help = "Examples:\n  spvctl user update eli@example.com --last-name Stone --phone '+1 555 0100'\n  \
                            spvctl user update eli@example.com --email eli.stone@example.com"
    )]
    Update(Update),
    /// Give an account another role; its sessions end
    #[command(
        after_help = "Examples:\n  spvctl user role eli@example.com super_admin\n  spvctl user role ana@example.com company_admin --company 'Harbor Capital'"
    )]
    Role(SetRole),
    /// Shut an account until it is restored
    #[command(after_help = "Examples:\n  spvctl user suspend eli@example.com")]
    Suspend(TargetArgs),
    /// Email another link to set a password to a user who has not accepted the invitation
    #[command(after_help = "Examples:\n  spvctl user invite eli@example.com")]
    Invite(Invite),
    /// Hide an account and shut it; what was done under it stays
    #[command(after_help = "Examples:\n  spvctl user archive eli@example.com")]
    Archive(TargetArgs),
    /// Open a suspended or archived account
    #[command(after_help = "Examples:\n  spvctl user restore eli@example.com")]
    Restore(TargetArgs),
    /// Remove all second factors and passkeys of a user who lost theirs; their sessions end
    #[command(after_help = "Examples:\n  spvctl user reset-mfa eli@example.com")]
    ResetMfa(TargetArgs),
    /// List an account's passkeys, or remove one
    #[command(
        after_help = "Examples:\n  spvctl user passkeys eli@example.com\n  spvctl user passkeys eli@example.com remove Bitwarden"
    )]
    Passkeys(PasskeysArgs),
    /// List an account's live sessions
    #[command(after_help = "Examples:\n  spvctl user sessions eli@example.com")]
    Sessions(TargetArgs),
    /// End every session of an account
    #[command(after_help = "Examples:\n  spvctl user sign-out eli@example.com")]
    SignOut(TargetArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  spvctl user create --role super_admin --first-name Ada --last-name Admin --email ada@example.com\n  \
                        echo 'a-long-uncommon-password' | spvctl user create --role employee --first-name Eli --last-name Stone --email eli@example.com --password-stdin"
)]
pub struct Create {
    /// client, iso, employee, company_admin or super_admin
    #[arg(long, value_parser = parse_name::<Role>)]
    role: Option<Role>,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Address the user signs in with
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Postal address
    #[arg(long)]
    address: Option<String>,
    /// Name or id; for clients and company admins
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id; for ISO partners
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// en-US, en-GB or es [default: en-US]
    #[arg(long)]
    language: Option<String>,
    /// Print a link to set a password instead of emailing it
    #[arg(long, conflicts_with = "password_stdin")]
    print_link: bool,
    /// Read a first password from stdin, to be changed at first sign-in; without it a link is emailed
    #[arg(long)]
    password_stdin: bool,
}

#[derive(Debug, Args)]
pub struct List {
    /// client, iso, employee, company_admin or super_admin
    #[arg(long, value_parser = parse_name::<Role>)]
    role: Option<Role>,
    /// pending, active, suspended or archived
    #[arg(long, value_parser = parse_name::<Status>)]
    status: Option<Status>,
    /// Words that names or addresses begin with
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// created_at, name or last_active_at; -name for descending [default: -created_at]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<UserSort>)]
    sort: Option<Order<UserSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Email address, name or id
    #[arg(value_name = "USER")]
    user: String,
}

#[derive(Debug, Args)]
pub struct PasskeysArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(subcommand)]
    verb: Option<PasskeyVerb>,
}

#[derive(Debug, Subcommand)]
pub enum PasskeyVerb {
    /// List them, oldest first; the default
    #[command(after_help = "Examples:\n  spvctl user passkeys eli@example.com list")]
    List,
    /// Remove one; its owner is told by email
    #[command(after_help = "Examples:\n  spvctl user passkeys eli@example.com remove Bitwarden")]
    Remove(RemovePasskey),
}

#[derive(Debug, Args)]
pub struct RemovePasskey {
    /// Name or id
    #[arg(value_name = "PASSKEY")]
    passkey: String,
}

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    target: TargetArgs,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Takes effect at once; earlier links stop working, and both addresses get a mail if the account is in use
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
}

#[derive(Debug, Args)]
pub struct Invite {
    #[command(flatten)]
    target: TargetArgs,
    /// Print the link instead of emailing it
    #[arg(long)]
    print_link: bool,
}

#[derive(Debug, Args)]
pub struct SetRole {
    /// Email address, name or id
    user: String,
    /// client, iso, employee, company_admin or super_admin
    #[arg(value_parser = parse_name::<Role>)]
    role: Role,
    /// Name or id, where the role needs a company
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id, where the role needs an ISO partner
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Take the ISO partner away from a client
    #[arg(long, conflicts_with = "iso")]
    no_iso: bool,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::Create(args) => create(*args, cli).await,
        Verb::List(args) => list(args, cli).await,
        Verb::Show(args) => out.one(record(&lookup::user(ctx, &args.user).await?)),
        Verb::Update(args) => update(args, cli).await,
        Verb::Role(args) => set_role(args, cli).await,
        Verb::Suspend(args) => {
            let user =
                confirmed(cli, args, |who| format!("Suspend {who}? They cannot sign in until restored.")).await?;
            out.one(record(&users::suspend(ctx, user.id, None).await?))
        }
        Verb::Invite(args) => {
            if args.print_link {
                return print_link(&lookup::user(ctx, &args.target.user).await?.email, cli).await;
            }
            let user = confirmed(cli, args.target, |who| format!("Email {who} a link to set a password?")).await?;
            users::invite_again(ctx, user.id).await?;
            tell_of_link(&user);
            Ok(())
        }
        Verb::Archive(args) => {
            let user =
                confirmed(cli, args, |who| format!("Archive {who}? They are hidden and cannot sign in.")).await?;
            out.one(record(&users::archive(ctx, user.id, None).await?))
        }
        Verb::Restore(args) => {
            let user = confirmed(cli, args, |who| format!("Restore {who}? They can sign in again.")).await?;
            out.one(record(&users::restore(ctx, user.id, None).await?))
        }
        Verb::ResetMfa(args) => reset_mfa(args, cli).await,
        Verb::Passkeys(args) => passkeys(args, cli).await,
        Verb::Sessions(args) => {
            let sessions = users::sessions(ctx, lookup::user(ctx, &args.user).await?.id).await?;
            out.list(sessions.iter().map(session_record).collect(), "live sessions")
        }
        Verb::SignOut(args) => {
            let user = confirmed(cli, args, |who| format!("End every session of {who}?")).await?;
            let ended = users::sign_out(ctx, user.id).await?;
            info(&format!("{} ended.", counted(ended, "session")));
            Ok(())
        }
    }
}

async fn reset_mfa(args: TargetArgs, cli: &CliContext) -> Result {
    let question =
        |who: &str| format!("Remove every second factor and passkey of {who}? A password alone signs them in then.");
    let user = confirmed(cli, args, question).await?;
    let removed = factors::reset(&cli.ctx, user.id).await?;
    info(&format!(
        "{} removed. {} signs in with the password alone now.",
        counted(removed, "authenticator app"),
        user.email
    ));
    Ok(())
}

async fn passkeys(args: PasskeysArgs, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let user = lookup::user(ctx, &args.target.user).await?;
    let found = passkeys::list_of(ctx, user.id).await?;
    let Some(PasskeyVerb::Remove(RemovePasskey { passkey: named })) = args.verb else {
        return cli.out.list(found.iter().map(passkey_record).collect(), "passkeys");
    };
    let is_named = |passkey: &&Passkey| passkey.id.to_string() == named || passkey.friendly_name == named;
    let Some(passkey) = found.iter().find(is_named) else {
        let list = format!("spvctl user passkeys {}", user.email);
        return Err(Failure::Refused(format!("there is no passkey `{named}`; `{list}` shows all")));
    };
    let name = &passkey.friendly_name;
    cli.prompt.confirm(&format!("Remove the passkey {name} of {}? It no longer signs them in.", person(&user)))?;
    passkeys::remove_for_user(ctx, user.id, passkey.id).await?;
    info(&format!("Removed the passkey {name}. An email to {} is queued; a running worker sends it.", user.email));
    Ok(())
}

fn passkey_record(passkey: &Passkey) -> Record {
    Record::new()
        .with("id", passkey.id.to_string())
        .with("name", passkey.friendly_name.clone())
        .with("device_kind", passkey.device_kind.name())
        .with("second_factor", passkey.second_factor)
        .with("created_at", passkey.created_at.to_rfc3339())
        .with("last_used_at", passkey.last_used_at.map(|at| at.to_rfc3339()))
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let order = args.sort.unwrap_or_default();
    let query = UserQuery { role: args.role, status: args.status, q: args.q, order, ..UserQuery::default() };
    let page = args.paging.read(async |page| Ok(users::page(ctx, &query, &page).await?.page)).await?;
    cli.out.page(page.items.iter().map(row_record).collect(), "accounts", page.next_cursor)
}

/// Corrects an account; another email address after a yes.
async fn update(args: Update, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let user = lookup::user(ctx, &args.target.user).await?;
    let Update { first_name, last_name, phone, email, .. } = args;
    if let Some(to) = &email {
        let question = format!("Change the email address of {} to {to}?", person(&user));
        cli.prompt.confirm(&question)?;
        let change = admin::Update { email, ..admin::Update::default() };
        let moved = people::update_account(ctx, user.id, change).await?;
        if moved.status == Status::Pending {
            info(&format!("Links sent before no longer work; send another: spvctl user invite {}", moved.email));
        }
    }
    let change = UpdateProfile { first_name, last_name, phone, ..UpdateProfile::default() };
    cli.out.one(record(&people::correct_profile(ctx, user.id, change).await?))
}

async fn set_role(args: SetRole, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let user = lookup::user(ctx, &args.user).await?;
    let company = lookup::company(ctx, args.company.as_deref()).await?;
    let iso = lookup::iso(ctx, args.iso.as_deref()).await?;
    let iso = if args.no_iso { Some(None) } else { iso.map(Some) };
    let (from, to) = (user.role.name(), args.role.name());
    cli.prompt.confirm(&format!("Change {} from {from} to {to}? Their sessions end.", person(&user)))?;
    cli.out.one(record(&people::set_role(ctx, user.id, args.role, company, iso, None).await?))
}

/// The account that is named, after a yes to the question about it.
async fn confirmed(cli: &CliContext, args: TargetArgs, question: impl FnOnce(&str) -> String) -> Result<User> {
    let user = lookup::user(&cli.ctx, &args.user).await?;
    cli.prompt.confirm(&question(&person(&user)))?;
    Ok(user)
}

/// Prints a link to set the first password. The log notes that it was made.
pub(super) async fn print_link(email: &str, cli: &CliContext) -> Result {
    let made = admin::generate_link(&cli.ctx, LinkAction::Invite, email, None, None, Map::new()).await?;
    let hours = LinkAction::Invite.kind().ttl().num_hours();
    info(&format!("Anyone with this link can set the password of {email} for the next {hours} hours:"));
    cli.out.raw(format!("{}\n", made.link.url).as_bytes())
}

fn tell_of_link(user: &User) {
    info(&format!("An email to {} with a link to set a password is queued; a running worker sends it.", user.email));
}

async fn create(args: Create, cli: &CliContext) -> Result {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    prompt.missing(&[
        ("role", args.role.is_some()),
        ("first-name", args.first_name.is_some()),
        ("last-name", args.last_name.is_some()),
        ("email", args.email.is_some()),
    ])?;
    let role = match args.role {
        Some(role) => role,
        None => Role::ALL[prompt.select("Role", &Role::ALL.map(|role| role.name().to_owned()))?],
    };
    let password = if args.password_stdin {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        Some(text.trim_end_matches(['\r', '\n']).to_owned())
    } else {
        None
    };
    let mailed = password.is_none() && !args.print_link;
    let input = CreateUser {
        first_name: prompt.text(args.first_name, "First name", line)?,
        last_name: prompt.text(args.last_name, "Last name", line)?,
        email: prompt.text(args.email, "Email", email)?,
        phone: args.phone,
        address: args.address,
        company_id: lookup::company(ctx, args.company.as_deref()).await?,
        iso_id: lookup::iso(ctx, args.iso.as_deref()).await?,
        password,
        language: args.language,
    };
    let (name, after) = (
        format!("{} {}", input.first_name, input.last_name),
        if mailed { ", and email them a link to set a password" } else { "" },
    );
    prompt.confirm_on_terminal(&format!(
        "Create the account of {name} <{}> as {}{after}?",
        input.email,
        role.name()
    ))?;
    let ctx = &Ctx { suppress_notifications: args.print_link, ..ctx.clone() };
    let user = people::create(ctx, role, input).await?;
    if mailed {
        tell_of_link(&user);
    }
    cli.out.one(record(&user))?;
    if args.print_link { print_link(&user.email, cli).await } else { Ok(()) }
}

fn person(user: &User) -> String {
    format!("{} <{}>", user.name(), user.email)
}

fn record(user: &User) -> Record {
    Record::new()
        .hidden_in_table("id", user.id.to_string())
        .with("name", user.name())
        .with("email", user.email.clone())
        .with("role", user.role.name())
        .with("status", user.status.name())
        .hidden_in_table("phone", user.phone.clone())
        .hidden_in_table("company_id", user.company_id.map(|id| id.to_string()))
        .hidden_in_table("iso_id", user.iso_id.map(|id| id.to_string()))
        .hidden_in_table("language", user.language.clone())
        .hidden_in_table("time_zone", user.time_zone.clone())
        .with_room("last_sign_in_at", user.last_sign_in_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("created_at", user.created_at.to_rfc3339())
        .hidden_in_table("version", user.version)
}

fn row_record(user: &UserRow) -> Record {
    Record::new()
        .hidden_in_table("id", user.id.to_string())
        .with("name", user.name())
        .with("email", user.email.clone())
        .with("role", user.role.name())
        .with("status", user.status.name())
        .hidden_in_table("phone", user.phone.clone())
        .hidden_in_table("company_id", user.company_id.map(|id| id.to_string()))
        .hidden_in_table("company", user.company_name.clone())
        .hidden_in_table("iso_id", user.iso_id.map(|id| id.to_string()))
        .with_room("last_sign_in_at", user.last_sign_in_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("last_active_at", user.last_active_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("created_at", user.created_at.to_rfc3339())
        .hidden_in_table("version", user.version)
}

fn session_record(session: &Session) -> Record {
    Record::new()
        .hidden_in_table("id", session.id.to_string())
        .with("created_at", session.created_at.to_rfc3339())
        .with("refreshed_at", session.refreshed_at.to_rfc3339())
        .with("aal", session.aal.clone())
        .with("address", session.address.clone())
        .with("device", device::name(LANGUAGE, session.user_agent.as_deref()))
        .hidden_in_table("user_agent", session.user_agent.clone())
}
