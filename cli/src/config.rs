//! Configuration: defaults, then the file, then the environment, then flags.
//!
//! Every setting is one line of [`SETTINGS`]. The error for an invalid value names the setting, its source and the allowed
//! values; nothing starts.
mod providers;
mod source;

use crate::{
    args::Globals,
    exit::{Failure, Result},
    listen::{self, Listen},
    output::Record,
};
use api::{Network, ProviderSettings, RedirectAllowList};
use domain::kernel::nearest::nearest;
use domain::{
    Options,
    accounts::auth::passwords,
    kernel::{
        access::Role,
        antivirus::Scanner,
        backup_copies::{BackupCopies, Recipient},
        backup_retention::BackupRetention,
        db::PoolSizes,
        storage::{Credentials, Storage, StorageUrl},
    },
};
use source::{ResolvedValue, Sources};
use std::{
    fmt::Display,
    net::SocketAddr,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};
use tracing_subscriber::filter::LevelFilter;

/// One setting: its name in the file (upper case with `SPV_` in the environment), and whether it is a secret,
/// which may stand in a file named by `…_FILE` and is never printed.
pub struct Setting {
    pub name: &'static str,
    pub default: Default,
    pub secret: bool,
}

#[derive(Clone, Copy)]
pub enum Default {
    Fixed(&'static str),
    /// Derived from other settings; the text describes how.
    Derived(&'static str),
    None,
}

const fn plain(name: &'static str, default: Default) -> Setting {
    Setting { name, default, secret: false }
}

const fn secret(name: &'static str, default: Default) -> Setting {
    Setting { name, default, secret: true }
}

pub const SETTINGS: &[Setting] = &[
    plain("data_dir", Default::Fixed("./data")),
    secret("database_url", Default::Derived("sqlite:<data dir>/spv.db")),
    plain("database_pool", Default::Fixed("20")),
    plain("database_queue_pool", Default::Fixed("10")),
    plain("listen", Default::Fixed("127.0.0.1:8080")),
    plain("public_url", Default::Derived("http://<listen>")),
    secret("smtp_url", Default::None),
    plain("mail_from", Default::Fixed("SPV Portal <portal@localhost>")),
    plain("storage_url", Default::Derived("file:<data dir>/documents")),
    plain("s3_access_key_id", Default::None),
    secret("s3_secret_access_key", Default::None),
    plain("backup_dir", Default::Derived("<data dir>/backups")),
    plain("backup_keep", Default::Fixed("3 newest, 7 daily, 4 weekly, 6 monthly")),
    plain("backup_before_upgrade", Default::Fixed("true")),
    plain("backup_copy_url", Default::None),
    plain("backup_copy_recipient", Default::None),
    plain("backup_copy_access_key_id", Default::Derived("s3_access_key_id")),
    secret("backup_copy_secret_access_key", Default::Derived("s3_secret_access_key")),
    plain("upload_limit_mb", Default::Fixed("25")),
    plain("storage_quota_gb", Default::None),
    plain("clamd", Default::None),
    plain("demo", Default::Fixed("false")),
    secret("demo_password", Default::Fixed(domain::DEMO_PASSWORD)),
    secret("default_password", Default::None),
    plain("auth_signing_keys_file", Default::Derived("<data dir>/signing_keys.json")),
    secret("auth_jwt_secret", Default::None),
    plain("auth_access_token_seconds", Default::Fixed("900")),
    plain("auth_signup", Default::Fixed("false")),
    plain("auth_autoconfirm", Default::Fixed("false")),
    plain("auth_redirect_allow", Default::None),
    plain("auth_secure_email_change", Default::Fixed("true")),
    plain("auth_mail_gap_seconds", Default::Fixed("60")),
    plain("auth_mails_per_hour", Default::Fixed("1000")),
    plain("auth_otp_alike", Default::Fixed("true")),
    plain("oidc_google_client_id", Default::None),
    secret("oidc_google_client_secret", Default::None),
    plain("oidc_google_issuer", Default::Fixed("https://accounts.google.com")),
    plain("oidc_google_domains", Default::None),
    plain("oidc_microsoft_client_id", Default::None),
    secret("oidc_microsoft_client_secret", Default::None),
    plain("oidc_microsoft_issuer", Default::Fixed("https://login.microsoftonline.com/common/v2.0")),
    plain("oidc_microsoft_domains", Default::None),
    plain("auth_require_mfa", Default::Derived("employee,super_admin; none in demo mode")),
    plain("auth_rate_limits", Default::Fixed("true")),
    plain("trusted_proxies", Default::None),
    plain("max_connections_per_address", Default::Fixed("256")),
    plain("hsts_subdomains", Default::Fixed("false")),
    plain("drain_seconds", Default::Fixed("5")),
    plain("cors_origins", Default::None),
    plain("worker_concurrency", Default::Fixed("8")),
    plain("metrics_listen", Default::None),
    plain("log", Default::Fixed("info")),
    plain("log_format", Default::Fixed("text")),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// The effective configuration.
#[derive(Clone, Debug)]
pub struct Config {
    pub data_dir: PathBuf,
    pub database_url: String,
    pub pools: PoolSizes,
    pub listen: Listen,
    /// `None` if not configured: derived from the listening port then.
    pub public_url: Option<String>,
    pub smtp_url: Option<String>,
    pub mail_from: String,
    pub storage: StorageUrl,
    pub s3: Option<Credentials>,
    pub backup_dir: PathBuf,
    pub backup_retention: BackupRetention,
    /// Whether a portal in use is backed up before its schema is migrated.
    pub backup_before_upgrade: bool,
    pub backup_copy: Option<(StorageUrl, Option<Credentials>)>,
    pub backup_copy_recipient: Option<Recipient>,
    pub upload_limit_mb: u64,
    pub storage_quota_gb: Option<u64>,
    pub scanner: Option<Scanner>,
    pub demo: bool,
    pub demo_password: String,
    pub default_password: Option<String>,
    pub signing_keys: PathBuf,
    pub jwt_secret: Option<String>,
    pub access_token_seconds: i64,
    pub signup: bool,
    pub autoconfirm: bool,
    pub redirects: RedirectAllowList,
    pub secure_email_change: bool,
    pub mail_gap_seconds: i64,
    pub mails_per_hour: i32,
    pub otp_alike: bool,
    /// OpenID providers for sign-in.
    pub providers: Vec<ProviderSettings>,
    /// Roles that need a second factor, unless the office's settings say otherwise.
    pub require_mfa: Option<Vec<Role>>,
    pub rate_limits: bool,
    pub trusted_proxies: Vec<Network>,
    /// Open connections per peer address; 0 is unlimited.
    pub max_connections_per_address: usize,
    pub hsts_subdomains: bool,
    /// How long `serve` keeps serving after SIGTERM.
    pub drain: Duration,
    pub cors_origins: Vec<String>,
    pub worker_concurrency: usize,
    /// Address of the Prometheus metrics.
    pub metrics_listen: Option<SocketAddr>,
    pub log: String,
    pub log_format: LogFormat,
    /// Settings that are valid and probably a mistake.
    pub warnings: Vec<String>,
    /// Name, value and source of each setting, for `spvctl config`.
    shown: Vec<(&'static str, String, String)>,
}

/// Whether a text is a filter of log lines. A word alone is a level: the library would take a mistyped one for a module.
fn is_log_filter(text: &str) -> bool {
    let is_word = |part: &str| !part.contains(['=', '[', ':']);
    let levels_are_known =
        text.split(',').map(str::trim).filter(|part| is_word(part)).all(|part| part.parse::<LevelFilter>().is_ok());
    levels_are_known && tracing_subscriber::EnvFilter::try_new(text).is_ok()
}

impl Config {
    /// Reads and validates all sources.
    ///
    /// # Errors
    /// Usage, naming every invalid setting, its source and the allowed values.
    pub fn load(globals: &Globals) -> Result<Self> {
        let unknown = unknown_variables();
        check_variables(&unknown)?;
        let mut config = Self::read(&Sources::load(globals)?)?;
        config.warnings.extend(unknown.iter().map(|name| format!("{name} is not a setting of this program")));
        Ok(config)
    }

    #[expect(clippy::too_many_lines, reason = "a list of settings")]
    fn read(sources: &Sources) -> Result<Self> {
        let mut reader = Reader { sources, errors: Vec::new() };
        let read = &mut reader;
        let mut warnings = Vec::new();
        let data_dir = PathBuf::from(read.with_default("data_dir", "a folder", non_empty));
        let storage = read
            .optional("storage_url", "file:<folder> or s3://bucket/prefix?endpoint=…&region=…", StorageUrl::parse)
            .unwrap_or_else(|| StorageUrl::Files(data_dir.join("documents")));
        let s3 = read_s3_credentials(read, &storage, &mut warnings);
        let backup_copy = read_backup_copy(read, &storage, s3.as_ref());
        let mut config = Self {
            database_url: read
                .optional("database_url", "sqlite:<file> or postgres://…", |text| {
                    is_database(text).then(|| text.to_owned())
                })
                .unwrap_or_else(|| format!("sqlite:{}", data_dir.join("spv.db").display())),
            pools: PoolSizes {
                main: read.range("database_pool", 4..=1_000),
                queue: read.range("database_queue_pool", 4..=1_000),
            },
            listen: read.with_default("listen", listen::ALLOWED, |text| text.parse().ok()),
            public_url: read.optional("public_url", PUBLIC_URL, parse_public_url),
            smtp_url: read.optional(
                "smtp_url",
                "smtp://user:password@host:587 or smtps://user:password@host",
                parse_smtp_url,
            ),
            mail_from: read.with_default("mail_from", "a sender, like SPV Portal <portal@example.com>", |text| {
                jobs::mail::sender(text).is_ok().then(|| text.to_owned())
            }),
            storage,
            s3,
            backup_dir: read
                .optional("backup_dir", "a folder", non_empty)
                .map_or_else(|| data_dir.join("backups"), PathBuf::from),
            backup_retention: read.with_default("backup_keep", RETENTION, |text| text.parse().ok()),
            backup_before_upgrade: read.boolean("backup_before_upgrade"),
            backup_copy,
            backup_copy_recipient: read.optional(
                "backup_copy_recipient",
                "an age recipient, age1…, the public key of the identity",
                |text| text.parse().ok(),
            ),
            upload_limit_mb: read.range("upload_limit_mb", 1..=1_024),
            storage_quota_gb: read
                .optional("storage_quota_gb", "1 to 1000000", |text| in_range(text, &(1..=1_000_000))),
            scanner: read.optional("clamd", "host:port, or unix: and the path of a socket", |text| text.parse().ok()),
            demo: read.boolean("demo"),
            demo_password: read.with_default("demo_password", PASSWORD, parse_password),
            default_password: read.optional("default_password", PASSWORD, parse_password),
            signing_keys: read
                .optional("auth_signing_keys_file", "a file", non_empty)
                .map_or_else(|| data_dir.join("signing_keys.json"), PathBuf::from),
            jwt_secret: read.optional("auth_jwt_secret", "at least 32 characters", |text| {
                (text.len() >= 32).then(|| text.to_owned())
            }),
            access_token_seconds: read.range("auth_access_token_seconds", 60..=86_400),
            signup: read.boolean("auth_signup"),
            autoconfirm: read.boolean("auth_autoconfirm"),
            redirects: read_redirects(read, &mut warnings),
            secure_email_change: read.boolean("auth_secure_email_change"),
            mail_gap_seconds: read.range("auth_mail_gap_seconds", 0..=3_600),
            mails_per_hour: read.with_default("auth_mails_per_hour", "1 to 1000000, or 0 for any number", |text| {
                in_range(text, &(0..=1_000_000))
            }),
            otp_alike: read.boolean("auth_otp_alike"),
            providers: providers::read(read),
            require_mfa: read.optional("auth_require_mfa", &roles_allowed(), |text| match text {
                "none" => Some(Vec::new()),
                text => list(text, |one| one.parse::<Role>().ok()),
            }),
            rate_limits: read.boolean("auth_rate_limits"),
            trusted_proxies: read_trusted_proxies(read, &mut warnings),
            max_connections_per_address: read.range("max_connections_per_address", 0..=1_000_000),
            hsts_subdomains: read.boolean("hsts_subdomains"),
            drain: Duration::from_secs(read.range("drain_seconds", 0..=300)),
            cors_origins: read
                .optional("cors_origins", "origins separated by commas, like https://app.example.com", |text| {
                    list(text, parse_origin)
                })
                .unwrap_or_default(),
            worker_concurrency: read.range("worker_concurrency", 1..=256),
            metrics_listen: read
                .optional("metrics_listen", "an address with a port, like 127.0.0.1:9090", |text| text.parse().ok()),
            log: read.with_default("log", "a tracing filter, like info or info,domain=debug", |text| {
                is_log_filter(text).then(|| text.to_owned())
            }),
            log_format: read.with_default("log_format", "text or json", |text| match text {
                "text" => Some(LogFormat::Text),
                "json" => Some(LogFormat::Json),
                _ => None,
            }),
            data_dir,
            warnings,
            shown: SETTINGS.iter().map(|setting| display_setting(setting, sources)).collect(),
        };
        let followed =
            [("<data dir>", config.data_dir.display().to_string()), ("http://<listen>", config.public_url(None))];
        for (_, value, source) in &mut config.shown {
            if source == "default" {
                *value = followed.iter().fold(value.clone(), |value, (name, now)| value.replace(name, now));
            }
        }
        if config.public_url.is_none() && config.listen.address().is_none() {
            reader.errors.push(format!("public_url: set it; it does not follow from listen = {}", config.listen));
        }
        if reader.errors.is_empty() { Ok(config) } else { Err(Failure::Usage(reader.errors.join("\n"))) }
    }

    /// Base URL of links; `listening` is the bound address, if there is one.
    pub fn public_url(&self, listening: Option<SocketAddr>) -> String {
        self.public_url.clone().unwrap_or_else(|| {
            // A socket without an address needs the setting.
            let address = listening.or(self.listen.address()).unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 80)));
            // A browser cannot open the unspecified address.
            if address.ip().is_unspecified() {
                format!("http://localhost:{}", address.port())
            } else {
                format!("http://{address}")
            }
        })
    }

    /// The options of the use cases.
    ///
    /// # Errors
    /// Fault if the document storage cannot be created.
    pub fn options(&self, listening: Option<SocketAddr>) -> Result<Arc<Options>> {
        self.options_with(listening, Storage::open(&self.storage, self.s3.as_ref())?)
    }

    /// [`Config::options`] without document storage, whose folder is not created.
    ///
    /// # Errors
    /// Fault if the storage of backup copies cannot be opened.
    pub fn options_without_storage(&self) -> Result<Arc<Options>> {
        self.options_with(None, Storage::memory())
    }

    fn options_with(&self, listening: Option<SocketAddr>, storage: Storage) -> Result<Arc<Options>> {
        let copies = |(url, credentials): &(StorageUrl, Option<Credentials>)| -> Result<BackupCopies> {
            let storage = Storage::open(url, credentials.as_ref())?;
            Ok(BackupCopies { storage, recipient: self.backup_copy_recipient.clone() })
        };
        Ok(Arc::new(Options {
            public_url: self.public_url(listening),
            demo: self.demo,
            demo_password: self.demo_password.clone(),
            default_password: self.default_password.clone(),
            access_token_seconds: self.access_token_seconds,
            signup: self.signup,
            autoconfirm: self.autoconfirm,
            secure_email_change: self.secure_email_change,
            mail_gap_seconds: self.mail_gap_seconds,
            mails_per_hour: self.mails_per_hour,
            otp_alike: self.otp_alike,
            require_mfa: self.require_mfa.clone(),
            storage,
            upload_limit: self.upload_limit_mb << 20,
            storage_quota: self.storage_quota_gb.map(|gb| gb * 1_000_000_000),
            scanner: self.scanner.clone(),
            data_dir: Some(self.data_dir.clone()),
            signing_keys: Some(self.signing_keys.clone()),
            backup_dir: Some(self.backup_dir.clone()),
            backup_retention: self.backup_retention,
            backup_copies: self.backup_copy.as_ref().map(copies).transpose()?,
            ..Options::default()
        }))
    }

    /// Whether a database outside the data folder is configured.
    pub fn has_own_database(&self) -> bool {
        self.is_set("database_url")
    }

    /// Location of the portal for messages: its database if configured, else the data folder.
    pub fn location(&self) -> String {
        if self.has_own_database() {
            return format!("the database {}", self.database());
        }
        let unset = if self.is_set("data_dir") { "" } else { " (SPV_DATA_DIR is not set)" };
        format!("{}{unset}", self.data_dir.display())
    }

    fn is_set(&self, setting: &str) -> bool {
        self.shown.iter().any(|(name, _, source)| *name == setting && source != "default")
    }

    /// The database URL without its password, for messages.
    pub fn database(&self) -> String {
        without_password(&self.database_url)
    }

    pub fn mail_dir(&self) -> PathBuf {
        self.data_dir.join("mail")
    }

    /// Every setting with its value (secrets hidden) and source.
    pub fn records(&self) -> Vec<Record> {
        self.shown
            .iter()
            .map(|(name, value, source)| {
                Record::new().with("name", *name).with("value", value.clone()).with("source", source.clone())
            })
            .collect()
    }
}

/// Environment variables with our prefix that are not settings.
fn unknown_variables() -> Vec<String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(|name| is_unknown(name)).collect()
}

