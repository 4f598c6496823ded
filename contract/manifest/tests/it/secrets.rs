//! No finding displays a value of `transports`, in any format, whatever else is wrong with the file.
#![expect(clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use capgen_diagnostic::{Diagnostic, render};
use capgen_manifest::{Source, codes, decode, load, show_schemas};

const STEP: usize = 17;

/// Every value in the settings of a transport contains this.
const SECRET: &str = "hunter2";

const BLOCK: &str = r#"version: 1
agent: agent://shop
transports:
  # hunter2 was the old password
  - kind: kafka # hunter2
    brokers:
      - "sasl://me:hunter2/#?'@broker:9092"
      - hunter2@broker:9092
    ssl: true
    sasl:
      mechanism: hunter2 plain
      username: 'hunter2 it''s'
      password: >-
        hunter2
        and hunter2
      pasword: hunter2
        continued hunter2
      "nkeySeed": "hunter2 \
        hunter2"
      creds: &creds { user: hunter2, pwd: "hunter2" }
      auth: *creds
    topics:
      requests: hunter2
      responses: "\x68unter2 hunter2"
  - { kind: nats, servers: ["nats://hunter2:4222?token=hunter2", hunter2], subjects: { requests: hunter2 } }
capabilities:
  - name: find-product
    description: |
      Finds a product.
    tags: [shop, "find"]
    inputSchema:
      type: object
      properties:
        query: { type: string, pattern: "^[a-z]+$" }
      required: [query]
"#;

const FLOW: &str = concat!(
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":"amqps:\/\/me:hunter2 '#@h?pw=hunter2","#,
    r#""queues":{"requests":"hunter2","responses":"\u0068unter2 hunter2"},"pasword":"hunter2","creds":{"pwd":["hunter2"]}}],"#,
    r#""capabilities":[{"name":"find-product","tags":["shop"],"inputSchema":{"type":"object","required":["query"]}}]}"#,
    "\n",
);

/// Everything that is displayed about a text.
fn displayed(path: &str, text: &[u8]) -> String {
    let findings = match decode(path, text.to_vec()) {
        Ok(source) => load(&source).map_or_else(|findings| findings, |contract| contract.warnings),
        Err(findings) => findings,
    };
    all_formats(&findings)
}

fn all_formats(findings: &[Diagnostic]) -> String {
    let messages: Vec<_> = findings.iter().map(render::message).collect();
    [
        render::human(findings, false),
        render::human(findings, true),
        render::json_lines(findings),
        render::github(findings),
        render::sarif(findings),
        messages.join("\n"),
    ]
    .join("\n")
}

#[track_caller]
fn check(path: &str, text: &[u8]) {
    let shown = displayed(path, text);
    let text = String::from_utf8_lossy(text);
    assert!(!shown.contains("hunter2"), "{path}:\n{text}\n-----\n{shown}");
}

/// The text with each kind of mistake at each of its places.
fn mistakes(text: &str) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (at, c) in text.char_indices() {
        let (before, after) = text.split_at(at);
        for inserted in [
            "\"", "'", ":", ": ", "\n", "\t", "{", "]", ",", "#", " #", "&", "*", "!", "|", "%", "- ", "\u{7}",
            "x: y\n", "\\",
        ] {
            all.push(format!("{before}{inserted}{after}").into_bytes());
        }
        all.push([before.as_bytes(), b"\xff", after.as_bytes()].concat());
        all.push(format!("{before}{}", &after[c.len_utf8()..]).into_bytes());
        all.push(before.into());
    }
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    for index in 0..lines.len() {
        let with = |replacement: String| {
            let (before, after) = (lines[..index].concat(), lines[index + 1..].concat());
            format!("{before}{replacement}{after}").into_bytes()
        };
        let line = lines[index];
        all.extend([with(line.repeat(2)), with(String::new()), with(format!(" {line}")), with(format!("\t{line}"))]);
        all.extend([
            with(line.trim_start().to_owned()),
            with(line.replacen("  ", "", 1)),
            with(line.replacen(": ", ":", 1)),
        ]);
        all.extend([
            with(line.replacen(':', "", 1)),
            with(line.trim_end().to_owned()),
            with(format!("        {line}")),
        ]);
    }
    all
}

