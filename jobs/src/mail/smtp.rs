//! SMTP transport: parses the server URL, selects the encryption, and reports what a connection negotiates.
//!
//! A password is only sent over TLS with a verified certificate, unless the URL has `?tls=none`.
use super::MailConfigError;
use domain::kernel::error::causes;
use lettre::{
    AsyncSmtpTransport, Tokio1Executor,
    transport::smtp::{
        self, PoolConfig, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT,
        authentication::Credentials,
        client::{CertificateStore, Tls, TlsParameters},
        extension::ClientId,
    },
};
use percent_encoding::percent_decode_str;
use rustls::{ClientConfig, ProtocolVersion, pki_types::ServerName};
use rustls_platform_verifier::ConfigVerifierExt;
use serde_json::{Map, Value};
use std::{fmt, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use url::Url;

/// Timeout for one SMTP command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);
/// Longest reply line accepted while negotiating, in bytes (RFC 5321 allows 512).
const MAX_REPLY_LINE: u64 = 4096;

/// An SMTP server and its connection pool.
#[derive(Clone, Debug)]
pub struct Server {
    host: String,
    port: u16,
    encryption: Encryption,
    pub transport: AsyncSmtpTransport<Tokio1Executor>,
}

/// How a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encryption {
    /// TLS from the first byte: `smtps://`.
    Tls,
    /// STARTTLS with a verified certificate, or no connection.
    StartTls,
    /// STARTTLS if the server offers it, never with a password. The certificate is not verified: encryption to a relay
    /// with a self-signed certificate is still better than none (RFC 7435).
    Opportunistic,
    /// `?tls=none`.
    None,
}

/// The negotiated encryption of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionSecurity {
    Tls(ProtocolVersion),
    StartTls { version: ProtocolVersion, verified: bool },
    Unencrypted,
}

impl fmt::Display for ConnectionSecurity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tls(version) => f.write_str(tls_version(version)),
            Self::StartTls { version, verified: true } => write!(f, "STARTTLS, {}", tls_version(version)),
            Self::StartTls { version, verified: false } => {
                write!(f, "STARTTLS, {}, certificate not verified", tls_version(version))
            }
            Self::Unencrypted => f.write_str("unencrypted"),
        }
    }
}

impl ConnectionSecurity {
    /// Parameters for the activity entry of a test mail.
    pub fn data(self) -> Map<String, Value> {
        let (encryption, version) = match self {
            Self::Tls(version) => ("tls", Some(version)),
            Self::StartTls { version, verified: true } => ("starttls", Some(version)),
            Self::StartTls { version, verified: false } => ("starttls_unverified", Some(version)),
            Self::Unencrypted => ("none", None),
        };
        let mut data = Map::from_iter([("encryption".to_owned(), encryption.into())]);
        if let Some(version) = version {
            data.insert("tls_version".to_owned(), tls_version(version).into());
        }
        data
    }
}

fn tls_version(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_3 => "TLS 1.3",
        _ => "TLS 1.2",
    }
}

