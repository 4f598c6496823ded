//! A checked schema: an arena of nodes whose references are resolved.

use crate::{Json, Number, Pattern, Problem, TypeSet};

/// A checked schema of the subset.
///
/// Every subschema, including those under `definitions`, is a [`Node`] in one arena. A `$ref` is an edge to another
/// node, so code that walks a schema never has to resolve a pointer.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(crate) nodes: Vec<Node>,
    pub(crate) definitions: Vec<(String, NodeId)>,
    pub(crate) source: Json,
    pub(crate) warnings: Vec<Problem>,
}

/// The id of a node of one [`Schema`]. It is meaningless in another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The position of the node in [`Schema::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One subschema.
#[derive(Clone, Debug)]
pub struct Node {
    /// JSON Pointer from the root of the schema.
    pub pointer: String,
    /// Its assertions.
    pub kind: Kind,
    /// Its annotations.
    pub annotations: Annotations,
}

/// The kind of a subschema.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool(bool),
    /// `$ref`.
    Ref(NodeId),
    /// The assertion keywords of a schema object; `{}` has none.
    Assertions(Box<Assertions>),
}

/// The assertion keywords of one schema object ([draft-07
/// validation](https://json-schema.org/draft-07/json-schema-validation)). An absent keyword is `None`, empty or
/// `false`.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "each field is the keyword of its name")]
pub struct Assertions {
    pub types: Option<TypeSet>,
    pub enum_values: Option<Vec<Json>>,
    pub const_value: Option<Json>,
    /// In source order.
    pub properties: Vec<(String, NodeId)>,
    /// In source order.
    pub required: Vec<String>,
    /// In source order.
    pub pattern_properties: Vec<(Pattern, NodeId)>,
    pub additional_properties: Option<NodeId>,
    /// Only assertions about strings, and at least one. They apply to the names of an object's members.
    pub property_names: Option<Box<Assertions>>,
    /// All members of an object count, whether or not `properties` declares them.
    pub min_properties: Option<u64>,
    pub max_properties: Option<u64>,
    /// `dependentRequired` and `dependencies`: for the name of a property, the names that it requires, at least one.
    /// In source order.
    pub dependent_required: Vec<(String, Vec<String>)>,
    /// `items` as one schema, which applies to every item.
    pub items: Option<NodeId>,
    /// `items` as a list of schemas, one for each of the first items. It does not limit how many items there are. If it
    /// is not empty, then `items` is `None`.
    pub tuple: Vec<NodeId>,
    /// The schema of the items after those of `tuple`. `None` if `tuple` is empty.
    pub additional_items: Option<NodeId>,
    /// At least one item of an array matches it.
    pub contains: Option<NodeId>,
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub exclusive_minimum: Option<Number>,
    pub exclusive_maximum: Option<Number>,
    /// Greater than zero.
    pub multiple_of: Option<Number>,
    /// In code points. Saturates at `u64::MAX`, as do the other lengths.
    pub min_length: Option<u64>,
    /// In code points.
    pub max_length: Option<u64>,
    pub pattern: Option<Pattern>,
    pub format: Option<Format>,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub unique_items: bool,
    pub one_of: Option<Vec<NodeId>>,
    pub any_of: Option<Vec<NodeId>>,
    pub all_of: Option<Vec<NodeId>>,
    pub not: Option<NodeId>,
    /// A condition. It is present if and only if `then` or `else` is.
    pub if_: Option<NodeId>,
    /// Applies to the values that match `if`.
    pub then: Option<NodeId>,
    /// Applies to the values that do not match `if`.
    pub else_: Option<NodeId>,
}

/// The keywords that assert nothing.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "each field is the keyword of its name")]
pub struct Annotations {
    pub title: Option<String>,
    pub description: Option<String>,
    /// A format that is not checked.
    pub x_format: Option<String>,
    pub deprecated: bool,
    pub read_only: bool,
    pub write_only: bool,
    pub default: Option<Json>,
    pub examples: Vec<Json>,
}

