//! Server-sent events, as far as the protocol uses them: the data of each event.

/// A stream of events that is being received.
#[derive(Debug)]
pub(crate) struct EventReader {
    /// The start of a line that is not complete.
    line: Vec<u8>,
    /// The data of the event that is not complete.
    data: Vec<u8>,
    has_data: bool,
    /// Whether the last byte was a carriage return, so that a newline after it ends no other line.
    after_return: bool,
    max: usize,
}

/// An event, or the line of one, has more bytes than are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooLong;

impl EventReader {
    /// A stream whose events have at most `max` bytes.
    pub(crate) fn new(max: usize) -> Self {
        Self { line: Vec::new(), data: Vec::new(), has_data: false, after_return: false, max }
    }

    /// Adds received bytes, and returns the data of the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte if self.line.len() + self.data.len() < self.max => self.line.push(byte),
                _ => return Err(TooLong),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data).then_some(data);
        }
        // Other fields, and comments, have no meaning here: the name of the event, its id, the time until a retry.
        if let Some(value) =
            line.strip_prefix(b"data").and_then(|rest| rest.strip_prefix(b":").or(rest.is_empty().then_some(rest)))
        {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(text: &str) -> Vec<String> {
        let events = EventReader::new(1000).push(text.as_bytes()).unwrap();
        events.into_iter().map(|data| String::from_utf8(data).unwrap()).collect()
    }

    #[test]
    fn the_data_of_events_is_read() {
        assert_eq!(events("event: message\nid: 1\ndata: {}\n\n"), ["{}"]);
        assert_eq!(events("data:a\r\n\r\ndata: b\rdata:  c\r\r"), ["a", "b\n c"]);
        assert_eq!(events(": keep alive\n\nretry: 5\n\ndata\n\n"), [""]);
        assert_eq!(events("data: incomplete\n"), [""; 0]);
        assert_eq!(events("database: x\n\n"), [""; 0]);
    }

    #[test]
    fn long_events_are_rejected() {
        let mut reader = EventReader::new(8);
        assert_eq!(reader.push(b"data: 1"), Ok(vec![]));
        assert_eq!(reader.push(b"23"), Err(TooLong));
        let mut reader = EventReader::new(20);
        assert!((0..100).any(|_| reader.push(b"data: 1\n").is_err()), "many lines of one event");
    }

    proptest! {
        #[test]
        fn parts_of_a_stream_give_the_same_events(text in "(data: ?[a-z]{0,3}|:|id:1)?(\r|\n|\r\n){1,2}{0,8}", split in 0_usize..40) {
            let whole = EventReader::new(1000).push(text.as_bytes()).unwrap();
            let (a, b) = text.as_bytes().split_at(split.min(text.len()));
            let mut reader = EventReader::new(1000);
            let mut parts = reader.push(a).unwrap();
            parts.extend(reader.push(b).unwrap());
            prop_assert_eq!(parts, whole);
        }
    }
}
