//! Loading a `capabilities.yaml`: the manifest, and the findings with their positions, labels and help.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use crate::common::short;
use capgen_manifest::{AgentId, Determinism, LoadedContract, Side, SideEffects, Source, VersionRange, load, load_peer};
use capgen_testkit::manifests::REVIEWER;

const HEAD: &str = "version: 1\nagent: agent://a\ntransports: [{kind: memory, topics: {requests: r}}]\n";

/// The findings of loading a text, in short form.
fn findings(path: &str, text: &str) -> String {
    short(&load(&Source::new(path, text)).map_or_else(|findings| findings, |loaded| loaded.warnings))
}

fn check(text: &str, expected: &str) {
    let found = findings("capabilities.yaml", text);
    assert!(found == expected, "{text}\n--- found\n{found}--- expected\n{expected}");
}

/// Checks the findings in keys of one capability. The keys start on line 6, indented by 4.
fn capability(keys: &str, expected: &str) {
    let keys = keys.replace('\n', "\n    ");
    check(&format!("{HEAD}capabilities:\n  - name: x\n    {keys}\n"), expected);
}

/// Checks the findings in one transport in flow style, on line 3 from column 14.
fn transport(text: &str, expected: &str) {
    check(&format!("version: 1\nagent: agent://a\ntransports: [{text}]\ncapabilities: [{{name: x}}]\n"), expected);
}

fn loaded(path: &str, text: &str) -> LoadedContract {
    load(&Source::new(path, text)).map_err(|findings| short(&findings)).unwrap()
}

#[test]
fn documented_manifest_loads() {
    let LoadedContract { manifest, warnings, .. } = loaded("capabilities.yaml", REVIEWER);
    assert!(warnings.is_empty());
    assert_eq!(manifest.agent.as_str(), "pr-reviewer");
    assert_eq!(manifest.transports[0].kind, "memory");
    let capability = manifest.capability("review-pr").unwrap();
    assert_eq!(capability.description.as_deref(), Some("Review a GitHub pull request."));
    assert_eq!((capability.timeout_ms, capability.idempotent), (Some(60_000), Some(true)));
    assert_eq!(capability.since.as_deref(), Some("1.1.0"));
    assert!(Side::ALL.iter().all(|&side| capability.schema(side).is_some()));
}

#[test]
fn every_optional_key_is_read() {
    let keys = r#"
    id: org.example.x
    version: 2.1.0-rc.1
    skill: review
    supportedVersions: [1.0.0, ">=2.0.0 <3.0.0"]
    deprecatedVersions: [1.0.0]
    minSchemaVersion: 1.0.0
    tags: [rust, review]
    sideEffects: external
    determinism: nondeterministic
    latency: interactive
    requiredRoles: [reviewer]
    requiredScopes: ["repo:read"]
"#;
    let text = format!("{HEAD}capabilities:\n  - name: x{keys}");
    let LoadedContract { manifest, .. } = loaded("capabilities.yaml", &text);
    let capability = &manifest.capabilities[0];
    assert_eq!(capability.id.as_deref(), Some("org.example.x"));
    assert_eq!(capability.version.as_ref().unwrap().to_string(), "2.1.0-rc.1");
    assert_eq!(capability.skill.as_deref(), Some("review"));
    let texts = |ranges: &[VersionRange]| ranges.iter().map(VersionRange::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&capability.supported_versions), ["1.0.0", ">=2.0.0 <3.0.0"]);
    assert_eq!(texts(&capability.deprecated_versions), ["1.0.0"]);
    assert_eq!(capability.min_schema_version.as_ref().unwrap().minor, 0);
    assert_eq!(capability.tags, ["rust", "review"]);
    assert_eq!(capability.side_effects, Some(SideEffects::External));
    assert_eq!(capability.determinism, Some(Determinism::Nondeterministic));
    assert_eq!(capability.latency.as_deref(), Some("interactive"));
    assert_eq!(capability.required_roles, ["reviewer"]);
    assert_eq!(capability.required_scopes, ["repo:read"]);
}

