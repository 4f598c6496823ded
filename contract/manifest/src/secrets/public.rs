//! Which values of the format are public: a list of what may be displayed, so that anything unexpected is not.

use std::ops::Range;

use capgen_descriptor::{CAPABILITY_KEYS, ValueType};
use capgen_diagnostic::{public_text, public_url};

use super::http::{HTTP_OBJECTS, HTTP_TEXTS, HTTP_URLS};
use super::{Token, has_colon};
use crate::keys::{Key, OUTPUT, OUTPUT_IMPORT};
use crate::masked::is_name;
use crate::{Data, Node};

/// The meaning of a place in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Public {
    Contract,
    Capabilities,
    Capability,
    Fleet,
    /// The options of generated code in a fleet, or one of its outputs.
    Generate,
    Outputs,
    /// The lists of tools of an output.
    ToolLists,
    /// One of them: a path, or a mapping.
    ToolList,
    /// The settings of calls in a fleet.
    Calls,
    /// The public keys of agents in a fleet.
    Keys,
    /// A public key, which may be a private one by mistake.
    Key,
    /// An object whose keys are agents, with their roles and scopes.
    Grants,
    Grant,
    Agents,
    Agent,
    PeerTable,
    /// An object whose keys are agents.
    Peers,
    /// The transports of an agent, or a mapping that contains them.
    Peer,
    Schema,
    /// An object whose values are schemas.
    Schemas,
    /// Schemas in a list.
    SchemaList,
    /// A value in a document of another format. Where its schemas are depends on the format, so the keywords decide.
    Foreign,
    /// An object of another format whose keys are names, such as those of properties or responses.
    ForeignNames,
    /// Any JSON value.
    Data,
    /// A scalar, or a list of scalars.
    Text,
    /// A URL or a reference, of which nothing is displayed if it has secrets.
    Url,
    /// A name, a version or a path: a scalar without the punctuation of YAML and JSON. A missing quote makes other keys
    /// and values a part of it.
    Word,
    /// An unknown key, or a value of the wrong type. Booleans and null are displayed.
    Nothing,
    /// `http`, and the objects below it.
    Http,
    /// An object of `http` whose keys are names.
    HttpNames,
    /// An object of `http` whose keys are names and whose values are texts, or a list of them.
    HttpTexts,
    /// The settings of transports.
    Secret,
    /// A setting that is a scalar or a list of scalars. A key in it is a part of a value with a colon.
    SecretText,
}

/// The keywords whose value is a scalar or a list of scalars.
const TEXTS: [&str; 27] = [
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "deprecated",
    "description",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "x-format",
];

/// The keywords whose value is a URL.
const URLS: [&str; 4] = ["$dynamicRef", "$id", "$ref", "$schema"];

/// The members of other formats whose value is a scalar or a list of scalars, and no secret, in addition to [`TEXTS`].
const FOREIGN_TEXTS: [&str; 19] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "contentEncoding",
    "contentMediaType",
    "id",
    "in",
    "maxContains",
    "minContains",
    "name",
    "openapi",
    "operationId",
    "propertyName",
    "protocolVersion",
    "style",
    "summary",
    "swagger",
    "tags",
    "version",
];

/// The members of other formats whose keys are names, which are no keywords whatever they are.
const FOREIGN_NAMES: [&str; 12] = [
    "$defs",
    "callbacks",
    "content",
    "definitions",
    "dependentSchemas",
    "parameters",
    "paths",
    "patternProperties",
    "properties",
    "requestBodies",
    "responses",
    "schemas",
];

/// The members of other formats in which nothing is displayed, although they may contain the names of keywords.
const FOREIGN_SECRETS: [&str; 10] = [
    "auth",
    "authentication",
    "default",
    "env",
    "environment",
    "example",
    "examples",
    "headers",
    "security",
    "securitySchemes",
];

/// The settings of transports that are scalars or lists of scalars.
const SECRET_TEXTS: [&str; 8] = ["kind", "requests", "responses", "url", "ssl", "brokers", "servers", "region"];

