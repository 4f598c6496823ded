//! Lists of tools in the forms of model providers, and in recorded event streams.

use capgen_interop::import::{Document, ImportSettings, Imported, mcp};
use capgen_manifest::Source;
use proptest::prelude::*;

/// An import, and the places of its findings: each with its line.
fn import(text: &str) -> (Imported, Vec<(String, usize)>) {
    let document = Document::parse_json_or_lines(&Source::new("tools.json", text)).unwrap();
    let imported = mcp::tools(&document, ImportSettings::default()).imported;
    let shown = document.with_places(&imported.findings);
    let line = |at: usize| text.get(..at).unwrap().matches('\n').count() + 1;
    let places = shown.iter().map(|found| (found.message.clone(), line(found.labels[0].span.start))).collect();
    (imported, places)
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;

#[test]
fn a_tool_is_the_same_in_the_form_of_every_provider() {
    let forms = [
        format!(r#"{{"name": "find", "description": "Finds.", "inputSchema": {SCHEMA}}}"#),
        format!(r#"{{"name": "find", "description": "Finds.", "input_schema": {SCHEMA}}}"#),
        format!(
            r#"{{"type": "function", "name": "find", "description": "Finds.", "parameters": {SCHEMA}, "strict": true}}"#
        ),
        format!(
            r#"{{"type": "function", "function": {{"name": "find", "description": "Finds.", "parameters": {SCHEMA}}}}}"#
        ),
        format!(r#"{{"toolSpec": {{"name": "find", "description": "Finds.", "inputSchema": {{"json": {SCHEMA}}}}}}}"#),
        format!(
            r#"{{"functionDeclarations": [{{"name": "find", "description": "Finds.", "parametersJsonSchema": {SCHEMA}}}]}}"#
        ),
    ];
    let lists = forms.iter().flat_map(|tool| {
        [
            tool.clone(),
            format!("[{tool}]"),
            format!(r#"{{"model": "m", "tools": [{tool}]}}"#),
            format!(r#"{{"functions": [{tool}]}}"#),
        ]
    });
    let (expected, _) = import(&format!("[{}]", forms[0]));
    for text in lists {
        let (imported, findings) = import(&text);
        assert!(findings.is_empty(), "{text}: {findings:?}");
        assert_eq!(imported.capabilities.len(), 1, "{text}");
        let (found, first) = (&imported.capabilities[0], &expected.capabilities[0]);
        let source =
            |capability: &capgen_manifest::Capability| capability.input.as_ref().map(|s| s.source().canonical());
        assert_eq!(
            (&found.name, &found.description, source(found)),
            (&first.name, &first.description, source(first)),
            "{text}"
        );
    }
}

#[test]
fn a_function_without_parameters_has_no_arguments() {
    let (imported, findings) = import(r#"[{"type": "function", "name": "ping"}]"#);
    assert!(findings.is_empty(), "{findings:?}");
    let input = imported.capabilities[0].input.as_ref().unwrap().source().canonical();
    assert_eq!(input, r#"{"additionalProperties":false,"type":"object"}"#);
}

#[test]
fn a_finding_names_the_member_of_the_form() {
    let text = "[\n{\"name\": \"a\", \"input_schema\":\n{\"type\": \"objct\"}}]";
    let (imported, findings) = import(text);
    assert_eq!(imported.findings[0].pointer, "/0/input_schema/type");
    assert!(imported.findings[0].place.contains("input_schema"), "{:?}", imported.findings[0]);
    assert_eq!(findings[0].1, 3);
}

#[test]
fn an_event_stream_has_the_messages_of_its_events() {
    let tools = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},"#;
    let streams = [
        format!(
            "event: message\ndata: {tools}\ndata: {{\"name\":\"b\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}}}\n\n"
        ),
        format!(
            "\u{feff}: Pr\u{fc}fung\r\n\r\nid: 1\r\ndata:{tools}\r\ndata:{{\"name\":\"b\",\"input_schema\":{{\"type\":\"object\"}}}}]}}}}"
        ),
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{}}}}\n\nretry: 5\ndata\ndata: {tools}\ndata: {{\"name\":\"b\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}}}\n"
        ),
    ];
    for text in streams {
        let (imported, findings) = import(&text);
        assert!(findings.is_empty(), "{text}: {findings:?}");
        let names: Vec<&str> = imported.capabilities.iter().map(|capability| capability.name.as_str()).collect();
        assert_eq!(names, ["a", "b"], "{text}");
    }
}

#[test]
fn a_finding_in_an_event_stream_has_its_line() {
    let text = "event: message\ndata: {\"result\": {\"tools\": [\ndata: {\"name\": \"a\", \"inputSchema\":\ndata: {\"type\": \"objct\"}}]}}\n\n";
    let (_, findings) = import(text);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].1, 4, "{findings:?}");
    let broken = Document::parse_json_or_lines(&Source::new("tools.json", "data: {\"tools\": [}\n\n")).unwrap_err();
    assert_eq!(broken[0].labels[0].span.start, 17);
}

proptest! {
    /// Whatever the lines are, reading them does not panic, and the places of findings are in the text.
    #[test]
    fn any_lines_are_read(lines in prop::collection::vec("(data|event|id|: ?)?:? ?[\\[\\]{}\"a,1é\\r]{0,9}", 0..9)) {
        let text = lines.join("\n");
        match Document::parse_json_or_lines(&Source::new("tools.json", text.as_str())) {
            Ok(document) => {
                let imported = mcp::tools(&document, ImportSettings::default()).imported;
                for shown in document.with_places(&imported.findings) {
                    prop_assert!(shown.labels.iter().all(|label| label.span.end <= text.len()));
                }
            }
            Err(findings) => prop_assert!(findings.iter().flat_map(|found| &found.labels).all(|l| l.span.end <= text.len() + 1)),
        }
    }
}

#[test]
fn geminis_names_of_types_are_read() {
    let text = r#"{"tools": [{"functionDeclarations": [{"name": "t", "parameters": {"type": "OBJECT", "properties": {
        "a": {"type": "INTEGER", "description": "INTEGER"}, "type": {"type": "STRING", "enum": ["OBJECT"]},
        "l": {"type": "ARRAY", "items": {"type": "NUMBER"}, "minItems": "1"},
        "u": {"anyOf": [{"type": "BOOLEAN"}, {"type": "NULL"}]}}}}]}, {"googleSearch": {}}]}"#;
    let (imported, findings) = import(text);
    assert_eq!(
        findings,
        [("the tool `googleSearch` is one of the provider and has no schema, so it is left out".to_owned(), 4)]
    );
    let expected = r#"{"type": "object", "properties": {
        "a": {"type": "integer", "description": "INTEGER"}, "type": {"type": "string", "enum": ["OBJECT"]},
        "l": {"type": "array", "items": {"type": "number"}, "minItems": 1},
        "u": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}}}"#;
    let expected = capgen_schema::Schema::parse_text(expected).unwrap();
    assert_eq!(imported.capabilities[0].input.as_ref().unwrap().canonical(), expected.canonical());
}

