//! A producer that appends events to a log.

use std::fmt;

use capgen_manifest::Manifest;
use capgen_time::{Clock as _, SystemClock};
use serde_json::Value;

use crate::event::generated::{AgentHeartbeatRequest, AgentUnavailableRequest};
use crate::event::{MAX_REGISTRATION, value_of};
use crate::log::{AppendOptions, AppendResult, Appended, Log, LogError, Rejection};
use crate::{
    Announcement, AnnouncementError, AnnouncementFault, AnnouncementStep, Event, EventIds, EventType, MonitorLimits,
    Overdue, Producer, SigningKey, View, announce, overdue,
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
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum AppendError {
    /// The log rejected the event.
    Rejected(Rejection),
    /// The log cannot be used.
    Log(LogError),
    /// Capabilities of a manifest cannot be registered. Nothing was appended.
    Announcement(Vec<AnnouncementError>),
    /// The log rejected some registrations of a manifest.
    Registration {
        /// The capabilities that are registered.
        registered: Vec<Registered>,
        /// The others.
        rejected: Vec<(Announcement, Rejection)>,
    },
}

/// A capability that is registered.
#[derive(Clone, PartialEq, Debug)]
pub struct Registered {
    /// The step that was taken.
    pub announcement: Announcement,
    /// The id of the event that registered or updated it now, or that registered it before.
    pub event_id: String,
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
        let event = self.event(kind, payload);
        let mut results = self.append_all(&[event])?;
        let missing = || AppendError::Log(LogError::Failed("the log returned no result".to_owned()));
        results.pop().ok_or_else(missing)?.map_err(AppendError::Rejected)
    }

    fn event(&mut self, kind: EventType, payload: Value) -> Event {
        let now = SystemClock.now_ms();
        // Without random numbers the ids still ascend, and they are unique within this writer.
        let id = self.ids.next(now, random().unwrap_or(0));
        let event = self.producer.event(kind, payload, id, now);
        self.key.as_ref().map(|key| key.sign(&event)).unwrap_or(event)
    }

    fn append_all(&mut self, events: &[Event]) -> Result<Vec<AppendResult>, AppendError> {
        self.log.append(events, &AppendOptions { now: SystemClock.now_ms(), import: false }).map_err(AppendError::Log)
    }

    /// Registers the capabilities of a manifest, as [`announce`] decides from the registry so far, in one append.
    /// Registrations that exist are not repeated.
    ///
    /// # Errors
    ///
    /// A capability cannot be registered; then nothing is appended. Or the log cannot be used, or rejects events, such
    /// as beyond a quota; the error has the capabilities that are registered. Registering again is safe.
    pub fn register(&mut self, manifest: &Manifest, view: &View<'_>) -> Result<Vec<Registered>, AppendError> {
        let announcements = announce(manifest, &self.producer.agent_id, view).map_err(AppendError::Announcement)?;
        self.register_announced(announcements)
    }

    /// Takes the steps that [`announce`] has decided for this agent, in one append.
    ///
    /// # Errors
    ///
    /// Those of [`register`](Self::register).
    pub fn register_announced(&mut self, announcements: Vec<Announcement>) -> Result<Vec<Registered>, AppendError> {
        let mut events = Vec::new();
        let mut errors = Vec::new();
        for announcement in &announcements {
            let event = match &announcement.step {
                AnnouncementStep::Register(payload) => self.event(EventType::Registered, payload.clone()),
                AnnouncementStep::Update(payload) => self.event(EventType::Updated, payload.clone()),
                AnnouncementStep::AlreadyRegistered { .. } => continue,
            };
            if event.text().len() > MAX_REGISTRATION {
                let reason = AnnouncementFault::TooLarge(event.text().len());
                errors.push(AnnouncementError { name: announcement.name.clone(), reason });
            }
            events.push(event);
        }
        if !errors.is_empty() {
            return Err(AppendError::Announcement(errors));
        }
        let results = if events.is_empty() { Vec::new() } else { self.append_all(&events)? };
        let mut results = events.iter().zip(results);
        let (mut registered, mut rejected) = (Vec::new(), Vec::new());
        for announcement in announcements {
            let event_id = match &announcement.step {
                AnnouncementStep::AlreadyRegistered { event_id } => Ok(event_id.clone()),
                _ => match results.next() {
                    Some((_, Err(rejection))) => Err(rejection),
                    Some((event, Ok(_))) => Ok(event.id().map(|id| id.to_string()).unwrap_or_default()),
                    None => {
                        return Err(AppendError::Log(LogError::Failed("the log returned too few results".to_owned())));
                    }
                },
            };
            match event_id {
                Ok(event_id) => registered.push(Registered { announcement, event_id }),
                Err(rejection) => rejected.push((announcement, rejection)),
            }
        }
        if rejected.is_empty() { Ok(registered) } else { Err(AppendError::Registration { registered, rejected }) }
    }

    /// Appends a heartbeat: the agent is healthy.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append).
    pub fn heartbeat(&mut self) -> Result<Appended, AppendError> {
        self.append(EventType::Heartbeat, value_of(&AgentHeartbeatRequest::new()))
    }

    /// Appends that the agent is not available any more, such as before it stops.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append).
    pub fn unavailable(&mut self, reason: &str) -> Result<Appended, AppendError> {
        self.append(EventType::Unavailable, value_of(&AgentUnavailableRequest::new().with_reason(reason)))
    }

    /// Appends everything that is overdue now: the step of a monitor, whose agent the configuration must name. `view`
    /// is the registry so far.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append), at the first event that fails.
    pub fn monitor(&mut self, view: &View<'_>, limits: &MonitorLimits) -> Result<Vec<Overdue>, AppendError> {
        let overdue = overdue(view, limits, SystemClock.now_ms());
        for Overdue { kind, payload, .. } in &overdue {
            self.append(*kind, payload.clone())?;
        }
        Ok(overdue)
    }
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
            Self::Rejected(rejection) => write!(f, "the log rejected the event: {}", described(rejection)),
            Self::Registration { rejected, .. } => {
                let line = |(announcement, rejection): &(Announcement, Rejection)| {
                    let Announcement { capability, version, .. } = announcement;
                    format!("the log rejected {capability} {version}: {}", described(rejection))
                };
                f.write_str(&rejected.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
            Self::Log(error) => error.fmt(f),
            Self::Announcement(errors) => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

/// The reason of a rejection, and the places in the event; the whole event has no place.
fn described(rejection: &Rejection) -> String {
    let paths: Vec<String> = rejection.paths().into_iter().filter(|path| !path.is_empty()).collect();
    let at = if paths.is_empty() { "" } else { " at " };
    format!("{}{at}{}", rejection.reason(), paths.join(", "))
}

impl std::error::Error for AppendError {}
