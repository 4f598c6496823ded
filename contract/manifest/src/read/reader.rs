//! Extracts values from a tree and collects the findings, so that one run reports all of them.

use std::ops::Range;

use capgen_diagnostic::{Applicability, Code, Severity, quoted, similar};
use capgen_schema::{Patterns, pointer};

use super::advice;
use super::aliases::review_shared;
use super::edits::{Text, TextEdit, quote};
use super::json_notation::in_json;
use crate::document::is_json;
use crate::masked::is_name;
use crate::secrets::has_colon;
use crate::{Data, Diagnostic, Member, Node, Source, codes};

/// Further errors are counted, not kept: a hostile file can cause millions. More than a user reads.
const MAX_FINDINGS: usize = 1000;

/// Longer pointers, in bytes, are left out: a thousand copies of a key of many megabytes would take gigabytes.
const MAX_POINTER: usize = 4096;

/// The source and the findings so far.
pub(crate) struct Reader<'s> {
    pub(crate) source: &'s Source,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    left_out: usize,
    /// The patterns of all schemas.
    pub(crate) patterns: Patterns,
    /// The places of the schemas, in the order in which `patterns` counts them.
    pub(crate) schemas: Vec<Place>,
}

/// A place in the document.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// JSON Pointer from the document's root.
    pub(crate) pointer: String,
    /// The human-readable form of the pointer, such as ``capability `review-pr` ``.
    pub(crate) at: Option<String>,
    /// Whether values here may be credentials, which must not appear in messages.
    pub(crate) secret: bool,
}