#[test]
fn yaml_and_json_are_equivalent() {
    let json = r#"{"version": 1, "agent": "agent://a", "transports": [{"kind": "memory", "topics": {"requests": "r"}}],
        "capabilities": [{"name": "x", "inputSchema": {"type": "string"}}]}"#;
    let yaml = format!("{HEAD}capabilities: [{{name: x, inputSchema: {{type: string}}}}]");
    let hash = |path: &str, text: &str| loaded(path, text).manifest.hash();
    assert_eq!(hash("capabilities.json", json), hash("capabilities.yaml", &yaml));
}

#[test]
fn help_for_json_is_in_json() {
    let json = r#"{"version": 2, "transports": [{"kind": "kafka", "topics": {"requests": "r"}}], "capabilities":
        [{"name": "x", "inputSchema": {"properties": {"a": "string", "b": {"type": null}}, "required": "a"}}]}"#;
    let found = findings("capabilities.json", json);
    let help: Vec<&str> = found.lines().filter_map(|line| line.strip_prefix("  help: ")).collect();
    assert_eq!(
        help,
        [
            r#"add `"agent": "agent://<id>"`"#,
            r#"write `"version": 1`: this is the version of the file format"#,
            r#"add `"brokers": ["<host>:9092"]`"#,
            r#"write `{"type": "string"}`"#,
            r#"write the type null in quotes: `"type": "null"`"#,
            "write an array, even for one name",
        ],
        "{found}"
    );
}

#[test]
fn a_duplicate_key_gets_help() {
    check(
        &format!("{HEAD}capabilities: [{{name: x, since: '1', since: '2'}}]\n"),
        "E0003 4:38 duplicate key `since`\n  4: again here\n  4: first here\n  help: remove one of the two, or move its content to the other\n",
    );
}

#[test]
fn every_kind_of_transport_loads() {
    for text in [
        "{kind: memory, topics: {requests: a, responses: b}}",
        "{kind: mqtt, url: 'mqtt://h', topics: {requests: a}}",
        "{kind: kafka, brokers: ['b:1'], ssl: true, sasl: {mechanism: plain, username: u, passwordRef: 'secret://p'}, topics: {requests: a}}",
        "{kind: nats, servers: ['nats://h'], subjects: {requests: a}}",
        "{kind: sqs, region: eu-west-1, queues: {requests: a}}",
        "{kind: amqp, url: 'amqp://h', queues: {requests: a}}",
    ] {
        transport(text, "");
    }
}

#[test]
fn a_misspelt_required_key_is_reported_once() {
    check(
        "version: 1\nagnt: agent://a\ntransports: [{knd: memory, topics: {request: r}}]\ncapabilites: [{nmae: x}]\n",
        "E0201 2:1 unknown key `agnt` in the manifest\n  help: did you mean `agent`?\n\
         E0201 3:15 unknown key `knd` in a transport\n  help: did you mean `kind`?\n\
         E0201 4:1 unknown key `capabilites` in the manifest\n  help: did you mean `capabilities`?\n",
    );
    transport(
        "{kind: memory, topics: {request: r}}",
        "E0201 3:38 unknown key `request` in `topics`\n  help: did you mean `requests`?\n",
    );
    check(
        &format!("{HEAD}capabilities:\n  - nmae: x\n"),
        "E0201 5:5 unknown key `nmae` in a capability\n  at: capability 1\n  help: did you mean `name`?\n",
    );
}

#[test]
fn a_duration_with_a_unit_gets_its_milliseconds() {
    let expected = |help: &str| format!("E0203 6:16 `timeoutMs` must be a number\n  6: {help}");
    for (text, ms) in [
        ("5s", "5000"),
        ("1.5 min", "90000"),
        ("250ms", "250"),
        ("2h", "7200000"),
        ("'3 Seconds'", "3000"),
        ("1m30s", "90000"),
        ("1h 30m", "5400000"),
        ("PT5S", "5000"),
        ("PT1M30S", "90000"),
        ("1d", "86400000"),
    ] {
        let help = format!(
            "a duration with a unit\n  at: capability `x`\n  help: write `{ms}`: the unit is always milliseconds\n"
        );
        capability(&format!("timeoutMs: {text}"), &expected(&help));
    }
    for text in
        ["5 apples", "s", "0s", "0.5ms", "-1s", "1e300h", "nan s", "infs", "5s5", "1m,30s", "60_000", "pt", "P5S"]
    {
        let help = "help: write a number of milliseconds, such as `5000` for five seconds";
        capability(&format!("timeoutMs: {text}"), &expected(&format!("a string\n  at: capability `x`\n  {help}\n")));
    }
}

