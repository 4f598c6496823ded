//! A log of the capability registry in a stream of JetStream (decisions 12 and 13).

mod blocking;
mod contents;
mod engine;
mod link;
mod message;
mod options;
mod problem;
mod reader;
mod subject;
mod verify;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::log::{AppendOptions, AppendResult, Heads, Log, LogError, Record, Verification};
use crate::{Checker, Event, Hash};

use capgen_nats::NatsOptions;

use blocking::Background;
use engine::Engine;
use link::Link;
pub use options::JetStreamLogOptions;
use problem::OperationError;

/// A log in a stream of JetStream: one subject for each partition, in the order of the stream.
///
/// - An append ends when the stream has confirmed each event. It publishes an event with the last sequence of its
///   subject that its checks have seen. If another process has appended to the partition in the meantime, the stream
///   rejects the event, and the log reads the new events and checks it again. If a confirmation is lost, the log looks
///   for the event in the stream before it publishes it again.
/// - Checks that concern several partitions of one producer (its greatest id, its quota) do not see events that others
///   append at the same moment.
/// - Several processes may append to one stream. Two kernels with the same configuration emit events with the same ids,
///   of which the stream stores the first ones: one kernel leads, and the other ones find its events.
/// - If a connection is lost, the log connects again, and repeats the operation for [`JetStreamLogOptions::patience`].
/// - The stream contains nothing but the events. Offsets and hashes of rows are computed from it, so the first
///   operation reads all of it. Memory is about 250 bytes per event.
/// - An appended event survives a crash of the server. Whether it survives a power failure depends on the server's
///   `sync_interval`, and on the number of [`replicas`](JetStreamLogOptions::replicas).
///
/// Calls block their thread, which may be any thread: the connection uses a thread of its own. Only the registry's
/// service may publish to the subjects; `docs/registry.md` has the permissions.
///
/// ```no_run
/// use std::sync::Arc;
/// use capgen_nats::NatsOptions;
/// use capgen_registry::log::{JetStreamLog, JetStreamLogOptions, Log};
/// use capgen_registry::{Checker, Configuration};
///
/// let checker = Arc::new(Checker::new(Configuration::default().into()));
/// let nats = NatsOptions::new(["nats://127.0.0.1:4222"]);
/// let mut log = JetStreamLog::connect(nats, JetStreamLogOptions::new().replicas(3), checker)?;
/// for record in log.read(0, 100)? {
///     println!("{} {}", record.partition, record.offset);
/// }
/// # Ok::<(), capgen_registry::log::LogError>(())
/// ```
pub struct JetStreamLog {
    // The connection ends before its runtime.
    engine: Engine,
    background: Background,
}

impl JetStreamLog {
    /// Connects, and finds or creates the stream. Tries again for [`NatsOptions::wait_for_server`].
    ///
    /// # Errors
    ///
    /// No server answers or accepts the credentials; JetStream is not enabled; the stream cannot be created, stores
    /// other subjects, or removes messages.
    pub fn connect(nats: NatsOptions, options: JetStreamLogOptions, checker: Arc<Checker>) -> Result<Self, LogError> {
        let failed = |problem| link::failed(&options, problem);
        let background = Background::start();
        let background =
            background.map_err(|error| failed(OperationError::Lasting(format!("starting a thread: {error}"))))?;
        let engine = background.run(async {
            let patience = nats.get_wait_for_server();
            let link = Link::connect(nats, options.clone()).await?;
            link.open(patience).await?;
            Ok(Engine::new(link, checker))
        });
        Ok(Self { engine: engine.map_err(failed)?, background })
    }
}

impl Log for JetStreamLog {
    fn append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        let results = self.background.run(self.engine.append(events, options));
        results.map_err(|problem| self.engine.link.failed(problem))
    }

    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError> {
        let records = self.background.run(self.engine.read(after, limit));
        records.map_err(|problem| self.engine.link.failed(problem))
    }

    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError> {
        let waited = self.background.run(self.engine.wait(after, timeout));
        waited.map_err(|problem| self.engine.link.failed(problem))
    }

    /// Reads the whole stream again. Detects events whose text is not the one that was appended, rows that this
    /// connection has seen otherwise, and messages that are missing: an error names the first of these. A message
    /// without an event, which no log has published, is skipped.
    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError> {
        let verified = self.background.run(verify::verify(&mut self.engine, expect));
        verified.map_err(|problem| self.engine.link.failed(problem))
    }

    fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, LogError> {
        let hash = self.background.run(self.engine.row_hash(sequence));
        hash.map_err(|problem| self.engine.link.failed(problem))
    }
}

impl fmt::Debug for JetStreamLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamLog").field("stream", &self.engine.link.options.stream.name).finish_non_exhaustive()
    }
}
