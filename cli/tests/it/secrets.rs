//! No command prints a value of `transports`, in any format.

use crate::common::Fleet;

const HEAD: &str = "version: 1\nagent: agent://shop\n";
const TAIL: &str = "capabilities: [{ name: find-product, inputSchema: { type: string } }]\n";

/// The lines between the head and the tail of a contract. Each has a mistake near a secret, which contains `hunter2`.
const YAML: &[&str] = &[
    // Escapes.
    r#"transports: [{ kind: amqp, url: "amqp:\/\/me:hunter2@h", queues: { requests: 5 } }]"#,
    r#"transports: [{ kind: amqp, url: "amqp:\x2f\x2fme:hunter2@h", queues: { requests: 5 } }]"#,
    r#"transports: [{ kind: amqp, url: "amqp:\u002f/me:hunter2@h", queues: { requests: 5 } }]"#,
    r#"transports: [{ kind: amqp, url: "amqp\x3a//me:hunter2\x40h", queues: { requests: 5 } }]"#,
    // Passwords with special characters.
    "transports: [{ kind: amqp, url: 'amqp://me:a/hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a#hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a?hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a''hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: \"amqp://me:a'`<hunter2@h\", queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a@hunter2@h', queues: { requests: 5 } }]",
    "transports: [{ kind: amqp, url: 'amqp://me:a\"hunter2@h', queues: { requests: 5 } }]",
    // Servers without a scheme, and query parameters.
    "transports: [{ kind: nats, servers: ['me:hunter2@h:4222'], subjects: { requests: 5 } }]",
    "transports: [{ kind: nats, servers: [hunter2@h, 5], subjects: { requests: a } }]",
    "transports: [{ kind: nats, servers: [\"//me:hunter2@h\"], subjects: { request: 5 } }]",
    "transports: [{ kind: mqtt, url: 'mqtt://h?password=hunter2', topics: { requests: 5 } }]",
    "transports: [{ kind: mqtt, url: 'https://h/?token=hunter2#x', topics: { requests: 5 } }]",
    "transports: [{ kind: kafka, brokers: 'me:hunter2@h', topics: { requests: a } }]",
    "transports: [{ kind: kafka, brokers: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: sqs, region: 'hunter2', queues: { requests: 5 } }]",
    // Unusual and misspelt keys.
    "transports: [{ kind: memory, pasword: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, pwd: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, auth: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, creds: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, nkeySeed: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, nkeySeed: [hunter2], topics: { requests: a } }]",
    "transports: [{ kind: memory, jwt: { a: { b: hunter2 } }, topics: { requests: a } }]",
    "transports: [{ kind: kafka, brokers: [a], sasl: { pasword: hunter2 }, topics: { requests: 5 } }]",
    "transports: [{ kind: kafka, brokers: [a], sasl: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: kafka, brokers: [a], sasl: [hunter2], topics: { requests: a } }]",
    "transports: [{ kind: kafka, brokers: [a], sasl: { user, hunter2 }, topics: { requests: 5 } }]",
    "transports: [{ kind: kafka, brokers: [a], ssl: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: hunter2, topics: { requests: a } }]",
    "transports: [{ kind: memory, topics: hunter2 }]",
    "transports: [{ kind: memory, topics: { requests: a, hunter: hunter2 } }]",
    "transports: [{ kind: memory, 'amqp://me:hunter2@h': a, topics: { requests: a } }]",
    "transports: [{ kind: memory, hunter2, topics: { requests: a } }]",
    "transports: hunter2",
    "transports: [hunter2]",
    "transports: { kind: hunter2 }\ntransport: hunter2",
    // Several lines.
    "transports:\n  - kind: kafka\n    brokers: [a]\n    sasl:\n      password: |\n        hunter2\n      x: y\n    topics: 5",
    "transports:\n  - kind: kafka\n    brokers: [a]\n    sasl:\n      password: a\n        hunter2 b\n    topics: 5",
    "transports:\n  - kind: kafka\n    brokers: [a]\n    sasl:\n      password: \"a\n        hunter2\"\n    topics: 5",
    "transports:\n  - kind: kafka\n    brokers:\n    - a\n    - 5\n    - >-\n      hunter2\n    topics: { requests: a }",
    "transports:\n  - kind: kafka # hunter2\n    brokers: 5 # hunter2\n    # hunter2\n    topics: 5 # hunter2",
    "transports:\n  - kind: memory\n    ? password\n    : hunter2\n    topics: 5",
    "transports:\n  - &hunter2 kind: memory\n    topics: 5",
    "transports:\n  - kind: memory\n    password: !hunter2 x\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n    password: *hunter2\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n    password: 1hunter2\n    password: hunter2\n    topics: { requests: a }",
    // Misplaced or misspelt `transports`.
    "transport: [{ kind: amqp, url: 'hunter2', queues: { requests: a } }]",
    "tranports:\n  - kind: nats\n    servers: [hunter2]\n    subjects: { requests: a }",
    "kind: amqp\nurl: hunter2\nqueues: { requests: a }",
    "x: { transports: [{ password: hunter2 }] }",
    // Texts that are not valid YAML.
    "transports: [{ kind: amqp, url: \"hunter2, queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: 'it's hunter2', queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: \"a\"hunter2\", queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: hunter2: hunter2, queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: @hunter2, queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: %hunter2, queues: { requests: a } }]",
    "transports: [{ kind: amqp, url: \"\\hunter2\", queues: { requests: a } }]",
    "transports:\n  - kind: memory\n    password: hunter2: x\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n    password:hunter2\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n\tpassword: hunter2\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n   password: hunter2\n    topics: { requests: a }",
    "transports:\n  - kind: memory\n    password: `hunter2`\n    topics: { requests: a }",
    "transports: [{ kind: memory, password: hunter2 }, topics: { requests: a } }]",
    "transports:\n  - kind: memory\n    password: \"\u{7}hunter2\"\n    topics: { requests: a }",
];

