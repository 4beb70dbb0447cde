//! Antivirus scanner: a client of clamd, the daemon of ClamAV. The only module that knows its protocol.
use crate::kernel::error::{Error, Result};
use bytes::Bytes;
use clamav_client::tokio::{Socket, Tcp, ping, scan_stream};
use futures::{Stream, TryStreamExt};
use std::{io, path::PathBuf, str::FromStr, time::Duration};
use tokio::time::timeout;

/// Timeout of one scan.
const SCAN_TIMEOUT: Duration = Duration::from_secs(100);
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The address of clamd: `host:port`, or the path of its socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanner {
    Tcp(String),
    Socket(PathBuf),
}

/// The result of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Clean,
    /// With the name of the signature.
    Infected(String),
}

impl FromStr for Scanner {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let path = text.strip_prefix("unix:").unwrap_or(text);
        if path.starts_with('/') {
            return Ok(Self::Socket(path.into()));
        }
        let (host, port) = text.rsplit_once(':').ok_or(())?;
        match port.parse::<u16>() {
            Ok(1..) if !host.is_empty() => Ok(Self::Tcp(text.to_owned())),
            _ => Err(()),
        }
    }
}

impl Scanner {
    /// Scans a stream; holds a few kilobytes in memory.
    ///
    /// # Errors
    /// Unavailable when the scanner cannot be reached or returns no result, for example above its size limit.
    pub async fn scan(&self, content: impl Stream<Item = Result<Bytes>> + Send) -> Result<Verdict> {
        let content = content.map_err(io::Error::other);
        let response = async {
            match self {
                Self::Tcp(host_address) => scan_stream(content, Tcp { host_address }, None).await,
                Self::Socket(socket_path) => scan_stream(content, Socket { socket_path }, None).await,
            }
        };
        let answer = timeout(SCAN_TIMEOUT, response).await.map_err(|_| self.unavailable("it takes too long"))?;
        let answer = answer.map_err(|e| self.unavailable(e))?;
        self.verdict(&String::from_utf8_lossy(&answer))
    }

    fn verdict(&self, answer: &str) -> Result<Verdict> {
        let answer = answer.trim_end_matches(['\0', '\n']);
        let result = answer.strip_prefix("stream: ").unwrap_or(answer);
        match result.strip_suffix(" FOUND") {
            Some(name) => Ok(Verdict::Infected(name.to_owned())),
            None if result == "OK" => Ok(Verdict::Clean),
            None => Err(self.unavailable(result)),
        }
    }

    /// Health check: pings clamd.
    ///
    /// # Errors
    /// Unavailable, with the reason.
    pub async fn probe(&self) -> Result<()> {
        let response = async {
            match self {
                Self::Tcp(host_address) => ping(Tcp { host_address }).await,
                Self::Socket(socket_path) => ping(Socket { socket_path }).await,
            }
        };
        let answer = timeout(PING_TIMEOUT, response).await.map_err(|_| self.unavailable("no answer"))?;
        let answer = answer.map_err(|e| self.unavailable(e))?;
        if answer.starts_with(b"PONG") { Ok(()) } else { Err(self.unavailable("it answers something else")) }
    }

    /// The address, for messages.
    pub fn location(&self) -> String {
        match self {
            Self::Tcp(address) => address.clone(),
            Self::Socket(path) => path.display().to_string(),
        }
    }

    fn unavailable(&self, why: impl std::fmt::Display) -> Error {
        Error::Unavailable(format!("the virus scanner at {}: {why}", self.location()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_host_and_port_or_socket_path() {
        assert_eq!("127.0.0.1:3310".parse(), Ok(Scanner::Tcp("127.0.0.1:3310".to_owned())));
        assert_eq!("unix:/run/clamd.ctl".parse(), Ok(Scanner::Socket("/run/clamd.ctl".into())));
        assert_eq!("/run/clamd.ctl".parse(), Ok(Scanner::Socket("/run/clamd.ctl".into())));
        for wrong in ["", "clamd", ":3310", "clamd:0", "clamd:99999", "unix:clamd"] {
            assert_eq!(wrong.parse::<Scanner>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn unclear_responses_are_unavailable() {
        let scanner = Scanner::Tcp("clamd:3310".to_owned());
        assert_eq!(scanner.verdict("stream: OK\0").unwrap(), Verdict::Clean);
        let found = Verdict::Infected("Eicar-Test-Signature".to_owned());
        assert_eq!(scanner.verdict("stream: Eicar-Test-Signature FOUND\0").unwrap(), found);
        for unclear in ["INSTREAM size limit exceeded. ERROR\0", "", "stream: Can't allocate memory ERROR OK it is not"]
        {
            assert!(matches!(scanner.verdict(unclear), Err(Error::Unavailable(_))), "{unclear}");
        }
    }
}
