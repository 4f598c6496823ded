//! Takes values out of a tree and collects what is wrong with them, so that one run reports everything.

use std::ops::Range;

use capgen_diagnostic::{Code, Severity, nearest};
use capgen_schema::pointer;

use crate::{Data, Diagnostic, Member, Node, Source, codes};

/// More errors than this are counted, not kept: a hostile file can make millions.
const LIMIT: usize = 1000;

/// Longer pointers, in bytes, are left out: a thousand copies of a key of many megabytes take gigabytes.
const LONGEST_POINTER: usize = 4096;

/// The findings so far.
pub(crate) struct Reader<'s> {
    pub(crate) source: &'s Source,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    left_out: usize,
}

/// A place in the document.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// JSON Pointer from the document's root.
    pub(crate) pointer: String,
    /// The same for people, such as ``capability `review-pr` ``.
    pub(crate) at: Option<String>,
    /// Whether values here may be credentials, which no message may quote.
    pub(crate) secret: bool,
}

/// A mapping whose members are read by name.
pub(crate) struct Map<'n> {
    pub(crate) node: &'n Node,
    pub(crate) place: Place,
    /// What it describes, with its article.
    what: &'static str,
}

impl Place {
    pub(crate) fn below(&self, token: &str) -> Self {
        Self { pointer: pointer::join(&self.pointer, token), ..self.clone() }
    }
}