/// Refuses variables that are nearly settings. Others are left alone: for a service called `spv` Kubernetes sets
/// `SPV_SERVICE_HOST`.
///
/// # Errors
/// Usage, naming each with the setting that was probably meant.
fn check_variables(variables: &[String]) -> Result {
    let meant = |variable: &String| {
        let name = variable.strip_prefix("SPV_")?.to_lowercase();
        let near = nearest(&name, SETTINGS.iter().map(|setting| setting.name))?;
        Some(format!(
            "{variable}: no such setting; did you mean SPV_{}? `spvctl config` lists all",
            near.to_uppercase()
        ))
    };
    let errors: Vec<String> = variables.iter().filter_map(meant).collect();
    if errors.is_empty() { Ok(()) } else { Err(Failure::Usage(errors.join("\n"))) }
}

/// Only secrets have a `…_FILE` variable.
fn is_unknown(variable: &str) -> bool {
    if variable == source::FILE_VARIABLE {
        return false;
    }
    let Some(name) = variable.strip_prefix("SPV_").map(str::to_lowercase) else { return false };
    let secret = name.strip_suffix("_file");
    !SETTINGS.iter().any(|setting| setting.name == name || (setting.secret && Some(setting.name) == secret))
}

/// Creates the data folder with mode 0700.
///
/// # Errors
/// Fault, naming the folder.
pub fn make_data_dir(dir: &Path) -> Result {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(dir)
        .map_err(|e| Failure::Fault(anyhow::anyhow!("the data folder {} cannot be made: {e}", dir.display())))
}

