//! Importing tools of MCP servers: every rule of the mapping, and hostile lists.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportFinding, ImportSettings, Imported, mcp};
use capgen_manifest::{AgentId, Capability, SideEffects, Source, TransportSettings, load};
use capgen_schema::Json;

fn import_with(text: &str, settings: ImportSettings) -> mcp::Tools {
    let document = Document::parse_json(&Source::new("tools.json", text)).unwrap();
    let tools = mcp::tools(&document, settings);
    // Findings can always be rendered.
    assert_eq!(document.with_places(&tools.imported.findings).len(), tools.imported.findings.len());
    loads(&tools.imported);
    tools
}

fn import(text: &str) -> Imported {
    import_with(text, ImportSettings::default()).imported
}

/// Checks that the written contract loads with the same hash.
fn loads(imported: &Imported) {
    if imported.capabilities.is_empty() {
        return;
    }
    let transport = TransportSettings::mcp("agents.server.requests");
    let manifest = imported.clone().into_manifest(AgentId::new("server").unwrap(), vec![transport]);
    let text = manifest.to_yaml();
    let loaded = load(&Source::new("capabilities.yaml", text.as_str())).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    assert_eq!(loaded.manifest.hash(), manifest.hash());
}

fn one(tool: &str) -> Capability {
    let mut imported = import(&format!("[{tool}]"));
    assert!(imported.findings.is_empty(), "{:#?}", imported.findings);
    imported.capabilities.remove(0)
}

fn findings(text: &str) -> Vec<ImportFinding> {
    import(text).findings
}

fn json(text: &str) -> Json {
    text.parse().unwrap()
}

