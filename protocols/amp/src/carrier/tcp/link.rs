//! The IO of one connection: [`Connection`] decides, and this file reads, writes and waits.

use std::pin::pin;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use capgen_net::{Budget, FREE, Seat, Share};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::carrier::BoxFuture;
use crate::carrier::connection::{CloseReason, Connection, ConnectionEvent};
use crate::carrier::frame::{Frame, size};
use crate::carrier::net::Stream;

/// The number of frames that wait to be written. If there are more, nothing is read. A peer that does not read its
/// answers thus keeps no more than these in memory.
const QUEUE: usize = 4;

/// The room for received bytes. Most messages arrive in one read, and an idle connection costs no more than this.
const ROOM: usize = 16 * 1024;

/// The time in which a peer may read the last frames, before the connection is closed. It covers slow round trips, and
/// a peer that does not end keeps its place for no more than this time.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// One connection.
pub(super) struct Link {
    pub(super) connection: Connection,
    read: ReadHalf<Stream>,
    received: BytesMut,
    frames: mpsc::Sender<Frame>,
    opened: Instant,
    is_ended: bool,
    /// The memory of the server and the place of the connection; a client has none.
    memory: Option<Memory>,
    /// The share of the message that is being received.
    share: Option<Share>,
}

/// The memory of a server, and a connection that uses it.
#[derive(Clone)]
pub(super) struct Memory {
    pub(super) budget: Budget,
    pub(super) seat: Seat,
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
    pub(super) async fn event(&mut self, may_receive: bool) -> Result<ConnectionEvent, End> {
        loop {
            let now = self.now();
            let may_read = may_receive && !self.is_ended;
            let received = if may_receive { self.connection.receive(&mut self.received, now) } else { None };
            if received.as_ref().is_some_and(|event| !matches!(event, ConnectionEvent::Message(_))) {
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
            if let Some(memory) = &self.memory {
                memory.seat.set_receiving(self.connection.is_receiving());
            }
            let wanted = if may_read { self.wanted() } else { None };
            let lacks_room = wanted.is_some();
            // A peer is not slow because this side does not read.
            self.connection.set_paused(!may_read || lacks_room, now);
            tokio::select! {
                () = grow(&mut self.share, wanted) => {}
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

    /// The memory that the frame needs that is being received, if its share is smaller. It is as much as has arrived,
    /// and as much again, because buffers double; and not as much as the peer announces.
    fn wanted(&mut self) -> Option<usize> {
        let memory = self.memory.as_ref()?;
        let size = usize::try_from(size(&self.received)?).unwrap_or(usize::MAX);
        let received = self.received.len().min(size);
        if received <= FREE.max(self.share.as_ref().map_or(0, Share::amount)) {
            return None;
        }
        self.share.get_or_insert_with(|| memory.budget.share(memory.seat.caller()));
        Some(received.saturating_mul(2).min(size))
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

/// Waits until a share has the wanted amount; for ever if none is wanted.
async fn grow(share: &mut Option<Share>, wanted: Option<usize>) {
    match (share, wanted) {
        (Some(share), Some(wanted)) => share.grow(wanted).await,
        _ => std::future::pending().await,
    }
}

/// Runs a connection until a function ends, and then writes the queued frames and closes it.
pub(super) async fn run<F>(stream: Stream, connection: Connection, opened: Instant, memory: Option<Memory>, session: F)
where
    F: for<'a> FnOnce(&'a mut Link) -> BoxFuture<'a, ()>,
{
    let (read, write) = tokio::io::split(stream);
    let (frames, queue) = mpsc::channel(QUEUE);
    let mut link =
        Link { connection, read, received: BytesMut::new(), frames, opened, is_ended: false, memory, share: None };
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