impl Server {
    /// Parses `smtp://user:password@host:587` or `smtps://…`. Does not connect yet.
    ///
    /// # Errors
    /// For a URL or `tls` parameter that is not valid.
    pub fn parse(text: &str) -> Result<Self, MailConfigError> {
        let url = Url::parse(text).map_err(|e| MailConfigError::Server(e.to_string()))?;
        let decoded = |part: &str| {
            let decoded = percent_decode_str(part).decode_utf8().map(|text| text.into_owned());
            decoded.map_err(|e| MailConfigError::Server(e.to_string()))
        };
        let host = host(&decoded(url.host_str().unwrap_or_default())?)?;
        let credentials = match (url.username(), url.password()) {
            ("", _) => None,
            (_, None) => return Err(MailConfigError::Password),
            (user, Some(password)) => Some(Credentials::new(decoded(user)?, decoded(password)?)),
        };
        let encryption = encryption(&url, credentials.is_some())?;
        let usual = match encryption {
            Encryption::Tls => SUBMISSIONS_PORT,
            Encryption::StartTls => SUBMISSION_PORT,
            Encryption::Opportunistic | Encryption::None => SMTP_PORT,
        };
        let port = url.port().unwrap_or(usual);
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&host)
            .port(port)
            .tls(tls(encryption, &host)?)
            .timeout(Some(COMMAND_TIMEOUT))
            .pool_config(PoolConfig::new().max_size(4).idle_timeout(Duration::from_secs(30)));
        if let Some(credentials) = credentials {
            builder = builder.credentials(credentials);
        }
        // The URL's path is the EHLO name, for servers that require another than the host name.
        let name = url.path().trim_matches('/');
        if !name.is_empty() {
            builder = builder.hello_name(ClientId::Domain(name.to_owned()));
        }
        Ok(Self { host, port, encryption, transport: builder.build() })
    }

    /// Whether the URL disables TLS.
    pub fn is_without_tls(&self) -> bool {
        self.encryption == Encryption::None
    }

    /// Describes a transport error with its causes, and with the remedy where it is known.
    pub fn describe_error(&self, error: &smtp::Error) -> String {
        let causes = causes(error);
        if self.encryption == Encryption::StartTls && causes.contains("STARTTLS is not supported") {
            return format!(
                "{}:{} does not offer STARTTLS, and a password is only sent encrypted; use smtps://, or ?tls=none \
                 on a network that only you can read",
                self.host, self.port
            );
        }
        self.refusal(&causes)
    }

    /// Why there is no connection, with the remedy where it is known.
    fn refusal(&self, causes: &str) -> String {
        let remedy = if causes.contains("InvalidContentType") {
            "; this port does not begin with TLS: use smtp://, which upgrades the connection (STARTTLS, port 587)"
        } else if causes.contains("UnknownIssuer") {
            "; its certificate is by an authority that this machine does not know: add that to the system's \
             certificates, or name its file in SSL_CERT_FILE"
        } else {
            ""
        };
        format!("{}:{}: {causes}{remedy}", self.host, self.port)
    }

    /// Connects as for a mail, up to the TLS handshake, and returns the negotiated encryption.
    ///
    /// # Errors
    /// Why there is no connection, with the causes.
    pub async fn negotiate(&self) -> Result<ConnectionSecurity, String> {
        if self.encryption == Encryption::None {
            return Ok(ConnectionSecurity::Unencrypted);
        }
        let negotiated = timeout(COMMAND_TIMEOUT, self.handshake()).await;
        match negotiated {
            Ok(Ok(negotiated)) => Ok(negotiated),
            Ok(Err(e)) => Err(self.refusal(&causes(&e))),
            Err(_) => Err(self.refusal(&format!("no answer within {} seconds", COMMAND_TIMEOUT.as_secs()))),
        }
    }

    async fn handshake(&self) -> std::io::Result<ConnectionSecurity> {
        let mut stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        if self.encryption != Encryption::Tls && !start_tls(&mut stream).await? {
            return if self.encryption == Encryption::Opportunistic {
                Ok(ConnectionSecurity::Unencrypted)
            } else {
                Err(std::io::Error::other("the server does not offer STARTTLS"))
            };
        }
        let verified = self.encryption != Encryption::Opportunistic;
        let name = ServerName::try_from(self.host.clone()).map_err(std::io::Error::other)?;
        let mut stream = TlsConnector::from(Arc::new(client_config(verified)?)).connect(name, stream).await?;
        let version = stream.get_ref().1.protocol_version().unwrap_or(ProtocolVersion::TLSv1_2);
        let _ = stream.write_all(b"QUIT\r\n").await;
        Ok(match self.encryption {
            Encryption::Tls => ConnectionSecurity::Tls(version),
            _ => ConnectionSecurity::StartTls { version, verified },
        })
    }
}

/// Normalises a host for DNS and certificates: punycode, IPv6 without brackets.
fn host(text: &str) -> Result<String, MailConfigError> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if bare.is_empty() {
        return Err(MailConfigError::Server("it names no host".to_owned()));
    }
    if bare.parse::<std::net::IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    idna::domain_to_ascii(bare).map_err(|_| MailConfigError::Server(format!("`{bare}` is no host")))
}

fn encryption(url: &Url, password: bool) -> Result<Encryption, MailConfigError> {
    let wanted = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
    match (url.scheme(), wanted.as_deref(), password) {
        ("smtps", None | Some("required"), _) => Ok(Encryption::Tls),
        ("smtp", None, true) | ("smtp", Some("required"), _) => Ok(Encryption::StartTls),
        ("smtp", None | Some("opportunistic"), false) => Ok(Encryption::Opportunistic),
        ("smtp", Some("none"), _) => Ok(Encryption::None),
        ("smtp" | "smtps", Some(other), _) => Err(MailConfigError::Tls(other.to_owned())),
        (scheme, ..) => Err(MailConfigError::Server(format!("`{scheme}` is neither smtp nor smtps"))),
    }
}

fn tls(encryption: Encryption, host: &str) -> Result<Tls, MailConfigError> {
    let verified = || {
        let parameters = TlsParameters::builder(host.to_owned()).build();
        parameters.map_err(|e| MailConfigError::Certificates(causes(&e)))
    };
    Ok(match encryption {
        Encryption::Tls => Tls::Wrapper(verified()?),
        Encryption::StartTls => Tls::Required(verified()?),
        Encryption::Opportunistic => {
            let unverified = TlsParameters::builder(host.to_owned())
                .certificate_store(CertificateStore::None)
                .dangerous_accept_invalid_certs(true)
                .dangerous_accept_invalid_hostnames(true)
                .build();
            Tls::Opportunistic(unverified.map_err(|e| MailConfigError::Certificates(causes(&e)))?)
        }
        Encryption::None => Tls::None,
    })
}

