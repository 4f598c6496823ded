//! Mistakes of people, and the texts that `check --fix` makes of them.

/// Lines of a capability with a mistake, and the same lines as the certain edits leave them.
pub(crate) const CERTAIN: &[(&str, &str)] = &[
    ("version: 2.0", "version: \"2.0.0\""),
    ("version: 1", "version: \"1.0.0\""),
    ("version: 'v1.2'", "version: \"1.2.0\""),
    ("supportedVersions: [1.0, \"1.2.0\"]", "supportedVersions: [\"1.0.0\", \"1.2.0\"]"),
    ("description: 404", "description: \"404\""),
    ("description: true", "description: \"true\""),
    ("timeoutMs: \"5000\"", "timeoutMs: 5000"),
    ("timeoutMs: 5s", "timeoutMs: 5000"),
    ("timeoutMs: 1m30s", "timeoutMs: 90000"),
    ("idempotent: yes", "idempotent: true"),
    ("idempotent: \"false\"", "idempotent: false"),
    ("tags: search", "tags: [search]"),
    ("requiredScopes: [read, 5]", "requiredScopes: [read, \"5\"]"),
    ("description: Find a product: fast", "description: \"Find a product: fast\""),
    ("description: @team finds it", "description: \"@team finds it\""),
    ("desciption: Finds", "description: Finds"),
    ("timeout_ms: 5", "timeoutMs: 5"),
    ("inputShema: { type: string }", "inputSchema: { type: string }"),
    ("\"outputschema\": { type: string }", "\"outputSchema\": { type: string }"),
    ("idempotant: true", "idempotent: true"),
    ("sideEffects: Pure", "sideEffects: pure"),
    ("sideEffects: idempotant", "sideEffects: idempotent"),
    ("determinism: determinstic", "determinism: deterministic"),
    ("inputSchema: { type: [string, null] }", "inputSchema: { type: [string, \"null\"] }"),
    ("inputSchema:\n  type:\n    - string\n    - null", "inputSchema:\n  type:\n    - string\n    - \"null\""),
    ("inputSchema: { type: null }", "inputSchema: { type: \"null\" }"),
    ("inputSchema: { type: [string, ~] }", "inputSchema: { type: [string, \"null\"] }"),
    ("inputSchema: { type: int }", "inputSchema: { type: integer }"),
    ("inputSchema: { type: [bool, str] }", "inputSchema: { type: [boolean, string] }"),
    ("inputSchema: { type: strng }", "inputSchema: { type: string }"),
    ("inputSchema: { type: 'Number' }", "inputSchema: { type: number }"),
    ("inputSchema: { type: string? }", "inputSchema: { type: [string, \"null\"] }"),
    ("inputSchema: { type: string|null }", "inputSchema: { type: [string, \"null\"] }"),
    ("inputSchema: { type: none }", "inputSchema: { type: \"null\" }"),
    ("inputSchema: { type: [string, string] }", "inputSchema: { type: [string] }"),
    ("inputSchema: string", "inputSchema: { type: string }"),
    (
        "inputSchema:\n  properties:\n    sku: string\n    n: int",
        "inputSchema:\n  properties:\n    sku: { type: string }\n    n: { type: integer }",
    ),
    (
        "inputSchema:\n  properties: { a: { type: string }, b: \"yes\" }",
        "inputSchema:\n  properties: { a: { type: string }, b: true }",
    ),
    ("inputSchema: { type: string, minLength: \"3\" }", "inputSchema: { type: string, minLength: 3 }"),
    ("inputSchema: { type: number, minimum: \"1.5\" }", "inputSchema: { type: number, minimum: 1.5 }"),
    ("inputSchema: { type: array, uniqueItems: \"yes\" }", "inputSchema: { type: array, uniqueItems: true }"),
    ("inputSchema: { type: string, title: 12 }", "inputSchema: { type: string, title: \"12\" }"),
    ("inputSchema: { type: string, pattern: 5 }", "inputSchema: { type: string, pattern: \"5\" }"),
    ("inputSchema: { enum: red }", "inputSchema: { enum: [red] }"),
    ("inputSchema: { type: string, examples: red }", "inputSchema: { type: string, examples: [red] }"),
    ("inputSchema: { type: string, example: \"a, b\" }", "inputSchema: { type: string, examples: [\"a, b\"] }"),
    (
        "inputSchema:\n  required: sku\n  properties: { sku: { type: string } }",
        "inputSchema:\n  required: [sku]\n  properties: { sku: { type: string } }",
    ),
    (
        "inputSchema:\n  required: [sku, sku]\n  properties: { sku: { type: string } }",
        "inputSchema:\n  required: [sku]\n  properties: { sku: { type: string } }",
    ),
    (
        "inputSchema:\n  required: [404]\n  properties: { \"404\": { type: string } }",
        "inputSchema:\n  required: [\"404\"]\n  properties: { \"404\": { type: string } }",
    ),
    (
        "inputSchema:\n  type: number\n  exclusiveMinimum: true\n  minimum: 5",
        "inputSchema:\n  type: number\n  exclusiveMinimum: 5",
    ),
    (
        "inputSchema: { type: number, maximum: 9, exclusiveMaximum: true }",
        "inputSchema: { type: number, exclusiveMaximum: 9 }",
    ),
    (
        "inputSchema:\n  type: number\n  exclusiveMinimum: false # draft-04\n  minimum: 5",
        "inputSchema:\n  type: number\n  minimum: 5",
    ),
    ("inputSchema: { type: string, minLength: -1 }", "inputSchema: { type: string }"),
    ("inputSchema: { enum: [a, b, a] }", "inputSchema: { enum: [a, b] }"),
    ("inputSchema: { type: string, pattern: /^a$/ }", "inputSchema: { type: string, pattern: \"^a$\" }"),
    ("inputSchema:\n  type: string\n  nullable: true", "inputSchema:\n  type: [string, \"null\"]"),
    ("inputSchema: { nullable: true, type: string }", "inputSchema: { type: [string, \"null\"] }"),
    ("inputSchema:\n  nullable: false\n  type: string", "inputSchema:\n  type: string"),
    (
        "inputSchema: { type: string, minLenght: 3, maxlength: 5 }",
        "inputSchema: { type: string, minLength: 3, maxLength: 5 }",
    ),
    ("inputSchema: { type: number, divisibleBy: 2 }", "inputSchema: { type: number, multipleOf: 2 }"),
    (
        "inputSchema:\n  $ref: \"#/$defs/a\"\n  $defs: { a: { type: string } }",
        "inputSchema:\n  $ref: \"#/definitions/a\"\n  definitions: { a: { type: string } }",
    ),
    (
        "inputSchema:\n  type: array\n  prefixItems: [{ type: string }]\n  items: false",
        "inputSchema:\n  type: array\n  items: [{ type: string }]\n  additionalItems: false",
    ),
    ("inputSchema: { type: object, propertyNames: true }", "inputSchema: { type: object }"),
    ("inputSchema: { type: string, format: datetime }", "inputSchema: { type: string, format: date-time }"),
    ("inputSchema: { type: string, format: emial }", "inputSchema: { type: string, format: email }"),
    ("inputSchma: { type: int, nullable: true }", "inputSchema: { type: [integer, \"null\"] }"),
    ("inputSchema: &s { type: int }\noutputSchema: *s", "inputSchema: &s { type: integer }\noutputSchema: *s"),
];