/// Whole contracts in JSON.
const JSON: &[&str] = &[
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":"amqp:\/\/me:hunter2@h","x":1}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":hunter2}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":"a"hunter2"}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":"hunter2}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":'hunter2'}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"amqp","url":"hunter2"}]"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop,"transports":[{"kind":"amqp","url":"hunter2"}],"capabilities":[]}"#,
    r#"{"version":1,"agent":"agent://shop","transports":[{"hunter2":1,"hunter2","kind":"amqp"}],"capabilities":[]}"#,
    "{\n  \"version\": 1,\n  \"transports\": [{\n    \"kind\": \"amqp\",\n    \"pasword\": \"hunter2\" // hunter2\n  }]\n}",
    "{\n  \"version\": 1,\n  \"transports\": [{\n    \"kind\": \"amqp\",\n    \"pasword\": 01hunter2\n  }]\n}",
];

const COMMANDS: [&str; 9] = [
    "check",
    "check --format json",
    "check --format github",
    "check --format sarif",
    "gen --all",
    "gen --all --json",
    "gen --all --check",
    "validate --peer shop --capability find-product --side request -",
    "validate --peer shop --capability find-product --side request --json -",
];

#[track_caller]
fn check(path: &str, text: &str) {
    let fleet = Fleet::new(&[]);
    fleet.write(path, text);
    for command in COMMANDS {
        let run = fleet.run_with(command, "\"x\"").ended(1);
        assert!(!run.stderr.is_empty() || !run.stdout.is_empty(), "{command}");
        assert!(
            !(run.stderr.clone() + &run.stdout).contains("hunter2"),
            "{command}\n{text}\n{}{}",
            run.stderr,
            run.stdout
        );
    }
}

#[test]
fn no_command_prints_a_value_of_a_transport_in_yaml() {
    for probe in YAML {
        check("agents/shop/capabilities.yaml", &format!("{HEAD}{probe}\n{TAIL}"));
    }
}

#[test]
fn no_command_prints_a_value_of_a_transport_in_json() {
    for probe in JSON {
        check("agents/shop/capabilities.json", probe);
    }
}

