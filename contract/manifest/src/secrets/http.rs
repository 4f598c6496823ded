//! The keys below `http` whose values may be displayed.

/// The keys of `http` whose value is a mapping with keys of `http`, or a list of them.
pub(super) const HTTP_OBJECTS: [&str; 9] = [
    "authorizationCode",
    "body",
    "clientCredentials",
    "deviceAuthorization",
    "flows",
    "implicit",
    "parameters",
    "password",
    "servers",
];

/// The keys of `http` whose value is a URL.
pub(super) const HTTP_URLS: [&str; 7] = [
    "authorizationUrl",
    "deviceAuthorizationUrl",
    "oauth2MetadataUrl",
    "openIdConnectUrl",
    "refreshUrl",
    "tokenUrl",
    "url",
];

/// The keys of `http` whose value is a scalar or a list of scalars. Those of the variables of servers are not
/// displayed: a variable may have a key as its value.
pub(super) const HTTP_TEXTS: [&str; 18] = [
    "allowReserved",
    "bearerFormat",
    "code",
    "content",
    "contentType",
    "deprecated",
    "description",
    "explode",
    "in",
    "mediaType",
    "mediaTypes",
    "method",
    "name",
    "path",
    "scheme",
    "style",
    "type",
    "webhook",
];