#[test]
fn tools_of_the_provider_are_left_out_with_a_note() {
    let other = format!(r#"{{"type": "function", "name": "t", "parameters": {SCHEMA}}}"#);
    for (tool, name) in [
        (r#"{"type": "web_search_20250305", "name": "web_search"}"#, "web_search_20250305"),
        (r#"{"type": "web_search"}"#, "web_search"),
        (r#"{"type": "mcp", "server_label": "a", "server_url": "https://example.com"}"#, "mcp"),
        (r#"{"cachePoint": {"type": "default"}}"#, "cachePoint"),
        (r#"{"code_execution": {}}"#, "code_execution"),
    ] {
        let (imported, findings) = import(&format!("[{other}, {tool}]"));
        let messages: Vec<_> = findings.iter().map(|(message, _)| message.as_str()).collect();
        assert_eq!(
            messages,
            [format!("the tool `{name}` is one of the provider and has no schema, so it is left out")]
        );
        assert_eq!((imported.capabilities.len(), imported.entries, imported.has_errors()), (1, 1, false));
        assert_eq!(imported.findings[0].code.as_str(), "N0932");
    }
}

#[test]
fn no_arguments_are_lost_by_the_name_of_their_member() {
    for (tool, name, near) in [
        (r#""inputschema": "#, "inputschema", "inputSchema"),
        (r#""type": "function", "paramters": "#, "paramters", "parameters"),
        (r#""type": "function", "schema": "#, "schema", "parameters"),
        (r#""type": "search", "inputSchma": "#, "inputSchma", "inputSchema"),
        (r#""args": "#, "args", "inputSchema"),
    ] {
        let (imported, findings) = import(&format!(r#"[{{"name": "t", {tool}{SCHEMA}}}]"#));
        let message = format!("the schema of the arguments is in `{name}`, which no form of tools has");
        assert_eq!(findings, [(message, 1)]);
        let finding = &imported.findings[0];
        assert_eq!((finding.code.as_str(), finding.pointer.as_str()), ("E0902", format!("/0/{name}").as_str()));
        assert_eq!(finding.help.as_deref(), Some(format!("did you mean `{near}`?").as_str()));
    }
    let (imported, _) = import(&format!(r#"[{{"name": "t", "outputSchema": {SCHEMA}, "other": {{}}}}]"#));
    assert_eq!(imported.findings[0].help.as_deref(), Some("write the schema of its arguments in `inputSchema`"));
    let (imported, findings) =
        import(r#"[{"name": "t", "parameter_definitions": {"a": {"type": "int", "required": true}}}]"#);
    assert!(findings[0].0.contains("Cohere") && imported.findings[0].pointer.ends_with("parameter_definitions"));
}

#[test]
fn an_event_stream_that_ends_early_is_reported_there() {
    let found = Document::parse_json_or_lines(&Source::new("tools.json", "data: {\"a\":\n\n")).unwrap_err();
    assert_eq!(found[0].message, "expected a value, found the end of the text");
    assert_eq!(found[0].help, None);
}