#[test]
fn a_mistake_anywhere_displays_no_value_of_a_transport() {
    for (path, text) in [("a.yaml", BLOCK), ("a.yaml", FLOW), ("a.json", FLOW)] {
        // All of them take minutes without optimisation. The prime reaches each kind of mistake.
        for text in mistakes(text).iter().step_by(STEP) {
            check(path, text);
        }
    }
}

#[test]
fn misspelt_and_misplaced_keys_display_no_value() {
    for (path, text) in [("a.yaml", BLOCK), ("a.yaml", FLOW), ("a.json", FLOW)] {
        for key in ["transport", "tranports", "Transports", "x", "capabilities", "agent", "a b", "version", "$ref", "-"]
        {
            check(path, text.replace("transports", key).as_bytes());
        }
        for key in [
            "name",
            "agent",
            "version",
            "kind",
            "capabilities",
            "inputSchema",
            "type",
            "properties",
            "requests",
            "sasl",
        ] {
            check(path, text.replace(key, "hunter").as_bytes());
        }
    }
    // Below a capability, below its schema, and at the top.
    for place in ["    ", "      ", "          "] {
        let (head, rest) = BLOCK.split_once("transports:").unwrap();
        let (transports, capabilities) = rest.split_once("capabilities:").unwrap();
        let moved = format!("transports:{transports}").replace('\n', &format!("\n{place}"));
        check("a.yaml", format!("{head}capabilities:{capabilities}{place}{moved}\n").as_bytes());
        check(
            "a.yaml",
            format!("{head}{}capabilities:{capabilities}", transports.replace("\n    ", "\n").replace("\n  - ", "\n"))
                .as_bytes(),
        );
    }
}

#[test]
fn the_position_and_the_structure_are_displayed() {
    let text = "version: 1\nagent: agent://shop\ntransports: [{ kind: memory, pasword: hunter2, topics: { requests: 5 } }]\n\
                capabilities: [{ name: find-product }]\n";
    let findings = load(&Source::new("a.yaml", text)).unwrap_err();
    assert_eq!(
        render::human(&findings, false),
        "\
error[E0201]: unknown key `pasword` in a transport
 --> a.yaml:3:30
  |
3 | transports: [{ kind: ***, pasword: ***, topics: { requests: *** } }]
  |                           ^^^^^^^
  |
  = help: the keys here are `kind`, `topics`

error[E0203]: `requests` must be a string
 --> a.yaml:3:68
  |
3 | transports: [{ kind: ***, pasword: ***, topics: { requests: *** } }]
  |                                                             ^^^ a number
"
    );
}

#[test]
fn aliases_carry_no_secret_into_a_message() {
    let contract = |transport: &str, capability: &str| {
        format!(
            "version: 1\nagent: agent://shop\ntransports: [{{ kind: amqp, url: {transport}, queues: {{ requests: q }} }}]\n\
             capabilities: [{{ name: find-product, {capability} }}, {{ name: {SECRET}-x }}]\n"
        )
        .replace(&format!("{SECRET}-x"), "find-products")
    };
    for capability in [
        "description: [*pw]",
        "tags: *pw",
        "timeoutMs: *pw",
        "version: *pw",
        "id: *pw",
        "sideEffects: *pw",
        "supportedVersions: [*pw]",
        "inputSchema: *pw",
        "inputSchema: { type: *pw }",
        "inputSchema: { format: *pw }",
        "inputSchema: { $ref: *pw }",
        "inputSchema: { pattern: *pw, minLength: *pw }",
        "inputSchema: { required: [*pw, *pw] }",
        "inputSchema: { type: string, default: *pw, minLength: 100 }",
        "inputSchema: { required: *pw }",
        "inputSchema: { $schema: *pw }",
        "inputSchema: { type: object, required: [*pw], properties: { hunter: false }, additionalProperties: false }",
    ] {
        check("a.yaml", contract("&pw hunter2", capability).as_bytes());
    }
    check("a.yaml", contract("&pw 12hunter2", "description: 5").as_bytes());
    // Defined outside of `transports`, used there.
    let text = "version: 1\nagent: &pw hunter2\ntransports: [{ kind: amqp, url: *pw, queues: { requests: q } }]\n\
                capabilities: [{ name: find-product }]\n";
    check("a.yaml", text.as_bytes());
}