/// Restricts the data folder to its owner. Returns a warning where that is not ours to do: the folder is another user's, or
/// shared by nature, as `/tmp`, a home or the working directory.
#[cfg(unix)]
pub fn restrict_permissions(dir: &Path) -> Option<String> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const STICKY: u32 = 0o1000;
    let about = std::fs::metadata(dir).ok()?;
    let mode = about.permissions().mode();
    if mode & 0o077 == 0 {
        return None;
    }
    let same = |other: &Path| other.canonicalize().ok() == dir.canonicalize().ok();
    let shared = mode & STICKY != 0
        || dir.canonicalize().is_ok_and(|path| path.components().count() <= 2)
        || std::env::current_dir().is_ok_and(|here| same(&here))
        || std::env::var_os("HOME").is_some_and(|home| same(Path::new(&home)));
    let ours = about.uid() == rustix::process::geteuid().as_raw();
    if ours && !shared && std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).is_ok() {
        return None;
    }
    Some(format!("others on this machine can look into {0}; run `chmod 700 {0}`", dir.display()))
}

#[cfg(not(unix))]
pub fn restrict_permissions(_: &Path) -> Option<String> {
    None
}

/// Reads and validates settings; collects an error message for each invalid one.
struct Reader<'a> {
    sources: &'a Sources,
    errors: Vec<String>,
}

