//! A connection whose peer must read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::Pace;

/// A stream whose writes fail if the peer does not read fast enough. The time begins when a write has to wait, and ends
/// with a flush.
#[derive(Debug)]
pub struct Timed<S> {
    stream: S,
    pace: Pace,
    /// The end of the time, if a write waits.
    end: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    /// A stream whose peer must read at this pace.
    pub const fn new(stream: S, pace: Pace) -> Self {
        Self { stream, pace, end: None }
    }

    /// A write has to wait: fails if the time is over.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let time = self.pace.time();
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(time)));
        ready!(end.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer reads too slowly")))
    }

    /// The peer has made room.
    fn extend(&mut self, written: usize) {
        if let Some(end) = &mut self.end {
            let deadline = end.deadline() + self.pace.more(written);
            end.as_mut().reset(deadline);
        }
    }
}

impl<S: AsyncWrite + Unpin> Timed<S> {
    fn written(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match poll {
            Poll::Pending => self.wait(context),
            Poll::Ready(Ok(written)) => {
                self.extend(written);
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        }
    }

    fn flushed(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        if poll.is_pending() {
            return self.wait(context);
        }
        self.end = None;
        poll
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, buf);
        self.written(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, bufs);
        self.written(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        self.flushed(context, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        self.flushed(context, poll)
    }
}
