//! The stable codes of this crate's findings. A code never changes its meaning and is never used for another one.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    // Text: syntax and limits of YAML and JSON.

    /// Invalid YAML.
    pub YAML_SYNTAX = "E0001";
    /// Invalid JSON.
    pub JSON_SYNTAX = "E0002";
    /// A mapping with the same key twice.
    pub DUPLICATE_KEY = "E0003";
    /// A merge key, `<<`.
    pub MERGE_KEY = "E0004";
    /// A tag outside YAML's core schema, or one that does not fit its value.
    pub TAG = "E0005";
    /// More than one document in a file.
    pub SEVERAL_DOCUMENTS = "E0006";
    /// Values nested too deeply.
    pub TOO_DEEP = "E0007";
    /// Too many bytes or values, counting the copies that aliases make.
    pub TOO_LARGE = "E0008";
    /// An alias before the end of its anchor's value, or without an anchor.
    pub ALIAS = "E0009";
    /// A key that is missing, a mapping or a sequence.
    pub KEY = "E0010";
    /// Infinity or not-a-number.
    pub NOT_FINITE = "E0011";
    /// A number outside the range of binary64.
    pub NUMBER_RANGE = "E0012";
    /// Bytes that are not UTF-8.
    pub NOT_UTF8 = "E0013";
    /// An unescaped control character.
    pub CONTROL_CHARACTER = "E0014";
    /// A file without a value.
    pub EMPTY = "E0015";

    // The contents of `capabilities.yaml` and `fleet.yaml`.

    /// A key that the format does not have.
    pub UNKNOWN_KEY = "E0201";
    /// A required key is missing.
    pub MISSING_KEY = "E0202";
    /// A value that is missing or has the wrong type.
    pub WRONG_TYPE = "E0203";
    /// A `version` of the file format that is not 1.
    pub FORMAT_VERSION = "E0204";
    /// An `agent` that is not `agent://<id>`.
    pub AGENT = "E0205";
    /// A list that must not be empty.
    pub EMPTY_LIST = "E0206";
    /// A capability name outside the pattern.
    pub CAPABILITY_NAME = "E0207";
    /// Two capabilities with the same name and the same version.
    pub DUPLICATE_CAPABILITY = "E0208";
    /// A version that is not a semantic version.
    pub VERSION = "E0209";
    /// An entry of a version list that is neither a version nor a range.
    pub VERSION_RANGE = "E0210";
    /// A value outside a fixed set.
    pub UNKNOWN_VALUE = "E0211";
    /// A `timeoutMs` that is not a positive whole number.
    pub TIMEOUT = "E0212";
    /// An `id` that is not a reverse-domain name.
    pub CAPABILITY_ID = "E0213";
    /// A string that must not be empty.
    pub EMPTY_TEXT = "E0214";
    /// A path of the runtime that is not an absolute path of Rust.
    pub RUNTIME_PATH = "E0215";
    /// Several capabilities with one name that are not versions of one capability.
    pub CAPABILITY_VERSIONS = "E0216";
    /// A code of an error outside the pattern.
    pub ERROR_CODE = "E0217";
    /// Two errors of a capability with the same code.
    pub DUPLICATE_ERROR = "E0218";
    /// A status of an error that is not one of HTTP's for errors.
    pub ERROR_STATUS = "E0219";
    /// A method, path, webhook or status of `http` that is invalid.
    pub HTTP_OPERATION = "E0220";
    /// A parameter of `http` that is another one's duplicate, or has a style of another place.
    pub HTTP_PARAMETER = "E0221";
    /// A URL of `http` that is invalid, or may have credentials.
    pub HTTP_URL = "E0222";
    /// A requirement of `http` that names an unknown security scheme.
    pub HTTP_SECURITY = "E0223";
    /// An invalid entry of the list of accepted warnings.
    pub ACCEPTED_WARNING = "E0228";
    /// An output of `generate` in `fleet.yaml` that is invalid.
    pub OUTPUT = "E0229";
    /// A `contact` or `documentation` of an agent that is not an address or a URL.
    pub AGENT_ADDRESS = "E0230";
    /// Capability names that generated code must distinguish by a suffix.
    pub SIMILAR_NAMES = "W0201";
    /// Definitions that have the same name but differ.
    pub DIFFERENT_DEFINITIONS = "W0202";
    /// An address of an agent that another agent derives from its own.
    pub DERIVED_ADDRESS = "W0203";
    /// Roles or scopes that callers need, in a fleet that does not state who has them.
    pub AUTHORIZATION = "W0204";
    /// An accepted warning that does not occur.
    pub UNUSED_ACCEPTED = "W0205";

    // Files: the fleet and its peers.

    /// No fleet was found.
    pub NO_FLEET = "E0301";
    /// A peer that is not in the fleet.
    pub UNKNOWN_PEER = "E0302";
    /// A peer id outside the pattern.
    pub PEER_ID = "E0303";
    /// A file that cannot be read.
    pub UNREADABLE = "E0304";
    /// A file that belongs to a different agent than expected.
    pub WRONG_AGENT = "E0305";
    /// An agent that `fleet.yaml` lists twice.
    pub DUPLICATE_AGENT = "E0306";
    /// An agent of the fleet without a manifest.
    pub NO_MANIFEST = "E0307";
    /// An absolute path in `fleet.yaml`.
    pub FLEET_PATH = "E0308";
    /// A key of an agent in `fleet.yaml` with an invalid value.
    pub FLEET_KEY = "E0309";
    /// Two keys of an agent with the same id.
    pub DUPLICATE_FLEET_KEY = "E0310";

    // The selection of contracts.

    /// Nothing was selected, or the fleet has no contracts.
    pub NOTHING_SELECTED = "E0408";
}
