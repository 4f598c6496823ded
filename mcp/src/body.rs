//! Bodies of HTTP messages.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, SizeHint};

/// A body that is there as a whole.
pub(crate) struct Whole(Option<Bytes>);

impl Whole {
    pub(crate) fn new(bytes: Bytes) -> Self {
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
#[derive(Debug)]
pub(crate) enum ReadError {
    TooLarge,
    Broken(String),
}

/// Reads a body of at most `max` bytes. Memory is used only for bytes that have arrived.
pub(crate) async fn read<B>(mut body: B, max: usize) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes, Error = hyper::Error> + Unpin,
{
    if usize::try_from(body.size_hint().lower()).map_or(true, |size| size > max) {
        return Err(ReadError::TooLarge);
    }
    let mut bytes = BytesMut::new();
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let frame = match frame {
            None => return Ok(bytes.freeze()),
            Some(Err(error)) => return Err(ReadError::Broken(error.to_string())),
            Some(Ok(frame)) => frame,
        };
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > max - bytes.len() {
            return Err(ReadError::TooLarge);
        }
        bytes.extend_from_slice(&data);
    }
}
