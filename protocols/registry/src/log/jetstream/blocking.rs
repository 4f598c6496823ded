//! Futures on a thread that blocks.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// A tokio runtime on a thread of its own, which ends when this is dropped.
///
/// The futures themselves run on the thread of the caller, so they may borrow, and so the caller may be a thread of
/// another runtime.
pub(super) struct Background {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Background {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let run = move || drop(runtime.block_on(stopped));
        thread::Builder::new().name("capgen-registry-log".to_owned()).spawn(run)?;
        Ok(Self { handle, _stop: stop })
    }

    /// Blocks until a future ends.
    pub(super) fn run<F: Future>(&self, future: F) -> F::Output {
        let _entered = self.handle.enter();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        // A task of another runtime may have used up the operations after which it must yield, which it cannot do here.
        let mut future = pin!(tokio::task::unconstrained(future));
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// Wakes the thread that waits for a future.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
