//! The IO of one connection: [`Connection`] decides, and this file reads, writes and waits.

use std::pin::pin;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use capgen_net::{Budget, FREE, Share};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::carrier::BoxFuture;
use crate::carrier::connection::{CloseReason, Connection, Event};
use crate::carrier::frame::{Frame, size};
use crate::carrier::net::Stream;

/// The number of frames that wait to be written. If there are more, nothing is read.
const QUEUE: usize = 4;

/// The room for received bytes.
const ROOM: usize = 16 * 1024;

/// The time in which a peer may read the last frames, before the connection is closed.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// One connection.
pub(super) struct Link {
    pub(super) connection: Connection,
    read: ReadHalf<Stream>,
    received: BytesMut,
    frames: mpsc::Sender<Frame>,
    opened: Instant,
    is_ended: bool,
    /// The budget of the server; a client has none.
    budget: Option<Budget>,
    /// The share of the message that is being received.
    share: Option<Share>,
}

/// The end of a connection.
#[derive(Debug)]
pub(super) enum End {
    /// The peer sends no more bytes.
    Eof,
    /// The connection is broken.
    Broken(String),
    /// One of the sides has ended it.
    Closed(CloseReason),
}

impl Link {
    /// The time for the connection, in ms.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether the peer has ended its side.
    pub(super) const fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// The next event, apart from those that need no decision. If `may_receive` is false, nothing is read. Cancel safe.
    pub(super) async fn event(&mut self, may_receive: bool) -> Result<Event, End> {
        loop {
            let now = self.now();
            let may_read = may_receive && !self.is_ended;
            let received = if may_receive { self.connection.receive(&mut self.received, now) } else { None };
            if received.as_ref().is_some_and(|event| !matches!(event, Event::Message(_))) {
                // Only messages keep their share, until they are handled.
                self.share = None;
            }
            if let Some(event) = received.or_else(|| self.connection.tick(now)) {
                return Ok(event);
            }
            if self.received.capacity() - self.received.len() < ROOM / 4 {
                self.received.reserve(ROOM);
            }
            let deadline = self.connection.deadline().map(|deadline| self.opened + Duration::from_millis(deadline));
            let wanted = if may_read { self.wanted() } else { None };
            let lacks_room = wanted.is_some();
            // A peer is not slow because this side does not read.
            self.connection.set_paused(!may_read || lacks_room, now);
            tokio::select! {
                share = receive(wanted) => self.share = Some(share),
                read = self.read.read_buf(&mut self.received), if may_read && !lacks_room => match read {
                    Ok(0) => {
                        self.is_ended = true;
                        return Err(End::Eof);
                    }
                    Ok(_) => {}
                    Err(error) => return Err(End::Broken(error.to_string())),
                },
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {}
                () = std::future::pending() => {}
            }
        }
    }

    /// The share of the message that was received last, if it is a large one.
    pub(super) fn take_share(&mut self) -> Option<Share> {
        self.share.take()
    }

    /// The budget and the size of the frame that is being received, if it needs a share that it does not have.
    fn wanted(&self) -> Option<(Budget, usize)> {
        let budget = self.budget.as_ref().filter(|_| self.share.is_none())?;
        let size = usize::try_from(size(&self.received)?).unwrap_or(usize::MAX);
        if size <= FREE {
            return None;
        }
        Some((budget.clone(), size))
    }

    /// Queues a frame. Waits while the queue is full, which ends when the peer reads or the write times out.
    pub(super) async fn write(&mut self, frame: Frame) -> Result<(), End> {
        self.frames.send(frame).await.map_err(|_| End::Broken("the connection is broken".to_owned()))
    }

    /// Ends the connection: sends the last frame.
    pub(super) async fn end(&mut self, last: Option<Frame>, reason: CloseReason) -> End {
        if let Some(last) = last {
            let _ = self.write(last).await;
        }
        End::Closed(reason)
    }
}

/// Waits for room to receive a frame; for ever if none is wanted.
async fn receive(wanted: Option<(Budget, usize)>) -> Share {
    match wanted {
        Some((budget, size)) => budget.receive(size).await,
        None => std::future::pending().await,
    }
}

/// Runs a connection until a function ends, and then writes the queued frames and closes it.
pub(super) async fn run<F>(stream: Stream, connection: Connection, opened: Instant, budget: Option<Budget>, session: F)
where
    F: for<'a> FnOnce(&'a mut Link) -> BoxFuture<'a, ()>,
{
    let (read, write) = tokio::io::split(stream);
    let (frames, queue) = mpsc::channel(QUEUE);
    let mut link =
        Link { connection, read, received: BytesMut::new(), frames, opened, is_ended: false, budget, share: None };
    let mut writer = pin!(write_all(write, queue));
    tokio::select! {
        () = session(&mut link) => {}
        () = &mut writer => return,
    }
    let Link { mut read, mut received, frames, is_ended, .. } = link;
    drop(frames);
    writer.await;
    // Closing a connection with unread bytes could destroy the last frames before the peer has read them.
    let discard = async {
        received.clear();
        while read.read_buf(&mut received).await.is_ok_and(|read| read > 0) {
            received.clear();
        }
    };
    if !is_ended {
        let _ = timeout(LINGER, discard).await;
    }
}

/// Writes frames until the queue ends or the connection is broken.
async fn write_all(mut write: WriteHalf<Stream>, mut queue: mpsc::Receiver<Frame>) {
    while let Some(frame) = queue.recv().await {
        let Some(head) = frame.head() else { continue };
        let mut bytes = Bytes::copy_from_slice(&head).chain(frame.payload);
        if write.write_all_buf(&mut bytes).await.is_err() || write.flush().await.is_err() {
            return;
        }
    }
    let _ = write.shutdown().await;
}
