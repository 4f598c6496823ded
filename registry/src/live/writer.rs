//! A producer that appends events to a log.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use capgen_manifest::Manifest;
use serde_json::{Value, json};

use crate::log::{AppendOptions, Appended, Log, LogError, Rejection};
use crate::{
    Announcement, AnnouncementError, AnnouncementStep, EventIds, EventType, MonitorLimits, Overdue, Producer,
    SigningKey, View, announce, overdue,
};

/// Appends the events of one producer to a log, with the clock of the system and random ids.
///
/// ```
/// use capgen_registry::live::Writer;
/// use capgen_registry::log::MemoryLog;
/// use capgen_registry::{Checker, Configuration, EventType, Producer};
/// let log = MemoryLog::new(Checker::new(Configuration::default().into()).into());
/// let mut writer = Writer::new(Box::new(log), Producer::new("core.memory"));
/// let appended = writer.append(EventType::Heartbeat, serde_json::json!({}))?;
/// assert_eq!((appended.partition.as_str(), appended.offset), ("core.memory", 0));
/// # Ok::<(), capgen_registry::live::AppendError>(())
/// ```
pub struct Writer {
    log: Box<dyn Log>,
    producer: Producer,
    key: Option<SigningKey>,
    ids: EventIds,
}

/// Why an event was not appended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AppendError {
    /// The log rejected the event.
    Rejected(Rejection),
    /// The log cannot be used.
    Log(LogError),
    /// Capabilities of a manifest cannot be registered. Nothing was appended.
    Announcement(Vec<AnnouncementError>),
}

impl Writer {
    /// A writer to a log.
    #[must_use]
    pub fn new(log: Box<dyn Log>, producer: Producer) -> Self {
        Self { log, producer, key: None, ids: EventIds::default() }
    }

    /// The same writer, which signs its events.
    #[must_use]
    pub fn signed(self, key: SigningKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Appends an event.
    ///
    /// # Errors
    ///
    /// The log rejects it or cannot be used.
    pub fn append(&mut self, kind: EventType, payload: Value) -> Result<Appended, AppendError> {
        let now = now();
        // Without random numbers the ids still ascend, and they are unique within this writer.
        let id = self.ids.next(now, random().unwrap_or(0));
        let event = self.producer.event(kind, payload, id, now);
        let event = self.key.as_ref().map(|key| key.sign(&event)).unwrap_or(event);
        let options = AppendOptions { now, import: false };
        let mut results = self.log.append(&[event], &options).map_err(AppendError::Log)?;
        let missing = || AppendError::Log(LogError("the log returned no result".to_owned()));
        results.pop().ok_or_else(missing)?.map_err(AppendError::Rejected)
    }

    /// Registers the capabilities of a manifest, as [`announce`] decides from the registry so far. Registrations that exist are
    /// not repeated.
    ///
    /// # Errors
    ///
    /// A capability cannot be registered; then nothing is appended. Or the log rejects an event or cannot be used; then some capabilities
    /// may be registered, and registering again is safe.
    pub fn register(&mut self, manifest: &Manifest, view: &View<'_>) -> Result<Vec<Announcement>, AppendError> {
        let agent = self.producer.agent_id.clone();
        let announcements = announce(manifest, &agent, view).map_err(AppendError::Announcement)?;
        for announcement in &announcements {
            match &announcement.step {
                AnnouncementStep::Register(payload) => self.append(EventType::Registered, payload.clone())?,
                AnnouncementStep::Update(payload) => self.append(EventType::Updated, payload.clone())?,
                AnnouncementStep::AlreadyRegistered { .. } => continue,
            };
        }
        Ok(announcements)
    }

    /// Appends a heartbeat: the agent is healthy.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append).
    pub fn heartbeat(&mut self) -> Result<Appended, AppendError> {
        self.append(EventType::Heartbeat, json!({}))
    }

    /// Appends that the agent is not available any more, such as before it stops.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append).
    pub fn unavailable(&mut self, reason: &str) -> Result<Appended, AppendError> {
        self.append(EventType::Unavailable, json!({"reason": reason}))
    }

    /// Appends everything that is overdue now: the step of a monitor, whose agent the configuration must name. `view` is the registry so far.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append), at the first event that fails.
    pub fn monitor(&mut self, view: &View<'_>, limits: &MonitorLimits) -> Result<Vec<Overdue>, AppendError> {
        let overdue = overdue(view, limits, now());
        for Overdue { kind, payload, .. } in &overdue {
            self.append(*kind, payload.clone())?;
        }
        Ok(overdue)
    }
}

/// The Unix time in ms.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn random() -> Option<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(u128::from_le_bytes(bytes))
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("producer", &self.producer).finish_non_exhaustive()
    }
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => {
                write!(f, "the log rejected the event: {}", rejection.reason())?;
                let paths = rejection.paths();
                if paths.is_empty() { Ok(()) } else { write!(f, " at {}", paths.join(", ")) }
            }
            Self::Log(error) => error.fmt(f),
            Self::Announcement(errors) => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for AppendError {}