/// The formats of the subset. Each is an assertion, and applies to strings only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// `uuid`: the textual form of [RFC 4122 section 3](https://www.rfc-editor.org/rfc/rfc4122#section-3).
    Uuid,
    /// `email`: a mailbox of [RFC 5321 section 4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2).
    Email,
    /// `uri`: a URI (absolute) of [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986).
    Uri,
    /// `uri-reference`: a URI or a relative reference of [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986).
    UriReference,
    /// `date-time`: `date-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6),
    /// including leap seconds.
    DateTime,
    /// `date`: `full-date` of the same section.
    Date,
    /// `time`: `full-time` of the same section, with an offset.
    Time,
    /// `duration`: `duration` of [RFC 3339 appendix A](https://www.rfc-editor.org/rfc/rfc3339#appendix-A).
    Duration,
    /// `ipv4`: `dotted-quad` of [RFC 2673 section 3.2](https://www.rfc-editor.org/rfc/rfc2673#section-3.2).
    Ipv4,
    /// `ipv6`: an address of [RFC 4291 section 2.2](https://www.rfc-editor.org/rfc/rfc4291#section-2.2), without a
    /// zone.
    Ipv6,
    /// `hostname`: a name of [RFC 1123 section 2.1](https://www.rfc-editor.org/rfc/rfc1123#section-2.1). The content of
    /// labels with `xn--` is not checked.
    Hostname,
    /// `idn-email`: a mailbox of [RFC 6531 section 3.3](https://www.rfc-editor.org/rfc/rfc6531#section-3.3). The tables
    /// of IDNA are not applied.
    IdnEmail,
    /// `iri`: an IRI (absolute) of [RFC 3987](https://www.rfc-editor.org/rfc/rfc3987).
    Iri,
    /// `uri-template`: a template of [RFC 6570](https://www.rfc-editor.org/rfc/rfc6570).
    UriTemplate,
    /// `json-pointer`: a pointer of [RFC 6901 section 3](https://www.rfc-editor.org/rfc/rfc6901#section-3).
    JsonPointer,
    /// `regex`: a regular expression of [ECMA-262](https://tc39.es/ecma262/2024/#sec-patterns) with the `u` flag, of at
    /// most 65,536 UTF-16 code units and 200 levels of groups. The names of Unicode properties are not looked up.
    Regex,
}

impl Schema {
    /// The root.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The node of an id of this schema.
    pub fn node(&self, id: NodeId) -> &Node {
        #[expect(clippy::indexing_slicing, reason = "ids are made with their node and never outlive the schema")]
        &self.nodes[id.0 as usize]
    }

    /// Every node. The root is first, a parent comes before its children, and siblings are in source order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// The node itself, or if it is a reference, the node at the end of the chain of references.
    pub fn resolve(&self, mut id: NodeId) -> NodeId {
        // The loader rejects cycles of references, so this ends.
        while let Kind::Ref(target) = self.node(id).kind {
            id = target;
        }
        id
    }

    /// The assertions of a node, references resolved; `None` for the schemas `true` and `false`.
    pub fn assertions(&self, id: NodeId) -> Option<&Assertions> {
        match &self.node(self.resolve(id)).kind {
            Kind::Assertions(assertions) => Some(assertions),
            Kind::Bool(_) | Kind::Ref(_) => None,
        }
    }

    /// The members of the root's `definitions`, in source order.
    pub fn definitions(&self) -> &[(String, NodeId)] {
        &self.definitions
    }

    /// The schema as it was written, apart from `dependencies`, which is `dependentRequired` here.
    pub fn source(&self) -> &Json {
        &self.source
    }

    /// The findings of the loader that are not errors.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}

impl Kind {
    /// The subschemas that apply to the same place of the payload, and the target of a reference.
    pub fn in_place(&self) -> impl Iterator<Item = NodeId> {
        let target = if let Kind::Ref(target) = self { Some(*target) } else { None };
        let assertions = if let Kind::Assertions(assertions) = self { Some(assertions) } else { None };
        let applied = assertions.into_iter().flat_map(|a| {
            let lists = [&a.all_of, &a.any_of, &a.one_of].into_iter().flatten().flatten();
            lists.chain(&a.not).chain(&a.if_).chain(&a.then).chain(&a.else_).copied()
        });
        target.into_iter().chain(applied)
    }

    /// The subschemas that apply to properties or items.
    pub fn below(&self) -> impl Iterator<Item = NodeId> {
        let assertions = if let Kind::Assertions(assertions) = self { Some(assertions) } else { None };
        assertions.into_iter().flat_map(|a| {
            let properties = a.properties.iter().map(|(_, id)| *id);
            let patterns = a.pattern_properties.iter().map(|(_, id)| *id);
            let items = a.items.into_iter().chain(a.tuple.iter().copied()).chain(a.additional_items);
            properties.chain(patterns).chain(a.additional_properties).chain(items).chain(a.contains)
        })
    }

