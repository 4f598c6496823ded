//! Bodies of requests and responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::carrier::connection::MIN_RATE;
use crate::carrier::net::{Budget, FREE, Share};

/// A body that is there as a whole.
pub(super) struct Whole(Option<Bytes>);

impl Whole {
    pub(super) fn new(bytes: Bytes) -> Self {
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
pub(super) enum ReadError {
    TooLarge,
    Slow,
    Broken(String),
}

/// Reads a body of at most `max` bytes. It must arrive within a time, and at [`MIN_RATE`] after it. Memory is used only for bytes that
/// have arrived, and for more than [`FREE`] bytes it comes from the budget of a server. Time that is spent waiting for the budget does not count.
pub(super) async fn read<B>(
    mut body: B,
    max: u32,
    timeout: Duration,
    budget: Option<&Budget>,
) -> Result<(Bytes, Option<Share>), ReadError>
where
    B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
{
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    if usize::try_from(body.size_hint().lower()).map_or(true, |size| size > max) {
        return Err(ReadError::TooLarge);
    }
    let mut start = Instant::now();
    let (mut first, mut rest, mut share) = (Bytes::new(), BytesMut::new(), None);
    // A body without a length may have the largest size.
    let size = body.size_hint().exact().map_or(max, |size| usize::try_from(size).unwrap_or(max));
    loop {
        let received = first.len() + rest.len();
        if let (Some(budget), true, None) = (budget, received > FREE, &share) {
            let waiting = Instant::now();
            share = Some(budget.receive(size).await);
            start += waiting.elapsed();
        }
        let more = Duration::from_micros(u64::try_from(received).unwrap_or(u64::MAX).saturating_mul(1000) / MIN_RATE);
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = match timeout_at(start + timeout + more, frame).await {
            Err(_) => return Err(ReadError::Slow),
            Ok(None) => break,
            Ok(Some(Err(error))) => return Err(ReadError::Broken(error.to_string())),
            Ok(Some(Ok(frame))) => frame,
        };
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > max - received {
            return Err(ReadError::TooLarge);
        }
        if received == 0 {
            first = data;
        } else {
            rest.extend_from_slice(&std::mem::take(&mut first));
            rest.extend_from_slice(&data);
        }
    }
    Ok((if rest.is_empty() { first } else { rest.freeze() }, share))
}
