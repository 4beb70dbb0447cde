//! Whose address a request comes from: the peer's, or what a trusted proxy says of it.
use axum::http::HeaderMap;
pub use domain::kernel::network::Network;
use std::net::{IpAddr, SocketAddr};

/// The last hop that is not one of `trusted`: each proxy appends whom it heard from, and only what ours append
/// is believed.
pub fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let ours = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    if !ours(peer) {
        return peer;
    }
    let mut nearest = peer;
    let lines = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    for hop in lines.flat_map(|line| line.split(',')).collect::<Vec<_>>().into_iter().rev() {
        let Some(address) = read(hop.trim()) else { break };
        nearest = address.to_canonical();
        if !ours(nearest) {
            break;
        }
    }
    nearest
}

/// An address as proxies write it, some with the port and some an IPv6 one in brackets.
fn read(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<Network> = trusted.iter().map(|n| n.parse().unwrap()).collect();
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_claim_an_address() {
        assert_eq!(seen("203.0.113.9", &["10.1.1.1"], &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("203.0.113.9", &["10.1.1.1"], &[]), "203.0.113.9");
    }

    #[test]
    fn proxies_of_ours_are_walked_through_and_only_they() {
        let ours = ["10.0.0.0/8", "::1"];
        assert_eq!(seen("10.0.0.2", &["6.6.6.6, 198.51.100.7, 10.0.0.1"], &ours), "198.51.100.7");
        assert_eq!(seen("::1", &["6.6.6.6", "198.51.100.7"], &ours), "198.51.100.7");
        assert_eq!(seen("10.0.0.2", &["6.6.6.6, 198.51.100.7:4711, 10.0.0.1:80"], &ours), "198.51.100.7");
        assert_eq!(seen("10.0.0.2", &["[2001:db8::7]:4711, [::1]"], &ours), "2001:db8::7");
        assert_eq!(seen("10.0.0.2", &[], &ours), "10.0.0.2");
        assert_eq!(seen("10.0.0.2", &["nonsense"], &ours), "10.0.0.2");
        assert_eq!(seen("::ffff:10.0.0.2", &["198.51.100.7"], &ours), "198.51.100.7");
    }
}