impl Reader<'_> {
    /// A setting that may be absent. `allowed` completes "it must be …".
    fn optional<T>(&mut self, name: &'static str, allowed: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).expect("every setting read is in the table");
        let found = self.sources.find(name)?;
        let value = read(found.value.trim());
        if value.is_none() {
            // The wrong half of a key pair must not get into a log either.
            let is_secret = setting.secret || found.value.trim().to_ascii_uppercase().starts_with("AGE-SECRET-KEY-");
            let said = if is_secret { "the value".to_owned() } else { format!("`{}`", found.value) };
            self.errors.push(format!("{name}: {said} from {} is not allowed; it must be {allowed}", found.source));
        }
        value
    }

    /// A setting with a fixed default.
    fn with_default<T>(&mut self, name: &'static str, allowed: &str, read: impl Fn(&str) -> Option<T>) -> T {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).expect("every setting read is in the table");
        let Default::Fixed(default) = setting.default else { unreachable!("{name} has no fixed default") };
        self.optional(name, allowed, &read).or_else(|| read(default)).expect("a default is allowed")
    }

    fn boolean(&mut self, name: &'static str) -> bool {
        self.with_default(name, "true or false", |text| text.parse().ok())
    }

    fn range<T: FromStr + PartialOrd + Display>(&mut self, name: &'static str, range: RangeInclusive<T>) -> T {
        let allowed = format!("{} to {}", range.start(), range.end());
        self.with_default(name, &allowed, |text| in_range(text, &range))
    }
}

