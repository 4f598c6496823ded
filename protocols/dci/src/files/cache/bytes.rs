//! Numbers and texts as bytes.

/// Appends values to bytes.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    /// A number: seven bits per byte, the lowest first.
    pub(super) fn number(&mut self, mut number: u64) {
        loop {
            let low = u8::try_from(number & 0x7f).unwrap_or_default();
            number >>= 7;
            if number == 0 {
                return self.0.push(low);
            }
            self.0.push(low | 0x80);
        }
    }

    pub(super) fn size(&mut self, size: usize) {
        self.number(u64::try_from(size).unwrap_or(u64::MAX));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.size(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Takes the values from bytes again. `None`: a [`Writer`] did not write these bytes.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// The number of values that follow. Each has at least one byte, so no memory is allocated for more.
    pub(super) fn count(&mut self) -> Option<usize> {
        self.size().filter(|count| *count <= self.0.len())
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        let length = self.size()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }
}
