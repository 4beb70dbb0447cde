//! Where connections come from: TCP, or a Unix socket for a proxy on the same machine.
use std::{
    io,
    net::{IpAddr, Ipv4Addr},
};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

pub type Stream = Either<TcpStream, UnixStream>;

/// A Unix socket has no addresses: its peer, a proxy on this machine, counts as loopback.
const UNIX_PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

impl Listener {
    /// Accepts a connection; the address is its peer's.
    ///
    /// # Errors
    /// As the system: usually for want of file descriptors.
    pub(crate) async fn accept(&self) -> io::Result<(Stream, IpAddr)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok((tcp(stream), peer.ip().to_canonical()))
            }
            Self::Unix(listener) => Ok((Either::Right(listener.accept().await?.0), UNIX_PEER)),
        }
    }

    /// Closes the listener and hands over the connections that wait in its backlog, which closing alone would reset.
    ///
    /// # Errors
    /// When the listener cannot be taken from the runtime.
    pub(crate) fn close(self, mut accepted: impl FnMut(Stream, IpAddr)) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => {
                let listener = listener.into_std()?;
                while let Ok((stream, peer)) = listener.accept() {
                    stream.set_nonblocking(true)?;
                    accepted(tcp(TcpStream::from_std(stream)?), peer.ip().to_canonical());
                }
            }
            Self::Unix(listener) => {
                let listener = listener.into_std()?;
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true)?;
                    accepted(Either::Right(UnixStream::from_std(stream)?), UNIX_PEER);
                }
            }
        }
        Ok(())
    }
}

fn tcp(stream: TcpStream) -> Stream {
    // Responses are written whole: Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    Either::Left(stream)
}