const RETENTION: &str = "numbers of backups, for example `3 newest, 7 daily, 4 weekly, 6 monthly`";
const PUBLIC_URL: &str = "http://… or https://…, with a path like /portal or without one; its first part must not be one of the portal's own, like /auth";
const PASSWORD: &str = "a password that is long and uncommon enough";

fn roles_allowed() -> String {
    format!("roles separated by commas, of {}, or none", Role::ALL.map(Role::name).join(", "))
}

fn parse_password(text: &str) -> Option<String> {
    // The default is known to be valid; the strength check would slow down every command.
    let valid = text == domain::DEMO_PASSWORD || passwords::validate(text, "", &[], passwords::MIN_LENGTH).is_ok();
    valid.then(|| text.to_owned())
}

fn parse_smtp_url(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    (matches!(url.scheme(), "smtp" | "smtps") && url.has_host()).then(|| text.to_owned())
}

/// The S3 credentials; both or neither. Refuses a bucket without them, warns of half a pair.
fn read_s3_credentials(read: &mut Reader<'_>, storage: &StorageUrl, warnings: &mut Vec<String>) -> Option<Credentials> {
    let access_key_id = read.optional("s3_access_key_id", "the id of an access key", non_empty);
    let secret_access_key = read.optional("s3_secret_access_key", "the secret of an access key", non_empty);
    let half = match (&access_key_id, &secret_access_key) {
        (Some(_), None) => Some(("s3_access_key_id", "s3_secret_access_key")),
        (None, Some(_)) => Some(("s3_secret_access_key", "s3_access_key_id")),
        _ => None,
    };
    warnings
        .extend(half.map(|(there, missing)| format!("{there} is set and {missing} is not: neither of them is used")));
    let credentials = access_key_id
        .zip(secret_access_key)
        .map(|(access_key_id, secret_access_key)| Credentials { access_key_id, secret_access_key });
    if matches!(storage, StorageUrl::S3(_)) && credentials.is_none() {
        read.errors
            .push("storage_url: an S3 bucket needs s3_access_key_id and s3_secret_access_key as well".to_owned());
    }
    credentials
}

