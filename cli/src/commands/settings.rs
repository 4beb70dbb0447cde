//! `spvctl settings …`: the settings of the System Settings page.
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::{Format, Record, clean, info},
};
use clap::{Args, Subcommand};
use domain::kernel::nearest::nearest;
use domain::platform::settings::{self, Settings};
use serde_json::Value;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show every setting
    #[command(after_help = "Examples:\n  spvctl settings show\n  spvctl settings show --format json")]
    Show,
    /// Print the value of one setting, or those of a group
    #[command(after_help = "Examples:\n  spvctl settings get brand_name\n  spvctl settings get billing --format json")]
    Get(Get),
    /// Change one setting; without a value it is unset
    #[command(
        after_help = "Names are as `settings show` prints them. A value that is no number or true or false is text.\n\nExamples:\n  spvctl settings set brand_name 'Northern Formations'\n  spvctl settings set retention.activity_days 730\n  spvctl settings set currencies USD,EUR,KWD\n  spvctl settings set mail_sender"
    )]
    Set(Set),
}

#[derive(Debug, Args)]
pub struct Get {
    /// For example brand_name or billing.due_days
    name: String,
}

#[derive(Debug, Args)]
pub struct Set {
    /// For example brand_name or billing.due_days
    name: String,
    /// The new value
    value: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    match verb {
        Verb::Show => cli.out.list(records(&settings::get(ctx).await?), "settings"),
        Verb::Get(args) => get(&args.name, cli).await,
        Verb::Set(args) => {
            let now = settings::get(ctx).await?;
            let wanted = with_value(&now, &args.name, args.value.as_deref())?;
            let set = settings::set_seen(ctx, Some(now.version), |_| wanted).await?;
            info(&format!("{} is set.", args.name));
            cli.out.list(records(&set), "settings")
        }
    }
}

/// Prints a value as it is, for scripts; a group as a list.
async fn get(name: &str, cli: &CliContext) -> Result {
    let now = settings::get(&cli.ctx).await?;
    let mut all = Vec::new();
    flatten("", &serde_json::to_value(&now).unwrap_or_default(), &mut all);
    let inside = format!("{name}.");
    let group: Vec<&(String, Value)> = all.iter().filter(|(other, _)| other.starts_with(&inside)).collect();
    if let Some((_, value)) = all.iter().find(|(other, _)| other == name) {
        return match cli.out.format {
            Format::Table => cli.out.raw(format!("{}\n", value_text(value)).as_bytes()),
            _ => cli.out.one(Record::new().with("name", name).with("value", value.clone())),
        };
    }
    if group.is_empty() {
        return Err(unknown_name(&now, name));
    }
    let record =
        |(name, value): &(String, Value)| Record::new().with("name", name.as_str()).with("value", value.clone());
    cli.out.list(group.into_iter().map(record).collect(), "settings")
}

/// Returns the settings with one changed.
fn with_value(now: &Settings, name: &str, value: Option<&str>) -> Result<Settings> {
    let unknown = || unknown_name(now, name);
    if ["version", "logo_id"].contains(&name) {
        return Err(unknown());
    }
    let mut all = serde_json::to_value(now).map_err(|e| Failure::Fault(e.into()))?;
    let mut place = &mut all;
    for part in name.split('.') {
        let fields = match place {
            Value::Object(fields) => fields,
            // A group that was never set. Deserializing refuses missing required fields.
            Value::Null => {
                *place = Value::Object(serde_json::Map::new());
                place.as_object_mut().ok_or_else(unknown)?
            }
            _ => return Err(unknown()),
        };
        place = fields.entry(part.to_owned()).or_insert(Value::Null);
    }
    let text = value.map_or(Value::Null, Value::from);
    *place = match value.map(str::parse::<u64>) {
        Some(Ok(number)) => number.into(),
        Some(Err(_)) if matches!(value, Some("true" | "false")) => (value == Some("true")).into(),
        _ => text.clone(),
    };
    let mut read = serde_json::from_value::<Settings>(all.clone());
    // A text of digits, such as a tax number, or a list such as `USD,EUR`.
    let list = value.map_or(Value::Null, |text| text.split(',').map(str::trim).map(Value::from).collect());
    let pointer = format!("/{}", name.replace('.', "/"));
    for other in [text, list] {
        if read.is_ok() || value.is_none() {
            break;
        }
        if let Some(place) = all.pointer_mut(&pointer) {
            *place = other;
        }
        read = serde_json::from_value(all.clone());
    }
    let read = read.map_err(|e| Failure::Usage(format!("{name}: {e}; see `spvctl settings show`")))?;
    // Deserializing drops unknown names, so the name must exist in the result.
    let mut kept = &serde_json::to_value(&read).map_err(|e| Failure::Fault(e.into()))?;
    for part in name.split('.') {
        kept = kept.get(part).ok_or_else(unknown)?;
    }
    Ok(read)
}

fn unknown_name(now: &Settings, name: &str) -> Failure {
    let mut all = Vec::new();
    flatten("", &serde_json::to_value(now).unwrap_or_default(), &mut all);
    let near = nearest(name, all.iter().map(|(name, _)| name.as_str()));
    let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_else(|| ";".to_owned());
    Failure::Usage(format!("name: there is no setting {name}{near} `spvctl settings show` lists all"))
}

fn records(settings: &Settings) -> Vec<Record> {
    let mut all = Vec::new();
    flatten("", &serde_json::to_value(settings).unwrap_or_default(), &mut all);
    all.into_iter().map(|(name, value)| Record::new().with("name", name).with("value", value)).collect()
}

/// Every setting by its dotted name.
fn flatten(name: &str, value: &Value, into: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                flatten(&name, value, into);
            }
        }
        value => into.push((name.to_owned(), value.clone())),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => clean(text),
        other => other.to_string(),
    }
}
