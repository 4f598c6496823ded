//! Names of the types of declared errors.

use capgen_codegen::public_items::changes;
use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::{Manifest, Side, Source, load};

fn contract(capabilities: &str) -> Manifest {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n{capabilities}"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap_or_else(|findings| panic!("{findings:#?}")).manifest
}

/// The text in a language, with the items for calls.
fn generated(contract: &Manifest, language: Language) -> String {
    let options = Options { calls: true, ..Options::default() };
    let files = generate_with(contract, &[language], &options, &Regenerate::anywhere(&contract.agent));
    let name = files.keys().find(|name| name.starts_with("shop.")).cloned().unwrap();
    files[&name].clone()
}

/// The names of the types of details, sorted.
fn details(contract: &Manifest) -> Vec<String> {
    let text = generated(contract, Language::TypeScript);
    let name = |line: &str| {
        let name = line.strip_prefix("export type ")?.split(' ').next()?;
        name.contains("Details").then(|| name.to_owned()).filter(|name| !name.contains("DetailsOf"))
    };
    let mut names: Vec<String> = text.lines().filter_map(name).collect();
    names.sort();
    names
}

const EQUAL: &str = "  - { name: a, errors: [{ code: FULL, detailsSchema: { type: object, properties: { n: { type: integer } } } }] }
  - { name: b, errors: [{ code: FULL, detailsSchema: { properties: { n: { type: integer } }, type: object, title: T } }] }
";

#[test]
fn equal_details_of_a_code_have_one_type() {
    assert_eq!(details(&contract(EQUAL)), ["FullDetails"]);
    let differs = EQUAL.replace("title: T", "required: [n]");
    assert_eq!(details(&contract(&differs)), ["AFullDetails", "BFullDetails"]);
}

#[test]
fn details_leave_the_names_of_others_to_them() {
    // Of a capability, of a definition that schemas share, and of another code.
    let named = |other: &str| details(&contract(&format!("{EQUAL}{other}")));
    assert_eq!(named("  - { name: full-details }\n")[..2], ["AFullDetails", "BFullDetails"]);
    let definition = "{ $ref: \"#/definitions/FullDetails\", definitions: { FullDetails: { enum: [x, y] } } }";
    let names = named(&format!("  - {{ name: c, inputSchema: {definition} }}\n"));
    assert_eq!(names, ["AFullDetails", "BFullDetails", "FullDetails"]);
    let other = "  - { name: c, errors: [{ code: FULL_, detailsSchema: { enum: [x, y] } }] }\n";
    assert_eq!(named(other), ["AFullDetails", "BFullDetails", "CFullDetails"]);
}

#[test]
fn names_do_not_depend_on_the_order_of_capabilities_and_errors() {
    let errors = [
        "{ code: A_B, detailsSchema: { type: object, properties: { x: { enum: [1, 2] } } } }",
        "{ code: A__B, detailsSchema: { type: object, properties: { x: { enum: [p, q] } } } }",
    ];
    let text = |[first, second]: [&str; 2], [a, b]: [&str; 2]| {
        format!("  - {{ name: {a}, errors: [{first}, {second}] }}\n  - {{ name: {b}, errors: [{second}, {first}] }}\n")
    };
    let [first, second] = errors;
    let expected = details(&contract(&text([first, second], ["a", "b"])));
    assert_eq!(expected.len(), 4, "{expected:?}");
    assert_eq!(details(&contract(&text([second, first], ["a", "b"]))), expected);
    assert_eq!(details(&contract(&text([first, second], ["b", "a"]))), expected);
}

#[test]
fn variants_are_unique_and_not_reserved() {
    let codes = "  - { name: a, errors: [{ code: OTHER }, { code: SELF }, { code: A_B }, { code: A__B }] }\n";
    let text = generated(&contract(codes), Language::Rust);
    let start = text.find("pub enum AError {").unwrap();
    let variants: Vec<&str> = text[start..]
        .lines()
        .skip(1)
        .take_while(|line| line.trim() != "}")
        .filter_map(|line| Some(line.trim()).filter(|line| !line.starts_with("///")))
        .collect();
    assert_eq!(variants[..2], ["Other_,", "Self_,"]);
    assert!(variants[2].starts_with("ABX") && variants[3].starts_with("ABX") && variants[2] != variants[3]);
    assert_eq!(variants[4..], ["Other(::capgen::call::Failure),"]);
}

#[test]
fn the_class_of_errors_never_hides_one_of_the_language() {
    let text = generated(&contract("  - { name: type, errors: [{ code: A }] }\n"), Language::TypeScript);
    assert!(text.contains("export class TypeError_ extends FailedCallError<TypeErrors>"), "{text}");
}

#[test]
fn the_errors_of_the_plain_version_have_second_names() {
    let version = |version: &str, ty: &str| {
        format!("  - {{ name: a, version: {version}, errors: [{{ code: FULL, detailsSchema: {{ type: {ty} }} }}] }}\n")
    };
    let contract = contract(&(version("2.0.0", "string") + &version("1.0.0", "integer")));
    let text = generated(&contract, Language::TypeScript);
    for second in [
        "export type AV2FullDetails = AFullDetails;",
        "export type AV2Errors = AErrors;",
        "export type AV2Failure = AFailure;",
        "export type AV2Error = AError;",
        "export const AV2Error: typeof AError = AError;",
        "export const isAV2FullDetails: typeof isAFullDetails = isAFullDetails;",
        "export class AV1Error extends",
    ] {
        assert!(text.contains(second), "{second}\n{text}");
    }
    let text = generated(&contract, Language::Rust);
    for second in ["pub use self::AError as AV2Error;", "pub use super::AV1Error as AError;", "pub enum AV1Error {"] {
        assert!(text.contains(second), "{second}\n{text}");
    }
}

#[test]
fn a_changed_type_of_details_affects_both_programs() {
    let error = |ty: &str| format!("  - {{ name: a, errors: [{{ code: FULL, detailsSchema: {{ enum: {ty} }} }}] }}\n");
    let changes = changes(&contract(&error("[x, y]")), &contract(&error("[x, y, z]")), &Options::default());
    assert!(!changes.is_empty());
    for change in changes {
        assert_eq!((change.side, change.error.as_deref()), (None::<Side>, Some("FULL")));
        assert!(change.text.ends_with("added (affects callers)"), "{}", change.text);
    }
}