/// A mapping whose members are read by name.
pub(crate) struct Map<'n> {
    pub(crate) node: &'n Node,
    pub(crate) place: Place,
    /// The subject of messages, with its article, such as `a transport`.
    subject: &'static str,
    /// The keys that unknown keys resemble. A missing one of them is probably misspelt, and is not reported again.
    misspelt: Vec<String>,
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

    /// The span of the first key. It represents the mapping in findings, because the span of the whole mapping may
    /// cover pages.
    pub(crate) fn head(&self) -> Range<usize> {
        match &self.node.data {
            Data::Object(members) => members.first().map_or(self.node.span.clone(), |m| m.key_span.clone()),
            _ => self.node.span.clone(),
        }
    }
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        let (errors, warnings, schemas) = Default::default();
        Self { source, errors, warnings, left_out: 0, patterns: Patterns::default(), schemas }
    }

    /// Whether one of the findings so far is an error.
    pub(crate) fn has_failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Every finding in source order, and whether one of them is an error. `root` is the whole document.
    pub(crate) fn finish(self, root: &Node) -> (Vec<Diagnostic>, bool) {
        let failed = self.has_failed();
        let mut all: Vec<_> = self.errors.into_iter().chain(self.warnings).collect();
        review_shared(self.source, root, &mut all);
        all.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
        if is_json(self.source) {
            all.iter_mut().for_each(|finding| finding.help = finding.help.take().map(|help| in_json(&help)));
        }
        if let Some(last) = all.last_mut().filter(|_| self.left_out > 0) {
            last.notes.push(format!("{} more findings are not shown", self.left_out));
        }
        (all, failed)
    }

    pub(crate) fn report(&mut self, finding: Diagnostic) {
        let list = if finding.severity() == Severity::Error { &mut self.errors } else { &mut self.warnings };
        if list.len() < MAX_FINDINGS { list.push(finding) } else { self.left_out += 1 }
    }

    /// Creates a finding at a place. [`report`](Self::report) adds it.
    pub(crate) fn finding(
        &self,
        code: Code,
        message: impl Into<String>,
        (span, label): (Range<usize>, &str),
        place: &Place,
    ) -> Diagnostic {
        let mut finding = Diagnostic::new(code, message).at(self.source, span, label);
        finding.pointer = (place.pointer.len() <= MAX_POINTER).then(|| place.pointer.clone());
        finding.notes.extend(place.at.as_ref().map(|at| format!("at: {at}")));
        finding
    }

    /// Suggests the text `new` for the scalar at `span`, in the quotes that the source uses.
    pub(crate) fn suggest_text(&self, finding: Diagnostic, span: &Range<usize>, old: &str, new: &str) -> Diagnostic {
        self.edit(finding, self.edits().rename(span, old, new))
    }

    /// Adds an edit, if there is one.
    pub(crate) fn edit(&self, finding: Diagnostic, edit: Option<TextEdit>) -> Diagnostic {
        match edit {
            Some((span, new)) => finding.suggest(self.source, span, new),
            None => finding,
        }
    }

    /// Edits of the source.
    pub(crate) fn edits(&self) -> Text<'s> {
        Text { source: self.source }
    }

    /// Suggests `new`, quotes included, for the scalar at `span`.
    pub(crate) fn suggest(&self, finding: Diagnostic, span: &Range<usize>, old: &str, new: &str) -> Diagnostic {
        match self.source.text().get(span.clone()).and_then(|source| quote(source, old)) {
            Some(_) => finding.suggest(self.source, span.clone(), new),
            None => finding,
        }
    }

    /// The mapping at `node`. Reports any other value.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, place: Place, subject: &'static str) -> Option<Map<'n>> {
        if let Data::Object(_) = node.data {
            return Some(Map { node, place, subject, misspelt: Vec::new() });
        }
        self.wrong_type_with_help(node, &place, subject, "a mapping", advice::mapping(&node.data, subject));
        None
    }

    /// Rejects keys that are not in `keys`. Call it before [`required`](Self::required), which does not report a key as
    /// missing if an unknown one resembles it.
    pub(crate) fn only(&mut self, map: &mut Map<'_>, keys: &[&str]) {
        let Data::Object(members) = &map.node.data else { return };
        for member in members.iter().filter(|m| !keys.contains(&m.key.as_str())) {
            // The search for a similar key takes too long to do it for findings that are not kept.
            if self.errors.len() >= MAX_FINDINGS {
                self.left_out += 1;
                continue;
            }
            // A value in place of a key may be a credential.
            let (name, place) = if is_name(&member.key) && has_colon(self.source.text(), &member.key_span) {
                (format!(" {}", quoted(&member.key)), map.below(&member.key))
            } else {
                (String::new(), map.place.clone())
            };
            let message = format!("unknown key{name} in {}", map.subject);
            let finding = self.finding(codes::UNKNOWN_KEY, message, (member.key_span.clone(), ""), &place);
            let alias = advice::alias(&member.key, keys).filter(|key| map.get(key).is_none());
            let alias = alias.map(|key| (key, Applicability::NeedsReview));
            let finding = match similar(&member.key, keys.iter().copied()).or(alias) {
                Some((key, applicability)) => {
                    // The map may have that key already, or one key may be misspelt twice.
                    let is_free = map.get(key).is_none() && !map.misspelt.iter().any(|other| other == key);
                    map.misspelt.push(key.to_owned());
                    let finding = finding.help(did_you_mean(key));
                    match is_free {
                        true => self.suggest_text(finding, &member.key_span, &member.key, key),
                        false => finding,
                    }
                    .with_applicability(applicability)
                }
                None => finding.help(format!("the keys here are {}", listed(keys))),
            };
            self.report(finding);
        }
    }

    /// The member `key`. Reports a missing one.
    pub(crate) fn required<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n Member> {
        let member = map.get(key);
        if member.is_none() && !map.misspelt.iter().any(|misspelt| misspelt == key) {
            let message = format!("missing key `{key}` in {}", map.subject);
            let mut finding = self.finding(codes::MISSING_KEY, message, (map.head(), ""), &map.place);
            finding.help = advice::missing(key, map.subject);
            // The one key whose value is always the same.
            if key == "version" {
                finding = self.edit(finding, self.edits().insert_first(map.node, "version", "1"));
            }
            self.report(finding);
        }
        member
    }

    /// The string at the member `key`. Reports any other value.
    pub(crate) fn text<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n str> {
        let member = map.get(key)?;
        self.string(&member.value, &map.below(key), key)
    }

    /// Like [`text`](Self::text), but also rejects the empty string.
    pub(crate) fn filled<'n>(&mut self, map: &Map<'n>, key: &str) -> Option<&'n str> {
        let member = map.get(key)?;
        self.filled_string(&member.value, &map.below(key), key)
    }

    /// The string at a node that `key` names in messages. Also rejects the empty string.
    pub(crate) fn filled_string<'n>(&mut self, node: &'n Node, place: &Place, key: &str) -> Option<&'n str> {
        let text = self.string(node, place, key)?;
        if text.is_empty() {
            let message = format!("`{key}` must not be empty");
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

    /// The elements of the member `key` with their places; empty if the member is absent or not a list.
    pub(crate) fn elements<'n>(&mut self, map: &Map<'n>, key: &str) -> Vec<(&'n Node, Place)> {
        let Some(member) = map.get(key) else { return Vec::new() };
        let place = map.below(key);
        let Data::Array(items) = &member.value.data else {
            let help = advice::list(&member.value.data, key);
            self.not_a_list(&member.value, &place, key, help);
            return Vec::new();
        };
        items.iter().enumerate().map(|(i, item)| (item, place.below(&i.to_string()))).collect()
    }

    /// Rejects an empty list.
    pub(crate) fn not_empty(&mut self, map: &Map<'_>, key: &str) {
        let Some(member) = map.get(key) else { return };
        if matches!(&member.value.data, Data::Array(items) if items.is_empty()) {
            let message = format!("`{key}` must not be empty");
            let at = (member.value.span.clone(), "");
            let mut finding = self.finding(codes::EMPTY_LIST, message, at, &map.below(key));
            finding.help = advice::element(key);
            self.report(finding);
        }
    }

    /// The list of strings at the member `key`. Rejects empty strings.
    pub(crate) fn texts(&mut self, map: &Map<'_>, key: &str) -> Vec<String> {
        let elements = self.elements(map, key);
        let element = format!("{key}[]");
        elements
            .iter()
            .filter_map(|(node, place)| self.filled_string(node, place, &element))
            .map(str::to_owned)
            .collect()
    }

    /// Reports a value that must be a list. A scalar, or a mapping in braces, becomes its one element.
    fn not_a_list(&mut self, node: &Node, place: &Place, key: &str, help: String) {
        let mut finding = self.wrong_type_finding(node, place, &format!("`{key}`"), "a list");
        if !matches!(node.data, Data::Null) {
            finding = self.edit(finding, self.edits().wrap(node));
        }
        // A mapping may be a list that is written by name.
        if matches!(node.data, Data::Object(_)) {
            finding = finding.for_review();
        }
        self.report(finding.help(help));
    }

    /// Reports a value of the wrong type, with a suggestion if the intention is clear.
    pub(crate) fn wrong_type(&mut self, node: &Node, place: &Place, subject: &str, want: &str) {
        self.wrong_type_with_help(node, place, subject, want, None);
    }

    /// Like [`wrong_type`](Self::wrong_type), with a help text that replaces the general one.
    pub(crate) fn wrong_type_with_help(
        &mut self,
        node: &Node,
        place: &Place,
        subject: &str,
        want: &str,
        help: Option<String>,
    ) {
        let mut finding = self.wrong_type_finding(node, place, subject, want);
        if let Some(new) = converted(&node.data, want).filter(|_| !place.secret) {
            finding = self.suggest(finding, &node.span, scalar_text(&node.data), &new);
        }
        finding.help = help.or_else(|| type_help(&node.data, want, place.secret));
        self.report(finding);
    }

    fn wrong_type_finding(&self, node: &Node, place: &Place, subject: &str, want: &str) -> Diagnostic {
        let label = match &node.data {
            Data::Null => "no value",
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
        self.finding(codes::WRONG_TYPE, format!("{subject} must be {want}"), (span, label), place)
    }
}

