//! `spvctl settings …`: the settings of the System Settings page.
use crate::{
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::platform::settings::{self, Settings};
use serde_json::Value;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show every setting
    #[command(after_help = "Examples:\n  spvctl settings show\n  spvctl settings show --format json")]
    Show,
    /// Change one setting; without a value it is unset
    #[command(
        after_help = "Names are as `settings show` prints them. A value that is no number or true or false is text.\n\nExamples:\n  spvctl settings set brand_name 'Northern Formations'\n  spvctl settings set retention.activity_days 730\n  spvctl settings set mail_sender"
    )]
    Set(Set),
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
        Verb::Set(args) => {
            let now = settings::get(ctx).await?;
            let wanted = with_value(&now, &args.name, args.value.as_deref())?;
            let set = settings::set_seen(ctx, Some(now.version), |_| wanted).await?;
            info(&format!("{} is set.", args.name));
            cli.out.list(records(&set), "settings")
        }
    }
}

/// Returns the settings with one changed.
fn with_value(now: &Settings, name: &str, value: Option<&str>) -> Result<Settings> {
    let unknown = || Failure::Usage(format!("name: there is no setting {name}; see `spvctl settings show`"));
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
    *place = match value {
        None => Value::Null,
        Some(text) => match text.parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) if text == "true" || text == "false" => (text == "true").into(),
            Err(_) => text.into(),
        },
    };
    let read: Settings =
        serde_json::from_value(all).map_err(|e| Failure::Usage(format!("{name}: {e}; see `spvctl settings show`")))?;
    // Deserializing drops unknown names, so the name must exist in the result.
    let mut kept = &serde_json::to_value(&read).map_err(|e| Failure::Fault(e.into()))?;
    for part in name.split('.') {
        kept = kept.get(part).ok_or_else(unknown)?;
    }
    Ok(read)
}

fn records(settings: &Settings) -> Vec<Record> {
    let mut records = Vec::new();
    if let Ok(value) = serde_json::to_value(settings) {
        flatten("", &value, &mut records);
    }
    records
}

fn flatten(name: &str, value: &Value, into: &mut Vec<Record>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                flatten(&name, value, into);
            }
        }
        value => into.push(Record::new().with("name", name.to_owned()).with("value", value.clone())),
    }
}
