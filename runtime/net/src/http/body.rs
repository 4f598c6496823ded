//! Bodies of requests and responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::{Budget, FREE, Growth, Seat, Share};

/// A body that is there as a whole.
#[derive(Clone, Debug)]
pub struct Whole(Option<Bytes>);

impl Whole {
    /// A body of these bytes.
    #[must_use]
    pub fn new(bytes: Bytes) -> Self {
        Self(Some(bytes).filter(|bytes| !bytes.is_empty()))
    }
}

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX)))
    }
}

/// Why a body was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// It has more bytes than allowed.
    TooLarge,
    /// It came too slowly.
    Slow,
    /// The connection ended before it was complete.
    Broken(String),
}

/// Reads a body of at most `max` bytes, however long that takes. Memory is used only for bytes that have arrived.
///
/// # Errors
///
/// The body is too large, or not complete.
pub async fn read<B>(mut body: B, max: usize) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
{
    let mut received = Received::new(&body, max)?;
    while let Some(data) = next(&mut body).await {
        received.push(data?)?;
    }
    Ok(received.into_bytes())
}

/// How a server receives bodies from untrusted clients.
#[derive(Clone, Debug)]
pub struct Intake {
    /// The most bytes of a body.
    pub max: usize,
    /// The time in which a body must grow by 1 kB for each of its seconds, or be complete: see [`Growth`].
    pub window: Duration,
    /// The time from the start of a connection in which its peer must have [proved](Seat::prove) its name; `None` if
    /// the protocol has no proofs.
    pub proof: Option<Duration>,
    /// The memory. It is used only for bytes that have arrived.
    pub budget: Budget,
}

impl Intake {
    /// Receives a body. Time that is spent waiting for memory does not count for its growth. The share is that of the
    /// body: drop it with the bytes.
    ///
    /// # Errors
    ///
    /// The body is too large, too slow, or not complete; or the time for the proof is over.
    pub async fn receive<B>(&self, body: B, seat: &Seat) -> Result<(Bytes, Share), ReadError>
    where
        B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
    {
        seat.set_receiving(true);
        let read = self.read(body, seat);
        let received = match self.proof.filter(|_| !seat.is_proved()) {
            None => read.await,
            Some(time) => timeout_at(seat.proof_deadline(time), read).await.unwrap_or(Err(ReadError::Slow)),
        };
        seat.set_receiving(false);
        received
    }

    async fn read<B>(&self, mut body: B, seat: &Seat) -> Result<(Bytes, Share), ReadError>
    where
        B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
    {
        let mut received = Received::new(&body, self.max)?;
        // A body without a length may have the largest size.
        let size = body.size_hint().exact().map_or(self.max, |size| usize::try_from(size).unwrap_or(self.max));
        let mut share = self.budget.share(seat.caller());
        let start = Instant::now();
        let now = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut growth = Growth::new(u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX), 0, 0);
        loop {
            let end = start + Duration::from_millis(growth.deadline());
            match timeout_at(end, next(&mut body)).await {
                Err(_) => return Err(ReadError::Slow),
                Ok(None) => return Ok((received.into_bytes(), share)),
                Ok(Some(data)) => received.push(data?)?,
            }
            growth.grow(received.len(), now());
            if received.len() > FREE.max(share.amount()) {
                // Buffers double when they grow.
                share.grow(received.len().saturating_mul(2).min(size)).await;
                growth.restart(now());
            }
        }
    }
}

/// The next part of a body. Trailers are ignored.
async fn next<B>(body: &mut B) -> Option<Result<Bytes, ReadError>>
where
    B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
{
    loop {
        match std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await? {
            Err(error) => return Some(Err(ReadError::Broken(error.to_string()))),
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Some(Ok(data));
                }
            }
        }
    }
}

/// The parts of a body that have arrived. A body of one part is not copied.
struct Received {
    first: Bytes,
    rest: BytesMut,
    max: usize,
}

impl Received {
    fn new<B: Body>(body: &B, max: usize) -> Result<Self, ReadError> {
        match usize::try_from(body.size_hint().lower()) {
            Ok(size) if size <= max => Ok(Self { first: Bytes::new(), rest: BytesMut::new(), max }),
            _ => Err(ReadError::TooLarge),
        }
    }

    fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    fn push(&mut self, data: Bytes) -> Result<(), ReadError> {
        if data.len() > self.max - self.len() {
            return Err(ReadError::TooLarge);
        }
        if self.len() == 0 {
            self.first = data;
        } else {
            self.rest.extend_from_slice(&std::mem::take(&mut self.first));
            self.rest.extend_from_slice(&data);
        }
        Ok(())
    }

    fn into_bytes(self) -> Bytes {
        if self.rest.is_empty() { self.first } else { self.rest.freeze() }
    }
}
