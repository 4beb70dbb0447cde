//! Where the portal listens: an address, a Unix socket, or a socket that systemd passes.
use crate::exit::{Failure, Result};
use api::Listener;
use listenfd::ListenFd;
use std::{
    fmt, fs, io,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    str::FromStr,
};
use tokio::net::{TcpListener, UnixListener};

/// Value of `SPV_LISTEN`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    Address(SocketAddr),
    Unix(PathBuf),
    /// Socket activation: the first socket of the unit's `.socket` file.
    Systemd,
}

/// What the setting allows, for its error.
pub const ALLOWED: &str =
    "an address with a port, like 127.0.0.1:8080, a socket, like unix:/run/spv/portal.sock, or systemd";

impl FromStr for Listen {
    type Err = ();

    /// `localhost:8080` is this machine, `:8080` all addresses.
    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        if text == "systemd" {
            return Ok(Self::Systemd);
        }
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.starts_with('/') { Ok(Self::Unix(path.into())) } else { Err(()) };
        }
        let port = |text: &str| text.parse::<u16>().map_err(|_| ());
        let address = match text.split_once(':') {
            Some(("localhost", rest)) => SocketAddr::from((Ipv4Addr::LOCALHOST, port(rest)?)),
            Some(("", rest)) if !rest.contains(':') => SocketAddr::from((Ipv4Addr::UNSPECIFIED, port(rest)?)),
            _ => text.parse().map_err(|_| ())?,
        };
        Ok(Self::Address(address))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Systemd => f.write_str("systemd"),
        }
    }
}

impl Listen {
    pub fn address(&self) -> Option<SocketAddr> {
        if let Self::Address(address) = self { Some(*address) } else { None }
    }

    /// Begins to listen. A socket file that no process listens on is replaced.
    ///
    /// # Errors
    /// Refused with the reason.
    pub async fn bind(&self) -> Result<Bound> {
        let refused = |e: io::Error| Failure::Refused(format!("listen: {self} cannot be listened on: {e}"));
        Ok(match self {
            Self::Address(address) => {
                let listener = TcpListener::bind(address).await.map_err(refused)?;
                let address = listener.local_addr()?;
                Bound { listener: Listener::Tcp(listener), address: Some(address), file: None }
            }
            Self::Unix(path) => {
                let (listener, file) = bind_unix(path).map_err(refused)?;
                Bound { listener: Listener::Unix(listener), address: None, file: Some(file) }
            }
            Self::Systemd => passed_by_systemd().map_err(refused)?,
        })
    }
}

/// A listener that was bound.
pub struct Bound {
    pub listener: Listener,
    pub address: Option<SocketAddr>,
    /// Removed when the portal ends.
    pub file: Option<SocketFile>,
}

/// A socket file of this process, removed with it.
pub struct SocketFile {
    path: PathBuf,
    /// Device, inode and time of change: a process that started later may have replaced the file, and inodes are reused.
    identity: (u64, u64, i64, i64),
}

impl SocketFile {
    fn identity(path: &Path) -> io::Result<(u64, u64, i64, i64)> {
        fs::symlink_metadata(path).map(|found| (found.dev(), found.ino(), found.ctime(), found.ctime_nsec()))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if Self::identity(&self.path).is_ok_and(|found| found == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Binds the socket. A lock beside it is held meanwhile: of two processes that start at once, one would remove the socket
/// of the other.
fn bind_unix(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    let lock = fs::File::create(lock)?;
    lock.lock()?;
    if let Ok(found) = fs::metadata(path) {
        if !found.file_type().is_socket() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another file is there"));
        }
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens there"));
        }
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    // The proxy is in the group of the portal; the folder keeps everyone else out.
    fs::set_permissions(path, fs::Permissions::from_mode(0o660))?;
    Ok((listener, SocketFile { path: path.to_owned(), identity: SocketFile::identity(path)? }))
}

fn passed_by_systemd() -> io::Result<Bound> {
    let mut passed = ListenFd::from_env();
    if let Ok(Some(listener)) = passed.take_unix_listener(0) {
        listener.set_nonblocking(true)?;
        let listener = Listener::Unix(UnixListener::from_std(listener)?);
        return Ok(Bound { listener, address: None, file: None });
    }
    let none = "systemd passed no socket; start the unit spv.socket, which starts the portal";
    let listener = passed.take_tcp_listener(0)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, none))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok(Bound { listener: Listener::Tcp(TcpListener::from_std(listener)?), address: Some(address), file: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn socket_file_of_a_successor_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("portal.sock");
        let listen = Listen::Unix(path.clone());
        let first = listen.bind().await.expect("it is free");
        assert!(listen.bind().await.is_err(), "another process listens there");
        fs::remove_file(&path).expect("it is there");
        let second = listen.bind().await.expect("it is free");
        drop(first.file);
        assert!(path.exists());
        drop(second.file);
        assert!(!path.exists());
    }

    #[test]
    fn listen_is_parsed_and_printed() {
        for (text, printed) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("[::1]:8080", "[::1]:8080"),
            ("localhost:9131", "127.0.0.1:9131"),
            (":9131", "0.0.0.0:9131"),
            ("unix:/run/spv/portal.sock", "unix:/run/spv/portal.sock"),
            ("systemd", "systemd"),
        ] {
            assert_eq!(text.parse::<Listen>().map(|listen| listen.to_string()), Ok(printed.to_owned()));
        }
        for refused in ["", "8080", "localhost", "localhost:x", "unix:portal.sock", "unix:", "example.com:80", ":70000"]
        {
            assert_eq!(refused.parse::<Listen>(), Err(()), "{refused}");
        }
    }
}
