//! The stable codes of findings in other formats. A code never changes its meaning and is never used for another one.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    /// A document that does not have the form of its format.
    pub WRONG_FORM = "E0901";
    /// An entry, such as a tool, without a part that its format requires.
    pub MALFORMED_ENTRY = "E0902";
    /// Two entries with the same name, or with the same id.
    pub DUPLICATE_ENTRY = "E0903";
    /// A part of an entry, written by an export of capgen, that is invalid.
    pub INVALID_MARK = "E0904";
    /// A document without anything to import.
    pub NOTHING_TO_IMPORT = "E0905";
    /// An operation of OpenAPI with a part that a capability cannot express, such as a body that is not JSON.
    pub UNSUPPORTED_OPERATION = "E0911";
    /// A schema that has only definitions, so that it accepts every value.
    pub ONLY_DEFINITIONS = "E0931";
    /// An agent card without schemas, whose skills accept and return every value.
    pub LOOSE_SKILLS = "N0931";
    /// A tool that the provider of a model runs, so that it has no schema.
    pub BUILT_IN_TOOL = "N0932";
    /// A format that is not checked.
    pub UNCHECKED_FORMAT = "N0901";
    /// A keyword that the dialect ignores, because it is next to `$ref`, or because other drafts have it.
    pub IGNORED_KEYWORD = "N0902";
    /// A discriminator that becomes a required property of each branch.
    pub DISCRIMINATOR = "N0903";
    /// A keyword that is not one of JSON Schema.
    pub UNKNOWN_KEYWORD = "N0904";
    /// A format that is checked, although its dialect makes it an annotation.
    pub CHECKED_FORMATS = "N0905";
    /// A body that is not JSON.
    pub OTHER_BODY = "N0911";
    /// A response without a schema that applies to all successful answers.
    pub LOOSE_RESPONSE = "N0912";
    /// A body with several types of JSON.
    pub SEVERAL_BODIES = "N0913";
    /// A part of a schema that an import widened.
    pub LOSS = "W0901";
    /// `nullable` at a place where its dialect does not define it.
    pub NULLABLE = "W0902";
    /// A discriminator that does not distinguish the branches of its union.
    pub OVERLAPPING_BRANCHES = "W0903";
    /// A pattern with syntax of Python or Rust.
    pub PATTERN_SYNTAX = "W0904";
    /// A reference that leads nowhere in the schema whose URI is around it, read as one to the document.
    pub ROOT_REFERENCE = "W0905";
    /// A pattern of names without line breaks, read as every name.
    pub EVERY_NAME = "W0906";
    /// A keyword in the form of another draft.
    pub OTHER_FORM = "W0907";
    /// A list of tools whose last page names a further one.
    pub INCOMPLETE_LIST = "W0931";
    /// The parameters of a path are not those of its template.
    pub PATH_PARAMETERS = "W0911";
    /// A part of an operation of HTTP that a manifest cannot have, such as a server whose URL has a password.
    pub HTTP_LEFT_OUT = "W0912";
    /// A member that OpenAPI does not have, such as a method in capital letters.
    pub IGNORED_MEMBER = "W0913";
}
