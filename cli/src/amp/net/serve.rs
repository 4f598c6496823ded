//! `capgen amp serve`: a provider for other processes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use capgen_amp::CapabilityId;
use capgen_amp::carrier::connection::Settings;
use capgen_amp::carrier::net::{Server, ServerOptions};
use capgen_amp::carrier::run::{Execute, Runner};
use capgen_amp::carrier::{BoxFuture, Service, http, tcp};
use capgen_amp::provider::{HandlerOutcome as Ended, Start};
use capgen_schema::Violations;
use capgen_time::{Clock as _, SystemClock};
use tokio::net::TcpListener;

use super::arguments::LimitOptions;
use super::{Serve, invalid_url, runtime, store};
use crate::amp::arguments::ProviderOptions;
use crate::amp::{provider, violated};
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};

pub(in crate::amp) fn run(arguments: &Serve, console: &Console) -> RunResult {
    let listen = arguments.listen.iter().map(|url| Address::parse(url)).collect::<Result<Vec<_>, _>>()?;
    let (provider, state) = provider::load(&arguments.provider, SystemClock.now_ms(), console)?;
    let handlers = Arc::new(Handlers { options: arguments.provider.clone(), console: *console });
    runtime()?.block_on(async {
        let runner = match &arguments.store {
            Some(file) => store::run(provider, state, handlers, file)?,
            None => Runner::new(provider, state, handlers).map_err(io::Error::other)?,
        };
        let mut servers = Vec::new();
        for address in &listen {
            servers.push(address.serve(Arc::new(runner.clone()), &arguments.limits).await?);
        }
        // After all of them: a program that reads the first URL relies on the rest, too.
        for (address, server) in listen.iter().zip(&servers) {
            console::print(&format!("{}://{}\n", address.scheme, server.address()))?;
        }
        ended().await?;
        console.line("waiting for running invocations");
        let grace = Duration::from_millis(arguments.grace);
        let servers: Vec<_> = servers.into_iter().map(|server| tokio::spawn(server.shutdown(grace))).collect();
        runner.shutdown(grace).await;
        for server in servers {
            // A server that panics has ended, too.
            let _ = server.await;
        }
        Ok(Verdict::Fine)
    })
}

/// The handlers of the provider.
struct Handlers {
    options: ProviderOptions,
    console: Console,
}

impl Execute for Handlers {
    fn execute(&self, start: Start) -> BoxFuture<'static, Ended> {
        let outcome = provider::outcome(&self.options, start.params);
        Box::pin(async move { outcome })
    }

    fn invalid_result(&self, id: &CapabilityId, violations: &Violations) {
        violated(id, violations, &self.console);
    }

    fn store_failed(&self, reason: &str) {
        self.console.line(reason);
    }
}

/// A place to listen at.
struct Address<'a> {
    scheme: &'a str,
    authority: &'a str,
}

impl<'a> Address<'a> {
    fn parse(url: &'a str) -> Result<Self, Failure> {
        let invalid = || invalid_url(url, "expected amp://HOST:PORT or http://HOST:PORT");
        let Some((scheme @ ("amp" | "http"), rest)) = url.split_once("://") else { return Err(invalid()) };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = authority.rsplit_once(':').ok_or_else(invalid)?;
        if host.is_empty() || host.contains(['/', '?', '#', '@']) || port.parse::<u16>().is_err() {
            return Err(invalid());
        }
        Ok(Self { scheme, authority })
    }

    async fn serve(&self, service: Arc<dyn Service>, options: &LimitOptions) -> io::Result<Server> {
        let Self { scheme, authority } = self;
        let named = |error: io::Error| io::Error::new(error.kind(), format!("cannot listen at {authority}: {error}"));
        let listener = TcpListener::bind(authority).await.map_err(named)?;
        let settings = Settings { proof_ms: options.proof_timeout, ..Settings::default() };
        let options = ServerOptions { settings, limits: options.limits(), ..ServerOptions::default() };
        match *scheme {
            "amp" => tcp::serve(listener, service, options),
            _ => http::serve(listener, service, options),
        }
    }
}

/// Waits for SIGINT or SIGTERM; on other systems, for Ctrl-C.
async fn ended() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
