//! Where a client connects to.

use std::fmt;
use std::io;
use std::time::Duration;

#[cfg(feature = "tls")]
use capgen_net::ClientTls;
use capgen_net::{Io, Timed};
use tokio::net::TcpStream;

use super::{Stream, pace};

/// A URL that is not that of a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidUrl(String);

impl InvalidUrl {
    #[cfg(feature = "http")]
    pub(in crate::carrier) fn new(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

/// A URL without a path: the scheme, the host and the port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::carrier) struct Endpoint {
    /// Whether the scheme is the encrypted one.
    pub(in crate::carrier) is_encrypted: bool,
    /// Without the brackets of IPv6.
    pub(in crate::carrier) host: String,
    pub(in crate::carrier) port: u16,
}

impl Endpoint {
    /// Reads `scheme://host:port` or `scheme://host:port/`. The schemes are the unencrypted one with its default port,
    /// and the encrypted one. A default of `None` means that the URL has a port.
    pub(in crate::carrier) fn parse(url: &str, schemes: [(&str, Option<u16>); 2]) -> Result<Self, InvalidUrl> {
        let [(plain, plain_port), (encrypted, encrypted_port)] = schemes;
        let invalid =
            |reason: &str| InvalidUrl(format!("expected {plain}://HOST:PORT or {encrypted}://HOST:PORT: {reason}"));
        let (scheme, rest) = url.split_once("://").ok_or_else(|| invalid("there is no scheme"))?;
        let (is_encrypted, default) = if scheme.eq_ignore_ascii_case(plain) {
            (false, plain_port)
        } else if scheme.eq_ignore_ascii_case(encrypted) {
            (true, encrypted_port)
        } else {
            return Err(invalid("the scheme is another one"));
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains(['/', '?', '#', '@']) || authority.contains(|c: char| c.is_whitespace() || c.is_control())
        {
            return Err(invalid("only a host and a port are allowed"));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(|| invalid("`]` is missing"))?,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| invalid("the port is not a number up to 65535"))?,
            None if port.is_empty() => default.ok_or_else(|| invalid("the port is missing"))?,
            None => return Err(invalid("`:` is missing before the port")),
        };
        if host.is_empty() {
            return Err(invalid("the host is missing"));
        }
        Ok(Self { is_encrypted, host: host.to_owned(), port })
    }
}

/// How a client connects.
#[derive(Clone)]
pub(in crate::carrier) struct Connector {
    pub(in crate::carrier) endpoint: Endpoint,
    pub(in crate::carrier) write_timeout: Duration,
    #[cfg(feature = "tls")]
    pub(in crate::carrier) tls: Option<ClientTls>,
}

impl Connector {
    /// Checks that the encrypted scheme has a configuration.
    pub(in crate::carrier) fn checked(self) -> Result<Self, InvalidUrl> {
        #[cfg(feature = "tls")]
        let has_tls = self.tls.is_some();
        #[cfg(not(feature = "tls"))]
        let has_tls = false;
        if self.endpoint.is_encrypted && !has_tls {
            return Err(InvalidUrl(
                "an encrypted connection needs the feature `tls` and trusted certificates".to_owned(),
            ));
        }
        Ok(self)
    }

    /// Opens a connection.
    pub(in crate::carrier) async fn connect(&self) -> io::Result<Stream> {
        let stream = TcpStream::connect((self.endpoint.host.as_str(), self.endpoint.port)).await?;
        stream.set_nodelay(true)?;
        Ok(Timed::new(self.encrypt(stream).await?, pace(self.write_timeout)))
    }

    #[cfg(feature = "tls")]
    async fn encrypt(&self, stream: TcpStream) -> io::Result<Box<dyn Io>> {
        match &self.tls {
            Some(tls) if self.endpoint.is_encrypted => Ok(Box::new(tls.connect(&self.endpoint.host, stream).await?)),
            _ => Ok(Box::new(stream)),
        }
    }

    #[cfg(not(feature = "tls"))]
    async fn encrypt(&self, stream: TcpStream) -> io::Result<Box<dyn Io>> {
        Ok(Box::new(stream))
    }
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidUrl {}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMES: [(&str, Option<u16>); 2] = [("http", Some(80)), ("amps", None)];

    #[test]
    fn urls_are_read() {
        let endpoint = |is_encrypted, host: &str, port| Ok(Endpoint { is_encrypted, host: host.to_owned(), port });
        assert_eq!(Endpoint::parse("http://localhost", SCHEMES), endpoint(false, "localhost", 80));
        assert_eq!(Endpoint::parse("HTTP://localhost:8080/", SCHEMES), endpoint(false, "localhost", 8080));
        assert_eq!(Endpoint::parse("amps://[::1]:7000", SCHEMES), endpoint(true, "::1", 7000));
    }

    #[test]
    fn other_urls_are_rejected() {
        for url in [
            "localhost:80",
            "ftp://localhost",
            "http://",
            "http://:80",
            "http://a:b",
            "http://a:65536",
            "http://a/path",
            "http://a?b",
            "http://user@a",
            "http://a b",
            "http://[::1",
            "http://[::1]x",
            "amps://a",
            "http://::1",
            "http://a\r\nb",
        ] {
            Endpoint::parse(url, SCHEMES).unwrap_err();
        }
    }
}
