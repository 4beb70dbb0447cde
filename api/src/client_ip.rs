//! Client IP: the peer's address, or `X-Forwarded-For` as far as trusted proxies wrote it.
use axum::http::HeaderMap;
pub use domain::kernel::network::Network;
use std::net::{IpAddr, SocketAddr};

/// The last hop outside `trusted`. Each proxy appends the address of its peer, so entries before an untrusted hop may be
/// forged.
pub fn resolve(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(peer) {
        return peer;
    }
    let mut nearest = peer;
    let lines = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    for hop in lines.flat_map(|line| line.split(',')).collect::<Vec<_>>().into_iter().rev() {
        let Some(address) = parse_hop(hop.trim()) else { break };
        nearest = address.to_canonical();
        if !is_trusted(nearest) {
            break;
        }
    }
    nearest
}

/// Parses an address as proxies write it: with or without a port, IPv6 with or without brackets.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<Network> = trusted.iter().map(|n| n.parse().unwrap()).collect();
        resolve(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn untrusted_peers_cannot_forge_a_client_ip() {
        assert_eq!(resolved("203.0.113.9", &["10.1.1.1"], &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(resolved("203.0.113.9", &["10.1.1.1"], &[]), "203.0.113.9");
    }

    #[test]
    fn only_trusted_proxies_are_skipped() {
        let ours = ["10.0.0.0/8", "::1"];
        assert_eq!(resolved("10.0.0.2", &["6.6.6.6, 198.51.100.7, 10.0.0.1"], &ours), "198.51.100.7");
        assert_eq!(resolved("::1", &["6.6.6.6", "198.51.100.7"], &ours), "198.51.100.7");
        assert_eq!(resolved("10.0.0.2", &["6.6.6.6, 198.51.100.7:4711, 10.0.0.1:80"], &ours), "198.51.100.7");
        assert_eq!(resolved("10.0.0.2", &["[2001:db8::7]:4711, [::1]"], &ours), "2001:db8::7");
        assert_eq!(resolved("10.0.0.2", &[], &ours), "10.0.0.2");
        assert_eq!(resolved("10.0.0.2", &["nonsense"], &ours), "10.0.0.2");
        assert_eq!(resolved("::ffff:10.0.0.2", &["198.51.100.7"], &ours), "198.51.100.7");
    }
}
