//! No generated file contains a character that readers cannot see.

use capgen_codegen::{Language, generate};
use capgen_diagnostic::{is_other_space, is_unsafe};
use capgen_schema::Json;
use capgen_tests::contract::{Draft, contract, summary};

/// Format characters, fillers, tags, variation selectors, private use, line separators and spaces that are not U+0020.
const INVISIBLE: [char; 24] = [
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{17b4}',
    '\u{180e}',
    '\u{200b}',
    '\u{2028}',
    '\u{202e}',
    '\u{2066}',
    '\u{2800}',
    '\u{3000}',
    '\u{3164}',
    '\u{e000}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff9}',
    '\u{1d173}',
    '\u{e0041}',
    '\u{e0100}',
];

/// A schema with `text` in every place that reaches generated code.
fn schema(text: &str) -> String {
    let text = Json::String(text.to_owned()).canonical();
    let pattern = Json::String(format!("^[a{}]$", text.trim_matches('"'))).canonical();
    format!(
        r##"{{"type": "object", "description": {text}, "title": {text}, "required": [{text}, "q"], "properties": {{
            {text}: {{"enum": [{text}, "b", {{{text}: [{text}]}}], "description": {text}}},
            "p": {{"type": "string", "pattern": {pattern}, "description": {text}}},
            "u": {{"oneOf": [{{"type": "object", "properties": {{"kind": {{"const": {text}}}}}, "required": ["kind"]}},
                           {{"type": "object", "properties": {{"kind": {{"const": "k"}}}}, "required": ["kind"]}}]}}}},
            "additionalProperties": {{"const": {text}, "default": {text}, "examples": [{text}]}}}}"##
    )
}

#[test]
fn generated_code_has_no_invisible_characters() {
    for c in INVISIBLE {
        let text = format!("x{c}y");
        let mut draft = Draft::request("invisible", &schema(&text));
        draft.description = Some(text);
        let contract = contract("agent", &[draft]).unwrap_or_else(|findings| panic!("{}", summary(&findings)));
        for (path, content) in generate(&contract, &[Language::Rust, Language::TypeScript, Language::JavaScript]) {
            let found = content.lines().find(|line| line.chars().any(|c| is_unsafe(c) || is_other_space(c)));
            assert_eq!(found, None, "U+{:04X} in {path:?}", u32::from(c));
        }
    }
}