impl Public {
    /// The meaning of a member; `None` if the format has no such key here.
    fn member(self, key: &str) -> Option<Public> {
        Some(match (self, key) {
            (Public::Contract, "version" | "agent") => Public::Word,
            (Public::Contract, "description" | "owner" | "contact") => Public::Text,
            (Public::Contract, "documentation") => Public::Url,
            (Public::Contract, "transports") => Public::Secret,
            (Public::Contract, "capabilities") => Public::Capabilities,
            (Public::Contract | Public::Capability, "http") => Public::Http,
            (Public::Capability, "name") => Public::Word,
            (Public::Capability, "inputSchema" | "outputSchema") => Public::Schema,
            (Public::Capability, key) => match CAPABILITY_KEYS.iter().find(|row| row.name == key)?.value_type {
                ValueType::Text | ValueType::NonEmptyText | ValueType::Words => Public::Text,
                _ => Public::Word,
            },
            (Public::Fleet, "version" | "name") => Public::Word,
            (Public::Fleet, "description") => Public::Text,
            (Public::Fleet, "agents") => Public::Agents,
            (Public::Fleet, "generate") => Public::Generate,
            (Public::Generate, "outputs") => Public::Outputs,
            (Public::Generate, "mcp") => Public::ToolLists,
            // The path of the runtime is any text by mistake, so it stays hidden.
            (Public::Generate, key) if key == "importExtension" || has_key(&OUTPUT, key) => Public::Word,
            (Public::ToolList, key) if has_key(&OUTPUT_IMPORT, key) => Public::Word,
            (Public::Fleet, "calls") => Public::Calls,
            (Public::Calls, "skew" | "assume" | "accepted") => Public::Word,
            (Public::Fleet, "keys") => Public::Keys,
            (Public::Fleet, "grants") => Public::Grants,
            (Public::Key, "agent" | "keyId" | "notAfter") => Public::Word,
            (Public::Key, "ed25519") => Public::Nothing,
            (Public::Grants, _) => Public::Grant,
            (Public::Grant, "roles" | "scopes") => Public::Text,
            (Public::Agent, "id" | "path") => Public::Word,
            (Public::PeerTable, "version") => Public::Word,
            (Public::PeerTable, "peers") => Public::Peers,
            (Public::Peers, _) => Public::Peer,
            (Public::Peer, "transports") => Public::Secret,
            (Public::Schema, "definitions" | "patternProperties" | "properties") => Public::Schemas,
            (
                Public::Schema,
                "additionalItems"
                | "additionalProperties"
                | "contains"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then",
            ) => Public::Schema,
            (Public::Schema, "allOf" | "anyOf" | "oneOf") => Public::SchemaList,
            (Public::Schema, "const" | "default" | "enum" | "examples") => Public::Data,
            (Public::Schema, "dependencies" | "dependentRequired") => Public::Data,
            (Public::Schema | Public::Foreign, key) if URLS.contains(&key) => Public::Url,
            (Public::Schema, key) if TEXTS.contains(&key) => Public::Text,
            (Public::Schemas, _) => Public::Schema,
            (Public::Foreign, key) if FOREIGN_SECRETS.contains(&key) => Public::Nothing,
            (Public::Foreign, key) if FOREIGN_NAMES.contains(&key) => Public::ForeignNames,
            (Public::Foreign, "const" | "enum" | "dependentRequired") => Public::Data,
            (Public::Foreign, key) if TEXTS.contains(&key) || FOREIGN_TEXTS.contains(&key) => Public::Text,
            (Public::ForeignNames, _) => Public::Foreign,
            (Public::Http, "security" | "scopes") => Public::HttpTexts,
            (Public::Http, "securitySchemes" | "responses" | "encoding") => Public::HttpNames,
            (Public::Http, key) if HTTP_OBJECTS.contains(&key) => Public::Http,
            (Public::Http, key) if HTTP_URLS.contains(&key) => Public::Url,
            (Public::Http, key) if HTTP_TEXTS.contains(&key) => Public::Text,
            (Public::HttpNames, _) => Public::Http,
            (Public::HttpTexts, _) => Public::Text,
            (Public::Data, _) => Public::Data,
            (Public::Secret, "topics" | "subjects" | "queues" | "sasl") => Public::Secret,
            (Public::Secret, key) if SECRET_TEXTS.contains(&key) => Public::SecretText,
            _ => return None,
        })
    }