#[test]
fn an_empty_file_gets_the_keys_of_a_manifest() {
    for (path, text) in
        [("capabilities.yaml", ""), ("capabilities.yaml", "# nothing yet\n"), ("capabilities.json", " ")]
    {
        let found = findings(path, text).replace('"', "");
        assert!(found.contains("help: a manifest has the keys `version: 1`, `agent: agent://<id>`"), "{found}");
    }
}

#[test]
fn a_file_whose_value_is_not_a_mapping_gets_the_keys_of_a_manifest() {
    for text in ["null", "~", "[]", "hello", "- version: 1", "5"] {
        let found = findings("capabilities.yaml", text);
        assert!(found.contains("help: a manifest has the keys `version: 1`, `agent: agent://<id>`"), "{text}: {found}");
    }
}

#[test]
fn lists_in_another_form_get_the_form_to_write() {
    let contract = |transports: &str, capabilities: &str| {
        format!("version: 1\nagent: agent://a\ntransports: {transports}\ncapabilities: {capabilities}\n")
    };
    let memory = "{ kind: memory, topics: { requests: a.b } }";
    let example = "write a list with an element such as `- { kind: memory, topics: { requests: <name> } }`";
    for (transports, help) in [
        (memory, "write `- ` before `kind`: `transports` is a list, even of one element"),
        ("{ memory: { topics: { requests: a.b } } }", "write `- kind: memory` and the other settings below it"),
        ("{}", example),
        ("[]", example),
        ("memory", example),
        ("", example),
        ("[memory]", "write `{ kind: memory, topics: { requests: <name> } }`"),
        ("[[{ kind: memory, topics: { requests: a.b } }]]", "it is a list in a list: write one `-` for each element"),
    ] {
        let found = findings("capabilities.yaml", &contract(transports, "[{ name: x }]"));
        assert!(found.contains(&format!("help: {help}")), "{transports}: {found}");
    }
    for (capabilities, help) in [
        ("{ name: x }", "write `- ` before `name`: `capabilities` is a list, even of one element"),
        ("{ find-product: {} }", "write `- name: find-product` instead of the key: `capabilities` is a list"),
        ("{}", "write a list with an element such as `- name: <name>`"),
        ("[find-product]", "write `name: <name>`"),
    ] {
        let found = findings("capabilities.yaml", &contract(&format!("[{memory}]"), capabilities));
        assert!(found.contains(&format!("help: {help}")), "{capabilities}: {found}");
    }
}

#[test]
fn names_from_other_formats_get_the_name_to_write() {
    for (key, meant) in [
        ("input", "inputSchema"),
        ("parameters", "inputSchema"),
        ("response", "outputSchema"),
        ("summary", "description"),
        ("timeout", "timeoutMs"),
    ] {
        let found = findings("capabilities.yaml", &format!("{HEAD}capabilities:\n  - name: x\n    {key}: {{}}\n"));
        assert!(found.contains(&format!("help: did you mean `{meant}`?")), "{key}: {found}");
    }
    let found = findings("capabilities.yaml", &format!("{HEAD}capabilities: [{{name: x}}]\n").replace("agent:", "id:"));
    assert_eq!(found, "E0201 2:1 unknown key `id` in the manifest\n  help: did you mean `agent`?\n");
}

