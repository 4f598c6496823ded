//! The names of functions and constants that generated TypeScript does not export.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use capgen_codegen::{Language, generate};
use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
use capgen_schema::{Json, Schema};

/// The internal names in the file for a request with these properties.
fn internal_names(properties: &str) -> BTreeSet<String> {
    let schema = format!(r#"{{"type": "object", "properties": {{{properties}}}}}"#);
    let order = Capability { input: Some(Schema::parse_text(&schema).unwrap()), ..Capability::new("order") };
    let manifest = Manifest::new(AgentId::new("agent").unwrap(), vec![TransportSettings::memory("calls")], vec![order]);
    let files = generate(&manifest, &[Language::TypeScript]);
    let words = files.values().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let stems = ["check_", "pattern_", "set_", "names_"];
    words.filter(|word| stems.iter().any(|stem| word.starts_with(stem))).map(str::to_owned).collect()
}

const LINES: &str = r#""lines": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}}"#;

#[test]
fn a_change_elsewhere_does_not_rename_them() {
    let old = internal_names(LINES);
    assert_eq!(old.iter().map(String::as_str).collect::<Vec<_>>(), ["check_lines", "pattern_lines"]);
    let new = internal_names(&format!(r#""codes": {{"type": "array", "items": {{"pattern": "^[0-9]+$"}}}}, {LINES}"#));
    assert!(new.is_superset(&old) && new.contains("check_codes") && new.contains("pattern_codes"), "{new:?}");
}

#[test]
fn hostile_and_equal_names_stay_short_and_unique() {
    let long = "x".repeat(10_000);
    let property =
        |name: &str, pattern: &str| format!(r#"{}: {{"pattern": "^{pattern}$"}}"#, Json::from(name).canonical());
    let properties = [(long.as_str(), "a"), ("a-b", "b"), ("aB", "c"), ("*/ alert(1) //", "d"), ("\u{202e}", "e")];
    let names = internal_names(&properties.map(|(name, pattern)| property(name, pattern)).join(", "));
    assert_eq!(names.len(), properties.len(), "{names:?}");
    assert!(names.contains("pattern_aB") && names.contains("pattern_aB2"), "{names:?}");
    assert!(names.iter().all(|name| name.len() <= "pattern_".len() + 40 && name.is_ascii()), "{names:?}");
}
