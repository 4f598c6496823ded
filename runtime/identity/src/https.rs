//! Getting the keys of an issuer over HTTPS.

use std::fmt;

use bytes::Bytes;
use capgen_call::BoxFuture;
use capgen_net::ClientTls;
use capgen_net::http::{Pool, ReadError, SendError, Whole, read};
use hyper::header::{ACCEPT, HOST, HeaderValue};
use hyper::{Request, StatusCode, Uri};
use tokio::net::TcpStream;

use crate::fetch::{FetchError, FetchJwks, MAX_JWKS};

/// The keys at a URL with the scheme `https`. Redirects are not followed, and each set has a connection of its own.
pub struct HttpsJwks {
    url: Uri,
    host: String,
    port: u16,
    authority: HeaderValue,
    tls: ClientTls,
}

/// A URL that is not one of a set of keys, or certificates that are missing: why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidJwksUrl(String);

impl HttpsJwks {
    /// The keys at a URL, such as `https://login.example.com/.well-known/jwks.json`. The certificates are those that
    /// the operating system trusts, which are read now.
    ///
    /// # Errors
    ///
    /// The URL has another scheme, a user or a fragment, or the operating system has no certificates.
    pub fn new(url: &str) -> Result<Self, InvalidJwksUrl> {
        let tls = ClientTls::system().map_err(|error| InvalidJwksUrl(error.to_string()))?;
        Self::with_tls(url, tls)
    }

    /// As [`new`](Self::new), with other certificates to trust.
    ///
    /// # Errors
    ///
    /// The URL has another scheme, a user or a fragment.
    pub fn with_tls(url: &str, tls: ClientTls) -> Result<Self, InvalidJwksUrl> {
        let invalid = |reason: &str| InvalidJwksUrl(reason.to_owned());
        if url.contains('#') {
            return Err(invalid("the URL has a fragment"));
        }
        let url: Uri = url.parse().map_err(|_| invalid("the text is not a URL"))?;
        let authority = url.authority().ok_or_else(|| invalid("the URL has no host"))?.clone();
        if url.scheme_str() != Some("https") || authority.as_str().contains('@') {
            return Err(invalid("the URL must begin with `https://` and the host"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let header = HeaderValue::try_from(authority.as_str()).map_err(|_| invalid("the host is not a header"))?;
        Ok(Self { host, port: authority.port_u16().unwrap_or(443), authority: header, url, tls })
    }

    async fn get(&self) -> Result<Vec<u8>, FetchError> {
        let connect = async {
            let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
            self.tls.connect(&self.host, stream).await
        };
        let path = self.url.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::new(Whole::new(Bytes::new()));
        *request.uri_mut() = path.parse().map_err(|_| FetchError::new("the path of the URL is invalid"))?;
        request.headers_mut().insert(HOST, self.authority.clone());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/jwk-set+json, application/json"));
        let sent = Pool::new(0).send(request, connect).await;
        let (response, connection) = sent.map_err(|error| match error {
            SendError::Unreachable(reason) => FetchError::new(format!("the issuer cannot be reached: {reason}")),
            SendError::Disconnected(reason) => FetchError::new(format!("the connection has ended: {reason}")),
        })?;
        if response.status() != StatusCode::OK {
            return Err(FetchError::new(format!("the issuer answered with the status {}", response.status().as_u16())));
        }
        let body = read(response.into_body(), MAX_JWKS).await.map_err(|error| match error {
            ReadError::TooLarge => FetchError::new("the set of keys is larger than 1 MiB"),
            ReadError::Slow => FetchError::new("the issuer takes too long"),
            ReadError::Broken(reason) => FetchError::new(format!("the connection has ended: {reason}")),
        })?;
        // The body is read over it.
        drop(connection);
        Ok(body.into())
    }
}

impl FetchJwks for HttpsJwks {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, FetchError>> {
        Box::pin(self.get())
    }
}

impl fmt::Debug for HttpsJwks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpsJwks").field("host", &self.host).finish_non_exhaustive()
    }
}

impl fmt::Display for InvalidJwksUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidJwksUrl {}