#[test]
fn every_form_of_a_list_has_the_same_tools() {
    let tool = r#"{"name": "a", "inputSchema": {"type": "object"}}"#;
    for text in [
        format!("[{tool}]"),
        format!(r#"{{"tools": [{tool}]}}"#),
        format!(r#"{{"tools": [{tool}], "server": {{"name": "s"}}, "protocolVersion": "2025-11-25"}}"#),
        format!(r#"{{"resultType": "complete", "tools": [{tool}], "ttlMs": 5}}"#),
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{tool}]}}}}"#),
        format!(r#"[{{"tools": [], "nextCursor": "x"}}, {{"tools": [{tool}]}}]"#),
        format!(r#"[{{"result": {{"tools": [{tool}], "nextCursor": "x"}}}}, {{"result": {{"tools": []}}}}]"#),
        format!(r#"[{{"result": {{"protocolVersion": "2025-06-18", "serverInfo": {{"name": "s"}}}}}}, [{tool}]]"#),
    ] {
        let imported = import(&text);
        assert!(imported.findings.is_empty(), "{text}: {:#?}", imported.findings);
        assert_eq!((imported.entries, imported.capabilities[0].name.as_str()), (1, "a"), "{text}");
    }
}

#[test]
fn documents_of_another_form_are_errors() {
    for (text, pointer) in [
        ("3", ""),
        ("{}", ""),
        (r#"{"tools": {}}"#, "/tools"),
        (r#"{"result": []}"#, "/result"),
        (r#"{"result": {"result": {"tools": []}}}"#, "/result"),
        (r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601}}"#, "/error"),
    ] {
        let found = findings(text);
        assert_eq!(found.len(), 1, "{text}: {found:#?}");
        assert_eq!((found[0].code.as_str(), found[0].pointer.as_str()), ("E0901", pointer), "{text}");
    }
}

#[test]
fn a_list_that_continues_is_imported_with_a_warning() {
    let text = r#"[{"tools": []}, {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": "x"}]"#;
    let imported = import(text);
    let [found] = imported.findings.as_slice() else { panic!("{:#?}", imported.findings) };
    assert_eq!((found.code.as_str(), found.pointer.as_str()), ("W0931", "/1/nextCursor"));
    assert!(imported.capabilities.len() == 1 && !imported.has_errors());
}

#[test]
fn the_server_is_found() {
    let text = r#"{"serverInfo": {"name": "git", "version": "1.2"}, "protocolVersion": "2025-11-25", "tools": []}"#;
    let tools = import_with(text, ImportSettings::default());
    assert_eq!((tools.server.as_deref(), tools.server_version.as_deref()), (Some("git"), Some("1.2")));
}

#[test]
fn the_members_of_a_tool_become_keys() {
    let tool = one(
        r#"{"name": "files.read", "title": "Read", "description": "Reads.", "icons": [{"src": "data:"}], "execution": {},
        "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
        "outputSchema": {"type": "object", "required": ["text"]}, "_meta": {"other": 1}, "newMember": [1]}"#,
    );
    assert_eq!((tool.name.as_str(), tool.wire_name.as_deref()), ("files_read", Some("files.read")));
    assert_eq!(tool.description.as_deref(), Some("Reads."));
    assert_eq!(tool.input.unwrap().source(), &json(r#"{"type": "object"}"#));
    assert_eq!(tool.output.unwrap().source(), &json(r#"{"type": "object", "required": ["text"]}"#));
    assert!(tool.side_effects.is_none() && tool.idempotent.is_none());
    let tool = one(
        r#"{"name": "a", "title": "Read", "description": null, "inputSchema": {"type": "object"}, "outputSchema": null, "annotations": null}"#,
    );
    assert_eq!((tool.description.as_deref(), tool.wire_name, tool.output.is_none()), (Some("Read"), None, true));
}

#[test]
fn hints_become_effects() {
    use SideEffects::{External, Idempotent, Pure};
    for (hints, effects, idempotent) in [
        ("", None, None),
        (r#""title": "x""#, None, None),
        (r#""readOnlyHint": null"#, None, None),
        (r#""readOnlyHint": true"#, Some(Pure), None),
        (r#""readOnlyHint": true, "idempotentHint": true, "openWorldHint": true"#, Some(Pure), Some(true)),
        (r#""readOnlyHint": true, "idempotentHint": false, "destructiveHint": true"#, Some(Pure), None),
        (r#""idempotentHint": true, "destructiveHint": true"#, Some(Idempotent), Some(true)),
        (r#""readOnlyHint": false, "idempotentHint": false, "destructiveHint": false"#, Some(External), Some(false)),
        (r#""readOnlyHint": false"#, Some(External), None),
        (r#""destructiveHint": true"#, Some(External), None),
        (r#""destructiveHint": false"#, None, None),
        (r#""openWorldHint": true"#, Some(External), None),
        (r#""openWorldHint": false"#, None, None),
    ] {
        let tool = one(&format!(r#"{{"name": "a", "inputSchema": {{"type": "object"}}, "annotations": {{{hints}}}}}"#));
        assert_eq!((tool.side_effects, tool.idempotent), (effects, idempotent), "{hints}");
    }
}

#[test]
fn a_mark_of_an_export_has_the_other_keys() {
    let tool =
        one(r##"{"name": "find", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false}, "_meta":
        {"io.github.capgen/contract": {"name": "find-it", "version": "1.2.0", "timeoutMs": 5, "tags": ["a"],
        "sideEffects": "external", "request": "loose", "response": "wrapped"}}, "outputSchema": {"type": "object",
        "properties": {"result": {"$ref": "#/$defs/N"}}, "required": ["result"], "additionalProperties": false,
        "$defs": {"N": {"type": "null"}}}}"##);
    assert_eq!((tool.name.as_str(), tool.wire_name.as_deref()), ("find-it", Some("find")));
    assert_eq!((tool.timeout_ms, tool.tags.len(), tool.side_effects), (Some(5), 1, Some(SideEffects::External)));
    assert!(tool.input.is_none());
    let output = r##"{"$ref": "#/definitions/N", "definitions": {"N": {"type": "null"}}}"##;
    assert_eq!(tool.output.unwrap().source(), &json(output));
}

#[test]
fn hints_that_contradict_the_contract_are_errors() {
    let tool = |hints: &str, keys: &str| {
        format!(
            r#"{{"name": "a", "inputSchema": {{"type": "object"}}, "annotations": {{{hints}}}, "_meta": {{"io.github.capgen/contract": {{{keys}}}}}}}"#
        )
    };
    let pure = r#""sideEffects": "pure""#;
    for (hints, keys, name, message) in [
        (r#""readOnlyHint": false"#, pure, "readOnlyHint", "`readOnlyHint: false` contradicts `sideEffects: pure`"),
        (
            r#""destructiveHint": true"#,
            pure,
            "destructiveHint",
            "`destructiveHint: true` contradicts `sideEffects: pure`",
        ),
        (
            r#""idempotentHint": false"#,
            pure,
            "idempotentHint",
            "`idempotentHint: false` contradicts `sideEffects: pure`",
        ),
        (
            r#""idempotentHint": true"#,
            r#""idempotent": false"#,
            "idempotentHint",
            "`idempotentHint: true` contradicts `idempotent: false`",
        ),
        (
            r#""readOnlyHint": true"#,
            r#""sideEffects": "external""#,
            "readOnlyHint",
            "`readOnlyHint: true` contradicts `sideEffects: external`",
        ),
    ] {
        let found = findings(&format!("[{}]", tool(hints, keys)));
        let [found] = found.as_slice() else { panic!("{found:#?}") };
        let pointer = format!("/0/annotations/{name}");
        assert_eq!((found.code.as_str(), found.pointer.as_str()), ("E0904", pointer.as_str()));
        assert_eq!(found.message, format!("{message} in `_meta`"));
    }
    let agreeing = r#""readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": true"#;
    let capability = one(&tool(agreeing, pure));
    assert_eq!((capability.side_effects, capability.idempotent), (Some(SideEffects::Pure), None));
    // The contract does not declare effects.
    let capability = one(&tool(agreeing, r#""version": "1.0.0""#));
    assert_eq!((capability.side_effects, capability.idempotent), (Some(SideEffects::Pure), Some(true)));
}

#[test]
fn every_invalid_part_of_a_tool_is_reported() {
    let found = findings(
        r#"[{"name": "a", "description": 3, "outputSchema": {"type": "objct"},
        "_meta": {"io.github.capgen/contract": {"version": "1", "wrong": 1, "request": "x", "name": "a b"}}},
        {"inputSchema": {"type": "object"}}, 5, {"name": ""}, {"name": "b", "annotations": [], "inputSchema": 5},
        {"name": "c", "annotations": {"readOnlyHint": "yes"}, "inputSchema": {"type": "object"}}]"#,
    );
    let found: Vec<_> = found.iter().map(|f| (f.code.as_str(), f.pointer.as_str())).collect();
    let mark = |key: &str| format!("/0/_meta/io.github.capgen~1contract/{key}");
    assert_eq!(
        found,
        [
            ("E0902", "/0/description"),
            ("E0904", mark("wrong").as_str()),
            ("E0904", mark("request").as_str()),
            ("E0904", mark("name").as_str()),
            ("E0904", mark("version").as_str()),
            ("E0902", "/0"),
            ("E0105", "/0/outputSchema/type"),
            ("E0902", "/1"),
            ("E0902", "/2"),
            ("E0902", "/3"),
            ("E0902", "/4/annotations"),
            ("E0101", "/4/inputSchema"),
            ("E0902", "/5/annotations/readOnlyHint"),
        ]
    );
}

#[test]
fn a_rejected_schema_names_its_tool_pointer_keyword_reason_and_remedy() {
    let found = findings(
        r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"p": {"type": "array",
        "$dynamicRef": "node"}}}}]}"#,
    );
    let [found] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((found.entry.as_str(), found.keyword.as_str(), found.code.as_str()), ("a", "$dynamicRef", "E0107"));
    assert_eq!(found.place, "tool `a`, inputSchema, /properties/p/$dynamicRef");
    assert!(!found.message.is_empty() && found.help.is_some());
}

#[test]
fn a_widened_schema_lists_its_losses() {
    let text = r#"{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"host": {"type": "string",
        "pattern": "(.)\\1"}}, "oneOf": [{"required": ["x"], "minLenght": 1}, {"required": ["y"]}]}}]}"#;
    let imported = import_with(text, ImportSettings { lossy: true, ..ImportSettings::default() }).imported;
    let losses: Vec<_> =
        imported.findings.iter().map(|f| (f.code.as_str(), f.pointer.as_str(), f.keyword.as_str())).collect();
    let at = "/tools/0/inputSchema";
    assert_eq!(
        losses,
        [
            ("W0901", format!("{at}/oneOf").as_str(), "oneOf"),
            ("W0901", format!("{at}/oneOf/0/minLenght").as_str(), "minLenght"),
            ("W0901", format!("{at}/properties/host/pattern").as_str(), "pattern"),
        ]
    );
    let schema = json(
        r#"{"type": "object", "properties": {"host": {"type": "string"}},
        "anyOf": [{"required": ["x"]}, {"required": ["y"]}]}"#,
    );
    assert_eq!(imported.capabilities[0].input.as_ref().unwrap().source(), &schema);
    assert!(imported.rejected.is_empty() && !imported.has_errors());
}

#[test]
fn two_tools_with_one_name_are_both_rejected() {
    let text = r#"[{"name": "a", "inputSchema": {"type": "object"}}, {"name": "b", "inputSchema": {"type": "object"}}, {"name": "a", "inputSchema": {"type": "object"}}]"#;
    let document = Document::parse_json(&Source::new("tools.json", text)).unwrap();
    let imported = mcp::tools(&document, ImportSettings::default()).imported;
    assert_eq!((imported.rejected.len(), imported.capabilities.len(), imported.entries), (2, 1, 3));
    let [found] = imported.findings.as_slice() else { panic!("{:#?}", imported.findings) };
    assert_eq!((found.code.as_str(), found.pointer.as_str()), ("E0903", "/2"));
    let starts = |span: &std::ops::Range<usize>| text.get(..span.start).unwrap().matches("name").count();
    let finding = document.with_places(&imported.findings).remove(0);
    assert_eq!(finding.labels.iter().map(|label| starts(&label.span)).collect::<Vec<_>>(), [2, 0], "both places");
}

#[test]
fn the_dialect_of_a_schema_without_one_depends_on_the_revision() {
    let tool = r##"{"name": "a", "inputSchema": {"type": "object", "definitions": {"D": {"type": "object"}},
        "properties": {"p": {"$ref": "#/definitions/D", "required": ["x"]}}}}"##;
    let text = |version: &str| format!(r#"{{"protocolVersion": "{version}", "tools": [{tool}]}}"#);
    assert!(findings(&text("2025-11-25")).is_empty() && findings(&text("2026-07-28")).is_empty());
    // The keyword may be ignored, so its meaning is not known.
    assert_eq!(findings(&text("2025-06-18")).len(), 1);
}

#[test]
fn only_a_declared_draft_rules_out_keywords_of_others() {
    let text = |dialect: &str, schema: &str| {
        let tool = format!(r#"{{"name": "t", "inputSchema": {{{dialect}"type": "object", {schema}}}}}"#);
        format!(r#"{{"protocolVersion": "2025-11-25", "tools": [{tool}]}}"#)
    };
    let dependencies = r#""dependencies": {"a": ["b"]}"#;
    assert!(findings(&text("", dependencies)).is_empty());
    let draft_04 = r#""$schema": "http://json-schema.org/draft-04/schema#", "#;
    assert!(findings(&text(draft_04, dependencies)).is_empty());
    let found = findings(&text(draft_04, r#""properties": {"v": {"const": 1}}"#));
    let found: Vec<_> = found.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_str())).collect();
    assert_eq!(found, [("N0902", "/tools/0/inputSchema/properties/v/const")]);
}

#[test]
fn a_keyword_of_another_vocabulary_is_noted_once() {
    let tool = |name: &str| {
        format!(
            r#"{{"name": "{name}", "inputSchema": {{"type": "object", "order": 1, "properties": {{"a": {{"order": 2}}}}}}}}"#
        )
    };
    let imported = import(&format!("[{}, {}]", tool("a"), tool("b")));
    assert_eq!(imported.capabilities.len(), 2);
    let [found] = imported.findings.as_slice() else { panic!("{:#?}", imported.findings) };
    assert_eq!((found.code.as_str(), found.pointer.as_str()), ("N0904", "/0/inputSchema/order"));
    assert_eq!(imported.capabilities[0].input.as_ref().unwrap().source().get("order"), None);
}

#[test]
fn more_problems_than_are_shown_are_mentioned() {
    let text = |count: usize| {
        let hosts: Vec<String> = (0..count).map(|n| format!(r#""p{n}": {{"pattern": "(.)\\1"}}"#)).collect();
        format!(r#"[{{"name": "t", "inputSchema": {{"type": "object", "properties": {{{}}}}}}}]"#, hosts.join(", "))
    };
    let mentions_more =
        |findings: &[ImportFinding]| findings.iter().any(|finding| finding.message.contains("there may be more"));
    assert!(mentions_more(&findings(&text(1500))));
    assert!(!mentions_more(&findings(&text(900))));
}

#[test]
fn the_output_does_not_depend_on_the_order_of_tools() {
    let tools = ["a.b", "a/b", "b", "工具", "\u{202e}"]
        .map(|name| format!(r#"{{"name": "{name}", "inputSchema": {{"type": "object"}}}}"#));
    let names = |tools: &[String]| {
        let imported = import(&format!("[{}]", tools.join(",")));
        imported.capabilities.into_iter().map(|c| (c.name, c.wire_name)).collect::<Vec<_>>()
    };
    let mut reversed = tools.to_vec();
    reversed.reverse();
    assert_eq!(names(&tools), names(&reversed));
    assert!(names(&tools).is_sorted());
}

#[test]
fn arguments_are_objects_whatever_the_root_declares() {
    let root = |schema: &str| {
        let mut imported = import(&format!(r#"[{{"name": "a", "inputSchema": {schema}}}]"#));
        let codes: Vec<_> = imported.findings.iter().map(|f| (f.code.as_str(), f.pointer.clone())).collect();
        (imported.capabilities.pop().map(|c| c.input.unwrap().source().clone()), codes)
    };
    let warning = vec![("W0901", "/0/inputSchema".to_owned())];
    for (schema, expected) in [
        ("{}", r#"{"type": "object"}"#),
        ("true", r#"{"type": "object"}"#),
        (r#"{"properties": {"q": {}}}"#, r#"{"properties": {"q": {}}, "type": "object"}"#),
        (
            r#"{"type": ["object", "null"], "additionalProperties": false}"#,
            r#"{"type": "object", "additionalProperties": false}"#,
        ),
        (
            r#"{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
            r#"{"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}"#,
        ),
    ] {
        assert_eq!(root(schema), (Some(json(expected)), warning.clone()), "{schema}");
    }
    let reference = r##"{"$ref": "#/definitions/Q", "definitions": {"Q": {"type": "object"}}}"##;
    assert_eq!(root(reference), (Some(json(reference)), vec![]));
    let error = vec![("E0902", "/0/inputSchema".to_owned())];
    for schema in [
        r#"{"type": "string"}"#,
        r#"{"enum": [1, "a"]}"#,
        r##"{"$ref": "#/definitions/Q", "definitions": {"Q": {"type": "array"}}}"##,
        r#"{"type": ["array", "null"]}"#,
    ] {
        let (schema, mut found) = root(schema);
        found.retain(|(code, _)| *code != "W0901");
        assert_eq!((schema, found), (None, error.clone()));
    }
}

#[test]
fn a_schema_that_the_mark_contradicts_is_an_error() {
    let tool = |schemas: &str, mark: &str| {
        format!(r#"[{{"name": "a", {schemas}, "_meta": {{"io.github.capgen/contract": {{{mark}}}}}}}]"#)
    };
    let object = r#"{"type": "object", "properties": {"x": {}}}"#;
    let strict = r#"{"type": "object", "properties": {"a": {"type": "integer", "minimum": 3, "maximum": 3}}}"#;
    let original = r#"{"type": "object", "properties": {"a": {"const": 3}}}"#;
    for (schemas, mark) in [
        (r#""inputSchema": {"type": "object"}"#.to_owned(), r#""request": "loose", "response": "loose""#.to_owned()),
        (format!(r#""inputSchema": {strict}"#), format!(r#""schemas": {{"request": {original}}}"#)),
    ] {
        assert_eq!(findings(&tool(&schemas, &mark)), []);
    }
    for (schemas, mark, at) in [
        (format!(r#""inputSchema": {object}"#), r#""request": "loose""#.to_owned(), "/0/inputSchema"),
        (
            format!(r#""inputSchema": {{"type": "object"}}, "outputSchema": {object}"#),
            r#""request": "loose", "response": "loose""#.to_owned(),
            "/0/outputSchema",
        ),
        (r#""inputSchema": {"type": "object"}"#.to_owned(), format!(r#""schemas": {{"response": {original}}}"#), "/0"),
        (
            format!(r#""inputSchema": {}"#, strict.replace("integer", "string")),
            format!(r#""schemas": {{"request": {original}}}"#),
            "/0/inputSchema",
        ),
    ] {
        let found = findings(&tool(&schemas, &mark));
        let found: Vec<_> = found.iter().map(|f| (f.code.as_str(), f.pointer.as_str())).collect();
        assert_eq!(found, [("E0904", at)], "{schemas} {mark}");
    }
}

#[test]
fn an_unknown_dialect_is_an_error_whatever_the_schema_has() {
    for rest in
        [r#""properties": {"a": {"type": "string"}}"#, r#""properties": {"a": {"type": "array", "contains": {}}}"#]
    {
        let found = findings(&format!(
            r#"[{{"name": "a", "inputSchema": {{"$schema": "https://example.com/my-dialect", "type": "object", {rest}}}}}]"#
        ));
        assert_eq!(found.iter().map(|f| f.code.as_str()).collect::<Vec<_>>(), ["E0115"], "{rest}");
        assert!(found[0].message.contains("not known") && found[0].help.as_deref().unwrap().contains("2020-12"));
    }
}

#[test]
fn the_query_of_a_remote_reference_is_not_shown() {
    let schema = r#"{"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json?key=k-1"}}}"#;
    let found = findings(&format!(r#"[{{"name": "a", "inputSchema": {schema}}}]"#));
    assert_eq!(found.iter().map(|f| f.code.as_str()).collect::<Vec<_>>(), ["E0108"]);
    assert!(
        found[0].message.contains("https://example.com/a.json") && !format!("{found:?}").contains("k-1"),
        "{found:?}"
    );
}
