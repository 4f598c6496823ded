//! From options to a connection.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use capgen_call::TransportError;
use capgen_time::Backoff;

use crate::options::{Auth, NatsOptions};

/// The longest pause after the first failed attempt: a server that restarts on the same machine is back in tens of
/// milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The shortest pause in percent of the longest one: enough randomness that clients spread, and no attempt is made at
/// once.
const MIN_PERCENT: u8 = 50;

/// The number of operations that wait for the connection. Further operations wait for a place, so a burst passes, and a
/// connection that is lost does not fill the memory.
const OUTGOING: usize = 512;

/// A client of NATS with the settings of the options, for protocols that are neither calls nor service discovery. Tries
/// again for [`NatsOptions::wait_for_server`]. `observe` is called with each event of the client.
///
/// The client cannot be stopped while it is not connected: once `closed` is true, it hardly tries to connect again. The
/// version of [`async_nats`](crate::async_nats) is a part of this function's signature.
///
/// # Errors
///
/// [`Refused`](TransportError::Refused) or [`Unsupported`](TransportError::Unsupported) options, or
/// [`Disconnected`](TransportError::Disconnected) if no server can be reached in time. No error shows credentials.
pub async fn connect(
    options: &NatsOptions,
    closed: &Arc<AtomicBool>,
    observe: impl Fn(Event) + Send + Sync + 'static,
) -> Result<Client, TransportError> {
    let (servers, auth) = servers(options)?;
    let observe = Arc::new(observe);
    let start = Instant::now();
    let mut attempt = 1;
    loop {
        let observe = Arc::clone(&observe);
        let connect = settings(options, &auth, closed).await?.event_callback(move |event| {
            observe(event);
            std::future::ready(())
        });
        let error = match connect.connect(servers.as_slice()).await {
            Ok(client) => return Ok(client),
            Err(error) => failure(&error),
        };
        let retry = matches!(error, TransportError::Disconnected(_)) && start.elapsed() < options.wait_for_server;
        if !retry {
            return Err(error);
        }
        attempt += 1;
        tokio::time::sleep(delay(attempt, options.max_reconnect_delay)).await;
    }
}

