//! Mail transport: an SMTP server, or one `.eml` file for each mail when none is configured.
mod eml_files;
mod message;
mod smtp;

use message::Encoding;
pub use message::sender;
pub use smtp::ConnectionSecurity;

use crate::templates::RenderedMail;
use chrono::{DateTime, Utc};
use domain::platform::queue::worker::Failure;
use lettre::{AsyncTransport, message::Mailbox};
use std::path::{Path, PathBuf};

/// Sends mails over the configured transport, from the operator's sender address.
#[derive(Clone, Debug)]
pub struct Mailer {
    from: Mailbox,
    transport: Transport,
}

#[derive(Clone, Debug)]
enum Transport {
    Smtp(smtp::Server),
    Files(PathBuf),
}

/// Sender and reply address from the settings of the office.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender<'a> {
    /// Replaces the operator's sender address.
    pub from: Option<&'a str>,
    /// Address for replies: the support address.
    pub reply_to: Option<&'a str>,
}

/// Why the configured mail transport or sender is not valid.
#[derive(Debug, thiserror::Error)]
pub enum MailConfigError {
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
    /// A mailer for the SMTP server at `url`. Does not connect yet.
    ///
    /// # Errors
    /// For a URL that is not valid.
    pub fn smtp(url: &str, from: Mailbox) -> Result<Self, MailConfigError> {
        Ok(Self { from, transport: Transport::Smtp(smtp::Server::parse(url)?) })
    }

    /// A mailer that writes `.eml` files into `dir`.
    pub fn files(dir: &Path, from: Mailbox) -> Self {
        Self { from, transport: Transport::Files(dir.to_owned()) }
    }

    /// Sends one mail, dated `now`, with the sender and reply address of the settings.
    ///
    /// # Errors
    /// [`Failure::Fail`] when the server refuses this mail or its address cannot be written, else
    /// [`Failure::Retry`].
    pub async fn send(&self, rendered: &RenderedMail, office: Sender<'_>, now: DateTime<Utc>) -> Result<(), Failure> {
        let encoding = match &self.transport {
            Transport::Smtp(_) => Encoding::Portable,
            Transport::Files(_) => Encoding::Readable,
        };
        let message = message::build(rendered, &self.from, office, now, encoding)
            .map_err(|e| Failure::Fail(format!("cannot be written as a mail: {e}")))?;
        match &self.transport {
            Transport::Smtp(server) => {
                let unusual = message.envelope().to().iter().any(|to| !to.to_string().is_ascii());
                let sent = server.transport.send(message).await;
                sent.map(drop).map_err(|e| failure(server, &e, unusual))
            }
            Transport::Files(dir) => eml_files::write(dir, &eml_files::file_name(rendered, now), message.formatted())
                .await
                .map_err(|e| Failure::Retry(format!("{}: {e}", dir.display()))),
        }
    }

    /// Health check: the server accepts a connection and our password, or the directory can be written.
    ///
    /// # Errors
    /// Why not, with the causes.
    pub async fn probe(&self) -> Result<String, String> {
        match &self.transport {
            Transport::Smtp(server) => match server.transport.test_connection().await {
                Ok(true) => Ok("the SMTP server answers".to_owned()),
                Ok(false) => Err("the SMTP server does not answer".to_owned()),
                Err(e) => Err(server.describe_error(&e)),
            },
            Transport::Files(dir) => {
                let probe = ".probe";
                eml_files::write(dir, probe, Vec::new()).await.map_err(|e| format!("{}: {e}", dir.display()))?;
                let _ = tokio::fs::remove_file(dir.join(probe)).await;
                Ok(format!("emails are files in {}", dir.display()))
            }
        }
    }

    /// Connects and returns how the connection is encrypted; `None` for the file transport.
    ///
    /// # Errors
    /// Why there is no connection, with the causes.
    pub async fn negotiate(&self) -> Result<Option<ConnectionSecurity>, String> {
        match &self.transport {
            Transport::Smtp(server) => server.negotiate().await.map(Some),
            Transport::Files(_) => Ok(None),
        }
    }

    /// Whether the URL disables TLS with `?tls=none`.
    pub fn is_without_tls(&self) -> bool {
        matches!(&self.transport, Transport::Smtp(server) if server.is_without_tls())
    }
}

/// Classifies an SMTP error as retry or permanent. Permanent: the server refuses this mail (5xx), or cannot take its address
/// (no SMTPUTF8). An unreachable or busy server and a refused sign-in are retried.
fn failure(server: &smtp::Server, error: &lettre::transport::smtp::Error, unusual_address: bool) -> Failure {
    let why = server.describe_error(error);
    // 421: closing. 530, 534, 535, 538: our sign-in, which the operator can correct.
    let ours = error.status().map(u16::from).is_some_and(|code| matches!(code, 421 | 530 | 534 | 535 | 538));
    let never = (error.is_permanent() && !ours) || (error.is_client() && unusual_address);
    if never { Failure::Fail(why) } else { Failure::Retry(why) }
}