/// How to write a value of the wanted type. Values that may be credentials are not quoted.
fn type_help(data: &Data, want: &str, secret: bool) -> Option<String> {
    match (data, want) {
        (Data::Null, _) => Some("a key without a value is null: add a value, or remove the key".to_owned()),
        (Data::Number(_, text), "a string") if !secret && text.len() <= 40 => {
            Some(format!("put it in quotes: `\"{text}\"`"))
        }
        (Data::Bool(_), "a string") => Some("put it in quotes".to_owned()),
        (Data::String(text), "a number") if !secret && text.parse::<capgen_schema::Number>().is_ok() => {
            Some(format!("write `{text}`, without quotes"))
        }
        (Data::String(text), "a boolean") => truth(text).map(|b| format!("write `{b}`, without quotes")),
        (Data::Array(_), "a string") => Some("write one string, without brackets or `-`".to_owned()),
        _ => None,
    }
}

/// The text of a string, number or boolean.
fn scalar_text(data: &Data) -> &str {
    match data {
        Data::String(text) | Data::Number(_, text) => text,
        Data::Bool(true) => "true",
        Data::Bool(false) => "false",
        _ => "",
    }
}

/// The value as the wanted type, quotes included, if only its quotes are wrong.
fn converted(data: &Data, want: &str) -> Option<String> {
    match (data, want) {
        (Data::Number(..) | Data::Bool(_), "a string") => Some(format!("\"{}\"", scalar_text(data))),
        (Data::String(text), "a number") if text.parse::<capgen_schema::Number>().is_ok() => Some(text.clone()),
        (Data::String(text), "a boolean") => truth(text).map(|value| value.to_string()),
        _ => None,
    }
}

/// The boolean that YAML 1.1 or a human reader would see in a string.
fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" => Some(true),
        "false" | "no" | "off" | "n" | "0" => Some(false),
        _ => None,
    }
}

pub(crate) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Names in backticks, separated by commas.
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
