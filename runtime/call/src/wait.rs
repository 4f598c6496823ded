//! Waiting with a limit, and for code of the user.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// A future of the user.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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

/// A future of the user that runs. Panics of its code end here, also those of destructors, when it is dropped.
struct Caught<'a, T>(Option<Boxed<'a, T>>);

/// The result of a future of the user; `None` if it panicked. A future that panicked is not polled again.
pub(crate) async fn caught<T>(running: Boxed<'_, T>) -> Option<T> {
    let mut running = Caught(Some(running));
    poll_fn(move |context| {
        let Some(future) = &mut running.0 else { return Poll::Ready(None) };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(result)) => {
                running.end();
                Poll::Ready(Some(result))
            }
            Err(_) => {
                running.end();
                Poll::Ready(None)
            }
        }
    })
    .await
}

impl<T> Caught<'_, T> {
    fn end(&mut self) {
        let running = self.0.take();
        // Either the result is there, or the first panic is the answer already.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(running)));
    }
}

impl<T> Drop for Caught<'_, T> {
    fn drop(&mut self) {
        self.end();
    }
}
