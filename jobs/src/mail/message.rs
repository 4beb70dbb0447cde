//! Builds the MIME message: addresses, headers, text and HTML parts.
use super::Sender;
use crate::templates::RenderedMail;
use chrono::{DateTime, Utc};
use lettre::{
    Message,
    address::{Address, AddressError},
    message::{
        Attachment, Body, Mailbox, MultiPart, SinglePart,
        header::{ContentTransferEncoding, ContentType, Header, HeaderName, HeaderValue},
    },
};

type BuildError = Box<dyn std::error::Error + Send + Sync>;

/// Parses a sender: `Name <address>` or an address alone.
///
/// # Errors
/// When it is neither.
pub fn sender(text: &str) -> Result<Mailbox, super::MailConfigError> {
    // lettre parses a name with a comma, as in `Acme, Inc.`, only when it is quoted. It quotes on output.
    let (name, address_text) = match text.trim().rsplit_once('<') {
        Some((name, rest)) => (name.trim(), rest.strip_suffix('>').unwrap_or_default()),
        None => ("", text),
    };
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    Ok(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address(address_text.trim())?))
}

/// An address with its domain in punycode, which every server accepts.
fn address(text: &str) -> Result<Address, AddressError> {
    let (local, domain) = text.rsplit_once('@').ok_or(AddressError::MissingParts)?;
    if domain.is_ascii() {
        return Address::new(local, domain);
    }
    Address::new(local, idna::domain_to_ascii(domain).map_err(|_| AddressError::InvalidDomain)?)
}

/// Builds the message, dated `now`.
///
/// # Errors
/// For an address that is not valid, or a logo of an unknown media type.
pub fn build(
    rendered: &RenderedMail,
    from: &Mailbox,
    office: Sender<'_>,
    now: DateTime<Utc>,
    transport: Encoding,
) -> Result<Message, BuildError> {
    let to = Mailbox::new(Some(rendered.to_name.clone()), address(&rendered.to_email)?);
    let mut message = Message::builder()
        .message_id(Some(rendered.message_id.clone()))
        .date(now.into())
        .from(office.from.and_then(|text| sender(text).ok()).unwrap_or_else(|| from.clone()))
        .to(to)
        .subject(rendered.subject.clone())
        .header(AutoSubmitted);
    if let Some(support) = office.reply_to.and_then(|support| address(support).ok()) {
        message = message.reply_to(Mailbox::new(None, support));
    }
    if let Some(link) = &rendered.unsubscribe {
        message = message.header(ListUnsubscribe(link.clone())).header(ListUnsubscribePost);
    }
    Ok(message.multipart(body(rendered, transport)?)?)
}

/// How texts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// So that every server passes them on: quoted-printable where needed.
    Portable,
    /// As they are, so that a person can read and copy them.
    Readable,
}

/// Longest line of a text that is written as it is (RFC 5322, 2.1.1).
const MAX_LINE: usize = 998;

/// Text and HTML alternatives. The logo is an inline attachment, as mail programs block remote images.
fn body(rendered: &RenderedMail, encoding: Encoding) -> Result<MultiPart, BuildError> {
    let plain = part(&rendered.text, ContentType::TEXT_PLAIN, encoding);
    let html = part(&rendered.html, ContentType::TEXT_HTML, encoding);
    let Some(logo) = &rendered.logo else {
        return Ok(MultiPart::alternative().singlepart(plain).singlepart(html));
    };
    let picture = Attachment::new_inline("logo".to_owned()).body(logo.bytes.clone(), logo.media_type.parse()?);
    let html = MultiPart::related().singlepart(html).singlepart(picture);
    Ok(MultiPart::alternative().singlepart(plain).multipart(html))
}

fn part(text: &str, kind: ContentType, encoding: Encoding) -> SinglePart {
    let part = SinglePart::builder().header(kind);
    if encoding == Encoding::Readable && text.lines().all(|line| line.len() <= MAX_LINE) {
        let lines: String = text.lines().map(|line| format!("{line}\r\n")).collect();
        return part.body(Body::dangerous_pre_encoded(lines.into_bytes(), ContentTransferEncoding::EightBit));
    }
    part.body(text.to_owned())
}

