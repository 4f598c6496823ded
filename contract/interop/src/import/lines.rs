//! Several JSON texts in one, as the text of an array.
//!
//! The array is one byte longer at its start, and otherwise has every value at its place in the source, so that
//! findings in it have lines.

/// One text on each line.
pub(super) fn of_lines(text: &str) -> String {
    let mut array = Array::new(text);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            array.blank(line);
        } else {
            array.start_value();
            array.text.push_str(line);
        }
    }
    array.end()
}

/// Whether a text is an event stream with data: every line of its first event is a field of one or a comment.
pub(super) fn is_event_stream(text: &str) -> bool {
    let mut has_data = false;
    for line in text.lines().map(|line| line.trim_start_matches(BYTE_ORDER_MARK)).skip_while(|line| line.is_empty()) {
        let is_field = ["data", "event", "id", "retry"].iter().any(|name| value_of(line, name).is_some());
        has_data |= value_of(line, "data").is_some();
        match line {
            "" if has_data => return true,
            _ if !is_field && !line.starts_with(':') && !line.is_empty() => return false,
            _ => {}
        }
    }
    has_data
}

/// The data of each event.
pub(super) fn of_events(text: &str) -> String {
    let mut array = Array::new(text);
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let field = line.trim_start_matches(BYTE_ORDER_MARK).trim_end_matches(['\r', '\n']);
        let Some(data) = value_of(field, "data") else {
            // An empty line ends an event.
            is_open &= !field.is_empty();
            array.blank(line);
            continue;
        };
        let data_start = line.len() - line.trim_start_matches(BYTE_ORDER_MARK).len() + field.len() - data.len();
        let (before, rest) = line.split_at_checked(data_start).unwrap_or(("", line));
        // The lines of one event are one text. The comma needs a byte, which the name of the field leaves.
        let starts = !is_open && !data.trim().is_empty();
        array.blank(before);
        if starts {
            array.start_value();
        }
        is_open |= starts;
        array.text.push_str(rest);
    }
    array.end()
}

/// The mark at the start of a text, which is not a part of its first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The value of a field of an event, without the space after the colon.
fn value_of<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(name)?;
    match rest.strip_prefix(':') {
        Some(value) => Some(value.strip_prefix(' ').unwrap_or(value)),
        None => rest.is_empty().then_some(rest),
    }
}

/// The text of an array.
struct Array {
    text: String,
    has_values: bool,
}

impl Array {
    /// The bracket is before the source, or in the byte of the first separator.
    fn new(text: &str) -> Self {
        let mut array = String::with_capacity(text.len() + 2);
        array.push('[');
        Self { text: array, has_values: false }
    }

    /// White space in place of a text, with its line ends.
    fn blank(&mut self, text: &str) {
        self.text.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }

    /// Separates the next value from the last one, in the white space before it.
    fn start_value(&mut self) {
        if self.has_values {
            // Every value but the first follows a line end or the name of a field.
            self.text.pop();
            self.text.push(',');
        }
        self.has_values = true;
    }

    fn end(mut self) -> String {
        self.text.push(']');
        self.text
    }
}