async fn settings(
    options: &NatsOptions,
    auth: &Auth,
    closed: &Arc<AtomicBool>,
) -> Result<ConnectOptions, TransportError> {
    let (closed, max_delay) = (Arc::clone(closed), options.max_reconnect_delay);
    let mut connect = ConnectOptions::new()
        .connection_timeout(options.connect_timeout)
        .request_timeout(Some(options.operation_timeout))
        .ping_interval(options.ping_interval)
        .subscription_capacity(options.capacity)
        .client_capacity(OUTGOING)
        .custom_inbox_prefix(&options.inbox_prefix)
        .require_tls(options.require_tls)
        // Subjects are checked here, by stricter rules.
        .skip_subject_validation(true)
        .reconnect_delay_callback(move |attempt| {
            // The client cannot be stopped while it is not connected. A closed one must not bother the server any more.
            if closed.load(Ordering::Acquire) { Duration::from_secs(86_400) } else { delay(attempt, max_delay) }
        });
    if let Some(name) = &options.name {
        connect = connect.name(name);
    }
    if options.tls_first {
        connect = connect.tls_first();
    }
    if let Some(path) = &options.ca_file {
        connect = connect.add_root_certificates(path.clone());
    }
    if let Some((certificate, key)) = &options.client_certificate {
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(match auth {
        Auth::None => connect,
        Auth::Token(token) => connect.token(token.clone()),
        Auth::Password { user, password } => connect.user_and_password(user.clone(), password.clone()),
        Auth::NKey(seed) => connect.nkey(seed.clone()),
        Auth::Credentials(content) => {
            connect.credentials(content).map_err(|_| refused("the credentials are invalid"))?
        }
        Auth::CredentialsFile(path) => connect
            .credentials_file(path)
            .await
            .map_err(|error| refused(&format!("the credentials file {}: {}", path.display(), error.kind())))?,
    })
}

/// The pause before an attempt to connect. The first attempt is made at once; the random part prevents that all clients
/// of a server that comes back connect at the same moment.
fn delay(attempt: usize, max: Duration) -> Duration {
    let failed = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    // Keys of hash maps are random, and this needs no better randomness.
    let random = RandomState::new().build_hasher().finish();
    Backoff::new(FIRST_PAUSE, max).random_pause(failed, MIN_PERCENT, (random >> 32) as u32)
}

/// The addresses without credentials, and the credentials: those of the options, or those in the addresses.
///
/// The client logs addresses, so credentials must not remain in them.
fn servers(options: &NatsOptions) -> Result<(Vec<ServerAddr>, Auth), TransportError> {
    let mut found: Option<(String, Option<String>)> = None;
    let mut servers = Vec::new();
    for (index, server) in options.servers.iter().enumerate() {
        let invalid = || refused(&format!("the address of server {} is invalid", index + 1));
        let address: ServerAddr = server.parse().map_err(|_| invalid())?;
        if address.is_websocket() {
            return Err(TransportError::Unsupported("connecting to NATS over WebSocket".to_owned()));
        }
        let mut url = address.into_inner();
        if !url.username().is_empty() || url.password().is_some() {
            let user = decoded(url.username()).ok_or_else(invalid)?;
            let password = url.password().map(|password| decoded(password).ok_or_else(invalid)).transpose()?;
            let credentials = (user, password);
            if found.as_ref().is_some_and(|other| *other != credentials) {
                return Err(TransportError::Unsupported("different credentials for several servers".to_owned()));
            }
            found = Some(credentials);
            url.set_username("").map_err(|()| invalid())?;
            url.set_password(None).map_err(|()| invalid())?;
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(invalid());
        }
        servers.push(ServerAddr::from_url(url).map_err(|_| invalid())?);
    }
    if servers.is_empty() {
        return Err(refused("the list of servers is empty"));
    }
    let auth = match (&options.auth, found) {
        (Auth::None, Some((user, Some(password)))) => Auth::Password { user, password },
        (Auth::None, Some((token, None))) => Auth::Token(token),
        (auth, _) => auth.clone(),
    };
    Ok((servers, auth))
}

/// A text in which `%40` is `@`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A failed attempt, without the text of its source, which may contain parts of the options.
fn failure(error: &ConnectError) -> TransportError {
    let io = std::error::Error::source(error).and_then(|source| source.downcast_ref::<std::io::Error>());
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            refused("the credentials are missing or wrong")
        }
        ConnectErrorKind::Tls => refused("TLS is not possible with these options"),
        ConnectErrorKind::ServerParse => refused("the server announced an invalid address"),
        // A certificate that is not trusted arrives as an error of IO.
        ConnectErrorKind::Io if io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData) => {
            refused(&format!("TLS: {}", io.map(ToString::to_string).unwrap_or_default()))
        }
        ConnectErrorKind::Io => {
            TransportError::Disconnected(io.map_or_else(|| error.kind().to_string(), ToString::to_string))
        }
        kind => TransportError::Disconnected(kind.to_string()),
    }
}

fn refused(reason: &str) -> TransportError {
    TransportError::Refused(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_addresses_are_moved_to_the_options() {
        let options = NatsOptions::new(["nats://ann:p%40ss@one:4222", "two"]);
        let (servers, auth) = servers(&options).unwrap();
        assert!(servers.iter().all(|server| !server.has_user_pass() && server.password().is_none()));
        assert!(matches!(auth, Auth::Password { user, password } if user == "ann" && password == "p@ss"));
        let (_, auth) = super::servers(&NatsOptions::new(["nats://t0ken@one"])).unwrap();
        assert!(matches!(auth, Auth::Token(token) if token == "t0ken"));
        let (_, auth) = super::servers(&NatsOptions::new(["nats://t0ken@one"]).token("other")).unwrap();
        assert!(matches!(auth, Auth::Token(token) if token == "other"));
    }

    #[test]
    fn addresses_that_cannot_be_used_are_rejected_without_showing_them() {
        let all = [
            vec![],
            vec!["http://s3cret@x"],
            vec!["nats://"],
            vec!["nats://u:s3cret@"],
            vec!["ws://x"],
            vec!["nats://u:s3cret@one", "nats://u:other@two"],
            vec!["nats://u:s3cret@one:99999"],
        ];
        for servers in all {
            let error = super::servers(&NatsOptions::new(servers.clone())).unwrap_err();
            assert!(!error.to_string().contains("s3cret"), "{servers:?}: {error}");
        }
    }

    #[test]
    fn pauses_grow_up_to_the_limit() {
        let max = Duration::from_secs(2);
        assert_eq!(delay(0, max), Duration::ZERO);
        assert_eq!(delay(1, max), Duration::ZERO);
        for attempt in 2..100 {
            let full = Duration::from_millis(10).saturating_mul(1 << (attempt - 2).min(20)).min(max);
            let pause = delay(attempt, max);
            assert!(pause >= full / 2 && pause <= full, "{attempt}: {pause:?}");
        }
    }
}