/// Defines a header that is only written.
macro_rules! header {
    ($(#[$doc:meta])* $type:ident$(($field:ty))?, $name:literal, |$this:ident| $value:expr) => {
        $(#[$doc])*
        #[derive(Clone)]
        struct $type$(($field))?;

        impl Header for $type {
            fn name() -> HeaderName {
                HeaderName::new_from_ascii_str($name)
            }

            fn parse(_: &str) -> Result<Self, BuildError> {
                Err("not read".into())
            }

            fn display(&self) -> HeaderValue {
                let $this = self;
                HeaderValue::new(Self::name(), $value)
            }
        }
    };
}

header!(
    /// Suppresses automatic replies (RFC 3834).
    AutoSubmitted, "Auto-Submitted", |_this| "auto-generated".to_owned()
);
header!(
    /// Unsubscribe link for this kind of mail (RFC 2369).
    ListUnsubscribe(String), "List-Unsubscribe", |this| format!("<{}>", this.0)
);
header!(
    /// One-click unsubscribe by POST (RFC 8058).
    ListUnsubscribePost, "List-Unsubscribe-Post", |_this| "List-Unsubscribe=One-Click".to_owned()
);

#[cfg(test)]
mod tests {
    use super::*;
    use domain::outbox::mails::Kind;

    #[test]
    fn senders_parse_with_and_without_a_name() {
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

    fn rendered() -> RenderedMail {
        RenderedMail {
            kind: Kind::Notices,
            to_name: "Jürgen Müller".to_owned(),
            to_email: "info@müller.example".to_owned(),
            message_id: "<1@portal.example.com>".to_owned(),
            subject: "News".to_owned(),
            text: "text".to_owned(),
            html: "<p>text</p>".to_owned(),
            logo: None,
            unsubscribe: None,
        }
    }

    fn formatted(rendered: &RenderedMail, office: Sender<'_>) -> String {
        let from = sender("Büro <office@münchen.example>").unwrap();
        String::from_utf8(build(rendered, &from, office, DateTime::UNIX_EPOCH, Encoding::Portable).unwrap().formatted())
            .unwrap()
    }

    #[test]
    fn domains_are_sent_as_punycode() {
        let office = Sender { from: Some("Office <office@münchen.example>"), reply_to: Some("hilfe@日本.example") };
        let mail = formatted(&rendered(), office);
        for line in
            ["info@xn--mller-kva.example", "office@xn--mnchen-3ya.example", "Reply-To: hilfe@xn--wgv71a.example"]
        {
            assert!(mail.contains(line), "{line}: {mail}");
        }
        let from = sender("Büro <office@münchen.example>").unwrap();
        let message = build(&rendered(), &from, Sender::default(), DateTime::UNIX_EPOCH, Encoding::Portable).unwrap();
        let addresses = message.envelope().to().iter().chain(message.envelope().from());
        assert!(addresses.map(ToString::to_string).all(|address| address.is_ascii()));
    }

    #[test]
    fn reply_to_and_unsubscribe_headers_are_set_when_configured() {
        let plain = formatted(&rendered(), Sender::default());
        for header in ["Reply-To", "List-Unsubscribe"] {
            assert!(!plain.contains(header), "{plain}");
        }
        let link = "https://portal.example.com/unsubscribe?token=abc".to_owned();
        let rendered = RenderedMail { unsubscribe: Some(link), ..rendered() };
        let mail = formatted(&rendered, Sender { from: None, reply_to: Some("support@example.com") });
        for line in [
            "Reply-To: support@example.com\r\n",
            "List-Unsubscribe: <https://portal.example.com/unsubscribe?token=abc>\r\n",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
            "Auto-Submitted: auto-generated\r\n",
        ] {
            assert!(mail.contains(line), "{line}: {mail}");
        }
    }

    #[test]
    fn files_are_readable_where_lines_allow_it() {
        let from = sender("office@example.com").unwrap();
        let mut mail = rendered();
        mail.text = format!("https://portal.example.com/auth?token_hash={}", "x".repeat(120));
        let written = |mail: &RenderedMail, encoding| {
            let message = build(mail, &from, Sender::default(), DateTime::UNIX_EPOCH, encoding).unwrap();
            String::from_utf8(message.formatted()).unwrap()
        };
        assert!(!written(&mail, Encoding::Portable).contains(&mail.text));
        let readable = written(&mail, Encoding::Readable);
        assert!(readable.contains(&mail.text) && readable.contains("Content-Transfer-Encoding: 8bit"), "{readable}");
        mail.text = "x".repeat(MAX_LINE + 1);
        assert!(!written(&mail, Encoding::Readable).contains(&mail.text), "no line is longer than mail allows");
    }
}
