//! TLS 1.2 or later, by rustls, for `https://`.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{TlsConnector, client};

/// The certificates that a client trusts.
#[derive(Clone)]
pub struct ClientTls(TlsConnector);

/// Certificates that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsError(String);

impl ClientTls {
    /// Trusts certificates, as PEM: those of authorities, or a server's own. No other certificates are trusted.
    ///
    /// # Errors
    ///
    /// The PEM is invalid or empty.
    pub fn from_pem(certificates: &[u8]) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(certificates) {
            let certificate =
                certificate.map_err(|error| TlsError(format!("the certificates are not PEM: {error}")))?;
            roots.add(certificate).map_err(|error| TlsError(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(TlsError("there is no certificate in the PEM".to_owned()));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(|error| TlsError(error.to_string()))?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    pub(super) async fn connect(&self, host: &str, stream: TcpStream) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        self.0.connect(name, stream).await
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientTls")
    }
}
