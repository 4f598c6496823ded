//! Whom the memory, the handlers and the connections of a server count for.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The bits of an IPv6 address that identify a host: a host may use every address of its network of 64 bits (RFC 4291,
/// section 2.5.1), and could otherwise count as 2^64 hosts.
const PREFIX: u32 = 64;

/// The address of a peer, as far as it identifies the peer: an IPv4 address, or the network of 64 bits of an IPv6
/// address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Host(IpAddr);

/// The peer that memory or a handler counts for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Caller {
    /// All peers at an address that have not proved who they are.
    Host(Host),
    /// A peer that has proved its name, or that needs no proof.
    Named(Arc<str>),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Host {
    /// The host of an address. An IPv4 address inside an IPv6 address is the IPv4 address.
    ///
    /// ```
    /// use capgen_net::Host;
    /// let host = |address: &str| Host::of(address.parse().unwrap());
    /// assert_eq!(host("::ffff:192.0.2.1"), host("192.0.2.1"));
    /// assert_eq!(host("2001:db8::1"), host("2001:db8::2:3"));
    /// assert_ne!(host("2001:db8::1"), host("2001:db8:0:1::1"));
    /// ```
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - PREFIX))).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}
