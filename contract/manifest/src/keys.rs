//! The tables of the keys of `capabilities.yaml` and `fleet.yaml`, except the optional keys of a capability, which are
//! in `capgen-descriptor`, and the options of generated code, which are in `options.rs`.
//!
//! The readers take the names from here, and the JSON Schemas for editors everything else.

use crate::http::keys::{DEFAULTS, OPERATION, Shape};
use crate::{About, Side};

/// A key of a mapping.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    pub(crate) value: Value,
    /// Its meaning, in one or two sentences.
    pub(crate) about: &'static str,
}

/// The values of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// The number 1.
    FormatVersion,
    /// `agent://<id>`.
    AgentUri,
    /// The id of an agent.
    AgentId,
    /// A relative path.
    Path,
    /// The name of a capability.
    CapabilityName,
    /// Any string.
    Text,
    /// A string that is not empty.
    FilledText,
    /// An email address or a URL.
    Contact,
    /// A URL with the scheme `https`.
    HttpsUrl,
    /// A list of strings that are not empty, with at least one element.
    FilledTexts,
    Flag,
    /// A mapping with any keys.
    Mapping,
    Any,
    /// A schema of the subset.
    Schema,
    /// A list of transports, with at least one element.
    Transports,
    /// A list of capabilities, with at least one element.
    Capabilities,
    /// A list of agents.
    Agents,
    /// The options of generated code, and the outputs.
    Options,
    /// A list of outputs, with at least one element.
    Outputs,
    /// `all`, or a list of ids.
    Peers,
    /// A list of relative paths, with at least one element.
    Paths,
    /// A list of paths, or of mappings with the settings of an import, with at least one element.
    McpSources,
    /// `all`, or a list of names of formats.
    AnnotatedFormats,
    /// `git`, or a list of paths.
    History,
    /// The settings of calls.
    Calls,
    /// A list of public keys of agents.
    FleetKeys,
    /// Roles and scopes by agent.
    Grants,
    /// 32 bytes in base64url.
    PublicKey,
    /// A day or a time.
    Time,
    /// A list of strings that are not empty.
    Words,
    Skew,
    Assume,
    /// A list of declared errors, with at least one element.
    Errors,
    ErrorCode,
    /// The status of an error over HTTP.
    ErrorStatus,
    /// A list of accepted warnings.
    AcceptedWarnings,
    /// The code of a warning.
    WarningCode,
    /// The name of a capability of the file, or `<name>@<version>`.
    CapabilityLabel,
    /// A JSON Pointer.
    Pointer,
    /// A value of `http`, or below it.
    Http(&'static Shape),
}

impl Key {
    pub(crate) const fn required(name: &'static str, value: Value, about: &'static str) -> Self {
        Self { name, is_required: true, value, about }
    }

    pub(crate) const fn optional(name: &'static str, value: Value, about: &'static str) -> Self {
        Self { name, is_required: false, value, about }
    }

    /// A key of the reference runtime, which is not read here.
    const fn foreign(name: &'static str) -> Self {
        Self::optional(name, Value::Any, "A key of agent runtimes, which capgen ignores.")
    }
}

/// The names of keys.
pub(crate) fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

const FORMAT_VERSION: &str = "The version of the file format.";

/// The texts about an agent.
pub(crate) const ABOUT: [Key; 4] = [
    Key::optional(About::KEYS[0], Value::Text, "The purpose of the agent, for readers and models."),
    Key::optional(About::KEYS[1], Value::FilledText, "The team or the person that is responsible for the agent."),
    Key::optional(
        About::KEYS[2],
        Value::Contact,
        "How to reach the owner: an email address, or a URL with `https://`.",
    ),
    Key::optional(About::KEYS[3], Value::HttpsUrl, "The URL of a page about the agent, with `https://`."),
];

/// The keys of `capabilities.yaml`.
pub(crate) const MANIFEST: [Key; 10] = [
    Key::required("version", Value::FormatVersion, FORMAT_VERSION),
    Key::required("agent", Value::AgentUri, "The agent that offers the capabilities: `agent://<id>`."),
    ABOUT[0],
    ABOUT[1],
    ABOUT[2],
    ABOUT[3],
    Key::required("transports", Value::Transports, "The ways to reach the agent."),
    Key::optional("http", Value::Http(&DEFAULTS), "The defaults for the key `http` of the capabilities that have it."),
    Key::required("capabilities", Value::Capabilities, "The calls that the agent accepts."),
    Key::optional("accepted", Value::AcceptedWarnings, "The warnings about this file that its author accepts."),
];

/// The keys of an accepted warning.
pub(crate) const ACCEPTED: [Key; 4] = [
    Key::required("code", Value::WarningCode, "The code of the warning, such as `W0103`."),
    Key::required("reason", Value::FilledText, "Why the warning is accepted."),
    Key::optional(
        "capability",
        Value::CapabilityLabel,
        "The capability that the warning is about: its name, or with several versions `<name>@<version>`.",
    ),
    Key::optional(
        "at",
        Value::Pointer,
        "The JSON Pointer of the place, or of one around it, in the capability or, without one, in the file.",
    ),
];

/// The first key of a capability.
pub(crate) const CAPABILITY_NAME: Key = Key::required(
    "name",
    Value::CapabilityName,
    "The name that callers use, unique in the file except for versions of one capability.",
);

/// The declared errors of a capability.
pub(crate) const ERRORS: Key = Key::optional(
    "errors",
    Value::Errors,
    "The errors that a call may fail with. A provider may fail with others too.",
);

/// The operation of HTTP of a capability.
pub(crate) const HTTP: Key = Key::optional(
    "http",
    Value::Http(&OPERATION),
    "The operation of HTTP, or the webhook, that the capability describes. Calls over the transports do not read it.",
);

