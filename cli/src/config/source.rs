//! Sources of settings: file, environment, secret files and flags. Each value keeps its source for error messages.
use super::SETTINGS;
use crate::{
    args::Globals,
    exit::{Failure, Result},
};
use domain::kernel::nearest::nearest;
use figment::{
    Error, Figment, Metadata, Profile, Provider,
    providers::{Format, Toml},
    value::{Dict, Map, Value},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// A value as text, and the name of its source.
pub struct ResolvedValue {
    pub value: String,
    pub source: String,
}

pub struct Sources(Figment);

/// Values of one source, as text: figment's environment provider would parse `0123` as a number.
struct ValueSource {
    values: Vec<(&'static str, String)>,
    name: &'static str,
}

/// Read where neither `--config` nor `SPV_CONFIG` names a file.
const DEFAULT_FILE: &str = "/etc/spv/portal.toml";
/// The variable that names the file.
pub(super) const FILE_VARIABLE: &str = "SPV_CONFIG";

const ENVIRONMENT: &str = "the environment";
const SECRET_FILE: &str = "a secret file";
/// A secret file that the configuration file names: `smtp_url_file = "/etc/spv/smtp_url"`.
const CONFIGURED_SECRET_FILE: &str = "a secret file of the configuration file";
const FLAG: &str = "the flag";

impl Provider for ValueSource {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name)
    }

    fn data(&self) -> std::result::Result<Map<Profile, Dict>, Error> {
        let dict: Dict =
            self.values.iter().map(|(name, value)| ((*name).to_owned(), Value::from(value.clone()))).collect();
        Ok(Map::from([(Profile::Default, dict)]))
    }
}

/// The configuration file and what names it, for error messages.
fn file(globals: &Globals, variable: impl Fn(&str) -> Option<String>) -> Option<(PathBuf, &'static str)> {
    let flag = globals.config.clone().map(|path| (path, "--config: "));
    let named = || variable(FILE_VARIABLE).map(|path| (PathBuf::from(path), "SPV_CONFIG: "));
    // A folder that may not be entered has a file, which is then refused: without its settings this would be another portal.
    let default = || Path::new(DEFAULT_FILE).try_exists().unwrap_or(true).then(|| (PathBuf::from(DEFAULT_FILE), ""));
    flag.or_else(named).or_else(default)
}

fn unreadable(named_by: &str, path: &Path, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::PermissionDenied if path == Path::new(DEFAULT_FILE) => {
            "; run this as the account of the portal: sudo -u spv spvctl …"
        }
        _ => "",
    };
    Failure::Usage(format!("{named_by}{} cannot be read: {error}{remedy}", path.display()))
}

impl Sources {
    /// Reads the file, the environment and the flags.
    pub fn load(globals: &Globals) -> Result<Self> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::from_variables(globals, variable)
    }

    pub(super) fn from_variables(globals: &Globals, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut figment = Figment::new();
        let mut configured_files = Vec::new();
        if let Some((path, named_by)) = file(globals, &variable) {
            let text = std::fs::read_to_string(&path).map_err(|e| unreadable(named_by, &path, &e))?;
            let file = Toml::string(&text);
            let data =
                file.data().map_err(|e| Failure::Usage(format!("{named_by}{} is not TOML: {e}", path.display())))?;
            configured_files = secret_files(&path, &data)?;
            figment = figment.merge(file);
        }
        let (mut values, mut files) = (Vec::new(), Vec::new());
        for setting in SETTINGS {
            let name = variable_name(setting.name);
            match (variable(&name), setting.secret.then(|| variable(&format!("{name}_FILE"))).flatten()) {
                (Some(_), Some(_)) => {
                    return Err(Failure::Usage(format!("{name} and {name}_FILE are both set; set one of them")));
                }
                (Some(value), None) => values.push((setting.name, value)),
                (None, Some(path)) => {
                    files.push((setting.name, read_secret(&format!("{name}_FILE"), &path)?));
                }
                (None, None) => {}
            }
        }
        let mut configured = Vec::new();
        for (name, path) in configured_files {
            // The environment overrides the file: what it overrides may be unreadable.
            if values.iter().chain(&files).all(|(set, _)| *set != name) {
                configured.push((name, read_secret(&format!("{name}_file"), &path)?));
            }
        }
        let flags = [
            ("data_dir", globals.data_dir.as_ref().map(|dir| dir.display().to_string())),
            ("database_url", globals.database_url.clone()),
            ("listen", globals.listen.clone()),
        ];
        let flags = flags.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Ok(Self(
            figment
                .merge(ValueSource { values: configured, name: CONFIGURED_SECRET_FILE })
                .merge(ValueSource { values, name: ENVIRONMENT })
                .merge(ValueSource { values: files, name: SECRET_FILE })
                .merge(ValueSource { values: flags, name: FLAG }),
        ))
    }

    pub fn find(&self, name: &str) -> Option<ResolvedValue> {
        let value = self.0.find_value(name).ok()?;
        let place = self.0.get_metadata(value.tag()).map(|place| place.name.to_string()).unwrap_or_default();
        let source = match place.as_str() {
            ENVIRONMENT => variable_name(name),
            SECRET_FILE => format!("{}_FILE", variable_name(name)),
            CONFIGURED_SECRET_FILE => format!("{name}_file"),
            FLAG => format!("--{}", name.replace('_', "-")),
            _ => "the configuration file".to_owned(),
        };
        let value = match value {
            Value::String(_, text) => text,
            Value::Bool(_, value) => value.to_string(),
            Value::Num(_, number) => match (number.to_i128(), number.to_f64()) {
                (Some(whole), _) => whole.to_string(),
                (None, Some(other)) => other.to_string(),
                (None, None) => number.to_u128().unwrap_or_default().to_string(),
            },
            Value::Array(_, items) => {
                items.iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>().join(",")
            }
            other => format!("{other:?}"),
        };
        Some(ResolvedValue { value, source })
    }
}

/// Checks the keys of the configuration file. Returns the paths of secret files by setting.
fn secret_files(path: &Path, data: &Map<Profile, Dict>) -> Result<Vec<(&'static str, String)>> {
    let mut files = Vec::new();
    for (key, value) in data.values().flatten() {
        if SETTINGS.iter().any(|setting| setting.name == key) {
            continue;
        }
        let secret = key.strip_suffix("_file").and_then(|name| SETTINGS.iter().find(|known| known.name == name));
        match (secret.filter(|setting| setting.secret), value.as_str()) {
            (Some(setting), Some(_)) if data.values().any(|dict| dict.contains_key(setting.name)) => {
                let name = setting.name;
                return Err(Failure::Usage(format!("{name} and {key} are both set in {}; set one", path.display())));
            }
            (Some(setting), Some(file)) => files.push((setting.name, file.to_owned())),
            _ => {
                let near = nearest(key, SETTINGS.iter().map(|setting| setting.name));
                let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_else(|| ";".to_owned());
                return Err(Failure::Usage(format!(
                    "{key}: no such setting, in {}{near} `spvctl config` lists all",
                    path.display(),
                )));
            }
        }
    }
    Ok(files)
}

fn read_secret(source: &str, path: &str) -> Result<String> {
    let value =
        std::fs::read_to_string(path).map_err(|e| Failure::Usage(format!("{source}: {path} cannot be read: {e}")))?;
    Ok(value.trim_end_matches(['\r', '\n']).to_owned())
}

fn variable_name(name: &str) -> String {
    format!("SPV_{}", name.to_uppercase())
}
