//! Internet addresses and networks of them.
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A network such as `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: u128,
    mask: u128,
    /// As it was written: of the family of its address.
    first: IpAddr,
    length: u32,
}

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.base
    }

    /// Whether it has every address there is, or every one of IPv4.
    pub fn is_everybody(&self) -> bool {
        self.length == 0 || [Ipv4Addr::UNSPECIFIED, Ipv4Addr::BROADCAST].into_iter().all(|v4| self.contains(v4.into()))
    }

    /// Whether it has many addresses that anybody on the internet may hold: as a proxy, each of them would be believed.
    pub fn is_wide_and_public(&self) -> bool {
        const PRIVATE: [&str; 8] = [
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "100.64.0.0/10",
            "fc00::/7",
            "fe80::/10",
        ];
        let is_v4 = self.mask.leading_ones() >= 96 && Ipv6Addr::from(self.base).to_ipv4_mapped().is_some();
        let narrow = if is_v4 { 96 + 24 } else { 48 };
        let within = |text: &&str| text.parse::<Self>().is_ok_and(|outer| outer.holds(self));
        self.mask.leading_ones() < narrow && !PRIVATE.iter().any(within)
    }

    /// Whether every address of `other` is one of its own.
    fn holds(&self, other: &Self) -> bool {
        other.mask & self.mask == self.mask && other.base & self.mask == self.base
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
        let base = bits(address) & mask;
        let first = match address {
            IpAddr::V4(_) => IpAddr::V4(u32::try_from(base & u128::from(u32::MAX)).unwrap_or(0).into()),
            IpAddr::V6(_) => IpAddr::V6(base.into()),
        };
        Ok(Self { base, mask, first, length })
    }
}

/// The one way to write it: the first address, and the length unless it is one address alone.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.first.is_ipv4() { 32 } else { 128 };
        if self.length == whole { write!(f, "{}", self.first) } else { write!(f, "{}/{}", self.first, self.length) }
    }
}

/// Both families in one number line: IPv4 lives where IPv6 maps it.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().into(),
        IpAddr::V6(v6) => v6.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_public_network_is_known() {
        for wide in [
            "0.0.0.0/1",
            "128.0.0.0/1",
            "8.0.0.0/8",
            "203.0.0.0/16",
            "2000::/3",
            "2001:db8::/32",
            "0.0.0.0/0",
            "::/0",
            "10.0.0.0/7",
            "::ffff:8.0.0.0/104",
        ] {
            assert!(wide.parse::<Network>().unwrap().is_wide_and_public(), "{wide}");
        }
        for narrow in [
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "127.0.0.1",
            "203.0.113.7",
            "203.0.113.0/24",
            "fd00::/8",
            "::1",
            "2001:db8:1::/48",
            "100.64.0.0/10",
        ] {
            assert!(!narrow.parse::<Network>().unwrap().is_wide_and_public(), "{narrow}");
        }
    }

    #[test]
    fn networks_are_read_or_refused_by_name() {
        assert!("10.0.0.0/8".parse::<Network>().unwrap().contains("10.200.1.1".parse().unwrap()));
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("8.8.8.8".parse().unwrap()));
        assert!(!"0.0.0.0/0".parse::<Network>().unwrap().contains("2001:db8::1".parse().unwrap()));
        assert!("::/0".parse::<Network>().unwrap().contains("8.8.8.8".parse().unwrap()));
        for wrong in ["10.0.0.0/33", "ten", "10.0.0.0/x", "", "10.0.0.0/-1", "::1/129"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_network_of_everybody_is_known_however_it_is_written() {
        for all in ["0.0.0.0/0", "::/0", "::/1", "::/80", "::ffff:0:0/96"] {
            assert!(all.parse::<Network>().unwrap().is_everybody(), "{all}");
        }
        for some in ["0.0.0.0/1", "128.0.0.0/1", "255.255.255.255", "::", "8000::/1", "2000::/3"] {
            assert!(!some.parse::<Network>().unwrap().is_everybody(), "{some}");
        }
    }

    #[test]
    fn a_network_is_written_in_one_way() {
        for (typed, written) in [
            ("10.1.2.3/8", "10.0.0.0/8"),
            (" 203.0.113.7 ", "203.0.113.7"),
            ("203.0.113.7/32", "203.0.113.7"),
            ("2001:DB8::1/64", "2001:db8::/64"),
            ("::1", "::1"),
            ("0.0.0.0/0", "0.0.0.0/0"),
        ] {
            assert_eq!(typed.parse::<Network>().unwrap().to_string(), written);
        }
    }
}
