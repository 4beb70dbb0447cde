//! `spvctl settings …`: the settings of the System Settings page.
use crate::{
    context::CliContext,
    exit::{Failure, LANGUAGE, Result},
    output::{Format, Record, clean, info},
};
use clap::{Args, Subcommand};
use domain::{
    Error,
    kernel::{i18n, nearest::nearest},
    platform::settings::{self, Settings},
};
use serde_json::{Value, json};

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
        Verb::Show => cli.out.list(records(&settings::get(ctx).await?, cli, |_| true), "settings"),
        Verb::Get(args) => get(&args.name, cli).await,
        Verb::Set(args) => {
            let now = settings::get(ctx).await?;
            let wanted = with_value(&now, &args.name, args.value.as_deref())?;
            let refused = |error| refusal(&args.name, args.value.as_deref(), error);
            let set = settings::set_seen(ctx, Some(now.version), |_| wanted).await.map_err(refused)?;
            let has_value = values(&set).iter().any(|(name, value)| is_within(name, &args.name) && !value.is_null());
            info(&format!("{} is {}.", args.name, if has_value { "set" } else { "unset" }));
            cli.out.list(records(&set, cli, |name| is_within(name, &args.name)), "settings")
        }
    }
}

/// Prints a value as it is, for scripts; a group as a list.
async fn get(name: &str, cli: &CliContext) -> Result {
    let now = settings::get(&cli.ctx).await?;
    let all = values(&now);
    if let Some((_, value)) = all.iter().find(|(other, _)| other == name) {
        return match cli.out.format {
            Format::Table => cli.out.raw(format!("{}\n", value_text(value)).as_bytes()),
            _ => cli.out.one(Record::new().with("name", name).with("value", value.clone())),
        };
    }
    if !all.iter().any(|(other, _)| is_within(other, name)) {
        return Err(unknown_name(&now, name));
    }
    cli.out.list(records(&now, cli, |other| is_within(other, name)), "settings")
}

/// The names of all settings.
pub fn names() -> Vec<String> {
    let all = values(&Settings::default()).into_iter().map(|(name, _)| name);
    all.filter(|name| !["version", "logo_id"].contains(&name.as_str())).collect()
}

/// Whether a setting is the one of this name, or one of the group of this name.
fn is_within(setting: &str, name: &str) -> bool {
    setting.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
    // A list would be read as the fields of a group in their order.
    *place = json!({});
    if let (Some(value), Ok(group)) = (value, serde_json::from_value::<Settings>(all.clone())) {
        let parts = values(&group).into_iter().map(|(one, _)| one).filter(|one| is_within(one, name));
        let parts = parts.collect::<Vec<_>>().join(", ");
        // Deserializing drops unknown names.
        if !parts.is_empty() {
            return Err(Failure::Usage(format!("{name}: `{value}` is not accepted; set its parts: {parts}")));
        }
    }
    let pointer = format!("/{}", name.replace('.', "/"));
    let place = all.pointer_mut(&pointer).ok_or_else(unknown)?;
    let text = value.map_or(Value::Null, Value::from);
    *place = match value.map(str::parse::<u64>) {
        Some(Ok(number)) => number.into(),
        Some(Err(_)) if matches!(value, Some("true" | "false")) => (value == Some("true")).into(),
        _ => text.clone(),
    };
    let mut read = serde_json::from_value::<Settings>(all.clone());
    // A list such as `USD,EUR`, or a text of digits, such as a tax number. The text is last: its error names what is accepted.
    let list = value.map_or(Value::Null, |text| text.split(',').map(str::trim).map(Value::from).collect());
    for other in [list, text] {
        if read.is_ok() || value.is_none() {
            break;
        }
        if let Some(place) = all.pointer_mut(&pointer) {
            *place = other;
        }
        read = serde_json::from_value(all.clone());
    }
    let read = read.map_err(|error| {
        let given = value.map_or_else(|| "no value".to_owned(), |value| format!("`{value}`"));
        Failure::Usage(format!("{name}: {given} is not accepted; it must be {}", accepted(&all, name, &error)))
    })?;
    // Deserializing drops unknown names, so the name must exist in the result.
    let mut kept = &serde_json::to_value(&read).map_err(|e| Failure::Fault(e.into()))?;
    for part in name.split('.') {
        kept = kept.get(part).ok_or_else(unknown)?;
    }
    Ok(read)
}

/// What a setting accepts, in words; `all` are the settings with a value that `error` refuses.
fn accepted(all: &Value, name: &str, error: &serde_json::Error) -> String {
    let with = |value: Value| {
        let mut all = all.clone();
        *all.pointer_mut(&format!("/{}", name.replace('.', "/")))? = value;
        serde_json::from_value::<Settings>(all).ok()
    };
    match name {
        "default_currency" => return "a currency code, such as USD".to_owned(),
        "currencies" => return "currency codes separated by commas, such as USD,EUR".to_owned(),
        _ => {}
    }
    if with(true.into()).is_some() {
        return "true or false".to_owned();
    }
    if with(1.into()).is_some() {
        return "a whole number".to_owned();
    }
    // Of a closed set of words the error names each in backticks.
    let words = error.to_string();
    let words: Vec<&str> =
        words.rsplit_once("expected").map_or("", |(_, words)| words).split('`').skip(1).step_by(2).collect();
    if words.is_empty() { "a text".to_owned() } else { words.join(" or ") }
}

/// The failure of a value that the office's rules refuse.
fn refusal(name: &str, value: Option<&str>, error: Error) -> Failure {
    let Error::Invalid(fields) = error else { return error.into() };
    let given = value.map_or_else(|| "no value".to_owned(), |value| format!("`{value}`"));
    let lines: Vec<String> = fields
        .iter()
        .map(|error| match i18n::field(LANGUAGE, error) {
            words if error.field == name => format!("{name}: {given} is not accepted. {words}"),
            words => format!("{}: {words}", error.field),
        })
        .collect();
    Failure::Usage(lines.join("\n"))
}

fn unknown_name(now: &Settings, name: &str) -> Failure {
    let all = values(now);
    let near = nearest(name, all.iter().map(|(name, _)| name.as_str()));
    let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_else(|| ";".to_owned());
    Failure::Usage(format!("name: there is no setting {name}{near} `spvctl settings show` lists all"))
}

/// Settings with their values; of unset ones the default, which tables mark.
fn records(settings: &Settings, cli: &CliContext, wanted: impl Fn(&str) -> bool) -> Vec<Record> {
    let in_force = values(&settings.filled_in(&cli.ctx.options, &cli.config.mail_from));
    let default_of = |name: &str| in_force.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
    let record = |(name, value): (String, Value)| {
        let default = if value.is_null() { default_of(&name).unwrap_or_default() } else { Value::Null };
        let record = Record::new().with("name", name);
        match (cli.out.format, default.is_null()) {
            (Format::Table, true) => record.with("value", value_text(&value)),
            (Format::Table, false) => record.with("value", format!("{} (default)", value_text(&default))),
            _ => record.with("value", value).with("default", default),
        }
    };
    values(settings).into_iter().filter(|(name, _)| wanted(name)).map(record).collect()
}

/// Every setting by its dotted name; the version of the row is none.
fn values(settings: &Settings) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    flatten("", &serde_json::to_value(settings).unwrap_or_default(), &mut all);
    all.retain(|(name, _)| name != "version");
    all
}

/// Adds every setting by its dotted name.
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
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