#[test]
fn invalid_names_get_a_similar_valid_name() {
    for (name, help) in [
        ("Find Product", "for example `Find-Product`; a name consists of"),
        ("'find()'", "for example `find`; "),
        ("'()'", "a name consists"),
    ] {
        let found = findings("capabilities.yaml", &format!("{HEAD}capabilities: [{{name: {name}}}]\n"));
        assert!(found.contains(&format!("help: {help}")), "{name}: {found}");
    }
    for (agent, help) in [
        ("http://shop/", "write `agent://shop`"),
        ("'agent:// shop'", "write `agent://shop`"),
        ("my shop", "write `agent://<id>`: an id consists of"),
    ] {
        let found =
            findings("capabilities.yaml", &format!("{HEAD}capabilities: [{{name: x}}]\n").replace("agent://a", agent));
        assert!(found.contains(&format!("help: {help}")), "{agent}: {found}");
    }
}

#[test]
fn transport_errors_do_not_contain_values() {
    for (text, expected) in [
        (
            "{kind: memory, topics: hunter2}",
            "E0203 3:37 `topics` must be a mapping\n  3: a string\n  \
             help: write `topics: { requests: <name> }`, with an optional `responses`\n",
        ),
        ("{kind: memroy}", "E0211 3:21 unknown `kind` of transport\n  help: did you mean `memory`?\n"),
        ("{}", "E0202 3:14 missing key `kind` in a transport\n  help: add `kind: memory`\n"),
        (
            "memory",
            "E0203 3:14 a transport must be a mapping\n  3: a string\n  help: write `{ kind: memory, topics: { requests: <name> } }`\n",
        ),
        (
            "{kind: memory}",
            "E0202 3:15 missing key `topics` in a transport\n  help: add `topics: { requests: <name> }`\n",
        ),
        (
            "{kind: kafka, topics: {}}",
            "E0202 3:15 missing key `brokers` in a transport\n  help: add `brokers: [<host>:9092]`\n\
             E0202 3:36 missing key `requests` in `topics`\n  help: add `requests: <name>`\n",
        ),
        (
            "{kind: memory, topics: {requests: a, response: b}}",
            "E0201 3:51 unknown key `response` in `topics`\n  help: did you mean `responses`?\n",
        ),
        (
            "{kind: kafka, brokers: 'u:hunter2@b', ssl: no, sasl: hunter2, topics: {requests: a}}",
            "E0203 3:37 `brokers` must be a list\n  3: a string\n  help: put it in brackets to make it a list\n\
             E0203 3:57 `ssl` must be a boolean\n  3: a string\n  help: write `false`, without quotes\n\
             E0203 3:67 `sasl` must be a mapping\n  3: a string\n",
        ),
        (
            "{kind: amqp, url: 8433, queues: {requests: 3}}",
            "E0203 3:32 `url` must be a string\n  3: a number\nE0203 3:57 `requests` must be a string\n  3: a number\n",
        ),
        (
            "{kind: nats, servers: [], subjects: {requests: ''}}",
            "E0206 3:36 `servers` must not be empty\n  help: write a list with an element such as `- nats://<host>:4222`\n\
             E0214 3:61 `requests` must not be empty\n",
        ),
        (
            "{kind: sqs, queues: {requests: a}, password: hunter2}",
            "E0202 3:15 missing key `region` in a transport\n  help: add `region: <region>`\n\
             E0201 3:49 unknown key `password` in a transport\n  help: the keys here are `kind`, `queues`, `region`\n",
        ),
        (
            "{kind: sqs, queues: {requests: a}, region: r, 'amqp://u:hunter2@h': 1}",
            "E0201 3:60 unknown key in a transport\n  help: the keys here are `kind`, `queues`, `region`\n",
        ),
    ] {
        transport(text, expected);
    }
}

#[test]
fn debug_output_contains_no_credentials() {
    let text = "version: 1\nagent: agent://a\ntransports: [{kind: amqp, url: 'amqp://u:hunter2@h', queues: {requests: a}}]\n\
                capabilities: [{name: x}]\n";
    assert!(!format!("{:?}", loaded("capabilities.yaml", text)).contains("hunter2"));
}