    /// The meaning of a member whose key the format does not have.
    fn unknown(self) -> Public {
        if matches!(self, Public::Secret | Public::SecretText | Public::Foreign) { self } else { Public::Nothing }
    }

    fn element(self) -> Public {
        match self {
            Public::Capabilities => Public::Capability,
            Public::Agents => Public::Agent,
            Public::Outputs => Public::Generate,
            Public::ToolLists => Public::ToolList,
            Public::Keys => Public::Key,
            Public::Peer => Public::Secret,
            // `items` is a schema or a list of schemas.
            Public::SchemaList | Public::Schema => Public::Schema,
            Public::ForeignNames => Public::Foreign,
            Public::Data
            | Public::Text
            | Public::Url
            | Public::Word
            | Public::Secret
            | Public::SecretText
            | Public::Foreign
            | Public::Http
            | Public::HttpTexts => self,
            _ => Public::Nothing,
        }
    }
}

/// Whether the format has that key somewhere.
pub(super) fn is_known(key: &str) -> bool {
    let places = [
        Public::Contract,
        Public::Capability,
        Public::Fleet,
        Public::Generate,
        Public::ToolList,
        Public::Calls,
        Public::Key,
        Public::Grant,
        Public::Agent,
        Public::PeerTable,
        Public::Schema,
        Public::Http,
        Public::Secret,
    ];
    places.into_iter().any(|place| place.member(key).is_some())
}

fn has_key(keys: &[Key], key: &str) -> bool {
    keys.iter().any(|known| known.name == key)
}

/// The fewest tokens between two removals of copies: usual manifests have fewer, and a removal takes the time to sort
/// all of them.
pub(super) const MIN_TOKENS: usize = 10_000;

/// Collects the tokens of a tree.
pub(super) struct Walk<'t, 'n> {
    pub(super) text: &'t str,
    /// Whether the whole text is valid. If it is not, a quote may be missing, so texts are not trusted to end where
    /// they seem to.
    pub(super) is_valid: bool,
    pub(super) tokens: Vec<Token<'n>>,
    /// The number of tokens at which copies are removed.
    pub(super) limit: usize,
}