#[test]
fn public_values_are_displayed() {
    let text = BLOCK.replace("agent://shop", "agent//shop").replace("[query]", "[query, query]");
    let text =
        text.replace("type: string", "type: strng").replace("tags: [shop, \"find\"]", "tags: [shop, \"find\", 5]");
    let shown = displayed("a.yaml", text.as_bytes());
    for line in [
        "agent: agent//shop",
        "required: [query, query]",
        "query: { type: strng, pattern: \"^[a-z]+$\" }",
        "[shop, \"find\", 5]",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

/// A document of another format. Each value that a contract does not contain is the secret, also at keys that schemas
/// have too.
const FOREIGN: &str = r#"{
  "servers": [{ "url": "https://hunter2@host/hunter2", "headers": { "name": "hunter2", "type": "hunter2" } }],
  "mcpServers": { "files": { "command": "hunter2", "args": ["hunter2"], "env": { "title": "hunter2", "tags": ["hunter2"] } } },
  "token": "hunter2",
  "jsonrpc": { "cursor": "hunter2", "nested": [{ "key": "hunter2", "default": { "type": "hunter2" } }] },
  "tools": [{
    "name": "public-name",
    "description": "public-description",
    "_meta": { "hunter": "hunter2" },
    "inputSchema": {
      "type": "object",
      "properties": {
        "default": { "type": "string", "pattern": "public-pattern", "default": "hunter2" },
        "headers": { "enum": ["public-value"], "examples": ["hunter2"], "x-secret": { "value": "hunter2" } }
      },
      "prefixItems": [{ "format": "public-format", "example": "hunter2" }],
      "$ref": "https://me:hunter2@host/schema.json"
    }
  }]
}
"#;

/// Every line of a text, with a finding at each of them.
fn every_line(path: &str, text: &str) -> String {
    let source = Source::new(path, text);
    show_schemas(&source);
    let lines = (1..).map_while(|line| source.line(line));
    let findings: Vec<_> =
        lines.map(|span| Diagnostic::new(codes::JSON_SYNTAX, "here").at(&source, span, "")).collect();
    all_formats(&findings)
}

#[test]
fn documents_of_other_formats_display_schemas_and_names_only() {
    let lines = format!("{}\n{}\n", FOREIGN.replace('\n', ""), FOREIGN.replace('\n', ""));
    for (path, text) in
        [("tools.json", FOREIGN), ("<stdin>", FOREIGN), ("tools.yaml", FOREIGN), ("tools.jsonl", &lines)]
    {
        let shown = every_line(path, text);
        assert!(!shown.contains(SECRET), "{path}: {shown}");
        for public in ["public-name", "public-description", "public-pattern", "public-value", "public-format"] {
            // Excerpts of long lines show only a part of them.
            assert!(shown.contains(public) || text != FOREIGN, "{path}: {public}: {shown}");
        }
    }
}

#[test]
fn documents_of_other_formats_display_no_secret_if_they_are_invalid() {
    for at in (0..FOREIGN.len()).step_by(STEP) {
        let (before, after) = FOREIGN.split_at(at);
        for text in [before.to_owned(), format!("{before}\"{after}")] {
            for path in ["tools.json", "tools.yaml"] {
                let shown = every_line(path, &text);
                assert!(!shown.contains(SECRET), "{at} {path}: {text}\n{shown}");
            }
        }
    }
}