#[test]
fn unknown_keys_get_a_suggestion() {
    for (key, near) in [
        ("inputShema", "inputSchema"),
        ("output_schema", "outputSchema"),
        ("timeout", "timeoutMs"),
        ("Description", "description"),
    ] {
        let help = format!("  at: capability `x`\n  help: did you mean `{near}`?\n");
        capability(&format!("{key}: 1"), &format!("E0201 6:5 unknown key `{key}` in a capability\n{help}"));
    }
}

#[test]
fn scalars_of_an_unexpected_type_get_a_hint() {
    for (keys, expected) in [
        (
            "since: 1.10",
            "E0203 6:12 `since` must be a string\n  6: a number\n  at: capability `x`\n  help: put it in quotes: `\"1.10\"`\n",
        ),
        (
            "idempotent: yes",
            "E0203 6:17 `idempotent` must be a boolean\n  6: a string\n  at: capability `x`\n  help: write `true`, without quotes\n",
        ),
        (
            "timeoutMs: '50'",
            "E0203 6:16 `timeoutMs` must be a number\n  6: a string\n  at: capability `x`\n  help: write `50`, without quotes\n",
        ),
        (
            "version: 2.0",
            "E0209 6:14 `version` must be a semantic version\n  6: a number\n  at: capability `x`\n  help: write `\"2.0.0\"`: three numbers, in quotes\n",
        ),
        (
            "version: v1.2",
            "E0209 6:14 `version` must be a semantic version\n  at: capability `x`\n  help: write `\"1.2.0\"`: three numbers, in quotes\n",
        ),
        (
            "tags: rust",
            "E0203 6:11 `tags` must be a list\n  6: a string\n  at: capability `x`\n  help: put it in brackets to make it a list\n",
        ),
        (
            "inputSchema:",
            "E0203 6:17 `inputSchema` must be a schema\n  6: no value\n  at: capability `x`\n  help: a key without a value is null: add a value, or remove the key\n",
        ),
    ] {
        capability(keys, expected);
    }
}

#[test]
fn invalid_values_are_rejected() {
    let at = "  at: capability `x`\n";
    for (keys, expected) in [
        ("skill: ''", "E0214 6:12 `skill` must not be empty\n"),
        ("tags: [a, '']", "E0214 6:15 `tags[]` must not be empty\n"),
        ("description: {a: b}", "E0203 6:18 `description` must be a string\n  6: a mapping\n"),
    ] {
        capability(keys, &format!("{expected}{at}"));
    }
    let timeout = "E0212 6:16 `timeoutMs` must be a whole number of milliseconds, at least 1\n";
    for (keys, expected, help) in [
        ("timeoutMs: 0", timeout, "without a time limit, remove `timeoutMs`"),
        ("timeoutMs: -3", timeout, "without a time limit, remove `timeoutMs`"),
        ("timeoutMs: 1.5", timeout, "write a whole number, such as `5000` for five seconds"),
        ("timeoutMs: 1e30", timeout, "without a time limit, remove `timeoutMs`"),
        ("sideEffects: extern", "E0211 6:18 unknown value of `sideEffects`\n", "did you mean `external`?"),
        (
            "determinism: random",
            "E0211 6:18 unknown value of `determinism`\n",
            "the values are `deterministic`, `nondeterministic`",
        ),
        (
            "id: x",
            "E0213 6:9 `id` must be a reverse-domain name\n",
            "write at least two labels separated by dots, such as `org.example.code-review`",
        ),
        ("id: org.x:1.2.0", "E0213 6:9 `id` must be a reverse-domain name\n", "move the version to `version`"),
    ] {
        capability(keys, &format!("{expected}{at}  help: {help}\n"));
    }
}

#[test]
fn integer_timeouts_load_in_every_notation() {
    for text in ["60000", "6e4", "60000.0", "0xea60"] {
        let text = format!("{HEAD}capabilities: [{{name: x, timeoutMs: {text}}}]");
        assert_eq!(loaded("capabilities.yaml", &text).manifest.capabilities[0].timeout_ms, Some(60_000));
    }
}

