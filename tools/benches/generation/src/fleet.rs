//! A manifest of realistic size, determined by its number of capabilities.

use std::fmt::Write as _;

/// The schema of one request: eight properties, including an enum, an array, a nested object, bounds and a pattern.
pub fn schema(i: usize) -> String {
    format!(
        r#"{{"type": "object", "description": "Payload {i} of the fleet.", "additionalProperties": false,
        "properties": {{
          "id": {{"type": "string", "format": "uuid", "description": "Who asks."}},
          "subject": {{"type": "string", "minLength": 1, "maxLength": 200}},
          "severity": {{"type": "string", "enum": ["low", "med", "high"]}},
          "count{i}": {{"type": "integer", "minimum": 0, "maximum": 1000}},
          "ratio": {{"type": "number"}},
          "labels": {{"type": "array", "items": {{"type": "string", "pattern": "^[a-z-]+$"}}, "maxItems": 20}},
          "owner": {{"type": "object", "properties": {{"name": {{"type": "string"}}, "team": {{"type": "string"}}}}, "required": ["name"]}},
          "note": {{"type": ["string", "null"]}}
        }}, "required": ["id", "subject", "severity", "owner"]}}"#
    )
}

/// A manifest with `n` capabilities as JSON, which the Node peer reads.
pub fn manifest_json(n: usize) -> String {
    let capabilities: Vec<String> =
        (0..n).map(|i| format!(r#"{{"name": "capability-{i}", "inputSchema": {}}}"#, schema(i))).collect();
    format!(r#"{{"capabilities": [{}]}}"#, capabilities.join(","))
}

/// The same manifest in YAML's block style, as users write it; capgen reads this one.
pub fn manifest_yaml(n: usize) -> String {
    let mut text = String::from(
        "version: 1\nagent: agent://bench\ntransports:\n  - kind: memory\n    topics:\n      requests: r\ncapabilities:\n",
    );
    for i in 0..n {
        let _ = write!(
            text,
            "  - name: capability-{i}
    description: Number {i}.
    inputSchema:
      type: object
      description: Payload {i} of the fleet.
      additionalProperties: false
      properties:
        id:
          type: string
          format: uuid
          description: Who asks.
        subject:
          type: string
          minLength: 1
          maxLength: 200
        severity:
          type: string
          enum: [low, med, high]
        count{i}:
          type: integer
          minimum: 0
          maximum: 1000
        ratio:
          type: number
        labels:
          type: array
          items:
            type: string
            pattern: ^[a-z-]+$
          maxItems: 20
        owner:
          type: object
          properties:
            name:
              type: string
            team:
              type: string
          required: [name]
        note:
          type: [string, \"null\"]
      required: [id, subject, severity, owner]
"
        );
    }
    text
}
