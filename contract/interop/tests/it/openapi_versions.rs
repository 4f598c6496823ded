//! Parts of documents that one version of OpenAPI has and others lack.

use capgen_interop::import::{Document, ImportSettings, Imported, openapi};
use capgen_manifest::{Side, Source};
use capgen_schema::Validator;
use serde_json::{Value, json};

fn imported(document: &Value) -> Imported {
    let document = Document::parse_json(&Source::new("openapi.json", document.to_string())).unwrap();
    openapi::operations(&document, ImportSettings::default()).imported
}

fn found(imported: &Imported) -> Vec<(&str, &str)> {
    imported.findings.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_str())).collect()
}

/// A document with one operation whose request has a schema.
fn request(version: &str, schema: Value, components: Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    document(
        version,
        json!({"requestBody": {"required": true, "content": content}, "responses": {"204": {}}}),
        components,
    )
}

fn document(version: &str, operation: Value, components: Value) -> Value {
    json!({"openapi": version, "info": {"title": "t", "version": "1"}, "paths": {"/x": {"post": operation}},
        "components": components})
}

#[track_caller]
fn accepts(imported: &Imported, valid: &[Value], invalid: &[Value]) {
    let validator = Validator::new(imported.capabilities[0].schema(Side::Request).unwrap());
    for payload in valid {
        assert!(validator.is_valid(payload), "{payload} is valid");
    }
    for payload in invalid {
        assert!(!validator.is_valid(payload), "{payload} is invalid");
    }
}

/// A union of two components with a default.
fn pets(default: &str, cat: Value) -> Value {
    let branch = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let schema = json!({"oneOf": [branch("Cat"), branch("Dog")],
        "discriminator": {"propertyName": "kind", "defaultMapping": default, "mapping": {"dog": "Dog"}}});
    let dog = json!({"type": "object", "properties": {"kind": {"type": "string"}, "n": {"type": "integer"}}});
    request("3.2.0", schema, json!({"schemas": {"Cat": cat, "Dog": dog}}))
}

#[test]
fn other_values_of_a_discriminator_belong_to_the_default_branch() {
    let text = json!({"type": "string"});
    let open = json!({"type": "object", "properties": {"kind": text, "n": text}});
    let referred =
        json!({"type": "object", "properties": {"kind": {"$ref": "#/components/schemas/Cat/properties/n"}, "n": text}});
    let inherited = json!({"allOf": [open]});
    for (default, cat) in [
        ("Cat", open),
        ("#/components/schemas/Cat", json!({"type": "object", "properties": {"n": text}})),
        ("Cat", referred),
        ("Cat", inherited),
    ] {
        let imported = imported(&pets(default, cat));
        assert_eq!(found(&imported).last().map(|(code, _)| *code), Some("N0903"), "{:#?}", imported.findings);
        let message = &imported.findings.last().unwrap().message;
        let expected = "the value of the branch; `Cat` is for all other values";
        assert!(message.contains("each branch but `Cat`, ") && message.ends_with(expected), "{message}");
        let valid = [json!({"n": "a"}), json!({"kind": "Cat", "n": "a"}), json!({"kind": "lion", "n": "a"})];
        accepts(
            &imported,
            &valid,
            &[json!({"kind": "dog", "n": "a"}), json!({"n": 1}), json!({"kind": "lion", "n": 1})],
        );
        accepts(&imported, &[json!({"kind": "dog", "n": 1})], &[]);
    }
}

#[test]
fn a_closed_default_branch_needs_no_exclusion() {
    let closed = json!({"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": false});
    let read = imported(&pets("Cat", closed));
    assert_eq!(found(&read).len(), 1);
    accepts(&read, &[json!({"n": "a"}), json!({"kind": "dog"})], &[json!({"kind": "Cat", "n": "a"})]);
    let own = json!({"type": "object", "properties": {"kind": {"const": "cat"}}});
    accepts(&imported(&pets("Cat", own)), &[json!({}), json!({"kind": "cat"})], &[json!({"kind": "x"})]);
}

#[test]
fn a_default_that_is_not_a_branch_is_reported_with_the_branches() {
    for (default, kind, message) in [
        ("Bird", "cat", "the discriminator `kind`: `defaultMapping` names none of the branches `Cat`, `Dog`"),
        ("Cat", "dog", "the discriminator `kind`: the branches `Dog` and `Cat` allow the same value"),
    ] {
        let imported = imported(&pets(default, json!({"type": "object", "properties": {"kind": {"const": kind}}})));
        let findings: Vec<_> = imported.findings.iter().map(|one| (one.code.as_str(), one.message.as_str())).collect();
        assert_eq!(findings, [("W0903", message)]);
    }
}