impl<'n> Walk<'_, 'n> {
    pub(super) fn tree(&mut self, root: &'n Node, meaning: Public) {
        let mut open = vec![(root, meaning)];
        while let Some((node, meaning)) = open.pop() {
            match &node.data {
                Data::Array(items) => {
                    open.extend(items.iter().map(|item| (item, self.element(node, item, meaning.element()))));
                }
                Data::Object(members) => {
                    for member in members {
                        let known = meaning.member(&member.key);
                        let shown = self.shown_key(&member.key, &member.key_span, known.is_some(), meaning);
                        self.push(&member.key_span, shown, &member.key, true);
                        open.push((&member.value, known.unwrap_or_else(|| meaning.unknown())));
                    }
                }
                scalar => {
                    let shown = self.shown(&node.span, meaning);
                    let text = if let Data::String(text) | Data::Number(_, text) = scalar { text } else { "" };
                    self.push(&node.span, shown, text, false);
                }
            }
        }
    }

    /// The meaning of an element: `[a: b]` is a list with a mapping, but more likely meant as a value with a colon.
    fn element(&self, list: &Node, item: &Node, meaning: Public) -> Public {
        let starts_with = |node: &Node, c| self.text.get(node.span.start..).is_some_and(|text| text.starts_with(c));
        let is_pair = matches!(item.data, Data::Object(_)) && starts_with(list, '[') && !starts_with(item, '{');
        let is_public = !matches!(meaning, Public::Secret | Public::Nothing);
        if is_pair && !is_public { Public::SecretText } else { meaning }
    }

    fn push(&mut self, span: &Range<usize>, shown: Option<Range<usize>>, text: &'n str, is_key: bool) {
        if !span.is_empty() {
            let shown = shown.unwrap_or(span.start..span.start);
            self.tokens.push(Token { span: span.clone(), shown, text, is_key });
            if self.tokens.len() >= self.limit {
                self.remove_copies();
            }
        }
    }

    /// Sorts the tokens and removes the copies that aliases make, of which there can be far more than characters.
    pub(super) fn remove_copies(&mut self) {
        self.tokens.sort_by_key(|token| (token.span.start, token.shown.is_empty()));
        self.tokens.dedup_by_key(|token| (token.span.start, token.shown.is_empty()));
        self.limit = (2 * self.tokens.len()).max(MIN_TOKENS);
    }

    fn shown_key(&self, key: &str, span: &Range<usize>, is_known: bool, at: Public) -> Option<Range<usize>> {
        let is_shown = match at {
            Public::Schemas | Public::ForeignNames | Public::HttpNames | Public::HttpTexts | Public::Data => {
                self.is_text(span)
            }
            _ if is_known => true,
            // Before an error, a part of a value may look like a key.
            Public::SecretText => false,
            _ => self.is_valid && (is_name(key) || is_version_label(key)) && has_colon(self.text, span),
        };
        is_shown.then(|| self.first_line(span))
    }

    fn shown(&self, span: &Range<usize>, meaning: Public) -> Option<Range<usize>> {
        let is_shown = match meaning {
            Public::Secret | Public::SecretText => false,
            Public::Text | Public::Data => self.is_text(span),
            Public::Url => self.is_text(span) && self.is_public_url(span),
            Public::Word | Public::ToolList => self.is_word(span),
            // The place of an alias or a tag with an error has a null too.
            _ => matches!(self.text.get(span.clone()), Some("true" | "false" | "null")),
        };
        is_shown.then(|| self.first_line(span))
    }

    fn is_text(&self, span: &Range<usize>) -> bool {
        let text = self.text.get(span.clone()).unwrap_or_default();
        public_text(text) == text && (self.is_valid || is_block(text) || self.is_word(span))
    }

    fn is_public_url(&self, span: &Range<usize>) -> bool {
        let text = self.text.get(span.clone()).unwrap_or_default().trim_matches(['"', '\'']);
        public_url(text) == text
    }

    fn is_word(&self, span: &Range<usize>) -> bool {
        let text = self.text.get(span.clone()).unwrap_or_default();
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'')).unwrap_or(' ');
        let inside = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(text);
        !inside.contains(['{', '}', '[', ']', ',', '"', '\'', '#', '@', '\n']) && !inside.contains(": ")
    }

    /// The lines of a block scalar; otherwise the first line: a missing quote makes the following lines a part of the
    /// text.
    fn first_line(&self, span: &Range<usize>) -> Range<usize> {
        let text = self.text.get(span.clone()).unwrap_or_default();
        let length = text.find('\n').filter(|_| !is_block(text)).unwrap_or(text.len());
        span.start..span.start + length
    }
}

/// Whether the text is the label of a version of a capability, such as `book-trip@1.4.0`, and not a user and a host.
fn is_version_label(text: &str) -> bool {
    let parts = text.split_once('@');
    parts.is_some_and(|(name, version)| {
        capgen_descriptor::name::is_name(name) && semver::Version::parse(version).is_ok()
    })
}

/// Whether the text is a block scalar. It ends where its indentation ends, whatever it contains.
fn is_block(text: &str) -> bool {
    text.starts_with(['|', '>'])
}
