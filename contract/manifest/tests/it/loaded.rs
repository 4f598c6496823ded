//! A loaded contract keeps the spans of its file, so that a finding about two contracts points into both files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_diagnostic::{Code, Diagnostic, render};
use capgen_manifest::{LoadedContract, Side, Source, load};

const HEAD: &str = "version: 1\nagent: agent://shop\ntransports: [{ kind: memory, topics: { requests: q } }]\n";

fn loaded(path: &str, capabilities: &str) -> LoadedContract {
    load(&Source::new(path, format!("{HEAD}capabilities:\n{capabilities}"))).unwrap()
}

fn old() -> LoadedContract {
    loaded("v1.yaml", "  - name: find\n    inputSchema:\n      type: string\n      maxLength: 10\n")
}

fn new() -> LoadedContract {
    loaded("v2.yaml", "  - name: list\n  - name: find\n    inputSchema: { type: string, maxLength: 5 }\n")
}

/// The text at a pointer into the request schema of `manifest.capabilities[index]`.
fn text_at(contract: &LoadedContract, index: usize, node: &str) -> Option<String> {
    let span = contract.span(&(contract.schema_pointer(index, Side::Request) + node))?;
    contract.source.text().get(span).map(str::to_owned)
}

#[test]
fn spans_are_found_by_the_pointers_of_schema_nodes() {
    assert_eq!(text_at(&old(), 0, "/maxLength").as_deref(), Some("10"));
    assert_eq!(text_at(&new(), 1, "/maxLength").as_deref(), Some("5"));
    assert_eq!(text_at(&new(), 1, "/minLength"), None);
    let key = old().spans.key("/capabilities/0/inputSchema/maxLength").unwrap();
    assert_eq!(old().source.text().get(key), Some("maxLength"));
    assert_eq!(old().spans.key("/capabilities/0"), None);
}

#[test]
fn pointers_are_unescaped_and_reach_into_quoted_and_copied_values() {
    let contract = loaded(
        "a.yaml",
        "  - name: a\n    inputSchema:\n      properties: { \"x/y~z\": &text { type: string } }\n\
         \x20   outputSchema:\n      properties: { z: *text }\n",
    );
    assert_eq!(text_at(&contract, 0, "/properties/x~1y~0z/type").as_deref(), Some("string"));
    let copied = contract.span("/capabilities/0/outputSchema/properties/z/type");
    assert_eq!(copied, contract.span("/capabilities/0/inputSchema/properties/x~1y~0z/type"), "the span of the anchor");
}

#[test]
fn a_label_is_at_the_nearest_value_and_at_the_key_of_a_block() {
    let contract = old();
    let labelled = |pointer: &str| {
        let label = contract.label(pointer, "");
        contract.source.text().get(label.span).unwrap().to_owned()
    };
    assert_eq!(labelled("/capabilities/0/inputSchema/maxLength"), "10");
    assert_eq!(labelled("/capabilities/0/inputSchema/minLength"), "inputSchema");
    assert_eq!(labelled("/capabilities/0/inputSchema"), "inputSchema");
    assert_eq!(labelled("/agent"), "agent://shop");
}

/// A finding about two versions of a contract.
fn finding() -> Diagnostic {
    let (old, new) = (old(), new());
    let pointer = new.schema_pointer(1, Side::Request) + "/maxLength";
    Diagnostic::new(Code::new("E0999"), "`maxLength` is smaller than before")
        .label(new.label(&pointer, "now 5"))
        .label(old.label(&(old.schema_pointer(0, Side::Request) + "/maxLength"), "was 10"))
        .pointer(pointer)
}

#[test]
fn every_format_points_into_both_files() {
    let finding = [finding()];
    assert_eq!(
        render::human(&finding, false),
        "\
error[E0999]: `maxLength` is smaller than before
 --> v2.yaml:7:45
  |
7 |     inputSchema: { type: string, maxLength: 5 }
  |                                             ^ now 5
  |
 ::: v1.yaml:8:18
  |
8 |       maxLength: 10
  |                  -- was 10
"
    );
    assert_eq!(
        render::json_lines(&finding),
        concat!(
            r#"{"code":"E0999","severity":"error","message":"`maxLength` is smaller than before","#,
            r#""path":"v2.yaml","line":7,"column":45,"endLine":7,"endColumn":46,"label":"now 5","#,
            r#""related":[{"path":"v1.yaml","line":8,"column":18,"endLine":8,"endColumn":20,"label":"was 10"}],"#,
            r#""pointer":"/capabilities/1/inputSchema/maxLength"}"#,
            "\n",
        )
    );
    assert_eq!(
        render::github(&finding),
        "::error file=v2.yaml,line=7,endLine=7,col=45,endColumn=46,title=E0999::`maxLength` is smaller than before\
         %0Av1.yaml:8:18: was 10\n"
    );
    let log: serde_json::Value = serde_json::from_str(&render::sarif(&finding)).unwrap();
    let result = &log["runs"][0]["results"][0];
    let uri = |place: &serde_json::Value| place["physicalLocation"]["artifactLocation"]["uri"].clone();
    assert_eq!(uri(&result["locations"][0]), "v2.yaml");
    assert_eq!(uri(&result["relatedLocations"][0]), "v1.yaml");
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 8);
}

