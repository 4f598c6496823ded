//! How fast a message must arrive.

/// The slowest rate at which a message may arrive, in bytes per ms: 1 kB/s. Slower than every modem, so only a peer
/// that wants to keep memory without sending is slower.
const MIN_RATE: u64 = 1;

/// Whether a message that has begun arrives fast enough: in each window of time it must grow by 1 kB for each second of
/// the window, or be complete. It has no clock; all times are ms of any count that does not go backwards.
///
/// A mean over the whole message would allow a peer to send most of a large message at once, and nothing more for
/// hours.
///
/// ```
/// use capgen_net::Growth;
/// let mut growth = Growth::new(10_000, 0, 0);
/// assert_eq!(growth.deadline(), 10_000);
/// growth.grow(9_999, 6_000);
/// assert_eq!(growth.deadline(), 10_000);
/// growth.grow(10_000, 7_000);
/// assert_eq!(growth.deadline(), 17_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    window: u64,
    /// The start of the current window, and the size of the message then.
    start: (u64, usize),
}

impl Growth {
    /// A message of which some bytes have arrived now. The window and the time are in ms.
    #[must_use]
    pub const fn new(window: u64, size: usize, now: u64) -> Self {
        Self { window, start: (now, size) }
    }

    /// So many bytes of the message have arrived until now. A new window begins if they are enough.
    pub fn grow(&mut self, size: usize, now: u64) {
        let grown = u64::try_from(size.saturating_sub(self.start.1)).unwrap_or(u64::MAX);
        if grown >= self.window.saturating_mul(MIN_RATE) {
            self.start = (now, size);
        }
    }

    /// The time during which this side did not read does not count: a new window begins now.
    pub const fn restart(&mut self, now: u64) {
        self.start.0 = now;
    }

    /// The end of the window: the peer is too slow if the message has neither grown enough nor ended by then.
    #[must_use]
    pub const fn deadline(&self) -> u64 {
        self.start.0.saturating_add(self.window)
    }
}
