//! The JSON documents of `.dci`: reading their members, with every finding at its place.

use std::ops::Range;

use capgen_diagnostic::{Code, Diagnostic, Hidden, Source, quoted};
use capgen_manifest::{Data, Member, Node, parse_json};
use capgen_schema::pointer;

/// The version of every document.
const SCHEMA_VERSION: &str = "1";
/// A reader keeps this many findings, more than a user fixes at once: a hostile text can cause one per value.
const MAX_FINDINGS: usize = 100;

/// A document that is being read, and its findings.
pub(crate) struct Document<'s> {
    source: &'s Source,
    code: Code,
    findings: Vec<Diagnostic>,
}

/// A value with its JSON Pointer.
#[derive(Clone)]
pub(crate) struct Value<'n> {
    pub(crate) node: &'n Node,
    pub(crate) pointer: String,
}

impl<'n> Value<'n> {
    /// The value of a member.
    pub(crate) fn of(&self, member: &'n Member) -> Self {
        Self { node: &member.value, pointer: pointer::join(&self.pointer, &member.key) }
    }

    /// The value of the member with that key.
    pub(crate) fn member(&self, key: &str) -> Option<Self> {
        self.node.member(key).map(|member| self.of(member))
    }
}

impl<'s> Document<'s> {
    /// Reads a text with `read`, which gets the document and its root. The findings of the document's content have
    /// `code`.
    ///
    /// # Errors
    ///
    /// Those of [`parse_json`], or all findings of `read`.
    pub(crate) fn read<T>(
        source: &'s Source,
        code: Code,
        read: impl FnOnce(&mut Self, &Value<'_>) -> Option<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        // These documents contain no secrets: the first call wins, and the reader would hide every value.
        source.hide_with(|_| Hidden::default());
        let tree = parse_json(source)?;
        let mut document = Self { source, code, findings: Vec::new() };
        let found = read(&mut document, &Value { node: &tree, pointer: String::new() });
        match found {
            Some(found) if document.findings.is_empty() => Ok(found),
            _ => Err(document.findings),
        }
    }

    /// The members of an object.
    pub(crate) fn object<'n>(&mut self, value: &Value<'n>, what: &str) -> Option<&'n [Member]> {
        if let Data::Object(members) = &value.node.data {
            return Some(members);
        }
        self.add(format!("{what} must be an object"), value);
        None
    }

    /// Checks that an object has the members `keys` and no others.
    pub(crate) fn keys<'n>(&mut self, value: &Value<'n>, what: &str, keys: &[&str]) -> Option<&'n [Member]> {
        let members = self.object(value, what)?;
        for member in members.iter().filter(|member| !keys.contains(&member.key.as_str())) {
            let message = format!("unknown member {} in {what}", quoted(&member.key));
            let help = format!("its members are {}", keys.iter().map(|key| quoted(key)).collect::<Vec<_>>().join(", "));
            self.add_key(message, &value.of(member), member, Some(help));
        }
        for key in keys.iter().filter(|key| members.iter().all(|member| member.key != **key)) {
            self.add(format!("missing member {} in {what}", quoted(key)), value);
        }
        Some(members)
    }

    /// The elements of an array.
    pub(crate) fn array<'n>(&mut self, value: &Value<'n>, what: &str) -> Vec<Value<'n>> {
        let Data::Array(items) = &value.node.data else {
            self.add(format!("{what} must be an array"), value);
            return Vec::new();
        };
        let at = |index: usize| pointer::join(&value.pointer, &index.to_string());
        items.iter().enumerate().map(|(index, node)| Value { node, pointer: at(index) }).collect()
    }

    /// A string.
    pub(crate) fn text<'n>(&mut self, value: &Value<'n>, what: &str) -> Option<&'n str> {
        if let Data::String(text) = &value.node.data {
            return Some(text);
        }
        self.add(format!("{what} must be a string"), value);
        None
    }

    /// An integer within a range.
    pub(crate) fn integer(&mut self, value: &Value<'_>, what: &str, range: Range<i64>) -> Option<i64> {
        let number = match &value.node.data {
            Data::Number(number, _) => number.as_i64().filter(|number| range.contains(number)),
            _ => None,
        };
        if number.is_none() {
            let (least, most) = (range.start, range.end - 1);
            self.add(format!("{what} must be an integer from {least} to {most}"), value);
        }
        number
    }

    /// Checks the member `schema_version`.
    pub(crate) fn schema_version(&mut self, root: &Value<'_>) {
        let Some(value) = root.member("schema_version") else { return };
        if !matches!(&value.node.data, Data::String(text) if text == SCHEMA_VERSION) {
            self.add(format!("`schema_version` must be \"{SCHEMA_VERSION}\""), &value);
        }
    }

    /// Adds a finding at a value.
    pub(crate) fn add(&mut self, message: String, value: &Value<'_>) {
        let span = match value.node.data {
            // A label under a whole object would underline pages.
            Data::Array(_) | Data::Object(_) => value.node.span.start..value.node.span.start + 1,
            _ => value.node.span.clone(),
        };
        self.push(message, span, &value.pointer, None);
    }

    /// Adds a finding at the key of a member.
    pub(crate) fn add_key(&mut self, message: String, value: &Value<'_>, member: &Member, help: Option<String>) {
        self.push(message, member.key_span.clone(), &value.pointer, help);
    }

    fn push(&mut self, message: String, span: Range<usize>, pointer: &str, help: Option<String>) {
        if self.findings.len() < MAX_FINDINGS {
            let mut finding = Diagnostic::new(self.code, message).at(self.source, span, "").pointer(pointer);
            finding.help = help;
            self.findings.push(finding);
        }
    }
}