/// TLS configuration with the same trust as lettre's: the system's certificates and `SSL_CERT_FILE`.
fn client_config(verified: bool) -> std::io::Result<ClientConfig> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    if verified {
        return ClientConfig::with_platform_verifier().map_err(std::io::Error::other);
    }
    let builder = ClientConfig::builder().dangerous().with_custom_certificate_verifier(Arc::new(unverified::Verifier));
    Ok(builder.with_no_client_auth())
}

/// Sends EHLO and STARTTLS; false if the server does not offer it.
async fn start_tls(stream: &mut TcpStream) -> std::io::Result<bool> {
    let mut stream = BufReader::new(stream);
    reply(&mut stream, "220").await?;
    let name = ClientId::default();
    stream.write_all(format!("EHLO {name}\r\n").as_bytes()).await?;
    let offers = reply(&mut stream, "250").await?;
    if !offers.iter().any(|line| line.eq_ignore_ascii_case("STARTTLS")) {
        let _ = stream.write_all(b"QUIT\r\n").await;
        return Ok(false);
    }
    stream.write_all(b"STARTTLS\r\n").await?;
    reply(&mut stream, "220").await?;
    Ok(true)
}

/// Reads a reply with status `code`; returns the texts of its lines.
async fn reply(stream: &mut BufReader<&mut TcpStream>, code: &str) -> std::io::Result<Vec<String>> {
    use tokio::io::AsyncReadExt;
    let mut texts = Vec::new();
    loop {
        let mut line = String::new();
        (&mut *stream).take(MAX_REPLY_LINE).read_line(&mut line).await?;
        let line = line.trim_end();
        let is_code = line.is_char_boundary(3) && line.get(..3) == Some(code);
        if !is_code {
            let said = if line.is_empty() { "closed the connection" } else { line };
            return Err(std::io::Error::other(format!("the server said: {said}")));
        }
        texts.push(line.get(4..).unwrap_or_default().to_owned());
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(texts);
        }
    }
}

/// Accepts every certificate. Only for opportunistic STARTTLS, where the alternative is no encryption.
mod unverified {
    use rustls::{
        DigitallySignedStruct, Error, SignatureScheme,
        client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        crypto::ring::default_provider,
        pki_types::{CertificateDer, ServerName, UnixTime},
    };

    #[derive(Debug)]
    pub struct Verifier;

    impl ServerCertVerifier for Verifier {
        fn verify_server_cert(
            &self,
            _: &CertificateDer<'_>,
            _: &[CertificateDer<'_>],
            _: &ServerName<'_>,
            _: &[u8],
            _: UnixTime,
        ) -> Result<ServerCertVerified, Error> {
            Ok(ServerCertVerified::assertion())
        }

        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            let algorithms = default_provider().signature_verification_algorithms;
            rustls::crypto::verify_tls12_signature(message, certificate, signed, &algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            let algorithms = default_provider().signature_verification_algorithms;
            rustls::crypto::verify_tls13_signature(message, certificate, signed, &algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            default_provider().signature_verification_algorithms.supported_schemes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn passwords_require_tls_unless_the_url_disables_it() {
        use Encryption::{None as Plain, Opportunistic, StartTls, Tls};
        for (url, encryption, host, port) in [
            ("smtp://user:secret@mail.example.com:2525", StartTls, "mail.example.com", 2525),
            ("smtp://user:secret@mail.example.com", StartTls, "mail.example.com", 587),
            ("smtp://user:secret@mail.example.com?tls=required", StartTls, "mail.example.com", 587),
            ("smtp://user:secret@mail.example.com?tls=none", Plain, "mail.example.com", 25),
            ("smtp://mail.example.com", Opportunistic, "mail.example.com", 25),
            ("smtp://mail.example.com?tls=opportunistic", Opportunistic, "mail.example.com", 25),
            ("smtp://mail.example.com?tls=required", StartTls, "mail.example.com", 587),
            ("smtps://user:secret@mail.example.com", Tls, "mail.example.com", 465),
            ("smtps://[::1]:2465", Tls, "::1", 2465),
            ("smtp://user:secret@müller.example", StartTls, "xn--mller-kva.example", 587),
        ] {
            let server = Server::parse(url).unwrap();
            assert_eq!((server.encryption, server.host.as_str(), server.port), (encryption, host, port), "{url}");
        }
        let server = Server::parse("smtps://mail.example.com:25").unwrap();
        assert!(server.refusal("received corrupt message of type InvalidContentType").ends_with("port 587)"));
        assert!(server.refusal("invalid peer certificate: UnknownIssuer").contains("SSL_CERT_FILE"));
        assert_eq!(server.refusal("connection refused"), "mail.example.com:25: connection refused");
        for bad in [
            "smtp://user:secret@mail.example.com?tls=opportunistic",
            "smtps://mail.example.com?tls=none",
            "smtp://mail.example.com?tls=off",
            "smtp://user@mail.example.com",
            "smtp:///",
            "http://mail.example.com",
            "mail.example.com",
        ] {
            assert!(Server::parse(bad).is_err(), "{bad}");
        }
    }
}