/// The storage that backups are copied to, with its own credentials or those of the documents.
fn read_backup_copy(
    read: &mut Reader<'_>,
    documents: &StorageUrl,
    s3: Option<&Credentials>,
) -> Option<(StorageUrl, Option<Credentials>)> {
    let access_key_id = read.optional("backup_copy_access_key_id", "the id of an access key", non_empty);
    let secret_access_key = read.optional("backup_copy_secret_access_key", "the secret of an access key", non_empty);
    if access_key_id.is_some() != secret_access_key.is_some() {
        // The keys of the documents could delete copies.
        read.errors.push("backup_copy_access_key_id and backup_copy_secret_access_key: set both or neither".to_owned());
    }
    let credentials = access_key_id
        .zip(secret_access_key)
        .map(|(access_key_id, secret_access_key)| Credentials { access_key_id, secret_access_key })
        .or_else(|| s3.cloned());
    let allowed = "s3://bucket/prefix?endpoint=…&region=… or file:<folder>";
    let url = read.optional("backup_copy_url", allowed, StorageUrl::parse)?;
    if url == *documents {
        read.errors.push("backup_copy_url: it is where the documents are; give another bucket or prefix".to_owned());
    }
    if matches!(url, StorageUrl::S3(_)) && credentials.is_none() {
        read.errors.push(
            "backup_copy_url: an S3 bucket needs backup_copy_access_key_id and backup_copy_secret_access_key, or \
             s3_access_key_id and s3_secret_access_key"
                .to_owned(),
        );
    }
    Some((url, credentials))
}

