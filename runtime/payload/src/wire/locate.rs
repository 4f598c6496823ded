//! JSON Pointers of places in a JSON text.

use capgen_schema::{ReportBudget, pointer};

use super::Reader;
use super::reader::ValueKind;

/// The pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) to the innermost value that contains the byte at
/// `offset`. If the text stops being valid JSON before that, the pointer to the innermost value up to there. Names are
/// cut as the budget says.
pub(crate) fn pointer(text: &str, offset: usize, budget: ReportBudget) -> String {
    let mut place = String::new();
    let mut reader = Reader::unchecked(text);
    while let Some(token) = step(&mut reader, offset, budget) {
        pointer::push(&mut place, &token);
    }
    place
}

/// The pointers to the values that start at `offsets`, which must be in ascending order. Takes time linear in the text.
pub(crate) fn pointers(text: &str, offsets: &[usize], budget: ReportBudget) -> Vec<String> {
    let mut found = Vec::with_capacity(offsets.len());
    let mut search = Search { offsets, budget, path: String::new(), found: &mut found };
    // Invalid JSON ends the search early.
    let _ = search.value(&mut Reader::unchecked(text));
    found
}

struct Search<'s> {
    offsets: &'s [usize],
    budget: ReportBudget,
    path: String,
    found: &'s mut Vec<String>,
}

impl Search<'_> {
    /// Searches a value. `None` stops the search: everything is found, or the text is invalid.
    fn value(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let (open, close) = match reader.kind()? {
            ValueKind::Array => (b'[', b']'),
            ValueKind::Object => (b'{', b'}'),
            _ => {
                let (next, rest) = self.offsets.split_first()?;
                if *next == reader.at() {
                    self.found.push(self.path.clone());
                    self.offsets = rest;
                }
                return reader.skip();
            }
        };
        reader.open(open)?;
        let mut index: usize = 0;
        while reader.another(close, index == 0)? {
            let token = if open == b'[' { index.to_string() } else { cut(&reader.name()?, self.budget) };
            let length = self.path.len();
            pointer::push(&mut self.path, &token);
            self.value(reader)?;
            self.path.truncate(length);
            index += 1;
        }
        Some(())
    }
}

fn cut(name: &str, budget: ReportBudget) -> String {
    budget.cut_name(name).into_owned()
}

/// A pointer in a message. The empty pointer, which is the root, would be hard to see.
pub(crate) fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the value" } else { pointer }
}

/// Moves into the child that contains `offset`, and returns its name or index.
fn step(reader: &mut Reader<'_>, offset: usize, budget: ReportBudget) -> Option<String> {
    let (open, close) = match reader.kind()? {
        ValueKind::Array => (b'[', b']'),
        ValueKind::Object => (b'{', b'}'),
        _ => return None,
    };
    reader.open(open)?;
    let mut index: usize = 0;
    while reader.another(close, index == 0)? {
        let token = if open == b'[' { index.to_string() } else { cut(&reader.name()?, budget) };
        reader.peek()?;
        if reader.at() > offset {
            return None;
        }
        if reader.ahead(|reader| reader.skip().map(|()| reader.at())).is_none_or(|end| end > offset) {
            return Some(token);
        }
        reader.skip()?;
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_gives_the_innermost_value() {
        let text = r#" {"a": [1, {"b/c": 22}], "d": 3 }"#;
        let at = |what: &str| text.find(what).unwrap_or_default();
        for (offset, expected) in [(0, ""), (at("1"), "/a/0"), (at("22"), "/a/1/b~1c"), (at("3"), "/d"), (1, "")] {
            assert_eq!(pointer(text, offset, ReportBudget::DEFAULT), expected, "{offset}");
        }
        assert_eq!(pointers(text, &[at("1"), at("22"), at("3")], ReportBudget::DEFAULT), ["/a/0", "/a/1/b~1c", "/d"]);
    }
}