/// The keys of a declared error.
pub(crate) const ERROR: [Key; 5] = [
    Key::required("code", Value::ErrorCode, "The code, unique in the capability."),
    Key::optional("description", Value::Text, "Human-readable text."),
    Key::optional("status", Value::ErrorStatus, "The status of the response over HTTP."),
    Key::optional("retryable", Value::Flag, "Whether the same request may succeed later. The default is `false`."),
    Key::optional("detailsSchema", Value::Schema, "The schema of the details. Without it, the error has no details."),
];

/// The last keys of a capability.
pub(crate) const SIDES: [Key; 2] = [
    Key::optional(
        Side::Request.schema_key(),
        Value::Schema,
        "The schema of a request. Without it, any JSON value is a request.",
    ),
    Key::optional(
        Side::Response.schema_key(),
        Value::Schema,
        "The schema of a response. Without it, any JSON value is a response.",
    ),
];

/// The keys of the mapping that names the channels of a transport.
pub(crate) const CHANNELS: [Key; 2] = [
    Key::required("requests", Value::FilledText, "The channel on which the agent receives requests."),
    Key::optional("responses", Value::FilledText, "The channel on which the agent sends responses."),
];

/// The keys of `fleet.yaml`: those of the reference runtime, of which only the first few are read here, and `generate`,
/// `calls`, `keys` and `grants`, which are ours.
pub(crate) const FLEET: [Key; 14] = [
    Key::optional("version", Value::FormatVersion, FORMAT_VERSION),
    // Unless the file has `generate`.
    Key::optional("agents", Value::Agents, "The agents of the fleet, and where their manifests are."),
    Key::optional("generate", Value::Options, "The options of generated code, which flags override, and the outputs."),
    Key::optional(
        "calls",
        Value::Calls,
        "The settings of clients and servers, which their builders and the environment override.",
    ),
    Key::optional("keys", Value::FleetKeys, "The public keys of agents, with which others verify their messages."),
    Key::optional("grants", Value::Grants, "The roles and scopes of agents, by the ids of the agents."),
    Key::optional("name", Value::Any, "The name of the fleet."),
    Key::optional("description", Value::Any, "An explanation of the fleet."),
    Key::foreign("runtime"),
    Key::foreign("environments"),
    Key::foreign("deploy"),
    Key::foreign("rpc"),
    Key::foreign("hosts"),
    Key::foreign("controlPlane"),
];

/// The keys of `generate` in `fleet.yaml` beside the options.
pub(crate) const GENERATE: [Key; 1] =
    [Key::optional("outputs", Value::Outputs, "The code that `capgen gen` generates without a selection.")];

/// The keys of an output in `fleet.yaml` beside the options, which replace those of `generate`.
pub(crate) const OUTPUT: [Key; 6] = [
    Key::optional("peers", Value::Peers, "The agents of the fleet, by id, or `all`."),
    Key::optional("capabilities", Value::Paths, "Manifests, relative to the folder of this file."),
    Key::optional("mcp", Value::McpSources, "Lists of the tools of MCP servers, relative to the folder of this file."),
    Key::optional("lang", Value::FilledTexts, "The languages; by default Rust and TypeScript."),
    Key::required("out", Value::Path, "The output folder, relative to the folder of this file."),
    Key::optional(
        "history",
        Value::History,
        "The older contracts of which generated servers have a table: `git`, or manifests.",
    ),
];

/// The keys of a list of tools of an output.
pub(crate) const OUTPUT_IMPORT: [Key; 5] = [
    Key::required("file", Value::Path, "The file with the tools, relative to the folder of this file."),
    Key::optional("agent", Value::AgentId, "The id of the agent, without `agent://`."),
    Key::optional("lossy", Value::Flag, "Whether schemas that a contract cannot express are widened."),
    Key::optional("skip", Value::Flag, "Whether tools with errors are left out."),
    Key::optional("annotateFormats", Value::AnnotatedFormats, "The formats that are not checked: names, or `all`."),
];

/// The keys of an agent in `fleet.yaml`. Only the first two are read here.
pub(crate) const AGENT: [Key; 6] = [
    Key::required("id", Value::AgentId, "The id of the agent, without `agent://`."),
    Key::required(
        "path",
        Value::Path,
        "The folder of the agent, or its manifest, relative to the folder of this file.",
    ),
    Key::foreign("env"),
    Key::foreign("deploy"),
    Key::foreign("sessionDb"),
    Key::foreign("auditDb"),
];

/// The keys of `calls` in `fleet.yaml`.
pub(crate) const CALLS: [Key; 3] = [
    Key::optional("skew", Value::Skew, "The least policy for callers whose contract differs from the provider's."),
    Key::optional("assume", Value::Assume, "The programs that comparisons of contracts assume on both ends."),
    Key::optional(
        "accepted",
        Value::Path,
        "The file of accepted findings, relative to the folder of this file, such as `capgen-accepted.yaml`.",
    ),
];

/// The keys of a public key in `fleet.yaml`.
pub(crate) const FLEET_KEY: [Key; 4] = [
    Key::required("agent", Value::AgentId, "The id of the agent that has the private key, without `agent://`."),
    Key::required("keyId", Value::FilledText, "The id of the key, unique among those of the agent."),
    Key::required("ed25519", Value::PublicKey, "The 32 bytes of the public key in base64url without padding."),
    Key::optional(
        "notAfter",
        Value::Time,
        "The last day (in UTC) or the last time at which signatures are accepted, such as `2027-01-31`.",
    ),
];

/// The keys of a grant in `fleet.yaml`.
pub(crate) const GRANT: [Key; 2] = [
    Key::optional("roles", Value::Words, "The roles of the agent."),
    Key::optional("scopes", Value::Words, "The scopes of the agent."),
];