/// Patterns of allowed redirect targets. Warns of a pattern below a suffix that is not known to belong to one owner.
fn read_redirects(read: &mut Reader<'_>, warnings: &mut Vec<String>) -> RedirectAllowList {
    let allowed = "patterns separated by commas, like https://*.example.com/**, each of one domain";
    let redirects = read.optional("auth_redirect_allow", allowed, |text| {
        let mut redirects = RedirectAllowList::default();
        list(text, |one| redirects.allow(one).then_some(()))?;
        Some(redirects)
    });
    let redirects = redirects.unwrap_or_default();
    warnings.extend(
        redirects
            .unknown_suffixes()
            .into_iter()
            .map(|pattern| format!("auth_redirect_allow: {pattern} allows every host below an unknown domain suffix")),
    );
    redirects
}

/// Networks whose `X-Forwarded-For` is trusted. Warns of wide public ones.
fn read_trusted_proxies(read: &mut Reader<'_>, warnings: &mut Vec<String>) -> Vec<Network> {
    let allowed = "networks of your proxies separated by commas, like 10.0.0.0/8, none of them all addresses (/0)";
    let proxies = read.optional("trusted_proxies", allowed, |text| {
        list(text, |one| one.parse().ok().filter(|network: &Network| !network.is_everybody()))
    });
    let proxies = proxies.unwrap_or_default();
    warnings.extend(proxies.iter().filter(|network| network.is_wide_and_public()).map(|network| {
        format!("trusted_proxies: {network} holds many public addresses; each of them can forge client addresses")
    }));
    proxies
}

