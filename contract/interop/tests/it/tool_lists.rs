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