#[test]
fn no_command_prints_a_value_of_the_fleet_that_is_not_public() {
    for probe in [
        "agents: 5\nrpc: { url: 'amqp://me:hunter2@h' }",
        "agents: []\nrpc: { url: hunter2",
        "agents: [{ id: shop, path: agents/shop, sessionDb: hunter2, auditDb: 5, x: hunter2 }]",
        "agents: [{ id: shop, path: /agents/shop, env: { TOKEN: hunter2 } }]",
        "agents: []\ncontrolPlane: hunter2\ncontrolPlane: hunter2",
        "agents: []\ntoken: hunter2 # hunter2",
    ] {
        let fleet = Fleet::new(&["shop"]);
        fleet.write("fleet.yaml", &format!("version: 1\n{probe}\n"));
        for command in COMMANDS {
            let run = fleet.run_with(command, "\"x\"").ended(1);
            assert!(!(run.stderr.clone() + &run.stdout).contains("hunter2"), "{command}\n{probe}\n{run:?}");
        }
    }
}

#[test]
fn no_argument_with_a_url_is_displayed_with_its_secret() {
    let fleet = Fleet::new(&["a"]);
    let urls = [
        "mysql://me:hunter2@h/db",
        "mysql:me:hunter2@h",
        "//me:hunter2@h/",
        "hunter2@h",
        "me:hunter2@h/db",
        "postgres:host=h,password=hunter2",
        "Pwd=\"hunter2\";x",
        "AccountName=a;AccountKey=hunter2;x",
        ":hunter2@h:6379",
        "https:/me:hunter2@h/x",
        "https://h/a;token=hunter2",
        "https://h/a&token=hunter2",
        "https://h/a?token=hunter2",
        "https://me:hunter2@h/a#hunter2",
        "ftp://h/?token=hunter2#access_token=hunter2",
    ];
    for url in urls {
        for command in [
            "registry tail --log",
            "registry find --log",
            "audit verify --db",
            "gen --capabilities",
            "import mcp",
            "import openapi",
            "explain",
            "registry merge --log",
            "amp serve --listen",
            "amp query",
            "import mcp --url",
            "check --capabilities",
            "diff --against",
            "gen --root",
            "validate --capability x --side request --capabilities",
        ] {
            let run = fleet.run(&format!("{command} {url}"));
            assert!(run.status > 0, "{run:?}");
            for text in [&run.stdout, &run.stderr] {
                // The name of a file is displayed as it is, and may have an `@`.
                let is_path = url == "hunter2@h" && !command.contains("--log") && !command.starts_with("amp");
                assert!(is_path || !text.contains("hunter2"), "{command} {url}: {text}");
            }
        }
    }
}

#[test]
fn no_reference_is_displayed_with_its_secret() {
    let fleet = Fleet::new(&["a"]);
    for reference in [
        "//me:hunter2@h/",
        "https://me:hunter2@h/a.json",
        "https://h/a.json?token=hunter2#/definitions/a",
        "a.json?token=hunter2",
        "a.json;token=hunter2",
        "#/definitions/A?token=hunter2",
        "?token=hunter2",
        "me:hunter2@h",
        "https://h/a.json#hunter2",
    ] {
        for key in ["$ref", "$id", "$schema"] {
            let schema = format!("{{ type: object, properties: {{ a: {{ {key}: \"{reference}\" }} }} }}");
            let root = format!("{{ {key}: \"{reference}\", type: 5 }}");
            for schema in [schema, root] {
                let text = format!(
                    "{HEAD}transports: [{{ kind: memory, topics: {{ requests: a }} }}]\ncapabilities: [{{ name: x, inputSchema: {schema} }}]\n"
                );
                fleet.write("agents/a/capabilities.yaml", &text);
                for format in ["human", "json", "github", "sarif"] {
                    let run = fleet.run(&format!("check --capabilities agents/a/capabilities.yaml --format {format}"));
                    for text in [&run.stdout, &run.stderr] {
                        assert!(!text.contains("hunter2"), "{format} {schema}: {text}");
                    }
                }
            }
        }
        let openapi = format!(
            "openapi: 3.1.0\ninfo: {{ title: Shop, version: '1' }}\npaths:\n  /a:\n    get:\n      parameters: [{{ $ref: '{reference}' }}]\n      \
             responses: {{ '200': {{ $ref: '{reference}' }} }}\n"
        );
        fleet.write("openapi.yaml", &openapi);
        for format in ["human", "json", "github", "sarif"] {
            let run = fleet.run(&format!("import openapi openapi.yaml --agent shop --format {format}"));
            for text in [&run.stdout, &run.stderr] {
                assert!(!text.contains("hunter2"), "openapi {format} {reference}: {text}");
            }
        }
    }
}