#[test]
fn all_errors_are_reported_at_once_in_source_order() {
    check(
        r#"version: "1"
agent: a
transport: []
capabilities:
  - name: x
    inputSchema:
      type: object
      properties:
        a: { type: strnig }
        b:
          type: string
          nullable: true
    timeoutMs: 0
  - name: x
    outputSchema: { allOf: [] }
  - color: red
"#,
        r#"E0204 1:10 `version` must be the number 1
  help: write `version: 1`, without quotes
E0205 2:8 `agent` must be `agent://<id>`
  help: write `agent://a`
E0201 3:1 unknown key `transport` in the manifest
  help: did you mean `transports`?
E0105 9:20 unknown type "strnig"
  9: not a JSON Schema type
  at: capability `x`, inputSchema, /properties/a/type
  help: did you mean `string`?
E0107 12:11 `nullable` is not part of the schema subset
  12: not enforced by JSON Schema draft-07
  at: capability `x`, inputSchema, /properties/b
  help: write `type: ["string", "null"]`
E0212 13:16 `timeoutMs` must be a whole number of milliseconds, at least 1
  at: capability `x`
  help: without a time limit, remove `timeoutMs`
E0208 14:11 two capabilities have the name `x`
  14: again here
  5: first here
  at: capability `x`
  help: rename one of them; two versions of one capability need a `version` each
E0117 15:28 `allOf` is empty
  15: no schema
  at: capability `x`, outputSchema, /allOf
  help: write at least one schema, or remove it
E0201 16:5 unknown key `color` in a capability
  at: capability 3
  help: the keys here are `name`, `id`, `description`, `version`, `timeoutMs`, `idempotent`, `since`, `skill`, `wireName`, `supportedVersions`, `deprecatedVersions`, `minSchemaVersion`, `skew`, `tags`, `sideEffects`, `determinism`, `latency`, `requiredRoles`, `requiredScopes`, `errors`, `http`, `inputSchema`, `outputSchema`
E0202 16:5 missing key `name` in a capability
  at: capability 3
"#,
    );
}

#[test]
fn findings_in_a_schema_point_into_the_text() {
    let text = format!(
        "{HEAD}capabilities:\n  - name: x\n    inputSchema:\n      properties:\n        'a/b~c': {{minLength: -1}}\n"
    );
    let findings = load(&Source::new("capabilities.yaml", text.as_str())).unwrap_err();
    let finding = &findings[0];
    assert_eq!(finding.pointer.as_deref(), Some("/capabilities/0/inputSchema/properties/a~1b~0c/minLength"));
    assert_eq!(text.get(finding.labels[0].span.clone()), Some("-1"));
}

#[test]
fn capability_names_are_checked() {
    let text = |name: &str| format!("{HEAD}capabilities:\n  - name: {name}\n");
    for name in ["Å", "_x", "'-x'", "'a b'", "''", "a.b", "a/b"] {
        assert!(findings("capabilities.yaml", &text(name)).starts_with("E0207 5:11 "), "{name}");
    }
    let (longest, too_long) = ("a".repeat(128), "a".repeat(129));
    assert!(findings("capabilities.yaml", &text(&too_long)).starts_with("E0207 5:11 "));
    for name in ["x", "X", "9x", "a-b_c-", "'9'", &longest] {
        check(&text(name), "");
    }
}

#[test]
fn duplicate_names_are_rejected_and_similar_names_are_warnings() {
    let text = format!("{HEAD}capabilities:\n  - name: a-b\n  - name: a-b\n  - name: A_b\n");
    check(
        &text,
        "E0208 6:11 two capabilities have the name `a-b`\n  6: again here\n  5: first here\n  at: capability `a-b`\n\
         \x20 help: rename one of them; two versions of one capability need a `version` each\n\
         W0201 7:11 the names `a-b` and `A_b` differ only in case, `-` or `_`\n  5: the other name\n  at: capability `A_b`\n\
         \x20 help: rename one of them; otherwise generated code distinguishes them by a suffix\n",
    );
}

