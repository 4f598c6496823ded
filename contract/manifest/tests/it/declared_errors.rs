//! The key `errors` of a capability.

use capgen_manifest::{Diagnostic, Manifest, Source, capabilities_schema, load};
use serde_json::Value;

fn read(errors: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let text = format!(
        "version: 1\nagent: agent://trips\ntransports:\n  - kind: memory\n    topics: {{ requests: trips.requests }}\n\
         capabilities:\n  - name: book-trip\n    errors: {errors}\n"
    );
    load(&Source::new("capabilities.yaml", text)).map(|contract| contract.manifest)
}

fn codes(errors: &str) -> Vec<(String, String)> {
    let findings = read(errors).err().unwrap_or_default();
    let found =
        findings.iter().map(|finding| (finding.code.as_str().to_owned(), finding.pointer.clone().unwrap_or_default()));
    found.collect()
}

#[test]
fn every_key_is_read_and_written() {
    let manifest = read(
        "[{code: NO_SEATS, description: All are taken., status: 409, retryable: true,
           detailsSchema: {type: object, properties: {free: {type: integer}}}}, {code: CLOSED}]",
    )
    .unwrap();
    let errors = &manifest.capabilities[0].errors;
    assert_eq!(errors.len(), 2);
    let full = manifest.capabilities[0].error("NO_SEATS").unwrap();
    assert_eq!((full.description.as_deref(), full.status, full.retryable), (Some("All are taken."), Some(409), true));
    assert!(full.details.is_some() && errors[1].details.is_none() && !errors[1].retryable);
    let text = manifest.to_yaml();
    let again = load(&Source::new("capabilities.yaml", text.as_str())).unwrap().manifest;
    assert_eq!(again.to_yaml(), text);
    assert_eq!(again.capabilities[0].definition(), manifest.capabilities[0].definition());
    assert!(text.contains("      - code: NO_SEATS\n        description: All are taken.\n"), "{text}");
}

#[test]
fn all_mistakes_are_reported_at_their_places() {
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(code, place)| ((*code).to_owned(), format!("/capabilities/0/errors{place}"))).collect()
    };
    let found = codes(
        "[{code: no-seats, status: 200}, {code: A}, {code: A}, {status: 409.5}, {code: HTTP_404},
          {code: B, details: {}, retryable: 1, detailsSchema: {type: wrong}}, 7, {code: 5}, {code: C, status: '409'}]",
    );
    let expected = pairs(&[
        ("E0217", "/0/code"),
        ("E0219", "/0/status"),
        ("E0218", "/2/code"),
        ("E0202", "/3"),
        ("E0219", "/3/status"),
        ("E0217", "/4/code"),
        ("E0201", "/5/details"),
        ("E0203", "/5/retryable"),
    ]);
    assert_eq!(found[..expected.len()], expected);
    let rest: Vec<&str> = found[expected.len()..].iter().map(|(_, place)| place.as_str()).collect();
    let places = ["/5/detailsSchema/type", "/6", "/7/code", "/8/status"];
    assert_eq!(rest, places.map(|place| format!("/capabilities/0/errors{place}")));
    assert_eq!(codes("[]"), pairs(&[("E0206", "")]));
    assert_eq!(codes("{code: A}"), pairs(&[("E0203", "")]));
}

#[test]
fn a_code_in_another_style_is_corrected() {
    let findings = read("[{code: no-seats}]").unwrap_err();
    assert_eq!(findings[0].help.as_deref(), Some("write `NO_SEATS`"));
    assert!(findings[0].notes.iter().any(|note| note.contains("capability `book-trip`")), "{findings:?}");
}

#[test]
fn the_patterns_of_details_count_as_those_of_the_sides_do() {
    // Each alone is within the limit.
    let error =
        |number: usize| format!("{{code: E{number}, detailsSchema: {{pattern: '^x{number}(a{{1000}}){{100}}$'}}}}");
    let errors: Vec<String> = (0..200).map(error).collect();
    let found = codes(&format!("[{}]", errors.join(", ")));
    assert_eq!(found.iter().map(|(code, _)| code.as_str()).collect::<Vec<_>>(), ["E0124"]);
    assert!(found[0].1.starts_with("/capabilities/0/errors/"), "{found:?}");
}

#[test]
fn the_schema_for_editors_knows_the_keys() {
    let schema: Value = serde_json::from_str(&capabilities_schema().canonical()).unwrap();
    let errors = &schema["definitions"]["capability"]["properties"]["errors"];
    let keys: Vec<&str> = errors["items"]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    assert_eq!(errors["minItems"], 1);
}
