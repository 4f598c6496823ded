//! The first event of the kernel in a log (ruling 11).

use std::sync::Arc;

use super::LogError;
use crate::{Checker, Event, EventId};

/// Looks for the first event of the kernel among the events of a log, in the log's order.
///
/// A key of the kernel is configured before the kernel's first event. A log whose first event of the kernel is unsigned
/// belongs to another configuration: its answers would all be invalid, and the kernel would give them again. So it is
/// refused as a whole. A later unsigned event is invalid, and nothing more.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::FirstOfKernel;
/// use capgen_registry::{Checker, Configuration, Event};
///
/// let mut first = FirstOfKernel::new(Arc::new(Checker::new(Configuration::default().into())));
/// first.note(&Event::parse(b"{}")?);
/// assert!(first.check().is_ok());
/// # Ok::<(), capgen_registry::NotJson>(())
/// ```
#[derive(Clone, Debug)]
pub struct FirstOfKernel {
    checker: Arc<Checker>,
    found: Found,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// There is no event of the kernel so far.
    Nothing,
    /// It is signed, or the configuration has no key of the kernel.
    Accepted,
    /// It has this id, and is unsigned.
    Unsigned(EventId),
}

impl FirstOfKernel {
    /// Nothing is known about the log.
    #[must_use]
    pub fn new(checker: Arc<Checker>) -> Self {
        let found = if checker.config().has_kernel_key() { Found::Nothing } else { Found::Accepted };
        Self { checker, found }
    }

    /// Notes the next event of the log. An event whose envelope is invalid is not the kernel's, whatever it claims.
    pub fn note(&mut self, event: &Event) {
        let is_first = self.found == Found::Nothing && event.agent() == Some(self.checker.config().kernel());
        if let (true, Some(id)) = (is_first && self.checker.has_valid_envelope(event), event.id()) {
            self.found = if event.is_signed() { Found::Accepted } else { Found::Unsigned(id) };
        }
    }

    /// A log whose first events were read before, and were accepted.
    pub(crate) fn resumed(checker: Arc<Checker>, is_known: bool) -> Self {
        let first = Self::new(checker);
        if is_known { Self { found: Found::Accepted, ..first } } else { first }
    }

    /// Whether later events have no effect.
    pub(crate) fn is_known(&self) -> bool {
        self.found != Found::Nothing
    }

    /// Fails if the log is refused.
    ///
    /// # Errors
    ///
    /// The first event of the kernel is unsigned, but the configuration has a key of the kernel.
    pub fn check(&self) -> Result<(), LogError> {
        match self.found {
            Found::Unsigned(id) => Err(LogError::UnsignedKernel(id)),
            Found::Nothing | Found::Accepted => Ok(()),
        }
    }
}