#[test]
fn several_versions_of_a_capability_are_read() {
    let text = |entries: &str| format!("{HEAD}capabilities:\n{entries}");
    check(&text("  - {name: a, version: 2.0.0}\n  - {name: a, version: 1.4.0, id: x.a}\n  - {name: b}\n"), "");
    let versions = |count: usize| (1..=count).map(|major| format!("  - {{name: a, version: {major}.0.0}}\n"));
    check(&text(&versions(8).collect::<String>()), "");
    check(
        &text(&versions(9).collect::<String>()),
        "E0216 13:12 the capability `a` has more than 8 versions\n  13: again here\n  5: first here\n\
         \x20 at: capability `a`\n  help: remove the oldest one that no caller uses\n",
    );
}

#[test]
fn versions_that_are_not_distinct_are_rejected() {
    let found = |entries: &[&str]| {
        let entries: String = entries.iter().map(|entry| format!("  - {{name: a, {entry}}}\n")).collect();
        findings("capabilities.yaml", &format!("{HEAD}capabilities:\n{entries}"))
    };
    let equal = found(&["version: 1.0.0+a", "version: 1.0.0+b"]);
    assert!(equal.starts_with("E0208 6:12 two capabilities have the name `a` and the version 1.0.0+b\n"), "{equal}");
    let absent = found(&["version: 1.0.0", "idempotent: true"]);
    let message = "E0216 6:12 the capability `a` has several versions, of which one has no `version`\n";
    assert!(absent.starts_with(message), "{absent}");
    assert!(found(&["idempotent: true", "version: 1.0.0"]).starts_with(message));
    let ids = found(&["version: 1.0.0, id: x.a", "version: 2.0.0, id: x.b"]);
    assert!(ids.starts_with("E0216 6:12 two versions of the capability `a` have different ids\n"), "{ids}");
    let invalid = found(&["version: 1.0.0", "version: '1'"]);
    assert_eq!(invalid.matches("E02").count(), 1, "an invalid version has one finding: {invalid}");
}

#[test]
fn the_hash_of_several_versions_does_not_depend_on_their_order() {
    let load = |entries: &str| {
        let text = format!("{HEAD}capabilities:\n{entries}");
        capgen_manifest::load(&Source::new("capabilities.yaml", text)).unwrap().manifest
    };
    let [one, two] = ["  - {name: a, version: 1.0.0}\n", "  - {name: a, version: 2.0.0}\n"];
    let (up, down) = (load(&format!("{one}{two}")), load(&format!("{two}{one}")));
    assert_eq!(up.hash(), down.hash());
    assert_ne!(up.hash(), load(one).hash());
    assert_eq!((up.position("a"), down.position("a")), (Some(1), Some(0)));
    assert_eq!(up.labels(), ["a@1.0.0", "a@2.0.0"]);
    assert_eq!(up.versions("a"), [1, 0]);
}

#[test]
fn a_name_means_the_highest_version_that_is_not_a_pre_release() {
    let plain = |versions: &[&str]| {
        let entries: String = versions.iter().map(|version| format!("  - {{name: a, version: {version}}}\n")).collect();
        let text = format!("{HEAD}capabilities:\n{entries}");
        let manifest = capgen_manifest::load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
        assert_eq!(capgen_manifest::plain_versions(&manifest.capabilities), [manifest.position("a").unwrap()]);
        manifest.capability("a").unwrap().version.clone().unwrap().to_string()
    };
    assert_eq!(plain(&["1.0.0", "2.0.0-rc.1", "1.2.0"]), "1.2.0");
    assert_eq!(plain(&["1.0.0-rc.2", "1.0.0-rc.10"]), "1.0.0-rc.10");
}

