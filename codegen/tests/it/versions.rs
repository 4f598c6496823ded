//! Generated TypeScript for several versions of a capability.

use capgen_codegen::{Language, generate};
use capgen_manifest::{Source, load};

fn generated(capabilities: &str) -> String {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n{capabilities}"
    );
    let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
    generate(&contract.manifest, &[Language::TypeScript]).remove("shop.ts").unwrap()
}

/// The second names of functions and constants that a file exports, each with the first one.
fn second_names(text: &str) -> Vec<(String, String)> {
    // A line that is too long is broken after the equals sign.
    let text = text.replace(" =\n  ", " = ");
    let second = |line: &str| {
        let (name, rest) = line.strip_prefix("export const ")?.strip_suffix(';')?.split_once(": typeof ")?;
        let (first, value) = rest.split_once(" = ")?;
        assert_eq!(value, first);
        // The former name of the table has nothing to do with versions.
        (first != "capabilities").then_some(())?;
        Some((name.to_owned(), first.to_owned()))
    };
    text.lines().filter_map(second).collect()
}

/// Two versions, of which the higher one has a union with guards and an enum.
const VERSIONS: &str = "  - name: find
    version: 2.0.0
    timeoutMs: 500
    inputSchema:
      oneOf:
        - { type: object, properties: { kind: { const: id }, id: { type: string } }, required: [kind, id] }
        - { type: object, properties: { kind: { const: tag }, tag: { enum: [red, blue] } }, required: [kind, tag] }
  - name: find
    version: 1.0.0
    inputSchema: { enum: [a, b] }
";

#[test]
fn every_exported_value_of_the_plain_version_has_a_second_name() {
    let text = generated(VERSIONS);
    let names = second_names(&text);
    let exported = |name: &str| {
        [format!("export const {name}: "), format!("export const {name} ="), format!("export function {name}(")]
    };
    for (second, first) in &names {
        assert!(exported(first).iter().any(|start| text.contains(start)), "{first} of {second}\n{text}");
    }
    let seconds: Vec<&str> = names.iter().map(|(second, _)| second.as_str()).collect();
    assert_eq!(
        seconds,
        [
            "isFindV2Request",
            "parseFindV2Request",
            "assertFindV2Request",
            "findV2RequestTagTagValues",
            "hasFindV2RequestIdTag",
            "hasFindV2RequestTagTag",
            "findV2Request",
            "findV2Response",
            "findV2TimeoutMs",
        ]
    );
}

#[test]
fn a_second_name_never_takes_a_first_one() {
    // The type of this definition, which two schemas share, has a second name of the request.
    let shared =
        "inputSchema: { $ref: \"#/definitions/FindV2Request\", definitions: { FindV2Request: { enum: [x, y] } } }";
    let text = generated(&format!("{VERSIONS}  - name: a\n    {shared}\n  - name: b\n    {shared}\n"));
    assert!(text.contains("export type FindV2Request = \"x\" | \"y\";"), "{text}");
    assert!(text.contains("export const findV2RequestValues = "), "{text}");
    let seconds: Vec<String> = second_names(&text).into_iter().map(|(second, _)| second).collect();
    let expected = ["findV2RequestTagTagValues", "findV2Response", "findV2TimeoutMs"];
    assert_eq!(seconds, expected, "{text}");
}

#[test]
fn the_only_version_has_no_second_names() {
    let text = generated("  - { name: find, version: 2.0.0, inputSchema: { enum: [a, b] } }\n");
    assert_eq!(second_names(&text), []);
}
