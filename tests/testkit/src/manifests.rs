//! Contracts that tests of several packages read.

/// The example contract of the documentation.
pub const REVIEWER: &str = r#"version: 1
agent: agent://pr-reviewer
transports:
  - kind: memory
    topics:
      requests: agents.pr-reviewer.requests
capabilities:
  - name: review-pr
    description: Review a GitHub pull request.
    timeoutMs: 60000
    idempotent: true
    since: "1.1.0"
    inputSchema:
      type: object
      properties:
        prUrl: { type: string, description: "GitHub PR URL." }
        severity: { enum: [low, med, high] }
      required: [prUrl, severity]
      additionalProperties: false
    outputSchema:
      type: object
      properties:
        verdict: { enum: [approve, request-changes, comment] }
        summary: { type: string }
      required: [verdict, summary]
"#;

/// A contract of an agent with this text of its capabilities: the items of a YAML list, on lines of their own.
///
/// ```
/// use capgen_testkit::manifests::offering;
///
/// assert!(offering("shop", "  - name: find-product\n").ends_with("\ncapabilities:\n  - name: find-product\n"));
/// ```
#[must_use]
pub fn offering(id: &str, capabilities: &str) -> String {
    format!("{}capabilities:\n{capabilities}", head(id))
}

/// A contract with one capability that has no schemas.
#[must_use]
pub fn loose(id: &str) -> String {
    format!("{}capabilities: [{{ name: ping }}]\n", head(id))
}

/// The lines before the capabilities.
fn head(id: &str) -> String {
    format!("version: 1\nagent: agent://{id}\ntransports: [{{ kind: memory, topics: {{ requests: q }} }}]\n")
}