/// The replacements that loading a text suggests, with the texts that they replace.
fn suggestions(path: &str, text: &str) -> Vec<(String, String)> {
    let found = load(&Source::new(path, text)).unwrap_err();
    let all = found.into_iter().flat_map(|finding| finding.suggestions);
    let pair = |s: capgen_diagnostic::Suggestion| (s.source.text().get(s.span).unwrap().to_owned(), s.replacement);
    all.map(pair).collect()
}

#[test]
fn suggestions_keep_the_notation_of_the_source() {
    let suggested = |text: &str, old: &str, new: &str| {
        let text = format!("{HEAD}capabilities:\n  - name: a\n    {text}\n");
        assert_eq!(suggestions("a.yaml", &text), [(old.to_owned(), new.to_owned())], "{text}");
    };
    suggested("version: 2.0", "2.0", "\"2.0.0\"");
    suggested("idempotent: yes", "yes", "true");
    suggested("description: 5", "5", "\"5\"");
    suggested("timeoutMs: \"5\"", "\"5\"", "5");
    suggested("inputSchema: { type: int }", "int", "integer");
    suggested("inputSchema: { format: 'datetime' }", "'datetime'", "'date-time'");
    let json = r#"{"version": "1", "agent": "shop", "transports": [], "capabilities": [{"name": "a"}]}"#;
    let expected = [("\"1\"", "1"), ("\"shop\"", "\"agent://shop\"")];
    let expected = expected.map(|(old, new)| (old.to_owned(), new.to_owned()));
    assert_eq!(suggestions("a.json", json), expected);
}

#[test]
fn an_edit_is_not_suggested_if_it_can_mean_the_opposite_or_repeats_a_name() {
    let cases =
        ["sideEffects: impure", "inputSchema: { type: string, typ: string }", "inputSchema: { type: [integer, int] }"];
    for text in cases {
        let text = format!("{HEAD}capabilities:\n  - name: a\n    {text}\n");
        assert_eq!(suggestions("a.yaml", &text), [], "{text}");
    }
}

/// Whether each suggestion for a capability is certain.
fn applicabilities(capability: &str) -> Vec<&'static str> {
    let text = format!("{HEAD}capabilities:\n  - name: a\n    {capability}\n");
    let found = load(&Source::new("a.yaml", text)).map_or_else(|findings| findings, |loaded| loaded.warnings);
    found.iter().flat_map(|finding| &finding.suggestions).map(|edit| edit.applicability.name()).collect()
}

#[test]
fn a_typo_of_one_name_of_the_format_is_certain_and_other_similar_names_are_guesses() {
    assert_eq!(applicabilities("timeoutMS: 1"), ["certain"]);
    assert_eq!(applicabilities("inputSchema: { propertis: {} }"), ["certain"]);
    assert_eq!(applicabilities("inputSchema: { properti: {} }"), ["needs-review"]);
    assert_eq!(applicabilities("inputSchema: { mixItems: 1 }"), ["needs-review"], "`minItems` or `maxItems`");
    assert_eq!(applicabilities("input: true"), ["needs-review"]);
    let definition = "inputSchema: { $ref: \"#/definitions/addres\", definitions: { address: {} } }";
    assert_eq!(applicabilities(definition), ["needs-review"], "a name of the author");
}

#[test]
fn an_edit_of_a_value_that_aliases_copy_is_certain_if_every_copy_asks_for_it() {
    assert_eq!(applicabilities("inputSchema: &s { type: int }\n    outputSchema: *s"), ["certain", "certain"]);
    assert_eq!(applicabilities("version: &v 2.0\n    inputSchema: { minimum: *v }"), ["needs-review"]);
}

#[test]
fn null_in_a_list_of_types_is_put_in_quotes() {
    let help = |types: &str| {
        let text = format!("{HEAD}capabilities:\n  - name: a\n    inputSchema: {{ type: {types} }}\n");
        let finding = load(&Source::new("a.yaml", text)).unwrap_err().remove(0);
        let new = finding.suggestions.first().map(|edit| edit.replacement.clone());
        (finding.help.unwrap(), new)
    };
    for types in ["[string, null]", "[~, string]", "[string, Null]"] {
        assert_eq!(help(types), ("write \"null\" in quotes".to_owned(), Some("\"null\"".to_owned())), "{types}");
    }
}

#[test]
fn an_escaped_name_has_no_suggestion() {
    let text = format!("{HEAD}capabilities:\n  - name: a\n    inputSchema: {{ format: \"\\u0064atetime\" }}\n");
    assert_eq!(suggestions("a.yaml", &text), []);
}

#[test]
fn a_file_that_capgen_wrote_has_no_warnings_about_its_style() {
    let text = "version: 1
agent: agent://shop
transports: [{ kind: memory, topics: { requests: shop } }]
capabilities:
  - name: find
    inputSchema: { type: object, required: [id], additionalProperties: false, definitions: { unused: true } }
";
    let codes = |text: String| -> Vec<String> {
        let warnings = load(&Source::new("capabilities.yaml", text)).unwrap().warnings;
        warnings.iter().map(|warning| warning.code.as_str().to_owned()).collect()
    };
    let own = codes(text.to_owned());
    assert_eq!(own, ["W0103", "W0102"]);
    let generated = codes(format!("# @generated by capgen import from an OpenAPI document.\n{text}"));
    assert_eq!(generated, ["W0103"], "warnings about the meaning stay");
}
