//! Whether callers can call providers with other versions, and the matrix of versions.
#![expect(clippy::unwrap_used, clippy::unreachable, reason = "a test fails by panicking")]

use capgen_evolve::{
    Assume, CallSettings, Compatibility, MatrixVersion, Refusal, can_call, can_call_described, matrix,
};
use capgen_manifest::{AgentId, Capability, Side};
use capgen_schema::Schema;

fn capability(version: &str, input: &str, output: &str) -> Capability {
    Capability {
        version: Some(version.parse().unwrap()),
        input: Some(Schema::parse_text(input).unwrap()),
        output: Some(Schema::parse_text(output).unwrap()),
        ..Capability::new("code-review")
    }
}

fn settings(assume: Assume) -> CallSettings {
    CallSettings { assume, ..CallSettings::default() }
}

/// The name of the refusal and its text.
fn refused(caller: &Capability, provider: &Capability, settings: &CallSettings) -> String {
    can_call(caller, provider, settings).unwrap_err().to_string()
}

const ANY: &str = "true";

#[test]
fn a_call_needs_requests_and_responses_that_fit() {
    let settings = settings(Assume::AnyPeer);
    let old = capability("1.0.0", r#"{"type": "string"}"#, r#"{"enum": ["a", "b"]}"#);
    let new = capability("1.1.0", r#"{"type": "string", "maxLength": 3}"#, r#"{"enum": ["a"]}"#);
    assert_eq!(can_call(&old, &old.clone(), &settings), Ok(()));
    let Err(Refusal::Incompatible(reason)) = can_call(&old, &new, &settings) else { unreachable!() };
    assert_eq!(reason.side, Side::Request);
    assert_eq!(reason.witness.unwrap().payload.canonical(), r#""aaaa""#);
    assert_eq!(reason.finding.unwrap().code.as_str(), "E0712");
    assert_eq!(
        refused(&new, &old, &settings),
        "response: `enum`: \"b\" added (E0709)".replace("`enum`: \"b\" added", &message(&new, &old))
    );
}

/// The message of the finding, which belongs to the rules.
fn message(caller: &Capability, provider: &Capability) -> String {
    let Err(Refusal::Incompatible(reason)) = can_call(caller, provider, &settings(Assume::AnyPeer)) else {
        unreachable!()
    };
    assert_eq!(reason.witness.as_ref().unwrap().payload.canonical(), r#""b""#);
    reason.finding.unwrap().message
}

#[test]
fn loose_sides_accept_everything() {
    let settings = settings(Assume::AnyPeer);
    let typed = capability("1.0.0", r#"{"type": "string"}"#, ANY);
    let loose = Capability { input: None, output: None, ..typed.clone() };
    assert_eq!(can_call(&typed, &loose, &settings), Ok(()));
    assert!(matches!(can_call(&loose, &typed, &settings), Err(Refusal::Incompatible(_))));
}

#[test]
fn the_reading_decides_about_new_optional_properties() {
    let old = capability("1.0.0", r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, ANY);
    let new = capability(
        "1.1.0",
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "limit": {"type": "integer"}}}"#,
        ANY,
    );
    assert!(can_call(&old, &new, &settings(Assume::AnyPeer)).is_err());
    assert_eq!(can_call(&old, &new, &settings(Assume::CapgenPeer)), Ok(()));
}

#[test]
fn a_definition_counts_as_open_because_other_capabilities_may_share_it() {
    let of = |version: &str, more: &str| {
        let text = format!(
            r##"{{"$ref": "#/definitions/d", "definitions": {{"d": {{"type": "object", "properties": {{"a": {{"type": "string"}}{more}}}}}}}}}"##
        );
        capability(version, &text, ANY)
    };
    let (old, new) = (of("1.0.0", ""), of("1.1.0", r#", "limit": {"type": "integer"}"#));
    assert!(can_call(&old, &new, &settings(Assume::CapgenPeer)).is_err());
    // With the whole contract, it is known that none does.
    let [old_version, new_version] =
        [&old, &new].map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&[old_version, new_version], &settings(Assume::CapgenPeer));
    assert_eq!(cells[0][1], Compatibility::Full);
}

#[test]
fn versions_that_are_not_served_are_refused_whatever_the_schemas() {
    let settings = settings(Assume::AnyPeer);
    let old = capability("1.0.0", ANY, ANY);
    let least = Capability { min_schema_version: Some("1.1.0".parse().unwrap()), ..capability("2.0.0", ANY, ANY) };
    assert_eq!(
        refused(&old, &least, &settings),
        "the provider serves callers with version 1.1.0 or later, but the caller has version 1.0.0"
    );
    assert_eq!(can_call(&capability("1.1.0", ANY, ANY), &least, &settings), Ok(()));
    let ranges =
        Capability { supported_versions: vec![">=1.5.0 <2.0.0".parse().unwrap()], ..capability("2.0.0", ANY, ANY) };
    assert_eq!(
        refused(&old, &ranges, &settings),
        "the provider serves the versions >=1.5.0 <2.0.0, but the caller has version 1.0.0"
    );
    assert_eq!(can_call(&capability("1.6.0", ANY, ANY), &ranges, &settings), Ok(()));
    assert_eq!(can_call(&capability("2.0.0", ANY, ANY), &ranges, &settings), Ok(()), "the own version is served");
    let unversioned = Capability { version: None, ..old };
    assert_eq!(can_call(&unversioned, &ranges, &settings), Ok(()));
}

#[test]
fn a_release_before_since_does_not_offer_the_capability() {
    let caller = Capability { since: Some("1.1.0".to_owned()), ..capability("1.0.0", ANY, ANY) };
    let of = |release: &str| CallSettings { release: Some(release.parse().unwrap()), ..CallSettings::default() };
    assert_eq!(can_call(&caller, &caller, &of("1.1.0")), Ok(()));
    let text = "the provider offers the capability since release 1.1.0, but its release is 1.0.9";
    assert_eq!(refused(&caller, &caller, &of("1.0.9")), text);
    let words = Capability { since: Some("spring".to_owned()), ..caller };
    assert_eq!(can_call(&words, &words, &of("1.0.0")), Ok(()));
}

#[test]
fn other_capabilities_are_refused_unless_they_have_the_same_id() {
    let settings = settings(Assume::AnyPeer);
    let a = capability("1.0.0", ANY, ANY);
    let b = Capability { name: "review".to_owned(), ..a.clone() };
    assert_eq!(refused(&a, &b, &settings), "the caller calls `code-review`, but the provider offers `review`");
    let id = |capability: Capability| Capability { id: Some("org.example.review".to_owned()), ..capability };
    assert_eq!(can_call(&id(a), &id(b), &settings), Ok(()));
}

#[test]
fn descriptors_with_equal_hashes_are_not_analysed() {
    let settings = settings(Assume::AnyPeer);
    let agent = AgentId::new("reviewer");
    let old = capability("1.0.0", r#"{"type": "string"}"#, ANY).to_descriptor(agent.as_ref());
    let new = capability("1.1.0", r#"{"type": "string", "maxLength": 3}"#, ANY).to_descriptor(agent.as_ref());
    assert!(matches!(can_call_described(&old, &new, &settings), Err(Refusal::Incompatible(_))));
    assert_eq!(can_call_described(&new, &old, &settings), Ok(()));
    let mut broken = old.clone();
    broken.input_schema = Some("not JSON".to_owned());
    assert_eq!(can_call_described(&old, &broken, &settings), Ok(()), "equal hashes");
    broken.hash = String::new();
    assert!(matches!(can_call_described(&old, &broken, &settings), Err(Refusal::InvalidDescriptor(_))));
    let mut least = old.clone();
    least.min_schema_version = Some("1.0.1".to_owned());
    assert!(matches!(can_call_described(&old, &least, &settings), Err(Refusal::TooOld { .. })), "versions count first");
}

#[test]
fn a_search_that_ends_at_the_budget_is_a_refusal() {
    let old = capability("1.0.0", r#"{"type": "string", "pattern": "^(a|b)*a(a|b){12}$"}"#, ANY);
    let new = capability("1.0.0", r#"{"type": "string", "pattern": "^(a|b)*b(a|b){12}$"}"#, ANY);
    let tiny = CallSettings { steps: capgen_schema::Steps(3), ..CallSettings::default() };
    let Err(Refusal::Incompatible(reason)) = can_call(&old, &new, &tiny) else { unreachable!() };
    assert!(reason.undecided.is_some() && reason.witness.is_none());
}

/// The example of section 3.2 of the draft of AMP RFC 004.
#[test]
fn the_matrix_of_the_draft() {
    let closed = |properties: &str, required: &str| {
        format!(
            r#"{{"type": "object", "additionalProperties": false, "required": [{required}], "properties": {{{properties}}}}}"#
        )
    };
    let text = r#"{"type": "string"}"#;
    let code = format!(r#""code": {text}"#);
    let two = format!(r#"{code}, "language": {text}"#);
    let response =
        |more: &str| format!(r#"{{"type": "object", "properties": {{"issues": {{"type": "array"}}{more}}}}}"#);
    let v1 = capability("1.0.0", &closed(&code, r#""code""#), &response(""));
    // Since 1.5.0, requests may have a language.
    let v15 = capability("1.5.0", &closed(&two, r#""code""#), &response(""));
    let v2 = Capability {
        deprecated_versions: vec!["1.0.0".parse().unwrap()],
        ..capability("2.0.0", &closed(&two, r#""code""#), &response(r#", "score": {"type": "number"}"#))
    };
    let versions =
        [&v1, &v15, &v2].map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&versions, &CallSettings::default());
    let names: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(Compatibility::name).collect()).collect();
    assert_eq!(
        names,
        [["full", "full", "partial"], ["incompatible", "full", "full"], ["incompatible", "partial", "full"]]
    );
    assert_eq!(cells[0][2], Compatibility::Partial(vec!["the provider will stop serving version 1.0.0".to_owned()]));
    let Compatibility::Partial(reasons) = &cells[2][1] else { unreachable!() };
    assert!(reasons[0].starts_with("works only if both are built with capgen: otherwise response:"), "{reasons:?}");
    assert_eq!(reasons[1], "the provider does not know `/score` of the response");
}

#[test]
fn missing_properties_are_listed_once_at_their_outermost_object() {
    let of = |version: &str, input: &str| capability(version, input, ANY);
    let known = of(
        "1.1.0",
        r##"{"type": "object", "properties": {"a": {"$ref": "#/definitions/n"}, "list": {"type": "array", "items": {"$ref": "#/definitions/n"}}},
            "definitions": {"n": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {}}}, "self": {"$ref": "#/definitions/n"}}}}}"##,
    );
    let offered =
        of("1.0.0", r#"{"type": "object", "properties": {"a": {"type": "object"}, "list": {"type": "array"}}}"#);
    let versions =
        [&known, &offered].map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&versions, &CallSettings::default());
    let list = ["/a/self", "/a/x", "/list/*/self", "/list/*/x"];
    let expected = list.map(|path| format!("the provider does not know `{path}` of the request")).to_vec();
    assert_eq!(cells[0][1], Compatibility::Partial(expected));
    // A provider that knows more is a restriction only because any peer may send other values under the new name.
    let one = of("1.0.0", r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#);
    let two = of("1.1.0", r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}"#);
    let versions =
        [&one, &two].map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&versions, &CallSettings::default());
    let Compatibility::Partial(reasons) = &cells[0][1] else { unreachable!() };
    assert!(reasons.len() == 1 && reasons[0].contains("built with capgen"), "{reasons:?}");
    let cells = matrix(&versions, &settings(Assume::CapgenPeer));
    assert_eq!(cells[0][1], Compatibility::Full);
}
