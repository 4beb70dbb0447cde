//! Mail transport: an SMTP server, or one `.eml` file for each mail when none is configured.
use crate::templates::Letter;
use chrono::{DateTime, Utc};
use domain::queue::worker::Failure;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    address::Address,
    message::{
        Attachment, Mailbox, MultiPart, SinglePart,
        header::{Header, HeaderName, HeaderValue},
    },
    transport::smtp::{self, PoolConfig},
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::io::AsyncWriteExt;

/// How long a server may take for one command before the attempt counts as failed.
const SMTP_TIMEOUT: Duration = Duration::from_secs(20);

/// Where mails go.
#[derive(Clone, Debug)]
pub struct Mailer {
    from: Mailbox,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Files(PathBuf),
}

/// A transport that cannot be made from what was configured.
#[derive(Debug, thiserror::Error)]
pub enum Misconfigured {
    #[error("is not a sender like `SPV Portal <portal@example.com>`: {0}")]
    Sender(#[from] lettre::address::AddressError),
    #[error("is not an address like `smtp://user:password@host:587` or `smtps://host`: {0}")]
    Server(#[from] smtp::Error),
}

/// Reads a sender, `Name <address>` or only an address.
///
/// # Errors
/// When it is neither.
pub fn sender(text: &str) -> Result<Mailbox, Misconfigured> {
    // A name as people write it, `Acme, Inc.`, is none that lettre reads until it is quoted; it quotes what it writes.
    let (name, address) = match text.trim().rsplit_once('<') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix('>').unwrap_or_default()),
        None => ("", text),
    };
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    let address: Address = address.trim().parse()?;
    Ok(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address))
}

impl Mailer {
    /// Sends through the server at `url`. Nothing is connected yet.
    ///
    /// # Errors
    /// When the address makes no sense.
    pub fn smtp(url: &str, from: Mailbox) -> Result<Self, Misconfigured> {
        let pool = PoolConfig::new().max_size(4).idle_timeout(Duration::from_secs(30));
        let transport =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(url)?.timeout(Some(SMTP_TIMEOUT)).pool_config(pool).build();
        Ok(Self { from, way: Way::Smtp(transport) })
    }

    /// Writes mails into `dir`.
    pub fn files(dir: &Path, from: Mailbox) -> Self {
        Self { from, way: Way::Files(dir.to_owned()) }
    }

    /// Sends one mail, dated `now`, from `sender` or else from whom the operator configured.
    ///
    /// # Errors
    /// [`Failure::Never`] when the server refuses this mail or an address cannot be written, else
    /// [`Failure::Later`].
    pub async fn send(&self, letter: &Letter, sender: Option<&str>, now: DateTime<Utc>) -> Result<(), Failure> {
        let message = self
            .message(letter, sender, now)
            .map_err(|e| Failure::Never(format!("cannot be written as a mail: {e}")))?;
        match &self.way {
            Way::Smtp(transport) => transport.send(message).await.map(drop).map_err(|e| decide(&e)),
            Way::Files(dir) => write(dir, &name(letter, now), &message.formatted())
                .await
                .map_err(|e| Failure::Later(format!("{}: {e}", dir.display()))),
        }
    }

    /// Whether mails would leave right now: the server greets, or the folder can be written.
    ///
    /// # Errors
    /// Why not.
    pub async fn probe(&self) -> Result<String, String> {
        match &self.way {
            Way::Smtp(transport) => match transport.test_connection().await {
                Ok(true) => Ok("the SMTP server answers".to_owned()),
                Ok(false) => Err("the SMTP server does not answer".to_owned()),
                Err(e) => Err(told(&e)),
            },
            Way::Files(dir) => {
                let probe = ".probe";
                write(dir, probe, b"").await.map_err(|e| format!("{}: {e}", dir.display()))?;
                let _ = tokio::fs::remove_file(dir.join(probe)).await;
                Ok(format!("mails are files in {}", dir.display()))
            }
        }
    }

