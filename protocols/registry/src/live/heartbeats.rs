//! Heartbeats of a provider, on a thread of their own.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Writer;

/// Sends heartbeats until it is dropped; then the agent is unavailable.
///
/// A heartbeat that fails is repeated at the next interval, so a log that is away for a while does no harm beyond that
/// time.
#[derive(Debug)]
pub struct Heartbeats {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeats {
    /// Sends a heartbeat now and then at each interval, which should be at most a third of the monitor's limit.
    /// `failed` is called for each one that fails.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn start(
        mut writer: Writer,
        interval: Duration,
        mut failed: impl FnMut(super::AppendError) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let beat = move || {
            loop {
                writer.heartbeat().map_or_else(&mut failed, drop);
                if stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            writer.unavailable("stopped").map_or_else(&mut failed, drop);
        };
        let thread = std::thread::Builder::new().name("heartbeats".to_owned()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeats {
    fn drop(&mut self) {
        self.stop = None;
        // A thread that panicked has nothing left to end.
        self.thread.take().map(JoinHandle::join).map_or(Ok(()), |ended| ended).unwrap_or_default();
    }
}
