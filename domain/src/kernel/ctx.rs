//! The first argument of every use case: who acts, on which database, when, and by the office's options.
use crate::kernel::{
    access::{Action, Actor, Resource, Role, Scope},
    antivirus::Scanner,
    clock::{Chance, Clock},
    db::{Db, ScopedBoxFuture, Tx},
    error::{Error, Result},
    i18n::LANGUAGES,
    money::Currency,
    storage::Storage,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, sync::Arc};

/// The password of the demo sign-ins unless the operator chooses another.
pub const DEMO_PASSWORD: &str = "portal-demo-2026";

#[derive(Clone, Debug)]
pub struct Ctx {
    pub actor: Actor,
    pub db: Db,
    pub clock: Clock,
    pub chance: Chance,
    pub options: Arc<Options>,
    pub origin: Origin,
    /// The caller's `Idempotency-Key` and a hash of what was asked with it.
    pub idempotency: Option<(String, String)>,
    /// No mail is queued: for seeds, imports and benchmarks (decision 1).
    pub silent: bool,
}

/// What the operator settled before the start; rules read it here and never from the environment.
#[derive(Clone, Debug)]
pub struct Options {
    /// What links in mails start with, without a slash at the end.
    pub public_url: String,
    /// Demo data and the Seed Test Data button.
    pub demo: bool,
    pub demo_password: String,
    /// Full Setup's default password, to be changed at first sign-in (decision 20).
    pub default_password: Option<String>,
    pub default_currency: Currency,
    /// Life of an access token, in seconds.
    pub access_token_seconds: i64,
    /// Anybody may make an account, of a client.
    pub signup: bool,
    /// An address is believed without a mail.
    pub autoconfirm: bool,
    /// A new address of an account is confirmed at the old one too.
    pub secure_email_change: bool,
    /// Seconds between two mails that somebody asks for.
    pub mail_gap_seconds: i64,
    /// Mails sent to visitors who ask for one in an hour, all together; 0 for any number.
    pub mails_per_hour: i32,
    /// Whoever asks for a link to sign in is not told whether there is an account.
    pub otp_alike: bool,
    /// Roles that need a second factor where the office's settings do not say; unset: staff, but for a demonstration.
    pub require_mfa: Option<Vec<Role>>,
    /// Where the contents of documents lie.
    pub storage: Storage,
    /// Largest file, in bytes.
    pub upload_limit: u64,
    /// What looks documents through before anybody opens them.
    pub scanner: Option<Scanner>,
    /// How much documents may take, in bytes.
    pub storage_quota: Option<u64>,
    /// Where everything lies that is no database on another machine.
    pub data_dir: Option<PathBuf>,
    /// The file of the signing keys.
    pub signing_keys: Option<PathBuf>,
    /// Where backups lie; a folder of the data folder unless told.
    pub backup_dir: Option<PathBuf>,
    /// How many backups are kept.
    pub backup_keep: usize,
}

impl Options {
    /// Where backups lie.
    pub fn backups(&self) -> Option<PathBuf> {
        self.backup_dir.clone().or_else(|| self.own_backups())
    }

    /// Where they lie unless told, in a folder that the portal makes itself.
    pub fn own_backups(&self) -> Option<PathBuf> {
        Some(self.data_dir.as_ref()?.join("backups"))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            demo: false,
            demo_password: DEMO_PASSWORD.to_owned(),
            default_password: None,
            default_currency: Currency::Usd,
            access_token_seconds: 900,
            signup: false,
            autoconfirm: false,
            secure_email_change: true,
            mail_gap_seconds: 60,
            mails_per_hour: 1_000,
            otp_alike: false,
            require_mfa: None,
            storage: Storage::memory(),
            upload_limit: 25 << 20,
            scanner: None,
            storage_quota: None,
            data_dir: None,
            signing_keys: None,
            backup_dir: None,
            backup_keep: 14,
        }
    }
}

/// Where a request came from, for the activity log.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    pub address: Option<String>,
    pub user_agent: Option<String>,
}

impl Ctx {
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The language of whoever acts.
    pub fn language(&self) -> &str {
        match &self.actor {
            Actor::User(user) => &user.language,
            _ => LANGUAGES[0],
        }
    }

    /// A handle for reads; a use case that writes takes a [`Tx`] from [`Ctx::begin`].
    pub fn db(&self) -> Db {
        self.db.clone()
    }

    /// Runs `work` in a transaction ([`Db::transaction`]).
    ///
    /// # Errors
    /// What `work` answers; Unavailable when the database cannot be reached; Forbidden `read_only` while the actor only
    /// looks at the portal as another person.
    pub async fn transaction<'a, T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'a,
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<T>> + Send + Sync + 'a,
    {
        if self.actor.impersonator().is_some() {
            return Err(Error::forbidden("read_only"));
        }
        self.db.transaction(work).await
    }

    /// Starts a transaction that a test holds open.
    ///
    /// # Errors
    /// As [`Ctx::transaction`].
    #[cfg(feature = "testing")]
    pub async fn begin(&self) -> Result<Tx> {
        if self.actor.impersonator().is_some() {
            return Err(Error::forbidden("read_only"));
        }
        self.db.begin().await
    }

    /// The same for long work: the database's longer timeouts, on connections of their own ([`Db::background`]).
    #[must_use]
    pub fn background(&self) -> Self {
        Self { db: self.db.background(), ..self.clone() }
    }

    /// The same surroundings with another actor.
    #[must_use]
    pub fn acting_as(&self, actor: Actor) -> Self {
        Self { actor, idempotency: None, ..self.clone() }
    }

    /// The same surroundings, with the mails off.
    #[must_use]
    pub fn silently(&self) -> Self {
        Self { silent: true, ..self.clone() }
    }

    /// # Errors
    /// Unauthenticated for nobody, NotFound for a row that is not the actor's to know of, Forbidden for an
    /// action that is not the actor's to do.
    pub fn may(&self, action: Action, resource: Resource) -> Result<()> {
        self.actor.may(action, resource)
    }

    pub fn can(&self, action: Action, resource: Resource) -> bool {
        self.actor.may(action, resource).is_ok()
    }

    /// Which rows a list may show the actor.
    ///
    /// # Errors
    /// Unauthenticated for nobody.
    pub fn scope(&self) -> Result<Scope> {
        self.actor.scope()
    }

    /// What is written into `updated_by`, shown to whoever comes too late (decision 6).
    pub fn who(&self) -> String {
        self.actor.code()
    }
}

/// Refuses whoever read an older version than there is now, and tells who was faster (decision 6). Whoever names none
/// writes over any.
pub(crate) fn fresh(seen: Option<i64>, now: i64, by: &str, at: DateTime<Utc>) -> Result<()> {
    match seen {
        Some(seen) if seen != now => Err(Error::stale(by, at)),
        _ => Ok(()),
    }
}

/// Version conflict of an `update … where id = … and version = …`, by the number of rows it changed.
///
/// # Errors
/// Conflict `conflict` where it changed none.
pub(crate) fn check_version(changed: u64) -> Result<()> {
    if changed == 0 { Err(Error::conflict("conflict")) } else { Ok(()) }
}

impl Error {
    /// A stale write names who changed the row and when (decision 6).
    pub fn stale(by: &str, at: DateTime<Utc>) -> Self {
        Self::Conflict(
            crate::kernel::error::Problem::new("stale").with("changed_by", by).with("changed_at", at.to_rfc3339()),
        )
    }
}
