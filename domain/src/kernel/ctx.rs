//! Context, the first argument of every use case: actor, database, clock, random source and options.
use crate::kernel::{
    access::{Action, Actor, Resource, Role, Scope},
    antivirus::Scanner,
    backup_copies::BackupCopies,
    backup_retention::BackupRetention,
    clock::{Clock, RandomSource},
    db::{Db, ScopedBoxFuture, Tx},
    error::{Error, Problem, Result},
    i18n::LANGUAGES,
    money::Currency,
    storage::Storage,
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, sync::Arc};

/// The password of the demo sign-ins unless the operator chooses another.
pub const DEMO_PASSWORD: &str = "portal-demo-2026";

/// The demo office's super admin. Outside demo mode its password is refused, so it does not count as one.
pub const DEMO_SUPER_ADMIN: &str = "super@example.com";

#[derive(Clone, Debug)]
pub struct Ctx {
    pub actor: Actor,
    pub db: Db,
    pub clock: Clock,
    pub random: RandomSource,
    pub options: Arc<Options>,
    pub origin: Origin,
    /// The caller's `Idempotency-Key` and a hash of the request.
    pub idempotency: Option<(String, String)>,
    /// Suppresses mails and notifications: for seeds, imports and benchmarks (one way to create an order, decision 1).
    pub suppress_notifications: bool,
}

/// Configuration of the operator. Rules read it here, never from the environment.
#[derive(Clone, Debug)]
pub struct Options {
    /// Base URL of links, without a trailing slash; with a path where the portal is served below one.
    pub public_url: String,
    /// Demo data and the Seed Test Data button.
    pub demo: bool,
    pub demo_password: String,
    /// Full Setup's default password, which must be changed at the first sign-in (Quick Setup and Full Setup, decision 20).
    pub default_password: Option<String>,
    pub default_currency: Currency,
    /// Lifetime of an access token, in seconds.
    pub access_token_seconds: i64,
    /// Anyone may sign up for a client account.
    pub signup: bool,
    /// New addresses count as confirmed.
    pub autoconfirm: bool,
    /// A change of address must be confirmed at the old address, too.
    pub secure_email_change: bool,
    /// Cooldown between two authentication mails to one address, in seconds.
    pub mail_gap_seconds: i64,
    /// Hourly quota of authentication mails for the installation; 0 for no limit.
    pub mails_per_hour: i32,
    /// Requests for a sign-in link have the same response with and without an account.
    pub otp_alike: bool,
    /// Roles that require a second factor unless the settings say otherwise. Unset: staff, except in demo mode.
    pub require_mfa: Option<Vec<Role>>,
    /// Storage of document contents.
    pub storage: Storage,
    /// Largest upload, in bytes.
    pub upload_limit: u64,
    /// Scans uploads before anyone may open them.
    pub scanner: Option<Scanner>,
    /// Quota of all documents, in bytes.
    pub storage_quota: Option<u64>,
    /// Directory of local data: database file, documents, keys, backups.
    pub data_dir: Option<PathBuf>,
    /// File of the signing keys.
    pub signing_keys: Option<PathBuf>,
    /// Directory of backups; unset: below the data directory.
    pub backup_dir: Option<PathBuf>,
    /// Number of backups to keep.
    pub backup_retention: BackupRetention,
    /// Where backups are copied to.
    pub backup_copies: Option<BackupCopies>,
}

impl Options {
    /// Base path: the path of the public URL, empty or like `/portal`.
    pub fn base_path(&self) -> &str {
        let after_scheme = self.public_url.split_once("://").map_or("", |(_, rest)| rest);
        after_scheme.find('/').and_then(|start| after_scheme.get(start..)).unwrap_or_default()
    }

    /// The directory of backups.
    pub fn backups(&self) -> Option<PathBuf> {
        self.backup_dir.clone().or_else(|| self.own_backups())
    }

    /// The default directory of backups, which the portal creates.
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
            backup_retention: BackupRetention::default(),
            backup_copies: None,
        }
    }
}

/// Client of a request, for the activity log.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    pub address: Option<String>,
    pub user_agent: Option<String>,
}

/// Longest age of the proof that step-up requires.
pub const PROOF_MAX_AGE: Duration = Duration::minutes(10);

impl Ctx {
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The actor's language.
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
    /// Those of `work`; Unavailable when the database cannot be reached; Forbidden `read_only` for an impersonated session.
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

    /// For long work: longer database timeouts, on a separate pool ([`Db::background`]).
    #[must_use]
    pub fn background(&self) -> Self {
        Self { db: self.db.background(), ..self.clone() }
    }

    /// The context with another actor.
    #[must_use]
    pub fn acting_as(&self, actor: Actor) -> Self {
        Self { actor, idempotency: None, ..self.clone() }
    }

    /// The context without mails and notifications.
    #[must_use]
    pub fn without_notifications(&self) -> Self {
        Self { suppress_notifications: true, ..self.clone() }
    }

    /// Authorizes an action on a resource.
    ///
    /// # Errors
    /// Unauthenticated; NotFound for a row outside the actor's scope; Forbidden for an action that the role does not have.
    pub fn may(&self, action: Action, resource: Resource) -> Result<()> {
        self.actor.may(action, resource)
    }

    /// Step-up: refuses a signed-in user whose last proof (password, second factor, mailed code, provider) is older than
    /// [`PROOF_MAX_AGE`], so that a stolen access token gives no power over accounts or money. The operator and service
    /// tokens have no session and pass.
    ///
    /// # Errors
    /// Conflict `reauthentication_needed`.
    pub fn require_recent_proof(&self) -> Result<()> {
        let Actor::User(me) = &self.actor else { return Ok(()) };
        let oldest = (self.now() - PROOF_MAX_AGE).timestamp();
        if me.proven_at.is_none_or(|at| at >= oldest) {
            Ok(())
        } else {
            Err(Error::conflict("reauthentication_needed"))
        }
    }

    pub fn can(&self, action: Action, resource: Resource) -> bool {
        self.actor.may(action, resource).is_ok()
    }

    /// The scope of the actor's lists.
    ///
    /// # Errors
    /// Unauthenticated; Forbidden while a second factor or a new password is due.
    pub fn scope(&self) -> Result<Scope> {
        self.actor.scope()
    }

    /// The actor as stored in `updated_by`, shown in version conflicts (concurrent writes, decision 6).
    pub fn actor_name(&self) -> String {
        self.actor.code()
    }
}

/// Optimistic lock: compares the caller's version with the row's (concurrent writes, decision 6). Without a version the write
/// is unconditional.
///
/// # Errors
/// Conflict `stale` with the last editor and time.
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
    /// Version conflict with the last editor and time (concurrent writes, decision 6).
    pub fn stale(by: &str, at: DateTime<Utc>) -> Self {
        Self::Conflict(Problem::new("stale").with("changed_by", by).with("changed_at", at.to_rfc3339()))
    }
}