fn display_setting(setting: &Setting, sources: &Sources) -> (&'static str, String, String) {
    let hidden =
        |value: &str| if setting.name.ends_with("_url") { without_password(value) } else { "(hidden)".to_owned() };
    match (sources.find(setting.name), setting.default) {
        (Some(ResolvedValue { value, source }), _) => {
            (setting.name, if setting.secret { hidden(&value) } else { value }, source)
        }
        (None, Default::Fixed(value)) => {
            (setting.name, if setting.secret { hidden(value) } else { value.to_owned() }, "default".to_owned())
        }
        (None, Default::Derived(how)) => (setting.name, how.to_owned(), "default".to_owned()),
        (None, Default::None) => (setting.name, String::new(), "not set".to_owned()),
    }
}

/// Whether it is the URL of a persistent database: not SQLite in memory.
pub fn is_database(text: &str) -> bool {
    match text.strip_prefix("sqlite:") {
        Some(file) => {
            let file = file.trim_start_matches("//");
            !file.is_empty() && !file.starts_with('?') && !text.contains(":memory:") && !text.contains("mode=memory")
        }
        None => ["postgres://", "postgresql://"].iter().any(|start| text.starts_with(start)),
    }
}

/// The URL with its password hidden, in the user info or, for PostgreSQL, in the query.
pub fn without_password(text: &str) -> String {
    let Ok(mut url) = url::Url::parse(text) else {
        let secret = text.contains('@') || text.contains("password");
        return if secret { "(hidden)".to_owned() } else { text.to_owned() };
    };
    if url.password().is_some() {
        let _ = url.set_password(Some("(hidden)"));
    }
    if url.query().is_some_and(|query| query.contains("password")) {
        let pairs = url.query_pairs().into_owned();
        let hidden = |(name, value): (String, String)| match name.ends_with("password") {
            true => (name, "(hidden)".to_owned()),
            false => (name, value),
        };
        let pairs: Vec<_> = pairs.map(hidden).collect();
        url.query_pairs_mut().clear().extend_pairs(pairs);
    }
    url.to_string().replace("%28hidden%29", "(hidden)")
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn in_range<T: FromStr + PartialOrd>(text: &str, range: &RangeInclusive<T>) -> Option<T> {
    text.parse().ok().filter(|value| range.contains(value))
}

/// The URL without a slash at its end, and its path.
fn parse_public_url(text: &str) -> Option<String> {
    parse_web_url(text).filter(|(_, path)| api::is_base_path(path)).map(|(url, _)| url)
}

fn parse_origin(text: &str) -> Option<String> {
    parse_web_url(text).filter(|(_, path)| path.is_empty()).map(|(url, _)| url)
}

/// A URL of a host and at most a path, and that path; both without a slash at the end.
fn parse_web_url(text: &str) -> Option<(String, String)> {
    let url = url::Url::parse(text).ok()?;
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let (text, path) = (text.trim_end_matches('/'), url.path().trim_end_matches('/'));
    // Parsing resolves `..` in the path; the text must have the same one after its host.
    let host = text.strip_suffix(path).and_then(|start| start.split_once("://")).map(|(_, host)| host);
    let is_same = host.is_some_and(|host| !host.contains('/'));
    let good = matches!(url.scheme(), "http" | "https") && url.has_host() && plain && is_same;
    good.then(|| (text.to_owned(), path.to_owned()))
}

fn list<T>(text: &str, read: impl FnMut(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(read).collect()
}

#[cfg(test)]
mod tests;
