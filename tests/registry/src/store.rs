//! The logs of nodes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use capgen_nats::NatsOptions;
use capgen_registry::log::{JetStreamLog, JetStreamLogOptions};
use capgen_registry::log::{Log, LogError, SqliteLog};
use capgen_registry::{Checker, Configuration};
use capgen_testkit::brokers::{NatsServer, Proxy};
use tempfile::TempDir;

/// The log of a node.
#[derive(Debug)]
pub enum Store {
    /// In a file of SQLite.
    Sqlite(TempDir),
    /// In a broker of its own.
    JetStream(Box<NatsServer>),
}

/// A way to a log that can be cut.
#[derive(Debug)]
pub enum Connection {
    /// To a file of SQLite; whether it is open.
    Sqlite(PathBuf, AtomicBool),
    /// To a broker.
    JetStream(Proxy),
}

/// A checker under the default configuration.
#[must_use]
pub fn checker() -> Arc<Checker> {
    Arc::new(Checker::new(Configuration::default().into()))
}

impl Store {
    /// A file of SQLite.
    ///
    /// # Panics
    ///
    /// It cannot be created.
    #[must_use]
    pub fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A broker. `None` if `nats-server` is not installed.
    #[must_use]
    pub fn jetstream() -> Option<Self> {
        NatsServer::start().map(|server| Self::JetStream(Box::new(server)))
    }

    /// Opens the log.
    ///
    /// # Panics
    ///
    /// It cannot be opened.
    #[must_use]
    pub fn open(&self) -> Box<dyn Log> {
        match self {
            Self::Sqlite(folder) => open_file(folder.path().join("log.db")),
            Self::JetStream(server) => connect(&server.url()),
        }
        .expect("a log")
    }

    /// A way to the log.
    #[must_use]
    pub fn connection(&self) -> Connection {
        match self {
            Self::Sqlite(folder) => Connection::Sqlite(folder.path().join("log.db"), AtomicBool::new(true)),
            Self::JetStream(server) => Connection::JetStream(Proxy::start(server.port())),
        }
    }
}

impl Connection {
    /// Opens the log.
    ///
    /// # Errors
    ///
    /// The log cannot be reached.
    pub fn open(&self) -> Result<Box<dyn Log>, LogError> {
        match self {
            Self::Sqlite(path, _) => open_file(path.clone()),
            Self::JetStream(proxy) => connect(&proxy.url()),
        }
    }

    /// Disconnects the way, or connects it again.
    pub fn set_open(&self, is_open: bool) {
        match self {
            Self::Sqlite(_, open) => open.store(is_open, Ordering::Release),
            Self::JetStream(proxy) => {
                proxy.refuse(!is_open);
                if !is_open {
                    proxy.cut();
                }
            }
        }
    }

    /// Whether the way may be used. For a broker, the way itself fails.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Self::Sqlite(_, open) => open.load(Ordering::Acquire),
            Self::JetStream(_) => true,
        }
    }
}

fn open_file(path: PathBuf) -> Result<Box<dyn Log>, LogError> {
    Ok(Box::new(SqliteLog::open_or_create(&path, checker())?))
}

/// Connects to the log of a broker.
///
/// # Errors
///
/// The broker does not answer.
pub fn connect(url: &str) -> Result<Box<dyn Log>, LogError> {
    let nats = NatsOptions::new([url]).wait_for_server(Duration::from_secs(30));
    Ok(Box::new(JetStreamLog::connect(nats, JetStreamLogOptions::new(), checker())?))
}
