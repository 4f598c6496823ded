//! Waiting with a limit.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// The longest timeout of a call, in ms. Clients shorten a longer one; servers refuse requests with later deadlines,
/// and remember the ids of messages for as long, so it bounds the time for which a message needs memory.
pub(crate) const MAX_TIMEOUT: u64 = 600_000;

/// The result of a future if it ends at once. Most do, and then a timer or another future next to it costs nothing.
pub(crate) async fn at_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|context| {
        Poll::Ready(match Pin::new(&mut *future).poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}