    /// Every subschema that applies to this place or below it. Members of `definitions` are included only as targets.
    pub fn children(&self) -> impl Iterator<Item = NodeId> {
        self.in_place().chain(self.below())
    }
}

impl Assertions {
    /// Whether it has no keywords, as in `{}`.
    pub fn is_empty(&self) -> bool {
        self.keywords().next().is_none()
    }

    /// Whether `propertyNames` allows a name. A pattern that reaches its step limit rejects it.
    pub fn allows_name(&self, name: &str) -> bool {
        let Some(names) = &self.property_names else { return true };
        let length = || name.chars().count() as u64;
        names.min_length.is_none_or(|limit| length() >= limit)
            && names.max_length.is_none_or(|limit| length() <= limit)
            && names.pattern.as_ref().is_none_or(|pattern| pattern.is_match(name) == Ok(true))
            && names.format.is_none_or(|format| format.accepts(name))
    }

    /// The subschemas of the `patternProperties` whose pattern matches a name. A pattern that reaches its step limit
    /// does not match here.
    pub fn patterns_of(&self, name: &str) -> impl Iterator<Item = NodeId> {
        let matching = self.pattern_properties.iter().filter(move |(pattern, _)| pattern.is_match(name) == Ok(true));
        matching.map(|(_, id)| *id)
    }

    /// The subschema that applies to the item with an index.
    pub fn item_at(&self, index: usize) -> Option<NodeId> {
        self.tuple.get(index).copied().or(self.additional_items).or(self.items)
    }

    /// The names of the keywords that are present, in the order of the fields.
    pub fn keywords(&self) -> impl Iterator<Item = &'static str> {
        let keywords = [
            ("type", self.types.is_some()),
            ("enum", self.enum_values.is_some()),
            ("const", self.const_value.is_some()),
            ("properties", !self.properties.is_empty()),
            ("required", !self.required.is_empty()),
            ("patternProperties", !self.pattern_properties.is_empty()),
            ("additionalProperties", self.additional_properties.is_some()),
            ("propertyNames", self.property_names.is_some()),
            ("minProperties", self.min_properties.is_some()),
            ("maxProperties", self.max_properties.is_some()),
            ("dependentRequired", !self.dependent_required.is_empty()),
            ("items", self.items.is_some() || !self.tuple.is_empty()),
            ("additionalItems", self.additional_items.is_some()),
            ("contains", self.contains.is_some()),
            ("minimum", self.minimum.is_some()),
            ("maximum", self.maximum.is_some()),
            ("exclusiveMinimum", self.exclusive_minimum.is_some()),
            ("exclusiveMaximum", self.exclusive_maximum.is_some()),
            ("multipleOf", self.multiple_of.is_some()),
            ("minLength", self.min_length.is_some()),
            ("maxLength", self.max_length.is_some()),
            ("pattern", self.pattern.is_some()),
            ("format", self.format.is_some()),
            ("minItems", self.min_items.is_some()),
            ("maxItems", self.max_items.is_some()),
            ("uniqueItems", self.unique_items),
            ("oneOf", self.one_of.is_some()),
            ("anyOf", self.any_of.is_some()),
            ("allOf", self.all_of.is_some()),
            ("not", self.not.is_some()),
            ("if", self.if_.is_some()),
            ("then", self.then.is_some()),
            ("else", self.else_.is_some()),
        ];
        keywords.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
    }
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 16] = [
        Format::Uuid,
        Format::Email,
        Format::Uri,
        Format::UriReference,
        Format::DateTime,
        Format::Date,
        Format::Time,
        Format::Duration,
        Format::Ipv4,
        Format::Ipv6,
        Format::Hostname,
        Format::IdnEmail,
        Format::Iri,
        Format::UriTemplate,
        Format::JsonPointer,
        Format::Regex,
    ];

    /// Its name in a schema.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Uuid => "uuid",
            Format::Email => "email",
            Format::Uri => "uri",
            Format::UriReference => "uri-reference",
            Format::DateTime => "date-time",
            Format::Date => "date",
            Format::Time => "time",
            Format::Duration => "duration",
            Format::Ipv4 => "ipv4",
            Format::Ipv6 => "ipv6",
            Format::Hostname => "hostname",
            Format::IdnEmail => "idn-email",
            Format::Iri => "iri",
            Format::UriTemplate => "uri-template",
            Format::JsonPointer => "json-pointer",
            Format::Regex => "regex",
        }
    }

    /// The format with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}
