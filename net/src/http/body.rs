//! Bodies of requests and responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::{Budget, FREE, Pace, Share};

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

/// Reads a body of at most `max` bytes from an untrusted client, which must send at a pace. Memory is used only for bytes that have
/// arrived, and for more than [`FREE`] bytes it comes from the budget. Time that is spent waiting for the budget does not count. The
/// share is that of the body: drop it with the bytes.
///
/// # Errors
///
/// The body is too large, too slow, or not complete.
pub async fn receive<B>(
    mut body: B,
    max: usize,
    pace: Pace,
    budget: &Budget,
) -> Result<(Bytes, Option<Share>), ReadError>
where
    B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
{
    let mut received = Received::new(&body, max)?;
    let (mut start, mut share) = (Instant::now(), None);
    // A body without a length may have the largest size.
    let size = body.size_hint().exact().map_or(max, |size| usize::try_from(size).unwrap_or(max));
    loop {
        if received.len() > FREE && share.is_none() {
            let waiting = Instant::now();
            share = Some(budget.receive(size).await);
            start += waiting.elapsed();
        }
        let end = start + pace.time() + pace.more(received.len());
        match timeout_at(end, next(&mut body)).await {
            Err(_) => return Err(ReadError::Slow),
            Ok(None) => return Ok((received.into_bytes(), share)),
            Ok(Some(data)) => received.push(data?)?,
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
