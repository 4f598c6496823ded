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
/// [`Disconnected`](TransportError::Disconnected) if no server can be reached in time. Errors name the servers, and
/// none shows credentials.
pub async fn connect(
    options: &NatsOptions,
    closed: &Arc<AtomicBool>,
    observe: impl Fn(Event) + Send + Sync + 'static,
) -> Result<Client, TransportError> {
    let (servers, auth) = servers(options)?;
    let names = names(&servers);
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
            Err(error) => failure(&names, &error),
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
            let remedy = "give the content of a credentials file, as `nsc generate creds` writes it";
            connect.credentials(content).map_err(|_| refused(format!("the credentials are invalid: {remedy}")))?
        }
        Auth::CredentialsFile(path) => connect
            .credentials_file(path)
            .await
            .map_err(|error| refused(format!("the credentials file {}: {}", path.display(), error.kind())))?,
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
        // It is not shown, because it is not known which part of it is a password.
        let invalid =
            || refused(format!("the address of server {} is invalid: write `nats://<host>:<port>`", index + 1));
        let address: ServerAddr = server.parse().map_err(|_| invalid())?;
        if address.is_websocket() {
            return Err(TransportError::Unsupported(
                "connecting to NATS over WebSocket: use the port for clients, with `nats://` or `tls://`".to_owned(),
            ));
        }
        let mut url = address.into_inner();
        if !url.username().is_empty() || url.password().is_some() {
            let user = decoded(url.username()).ok_or_else(invalid)?;
            let password = url.password().map(|password| decoded(password).ok_or_else(invalid)).transpose()?;
            let credentials = (user, password);
            if found.as_ref().is_some_and(|other| *other != credentials) {
                return Err(TransportError::Unsupported(
                    "different credentials for several servers: give the same ones in each address".to_owned(),
                ));
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
        return Err(refused("the list of servers is empty: add an address such as `nats://127.0.0.1:4222`"));
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

/// The most servers that an error names: the first ones identify the cluster.
const MAX_NAMED: usize = 3;

/// The port of an address without one.
const PORT: u16 = 4222;

/// The hosts and ports of servers, for errors: `one:4222, two:4222`. Nothing else of an address is shown, because it
/// may contain credentials.
fn names(servers: &[ServerAddr]) -> String {
    let name = |server: &ServerAddr| {
        let url = server.clone().into_inner();
        format!("{}:{}", url.host_str().unwrap_or_default(), url.port().unwrap_or(PORT))
    };
    let named: Vec<String> = servers.iter().take(MAX_NAMED).map(name).collect();
    let others = if servers.len() > MAX_NAMED { ", ..." } else { "" };
    format!("{}{others}", named.join(", "))
}

/// The hosts and ports of the servers of options, for errors and logs.
pub(crate) fn server_names(options: &NatsOptions) -> String {
    servers(options).map(|(servers, _)| names(&servers)).unwrap_or_default()
}

/// A failed attempt, without the text of its source, which may contain parts of the options.
fn failure(names: &str, error: &ConnectError) -> TransportError {
    let io = std::error::Error::source(error).and_then(|source| source.downcast_ref::<std::io::Error>());
    let disconnected = |reason: &str, remedy: &str| {
        TransportError::Disconnected(format!(
            "{names}: {reason}; {remedy}, or wait with `NatsOptions::wait_for_server`"
        ))
    };
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => refused(format!(
            "{names}: the credentials are missing or wrong; set those of this server with \
             `NatsOptions::user_and_password`, `token`, `nkey` or `credentials`"
        )),
        ConnectErrorKind::Tls => refused(format!(
            "{names}: TLS is not possible with these options; compare `NatsOptions::require_tls`, `tls_first` and \
             `ca_file` with the settings of the server"
        )),
        ConnectErrorKind::ServerParse => {
            refused(format!("{names}: the server announced an invalid address; check its `client_advertise`"))
        }
        // A certificate that is not trusted arrives as an error of IO.
        ConnectErrorKind::Io if io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData) => refused(format!(
            "{names}: TLS: {}; check the host of the address, and `NatsOptions::ca_file`",
            io.map(ToString::to_string).unwrap_or_default()
        )),
        ConnectErrorKind::Io => disconnected(
            &io.map_or_else(|| error.kind().to_string(), ToString::to_string),
            "check that a server listens there",
        ),
        ConnectErrorKind::Dns => disconnected("the host is unknown", "check the address"),
        ConnectErrorKind::TimedOut => disconnected(
            "no answer within `NatsOptions::connect_timeout`",
            "check that a server listens there, and that no firewall drops the connection",
        ),
        kind => disconnected(&kind.to_string(), "check that a NATS server listens there"),
    }
}

fn refused(reason: impl Into<String>) -> TransportError {
    TransportError::Refused(reason.into())
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
    fn errors_name_the_host_and_the_port_of_servers_and_nothing_else() {
        let options = NatsOptions::new(["nats://ann:s3cret@one", "tls://ann:s3cret@[::1]:4333/s3cret?s3cret"]);
        assert_eq!(server_names(&options), "one:4222, [::1]:4333");
        assert_eq!(server_names(&NatsOptions::new(["a", "b:1", "c", "d"])), "a:4222, b:1, c:4222, ...");
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
