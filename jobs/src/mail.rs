//! Mail transport: an SMTP server, or one `.eml` file for each mail when none is configured.
mod folder;
mod message;
mod smtp;

pub use message::sender;
pub use smtp::Negotiated;

use crate::templates::Letter;
use chrono::{DateTime, Utc};
use domain::platform::queue::worker::Failure;
use lettre::{AsyncTransport, message::Mailbox};
use std::path::{Path, PathBuf};

/// Where mails go.
#[derive(Clone, Debug)]
pub struct Mailer {
    from: Mailbox,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Smtp(smtp::Server),
    Files(PathBuf),
}

/// What the settings of the office add to every mail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender<'a> {
    /// Who it is from, unless the operator's sender is used.
    pub from: Option<&'a str>,
    /// Where answers go: the support address.
    pub reply_to: Option<&'a str>,
}

/// A transport that cannot be made from what was configured.
#[derive(Debug, thiserror::Error)]
pub enum Misconfigured {
    #[error("is not a sender like `SPV Portal <portal@example.com>`: {0}")]
    Sender(#[from] lettre::address::AddressError),
    #[error("is not an address like `smtp://user:password@host:587` or `smtps://user:password@host`: {0}")]
    Server(String),
    #[error("names a user and no password")]
    Password,
    #[error(
        "has `tls={0}`: smtp:// takes `none`, `required` and, without a password, `opportunistic`; smtps:// is always TLS"
    )]
    Tls(String),
    #[error(
        "needs TLS, and this machine has no certificates to trust; install ca-certificates or set SSL_CERT_FILE: {0}"
    )]
    Certificates(String),
}

impl Mailer {
    /// Sends through the server at `url`. Nothing is connected yet.
    ///
    /// # Errors
    /// When the address makes no sense.
    pub fn smtp(url: &str, from: Mailbox) -> Result<Self, Misconfigured> {
        Ok(Self { from, way: Way::Smtp(smtp::Server::read(url)?) })
    }

    /// Writes mails into `dir`.
    pub fn files(dir: &Path, from: Mailbox) -> Self {
        Self { from, way: Way::Files(dir.to_owned()) }
    }

    /// Sends one mail, dated `now`, as the office's settings say.
    ///
    /// # Errors
    /// [`Failure::Fail`] when the server refuses this mail or its address cannot be written, else
    /// [`Failure::Retry`].
    pub async fn send(&self, letter: &Letter, office: Sender<'_>, now: DateTime<Utc>) -> Result<(), Failure> {
        let message = message::build(letter, &self.from, office, now)
            .map_err(|e| Failure::Fail(format!("cannot be written as a mail: {e}")))?;
        match &self.way {
            Way::Smtp(server) => {
                let unusual = message.envelope().to().iter().any(|to| !to.to_string().is_ascii());
                let sent = server.transport.send(message).await;
                sent.map(drop).map_err(|e| failure(server, &e, unusual))
            }
            Way::Files(dir) => folder::write(dir, &folder::name(letter, now), message.formatted())
                .await
                .map_err(|e| Failure::Retry(format!("{}: {e}", dir.display()))),
        }
    }

    /// Whether mails would leave right now: the server greets and takes our password, or the folder can be written.
    ///
    /// # Errors
    /// Why not, with the causes.
    pub async fn probe(&self) -> Result<String, String> {
        match &self.way {
            Way::Smtp(server) => match server.transport.test_connection().await {
                Ok(true) => Ok("the SMTP server answers".to_owned()),
                Ok(false) => Err("the SMTP server does not answer".to_owned()),
                Err(e) => Err(server.words(&e)),
            },
            Way::Files(dir) => {
                let probe = ".probe";
                folder::write(dir, probe, Vec::new()).await.map_err(|e| format!("{}: {e}", dir.display()))?;
                let _ = tokio::fs::remove_file(dir.join(probe)).await;
                Ok(format!("emails are files in {}", dir.display()))
            }
        }
    }

    /// How a connection to the server is encrypted; none where mails are files.
    ///
    /// # Errors
    /// Why there is no connection, with the causes.
    pub async fn negotiate(&self) -> Result<Option<Negotiated>, String> {
        match &self.way {
            Way::Smtp(server) => server.negotiate().await.map(Some),
            Way::Files(_) => Ok(None),
        }
    }

    /// Whether the operator switched TLS off with `?tls=none`.
    pub fn is_without_tls(&self) -> bool {
        matches!(&self.way, Way::Smtp(server) if server.is_without_tls())
    }
}

/// Whether another attempt may help. A refusal of this one mail is final, as is an address that the server cannot
/// write (no SMTPUTF8). A server that is away, busy, or does not know us may come round.
fn failure(server: &smtp::Server, error: &lettre::transport::smtp::Error, unusual_address: bool) -> Failure {
    let why = server.words(error);
    // 421: closing; 530, 534, 535, 538: our sign-in, which the operator can put right.
    let ours = error.status().map(u16::from).is_some_and(|code| matches!(code, 421 | 530 | 534 | 535 | 538));
    let never = (error.is_permanent() && !ours) || (error.is_client() && unusual_address);
    if never { Failure::Fail(why) } else { Failure::Retry(why) }
}
