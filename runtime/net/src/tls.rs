//! TLS 1.2 or later, by rustls, for servers and clients.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};

/// The certificate and the key of a server.
#[derive(Clone)]
pub struct ServerTls(TlsAcceptor);

/// The certificates that a client trusts.
#[derive(Clone)]
pub struct ClientTls(TlsConnector);

/// Certificates or a key that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsError(String);

impl ServerTls {
    /// Reads a chain of certificates, that of the server first, and its private key, as PEM.
    ///
    /// # Errors
    ///
    /// The PEM is invalid or empty, or the key is not that of the certificate. The message contains no part of the key.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain = read(certificates)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError("the private key is not PEM".to_owned()))?;
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(|error| TlsError(error.to_string()))?;
        let config = config.with_no_client_auth().with_single_cert(chain, key);
        Ok(Self(TlsAcceptor::from(Arc::new(config.map_err(|error| TlsError(error.to_string()))?))))
    }

    /// Accepts the handshake of a client.
    ///
    /// # Errors
    ///
    /// The client does not speak TLS 1.2 or later, or has gone.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<server::TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

impl ClientTls {
    /// Trusts certificates, as PEM: those of authorities, or a server's own. No other certificates are trusted.
    ///
    /// # Errors
    ///
    /// The PEM is invalid or empty.
    pub fn from_pem(certificates: &[u8]) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in read(certificates)? {
            roots.add(certificate).map_err(|error| TlsError(error.to_string()))?;
        }
        Self::new(roots)
    }

    /// Trusts the certificates that the operating system trusts, or those in the file and the folder of the environment
    /// variables `SSL_CERT_FILE` and `SSL_CERT_DIR`, as OpenSSL does. It reads files, and may take some milliseconds.
    ///
    /// # Errors
    ///
    /// There are no such certificates.
    #[cfg(feature = "system-roots")]
    pub fn system() -> Result<Self, TlsError> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        // Systems have certificates that rustls cannot use, such as those without a valid name.
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            let reason = found.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
            return Err(TlsError(format!("the operating system has no certificates of authorities to trust{reason}")));
        }
        Self::new(roots)
    }

    fn new(roots: RootCertStore) -> Result<Self, TlsError> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(|error| TlsError(error.to_string()))?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// Checks that a server is the one of the host, which is a name or an address.
    ///
    /// # Errors
    ///
    /// The host is neither, the certificate of the server is not trusted or that of another host, or the handshake
    /// fails.
    pub async fn connect(&self, host: &str, stream: TcpStream) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        self.0.connect(name, stream).await
    }
}

fn read(certificates: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates).collect();
    match read {
        Ok(read) if !read.is_empty() => Ok(read),
        Ok(_) => Err(TlsError("there is no certificate in the PEM".to_owned())),
        Err(error) => Err(TlsError(format!("the certificates are not PEM: {error}"))),
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerTls")
    }
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientTls")
    }
}
