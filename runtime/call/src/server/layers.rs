//! Requests through the layers of an agent.

use std::pin::pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::admit::Admitted;
use super::authorize::Refused;
use super::respond::Answer;
use super::run::Processed;
use super::served::{HandlerLayers, answered};
use super::shared::Shared;

impl Shared {
    /// The answer to a request through layers.
    pub(super) async fn answer_through(
        &self,
        layers: &HandlerLayers,
        processed: &Processed<'_>,
        admitted: &Admitted<'_>,
    ) -> Result<Answer, Refused> {
        let Processed { request, due, .. } = *processed;
        let context = processed.sender().context(request, due.stated);
        let (has_started, denied) = (AtomicBool::new(false), OnceLock::new());
        let work = || async {
            has_started.store(true, Ordering::Relaxed);
            match self.answer_by_version(processed, admitted).await {
                Ok(answer) => answer,
                Err(Refused { answer, reason }) => {
                    let _ = reason.map(|reason| denied.set(reason));
                    answer
                }
            }
        };
        let answered = pin!(answered(layers, context, request.payload.clone(), work));
        let answer = match self.uninterrupted(due.end, answered).await {
            Ok(answer) => answer,
            Err(interruption) if has_started.load(Ordering::Relaxed) => interruption.after_start(),
            Err(interruption) => interruption.before_start(due),
        };
        // Also if a layer has replaced the answer: the audit has each denial.
        match denied.get().cloned() {
            Some(reason) => Err(Refused { answer, reason: Some(reason) }),
            None => Ok(answer),
        }
    }
}