    fn message(
        &self,
        letter: &Letter,
        sender: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Message, Box<dyn std::error::Error + Send + Sync>> {
        let to = Mailbox::new(Some(letter.to_name.clone()), letter.to_email.parse::<Address>()?);
        Ok(Message::builder()
            .message_id(Some(letter.message_id.clone()))
            .date(now.into())
            .from(sender.and_then(|text| self::sender(text).ok()).unwrap_or_else(|| self.from.clone()))
            .to(to)
            .subject(letter.subject.clone())
            .header(AutoSubmitted)
            .multipart(body(letter)?)?)
    }
}

/// The text, and the same as HTML. A logo goes along inside: mail programs load nothing from elsewhere unasked.
fn body(letter: &Letter) -> Result<MultiPart, Box<dyn std::error::Error + Send + Sync>> {
    let Some(logo) = &letter.logo else {
        return Ok(MultiPart::alternative_plain_html(letter.text.clone(), letter.html.clone()));
    };
    let picture = Attachment::new_inline("logo".to_owned()).body(logo.bytes.clone(), logo.media_type.parse()?);
    let html = MultiPart::related().singlepart(SinglePart::html(letter.html.clone())).singlepart(picture);
    Ok(MultiPart::alternative().singlepart(SinglePart::plain(letter.text.clone())).multipart(html))
}

/// A refusal of this one mail is final. A server that is away, busy, or does not know us may come round.
fn decide(error: &smtp::Error) -> Failure {
    let why = told(error);
    // 421: closing; 530, 534, 535, 538: our sign-in, which the operator can put right.
    let ours = error.status().map(u16::from).is_some_and(|code| matches!(code, 421 | 530 | 534 | 535 | 538));
    if error.is_permanent() && !ours { Failure::Never(why) } else { Failure::Later(why) }
}

/// The error with its causes, in one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Sorted by time; the kind says what it is, the end of the Message-ID tells two of one moment apart.
fn name(letter: &Letter, now: DateTime<Utc>) -> String {
    let id: String = letter.message_id.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    format!("{}-{}-{id}.eml", now.format("%Y%m%dT%H%M%S%.3fZ"), letter.kind.name())
}

/// Whoever reads the folder sees the whole file or none. Nobody does but the account that we run as: a mail may hold a
/// link that signs its reader in.
async fn write(dir: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    let mut folder = tokio::fs::DirBuilder::new();
    let mut file = tokio::fs::OpenOptions::new();
    #[cfg(unix)]
    {
        folder.mode(0o700);
        file.mode(0o600);
    }
    folder.recursive(true).create(dir).await?;
    let unfinished = dir.join(format!(".{name}.part"));
    let mut written = file.write(true).create(true).truncate(true).open(&unfinished).await?;
    written.write_all(content).await?;
    written.flush().await?;
    tokio::fs::rename(&unfinished, dir.join(name)).await
}

/// Tells other machines not to answer (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_has_a_name_as_people_write_it_or_none() {
        for (text, name, address) in [
            ("office@example.com", None, "office@example.com"),
            ("Northern <office@example.com>", Some("Northern"), "office@example.com"),
            ("Acme, Inc. <a@example.com>", Some("Acme, Inc."), "a@example.com"),
            ("\"Acme, Inc.\" <a@example.com>", Some("Acme, Inc."), "a@example.com"),
        ] {
            let found = sender(text).unwrap();
            assert_eq!((found.name.as_deref(), found.email.to_string().as_str()), (name, address));
        }
        for bad in ["", "Northern", "Northern <office>", "Acme, Inc. <a@example.com> x"] {
            assert!(sender(bad).is_err(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_mail_in_a_folder_is_for_nobody_else_on_the_machine() {
        use std::os::unix::fs::PermissionsExt;
        let world = domain::testing::World::sqlite().await;
        let dir = world.dir.0.join("data").join("mail");
        write(&dir, "a.eml", b"a link").await.unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join("a.eml"))), (0o700, 0o600));
        assert_eq!(std::fs::read(dir.join("a.eml")).unwrap(), b"a link");
    }
}
