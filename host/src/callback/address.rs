//! An address: public, or of a network that a stranger must not reach through us.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not the public internet: first address, length of the prefix.
const SPECIAL_V4: [([u8; 4], u32); 17] = [
    ([0, 0, 0, 0], 8),          // this network, unspecified
    ([10, 0, 0, 0], 8),         // private
    ([100, 64, 0, 0], 10),      // behind a provider's NAT; metadata of one cloud
    ([127, 0, 0, 0], 8),        // loopback
    ([168, 63, 129, 16], 32),   // the host service of one cloud, in public space
    ([169, 254, 0, 0], 16),     // link-local; metadata of most clouds
    ([172, 16, 0, 0], 12),      // private
    ([192, 0, 0, 0], 24),       // protocol assignments; metadata of one cloud
    ([192, 0, 2, 0], 24),       // documentation
    ([192, 88, 99, 0], 24),     // relays of 6to4
    ([192, 168, 0, 0], 16),     // private
    ([198, 18, 0, 0], 15),      // benchmarking
    ([198, 51, 100, 0], 24),    // documentation
    ([203, 0, 113, 0], 24),     // documentation
    ([224, 0, 0, 0], 4),        // multicast
    ([240, 0, 0, 0], 4),        // reserved, broadcast
    ([255, 255, 255, 255], 32), // broadcast
];

/// IPv6 networks inside 2000::/3 that are not the public internet; all outside is not, anyway.
const SPECIAL_V6: [([u16; 2], u32); 4] = [
    ([0x2001, 0x0000], 23), // protocol assignments: Teredo, benchmarking, ORCHID
    ([0x2001, 0x0db8], 32), // documentation
    ([0x2002, 0x0000], 16), // 6to4, which is given up and can mean any IPv4 address
    ([0x3fff, 0x0000], 20), // documentation
];

/// Whether anybody on the internet could reach it as well as we can.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(network, length): &([u8; 4], u32)| {
        (address.to_bits() ^ Ipv4Addr::from(*network).to_bits()).checked_shr(32 - length).unwrap_or(0) == 0
    };
    !SPECIAL_V4.iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let start = |[a, b]: [u16; 2]| u32::from(a) << 16 | u32::from(b);
    let special = |(network, length): &([u16; 2], u32)| (start([a, b]) ^ start(*network)) >> (32 - length) == 0;
    a >> 13 == 1 && !SPECIAL_V6.iter().any(special)
}

/// The IPv4 address that is meant: mapped (`::ffff:0:0/96`), or behind a NAT64 (`64:ff9b::/96`).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let nat64 = || match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))),
        _ => None,
    };
    address.to_ipv4_mapped().or_else(nat64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.0",
            "168.63.129.17",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "::ffff:0:127.0.0.1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