#[test]
fn a_discriminator_of_openapi_2_is_reported() {
    let schema = json!({"type": "object", "discriminator": "kind", "properties": {"kind": {"type": "string"}}});
    let imported = imported(&request("3.0.3", schema, json!({})));
    assert_eq!(
        found(&imported),
        [("W0903", "/paths/~1x/post/requestBody/content/application~1json/schema/discriminator")]
    );
    assert_eq!(imported.capabilities.len(), 1);
}

#[test]
fn types_of_content_may_be_references() {
    let referred = json!({"application/json": {"$ref": "#/components/mediaTypes/M"}});
    let operation = json!({"requestBody": {"required": true, "content": referred},
        "responses": {"200": {"content": referred}}});
    let read =
        imported(&document("3.2.0", operation.clone(), json!({"mediaTypes": {"M": {"schema": {"type": "integer"}}}})));
    assert_eq!(found(&read), []);
    let sides = Side::ALL.map(|side| read.capabilities[0].schema(side).unwrap().canonical());
    assert_eq!(sides, [r#"{"type":"integer"}"#; 2]);
    let read = imported(&document("3.2.0", operation, json!({})));
    let pointers: Vec<_> = found(&read);
    let at = "/paths/~1x/post/requestBody/content/application~1json";
    assert_eq!(pointers[0], ("E0911", at));
    assert!(read.capabilities.is_empty());
}

#[test]
fn each_schema_can_be_a_capability() {
    let schemas = json!({
        "Tree": {"type": "object", "properties": {"id": {"type": "string", "readOnly": true},
            "parent": {"$ref": "#/components/schemas/Tree"}}, "required": ["id"]},
        "Id": {"type": "integer"}, "Bad": {"type": "objct"}});
    let both = json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "components": {"schemas": schemas},
        "paths": {"/x": {"get": {"operationId": "find", "responses": {"204": {}}}}}});
    let document = Document::parse_json(&Source::new("openapi.json", both.to_string())).unwrap();
    for side in Side::ALL {
        let read = openapi::operations_and_schemas(&document, ImportSettings::default(), Some(side)).imported;
        assert_eq!(found(&read), [("E0105", "/components/schemas/Bad/type")]);
        let names: Vec<_> = read.capabilities.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            (names.as_slice(), read.rejected.as_slice()),
            (["Id", "Tree", "find"].as_slice(), ["Bad".to_owned()].as_slice())
        );
        let tree = read.capabilities[1].schema(side).unwrap().canonical();
        // The server sets the id.
        assert_eq!(tree.contains("required"), side == Side::Response, "{tree}");
        assert!(tree.starts_with(r##"{"$ref":"#/definitions/Tree""##), "{tree}");
        assert!(
            read.capabilities[1].schema(if side == Side::Request { Side::Response } else { Side::Request }).is_none()
        );
    }
}

#[test]
fn members_that_a_path_does_not_have_are_reported() {
    let operation = json!({"responses": {"204": {}}});
    let read = imported(&json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {
        "get": operation, "gett": operation, "Post": operation, "summary": "", "x-own": {}, "connect": operation}}}));
    let mut help: Vec<_> = read
        .findings
        .iter()
        .map(|one| (one.code.as_str(), one.pointer.as_str(), one.help.as_deref().unwrap()))
        .collect();
    // The order of keys depends on the features of `serde_json`.
    help.sort_unstable();
    assert_eq!(
        help,
        [
            ("W0913", "/paths/~1x/Post", "did you mean `post`?"),
            ("W0913", "/paths/~1x/connect", "remove it, or start its name with `x-`"),
            ("W0913", "/paths/~1x/gett", "did you mean `get`?"),
        ]
    );
    assert_eq!(read.capabilities.len(), 1);
}

#[test]
fn openapi_3_0_has_no_webhooks() {
    let webhooks = json!({"sold": {"post": {"responses": {"204": {}}}}});
    let read = imported(
        &json!({"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {}, "webhooks": webhooks}),
    );
    assert_eq!(found(&read), [("W0913", "/webhooks"), ("E0905", "")]);
    assert!(read.has_document_errors());
}

#[test]
fn a_version_is_a_string_with_three_numbers() {
    for (version, message) in [
        (json!(3.0), "`openapi` must be a string"),
        (json!("3.0"), "the version must have three numbers"),
        (json!("4.0.0"), "this version of OpenAPI is not supported"),
    ] {
        let read = imported(&json!({"openapi": version, "info": {}, "paths": {}}));
        let finding = &read.findings[0];
        assert_eq!((finding.pointer.as_str(), finding.message.as_str()), ("/openapi", message));
        assert_eq!(
            finding.help.as_ref().unwrap().contains("quotes"),
            message != "this version of OpenAPI is not supported"
        );
    }
}