#[test]
fn hostile_agent_ids_are_rejected() {
    let long = format!("agent://{}", "a".repeat(129));
    for id in [
        "agent://../../x",
        "agent://a/b",
        "agent://",
        "agent://.",
        "agent://..",
        "agent://.x",
        "agent://-x",
        "agent://a b",
        "agent://é",
        "agent://a\\\\b",
        "agent://a:b",
        "agent://a%2fb",
        "agent://a\\0b",
        "agent://a\\nb",
        "AGENT://a",
        "http://a",
        "",
        &long,
    ] {
        let text = format!(
            "version: 1\nagent: \"{id}\"\ntransports: [{{kind: memory, topics: {{requests: r}}}}]\ncapabilities: [{{name: x}}]\n"
        );
        assert!(findings("capabilities.yaml", &text).starts_with("E0205 2:8 "), "{id}");
    }
    for id in ["a", "A.b_c-9", "0", &"a".repeat(128)] {
        let text = format!(
            "version: 1\nagent: agent://{id}\ntransports: [{{kind: memory, topics: {{requests: r}}}}]\ncapabilities: [{{name: x}}]\n"
        );
        assert_eq!(loaded("capabilities.yaml", &text).manifest.agent.as_str(), id);
    }
}

#[test]
fn manifests_of_another_agent_are_rejected() {
    let source = Source::new("agents/b/capabilities.yaml", REVIEWER);
    assert!(load_peer(&source, &AgentId::new("pr-reviewer").unwrap()).is_ok());
    let findings = load_peer(&source, &AgentId::new("b").unwrap()).unwrap_err();
    assert_eq!(
        short(&findings),
        "E0305 2:8 expected the contract of `agent://b`, found that of `agent://pr-reviewer`\n\
         \x20 help: the id of an agent in the fleet must be the id in its file\n",
    );
}

#[test]
fn keys_that_are_not_names_are_not_repeated() {
    for key in ["a\\n\\e[31m", "amqp://me:hunter2@host", "one two", &"b".repeat(1000)] {
        let text = format!("{HEAD}capabilities: [{{name: x, \"{key}\": 1}}]\n");
        let found = findings("capabilities.yaml", &text);
        assert!(found.starts_with("E0201 4:26 unknown key in a capability\n"), "{found}");
    }
}

#[test]
fn messages_truncate_and_escape_text_from_a_peer() {
    let text =
        format!("{HEAD}capabilities: [{{name: x, inputSchema: {{type: \"a\\n\\e[31m{}\"}}}}]\n", "b".repeat(1000));
    let found = findings("capabilities.yaml", &text);
    assert!(found.starts_with("E0105 4:46 unknown type \"a\\n\\u{1b}[31mbbb"), "{found}");
    assert!(found.lines().next().unwrap().len() < 200);
}

#[test]
fn at_most_1000_findings_are_reported() {
    let mut text = format!("{HEAD}capabilities:\n  - name: x\n    inputSchema:\n      properties:\n");
    for i in 0..10_000 {
        let _ = writeln!(text, "        p{i}: {{minLength: -1}}");
    }
    let findings = load(&Source::new("capabilities.yaml", text)).unwrap_err();
    assert_eq!(findings.len(), 1000);
    assert_eq!(findings[999].notes[1], "9000 more findings are not shown");
}

#[test]
fn a_huge_name_is_not_repeated_by_every_finding() {
    let name = "n".repeat(1 << 20);
    let mistakes: String = (0..500).map(|i| format!("        p{i}: {{minLength: -1}}\n")).collect();
    let text = format!("{HEAD}capabilities:\n  - name: {name}\n    inputSchema:\n      properties:\n{mistakes}");
    let found = findings("capabilities.yaml", &text);
    assert!(found.len() < 500 * 300, "{}", found.len());
}

#[test]
fn the_error_of_an_invalid_id_states_the_rule_and_an_example() {
    assert_eq!("agent://index".parse(), Ok(AgentId::new("index").unwrap()));
    let message = |text: &str| text.parse::<AgentId>().unwrap_err().to_string();
    let rule = AgentId::RULE;
    assert_eq!(
        message("pr reviewer"),
        format!("invalid agent \"pr reviewer\": {rule}; write an id such as `pr-reviewer`")
    );
    assert!(message("agent://").starts_with("invalid agent \"agent://\": "));
    assert!(message(&"x".repeat(1000)).len() < 300);
}
