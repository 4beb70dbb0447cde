//! Whose address a request comes from: the peer's, or what a trusted proxy says of it.
use axum::http::HeaderMap;
use std::{net::IpAddr, str::FromStr};

/// A network of proxies whose `X-Forwarded-For` is believed: `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: u128,
    mask: u128,
}

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.base
    }
}

impl FromStr for Network {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a network such as 10.0.0.0/8 or ::1");
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().map_err(|_| wrong())?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let (most, before) = if address.is_ipv4() { (32, 96) } else { (128, 0) };
        let length = length.unwrap_or(most);
        if length > most {
            return Err(wrong());
        }
        let mask = u128::MAX.checked_shl(128 - (before + length)).unwrap_or(0);
        Ok(Self { base: bits(address) & mask, mask })
    }
}

/// Both families in one number line: IPv4 lives where IPv6 maps it.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().into(),
        IpAddr::V6(v6) => v6.into(),
    }
}

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
        let Ok(address) = hop.trim().parse::<IpAddr>() else { break };
        nearest = address.to_canonical();
        if !ours(nearest) {
            break;
        }
    }
    nearest
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
        assert_eq!(seen("10.0.0.2", &[], &ours), "10.0.0.2");
        assert_eq!(seen("10.0.0.2", &["nonsense"], &ours), "10.0.0.2");
        assert_eq!(seen("::ffff:10.0.0.2", &["198.51.100.7"], &ours), "198.51.100.7");
    }

    #[test]
    fn networks_are_read_or_refused_by_name() {
        assert!("10.0.0.0/8".parse::<Network>().unwrap().contains("10.200.1.1".parse().unwrap()));
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("8.8.8.8".parse().unwrap()));
        assert!(!"0.0.0.0/0".parse::<Network>().unwrap().contains("2001:db8::1".parse().unwrap()));
        assert!("::/0".parse::<Network>().unwrap().contains("8.8.8.8".parse().unwrap()));
        for wrong in ["10.0.0.0/33", "ten", "10.0.0.0/x", ""] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
