//! The tables of the keys below `http`, from which the checks and the JSON Schemas for editors follow.
//!
//! The objects that OpenAPI has too have the keys of OpenAPI, so that a document gives its operation back.

use crate::keys::{Key, Value};

/// A value below `http`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any string.
    Text,
    /// A string that is not empty and has no control characters.
    Name,
    Flag,
    OneOf(&'static [&'static str]),
    /// A method of HTTP, which is a token.
    Method,
    /// A URL, or a template of one, without credentials.
    Url,
    /// A path with the names of parameters in braces.
    Path,
    /// A mapping with these keys and no others.
    Keys(&'static [Key]),
    List(&'static Shape),
    /// A list with at least one element.
    FilledList(&'static Shape),
    /// A mapping from names.
    Named(&'static Shape),
    /// A mapping from statuses.
    Statuses(&'static Shape),
    /// A security scheme, whose keys depend on its type.
    Scheme,
}

const fn optional(name: &'static str, shape: &'static Shape, about: &'static str) -> Key {
    Key::optional(name, Value::Http(shape), about)
}

const fn required(name: &'static str, shape: &'static Shape, about: &'static str) -> Key {
    Key::required(name, Value::Http(shape), about)
}

/// The usual methods of operations: those that OpenAPI names.
pub(crate) const METHODS: [&str; 9] = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"];

/// The method of a webhook without one.
pub(crate) const WEBHOOK_METHOD: &str = "POST";

/// The places of parameters.
pub(crate) const PLACES: [&str; 4] = ["path", "query", "header", "cookie"];

/// The forms of parameters, each with the places that have it (OpenAPI 3.2, section 4.12.3).
pub(crate) const STYLES: [(&str, &[&str]); 8] = [
    ("simple", &["path", "header"]),
    ("form", &["query", "cookie"]),
    ("label", &["path"]),
    ("matrix", &["path"]),
    ("spaceDelimited", &["query"]),
    ("pipeDelimited", &["query"]),
    ("deepObject", &["query"]),
    ("cookie", &["cookie"]),
];

const STYLE_NAMES: [&str; 8] =
    ["simple", "form", "label", "matrix", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"];

/// The keys that the root of a manifest has as defaults, and each capability too.
pub(crate) const SHARED: [Key; 3] = [
    optional("servers", &SERVERS, "The servers. With an empty list, there is none, whatever the default is."),
    optional(
        "security",
        &SECURITY,
        "The requirements, one of which a call satisfies: the names of schemes, each with its scopes.",
    ),
    optional("securitySchemes", &SCHEMES, "The ways to authenticate, by the names that `security` uses."),
];

/// `http` at the root of a manifest.
pub(crate) const DEFAULTS: Shape = Shape::Keys(&SHARED);

/// `http` of a capability.
pub(crate) const OPERATION: Shape = Shape::Keys(&OPERATION_KEYS);

/// The keys of `http` of a capability, in the order in which they are written.
pub(crate) const OPERATION_KEYS: [Key; 9] = [
    optional("method", &Shape::Method, "The method, whose case matters; that of a webhook is `POST` by default."),
    optional("path", &Shape::Path, "The path below the URL of a server, with parameters in braces."),
    optional("webhook", &Shape::Name, "The name of a webhook, which has no path: the subscriber decides where it is."),
    SHARED[0],
    SHARED[1],
    SHARED[2],
    optional(
        "parameters",
        &Shape::FilledList(&Shape::Keys(&PARAMETER)),
        "The parameters; their values are in the members `path`, `query`, `header` and `cookie` of a request.",
    ),
    optional("body", &Shape::Keys(&BODY), "The body, which is the request, or its member `body` if it has parameters."),
    optional("responses", &Shape::Statuses(&Shape::Keys(&RESPONSE)), "The responses by status."),
];

const SERVERS: Shape = Shape::List(&Shape::Keys(&SERVER));

const SERVER: [Key; 4] = [
    required("url", &Shape::Url, "The URL, with variables in braces, and without credentials."),
    optional("name", &Shape::Name, "The name of the server."),
    optional("description", &Shape::Text, "Human-readable text."),
    optional("variables", &Shape::Named(&Shape::Keys(&VARIABLE)), "The variables of the URL."),
];

const VARIABLE: [Key; 3] = [
    required("default", &Shape::Text, "The value if no other is chosen."),
    optional("enum", &Shape::FilledList(&Shape::Text), "The values to choose from."),
    optional("description", &Shape::Text, "Human-readable text."),
];

const SECURITY: Shape = Shape::List(&Shape::Named(&Shape::List(&Shape::Text)));

const SCHEMES: Shape = Shape::Named(&Shape::Scheme);

/// A type, the keys that its schemes must have, and those that they may have.
pub(crate) type SchemeType = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The types of security schemes, each with the keys that it must have, and with those that it may have.
pub(crate) const SCHEME_TYPES: [SchemeType; 5] = [
    ("apiKey", &["name", "in"], &[]),
    ("http", &["scheme"], &["bearerFormat"]),
    ("mutualTLS", &[], &[]),
    ("oauth2", &["flows"], &["oauth2MetadataUrl"]),
    ("openIdConnect", &["openIdConnectUrl"], &[]),
];

/// The keys of all security schemes. Those that are not in [`SCHEME_TYPES`] belong to each type.
pub(crate) const SCHEME: [Key; 10] = [
    required(
        "type",
        &Shape::OneOf(&["apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"]),
        "The type of the scheme.",
    ),
    optional("description", &Shape::Text, "Human-readable text."),
    optional("deprecated", &Shape::Flag, "Whether the scheme should no longer be used."),
    optional("name", &Shape::Name, "The name of the parameter with the key."),
    optional("in", &Shape::OneOf(&["query", "header", "cookie"]), "The place of the parameter with the key."),
    optional("scheme", &Shape::Name, "The scheme of the header `Authorization`, such as `bearer`."),
    optional("bearerFormat", &Shape::Text, "The form of the token, such as `JWT`."),
    optional("flows", &Shape::Keys(&FLOWS), "The flows of OAuth 2.0."),
    optional("oauth2MetadataUrl", &Shape::Url, "The URL of the metadata of the authorization server."),
    optional("openIdConnectUrl", &Shape::Url, "The URL of the discovery document of OpenID Connect."),
];

const FLOW_SHAPE: Shape = Shape::Keys(&FLOW);

const FLOWS: [Key; 5] = [
    optional("implicit", &FLOW_SHAPE, "The implicit flow."),
    optional("password", &FLOW_SHAPE, "The flow with the password of the resource owner."),
    optional("clientCredentials", &FLOW_SHAPE, "The flow with the credentials of the client."),
    optional("authorizationCode", &FLOW_SHAPE, "The flow with an authorization code."),
    optional("deviceAuthorization", &FLOW_SHAPE, "The flow for devices."),
];

const FLOW: [Key; 5] = [
    optional("authorizationUrl", &Shape::Url, "The URL of the authorization."),
    optional("deviceAuthorizationUrl", &Shape::Url, "The URL of the authorization of devices."),
    optional("tokenUrl", &Shape::Url, "The URL of the token."),
    optional("refreshUrl", &Shape::Url, "The URL that refreshes a token."),
    optional("scopes", &Shape::Named(&Shape::Text), "The scopes, with their meanings."),
];

const STYLE: Key = optional("style", &Shape::OneOf(&STYLE_NAMES), "The form of the value, as OpenAPI names it.");
const EXPLODE: Key = optional("explode", &Shape::Flag, "Whether each element or member has a parameter of its own.");
const ALLOW_RESERVED: Key =
    optional("allowReserved", &Shape::Flag, "Whether reserved characters stay as they are, without encoding.");

const PARAMETER: [Key; 6] = [
    required("name", &Shape::Name, "The name."),
    required("in", &Shape::OneOf(&PLACES), "The place."),
    STYLE,
    EXPLODE,
    ALLOW_RESERVED,
    optional("content", &Shape::Name, "The media type of the value, in place of a style."),
];

const BODY: [Key; 2] = [
    required("mediaTypes", &Shape::FilledList(&Shape::Name), "The media types of the body."),
    optional("encoding", &Shape::Named(&Shape::Keys(&ENCODING)), "How the fields of a form are written."),
];

const ENCODING: [Key; 4] =
    [optional("contentType", &Shape::Name, "The media type of the field."), STYLE, EXPLODE, ALLOW_RESERVED];

const RESPONSE: [Key; 2] = [
    optional("mediaType", &Shape::Name, "The media type of the body; without one, the response has no body."),
    optional("code", &Shape::Name, "The declared error that has this status."),
];