impl<'n> Map<'n> {
    pub(crate) fn get(&self, key: &str) -> Option<&'n Member> {
        self.node.member(key)
    }

    pub(crate) fn below(&self, key: &str) -> Place {
        self.place.below(key)
    }

    /// The first key, which stands for the whole mapping: its own span may cover pages.
    pub(crate) fn head(&self) -> Range<usize> {
        match &self.node.data {
            Data::Object(members) => members.first().map_or(self.node.span.clone(), |m| m.key_span.clone()),
            _ => self.node.span.clone(),
        }
    }
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, errors: Vec::new(), warnings: Vec::new(), left_out: 0 }
    }

    /// Every finding in source order, and whether one of them is an error.
    pub(crate) fn finish(self) -> (Vec<Diagnostic>, bool) {
        let failed = !self.errors.is_empty();
        let mut all: Vec<_> = self.errors.into_iter().chain(self.warnings).collect();
        all.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
        if let Some(last) = all.last_mut().filter(|_| self.left_out > 0) {
            last.notes.push(format!("{} more findings are not shown", self.left_out));
        }
        (all, failed)
    }

    pub(crate) fn report(&mut self, finding: Diagnostic) {
        let list = if finding.severity() == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if list.len() < LIMIT { list.push(finding) } else { self.left_out += 1 }
    }

    /// A finding at a place, to be [reported](Self::report).
    pub(crate) fn finding(
        &self,
        code: Code,
        message: impl Into<String>,
        (span, label): (Range<usize>, &str),
        place: &Place,
    ) -> Diagnostic {
        let mut finding = Diagnostic::new(code, message).at(self.source, span, label);
        finding.pointer = (place.pointer.len() <= LONGEST_POINTER).then(|| place.pointer.clone());
        finding.notes.extend(place.at.as_ref().map(|at| format!("at: {at}")));
        finding
    }

    /// The mapping at `node`, where it is one.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, place: Place, what: &'static str) -> Option<Map<'n>> {
        if let Data::Object(_) = node.data {
            return Some(Map { node, place, what });
        }
        self.wrong_type(node, &place, what, "a mapping");
        None
    }

    /// Refuses the keys that are not in `keys`.
    pub(crate) fn only(&mut self, map: &Map<'_>, keys: &[&str]) {
        let Data::Object(members) = &map.node.data else { return };
        for member in members.iter().filter(|m| !keys.contains(&m.key.as_str())) {
            // Looking for a near key costs too much to be done for nothing.
            if self.errors.len() >= LIMIT {
                self.left_out += 1;
                continue;
            }
            // A URL where a key belongs may hold a credential.
            let (name, place) = if member.key.contains("://") {
                (String::new(), map.place.clone())
            } else {
                (format!(" {}", quoted(&member.key)), map.below(&member.key))
            };
            let message = format!("unknown key{name} in {}", map.what);
            let finding = self.finding(codes::UNKNOWN_KEY, message, (member.key_span.clone(), ""), &place);
            self.report(match nearest(&member.key, keys.iter().copied()) {
                Some(key) => finding.help(format!("did you mean `{key}`?")),
                None => finding.help(format!("the keys here are {}", listed(keys))),
            });
        }
    }

    /// The member `key`, which must be there.
    pub(crate) fn required<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n Member> {
        let member = map.get(key);
        if member.is_none() {
            let message = format!("{} has no `{key}`", map.what);
            self.report(self.finding(codes::MISSING_KEY, message, (map.head(), ""), &map.place));
        }
        member
    }

    /// The string at the member `key`, where there is one.
    pub(crate) fn text<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n str> {
        let member = map.get(key)?;
        self.string(&member.value, &map.below(key), key)
    }

    /// The same, not empty.
    pub(crate) fn filled<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n str> {
        let member = map.get(key)?;
        self.filled_string(&member.value, &map.below(key), key)
    }

    fn filled_string<'n>(&mut self, node: &'n Node, place: &Place, key: &str) -> Option<&'n str> {
        let text = self.string(node, place, key)?;
        if text.is_empty() {
            let message = format!("`{key}` is empty");
            self.report(self.finding(codes::EMPTY_TEXT, message, (node.span.clone(), ""), place));
        }
        (!text.is_empty()).then_some(text)
    }

    pub(crate) fn string<'n>(&mut self, node: &'n Node, place: &Place, key: &str) -> Option<&'n str> {
        if let Data::String(text) = &node.data {
            return Some(text);
        }
        self.wrong_type(node, place, &format!("`{key}`"), "a string");
        None
    }

    pub(crate) fn boolean(&mut self, map: &Map<'_>, key: &str) -> Option<bool> {
        let member = map.get(key)?;
        if let Data::Bool(value) = member.value.data {
            return Some(value);
        }
        self.wrong_type(&member.value, &map.below(key), &format!("`{key}`"), "a boolean");
        None
    }

    /// The elements of the member `key` with their places; none where the member is absent or not a list.
    pub(crate) fn elements<'n>(&mut self, map: &Map<'n>, key: &str) -> Vec<(&'n Node, Place)> {
        let Some(member) = map.get(key) else { return Vec::new() };
        let place = map.below(key);
        let Data::Array(items) = &member.value.data else {
            self.wrong_type(&member.value, &place, &format!("`{key}`"), "a list");
            return Vec::new();
        };
        items.iter().enumerate().map(|(i, item)| (item, place.below(&i.to_string()))).collect()
    }

    /// Refuses a list without elements.
    pub(crate) fn not_empty(&mut self, map: &Map<'_>, key: &str) {
        let Some(member) = map.get(key) else { return };
        if matches!(&member.value.data, Data::Array(items) if items.is_empty()) {
            let message = format!("`{key}` has no element");
            self.report(self.finding(codes::EMPTY_LIST, message, (member.value.span.clone(), ""), &map.below(key)));
        }
    }

    /// The list of strings at the member `key`; none of them is empty.
    pub(crate) fn texts(&mut self, map: &Map<'_>, key: &str) -> Vec<String> {
        let elements = self.elements(map, key);
        let element = format!("{key}[]");
        elements
            .iter()
            .filter_map(|(node, place)| self.filled_string(node, place, &element))
            .map(str::to_owned)
            .collect()
    }

    /// Reports a value of another type than wanted, with what was probably meant.
    pub(crate) fn wrong_type(&mut self, node: &Node, place: &Place, subject: &str, want: &str) {
        let label = match &node.data {
            Data::Null => "nothing here",
            Data::Bool(_) => "a boolean",
            Data::Number(..) => "a number",
            Data::String(_) => "a string",
            Data::Array(_) => "a list",
            Data::Object(_) => "a mapping",
        };
        // A label under a whole block would underline pages.
        let span = match &node.data {
            Data::Array(_) | Data::Object(_) => node.span.start..node.span.start,
            _ => node.span.clone(),
        };
        let mut finding = self.finding(codes::WRONG_TYPE, format!("{subject} must be {want}"), (span, label), place);
        finding.help = match (&node.data, want) {
            (Data::Null, _) => Some("a key without a value is null: give it one, or leave the key out".to_owned()),
            (Data::Number(_, text), "a string") if !place.secret && text.len() <= 40 => {
                Some(format!("put it in quotes: `\"{text}\"`"))
            }
            (Data::Bool(_), "a string") => Some("put it in quotes".to_owned()),
            (Data::String(text), "a number") if !place.secret && text.parse::<capgen_schema::Number>().is_ok() => {
                Some(format!("write `{text}`, without quotes"))
            }
            (Data::String(text), "a boolean") => truth(text).map(|b| format!("write `{b}`, without quotes")),
            (Data::String(_), "a list") => Some("put it in brackets to make it a list".to_owned()),
            _ => None,
        };
        self.report(finding);
    }
}

/// The boolean that YAML 1.1 or a person would see in a string.
fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// A text from the document in backquotes: short, on one line, without control characters.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", cut(text, 60))
}

/// The first characters of a text, on one line, without control characters.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).flat_map(visible).collect();
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}

fn visible(c: char) -> impl Iterator<Item = char> {
    let (escaped, plain) = if c.is_control() { (Some(c.escape_default()), None) } else { (None, Some(c)) };
    escaped.into_iter().flatten().chain(plain)
}

/// Names in backquotes with commas.
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
