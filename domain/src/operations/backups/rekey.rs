//! Recomputes normalised keys (email, name, identifier) in rows that an older version wrote. Refuses rows that differ
//! only in spelling where the key must be unique.
use crate::kernel::{
    db::{Sql, Tx},
    email,
    error::{Error, Problem, Result},
    text::unique_key,
};
use std::collections::BTreeMap;

/// Maximum number of duplicates named in the error.
const NAMED: usize = 5;

/// A text column with a normalised key column.
struct Keyed {
    table: &'static str,
    text: &'static str,
    key: &'static str,
    compute: fn(&str) -> String,
    /// Query of the scope in which a text must be unique, and the text. None if the key is not unique.
    unique: Option<&'static str>,
}

const KEYED: [Keyed; 5] = [
    Keyed {
        table: "users",
        text: "email",
        key: "email_key",
        compute: email::key,
        unique: Some("select '', email from users order by email"),
    },
    Keyed {
        table: "companies",
        text: "name",
        key: "name_key",
        compute: unique_key,
        unique: Some("select '', name from companies where archived_at is null order by name"),
    },
    Keyed {
        table: "spvs",
        text: "custom_identifier",
        key: "custom_identifier_key",
        compute: unique_key,
        unique: Some(
            "select k.name, s.custom_identifier from spvs s join companies k on k.id = s.company_id \
             where s.custom_identifier is not null order by s.custom_identifier",
        ),
    },
    Keyed { table: "leads", text: "email", key: "email_key", compute: email::key, unique: None },
    Keyed { table: "requests", text: "email", key: "email_key", compute: email::key, unique: None },
];

/// Updates every outdated key.
///
/// # Errors
/// Conflict `backup_twins` with the `twins`.
pub async fn rekey(tx: &mut Tx) -> Result<()> {
    for column in &KEYED {
        let Keyed { table, text, key, .. } = column;
        let sql = format!("select distinct {text}, {key} from {table} where {text} is not null");
        let rows: Vec<(String, Option<String>)> = tx.sql_built(sql).all().await?;
        let wanted = rows.into_iter().map(|(text, key)| ((column.compute)(&text), text, key));
        let changed: Vec<_> = wanted.filter(|(wanted, _, key)| key.as_ref() != Some(wanted)).collect();
        if changed.is_empty() {
            continue;
        }
        if let Some(sql) = column.unique {
            refuse_twins(tx, sql, column.compute).await?;
        }
        for (wanted, was, _) in changed {
            let sql = format!("update {table} set {key} = $1 where {text} = $2");
            tx.sql_built(sql).bind(wanted).bind(was).run().await?;
        }
    }
    Ok(())
}

async fn refuse_twins(tx: &mut Tx, sql: &'static str, compute: fn(&str) -> String) -> Result<()> {
    let mut known: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (within, text) in tx.sql(sql).all::<(String, String)>().await? {
        known.entry((within, compute(&text))).or_default().push(text);
    }
    let twins: Vec<String> = known
        .into_iter()
        .filter(|(_, texts)| texts.len() > 1)
        .take(NAMED)
        .map(|((within, _), texts)| {
            // Duplicates can look the same, so that differences are shown as code points.
            let texts: Vec<String> = texts.iter().map(|text| format!("`{}`", escaped(text))).collect();
            if within.is_empty() { texts.join(" = ") } else { format!("{within}: {}", texts.join(" = ")) }
        })
        .collect();
    if twins.is_empty() {
        return Ok(());
    }
    Err(Error::Conflict(Problem::new("backup_twins").with("twins", twins.join("; "))))
}

/// The text with combining marks and invisible characters as code points.
fn escaped(text: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric();
    text.chars().map(|c| if plain(c) { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) }).collect()
}
