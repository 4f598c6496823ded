//! The checks of the head of a request, and of the headers that mirror parts of its body.

use capgen_schema::{Json, Object};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN};
use hyper::{HeaderMap, Method, Request, StatusCode};

use super::{HttpOptions, Refusal};
use crate::header::decode;
use crate::http_names::{METHOD, NAME, REVISION};
use crate::message::{RequestId, RpcError, code, error_response};
use crate::meta;
use crate::revision::Revision;

/// Checks all but the body.
pub(super) fn head<B>(request: &Request<B>, options: &HttpOptions) -> Result<(), Refusal> {
    let headers = request.headers();
    let host = single(headers, HOST.as_str())?.map(without_port);
    if !host.is_some_and(|host| options.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the header `Host` is not allowed"));
    }
    let origin = single(headers, ORIGIN.as_str())?;
    if origin.is_some_and(|origin| !options.allowed_origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)))
    {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the header `Origin` is not allowed"));
    }
    if request.uri().path() != options.path {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "the path is another one"));
    }
    if request.method() != Method::POST {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "the HTTP method is not POST"));
    }
    let content_type = single(headers, CONTENT_TYPE.as_str())?.map(media_type);
    if !content_type.is_some_and(|value| value.eq_ignore_ascii_case("application/json")) {
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the Content-Type is not application/json"));
    }
    if !accepts_json(headers) {
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "the client does not accept application/json"));
    }
    Ok(())
}

fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// A client without the header accepts everything.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    values.peek().is_none()
        || values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).map(media_type).any(
            |value| ["application/json", "application/*", "*/*"].iter().any(|known| value.eq_ignore_ascii_case(known)),
        )
}

/// The host in a header `Host`, with the brackets of an IPv6 address.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The value of a header that occurs at most once.
pub(super) fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let invalid = || Refusal::new(StatusCode::BAD_REQUEST, &format!("the header `{name}` is invalid"));
    if second.is_some() {
        return Err(invalid());
    }
    first.map(|value| value.to_str().map(str::trim).map_err(|_| invalid())).transpose()
}

/// Checks the headers of a request of the revision 2026-07-28, and returns whether it is one.
///
/// A request is of this revision if its header or its body states it; then both must.
pub(super) fn mirrored(
    id: &RequestId,
    method: &str,
    params: &Object,
    headers: &HeaderMap,
    revision: Revision,
) -> Result<bool, Refusal> {
    let error = |code, message: String| {
        Refusal::of(StatusCode::BAD_REQUEST, error_response(Some(id), &RpcError::new(code, message)))
    };
    let meta = params.get("_meta");
    let stated = meta.and_then(|meta| meta.get(meta::REVISION));
    if stated.is_none() && !revision.is_stateless() {
        return Ok(false);
    }
    let missing = |key: &str| error(code::INVALID_PARAMS, format!("`_meta` has no valid `{key}`"));
    let stated = stated.and_then(Json::as_str).ok_or_else(|| missing(meta::REVISION))?;
    let name = (method == "tools/call").then(|| params.get("name").and_then(Json::as_str)).flatten();
    for (header, expected) in [(REVISION, Some(stated)), (METHOD, Some(method)), (NAME, name)] {
        let Some(expected) = expected else { continue };
        let value = single(headers, header)?;
        // Only names can be in base64.
        let value = if header == NAME { value.and_then(decode) } else { value.map(str::to_owned) };
        if value.as_deref() != Some(expected) {
            let message = format!("Header mismatch: the header `{header}` is missing, or differs from the body");
            return Err(error(code::HEADER_MISMATCH, message));
        }
    }
    if !revision.is_stateless() {
        // The header and the body state the same older revision.
        let body = error_response(Some(id), &super::unsupported(stated));
        return Err(Refusal::of(StatusCode::BAD_REQUEST, body));
    }
    let capabilities = meta.and_then(|meta| meta.get(meta::CLIENT_CAPABILITIES)).and_then(Json::as_object);
    if capabilities.is_none() {
        return Err(missing(meta::CLIENT_CAPABILITIES));
    }
    Ok(true)
}
