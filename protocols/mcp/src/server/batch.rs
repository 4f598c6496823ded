//! The answers of a batch, which only the revision 2025-03-26 has.

use tokio::sync::oneshot;

/// The answers of a batch, in the order of its messages.
#[derive(Default)]
pub(super) struct Answers(Vec<oneshot::Receiver<String>>);

impl Answers {
    /// The place of the next answer. If it is dropped, there is no such answer.
    pub(super) fn place(&mut self) -> oneshot::Sender<String> {
        let (place, answer) = oneshot::channel();
        self.0.push(answer);
        place
    }

    /// Adds an answer.
    pub(super) fn push(&mut self, answer: String) {
        // The receiver is in the list.
        let _ = self.place().send(answer);
    }

    /// The array of all answers, after the last one has arrived; `None` if there are none.
    pub(super) async fn text(self) -> Option<String> {
        let mut texts = Vec::with_capacity(self.0.len());
        for answer in self.0 {
            texts.extend(answer.await);
        }
        (!texts.is_empty()).then(|| format!("[{}]", texts.join(",")))
    }
}