/// Lines of a capability with a mistake whose edit needs review.
pub(crate) const NEEDS_REVIEW: &[&str] = &[
    "input: { type: string }",
    "inputSchema: { properti: {} }",
    "inputSchema: { type: string, regex: a }",
    "inputSchema: { type: string, min: 1 }",
    "inputSchema: { type: strings1 }",
    "inputSchema: { type: any }",
    "inputSchema: { type: string, format: phone }",
    "inputSchema: { type: string, format: uuid4 }",
    "inputSchema: { $ref: \"#/components/schemas/a\", definitions: { a: { type: string } } }",
    "inputSchema: { $ref: \"#/definitions/addres\", definitions: { address: { type: string } } }",
    "inputSchema: { $schema: \"https://json-schema.org/draft/2020-12/schema\", type: string }",
    "inputSchema: { properties: { a: { $id: x, type: string } } }",
    "inputSchema: { type: string, oneOf: [] }",
    "inputSchema: { type: [], minLength: 1 }",
    "inputSchema: { type: number, multipleOf: 0 }",
    "inputSchema: { type: string, definitions: { a: { type: string } } }",
    "inputSchema: { type: string, minimum: 3 }",
    "inputSchema: { properties: { sku: { type: string } }, required: [skus] }",
    "inputSchema: { properties: { sku: } }",
    "inputSchema: { anyOf: { type: string } }",
    "inputSchema: { type: string, pattern: /^a$/i }",
    "errors: [{ code: not-found }]",
    "errors: { code: NOT_FOUND }",
];

/// Manifests with a mistake outside of a capability.
pub(crate) const WHOLE: &[&str] = &[
    "agent: agent://a\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: \"1\"\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 2\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 1\nagent: shop\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 1\nagent: \"https://shop/\"\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 1\nagent: agent://a\ntransports: [{ kind: memmory, topics: { requests: q } }]\ncapabilities: [{ name: find product }]\n",
    "version: 1\nagent: agent://a\ntransports: [{ kind: memory, topic: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 1\nagent: agent://a\ntransports: [{ kind: memory1s, topics: { requests: q } }]\ncapabilities: [{ name: find }]\n",
    "version: 1\nagent: agent://a\ntransports: { kind: memory, topics: { requests: q } }\ncapabilities: [{ name: find }]\n",
];

/// A manifest with one capability, around lines of it.
pub(crate) fn manifest(agent: &str, lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "version: 1\nagent: agent://{agent}\ntransports:\n  - kind: memory\n    topics: {{ requests: {agent} }}\ncapabilities:\n\
         \x20 - name: find   # é: a comment\n{lines}    # the end\n"
    )
}
